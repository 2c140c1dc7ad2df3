// SPDX-License-Identifier: Apache-2.0
#include "ensembles/programs/program_keys.hpp"

#include <limits>

#include "core/model/case_keys.hpp"
#include "core/model/model.hpp"

namespace ulpine::ensembles {
namespace {

constexpr auto any_number = std::numeric_limits<std::size_t>::max();
constexpr double day = 86400;

std::unique_ptr<Model> refuse(io::CaseFile const& case_file, ModelOptions const& /*options*/) {
  throw case_file.error(
      "core",
      "a program has no model in this process, which this command needs (programs run as processes of their "
      "own) use run, ensemble, bitwise or conformance, and compare, same and consistency on its files");
}

}  // namespace

std::vector<io::CaseKey> const& program_keys() {
  static std::vector<io::CaseKey> const keys = {
      io::texts_key(
          "program.run", "[\"{program}\"]", 1, any_number,
          "the program and its arguments, in which {NAME} stands for a value of the run; a first word "
          "with a slash starts at program.folder, any other is looked for in PATH. NAMEs are those of "
          "program.values, and variant, program, ranks, threads, seed, member, amplitude, folder, begin_s "
          "and "
          "end_s (or _min, _h, _d)"),
      io::text_key("program.folder", "", "absolute folder at which paths of place, copy, fill and run start")
          .follows("the case file's folder"),
      io::texts_key(
          "program.place", "[]", 0, any_number,
          "files that each run finds in its folder, as links to these; * and ? stand for any characters"),
      io::texts_key("program.copy", "[]", 0, any_number,
                    "files that each run gets a copy of, since the program writes to them"),
      io::texts_key("program.fill", "[]", 0, any_number,
                    "files that each run gets a copy of in which {NAME} is replaced by a value of the run"),
      io::texts_key(
          "program.output", "[\"*.nc\"]", 1, any_number,
          "NetCDF files that the program writes, in order of their names, below the run's folder (a folder "
          "before the name is made for it); what was placed there is none"),
      io::texts_key("program.variables", "[]", 0, any_number, "variables of these files that are judged")
          .follows("all"),
      io::texts_key(
          "program.success", "[]", 0, any_number,
          "texts that the program says when it has succeeded, all of them, on standard output or error"),
      io::texts_key("program.success_files", "[]", 0, any_number,
                    "files that the program has written when it has succeeded, all of them"),
      io::texts_key("program.failure", "[]", 0, any_number,
                    "texts that the program says only if it has failed"),
      io::duration_key("program.timeout", "1 h", 1e-3, 1000 * day,
                       "time after which a run is ended, and has failed"),
      io::texts_key(
          "program.environment", "[]", 0, any_number,
          "variables of the environment, each NAME=VALUE, in which {NAME} stands for a value of the run"),
      io::flag_key(
          "program.whole_stack", true,
          "raises the limit of the stack as far as the system allows, which large arrays on it need"),
      io::integer_key("program.ranks", 1, 1, 1 << 20, "processes that compute a run together"),
      io::texts_key("program.launcher", "[\"mpirun\", \"-n\", \"{ranks}\"]", 1, any_number,
                    "what starts a run of several ranks, before the words of program.run")
          .needing("more than one rank"),
      io::flag_key(
          "program.keep", false,
          "keeps the folder of a member's program once its output was read; that of an unperturbed or "
          "failed run always stays"),
      io::flag_key("program.nan_is_missing", false, "NaN in the output marks points without a value"),
      io::text_key("program.values.*", "", "value that stands for {NAME}, a number or a text")
          .follows("none"),
      io::numbers_key(
          "program.limits.*", "", "none", -std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::infinity(), 2, 2,
          "least and largest value that the variable of that name can have; others are a failure"),
      io::choice_key(
          "program.noise.kind",
          {{"none", "runs have no noise, and a study no members"},
           {"probe", "the program calls Ulpine's probe, which adds noise to fields of its state"},
           {"fill", "the program makes it, told by {seed}, {member} and {amplitude}"},
           {"files",
            "variables of a NetCDF file, or numbers of a raw one, get it, which the program starts "
            "from"}},
          "how members get their noise"),
      io::texts_key("program.noise.fields", "[]", 0, any_number,
                    "fields with noise: STAGE.FIELD of the probe, or variables of program.noise.file")
          .needing("program.noise.kind = \"probe\" or \"files\""),
      io::text_key("program.noise.file", "", "the file with these variables, one that is placed or copied")
          .needing("program.noise.kind = \"files\""),
      io::choice_key("program.noise.raw",
                     {{"none", "the file is NetCDF, and noise is for variables"},
                      {"float64", "the file holds numbers of 8 bytes one after the other"},
                      {"float32", "the file holds numbers of 4 bytes one after the other"}},
                     "what the file is, if not NetCDF; program.noise.fields then has one name of your choice")
          .needing("program.noise.kind = \"files\""),
      io::flag_key("program.noise.big_endian", false, "numbers of a raw file begin with their highest byte")
          .needing("program.noise.raw"),
      io::integer_key("program.noise.first_byte", 0, 0, std::numeric_limits<std::int64_t>::max(),
                      "bytes of a raw file before the first number")
          .needing("program.noise.raw"),
      io::integer_key("program.noise.values", 0, 0, std::numeric_limits<std::int64_t>::max(),
                      "numbers of a raw file that get noise; 0: all to its end")
          .needing("program.noise.raw"),
      io::flag_key("program.noise.relative", false,
                   "the amplitude is a fraction of each value; else it has the variable's unit")
          .needing("program.noise.kind = \"files\""),
      io::texts_key(
          "program.restart.files", "[]", 0, any_number,
          "files that the program leaves for a restart, found in the folder of the run that goes on"),
      io::text_key("program.restart.values.*", "",
                   "value of a run that goes on, in place of others of that name")
          .follows("none"),
      io::file_key("program.variants.*", "the program of this variant, if nothing else is to be said of it"),
      io::file_key("program.variants.*.program", "the program of this variant, {program} in program.run"),
      io::text_key("program.variants.*.precision", "fp64",
                   "policy or format of its numbers, whose rounding verdicts go by: fp64, fp32, e8m10"),
      io::text_key("program.variants.*.device", "cpu", "what it runs on, as tables tell it"),
      io::integer_key("program.variants.*.ranks", 1, 1, 1 << 20, "processes that compute it together")
          .follows("program.ranks"),
      io::texts_key("program.variants.*.run", "[]", 1, any_number, "its words in place of program.run")
          .follows("program.run"),
      io::texts_key("program.variants.*.environment", "[]", 0, any_number,
                    "further variables of its environment, which replace those of program.environment"),
      io::text_key("program.variants.*.values.*", "", "value in place of that of program.values")
          .follows("none"),
  };
  return keys;
}

void register_programs() {
  register_model(program_core, "any executable, in variants that are held against each other", refuse);
  register_case_keys(program_core, program_keys());
}

}  // namespace ulpine::ensembles
