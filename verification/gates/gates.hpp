// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/case_file.hpp"
#include "verification/metrics/metrics.hpp"
#include "verification/results/results.hpp"

namespace ulpine::verification {

/// A limit on one metric of a field, statistic, integral or curve; which side of it is good says
/// metric_list().
struct Gate {
  std::string table;   ///< as written: a subject's name, or an evaluation's
  std::string metric;  ///< a name in metric_list(); for an evaluation: PART_relative or PART_difference
  double limit = 0;    ///< NaN: by `spreads`
  std::optional<double> spreads = {};  ///< the limit as a multiple of the reference's own ensemble's spread
  std::string epsilon = {};            ///< amplitude of that ensemble; empty: the only one
  std::string time = "last";           ///< or "all" (the worst of all), or a lead time, e.g. "6 h"
  std::vector<std::string> runs = {};  ///< ids, policies, assemblies or devices; empty: all
  std::string kind = {};               ///< kind of the subject; empty: by its name

  std::string name() const { return table + "." + metric; }
};

/// The limits of a case's `[verify]` table, e.g. `[verify.sivol] l2_relative = 1e-3`, after those of
/// `declared` (a core's, TOML; may be empty), each in the order of its text; a limit of the case replaces one
/// of the core. A table `[verify.sivol.l2_relative]` has keys `limit` or `spread` (with `epsilon`), `time`,
/// `runs` and `subject`. InputError with line and nearest name where a metric is unknown, has no good side or
/// is not known at the time.
std::vector<Gate> read_gates(io::CaseFile const& case_file, std::string const& declared = "");

/// Smallest limit that any value could meet.
double least_limit(Direction direction);

/// Judges one value: passed only where it is defined and on the good side; a failure fails; undefined is
/// skipped.
GateResult judge(Gate const& gate, std::string const& run, Value const& value);

/// Judges every gate for every unperturbed run that it holds for, but for the reference only `magnitude`: |x|
/// of a statistic itself. Of fields and curves any
/// metric (at other times than the last l2_relative and linf of fields alone); of statistics and integrals
/// `relative`, |x - y| / |y|, `difference`, |x - y|, of integrals `drift` besides: |end - start| / |start| of
/// the run itself. A run that failed fails all its gates; what has no such value is skipped.
std::vector<GateResult> judge(std::vector<Gate> const& gates, StudyResults const& results);

}  // namespace ulpine::verification
