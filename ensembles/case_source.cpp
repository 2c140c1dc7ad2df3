// SPDX-License-Identifier: Apache-2.0
#include "ensembles/case_source.hpp"

#include "core/model/model.hpp"
#include "verification/evaluation.hpp"
#include "verification/gates.hpp"
#include "verification/rules.hpp"

namespace ulpine::ensembles {
namespace {

constexpr double least_interval = 1e-9;  // s, as of steps

}  // namespace

io::CaseFile CaseSource::load() const {
  auto case_file = io::CaseFile::load(path, overrides);
  case_file.text("description", "");
  case_file.name();
  if (case_file.has("time.end")) {
    end_time(case_file);
  }
  output_interval(case_file);
  for (auto const& table : verification::judging_tables()) case_file.set_aside(table);
  auto const declared = judging_of(case_file.core());
  verification::read_evaluations(case_file, declared);
  verification::read_figures(case_file, declared);
  verification::read_gates(case_file, declared);
  verification::read_rules(case_file, declared);
  return case_file;
}

double end_time(io::CaseFile const& case_file) {
  if (!case_file.has("time.end")) {
    throw case_file.error("time.end", "is missing (nothing says when the run ends) give it or use --until");
  }
  return case_file.duration("time.end", "0 s", 0, longest_time);
}

double output_interval(io::CaseFile const& case_file) {
  auto const interval = case_file.duration("output.interval", "0 s", 0, longest_time);
  if (interval > 0 && interval < least_interval) {
    throw case_file.error("output.interval",
                          "is less than 1e-9 s (steps end at every output) make it longer");
  }
  return interval;
}

}  // namespace ulpine::ensembles
