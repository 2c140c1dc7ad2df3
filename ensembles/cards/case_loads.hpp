// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/model/operations.hpp"
#include "ensembles/cards/operation_costs.hpp"
#include "ensembles/study/case_source.hpp"

namespace ulpine::ensembles::cards {

/// Steps whose operations are counted: few, as kernels that count are slow.
inline constexpr int counted_steps = 3;

/// Bytes that a launch of each stage moves at least, by stage.
using StageBytes = std::map<std::string, double>;

/// Those of a case's stages in a policy. InputError and EnvironmentError as make_model() has them.
StageBytes bytes_of_launches(CaseSource const& source, std::string const& policy);

/// The loads of the stages that were launched, in a model step, with numbers of these types.
std::vector<StageLoad> loads_of(CountedOperations const& counted, PolicyTypes const& types,
                                StageBytes const& bytes, OperationCosts const& costs);

/// A case whose operations were counted.
class CountedCase {
 public:
  /// Takes the costs of operations that come with the program. InputError and EnvironmentError as
  /// count_operations() and shipped_operation_costs() have them.
  explicit CountedCase(CaseSource source, std::int64_t steps = counted_steps, int threads = 1);
  CaseSource const& source() const { return source_; }
  /// The loads of a model step in a policy. InputError where it is not among those that can be predicted.
  std::vector<StageLoad> loads(std::string const& policy) const;
  /// The policies that can be predicted and that the case runs in here, "fp64" first.
  std::vector<std::string> policies() const;

 private:
  CaseSource source_;
  OperationCosts costs_;
  CountedOperations counted_;
};

/// The predicted seconds of one launch of each stage that was launched.
std::map<std::string, double> seconds_of_launches(CountedOperations const& counted, PolicyTypes const& types,
                                                  StageBytes const& bytes, OperationCosts const& costs,
                                                  Card const& card, Efficiency const& efficiency);

/// InputError where the policy is not among those that can be predicted.
PolicyTypes require_types(std::string const& policy);

}  // namespace ulpine::ensembles::cards
