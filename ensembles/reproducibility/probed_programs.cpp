// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/probed_programs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ensembles/reproducibility/known_differences.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/process.hpp"
#include "ensembles/runs/run.hpp"
#include "io/error.hpp"
#include "verification/comparison/trace_merge.hpp"
#include "verification/comparison/trace_report.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// Runs the program to its end, whose trace is then at `trace`, or in files of ranks of that name.
void run(Program const& program, fs::path const& trace, ProbedRequest const& request) {
  auto const outcome = run_process({"/usr/bin/env", "ULPINE_TRACE=" + trace.string(), program.path.string()},
                                   request.limits, request.cancel);
  stop_where(request.cancel);
  if (!outcome.beyond.empty()) {
    throw EnvironmentError(
        fmt::format("{}: was ended (it {}) {}", program.name, outcome.beyond,
                    outcome.late ? "give it more with --program-timeout" : "see what it complains about"));
  }
  if (outcome.status == 0) return;
  throw RunFailed(fmt::format("{}: {}{}", program.name, how_it_ended(outcome.status, false),
                              outcome.errors.empty() ? "" : ": " + last_line(outcome.errors)));
}

verification::MergedTrace trace_of(Program const& program, fs::path const& trace) {
  std::error_code failed;
  auto const left =
      std::ranges::any_of(fs::directory_iterator{trace.parent_path(), failed},
                          [](fs::directory_entry const& entry) { return entry.is_regular_file(); });
  if (!left) {
    throw InputError(
        "--programs: " + program.name +
        " left no trace (it told the probe of no step, or is not linked to it) call the probe in it, "
        "or name a CASE for builds of this program");
  }
  return verification::read_merged_trace(trace);
}

}  // namespace

ProbedResult compare_probed(ProbedRequest const& request) {
  if (request.programs.size() < 2) {
    throw InputError(
        "one program alone cannot be compared (at least two are needed) write --programs a=PATH,b=PATH");
  }
  ProbedResult result;
  std::vector<verification::MergedTrace> firsts;  // of each group
  for (std::size_t i = 0; i < request.programs.size(); ++i) {
    auto const& program = request.programs[i];
    stop_where(request.cancel);
    if (request.progress) {
      request.progress(program.name + " runs",
                       static_cast<double>(i) / static_cast<double>(request.programs.size()));
    }
    auto const folder = request.scratch / std::to_string(i);
    fs::create_directories(folder);
    run(program, folder / "trace.bin", request);
    auto trace = trace_of(program, folder / "trace.bin");
    ProbedOutcome outcome{program, static_cast<std::int64_t>(trace.trace.records.size()), trace.ranks};
    outcome.notes = verification::reservations(trace, program.name);
    for (outcome.group = 0; outcome.group < firsts.size(); ++outcome.group) {
      auto difference = verification::first_divergence(firsts[outcome.group], trace);
      if (!difference) break;
      if (outcome.group == 0) outcome.difference = std::move(difference);
    }
    if (outcome.group == firsts.size()) {
      if (outcome.difference) {
        auto known = verification::known_of(shipped_atlas(), *outcome.difference, firsts.front(), trace);
        if (!known.empty()) outcome.notes.push_back(std::move(known));
      }
      firsts.push_back(std::move(trace));
    } else {
      outcome.difference.reset();
    }
    result.outcomes.push_back(std::move(outcome));
  }
  result.groups = firsts.size();
  return result;
}

std::string table(ProbedResult const& result) {
  std::size_t name = 7;
  for (auto const& outcome : result.outcomes) name = std::max(name, outcome.program.name.size());
  auto text = fmt::format("{:<{}}  bits  records  ranks\n", "program", name);
  for (auto const& outcome : result.outcomes) {
    text += fmt::format("{:<{}}  {:>4}  {:>7}  {:>5}\n", outcome.program.name, name, outcome.group + 1,
                        outcome.records, outcome.ranks);
  }
  for (auto const& outcome : result.outcomes) {
    if (outcome.difference) {
      text += fmt::format("{} (bits {}) against {} (bits 1): {}\n", outcome.program.name, outcome.group + 1,
                          result.outcomes.front().program.name, verification::describe(*outcome.difference));
    }
    for (auto const& note : outcome.notes) text += note + "\n";
  }
  return text;
}

}  // namespace ulpine::ensembles
