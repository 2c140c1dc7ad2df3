// SPDX-License-Identifier: Apache-2.0
// The `ulpine` command: options in, one action called, exit codes out. CLI11 is included here and nowhere
// else because it compiles slowly.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <concepts>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "core/exec/device.hpp"
#include "core/seaice/register.hpp"
#include "ensembles/interrupt.hpp"
#include "ensembles/plan.hpp"
#include "ensembles/run.hpp"
#include "io/error.hpp"
#include "ulpine_version.hpp"

namespace {

using namespace ulpine;
using Action = std::function<int()>;

std::string const version = std::string("ulpine ") + build::version + " (commit " + build::commit + ")";

/// Options that are written once, `--name a,b,c` or `--name value` repeated; never greedy, so that
/// positionals may follow.
void make_list(CLI::Option* option, bool comma_separated) {
  option->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (comma_separated) {
    option->delimiter(',');
  }
}

/// An option that takes a decimal number from `least` to `most`, all of the word: nothing is cut, rounded or
/// clamped on its way into `target`.
template <class Number, class Target>
requires std::same_as<Target, Number> || std::same_as<Target, std::optional<Number>> CLI::Option* add_number(
    CLI::App& command, std::string const& name, Target& target, Number least,
    std::type_identity_t<Number> most, std::string const& meaning) {
  auto const store = [&target, name, least, most](std::string const& word) {
    Number value{};
    auto const* const end = word.data() + word.size();
    auto const [rest, failed] = std::from_chars(word.data(), end, value);
    // NaN fails both comparisons.
    if (failed != std::errc{} || rest != end || !(value >= least && value <= most)) {
      constexpr auto kind = std::integral<Number> ? "whole number" : "number";
      auto const text = [](Number number) {
        char buffer[32];
        return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
      };
      throw CLI::ValidationError(
          name, "'" + word + "' is no " + kind + " from " + text(least) + " to " + text(most));
    }
    target = value;
  };
  return command.add_option_function<std::string>(name, store, meaning)->type_name("N");
}

/// A sub-command with what is common to all; Options{}.common, and `execute` runs when it is chosen.
template <class Options>
std::pair<CLI::App*, std::shared_ptr<Options>> add_command(CLI::App& program, Action& action,
                                                           std::string const& name,
                                                           std::string const& description,
                                                           std::string const& example,
                                                           int (*execute)(Options const&)) {
  auto* const command = program.add_subcommand(name, description);
  auto options = std::make_shared<Options>();
  command->set_version_flag("--version", version);
  command->add_flag("-q,--quiet", options->common.quiet, "Nothing on standard output, no progress");
  command->add_flag("-v,--verbose", options->common.verbose, "Say more");
  command->footer("Example:\n  ulpine " + example);
  command->callback(
      [&action, options, execute] { action = [options, execute] { return execute(*options); }; });
  return {command, options};
}

template <class Options>
void add_case(CLI::App& command, Options& options) {
  command.add_option("CASE", options.case_file, "Case file (TOML)")->required()->type_name("FILE");
  make_list(command.add_option("--set", options.set, "Override a key of the case; may be repeated")
                ->type_name("KEY=VALUE"),
            false);
}

template <class Options>
void add_threads(CLI::App& command, Options& options, std::string const& meaning) {
  add_number(command, "--threads", options.threads, 1, 4096, meaning);
}

template <class Options>
void add_block(CLI::App& command, Options& options) {
  add_number(command, "--block", options.block, 32, 256, "Threads a block on a GPU (256)")
      ->check(CLI::IsMember({"32", "64", "96", "128", "160", "192", "224", "256"}))
      ->type_name("N");
}

constexpr auto policy_help = "fp64, fp32, mixed, tf32, bf16, fp16 or quad";
constexpr auto device_help = "cpu, cuda or cuda:N";

void add_running(CLI::App& program, Action& action, std::vector<std::string> const& words) {
  {
    auto [command, options] = add_command<cli::RunOptions>(
        program, action, "run", "Run one model",
        "run cases/seaice/cyclone_quick.toml -o out/run --policy fp32 --until \"2 h\"", cli::run);
    add_case(*command, *options);
    command->add_option("-o,--output", options->output, "Folder to write (out/NAME)")->type_name("DIR");
    command->add_option("--policy", options->policy, policy_help)->type_name("POLICY")->capture_default_str();
    command->add_option("--assembly", options->assembly, "deterministic or atomic")
        ->type_name("MODE")
        ->capture_default_str();
    command->add_option("--device", options->device, device_help)->type_name("DEVICE")->capture_default_str();
    add_threads(*command, *options, "Host threads (all cores)");
    add_block(*command, *options);
    command
        ->add_option("--until", options->until, "End, e.g. \"90 s\", \"2 h\", \"4 d\" (the case's time.end)")
        ->type_name("TIME");
    command->add_option("--restart", options->restart, "Go on from this restart.nc")->type_name("FILE");
    command->add_flag("--trace", options->trace, "Write trace.bin: a hash of every field after every stage");
    command->add_flag("--trap", options->trap, "Check for NaN and infinity after every step");
  }
  {
    auto [command, options] = add_command<cli::EnsembleOptions>(
        program, action, "ensemble",
        "Run a precision study: policies, assemblies and perturbed members against the reference",
        "ensemble cases/seaice/cyclone_quick.toml -o out/study --members 4 --epsilons 2^-23 --resume",
        cli::ensemble);
    add_case(*command, *options);
    command->add_option("-o,--output", options->output, "Folder of the study")->required()->type_name("DIR");
    make_list(command->add_option("--policies", options->policies, "Policies (fp64,fp32,mixed,tf32)")
                  ->type_name("LIST"),
              true);
    make_list(command->add_option("--assemblies", options->assemblies, "Assemblies (deterministic,atomic)")
                  ->type_name("LIST"),
              true);
    make_list(
        command->add_option("--epsilons", options->epsilons, "Amplitudes of noise (2^-53,2^-23,2^-10,2^-7)")
            ->type_name("LIST"),
        true);
    make_list(command->add_option("--perturb", options->perturb, "Fields to perturb (the model's own choice)")
                  ->type_name("LIST"),
              true);
    add_number(*command, "--members", options->members, 1, ensembles::most_members,
               "Members per policy and amplitude")
        ->default_str(std::to_string(options->members));
    add_number(*command, "--seed", options->seed, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(),
               "Seed of the noise")
        ->default_str(std::to_string(options->seed));
    command->add_option("--until", options->until, "End of every run (the case's time.end)")
        ->type_name("TIME");
    command->add_option("--device", options->device, device_help)->type_name("DEVICE")->capture_default_str();
    add_threads(*command, *options, "Host threads a run (1)");
    add_number(*command, "--jobs", options->jobs, 1, 4096,
               "Runs side by side (as many as the cores hold, 1 on a GPU)");
    add_block(*command, *options);
    command->add_flag("--resume", options->resume, "Keep what an earlier call has finished");
    command->add_option("--only", options->only, "Only share I of N of the runs, e.g. 3/24; no results")
        ->type_name("I/N");
    if (!words.empty()) {
      options->arguments.assign(words.begin() + 1, words.end());  // without the command itself
    }
    std::erase(options->arguments, "--slurm");
    command->add_flag("--slurm", options->slurm, "Write job scripts for SLURM instead of running")
        ->excludes("--only");
    command->add_flag("--trap", options->trap, "Check for NaN and infinity after every step");
  }
  {
    auto [command, options] = add_command<cli::ReportOptions>(
        program, action, "report", "Write results and report of a study anew; 1 if a gate fails",
        "report out/study", cli::report);
    command->add_option("DIR", options->study, "Folder of the study")->required()->type_name("DIR");
    add_threads(*command, *options, "Runs evaluated side by side (all cores)");
  }
  {
    auto [command, options] = add_command<cli::BitwiseOptions>(
        program, action, "bitwise", "Compare configurations bit by bit, stage by stage",
        "bitwise cases/seaice/cyclone_quick.toml --configs cpu:1,cpu:2 --steps 3", cli::bitwise);
    add_case(*command, *options);
    make_list(command
                  ->add_option("--configs", options->configurations,
                               "cpu:THREADS, cuda:BLOCK; the first is the reference "
                               "(cpu:1,cpu:2 and with a GPU cuda:128,cuda:256)")
                  ->type_name("LIST"),
              true);
    command->add_option("--policy", options->policy, policy_help)->type_name("POLICY")->capture_default_str();
    command->add_option("--assembly", options->assembly, "deterministic or atomic")
        ->type_name("MODE")
        ->capture_default_str();
    add_number(*command, "--steps", options->steps, std::int64_t{1}, std::int64_t{1} << 40, "Model steps")
        ->default_str(std::to_string(options->steps));
  }
  {
    auto [command, options] = add_command<cli::RestartOptions>(
        program, action, "restart", "Spin up once, restart others from that state and compare at the end",
        "restart cases/seaice/cyclone_quick.toml --spinup \"1 h\" --until \"2 h\" --tests cpu/fp32/atomic",
        cli::restart);
    add_case(*command, *options);
    command->add_option("-o,--output", options->output, "Folder to write (out/NAME-restart)")
        ->type_name("DIR");
    command->add_option("--spinup", options->spinup, "Time of the common state")
        ->required()
        ->type_name("TIME");
    command->add_option("--until", options->until, "Time of the comparison")->required()->type_name("TIME");
    command->add_option("--reference", options->reference, "DEVICE/POLICY/ASSEMBLY")
        ->type_name("CONFIG")
        ->capture_default_str();
    make_list(command->add_option("--tests", options->tests, "Configurations to test, comma separated")
                  ->type_name("LIST"),
              true);
    add_threads(*command, *options, "Host threads (all cores)");
    add_block(*command, *options);
  }
}

void add_comparing(CLI::App& program, Action& action) {
  {
    auto [command, options] = add_command<cli::TraceDiffOptions>(
        program, action, "trace-diff", "First place where two traced runs part; 1 if they do",
        "trace-diff out/a/trace.bin out/b/trace.bin", cli::trace_diff);
    command->add_option("A", options->first, "trace.bin of a run")->required()->type_name("FILE");
    command->add_option("B", options->second, "trace.bin of the other")->required()->type_name("FILE");
  }
  {
    auto [command, options] = add_command<cli::CompareOptions>(
        program, action, "compare",
        "Every metric for every common variable of two NetCDF files, of any model",
        "compare reference.nc test.nc --variables siu,siv --json", cli::compare);
    command->add_option("REF", options->reference, "Reference file")->required()->type_name("FILE");
    command->add_option("TEST", options->test, "File under test")->required()->type_name("FILE");
    make_list(command->add_option("--variables", options->variables, "Only these (all common ones)")
                  ->type_name("LIST"),
              true);
    command->add_flag("--json", options->json, "JSON instead of a table");
    command->add_flag("--all-times", options->all_times, "Every common time instead of the last");
  }
  {
    auto [command, options] = add_command<cli::LkfOptions>(
        program, action, "lkf", "Detect linear kinematic features in a deformation field",
        "lkf out/run/output.nc --variable shear --parameters dog15,lmin=4", cli::lkf);
    command->add_option("FILE", options->file, "NetCDF file")->required()->type_name("FILE");
    command->add_option("--variable", options->variable, "Deformation in s-1 or day-1 (shear)")
        ->type_name("NAME");
    add_number(*command, "--time", options->time, std::numeric_limits<std::int64_t>::min(),
               std::numeric_limits<std::int64_t>::max(),
               "Index of the time, from the end if negative (the last)");
    command->add_option("--rules", options->rules, "repaired (default) or lkf_tools")->type_name("RULES");
    command->add_option("--parameters", options->parameters, "NAME or key=value,... (eps_default)")
        ->type_name("SET");
    command->add_flag("--json", options->json, "JSON with all coordinates");
  }
  {
    auto [command, options] = add_command<cli::SpectrumOptions>(
        program, action, "spectrum", "Radially averaged power spectral density",
        "spectrum out/run/output.nc --variable shear --log10 1e-12", cli::spectrum);
    command->add_option("FILE", options->file, "NetCDF file")->required()->type_name("FILE");
    command->add_option("--variable", options->variable, "Field of two dimensions besides time")
        ->required()
        ->type_name("NAME");
    add_number(*command, "--time", options->time, std::numeric_limits<std::int64_t>::min(),
               std::numeric_limits<std::int64_t>::max(),
               "Index of the time, from the end if negative (the last)");
    command->add_option("--variant", options->variant, "pysteps, windowed, detrended or physical")
        ->type_name("NAME")
        ->capture_default_str();
    add_number(*command, "--log10", options->log10_floor, 1e-300, 1e300, "Of log10(max(x, FLOOR))")
        ->type_name("FLOOR");
    command->add_flag("--json", options->json, "JSON instead of a table");
  }
  {
    auto [command, options] = add_command<cli::InfoOptions>(
        program, action, "info", "Build, devices, policies, cores, libraries", "info", cli::info);
    options->parser = std::string("CLI11 ") + CLI11_VERSION;
  }
  add_command<cli::CasesOptions>(program, action, "cases", "The cases shipped, a line each",
                                 "cases --verbose", cli::cases);
}

/// Moves the command before the options given ahead of it (`ulpine --quiet run ...`) and returns it; empty
/// where there is none.
std::string command_first(std::vector<std::string>& words) {
  auto const found = std::ranges::find_if(words, [](auto const& word) { return !word.starts_with('-'); });
  if (found == words.end()) {
    return {};
  }
  std::rotate(words.begin(), found, found + 1);
  return words.front();
}

std::string hint(std::string const& word, std::vector<std::string> const& known) {
  std::vector<char const*> names;
  for (auto const& name : known) {
    names.push_back(name.c_str());
  }
  names.push_back(nullptr);
  return nearest_hint(word, names.data());
}

/// One line on what is wrong with the command line, with the nearest right name.
std::string usage_problem(CLI::App const& program, CLI::ParseError const& error) {
  auto const chosen = program.get_subcommands();
  auto const* const command = chosen.empty() ? &program : chosen.front();
  auto const help =
      std::string(" (see `ulpine ") + (chosen.empty() ? "" : command->get_name() + " ") + "--help`)";
  auto const left = command->remaining();
  auto const odd = std::ranges::find_if(left, [](auto const& word) { return word.starts_with('-'); });
  if (odd != left.end()) {
    std::vector<std::string> names;
    for (auto const* const option : command->get_options()) {
      for (auto const& name : option->get_lnames()) {
        names.push_back("--" + name);
      }
    }
    auto const word = odd->substr(0, odd->find('='));
    return "unknown option " + word + hint(word, names) + help;
  }
  if (!left.empty()) {
    return "unexpected argument '" + left.front() + "'" + help;
  }
  return error.what() + help;
}

/// That every word says something and can stand in the files that are written: an empty one is mostly an
/// unset variable of the shell, and an option of that value would be one not given.
void require_words(std::vector<std::string> const& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto const& word = words[i];
    auto const option = word.empty() && i > 0 && words[i - 1].starts_with('-') ? words[i - 1] : word;
    if (word.empty() || (word.starts_with("--") && word.find('=') + 1 == word.size())) {
      throw InputError(option.empty()
                           ? "an argument is empty (an unset variable of the shell?) give it or leave it out"
                           : option.substr(0, option.find('=')) +
                                 ": its value is empty (an unset variable of the shell?) give one or leave "
                                 "the option out");
    }
    if (auto const mended = cli::quoted_utf8(word); !mended.second) {
      throw InputError("argument " + mended.first +
                       " is no UTF-8 (as all that is written must be) rename the file or folder");
    }
  }
}

