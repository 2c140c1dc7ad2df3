// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"
#include "ensembles/study/plan.hpp"

namespace ulpine::cli {

void add_search(CommandLine& line) {
  auto [command, options] = add_command<SearchOptions>(
      line, "search", "Find the cheapest precision of each stage whose verdict is equivalent",
      "case.toml -o out/search --until \"1 h\" --precisions fp32,e8m7", search);
  add_case(*command, *options);
  command->add_option("-o,--output", options->output, "Folder of the search")->required()->type_name("DIR");
  add_list(*command, "--precisions", options->precisions,
           "Policies and formats of the host that stages are tried in (fp32,e5m10,e8m7)");
  add_list(*command, "--policies", options->policies, "Policies of whole runs to compare with (mixed,fp32)");
  add_list(*command, "--stages", options->stages,
           "Only these stages may be lowered (all that can be); of a program its fields, as STAGE.FIELD");
  add_variant(*command, options->variant);
  add_number(*command, "--within", options->within, 1e-6, 1.0,
             "Largest error accepted, in parts of the tolerated perturbation's (1/3)");
  add_number(*command, "--members", options->members, 3, ensembles::most_members,
             "Members of the reference and of what is confirmed")
      ->default_str(std::to_string(options->members));
  add_number(*command, "--confirm", options->confirmations, 0, 1000,
             "Most assignments that are confirmed by a full study; 0: none")
      ->default_str(std::to_string(options->confirmations));
  add_number(*command, "--seed", options->seed, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(),
             "Seed of the noise")
      ->default_str(std::to_string(options->seed));
  command->add_option("--until", options->until, "End of every run (the case's time.end)")->type_name("TIME");
  add_list(*command, "--costs", options->costs,
           "PRECISION=run.json: seconds of stages in place of bytes, fp64 first");
  command
      ->add_option(
          "--on", options->on,
          "Predicted seconds of stages on this card (devices/CARD.toml, or a file) in place of bytes")
      ->type_name("CARD")
      ->excludes("--costs");
  add_number(*command, "--runs", options->runs, std::int64_t{1}, std::int64_t{1} << 40,
             "Most assignments tried")
      ->default_str(std::to_string(options->runs));
  command->add_option("--time", options->time, "No more runs are begun after this long")->type_name("TIME");
  add_threads(*command, *options, "Host threads a run (1)");
  add_number(*command, "--jobs", options->jobs, 1, 4096, "Runs side by side (as many as the cores hold)");
  command->add_flag("--resume", options->resume, "Keep what an earlier call has found");
  auto const core = needs_core(*options);
  refuse_idle_options(
      *command,
      {{"--variant", needs_program(*options)}, {"--policies", core}, {"--costs", core}, {"--on", core}});
}

}  // namespace ulpine::cli
