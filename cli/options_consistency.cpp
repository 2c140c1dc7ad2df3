// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "cli/options.hpp"
#include "verification/consistency/published.hpp"

namespace ulpine::cli {

void add_consistency(CommandLine& line) {
  auto [command, options] = add_command<ConsistencyOptions>(
      line, "consistency", "Are new runs statistically the same as an ensemble? Any model's NetCDF files",
      "--ensemble reference/ --test new1.nc new2.nc new3.nc -o out/consistency", consistency);
  command
      ->add_option("--ensemble", options->ensemble,
                   "The accepted runs: a folder of NetCDF files (or of folders), a study, or a summary file")
      ->required()
      ->type_name("DIR");
  command->add_option("--test", options->tests, "The new runs: files, or folders of them")
      ->type_name("FILE...");
  command
      ->add_option("--unperturbed", options->unperturbed,
                   "The accepted run without noise, for tolerance and growth")
      ->type_name("FILES");
  command->add_option("--control", options->control, "Other accepted runs, which fieldwise shows beside")
      ->type_name("DIR");
  command
      ->add_option("--truth", options->truth,
                   "Accepted runs with a shorter step, one for each member, for timestep")
      ->type_name("DIR");
  std::string names = "all";
  for (auto const& method : verification::consistency::methods()) names += std::string(", ") + method.name;
  add_list(*command, "--method", options->methods, "Methods: " + names + " (all)");
  std::string rules;
  for (auto const& rule : verification::consistency::published_rules())
    rules += std::string(rules.empty() ? "" : ", ") + rule.name;
  command
      ->add_option(
          "--as", options->as,
          "In place of the methods a published rule, as its tool applies it, on its files too: " + rules)
      ->type_name("RULE");
  add_list(*command, "--variables", options->variables, "Variables (all that every run has)");
  command
      ->add_option("--times", options->times,
                   "Times that are looked at, each and in the mean: all, last, numbers, dates, A..B; mean: "
                   "the mean alone")
      ->type_name("TIMES")
      ->capture_default_str();
  command->add_flag("--levels", options->levels,
                    "Means of each level, where a variable has some, in place of the whole");
  command
      ->add_option("--weights", options->weights,
                   "none, VARIABLE, FILE of the grid or FILE:VARIABLE (the runs' own cell measures)")
      ->type_name("WEIGHTS");
  command->add_option("--epsilon", options->epsilon, "Of a study: the members' amplitude (its largest)")
      ->type_name("EPS");
  add_repeated(*command, "--parameter", options->parameters, "METHOD.KEY=VALUE",
               "E.g. pca.sigma=2, twosample.test=ks, rate=0.002; may be repeated");
  add_number(*command, "--seed", options->seed, std::uint64_t{0},
             std::uint64_t{std::numeric_limits<std::uint32_t>::max()}, "Seed of the draws")
      ->default_str(std::to_string(options->seed));
  command
      ->add_option("--write-summary", options->write_summary,
                   "Write the ensemble's summary, for --ensemble later")
      ->type_name("FILE");
  command
      ->add_option("-o,--output", options->output, "Folder for consistency.json, junit.xml and report.html")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "JSON instead of text");
  add_csv(*command, *options, "CSV of the findings instead of text");
  add_overwrite(*command, *options);
  auto const tests = [given = options] { return std::string(given->tests.empty() ? "--test" : ""); };
  // Empty where one of `names` is among the methods.
  auto const methods = [given = options, tests](std::vector<std::string> const& names) {
    if (auto const needs = tests(); !needs.empty()) return needs;
    auto const all = given->methods.empty() || std::ranges::count(given->methods, "all") > 0;
    std::string needs;
    for (auto const& name : names) {
      if (all || std::ranges::count(given->methods, name) > 0) return std::string();
      needs += (needs.empty() ? "" : " or ") + name;
    }
    return "--method " + needs;
  };
  // Empty where no published rule is asked for.
  auto const own = [given = options]() -> std::string {
    return given->as.empty() ? "" : "Ulpine's own methods, not --as";
  };
  refuse_idle_options(
      *command,
      {{"--method", own},
       {"--levels", own},
       {"--control", own},
       {"--truth", own},
       {"--method", tests},
       {"--parameter", [given = options, tests] { return given->as.empty() ? tests() : std::string(); }},
       {"--seed", tests},
       {"--levels", tests},
       {"--output", tests},
       {"--control", [methods] { return methods({"fieldwise"}); }},
       {"--truth", [methods] { return methods({"timestep"}); }},
       {"--unperturbed", [methods, given = options] {
          if (!given->as.empty()) return std::string(given->as == "probtest" ? "" : "--as probtest");
          return given->write_summary.empty() ? methods({"tolerance", "growth"}) : std::string();
        }}});
}

}  // namespace ulpine::cli
