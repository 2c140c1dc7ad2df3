// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/trace_file.hpp"
#include "probe/source/place.hpp"
#include "probe/source/settings.hpp"

namespace ulpine::probe {

/// Compares a run with a reference as it goes. Hashes are compared where this process has all of a field, or
/// the reference has a file of the same rank of as many ranks with the same elements; values where the
/// reference has recorded them, for any decomposition. What cannot be compared is told, once for each reason.
/// Thread-safe.
class Reference {
 public:
  /// InputError where the reference cannot be used.
  Reference(Settings const& settings, int rank, int ranks, Tell tell);
  ~Reference();
  /// Of each part as it is told (after Changes::before): compares values and remembers the first difference
  /// for check() of the closed record.
  void check(Place const& place, Part const& part);
  /// Whether check() of a part reads its values; else it looks at its shape alone.
  bool reads_values() const;
  /// Of a closed record of the trace, in the order of the trace. True where it differs: the first difference
  /// of the run was then told, in one line with indices, both values and their distance in units in the last
  /// place as far as they are known. The caller ends the process with exit code 1 where the settings say
  /// `stop`.
  bool check(Place const& place, io::TraceRecord const& record);
  /// What was compared, as lines for the user: once, at the end of the run.
  std::vector<std::string> summary() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ulpine::probe
