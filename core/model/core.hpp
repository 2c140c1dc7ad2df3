// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/device.hpp"
#include "core/exec/stream.hpp"
#include "core/field/table.hpp"
#include "core/model/model.hpp"
#include "core/stage/runner.hpp"
#include "io/error.hpp"

namespace ulpine {

/// A field's integral over the domain.
struct IntegralDescription {
  std::string name, units;
  std::string field;    ///< of the table, brought up to date before
  std::string weights;  ///< constant field of (some of) its dimensions: cell areas or volumes
};

/// A dynamical core: a table of fields, a list of stages and a step. All else that a model can do follows
/// from these, see model_of().
class Core {
 public:
  virtual ~Core() = default;

  virtual std::string name() const = 0;  ///< "seaice"
  virtual FieldTable& fields() = 0;
  virtual StageRunner& stages() = 0;
  virtual std::int64_t cells() const = 0;                 ///< of this rank
  virtual std::int64_t other_bytes() const { return 0; }  ///< of memory that is no field

  /// Length of every step, s; 0 where take_step() chooses it anew each time.
  virtual double fixed_step() const { return 0; }
  /// Where steps that vary end for the core's own sake, whatever they are asked for.
  virtual std::vector<Recurrence> recurrences() const { return {}; }
  /// Takes model step number `step` (from 1), which begins at `time` s and ends at `latest` s at the latest.
  /// Returns where it ended. Does not wait for the device where the step is fixed.
  virtual double take_step(std::int64_t step, double time, double latest) = 0;
  /// The state was replaced: forget what followed from the old one.
  virtual void state_replaced() {}
  /// Prognostic fields of these names got noise since the last step: called once before the next, or before
  /// the state is read for a restart, for what a core has to put right then. state_replaced() came after
  /// each.
  virtual void state_perturbed(std::vector<std::string> const& /*fields*/) {}

  virtual std::vector<IntegralDescription> integrals() const { return {}; }
  /// Global attributes for the output, e.g. the attribution that input data ask for.
  virtual std::vector<std::pair<std::string, std::string>> attributes() const { return {}; }
};

/// The model of a core that was built from `case_file` in `policy`; `stream` is what the core runs on, if
/// that is a GPU's. InputError for keys of the case that the core has not read; the rest is the case's hash,
/// which restarts must carry.
std::unique_ptr<Model> model_of(std::unique_ptr<Core> core, io::CaseFile const& case_file, std::string policy,
                                std::optional<Stream> stream = {});

/// The model of the core that make(executor) gives, for the Host or the Cuda that `options` name; null means
/// that the core does not run so, an InputError. EnvironmentError where the device is missing.
template <class Make>
std::unique_ptr<Model> model_on(ModelOptions const& options, io::CaseFile const& case_file,
                                Make const& make) {
  std::unique_ptr<Core> core;
  std::optional<Stream> stream;
  if (auto const ordinal = device_ordinal(options.device); ordinal < 0) {
    core = make(Host{options.threads});
  } else {
#if defined(ULPINE_HAS_CUDA)
    core = make(stream.emplace(ordinal, options.block).executor());
#else
    require_device(ordinal);
#endif
  }
  if (core == nullptr) {
    throw InputError(
        "core '" + case_file.core() + "' has no policy " + options.policy + " with " +
        name_of(options.assembly) + " assembly on " + options.device +
        " (quad runs on the host, and quad, df32 and mixed32 in deterministic assembly) choose another");
  }
  return model_of(std::move(core), case_file, options.policy, std::move(stream));
}

}  // namespace ulpine
