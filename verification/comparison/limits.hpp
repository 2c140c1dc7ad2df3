// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/case_file.hpp"
#include "verification/comparison/compare.hpp"
#include "verification/gates/gates.hpp"

namespace ulpine::verification {

/// Limits on the differences of two files, for each variable one table.
struct Limits {
  struct Table {
    std::string pattern;           ///< a name, or one with `*` (any characters) and `?` (any one)
    std::vector<Gate> gates = {};  ///< on metrics of fields, `differing` and `one_sided`
    bool skip = false;             ///< what it names is not judged
    double one_sided = 0;          ///< places that may have a value in one file only
  };
  std::vector<Table> tables = {};  ///< in the order of the file
  bool same_times = false;  ///< times that are in one file only, or not the same, are beyond the limits

  /// The table that holds for a name: that of the name itself, else the first whose pattern fits, else
  /// `default`. A speed or a level (VariableComparison::derived) has that of its own name alone. Null: none.
  Table const* of(std::string const& name, bool derived) const;
};

/// Limits of a TOML file: a table for each variable, pattern, or `default`; its keys are metrics of
/// metric_list() that fields have and that have a good side, `differing` and `one_sided` (places, over all
/// times), or `skip = true` alone. InputError, with line and nearest name, for anything else.
Limits read_limits(io::CaseFile const& file);
/// No value of any variable may differ.
Limits limits_of_equality();
/// InputError where the file has a table for a name that is not among those; patterns may fit none.
void require_names(io::CaseFile const& file, Limits const& limits, std::vector<std::string> names);

enum class LimitsAnswer {
  within,    ///< every limit holds
  beyond,    ///< one does not
  undecided  ///< none is known to be exceeded, but something could not be compared
};

/// What of a comparison keeps its limits. The subject of a result is a variable or coordinate, its name the
/// metric, or "compared" where there is nothing to measure; its value is the worst of all times.
struct LimitsReport {
  std::vector<GateResult> results;
  std::vector<std::string> without_limit;  ///< variables that no table names
  std::vector<std::string> skipped;        ///< what a table says not to judge

  LimitsAnswer answer() const;
};

/// Judges a comparison while it is made.
class LimitsJudge {
 public:
  explicit LimitsJudge(Limits limits) : limits_{std::move(limits)} {}
  /// For ComparisonOptions::each_time.
  void see(VariableComparison const& variable, TimeComparison const& time);
  /// Once the comparison is complete. What is in one file only, or cannot be compared though its values were
  /// read, is beyond the limits; what was not looked at is undecided, unless the caller left it out.
  LimitsReport report(Comparison const& comparison) const;

 private:
  Limits limits_;
  std::map<std::string, std::vector<GateResult>> worst_;  ///< by variable, in the order of its table
};

/// A line for each limit that is exceeded or undecided and for what has none, then one that counts.
std::string to_text(LimitsReport const& report);

}  // namespace ulpine::verification
