// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ulpine::verification {

/// A number that a study judges, made of the fields of one time.
struct Statistic {
  std::string name, units;  ///< e.g. "lkf_total_length_km", "km"
  double resolution = 0;    ///< the least amount by which it can change: 1 feature, 1 cell; 0: any
  std::string evaluation = {}, part = {};  ///< that makes it; told from its others by (may be empty)
  std::string long_name = {};
  /// Evaluator::spreads_over_orientations() of the reference, in its units: its least margin. 0: none.
  double orientation_spread = 0;
};

/// y of x, of one length; NaN where there is no value.
struct Curve {
  std::vector<double> x, y;
};

struct CurveAxis {
  std::string name, units;  ///< the name of y is the curve's
  std::string scale;        ///< "linear" or "log": how it is drawn
};

struct CurveInfo {
  std::string name, evaluation, long_name;
  CurveAxis x, y;
};

/// An evaluation and its parameters, from which statistics and curves were made.
struct EvaluationInfo {
  std::string name, kind;
  std::vector<std::string> fields;                                                    ///< that it reads
  std::vector<std::pair<std::string, std::variant<std::string, double>>> parameters;  ///< as read
};

/// A drawing that a core or a case proposes.
struct Figure {
  std::string name, kind;        ///< "map", "section", "series" or "curve"
  std::string subject_kind;      ///< "field", "statistic" or "curve"
  std::string subject;           ///< its name
  std::string scale = "linear";  ///< or "log", "diverging"
  std::string units = {};
  std::string axis = {};            ///< dimension across which a section is cut
  std::optional<int> index, level;  ///< where on it; of a map of a field with levels
};

}  // namespace ulpine::verification
