// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/stage/observe.hpp"
#include "core/stage/override.hpp"
#include "core/stage/stage.hpp"
#include "io/case_file.hpp"
#include "io/netcdf.hpp"
#include "io/state.hpp"
#include "precision/policy.hpp"
#include "precision/value_type.hpp"

namespace ulpine {

/// A conserved integral, e.g. mass of water in kg.
struct Integral {
  std::string name, units;
  double value = 0;
};

/// Times at which a step has to end for the model's own sake, beside those that it is asked for: the
/// multiples of `every` s from 0 to `until` s.
struct Recurrence {
  double every = 0, until = 0;
};

/// Cost of a named stage so far. On a GPU repeated sequences run as graphs; seconds are then measured on
/// `timed` launches and `seconds` is their mean times `launches`.
struct StageCost {
  std::string name;
  std::int64_t launches = 0;
  std::int64_t timed = 0;
  double seconds = 0;
  double bytes = 0;  ///< counted minimal traffic of all launches
};

/// Uniform noise for the initial state, counter-based (Philox4x32-10): the number depends only on seed,
/// member, the field's name and the global index of the point.
struct Perturbation {
  std::uint64_t seed = 1;
  std::uint32_t member = 0;
  double amplitude = 0;  ///< noise is uniform in [-amplitude, amplitude)
};

/// The one interface that ensembles, verification and the command line see of a core. Not safe for concurrent
/// use of one object; several objects may run on several threads.
class Model {
 public:
  virtual ~Model() = default;

  virtual std::string core() const = 0;
  virtual double time() const = 0;        ///< s since the start
  virtual double time_step() const = 0;   ///< s, of every step; 0 where steps vary
  virtual std::int64_t step() const = 0;  ///< model steps done
  /// Where steps of varying length end anyway, so that whoever asks for other times (outputs, the end) can
  /// keep short steps between the two from long ones.
  virtual std::vector<Recurrence> recurrences() const { return {}; }
  virtual std::int64_t cells() const = 0;
  virtual std::int64_t memory_bytes() const = 0;  ///< of the model's fields, where it runs

  /// Takes one model step that ends at `latest` s at the latest. Models of a fixed step end where it ends:
  /// ask them for multiples only.
  virtual void take_step(double latest) = 0;
  /// Takes `steps` model steps, as long as they come.
  void advance(std::int64_t steps) {
    for (std::int64_t k = 0; k < steps; ++k) take_step(std::numeric_limits<double>::infinity());
  }
  /// Takes steps until `time` s, a multiple of time_step() where there is one.
  void advance_to(double end) {
    auto const reached = [&] { return time() + time_step() / 2 >= end; };
    while (!reached()) take_step(end);
  }

  virtual std::vector<io::Coordinate> coordinates() const = 0;
  /// Unstructured meshes that fields name; their sources last as long as the model.
  virtual std::vector<io::UnstructuredMesh> meshes() const { return {}; }
  virtual std::vector<io::FieldInfo> fields() const = 0;         ///< change in time
  virtual std::vector<io::FieldInfo> static_fields() const = 0;  ///< masks, areas, longitudes
  /// Global attributes for the output, e.g. the attribution that input data ask for.
  virtual std::vector<std::pair<std::string, std::string>> attributes() const { return {}; }
  /// Values [first, first + count) of a field or static field, row-major, as `type`. Points outside the
  /// domain (land, buildings) get missing_value (core/field/operations.hpp).
  virtual void read(std::string const& field, std::int64_t first, std::int64_t count, ValueType type,
                    void* values) const = 0;
  /// All of a field (FieldInfo::size() values).
  void read(std::string const& field, std::span<double> values) const {
    read(field, 0, static_cast<std::int64_t>(values.size()), ValueType::float64, values.data());
  }

  /// All that a bit-exact restart needs, as of now: to be read before the model changes or goes.
  virtual std::unique_ptr<io::StateReader> state() const = 0;
  /// Goes on from `state`, bit for bit; InputError where it is of another core, policy or shape.
  virtual void restore(io::StateReader const& state) = 0;

  /// Names of the fields that an ensemble perturbs by default.
  virtual std::vector<std::string> perturbable() const = 0;
  virtual void perturb(std::string const& field, Perturbation const& noise) = 0;

  virtual std::vector<Integral> integrals() const = 0;
  /// Order-free hash of all prognostic state, the same on every backend.
  virtual std::uint64_t state_hash() const = 0;
  /// "u (3, 4) is NaN", "u (3, 4) = 4.5e+10 m s-1 is outside -500 to 500": the first value of the state that
  /// is NaN, infinite or outside what its core's physics can have; empty where there is none.
  virtual std::string invalid_value() const = 0;

  /// Reports every stage to `observer` from now on; nullptr: off.
  virtual void observe(StageObserver* observer) = 0;
  virtual void plant(PlantedFault const& fault) = 0;
  virtual std::vector<StageDescription> stages() const = 0;
  virtual std::vector<StageCost> costs() const = 0;
};

inline constexpr int most_threads = 4096;  ///< of a run on the host

class Ranks;

struct ModelOptions {
  std::string policy = "fp64";  ///< or a format (parse_format), emulated on the host
  Assembly assembly = Assembly::deterministic;
  std::string device = "cpu";              ///< "cpu", "cuda" or "cuda:N" (N: device ordinal)
  int threads = 1;                         ///< host threads
  int block = 256;                         ///< threads a block on a GPU
  std::vector<StageOverride> stages = {};  ///< for cores that are registered as taking them
  int sharers = 1;     ///< models side by side on the GPU: for how fast they go, not for what comes out
  int ranks = 1;       ///< processes that compute it together (ranked_model.hpp)
  int host_ranks = 0;  ///< the last of them, which do so on the host where `device` is a GPU
  std::shared_ptr<Ranks> team = {};  ///< these, as a factory gets them; null: this process alone
};

/// Builds the model that the case's `core` key names. InputError for an unknown core, policy or a bad case,
/// and for stage overrides where the core takes none; EnvironmentError where the device is missing or
/// the threads cannot be had. Unknown keys of the case are refused here.
std::unique_ptr<Model> make_model(io::CaseFile const& case_file, ModelOptions const& options);

using ModelFactory = std::function<std::unique_ptr<Model>(io::CaseFile const&, ModelOptions const&)>;
/// Makes `core` known to make_model, with a line for `ulpine info`. A factory that takes stage overrides
/// refuses stages that it does not have. `judging` says what of its output is worth judging, in TOML as a
/// case says it: tables [evaluate.NAME] (statistics and curves), [verify.NAME] (gates) and [figure.NAME]. No
/// evaluation may have the name of one of the core's fields: make_model refuses such a core by InputError.
void register_model(std::string const& core, std::string const& description, ModelFactory factory,
                    bool takes_stage_overrides = false, std::string judging = "");
/// The registered core runs on several ranks: its factory minds ModelOptions::team.
void register_on_ranks(std::string const& core);
/// The argument `judging` that `core` was registered with; empty for an unknown one.
std::string judging_of(std::string const& core);
/// Name and description of every known core.
std::vector<std::pair<std::string, std::string>> known_cores();

}  // namespace ulpine
