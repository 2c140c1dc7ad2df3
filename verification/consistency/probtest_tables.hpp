// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "verification/consistency/data.hpp"

// The tables of probtest: statistics of a run (`probtest stats`), and tolerances (`probtest tolerance`), CSV
// files with two rows of headings for time and statistic.

namespace ulpine::verification::consistency {

/// The statistics of a time, in the order in which probtest reads them.
inline constexpr std::array<char const*, 3> probtest_statistics = {"max", "mean", "min"};

/// One table. Values that are not there are NaN.
struct ProbtestTable {
  struct Row {
    std::string file_id, variable;
    double height = 0;           ///< -1 where a variable has no levels; 0 of tolerances, which have none
    std::vector<double> values;  ///< time by time, each as probtest_statistics
  };
  bool has_heights = true;  ///< statistics; false: tolerances
  std::vector<std::int64_t> times;
  std::vector<Row> rows;
};

/// Whether the file begins as a table of probtest does.
bool is_probtest_table(std::filesystem::path const& path);
/// InputError, with the line, where it is none.
ProbtestTable read_probtest_table(std::filesystem::path const& path);
/// The table as pandas writes it.
std::string to_csv(ProbtestTable const& table);

/// The statistics of a run of any model: levels by the values of `heights` (a list for each variable, or
/// empty: counted from 0), times counted from 0.
ProbtestTable probtest_statistics_of(EnsembleSummary const& ensemble, RunSummary const& run,
                                     std::vector<std::vector<double>> const& heights,
                                     std::string const& file_id);

/// The tolerances of an ensemble: the largest difference of a member from the reference over levels and
/// members, abs(a - b) / (1 + abs(b)) with b of the reference, never below `least`, growing in time.
ProbtestTable probtest_tolerances(ProbtestTable const& reference, std::vector<ProbtestTable> const& members,
                                  double least);

/// What probtest compares of a new run: its differences from the reference, largest over levels, beside the
/// tolerances.
struct ProbtestCheck {
  struct Value {
    std::string file_id, variable, statistic;
    std::int64_t time = 0;
    double difference = 0, tolerance = 0;  ///< tolerance times factor
    bool fails = false;
  };
  std::vector<Value> values;            ///< those with a difference and a tolerance
  std::vector<std::string> notes = {};  ///< what is not tested
};
/// InputError where reference and new run share nothing.
ProbtestCheck probtest_check(ProbtestTable const& reference, ProbtestTable const& current,
                             ProbtestTable const& tolerances, double factor);

}  // namespace ulpine::verification::consistency