/// The values in `words` that `name` is given: `--name value` and `--name=value`.
std::vector<std::string> values_of(std::vector<std::string> const& words, std::string const& name) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size()) {
      values.push_back(words[i + 1]);
    } else if (words[i].starts_with(name + "=")) {
      values.push_back(words[i].substr(name.size() + 1));
    }
  }
  return values;
}

/// Options whose value is FILE take ordinary files, lists no empty items (which CLI11 would leave out).
void check_values(CLI::App& command, std::vector<std::string> const& words) {
  for (auto* const option : command.get_options()) {
    if (option->get_type_name() == "FILE") {
      option->each([](std::string const& value) { cli::require_ordinary_file(value); });
    }
    if (option->get_delimiter() != ',') {
      continue;
    }
    for (auto const& value : values_of(words, option->get_name())) {
      if (value.starts_with(',') || value.ends_with(',') || value.find(",,") != std::string::npos) {
        throw InputError(option->get_name() + ": an item of '" + value +
                         "' is empty (an unset variable of the shell?) give it or leave out its comma");
      }
    }
  }
}

int execute(int count, char** arguments) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  require_words(words);
  auto const name = command_first(words);
  Action action;
  CLI::App program{"May this answer of a geophysical model on a GPU be trusted?", "ulpine"};
  program.set_version_flag("--version", version);
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 done, all gates passed and nothing differs; 1 a gate or a run failed, or something\n"
      "differs that must not; 2 bad usage or input; 3 no GPU, out of memory, disk full; 4 nothing failed, "
      "but\n"
      "a verdict is undecided (the last line says what would decide it); 130, 143 interrupted.\n\nExample:\n "
      " "
      "ulpine info");
  add_running(program, action, words);
  add_comparing(program, action);

  std::vector<std::string> names;
  for (auto const* const command : program.get_subcommands([](CLI::App const*) { return true; })) {
    names.push_back(command->get_name());
  }
  if (!name.empty() && std::ranges::find(names, name) == names.end()) {
    throw InputError("unknown command '" + name + "'" + hint(name, names) + " (see `ulpine --help`)");
  }
  if (!name.empty()) {
    check_values(*program.get_subcommand(name), words);
  }
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 reads from the end
  } catch (CLI::Success const& success) {
    std::ostringstream text;
    program.exit(success, text, text);
    cli::print({}, text.str());
    cli::flush_output();
    return cli::exit_code::done;
  } catch (CLI::ParseError const& error) {
    throw InputError(words.empty() ? "no command given (see `ulpine --help`)"
                                   : usage_problem(program, error));
  }
  auto const code = action();
  cli::flush_output();
  return code;
}

