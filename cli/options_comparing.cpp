// SPDX-License-Identifier: Apache-2.0
#include "cli/lkf_series.hpp"
#include "cli/options.hpp"

namespace ulpine::cli {
namespace {

void add_compare(CommandLine& line) {
  auto [command, options] = add_command<CompareOptions>(
      line, "compare", "Every metric for every common variable of two NetCDF files, of any model",
      "reference.nc test.nc --variables u,v --json", compare);
  command->add_option("REF", options->reference, "Reference: a file, or its parts by a folder or pattern")
      ->required()
      ->type_name("FILES");
  command->add_option("TEST", options->test, "Under test, likewise")->required()->type_name("FILES");
  add_list(*command, "--variables", options->variables, "Only these (all common ones)");
  add_table_formats(*command, *options);
  auto* const all =
      command->add_flag("--all-times", options->all_times, "A line for each common time, not only the worst");
  command->add_flag("--last", options->last, "The last common time alone")->excludes(all);
  command->add_flag("--levels", options->levels, "Each level by itself, too");
  command
      ->add_option("--weights", options->weights,
                   "none, VARIABLE, FILE of the grid or FILE:VARIABLE (the reference's cell measures)")
      ->type_name("WEIGHTS");
  auto* const different =
      command->add_option("--fail-on", options->fail_on,
                          "different: exit code 1 where anything differs, 4 where not all could be compared");
  different->check(CLI::IsMember({"different"}))->type_name("WHAT");
  command
      ->add_option(
          "--limits", options->limits,
          "Exit code 1 where a difference is beyond the limits of this file, 4 where not all could be "
          "compared")
      ->type_name("TOML")
      ->excludes(different);
  command->add_option("--junit", options->junit, "Of --fail-on and --limits: the result as JUnit XML")
      ->type_name("FILE");
  add_overwrite(*command, *options);
  refuse_idle_options(*command, {{"--junit", [given = options] {
                                    auto const judged = !given->fail_on.empty() || !given->limits.empty();
                                    return std::string(judged ? "" : "--fail-on or --limits");
                                  }}});
}

void add_same(CommandLine& line) {
  auto [command, options] =
      add_command<SameOptions>(line, "same", "Are these two runs of the same model? Any model's NetCDF files",
                               "out/cpu out/gpu --noise out/cpu-noise1 out/cpu-noise2", same);
  command->add_option("REF", options->reference, "Output of the reference: a file, or a folder of files")
      ->required()
      ->type_name("RUN");
  command->add_option("NEW", options->test, "Output of the new run, likewise")->required()->type_name("RUN");
  command
      ->add_option("--noise", options->noise,
                   "Runs of the reference with tiny noise: files, folders of them, or a study")
      ->type_name("RUN...");
  add_list(*command, "--variables", options->variables, "Only these (all)");
  command
      ->add_option("--weights", options->weights,
                   "none, VARIABLE, FILE of the grid or FILE:VARIABLE (the reference's cell measures)")
      ->type_name("WEIGHTS");
  command->add_option("--epsilon", options->epsilon, "Of a study: its members' amplitude (the largest)")
      ->type_name("EPS");
  command->add_flag("--json", options->json, "JSON with all variables and times instead of text");
  add_csv(*command, *options, "CSV with all variables and times instead of text");
  refuse_idle_options(
      *command,
      {{"--epsilon", [given = options] { return std::string(given->noise.empty() ? "--noise" : ""); }}});
}

void add_planes(CLI::App& command, PlaneOptions& options) {
  add_number(command, "--level", options.level, std::numeric_limits<std::int64_t>::min(),
             std::numeric_limits<std::int64_t>::max(),
             "Index of the level, from the end if negative, of fields that have levels");
  add_repeated(command, "--at", options.at, "DIMENSION=INDEX",
               "Place along another dimension, or an axis across which a section is taken; may be repeated");
  add_list(command, "--plane", options.plane,
           "Names of the two dimensions of rows and columns (as the file tells)");
  command.get_option("--plane")->type_name("ROWS,COLUMNS");
}

void add_lkf(CommandLine& line) {
  auto [command, options] =
      add_command<LkfOptions>(line, "lkf", "Detect linear kinematic features in a deformation field",
                              "out/run/output.nc --variable shear --parameters cells,lmin=4", lkf);
  command->add_option("FILE", options->files, "NetCDF files by time, or parts by a folder or pattern")
      ->required()
      ->type_name("FILES");
  auto* const variable =
      command->add_option("--variable", options->variable, "Deformation in s-1 or day-1 (shear)")
          ->type_name("NAME");
  add_time_index(*command, *options);
  auto* const all = command->add_flag("--all-times", options->all_times, "Every time instead of one");
  auto* const combine = add_number(*command, "--combine", options->combine, std::int64_t{1},
                                   std::int64_t{1000}, "Every time, N at once (lkf_tools: t_red)");
  combine->type_name("N");
  add_list(*command, "--track", options->track,
           "Follow features from time to time, moved by these velocities along x and y");
  command->get_option("--track")->type_name("U,V");
  auto* const as = command->add_option("--as", options->as, "Read, detect and follow as lkf_tools does")
                       ->type_name("process_dataset")
                       ->check(CLI::IsMember({"process_dataset"}));
  for (auto* const of_series : {all, combine, command->get_option("--track"), as}) {
    of_series->excludes("--time");
  }
  as->excludes(variable)->excludes("--track");
  add_planes(*command, options->planes);
  for (auto const* name : {"--level", "--at", "--plane"}) as->excludes(name);
  command->add_option("--rules", options->rules, "repaired (default) or lkf_tools")->type_name("RULES");
  command->add_option("--parameters", options->parameters, "NAME or key=value,... (cells)")->type_name("SET");
  command->add_flag("--json", options->json, "JSON with all coordinates");
  add_csv(*command, *options, "CSV with a line for each feature");
  command
      ->add_option("--write-lkf-tools", options->write_lkf_tools,
                   "Write the files of lkf_tools into a folder in DIR")
      ->type_name("DIR");
  add_overwrite(*command, *options);
  refuse_idle_options(*command, {{"--write-lkf-tools", [given = options] {
                                    return std::string(is_series(*given) ? "" : "--all-times");
                                  }}});
}

void add_spectrum(CommandLine& line) {
  auto [command, options] =
      add_command<SpectrumOptions>(line, "spectrum", "Radially averaged power spectral density",
                                   "out/run/output.nc --variable theta --log10 1e-12", spectrum);
  command->add_option("FILE", options->file, "NetCDF file, or its parts by a folder or pattern")
      ->required()
      ->type_name("FILES");
  add_list(*command, "--variable", options->variables, "Fields with rows and columns");
  command->get_option("--variable")->required()->type_name("NAME");
  add_time_index(*command, *options);
  command->add_flag("--all-times", options->all_times, "Every time instead of one")->excludes("--time");
  add_planes(*command, options->planes);
  command->add_option("--variant", options->variant, "pysteps, windowed, detrended or physical")
      ->type_name("NAME")
      ->capture_default_str();
  add_number(*command, "--log10", options->log10_floor, 1e-300, 1e300, "Of log10(max(x, FLOOR))")
      ->type_name("FLOOR");
  add_table_formats(*command, *options);
}

}  // namespace

void add_comparing(CommandLine& line) {
  add_compare(line);
  add_same(line);
  add_lkf(line);
  add_spectrum(line);
  add_command<InfoOptions>(line, "info", "Build, devices, policies, cores, libraries", "", info)
      .second->parser = std::string("CLI11 ") + CLI11_VERSION;
  auto [shown, what] = add_command<CasesOptions>(
      line, "cases",
      "The cases shipped, a line each, the keys of a core or of a case, or the stages of a core",
      "--keys fdm mixing.prandtl", cases);
  shown
      ->add_option("--stages", what->stages,
                   "Stages of a core, or of that of a case file: guarantees, bytes, what each does")
      ->type_name("CORE");
  shown->add_flag("--operations", what->operations,
                  "Of --stages CASE.toml: the floating-point operations of each stage, counted in the case");
  add_number(*shown, "--steps", what->steps, std::int64_t{1}, std::int64_t{1} << 40,
             "Of --operations and --on: count so many steps after the first (1)");
  add_threads(*shown, *what, "Of --operations and --on: host threads that count (1)");
  shown->add_flag("--json", what->json,
                  "Of --operations and --on: JSON; operations by roles of numbers and kinds");
  shown
      ->add_option("--show", what->show,
                   "The keys of a case file and of the case that it extends, each with its file and line")
      ->type_name("CASE");
  shown
      ->add_option(
          "--keys", what->keys,
          "Keys that cases of a core may have, \"common\" to all cores, or of \"all\": unit, default, "
          "range or choices, meaning")
      ->type_name("CORE");
  shown->add_option("KEY", what->key, "Of --keys: all about this key, or about a table, as mixing")
      ->type_name("KEY");
  shown->add_flag("--markdown", what->markdown, "Of --keys: as a page of the reference");
  shown
      ->add_option("--on", what->on,
                   "Of --stages CASE.toml: the time that each stage and a step in each policy are predicted "
                   "to take on "
                   "this card (devices/CARD.toml, or a file)")
      ->type_name("CARD");
  shown->add_option("--policy", what->policy, "Of --on: in which the stages are told")
      ->type_name("POLICY")
      ->capture_default_str();
  add_list(*shown, "--fit", what->fit,
           "Of --on: CASE.toml=run.json of runs on that card: what their stages reach of its rates");
  shown->add_option("-o,--output", what->output, "Of --fit: the file to write instead of printing")
      ->type_name("FILE");
  shown->get_option("--on")->excludes(shown->get_option("--operations"));
  auto const needs = [](bool given, char const* what) { return given ? "" : what; };
  auto const predicted = [given = what, needs] {
    return needs(!given->on.empty() && given->fit.empty(), "--stages CASE.toml --on CARD");
  };
  auto const counted = [given = what, needs] {
    return needs(given->operations || (!given->on.empty() && given->fit.empty()),
                 "--operations or --on CARD");
  };
  refuse_idle_options(
      *shown,
      {{"--operations", [given = what] { return given->stages.empty() ? "--stages CASE.toml" : ""; }},
       {"--steps", counted},
       {"--threads", counted},
       {"--json", counted},
       {"--on",
        [given = what, needs] {
          return needs(!given->stages.empty() || !given->fit.empty(),
                       "--stages CASE.toml or --fit CASE.toml=run.json");
        }},
       {"--policy", predicted},
       {"--fit", [given = what, needs] { return needs(!given->on.empty(), "--on CARD"); }},
       {"--output",
        [given = what, needs] { return needs(!given->fit.empty(), "--fit CASE.toml=run.json --on CARD"); }},
       {"KEY", [given = what] { return given->keys.empty() ? "--keys CORE" : ""; }},
       {"--markdown", [given = what] {
          return given->keys.empty() ? "--keys CORE" : given->key.empty() ? "" : "all keys, without KEY";
        }}});
}

}  // namespace ulpine::cli
