// SPDX-License-Identifier: Apache-2.0
#include "ensembles/programs/program_study.hpp"

#include <utility>

#include "ensembles/programs/program_case.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {

bool names_program(CaseSource const& source) try {
  return is_program(io::CaseFile::load(source.path, source.overrides));
} catch (InputError const&) {
  return false;
}

bool has_no_noise(CaseSource const& source) try {
  auto const case_file = source.load();
  return is_program(case_file) && read_program(case_file).noise == ProgramNoise::none;
} catch (InputError const&) {
  return false;
}

StudyOptions with_variants(CaseSource const& source, StudyOptions study) {
  auto const case_file = source.load();
  if (!is_program(case_file)) return study;
  auto const program = read_program(case_file);
  study.variants = planned_variants(program);
  study.quad_until = 0;
  if (program.noise == ProgramNoise::none) study.members = 0;
  return study;
}

}  // namespace ulpine::ensembles
