// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "io/case_file.hpp"

namespace ulpine::verification {

/// The largest difference of a statistic or curve from the reference's that does not matter.
struct Margin {
  enum class Kind {
    spread,    ///< in standard deviations of the reference's members
    relative,  ///< in parts of the mean of the reference's members
    absolute,  ///< in the statistic's units
  };
  Kind kind = Kind::spread;
  double value = 0.5;  ///< above 0
  std::string reason = {};
};
/// "0.5 sd", "2 %" or the number with `units`.
std::string words_of(Margin const& margin, std::string const& units);

/// Margin of the mean of a statistic where nothing is said, and that of a curve at each of its points.
inline constexpr double usual_margin = 0.5, usual_curve_margin = 1;
/// Ratio by which standard deviations over members may differ, up or down, where nothing is said.
inline constexpr double usual_spread_ratio = 1.5;

/// Between which places, of their vertical coordinate and in its units, levels are judged one by one. Those
/// beyond count in the error of the whole field alone: where nothing moves, under a lid that damps or above
/// an inversion, members hardly scatter, and rounding looks large beside them.
struct Levels {
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
  std::string reason = {};
  bool hold(double place) const { return !(place < from) && !(place > to); }
  bool all() const { return std::isinf(from) && std::isinf(to); }
};

/// The rules by which a case, or its core, has its runs judged.
struct Rules {
  std::string tolerated =
      {};                   ///< amplitude of a perturbation that its user tolerates, "2^-10"; empty: not said
  std::string reason = {};  ///< reason for that amplitude
  std::map<std::string, Margin> margins = {};  ///< by name of a statistic or curve; others: the usual
  Margin statistics{Margin::Kind::spread, usual_margin, {}};    ///< of statistics that have none of their own
  Margin curves{Margin::Kind::spread, usual_curve_margin, {}};  ///< likewise
  double spread_ratio = usual_spread_ratio;                     ///< above 1
  Levels levels = {};

  Margin const& of_statistic(std::string const& name) const;
  Margin const& of_curve(std::string const& name) const;
};

/// The keys of `[verify]` that are no gates, of `declared` (a core's, TOML; may be empty) and then of the
/// case: `tolerated` with `reason`, tables `[verify.statistics]` and `[verify.curves]` with `margin` ("0.5
/// sd", "2 %" or a number in the statistic's units), `reason` and, for statistics, `spread_ratio`; tables
/// `[verify.statistics.NAME]` and `[verify.curves.NAME]` with `margin` and `reason`; `[verify.levels]` with
/// `from`, `to` and `reason`. InputError for anything else in them.
Rules read_rules(io::CaseFile const& case_file, std::string const& declared = "");
/// InputError where the case has a margin for a statistic or curve that is not among those.
void require_margins(io::CaseFile const& case_file, std::vector<std::string> const& statistics,
                     std::vector<std::string> const& curves);
/// Names below `[verify]` that are no gates.
std::vector<std::string> const& names_of_rules();

}  // namespace ulpine::verification
