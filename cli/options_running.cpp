// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/ensemble_options.hpp"
#include "cli/options.hpp"
#include "cli/run_options.hpp"
#include "ensembles/reproducibility/checkpoints.hpp"
#include "ensembles/study/plan.hpp"

namespace ulpine::cli {
namespace {

void add_run(CommandLine& line) {
  auto [command, options] = add_command<RunOptions>(
      line, "run", "Run one model", "case.toml -o out/run --policy fp32 --until \"2 h\"", run);
  add_case(*command, *options);
  command->add_option("-o,--output", options->request.folder, "Folder to write (out/NAME)")->type_name("DIR");
  add_policy(*command, *options);
  add_repeated(*command, "--stage", options->stages, "NAME=POLICY",
               "A stage in another policy than the rest; may be repeated");
  command
      ->add_option("--stages-from", options->stages_from, "Stages' policies of this stages.toml of a search")
      ->type_name("FILE");
  add_device(*command, *options);
  add_threads(*command, *options, "Host threads (all cores that have 1024 cells of the grid each)");
  add_block(*command, *options);
  add_duration(*command, "--until", options->request.until,
               "End, e.g. \"90 s\", \"2 h\", \"4 d\" (the case's time.end)");
  command
      ->add_option("--restart", options->request.restart,
                   "Go on from this restart.nc; the output so far is kept as output-1.nc")
      ->type_name("FILE");
  add_number(*command, "--steps", options->request.steps, std::int64_t{1}, std::int64_t{1} << 40,
             "End after N model steps instead of --until")
      ->excludes("--until");
  command->add_flag("--trace", options->request.trace,
                    "Write trace.bin: a hash of every field after every stage");
  add_number(
      *command, "--checkpoints", options->request.checkpoints, ensembles::fewest_checkpoints,
      ensembles::most_checkpoints,
      "Keep the hash of the state after every step and up to N restart files, for trace-diff and replay");
  command->add_flag("--trap", options->request.trap_nonfinite,
                    "Check for NaN, infinity and values outside their range after every step");
  auto* const only_new = command->add_flag(
      "--new", options->only_new, "Refuse a folder that is not empty instead of replacing the run in it");
  add_overwrite(*command, *options)->excludes(only_new);
  add_variant(*command, options->request.variant);
  std::vector<IdleOption> idle = {{"--block", [given = options] { return needs_gpu({given->device}); }},
                                  {"--variant", needs_program(*options)}};
  for (auto const* const name : {"--policy", "--assembly", "--stage", "--stages-from", "--device",
                                 "--restart", "--steps", "--checkpoints", "--trap"}) {
    idle.push_back({name, needs_core(*options)});
  }
  refuse_idle_options(*command, idle);
}

void add_ensemble(CommandLine& line) {
  auto [command, options] = add_command<EnsembleOptions>(
      line, "ensemble",
      "Run a precision study: policies, assemblies and perturbed members against the reference",
      "case.toml -o out/study --members 4 --epsilons 2^-23 --resume", ensemble);
  add_case(*command, *options);
  command->add_option("-o,--output", options->output, "Folder of the study")->type_name("DIR");
  command->add_flag("--suggest", options->suggest,
                    "Make two short runs of the reference, and say which amplitude, how many members and "
                    "what length to take");
  add_list(*command, "--policies", options->study.policies, "Policies (fp64,fp32,mixed,tf32)");
  add_list(*command, "--assemblies", options->study.assemblies, "Assemblies (deterministic,atomic)");
  add_device_function(*command, [given = options](std::string const& device) {
    given->study.devices = {device};
  })->default_str(options->study.devices.front());
  add_list(*command, "--devices", options->study.devices,
           "Several devices, e.g. cpu,cuda or mpi:2,cuda:1x2 (--device)");
  add_list(*command, "--configurations", options->study.configurations,
           "DEVICE/POLICY/ASSEMBLY one by one, instead of policies, assemblies and devices; of a program its "
           "variants");
  command
      ->add_option("--stages-from", options->stages_from,
                   "One more configuration: the stages' policies of this stages.toml of a search")
      ->type_name("FILE");
  command
      ->add_option("--reference", options->study.reference,
                   "Configuration that the others are held against (fp64/deterministic)")
      ->type_name("CONFIG");
  add_list(*command, "--members-for", options->study.members_for,
           "Only these get members, e.g. fp64,cuda/fp32 (all)");
  add_list(*command, "--epsilons", options->study.epsilons, "Amplitudes of noise (2^-53,2^-23,2^-10,2^-7)");
  add_list(*command, "--perturb", options->study.perturb, "Fields to perturb (the model's own choice)");
  add_number(*command, "--members", options->study.members, 0, ensembles::most_members,
             "Members per configuration and amplitude; 0 for programs alone, where runs have no noise")
      ->default_str(std::to_string(options->study.members));
  command->add_flag("--control", options->study.control,
                    "An ensemble of the reference itself with other noise beside the others");
  add_number(*command, "--seed", options->study.seed, std::uint64_t{0},
             std::numeric_limits<std::uint64_t>::max(), "Seed of the noise")
      ->default_str(std::to_string(options->study.seed));
  add_duration(*command, "--until", options->study.until, "End of every run (the case's time.end)");
  add_duration(*command, "--quad-until", options->study.quad_until,
               "End of a run in quad that shows the reference's own error, \"0 s\" for none (the first "
               "output, where it takes minutes at most)");
  add_threads(*command, options->study, "Host threads a run (1)");
  add_number(*command, "--jobs", options->execution.jobs, 1, 4096,
             "Runs side by side on each device (as many as the cores hold or fill the GPU)");
  add_number(*command, "--batch", options->execution.gpu_jobs, 1, 4096,
             "Runs side by side on each GPU, 1: one after the other (--jobs, or as many as fill it)");
  add_block(*command, options->study);
  command->add_flag("--resume", options->execution.resume, "Keep what an earlier call has finished");
  command
      ->add_option_function<std::string>(
          "--only",
          [given = options](std::string const& share) {
            given->execution.only = ensembles::parse_share(share);
          },
          "Only share I of N of the runs, e.g. 3/24; no results")
      ->type_name("I/N");
  if (!line.words.empty()) {
    options->arguments.assign(line.words.begin() + 1, line.words.end());  // without the command itself
  }
  std::erase(options->arguments, "--slurm");
  command->add_flag("--slurm", options->slurm, "Write job scripts for SLURM instead of running")
      ->excludes("--only");
  for (auto const* const other : {"--only", "--resume", "--slurm"}) {
    command->get_option("--suggest")->excludes(other);
  }
  command->add_flag("--trap", options->execution.trap_nonfinite,
                    "Check for NaN, infinity and values outside their range after every step");
  add_number(*command, "--watch", options->execution.watch, 0., 1e9,
             "Tell of a run that takes longer than so many times what is expected of it, 0: of none")
      ->default_str("10");
  add_number(*command, "--give-up", options->execution.give_up, 0., 1e9,
             "End a run that takes longer than so many times what is expected of it, as failed (0: none)");
  command->get_option("--devices")->excludes("--device");
  for (auto const* const other : {"--policies", "--assemblies", "--devices"}) {
    command->get_option("--configurations")->excludes(other);
  }
  auto const gpu = [given = options] {
    auto places = given->study.devices;
    places.push_back(given->study.reference);
    places.insert(places.end(), given->study.configurations.begin(), given->study.configurations.end());
    return needs_gpu(places);
  };
  std::vector<IdleOption> idle = {{"--block", gpu}, {"--batch", gpu}};
  for (auto const* const name : {"--policies", "--assemblies", "--device", "--devices", "--stages-from",
                                 "--quad-until", "--trap", "--give-up"}) {
    idle.push_back({name, needs_core(*options)});
  }
  refuse_idle_options(*command, idle);
}

void add_report(CommandLine& line) {
  auto [command, options] = add_command<ReportOptions>(
      line, "report", "Write results and report of a study anew, or of two what changed; 1 if a gate fails",
      "out/study", report);
  command
      ->add_option("DIR", options->study,
                   "Folder of the study, or of other results (consistency.json, digits.json, search.json) "
                   "that make a page")
      ->required()
      ->type_name("DIR");
  auto* const against =
      command
          ->add_option("--against", options->against,
                       "Earlier study (folder or its results.json) to compare with; 1 if something got worse")
          ->type_name("LAST");
  command
      ->add_option("-o,--output", options->output,
                   "Page (.html) or folder of the comparison (DIR), beside its comparison.json")
      ->type_name("PAGE")
      ->needs(against);
  auto* const none = command->add_flag("--no-fields", options->no_fields,
                                       "Leave out the fields that can be chosen on the page");
  add_list(*command, "--fields", options->fields,
           "Fields that can be chosen on the page, in that order (as many as it has room for)");
  command->get_option("--fields")->excludes(none)->excludes(against);
  none->excludes(against);
  add_list(
      *command, "--on", options->on,
      "Cards for which the page tells what a step is predicted to take in each policy (devices/CARD.toml, or "
      "files)");
  add_threads(*command, *options, "Runs evaluated side by side (all cores)");
  add_overwrite(*command, *options);
  for (auto const* const name : {"--threads", "--on"}) command->get_option(name)->excludes(against);
}

void add_bitwise(CommandLine& line) {
  auto [command, options] =
      add_command<BitwiseOptions>(line, "bitwise", "Compare configurations bit by bit, stage by stage",
                                  "case.toml --configs cpu:1,cpu:2 --steps 3", bitwise);
  add_case(*command, *options);
  command->get_option("CASE")->required(false);
  add_list(*command, "--configs", options->configurations,
           "cpu:THREADS, cuda:BLOCK, mpi:RANKS, cuda:1xRANKS[+mpi:RANKS] or whole configurations; the first "
           "is the reference (cpu:1,cpu:2 and with a GPU cuda:128,cuda:256). Of a program its variants, as "
           "O2,O2/cpu:2,O2/mpi:4 (all)");
  add_list(*command, "--programs", options->programs,
           "NAME=PATH of other builds of this program: compared instead of configurations. Without CASE: of "
           "any programs that tell the probe of their stages, run here as they are");
  add_program_timeout(*command, *options);
  add_policy(*command, *options);
  add_number(*command, "--steps", options->steps, std::int64_t{1}, std::int64_t{1} << 40, "Model steps")
      ->default_str(std::to_string(options->steps));
  add_table_formats(*command, *options);
  auto const needs_case = [given = options]() -> std::string {
    return given->case_file.empty() ? "CASE" : "";
  };
  auto const needs_model = [needs_case, needs = needs_core(*options)] {
    auto const first = needs_case();
    return first.empty() ? needs() : first;
  };
  refuse_idle_options(*command, {{"--set", needs_case},
                                 {"--configs", needs_case},
                                 {"--policy", needs_model},
                                 {"--assembly", needs_model},
                                 {"--steps", needs_model}});
}

void add_conformance(CommandLine& line) {
  auto [command, options] = add_command<ConformanceOptions>(
      line, "conformance", "Check that a model keeps what every core promises; 1 where it does not",
      "case.toml --set grid.nx=8 --set grid.ny=8 --configs cpu:1,cpu:2", conformance);
  add_case(*command, *options);
  add_list(*command, "--configs", options->configurations,
           "Where it runs, also mpi:RANKS and cuda:1xRANKS[+mpi:RANKS]; the first is the reference "
           "(cpu:1,cpu:2 and with a GPU cuda:128,cuda:256). Of a program variants that are to give the same "
           "bits, as O2,O2/cpu:2 (its first)");
  add_policy(*command, *options);
  add_number(*command, "--steps", options->steps, std::int64_t{2}, std::int64_t{1} << 40,
             "Model steps of each of some hundred runs")
      ->default_str(std::to_string(options->steps));
  add_table_formats(*command, *options);
  auto const model = needs_core(*options);
  refuse_idle_options(*command, {{"--policy", model}, {"--assembly", model}, {"--steps", model}});
}

void add_restart(CommandLine& line) {
  auto [command, options] = add_command<RestartOptions>(
      line, "restart", "Spin up once, restart others from that state and compare at the end",
      "case.toml --spinup \"1 h\" --until \"2 h\" --tests cpu/fp32/atomic", restart);
  add_case(*command, *options);
  command->add_option("-o,--output", options->output, "Folder to write (out/NAME-restart)")->type_name("DIR");
  command->add_option("--spinup", options->spinup, "Time of the common state")->required()->type_name("TIME");
  command->add_option("--until", options->until, "Time of the comparison")->required()->type_name("TIME");
  command
      ->add_option("--reference", options->reference,
                   "DEVICE/POLICY/ASSEMBLY (cpu/fp64/deterministic), or a variant of a program (its first)")
      ->type_name("CONFIG");
  add_list(*command, "--tests", options->tests,
           "Configurations to test, comma separated; of a program variants (all)");
  add_threads(*command, *options, "Host threads (all cores that have 1024 cells of the grid each)");
  add_block(*command, *options);
  add_table_formats(*command, *options);
  add_overwrite(*command, *options);
  refuse_idle_options(*command, {{"--block", [given = options] {
                                    auto places = given->tests;
                                    if (places.empty()) return std::string();  // a GPU's, where there is one
                                    places.push_back(given->reference);
                                    return needs_gpu(places);
                                  }}});
}

}  // namespace

void add_running(CommandLine& line) {
  add_run(line);
  add_ensemble(line);
  add_report(line);
  add_bitwise(line);
  add_conformance(line);
  add_restart(line);
}

}  // namespace ulpine::cli
