// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

namespace ulpine::cli {
namespace {

void add_trace_diff(CommandLine& line) {
  auto [command, options] = add_command<TraceDiffOptions>(
      line, "trace-diff", "First place where two traced runs, or two with checkpoints, diverge; 1 if they do",
      "out/a out/b", trace_diff);
  command
      ->add_option(
          "A", options->first,
          "trace.bin of a run (of ranks also its name without rank) or its folder, or folder of a run "
          "with checkpoints")
      ->required()
      ->type_name("RUN");
  command->add_option("B", options->second, "The same of the other")->required()->type_name("RUN");
  add_unchecked_options(*command);
  add_list(*command, "--programs", options->programs,
           "Of folders: programs that repeat the step of A and of B (this one, where it made the runs)");
  auto* const named = command->add_flag(
      "--run-programs", options->run_programs,
      "Of folders: repeat the step with the programs that their logs name, whatever those are");
  add_program_timeout(*command, *options);
  auto* const states = command->add_flag("--states-only", options->states_only,
                                         "Of folders: only name the step, repeat nothing");
  command->add_flag("--partial", options->partial,
                    "Of traces: also of runs that were stopped or go on, as far as they were written");
  command->add_flag("--json", options->json, "JSON instead of a line");
  add_csv(*command, *options, "CSV instead of a line");
  states->excludes("--programs");
  named->excludes(states)->excludes(command->get_option("--programs"));
}

void add_replay(CommandLine& line) {
  auto [command, options] = add_command<ReplayOptions>(
      line, "replay", "Repeat one step of a run with checkpoints and write its trace",
      "out/run --step 43 -o out/step-43", replay);
  command->add_option("DIR", options->run, "Folder of the run")->required()->type_name("DIR");
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  add_number(*command, "--step", options->step, std::int64_t{1}, most, "Model step to repeat")->required();
  add_number(*command, "--from", options->from, std::int64_t{0}, most,
             "Go on from the checkpoint of this step (the last before --step)");
  add_number(*command, "--record", options->record, std::int64_t{0}, most,
             "Write the field of this record of the step, from 0, instead of the trace");
  command->add_option("-o,--output", options->output, "Folder to write")->required()->type_name("DIR");
  add_overwrite(*command, *options);
  add_unchecked_options(*command);
}

void add_trace(CommandLine& line) {
  auto [command, options] =
      add_command<TraceOptions>(line, "trace", "What a trace or recorded fields hold, and their export",
                                "out/run/trace.bin --csv records.csv", trace);
  command->add_option("FILE", options->file, "trace.bin or fields.bin, of ranks also its name without rank")
      ->required()
      ->type_name("FILE");
  command->add_option("--csv", options->csv, "Write the records of the trace here, a line each")
      ->type_name("FILE");
  command->add_option("--values", options->values, "Write the values of recorded fields here, as NetCDF")
      ->type_name("FILE");
  command->add_flag("--partial", options->partial, "Also of a run that was stopped or goes on");
  add_overwrite(*command, *options);
}

}  // namespace

void add_tracing(CommandLine& line) {
  add_trace(line);
  add_trace_diff(line);
  add_replay(line);
}

}  // namespace ulpine::cli
