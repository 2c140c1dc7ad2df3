// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "cli/options.hpp"

namespace ulpine::cli {

void add_digits(CommandLine& line) {
  auto [command, options] = add_command<DigitsOptions>(
      line, "digits", "How many bits of each field rounding leaves, by arithmetic that rounds at random",
      "case.toml -o out/digits --until \"1 h\"", digits);
  auto* const from = command
                         ->add_option("--samples-from", options->samples_from,
                                      "Outputs of any model's runs with random rounding, instead of a case")
                         ->type_name("FILE...");
  auto* const case_file =
      command->add_option("CASE", options->case_file, "Case file (TOML)")->type_name("FILE")->excludes(from);
  add_repeated(*command, "--set", options->set, "KEY=VALUE", "Override a key of the case; may be repeated");
  add_unchecked_options(*command);
  command->add_option("-o,--output", options->output, "Folder for digits.json, digits.txt and report.html")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--arithmetic", options->arithmetic,
                   "eXmY-sr (by distance) or eXmY-rr (even odds), e.g. e8m23-sr for single precision")
      ->type_name("FORMAT")
      ->capture_default_str();
  add_number(*command, "--samples", options->samples, 2, 10'000, "Runs that round at random")
      ->default_str(std::to_string(options->samples));
  add_number(*command, "--seed", options->seed, std::uint32_t{0}, std::numeric_limits<std::uint32_t>::max(),
             "Seed of the first sample; the next ones follow")
      ->default_str(std::to_string(options->seed));
  command->add_option("--until", options->until, "End of every run (the case's time.end)")->type_name("TIME");
  command
      ->add_option("--quad-until", options->quad_until,
                   "End of a run in quad to hold them against; \"0 s\": none (first output where cheap)")
      ->type_name("TIME");
  add_list(
      *command, "--stages", options->stages,
      "Also with random rounding in each of these stages alone; `all`: in each that can be; of a program "
      "its fields, as STAGE.FIELD");
  add_variant(*command, options->variant);
  command
      ->add_option("--nearest", options->nearest,
                   "Of --samples-from: output of the run with usual rounding, to hold against --wider")
      ->type_name("FILES")
      ->needs(from);
  command->add_option("--wider", options->wider, "Of --samples-from: output of a run in a wider arithmetic")
      ->type_name("FILES")
      ->needs(from);
  add_number(*command, "--mantissa", options->mantissa, 2, 113,
             "Of --samples-from: bits of its numbers, e.g. 24 of float")
      ->default_str(std::to_string(options->mantissa))
      ->needs(from);
  add_list(*command, "--variables", options->variables, "Fields (all that change in time)");
  auto* const relative =
      command->add_flag("--relative", options->relative, "Errors relative to each point's mean");
  add_repeated(*command, "--scale", options->scales, "FIELD=VALUE",
               "What the field's errors are relative to, in its units (its root mean square)");
  auto* const absolute = command->add_flag(
      "--absolute", options->absolute,
      "Errors over the leading bit of each point's mean: significantdigits' absolute precision");
  absolute->excludes(relative);
  command->get_option("--scale")->excludes(relative)->excludes(absolute);
  add_number(*command, "--probability", options->probability, 0.5, 0.999999,
             "That a sample agrees to its significant bits (0.95)");
  add_number(*command, "--confidence", options->confidence, 0.5, 0.999999, "Of that statement (0.95)");
  add_threads(*command, *options, "Host threads a run (1)");
  add_number(*command, "--jobs", options->jobs, 1, 4096, "Runs side by side (as many as the cores hold)");
  command->add_flag("--resume", options->resume, "Keep what an earlier call has finished");
  add_table_formats(*command, *options);
  for (auto const* const other : {"--set", "--until", "--quad-until", "--stages", "--arithmetic", "--samples",
                                  "--seed", "--threads", "--jobs", "--resume", unchecked_options_flag}) {
    command->get_option(other)->needs(case_file);
  }
  refuse_idle_options(*command,
                      {{"--variant", needs_program(*options)}, {"--quad-until", needs_core(*options)}});
}

}  // namespace ulpine::cli
