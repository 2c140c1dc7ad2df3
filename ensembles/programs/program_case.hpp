// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ensembles/study/plan.hpp"
#include "io/case_file.hpp"
#include "io/raw_change.hpp"

namespace ulpine::ensembles {

/// Values by name, each a number or a text as it is to stand for {NAME}.
using ProgramValues = std::map<std::string, std::string>;

/// One way in which a program is built or called, beside others that solve the same equations.
struct ProgramVariant {
  std::string name;
  std::filesystem::path program = {};  ///< absolute; empty: the words of `run` name none
  std::string precision = "fp64";      ///< policy or format of its numbers
  std::string device = "cpu";          ///< in words
  int ranks = 1;
  std::vector<std::string> run = {};          ///< words, with {NAME} for values
  std::vector<std::string> environment = {};  ///< each "NAME=VALUE", likewise
  ProgramValues values = {};
};

enum class ProgramNoise { none, probe, fill, files };

/// A case with `core = "program"`: what runs, what it reads and writes, and how that is judged.
struct ProgramCase {
  std::filesystem::path folder;  ///< absolute; that of relative paths
  std::vector<ProgramVariant> variants;
  std::vector<std::filesystem::path> place, copy, fill;  ///< files, absolute, no two of one name
  std::vector<std::string> output;                       ///< patterns of names
  std::vector<std::string> variables;                    ///< empty: all
  std::vector<std::string> success, success_files, failure;
  std::vector<std::string> launcher;
  std::vector<std::string> restart_files;  ///< patterns of what a run leaves for another to go on from
  ProgramValues restart_values;            ///< of a run that goes on, in place of the others
  double timeout_s = 3600;
  bool whole_stack = true, keep = false, nan_is_missing = false;
  std::map<std::string, std::array<double, 2>> limits;  ///< least and largest value by variable
  ProgramNoise noise = ProgramNoise::none;
  std::vector<std::string> noise_fields;
  std::string noise_file;  ///< name of a file in the run's folder
  bool relative_noise = false;
  std::optional<io::RawValues> raw_noise = {};  ///< where its numbers are; nothing: the file is NetCDF
  std::set<std::string> filled_names;           ///< all NAMEs of {NAME} in the files of `fill`

  /// The file that noise_file is made from, absolute; empty where none of that name is placed or copied.
  std::filesystem::path noise_source() const;
  /// The variant of that name; InputError with the nearest otherwise.
  ProgramVariant const& variant(std::string const& name) const;
};

/// Whether the case names a program rather than a core.
bool is_program(io::CaseFile const& case_file);

/// Reads all keys of such a case, and hashes the content of programs, copied and filled files, which belong
/// to the case's hash. InputError for bad keys, patterns that match nothing and names that stand for nothing.
ProgramCase read_program(io::CaseFile const& case_file);

/// InputError where time.end, or an end `until` asked for in its place, reaches no program of a variant:
/// neither words, environment nor filled files name {end_s}, {end_min}, {end_h} or {end_d}; and where these
/// are named and there is neither.
void require_end(io::CaseFile const& case_file, ProgramCase const& program,
                 std::optional<double> const& until);

/// All files that runs read: programs, and what they find in their folder.
std::vector<std::filesystem::path> files_of(ProgramCase const& program);

/// The variants as plans take them, in the order of the case.
std::vector<PlannedVariant> planned_variants(ProgramCase const& program);

/// Fields that get noise: `asked`, or those of the case where none are asked for. InputError where `needed`
/// and the case has no noise, or where its kind of noise has no fields to choose.
std::vector<std::string> perturbed_fields(ProgramCase const& program, std::vector<std::string> const& asked,
                                          bool needed);

/// `text` with the values of all {NAME} in it. A NAME is a letter with letters, digits and _ after it; braces
/// around anything else stay as they are. InputError that begins with `where` for a NAME without a value.
std::string filled_in(std::string const& text, ProgramValues const& values, std::string const& where);
/// All NAMEs of {NAME} in `text`.
std::set<std::string> names_in(std::string const& text);
/// As filled_in(), but NAMEs without a value stay as they are, too.
std::string filled_where_known(std::string const& text, ProgramValues const& values);

/// Values of a run that its words, environment and filled files may name, those of the case included.
struct ProgramRunValues {
  std::filesystem::path folder = {};  ///< ProgramCase::folder
  int threads = 1;
  std::uint64_t seed = 0;          ///< of the noise; 0 without any
  std::optional<int> member = {};  ///< -1 stands for none
  double amplitude = 0;            ///< of the noise; 0 without any
  double begin_s = 0;  ///< s, of the restart that it goes on from; begin_min, begin_h, begin_d too
  std::optional<double> end_s = {};  ///< s; end_min, end_h and end_d too
};
ProgramValues values_of(ProgramVariant const& variant, ProgramRunValues const& run);

}  // namespace ulpine::ensembles
