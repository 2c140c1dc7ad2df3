// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "verification/evaluators/frame.hpp"
#include "verification/evaluators/keys.hpp"
#include "verification/verdict/subjects.hpp"

namespace ulpine::verification {

/// A scalar that an evaluator makes of a frame.
struct StatisticDescription {
  std::string part;  ///< told from the evaluator's other statistics by; empty: its only one
  std::string long_name, units;
  double resolution = 0;  ///< the least amount by which it can change; 0: any
};

/// A curve that an evaluator makes of a frame.
struct CurveDescription {
  std::string part;  ///< as of statistics
  std::string long_name;
  CurveAxis x, y;
};

/// Turns the fields of one time into numbers worth judging. Used by several threads at once.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Names of the fields that it reads.
  virtual std::vector<std::string> fields() const = 0;
  /// Describes the values of statistics() and curves() on `layout`, which has all fields(). InputError where
  /// the grids do not suit: "<problem> (<why>) <remedy>".
  virtual std::vector<StatisticDescription> describe_statistics(FrameLayout const&) const { return {}; }
  virtual std::vector<CurveDescription> describe_curves(FrameLayout const&) const { return {}; }
  /// As many values as are described, in that order; NaN where there is none.
  virtual std::vector<double> statistics(Frame const&, FrameLayout const&) const { return {}; }
  virtual std::vector<Curve> curves(Frame const&, FrameLayout const&) const { return {}; }
  /// Whether statistics() tell a field from itself turned or mirrored.
  virtual bool depends_on_orientation() const { return false; }
  /// By how much each statistic differs as the frame's grid is numbered from other corners or along the other
  /// axis first: greatest minus least over the orientations, which no difference of two runs tells from none.
  /// Asked for only where depends_on_orientation().
  virtual std::vector<double> spreads_over_orientations(Frame const&, FrameLayout const&) const { return {}; }
};

/// A kind of evaluators and how one of it is made.
struct EvaluatorKind {
  std::string name, description;  ///< "mean"; one line
  std::function<std::unique_ptr<Evaluator>(EvaluationKeys const&)> make;
  /// Keys that a case may also give for all evaluations of this kind, in a table of the kind's name.
  std::vector<std::string> case_keys = {};
  /// Names by which gates choose among its statistics, where it has several: a part's name, or its beginning.
  std::vector<std::string> parts = {};
};

/// Makes a kind known beside Ulpine's own, or replaces one: `lkf` (number and total length of linear
/// kinematic features), `spectrum`, `slope`, `profile`, `extremum`, `integral`, `mean`, `quantile`, `power`,
/// `distance`.
void register_evaluator(EvaluatorKind kind);
/// Every known kind, by name.
std::vector<EvaluatorKind> evaluator_kinds();

}  // namespace ulpine::verification
