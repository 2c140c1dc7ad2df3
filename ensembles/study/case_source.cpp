// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/case_source.hpp"

#include "core/model/model.hpp"
#include "verification/evaluators/evaluation.hpp"
#include "verification/gates/gates.hpp"
#include "verification/gates/rules.hpp"

namespace ulpine::ensembles {
namespace {

constexpr double least_interval = 1e-9;  // s, as of steps

io::KeyReader reader_of(io::CaseFile const& case_file) { return {case_file, common_case_keys()}; }

}  // namespace

io::CaseFile CaseSource::load() const {
  auto case_file = io::CaseFile::load(path, overrides);
  auto const keys = reader_of(case_file);
  keys.text("description");
  case_file.name();
  if (keys.has("time.end")) {
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
  auto const keys = reader_of(case_file);
  if (!keys.has("time.end")) {
    throw case_file.error("time.end", "is missing (nothing says when the run ends) give it or use --until");
  }
  return keys.duration("time.end", "0 s");
}

double output_interval(io::CaseFile const& case_file) {
  auto const interval = reader_of(case_file).duration("output.interval");
  if (interval > 0 && interval < least_interval) {
    throw case_file.error("output.interval",
                          "is less than 1e-9 s (steps end at every output) make it longer");
  }
  return interval;
}

}  // namespace ulpine::ensembles
