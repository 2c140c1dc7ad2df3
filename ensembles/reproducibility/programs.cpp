// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/programs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/model/unchecked_options.hpp"
#include "ensembles/reproducibility/checkpoints.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/process.hpp"
#include "ensembles/runs/run.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// Runs `words`, the program first, to a good end; else throws what the program's exit code means.
void call(std::string const& who, std::vector<std::string> const& words, ProcessLimits const& limits,
          std::atomic<bool> const* cancel) {
  auto const outcome = run_process(words, limits, cancel);
  stop_where(cancel);
  if (!outcome.beyond.empty()) {
    throw EnvironmentError(
        fmt::format("{}: was ended (it {}) {}", who, outcome.beyond,
                    outcome.late ? "give it more with --program-timeout" : "see what it complains about"));
  }
  if (outcome.status == 0) return;
  if (outcome.status == -1) {
    throw EnvironmentError(fmt::format(
        "{}: cannot be started ({}) see whether it can, and what `ulimit` allows", who, outcome.errors));
  }
  auto const message =
      fmt::format("{}: {}", who, outcome.errors.empty() ? "ended without a word" : last_line(outcome.errors));
  if (outcome.status == 1) throw RunFailed(message);
  if (outcome.status == 2) throw InputError(message);
  throw EnvironmentError(message);
}

class Comparison {
 public:
  explicit Comparison(ProgramsRequest const& request) : request_{request} {}

  ProgramsResult run() {
    ProgramsResult result;
    auto const case_file = request_.source.load();
    result.core = case_file.core();
    result.configuration = request_.configuration;
    result.steps = request_.steps;
    std::vector<std::size_t> firsts;  // of each group the first program
    for (std::size_t i = 0; i < request_.programs.size(); ++i) {
      auto const& program = request_.programs[i];
      tell(program.name + " runs", i);
      call(program.name, words(program), request_.limits, request_.cancel);
      require_log(program);
      auto const log = log_of(i);
      ProgramOutcome outcome{program, log.attribute("compiler"), log.attribute("flags"),
                             io::hex(log.hashes.back())};
      auto const same =
          std::ranges::find_if(firsts, [&](std::size_t first) { return log_of(first).hashes == log.hashes; });
      outcome.group = static_cast<std::size_t>(same - firsts.begin());
      if (same == firsts.end()) {
        firsts.push_back(i);
        if (i > 0) {
          tell(program.name + " against " + request_.programs.front().name, i);
          outcome.difference = difference(program);
        }
      }
      result.outcomes.push_back(std::move(outcome));
    }
    result.groups = firsts.size();
    return result;
  }

 private:
  void tell(std::string const& what, std::size_t done) const {
    stop_where(request_.cancel);
    if (request_.progress) {
      request_.progress(what, static_cast<double>(done) / static_cast<double>(request_.programs.size()));
    }
  }
  fs::path folder(Program const& program) const { return request_.scratch / path_text(program.name); }
  io::HashLog log_of(std::size_t program) const {
    return io::read_hash_log(checkpoint_log(folder(request_.programs[program])));
  }

  /// Programs of others may end well too, whatever they are called with.
  void require_log(Program const& program) const {
    if (fs::exists(checkpoint_log(folder(program)))) return;
    throw InputError(
        "--programs: " + program.name +
        " ended well without running the case (it is no build of this program) leave CASE out for "
        "programs that tell the probe of their stages");
  }

  std::vector<std::string> words(Program const& program) const {
    auto const& configuration = request_.configuration;
    std::vector<std::string> words = {program.path.string(), "run", request_.source.path.string()};
    auto const add = [&](std::string const& option, std::string const& value) {
      words.push_back(option);
      words.push_back(value);
    };
    for (auto const& item : request_.source.overrides) add("--set", item);
    add("--set", "output.interval='0 s'");  // outputs would fill the disk in long runs
    add("-o", folder(program).string());
    add("--policy", configuration.policy);
    add("--assembly", name_of(configuration.assembly));
    for (auto const& [stage, policy] : configuration.stages) add("--stage", stage + "=" + policy);
    add("--device", configuration.device);
    if (configuration.size > 0 || !on_gpu(configuration)) {
      add(on_gpu(configuration) ? "--block" : "--threads", std::to_string(std::max(configuration.size, 1)));
    }
    add("--steps", std::to_string(request_.steps));
    add("--checkpoints", std::to_string(usual_checkpoints));
    if (takes_unchecked_options()) words.emplace_back(unchecked_options_flag);
    words.emplace_back("--quiet");
    return words;
  }

