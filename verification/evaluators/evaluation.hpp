// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/case_file.hpp"
#include "verification/evaluators/evaluator.hpp"
#include "verification/verdict/subjects.hpp"

namespace ulpine::verification {

/// Over which times an evaluation takes its mean: outputs less than `length` before the last, so that a wave
/// of that period leaves nothing.
struct TimeMean {
  double length = 0;  ///< s; 0: no mean, the last output alone
  bool of_fields =
      true;  ///< the evaluator sees the fields' mean; else what it makes of each time is averaged

  /// The first output of it.
  std::size_t first(std::vector<double> const& times) const;
};

/// An evaluator under the name that a core or a case gave it.
struct Evaluation {
  EvaluationInfo info;
  std::shared_ptr<Evaluator const> evaluator;
  std::string long_name =
      {};                ///< in place of the evaluator's words (before them where it makes several things)
  bool of_case = false;  ///< the case names it; what a core declares is left out where it does not suit
  TimeMean mean = {};
  std::string where;  ///< "case.toml:12: evaluate.NAME", for messages
};

/// The evaluations that `declared` (a core's, TOML; may be empty) and the case have in tables
/// [evaluate.NAME]: key `kind`, one of evaluator_kinds(), the keys of that kind, `long_name`, `mean_over` and
/// `mean_of`. The case's keys go before the core's, and `use = false` leaves one out. InputError for an
/// unknown kind, key or value.
std::vector<Evaluation> read_evaluations(io::CaseFile const& case_file, std::string const& declared);

/// The figures that both propose in tables [figure.NAME]: `kind` and one of `field`, `statistic` and `curve`,
/// `scale`, of sections `axis` and `index`, of fields with levels `level`. `use` as above; a case that has
/// the table has all of it.
std::vector<Figure> read_figures(io::CaseFile const& case_file, std::string const& declared);

/// Tables of a case that say how runs are judged and change none.
std::vector<std::string> judging_tables();

/// An evaluation on the grid of a study.
struct FittedEvaluation {
  Evaluation evaluation;
  std::vector<Statistic> statistics;
  std::vector<CurveInfo> curves;
};

/// Accumulates the statistics, curves and mean fields of an evaluation over the outputs of a run.
class EvaluationOverTime {
 public:
  /// Adds the next output, from the first on, of an evaluation that is a mean over time.
  void add(FittedEvaluation const& fitted, FrameLayout const& layout, Frame const& frame);
  std::vector<double> statistics(FittedEvaluation const& fitted, FrameLayout const& layout) const;
  std::vector<Curve> curves(FittedEvaluation const& fitted, FrameLayout const& layout) const;
  /// The mean over time of the fields that the evaluation reads, where it averages fields.
  Frame mean_frame() const;

 private:
  double count_ = 0;
  Frame sums_;
  std::vector<double> statistics_;
  std::vector<Curve> curves_;
};

/// InputError where an evaluation of the case asks for a field that is not among `fields`, or has the name of
/// one.
void require_fields(std::vector<Evaluation> const& evaluations, std::vector<std::string> const& fields);

/// The statistics and curves that evaluations give on `layout`, named after the evaluation, or NAME_PART.
/// InputError where an evaluation of the case does not suit the fields, or where two things have one name;
/// an evaluation of the core that does not suit is left out, with a line in `notes`.
std::vector<FittedEvaluation> fit(std::vector<Evaluation> const& evaluations, FrameLayout const& layout,
                                  std::vector<std::string>& notes);

}  // namespace ulpine::verification
