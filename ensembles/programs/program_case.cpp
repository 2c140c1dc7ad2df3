// SPDX-License-Identifier: Apache-2.0
#include "ensembles/programs/program_case.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "core/exec/random.hpp"
#include "core/model/case_keys.hpp"
#include "ensembles/programs/program_keys.hpp"
#include "ensembles/programs/program_run.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/configuration.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/provenance.hpp"
#include "io/seal.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;
using io::CaseFile;

/// Names that stand for something in every run.
std::vector<std::string> const& run_names() {
  static std::vector<std::string> const names = {
      "variant",   "program", "ranks",   "threads", "seed",    "member", "amplitude", "begin_s",
      "begin_min", "begin_h", "begin_d", "end_s",   "end_min", "end_h",  "end_d",     "folder"};
  return names;
}

bool is_name(std::string const& text) {
  auto const letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  return !text.empty() && letter(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text, [&](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// Calls `value` for each NAME between braces, for what is to stand there; nothing: the braces stay.
std::string replaced_in(std::string const& text,
                        std::function<std::optional<std::string>(std::string const&)> const& value) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    auto const end = text[at] == '{' ? text.find('}', at) : std::string::npos;
    auto const name = end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
    auto const instead = is_name(name) ? value(name) : std::nullopt;
    if (instead) {
      result += *instead;
      at = end + 1;
    } else {
      result += text[at++];
    }
  }
  return result;
}

/// A number as programs read it: whole ones without an exponent, since they may be read as integers.
std::string value_text(double value) {
  constexpr double exact = 0x1p53;
  return std::abs(value) < exact && value == std::trunc(value) ? fmt::format("{:.0f}", value)
                                                               : io::number_text(value);
}

/// A number or text of the case as it is to stand in words and files.
std::string value_of(CaseFile const& case_file, std::string const& key) {
  return case_file.is_number(key) ? value_text(case_file.number(key, 0)) : case_file.text(key, "");
}

ProgramValues values_under(CaseFile const& case_file, std::string const& table) {
  ProgramValues values;
  for (auto const& name : case_file.keys_under(table)) {
    auto const key = table + "." + name;
    if (!is_name(name)) {
      throw case_file.error(key, "is no name of a value (a letter, then letters, digits and _) rename it");
    }
    if (std::ranges::count(run_names(), name) > 0) {
      throw case_file.error(key, "is a name that stands for something of each run (" + name +
                                     " is taken) give it another name");
    }
    values[name] = value_of(case_file, key);
  }
  return values;
}

/// Remembers the content of files in the case's text, so that its hash and a resumed study depend on it.
void require_content(CaseFile const& case_file, std::string const& key, std::vector<fs::path> const& files) {
  if (files.empty()) return;
  io::StreamHash all;
  for (auto const& file : files) {
    auto const content = io::content_of(file);
    all.add(file.filename().string() + " " + io::hex(content.hash) + "\n");
  }
  auto const now = io::hex(all.value()), content_key = key + "_xxh64";
  if (auto const expected = case_file.text(content_key, now); expected != now) {
    throw case_file.error(key, "the content of its files has changed (they have the xxHash64 " + now + ", " +
                                   content_key + " asks for " + expected +
                                   ") put them back as they were, or make a new case");
  }
}

/// Files that match one of the patterns, which start at `folder`.
std::vector<fs::path> matching_files(CaseFile const& case_file, std::string const& key,
                                     fs::path const& folder) {
  std::vector<fs::path> files;
  for (auto const& pattern : case_file.texts(key, {})) {
    auto const path = (folder / pattern).lexically_normal();
    auto const name = path.filename().string();
    std::set<fs::path> found;
    std::error_code failed;
    for (auto const& entry : fs::directory_iterator(path.parent_path(), failed)) {
      auto const entry_name = entry.path().filename().string();
      if (::fnmatch(name.c_str(), entry_name.c_str(), FNM_PERIOD) == 0 && !entry.is_directory(failed)) {
        found.insert(path.parent_path() / entry_name);
      }
    }
    if (found.empty()) {
      throw case_file.error(key, "no file matches " + pattern + " (" + path.string() +
                                     ") mend the pattern; relative ones start at program.folder");
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

/// Names of files that a run itself writes into the folder of its program.
std::vector<std::string> const& own_names() {
  static std::vector<std::string> const names = {output_log, message_log, probe_settings, program_mark};
  return names;
}

void require_distinct_names(CaseFile const& case_file, ProgramCase const& program) {
  std::map<std::string, fs::path> by_name;
  for (auto const& [key, files] : {std::pair{"program.place", &program.place},
                                   {"program.copy", &program.copy},
                                   {"program.fill", &program.fill}}) {
    for (auto const& file : *files) {
      auto const name = file.filename().string();
      if (std::ranges::count(own_names(), name) > 0) {
        throw case_file.error(key, "has " + file.string() +
                                       " (runs write a file of that name, with what the program says) "
                                       "leave it out, or rename it");
      }
      if (files == &program.place && std::ranges::count(program.output, name) > 0) {
        throw case_file.error(key,
                              "has " + file.string() +
                                  ", which program.output names as well (the program would write to the "
                                  "file itself) leave it out, or copy it if the program goes on from it");
      }
      auto const [there, added] = by_name.emplace(file.filename().string(), file);
      if (!added) {
        throw case_file.error(key, "two files are called " + there->first + " (" + there->second.string() +
                                       ", " + file.string() +
                                       "; a run's folder has one of that name) leave one out");
      }
    }
  }
}

/// InputError for names and patterns of files that are not below the folder of a run.
void require_in_folder(CaseFile const& case_file, std::string const& key,
                       std::vector<std::string> const& names) {
  for (fs::path const name : names) {
    if (!name.empty() && !name.is_absolute() && std::ranges::count(name, fs::path("..")) == 0) continue;
    throw case_file.error(key, "'" + name.string() +
                                   "' is not below the run's folder (runs would find each other's files) "
                                   "have the program write there, and name it from there");
  }
}

/// All NAMEs of {NAME} in the files, of which each has one that stands for something in a run.
std::set<std::string> names_in_files(CaseFile const& case_file, std::vector<fs::path> const& files) {
  auto known = run_names();
  std::ranges::copy(case_file.keys_under("program.values"), std::back_inserter(known));
  for (auto const& variant : case_file.keys_under("program.variants")) {
    std::ranges::copy(case_file.keys_under("program.variants." + variant + ".values"),
                      std::back_inserter(known));
  }
  std::set<std::string> all;
  for (auto const& file : files) {
    auto const names = names_in(read_text(file));
    if (std::ranges::none_of(known, [&](auto const& name) { return names.contains(name); })) {
      throw case_file.error("program.fill",
                            file.string() +
                                " names no value of a run ({seed}, {end_s}, those of "
                                "program.values; all runs would be the same) place it instead");
    }
    all.insert(names.begin(), names.end());
  }
  return all;
}

/// All NAMEs of {NAME} that reach the program of a variant.
std::set<std::string> names_of(ProgramCase const& program, ProgramVariant const& variant) {
  auto names = program.filled_names;
  for (auto const* const texts : {&variant.run, &variant.environment}) {
    for (auto const& text : *texts) names.merge(names_in(text));
  }
  return names;
}

bool names_any(std::set<std::string> const& names, std::vector<std::string> const& wanted) {
  return std::ranges::any_of(wanted, [&](auto const& name) { return names.contains(name); });
}

/// InputError where members would get no noise, or all the same.
void require_noise_is_used(CaseFile const& case_file, ProgramCase const& program) {
  if (program.noise != ProgramNoise::fill) return;
  for (auto const& variant : program.variants) {
    auto const names = names_of(program, variant);
    if (names.contains("amplitude") && names_any(names, {"seed", "member"})) continue;
    auto const missing = names.contains("amplitude") ? "{seed}" : "{amplitude}";
    throw case_file.error(
        "program.noise.kind",
        std::string("neither program.run, program.environment nor a file of program.fill "
                    "names ") +
            missing + " for variant " + variant.name +
            " (members would be equal, or as far apart whatever the amplitude) name it there");
  }
}

/// InputError where the system would not run the program of a variant.
void require_executable(CaseFile const& case_file, ProgramVariant const& variant, std::string const& key) {
  if (variant.run.front() != "{program}" || ::access(variant.program.c_str(), X_OK) == 0) return;
  throw case_file.error(key,
                        variant.program.string() +
                            " is no executable file (it cannot be started) give it the permission (chmod "
                            "+x), or name what starts it in program.run");
}

ProgramVariant read_variant(CaseFile const& case_file, std::string const& name, ProgramVariant variant) {
  auto const key = "program.variants." + name;
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
  if (name.find_first_not_of(plain) != std::string::npos || name.front() == '.' || name.front() == '-' ||
      name == control_ensemble) {
    throw case_file.error(key, "is no name of a variant (letters, digits and _ . + - are possible, and \"" +
                                   std::string(control_ensemble) + "\" is taken) rename it");
  }
  variant.name = name;
  if (case_file.keys_under(key).empty()) {
    variant.program = case_file.file(key, true);
  } else {
    if (case_file.has(key + ".program")) variant.program = case_file.file(key + ".program", true);
    variant.precision = case_file.text(key + ".precision", "fp64");
    try {
      require_policy(variant.precision);
    } catch (InputError const& problem) {
      throw case_file.error(key + ".precision", problem.what());
    }
    variant.device = case_file.text(key + ".device", "cpu");
    variant.ranks = case_file.integer(key + ".ranks", variant.ranks, 1, 1 << 20);
    variant.run = case_file.texts(key + ".run", variant.run, 1);
    auto const more = case_file.texts(key + ".environment", {});
    variant.environment.insert(variant.environment.end(), more.begin(), more.end());
    for (auto& [value, text] : values_under(case_file, key + ".values")) variant.values[value] = text;
  }
  return variant;
}

ProgramNoise read_noise(CaseFile const& case_file, ProgramCase& program) {
  auto const kind = case_file.choice("program.noise.kind", "none", {"none", "probe", "fill", "files"});
  if (kind == "none" || kind == "fill") return kind == "none" ? ProgramNoise::none : ProgramNoise::fill;
  program.noise_fields = case_file.texts("program.noise.fields", {}, 1);
  if (program.noise_fields.empty()) {
    throw case_file.error("program.noise.fields", "is missing (nothing says what gets noise) name fields");
  }
  if (kind == "probe") return ProgramNoise::probe;
  program.noise_file = case_file.text("program.noise.file", "");
  program.relative_noise = case_file.flag("program.noise.relative", false);
  if (program.noise_source().empty()) {
    throw case_file.error("program.noise.file", "'" + program.noise_file +
                                                    "' is none of the files that runs find in their folder "
                                                    "(noise is written to a copy of it) place it");
  }
  auto const raw = case_file.choice("program.noise.raw", "none", {"none", "float64", "float32"});
  if (raw != "none") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    program.raw_noise = io::RawValues{raw == "float32" ? ValueType::float32 : ValueType::float64,
                                      case_file.flag("program.noise.big_endian", false),
                                      case_file.integer<std::int64_t>("program.noise.first_byte", 0, 0, most),
                                      case_file.integer<std::int64_t>("program.noise.values", 0, 0, most)};
    if (program.noise_fields.size() != 1) {
      throw case_file.error("program.noise.fields",
                            "has several names (the numbers of a raw file are one field) give one");
    }
  }
  return ProgramNoise::files;
}

/// InputError for words and variables of the environment that name what has no value.
void require_values(CaseFile const& case_file, ProgramCase const& program) {
  for (auto const& variant : program.variants) {
    ProgramRunValues any;
    any.end_s = 0;
    auto const values = values_of(variant, any);
    auto const of = " of variant " + variant.name;
    for (auto const& word : variant.run) filled_in(word, values, "program.run" + of);
    for (auto const& word : program.launcher) filled_in(word, values, "program.launcher" + of);
    for (auto const& entry : variant.environment) {
      filled_in(entry, values, "program.environment" + of);
      auto const equals = entry.find('=');
      if (equals == std::string::npos || equals == 0) {
        throw case_file.error("program.environment", "'" + entry + "' is no NAME=VALUE" + of + " write both");
      }
    }
    auto const key = "program.variants." + variant.name;
    if (variant.program.empty() && names_any(names_of(program, variant), {"program"})) {
      throw case_file.error(key,
                            "has no program (program.run names {program}) give it `program`, or name the "
                            "program in program.run");
    }
    require_executable(case_file, variant, case_file.has(key + ".program") ? key + ".program" : key);
  }
}

}  // namespace

ProgramVariant const& ProgramCase::variant(std::string const& name) const {
  auto const found = std::ranges::find(variants, name, &ProgramVariant::name);
  if (found != variants.end()) return *found;
  std::vector<std::string> names;
  for (auto const& variant : variants) names.push_back(variant.name);
  throw InputError("unknown variant '" + name + "'" + choices_hint(name, names));
}

fs::path ProgramCase::noise_source() const {
  for (auto const* const files : {&place, &copy}) {
    for (auto const& file : *files) {
      if (file.filename() == noise_file) return file;
    }
  }
  return {};
}

bool is_program(io::CaseFile const& case_file) { return case_file.core() == program_core; }

ProgramCase read_program(io::CaseFile const& case_file) {
  ProgramCase program;
  auto const own_folder = fs::absolute(case_file.path()).parent_path().lexically_normal();
  program.folder = case_file.text("program.folder", own_folder.string());
  case_file.set_aside("program.folder");  // a case may be moved
  if (!program.folder.is_absolute()) {
    throw case_file.error("program.folder",
                          "is no absolute path (a study keeps a copy of the case elsewhere) write " +
                              (own_folder / program.folder).lexically_normal().string());
  }
  program.place = matching_files(case_file, "program.place", program.folder);
  program.copy = matching_files(case_file, "program.copy", program.folder);
  program.fill = matching_files(case_file, "program.fill", program.folder);
  program.output = case_file.texts("program.output", {"*.nc"}, 1);
  require_distinct_names(case_file, program);
  require_content(case_file, "program.copy", program.copy);
  require_content(case_file, "program.fill", program.fill);
  program.filled_names = names_in_files(case_file, program.fill);
  program.variables = case_file.texts("program.variables", {});
  program.success = case_file.texts("program.success", {});
  program.success_files = case_file.texts("program.success_files", {});
  require_in_folder(case_file, "program.output", program.output);
  require_in_folder(case_file, "program.success_files", program.success_files);
  program.failure = case_file.texts("program.failure", {});
  program.launcher = case_file.texts("program.launcher", {"mpirun", "-n", "{ranks}"}, 1);
  program.timeout_s = case_file.duration("program.timeout", "1 h", 1e-3, 1000 * 86400.0);
  program.whole_stack = case_file.flag("program.whole_stack", true);
  program.keep = case_file.flag("program.keep", false);
  program.nan_is_missing = case_file.flag("program.nan_is_missing", false);
  for (auto const& name : case_file.keys_under("program.limits")) {
    auto const key = "program.limits." + name;
    auto const both = case_file.numbers(key, {}, -std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::infinity(), 2, 2);
    if (!(both[0] <= both[1])) {
      throw case_file.error(key, "the least value is above the largest (nothing is within) swap them");
    }
    program.limits[name] = {both[0], both[1]};
  }
  program.noise = read_noise(case_file, program);
  program.restart_files = case_file.texts("program.restart.files", {});
  program.restart_values = values_under(case_file, "program.restart.values");

  ProgramVariant common;
  common.run = case_file.texts("program.run", {"{program}"}, 1);
  common.environment = case_file.texts("program.environment", {});
  common.ranks = case_file.integer("program.ranks", 1, 1, 1 << 20);
  common.values = values_under(case_file, "program.values");
  for (auto const& name : case_file.keys_under("program.variants")) {
    // A file's remembered content stands beside it.
    if (name.ends_with("_xxh64") && case_file.has("program.variants." + name.substr(0, name.size() - 6)))
      continue;
    program.variants.push_back(read_variant(case_file, name, common));
  }
  if (program.variants.empty()) {
    throw case_file.error("program.variants", "names no variant (there is nothing to run) name one at least");
  }
  reject_unknown_keys(case_file);
  require_values(case_file, program);
  require_noise_is_used(case_file, program);
  return program;
}

void require_end(CaseFile const& case_file, ProgramCase const& program, std::optional<double> const& until) {
  auto const known = until || case_file.has("time.end");
  for (auto const& variant : program.variants) {
    if (names_any(names_of(program, variant), {"end_s", "end_min", "end_h", "end_d"}) == known) continue;
    if (!known) {
      throw case_file.error("time.end",
                            "is missing ({end_s} or another name of it stands in what the program of "
                            "variant " +
                                variant.name + " gets) give it, or --until");
    }
    auto const where = "does not reach the program of variant " + variant.name +
                       " (neither program.run, program.environment nor a file of program.fill names {end_s}, "
                       "{end_min}, {end_h} or {end_d}) name one there, or leave the time out";
    if (until) throw InputError("--until: " + where);
    throw case_file.error("time.end", where);
  }
}

std::vector<fs::path> files_of(ProgramCase const& program) {
  std::vector<fs::path> files;
  for (auto const* some : {&program.place, &program.copy, &program.fill}) {
    files.insert(files.end(), some->begin(), some->end());
  }
  for (auto const& variant : program.variants) {
    if (!variant.program.empty()) files.push_back(variant.program);
  }
  return files;
}

std::vector<PlannedVariant> planned_variants(ProgramCase const& program) {
  std::vector<PlannedVariant> variants;
  for (auto const& variant : program.variants) {
    variants.push_back({variant.name, variant.precision, variant.ranks});
  }
  return variants;
}

std::vector<std::string> perturbed_fields(ProgramCase const& program, std::vector<std::string> const& asked,
                                          bool needed) {
  if (program.noise == ProgramNoise::none) {
    if (needed) {
      throw InputError(
          "program.noise.kind: runs have no noise (members would all be equal) say how they get it, or give "
          "--members 0");
    }
    return {};
  }
  if (program.noise == ProgramNoise::fill) {
    if (!asked.empty()) {
      throw InputError(
          "--perturb: the program makes its noise itself (program.noise.kind is \"fill\") leave it out");
    }
    return {"{amplitude}"};
  }
  auto const& fields = asked.empty() ? program.noise_fields : asked;
  if (program.raw_noise && !asked.empty() && asked != program.noise_fields) {
    throw InputError("--perturb: the file of program.noise is raw (it has no variables) leave it out");
  }
  if (program.raw_noise) io::raw_count(program.noise_source(), *program.raw_noise);
  if (program.noise == ProgramNoise::files && !program.raw_noise) {
    io::InputFile const file(program.noise_source());
    for (auto const& field : fields) {
      if (file.has_values(field)) continue;
      throw InputError(std::string(asked.empty() ? "program.noise.fields" : "--perturb") + ": " +
                       file.path() + " has no variable '" + field + "'" +
                       choices_hint(field, file.variables()));
    }
  }
  return fields;
}

std::string filled_in(std::string const& text, ProgramValues const& values, std::string const& where) {
  return replaced_in(text, [&](std::string const& name) -> std::optional<std::string> {
    if (auto const found = values.find(name); found != values.end()) return found->second;
    std::vector<std::string> known;
    for (auto const& [key, value] : values) known.push_back(key);
    throw InputError(where + ": {" + name + "} in '" + text + "' has no value" + choices_hint(name, known));
  });
}

std::set<std::string> names_in(std::string const& text) {
  std::set<std::string> names;
  replaced_in(text, [&](std::string const& name) -> std::optional<std::string> {
    names.insert(name);
    return {};
  });
  return names;
}

std::string filled_where_known(std::string const& text, ProgramValues const& values) {
  return replaced_in(text, [&](std::string const& name) -> std::optional<std::string> {
    auto const found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
}

ProgramValues values_of(ProgramVariant const& variant, ProgramRunValues const& run) {
  auto values = variant.values;
  values["variant"] = variant.name;
  values["program"] = variant.program.string();
  values["folder"] = run.folder.string();
  values["ranks"] = std::to_string(variant.ranks);
  values["threads"] = std::to_string(run.threads);
  // Generators of programs take positive integers of 31 bits.
  auto const member = run.member.value_or(-1);
  auto const low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  auto const block = philox_block({static_cast<std::uint32_t>(member), 0, 0, name_key("program")},
                                  {low(run.seed), low(run.seed >> 32)});
  values["seed"] = std::to_string(1 + block.words[0] % 2147483646u);
  values["member"] = std::to_string(member);
  values["amplitude"] = value_text(run.amplitude);
  for (auto const& [unit, seconds] : {std::pair{"s", 1.0}, {"min", 60.0}, {"h", 3600.0}, {"d", 86400.0}}) {
    values[std::string("begin_") + unit] = value_text(run.begin_s / seconds);
    if (run.end_s) values[std::string("end_") + unit] = value_text(*run.end_s / seconds);
  }
  return values;
}

}  // namespace ulpine::ensembles
