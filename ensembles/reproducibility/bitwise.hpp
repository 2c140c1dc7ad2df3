// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/model.hpp"
#include "ensembles/reproducibility/element_difference.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/configuration.hpp"

namespace ulpine::ensembles {

/// A fault planted into one configuration, to prove that the comparison finds it.
struct BitwiseFault {
  int configuration = 0;  ///< index into BitwiseRequest::configurations
  std::string stage, field;
  StagePosition position;
  std::int64_t element = 0;
};

struct BitwiseRequest {
  CaseSource source;
  std::vector<Configuration> configurations = {};  ///< the first is the reference; at least two
  std::int64_t steps = 10;
  std::optional<BitwiseFault> fault = {};
  std::function<void(std::string const& what, double fraction)> progress = {};
  std::atomic<bool> const* cancel = nullptr;
};

/// The first place where two runs diverge. `element` is -1 where the runs report different stages there.
struct Divergence : ElementDifference {
  StagePosition position;
  std::string stage, field;  ///< empty where the step differs otherwise, or not at all, when it is repeated
  Guarantee guarantee = Guarantee::bitwise;  ///< the stage's, where it is known
  std::string what() const;                  ///< one line
};

struct BitwiseOutcome {
  Configuration configuration;
  std::int64_t records = 0;        ///< stage outputs compared
  std::string traced_hash = {};    ///< final state of the watched run
  std::string untraced_hash = {};  ///< and of the run as users run it (fused stages, graphs)
  bool equal = false;              ///< to the first configuration: every record and both final states
  std::optional<Divergence> divergence = {};
  /// The first step after which its state was invalid, and the first such value (Model::invalid_value()).
  std::optional<std::pair<std::int64_t, std::string>> invalid = {};
  std::string known = {};  ///< one line on what is known of its divergence; empty where nothing is
  /// The step from which on all outputs are the reference's again, to the end.
  std::optional<std::int64_t> same_from = {};
};

struct BitwiseResult {
  std::string core;
  std::int64_t steps = 0;
  std::vector<BitwiseOutcome> outcomes;
  bool identical = false;  ///< all are equal
  bool unchanged = false;  ///< the reference's fields end as they began (ends_as_it_began())
  bool interrupted = false;
  /// Whether a configuration left the range of its physics, or of numbers: its bits then show nothing.
  bool invalid() const;
};

/// Steps that configurations take by turns: what is kept to find a difference is of so many.
inline constexpr std::int64_t bitwise_steps_a_turn = 64;

/// Runs the configurations and compares every field that every stage wrote, bit by bit. They go side by side,
/// so that what is held does not grow with `steps`: each configuration's model, a copy of its state and 64
/// hashes of steps, one model more where a difference is looked for, and the records of one step. A missing
/// device is an EnvironmentError.
BitwiseResult compare_bitwise(BitwiseRequest const& request);
std::string table(BitwiseResult const& result);

}  // namespace ulpine::ensembles
