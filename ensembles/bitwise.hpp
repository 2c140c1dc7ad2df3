// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "ensembles/case_source.hpp"
#include "ensembles/configuration.hpp"

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

/// The first place where two runs part.
struct Divergence {
  StagePosition position;
  std::string stage, field;
  std::int64_t element = -1;   ///< first differing element; -1: the runs report different stages there
  std::int64_t differing = 0;  ///< elements that differ
  double reference = 0, value = 0;
  std::string reference_bits, value_bits;  ///< hexadecimal
  std::string what() const;                ///< one line
};

struct BitwiseOutcome {
  Configuration configuration;
  std::int64_t records = 0;        ///< stage outputs compared
  std::string traced_hash = {};    ///< final state of the watched run
  std::string untraced_hash = {};  ///< and of the run as users run it (fused stages, graphs)
  bool equal = false;              ///< to the first configuration: every record and both final states
  std::optional<Divergence> divergence = {};
};

struct BitwiseResult {
  std::string core;
  std::int64_t steps = 0;
  std::vector<BitwiseOutcome> outcomes;
  bool identical = false;  ///< all are equal
  bool interrupted = false;
};

/// Runs the configurations and compares every field that every stage wrote, bit by bit. A missing device is
/// an EnvironmentError.
BitwiseResult compare_bitwise(BitwiseRequest const& request);
std::string table(BitwiseResult const& result);

}  // namespace ulpine::ensembles
