// SPDX-License-Identifier: Apache-2.0
// How the options of all commands are written down. CLI11 compiles slowly: only the files that declare
// options and the one that reads them include this.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "core/model/unchecked_options.hpp"
#include "ensembles/programs/program_study.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"
#include "precision/policy.hpp"

namespace ulpine::cli {

/// "ulpine 0.2.0 (commit ...)".
std::string version();

/// An option that is written once, `--name a,b,c`, or repeated; never greedy, so that positionals may follow.
inline void add_list(CLI::App& command, std::string const& name, std::vector<std::string>& target,
                     std::string const& meaning) {
  command.add_option(name, target, meaning)
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// An option `--name VALUE` that may be repeated; commas belong to the value.
inline void add_repeated(CLI::App& command, std::string const& name, std::vector<std::string>& target,
                         std::string const& type, std::string const& meaning) {
  command.add_option(name, target, meaning)
      ->type_name(type)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
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
    if constexpr (std::floating_point<Number>) {
      if (auto const problem = io::range_problem(word); !problem.empty()) {
        throw CLI::ValidationError(name, problem);
      }
    }
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

/// The sub-commands of the program, and the action of the one that is chosen.
struct CommandLine {
  CLI::App& program;
  std::vector<std::string> const& words;  ///< as given, the command first
  std::function<int()> action = {};
};

/// A sub-command with what is common to all; Options{}.common, and `execute` runs when it is chosen.
/// `example` is what follows its name.
template <class Options>
std::pair<CLI::App*, std::shared_ptr<Options>> add_command(CommandLine& line, std::string const& name,
                                                           std::string const& description,
                                                           std::string const& example,
                                                           int (*execute)(Options const&)) {
  auto* const command = line.program.add_subcommand(name, description);
  auto options = std::make_shared<Options>();
  command->set_version_flag("--version", version());
  command->add_flag("-q,--quiet", options->common.quiet, "Nothing on standard output, no progress");
  command->add_flag("-v,--verbose", options->common.verbose, "Say more");
  command->footer("Example:\n  " + program_name() + " " + name + (example.empty() ? "" : " ") + example);
  command->callback(
      [&line, options, execute] { line.action = [options, execute] { return execute(*options); }; });
  return {command, options};
}

/// An option, and what it would need to have an effect: empty where it has one.
struct IdleOption {
  char const* name;
  std::function<std::string()> needs;
};
/// Once all options of the command are read: InputError for the first that is given without effect.
inline void refuse_idle_options(CLI::App& command, std::vector<IdleOption> const& options) {
  command.parse_complete_callback([&command, options] {
    for (auto const& option : options) {
      if (command.get_option(option.name)->count() == 0) continue;
      if (auto const needs = option.needs(); !needs.empty()) {
        throw InputError(std::string(option.name) + ": has no effect (it needs " + needs +
                         ") give that, or leave the option out");
      }
    }
  });
}
/// The condition of --block that the places do not meet: a GPU in one of them; empty where there is one.
inline std::string needs_gpu(std::vector<std::string> const& places) {
  for (auto const& place : places) {
    if (place.find("cuda") != std::string::npos) return {};
  }
  return "a GPU among the devices, as cuda";
}

/// The condition that the case is one of a core; empty where it is. `options` outlive it.
template <class Options>
std::function<std::string()> needs_core(Options const& options) {
  return [&options]() -> std::string {
    auto const program = ensembles::names_program({options.case_file, options.set});
    return program ? "the case of a core, where a program has variants" : "";
  };
}

/// The condition that the case names a program; empty where it does. `options` outlive it.
template <class Options>
std::function<std::string()> needs_program(Options const& options) {
  return [&options]() -> std::string {
    return ensembles::names_program({options.case_file, options.set}) ? "" : "a case with core = \"program\"";
  };
}

/// Adds --variant, for commands that run one variant of a program.
inline void add_variant(CLI::App& command, std::string& variant) {
  command.add_option("--variant", variant, "Variant of the program that the case names (its first)")
      ->type_name("NAME");
}

/// Adds --unchecked-options, for commands that make models of cases.
inline void add_unchecked_options(CLI::App& command) {
  command.add_flag_callback(unchecked_options_flag, take_unchecked_options,
                            "Let the case give PETSc any options: they may write files and load code");
}

template <class Options>
void add_case(CLI::App& command, Options& options) {
  command.add_option("CASE", options.case_file, "Case file (TOML)")->required()->type_name("FILE");
  add_repeated(command, "--set", options.set, "KEY=VALUE", "Override a key of the case; may be repeated");
  add_unchecked_options(command);
}

template <class Options>
CLI::Option* add_overwrite(CLI::App& command, Options& options) {
  return command.add_flag("--overwrite", options.common.overwrite,
                          "Replace also files of these names that Ulpine did not write");
}

/// "fp64, fp32, quad or a format (e11m52-sr1)", of all policies.
inline std::string policy_choices() {
  std::string text;
  for (auto const* name = policy_names(); *name != nullptr; ++name) text += *name + std::string(", ");
  return text.substr(0, text.size() - 2) + " or a format of the host (e8m23, e11m52-sr1)";
}

/// Adds the options of one run, for commands where nothing names whole configurations.
template <class Options>
void add_policy(CLI::App& command, Options& options) {
  command.add_option("--policy", options.policy, policy_choices())
      ->type_name("POLICY")
      ->capture_default_str();
  command.add_option("--assembly", options.assembly, "deterministic or atomic")
      ->type_name("MODE")
      ->capture_default_str();
}

/// The option --device, whose value `store` takes.
inline CLI::Option* add_device_function(CLI::App& command,
                                        std::function<void(std::string const&)> const& store) {
  return command
      .add_option_function<std::string>(
          "--device", store,
          "cpu, cuda (under mpirun a GPU a rank), cuda:N, or of RANKS processes mpi:RANKS, cuda:1xRANKS")
      ->type_name("DEVICE");
}

template <class Options>
void add_device(CLI::App& command, Options& options) {
  add_device_function(command, [&options](std::string const& device) {
    options.device = device;
  })->default_str(options.device);
}

/// An option that takes a time, "90 s" or "2 h", in seconds; InputError where it is none.
inline CLI::Option* add_duration(CLI::App& command, std::string const& name, std::optional<double>& target,
                                 std::string const& meaning) {
  return command
      .add_option_function<std::string>(
          name, [&target, name](std::string const& text) { target = duration_option(name, text); }, meaning)
      ->type_name("TIME");
}

/// The limit of other programs' time.
template <class Options>
CLI::Option* add_program_timeout(CLI::App& command, Options& options) {
  return command
      .add_option("--program-timeout", options.program_timeout, "How long a call of another program may take")
      ->type_name("TIME")
      ->capture_default_str();
}

/// --csv, beside --json where the command has that.
template <class Options>
void add_csv(CLI::App& command, Options& options, std::string const& meaning) {
  command.add_flag("--csv", options.csv, meaning)->excludes("--json");
}

/// --json and --csv, for commands that print a table.
template <class Options>
void add_table_formats(CLI::App& command, Options& options) {
  command.add_flag("--json", options.json, "JSON instead of a table");
  add_csv(command, options, "CSV instead of a table");
}

template <class Options>
void add_time_index(CLI::App& command, Options& options) {
  add_number(command, "--time", options.time, std::numeric_limits<std::int64_t>::min(),
             std::numeric_limits<std::int64_t>::max(),
             "Index of the time, from the end if negative (the last)");
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

/// Commands that run models: run, ensemble, report, bitwise, conformance, restart.
void add_running(CommandLine& line);
/// Commands that look for the place where runs diverge: trace-diff, replay.
void add_tracing(CommandLine& line);
/// The search for the cheapest precisions (options_search.cpp).
void add_search(CommandLine& line);
/// Digits by random rounding (options_digits.cpp).
void add_digits(CommandLine& line);
/// Commands that read files: compare, lkf, spectrum; and what the program can tell of itself.
void add_comparing(CommandLine& line);
/// consistency.
void add_consistency(CommandLine& line);

}  // namespace ulpine::cli
