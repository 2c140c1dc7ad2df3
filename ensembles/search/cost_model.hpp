// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ensembles/search/assignment.hpp"

namespace ulpine::ensembles::search {

/// Bits in which a number of a precision is stored: 64 and 32 for fp64 and fp32, for a format (parse_format)
/// those that it has, rounded up to 8, 16, 32 or 64; empty for other policies, whose state is not of one
/// type.
std::optional<int> storage_bits(std::string const& precision);

/// The memory traffic of a stage in a run.
struct StageWork {
  std::string name;
  std::int64_t launches = 0;
  double bytes = 0;  ///< that a launch moves at least, in fp64
};

/// The cost of a run whose stages are in different precisions, the same run in fp64 being 1: the sum over the
/// stages of launches x bytes of a launch x width, a number's width being storage_bits() / 64, or, of a
/// policy, the bytes that the model itself counts for that stage in it over those in fp64. It assumes that
/// memory traffic is what a stage costs, that all that a stage moves is stored in its precision, and that
/// conversions between stages are free. Measured seconds stand in the place of bytes where they are given.
class CostModel {
 public:
  CostModel(std::vector<StageWork> stages, std::vector<std::string> precisions);

  /// Bytes that launches move in a policy, by stage.
  void count_policy(std::string const& policy, std::map<std::string, double> const& bytes);
  /// Seconds of all launches of each stage under a precision; of "fp64" first. InputError that names
  /// `source`, where a stage has none.
  void measure(std::string const& precision, std::map<std::string, double> const& seconds,
               std::string const& source);
  /// As measure(), of seconds that are predicted for a card; `card` is a clause that tells of it.
  void predict(std::string const& precision, std::map<std::string, double> const& seconds,
               std::string const& card);

  /// The stage's cost in that precision over its cost in fp64.
  double width(std::size_t stage, std::string const& precision) const;
  /// The stage's share of the cost in fp64.
  double share(std::size_t stage) const { return shares_[stage]; }
  /// The cost of a run with every stage in its precision.
  double cost(std::span<std::string const> precision_of_stage) const;
  double cost(Assignment const& assignment) const;
  /// The cost of a run with all stages in one policy.
  double whole(std::string const& policy) const;

  bool measured() const { return !measured_.empty(); }
  std::vector<StageWork> const& stages() const { return stages_; }
  /// A sentence on how costs are computed.
  std::string words() const;

 private:
  std::vector<StageWork> stages_;
  std::vector<std::string> precisions_;
  std::vector<double> shares_;
  std::map<std::string, std::vector<double>> counted_;   ///< widths by policy and stage
  std::map<std::string, std::vector<double>> measured_;  ///< likewise, of seconds
  std::string card_;                                     ///< that seconds are predicted for; empty: measured
};

}  // namespace ulpine::ensembles::search