  std::optional<RunDifference> difference(Program const& program) const {
    auto const& first = request_.programs.front();
    return first_difference({folder(first), folder(program)},
                            replay_by({first.path, program.path}, request_.limits, request_.cancel),
                            request_.scratch / "replays");
  }

  ProgramsRequest const& request_;
};

}  // namespace

std::vector<Program> parse_programs(std::vector<std::string> const& texts) {
  std::vector<Program> programs;
  for (auto const& text : texts) {
    auto const equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw InputError("--programs: '" + text +
                       "' is no NAME=PATH (a program needs a name in the table) give both");
    }
    if (auto const name = text.substr(0, equals); name == "." || name == "..") {
      throw InputError("--programs: '" + name +
                       "' is no name (its run has a folder of that name) choose another");
    }
    Program program{text.substr(0, equals), text.substr(equals + 1)};
    auto const same = [&](Program const& other) { return path_text(other.name) == path_text(program.name); };
    if (std::ranges::any_of(programs, same)) {
      throw InputError("--programs: " + program.name +
                       " is there twice (names tell programs apart) rename one");
    }
    std::error_code failed;
    if (!fs::is_regular_file(program.path, failed) || ::access(program.path.c_str(), X_OK) != 0) {
      throw InputError("--programs: " + program.path.string() +
                       " is no program (no file that can be executed) "
                       "name a build of this one");
    }
    program.path = fs::absolute(program.path);
    programs.push_back(std::move(program));
  }
  return programs;
}

Replayer replay_by(std::array<fs::path, 2> programs, ProcessLimits const& limits,
                   std::atomic<bool> const* cancel) {
  return [programs = std::move(programs), limits, cancel](std::size_t run, ReplayRequest const& request) {
    std::vector<std::string> words = {programs[run].string(),
                                      "replay",
                                      fs::absolute(request.run).string(),
                                      "--step",
                                      std::to_string(request.step),
                                      "-o",
                                      request.output.string(),
                                      "--quiet"};
    if (request.from) words.insert(words.end(), {"--from", std::to_string(*request.from)});
    if (takes_unchecked_options()) words.emplace_back(unchecked_options_flag);
    if (request.record) words.insert(words.end(), {"--record", std::to_string(*request.record)});
    call(programs[run].string(), words, limits, cancel);
  };
}

ProgramsResult compare_programs(ProgramsRequest const& request) {
  if (request.programs.size() < 2) {
    throw InputError(
        "one program alone cannot be compared (at least two are needed) write --programs a=PATH,b=PATH");
  }
  return Comparison(request).run();
}

std::string table(ProgramsResult const& result) {
  std::size_t name = 7, compiler = 15;
  for (auto const& outcome : result.outcomes) {
    name = std::max(name, outcome.program.name.size());
    compiler = std::max(compiler, outcome.compiler.size());
  }
  auto text = fmt::format("{}, {}, {} steps\n{:<{}}  bits  {:<16}  {:<{}}  with flags\n", result.core,
                          to_text(result.configuration), result.steps, "program", name, "final state",
                          "Ulpine built by", compiler);
  for (auto const& outcome : result.outcomes) {
    text += fmt::format("{:<{}}  {:>4}  {:<16}  {:<{}}  {}\n", outcome.program.name, name, outcome.group + 1,
                        outcome.hash, outcome.compiler, compiler, outcome.flags);
  }
  for (auto const& outcome : result.outcomes) {
    if (outcome.difference) {
      text += fmt::format("{} (bits {}) against {} (bits 1): {}", outcome.program.name, outcome.group + 1,
                          result.outcomes.front().program.name, describe(*outcome.difference));
    }
  }
  return text;
}

}  // namespace ulpine::ensembles