/// Whether a file operation failed for want of something in the environment rather than by a wrong name.
bool environmental(std::error_code code) {
  return code == std::errc::no_space_on_device || code == std::errc::permission_denied ||
         code == std::errc::read_only_file_system || code == std::errc::io_error ||
         code == std::errc::too_many_files_open || code == std::errc::not_enough_memory;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    host_cpu_check();
    cli::hold_standard_descriptors();
    cli::ignore_signals();
    seaice::register_core();
    return execute(count, arguments);
  } catch (InputError const& error) {
    cli::complain(error.what());
    return cli::exit_code::bad_input;
  } catch (EnvironmentError const& error) {
    cli::complain(error.what());
    return cli::exit_code::environment;
  } catch (ensembles::RunFailed const& error) {
    cli::complain(error.what());
    return cli::exit_code::different;
  } catch (std::bad_alloc const&) {
    cli::complain("out of memory (the host has no more) use a smaller grid, fewer jobs or fewer threads");
    return cli::exit_code::environment;
  } catch (std::filesystem::filesystem_error const& error) {
    auto const path = error.path1().string();
    cli::complain((path.empty() ? "the current folder" : path) + ": cannot be used (" +
                  error.code().message() + ") check the path, its permissions and the free space");
    return environmental(error.code()) ? cli::exit_code::environment : cli::exit_code::bad_input;
  } catch (ensembles::Interrupted const&) {
    return cli::interrupted("Call it again");
  } catch (std::exception const& error) {
    cli::complain(std::string("internal error (") + error.what() +
                  ") please report it with the command and the case");
    return cli::exit_code::environment;
  }
}
