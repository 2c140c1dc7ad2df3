// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/case_file.hpp"
#include "verification/results.hpp"

namespace ulpine::verification {

/// A limit on one metric of one field; which side of it is good says metric_list().
struct Gate {
  std::string field;   ///< a field, or "lkf"
  std::string metric;  ///< of metric_list(); for "lkf": count_relative, total_length_relative
  double limit = 0;

  std::string name() const { return field + "." + metric; }
};

/// The limits of a case's `[verify]` table, e.g. `[verify.sivol] l2_relative = 1e-3`, in the order of the
/// file. Error with line and nearest name where a metric is unknown or has no good side.
std::vector<Gate> read_gates(io::CaseFile const& case_file);

/// Judges one value: passed only where it is defined and on the good side; a failure fails; undefined is
/// skipped.
GateResult judge(Gate const& gate, std::string const& run, Value const& value);

/// Judges every gate for every unperturbed run but the reference: metrics from runs[].metrics, `lkf` from
/// runs[].lkf against the reference's: |x - y| / y. A run that failed fails all its gates; a run without the
/// field or metric is skipped.
std::vector<GateResult> judge(std::vector<Gate> const& gates, StudyResults const& results);

}  // namespace ulpine::verification
