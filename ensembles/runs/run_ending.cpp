// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/run_ending.hpp"

#include <new>

#include "core/model/not_solved.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {

RunEnding ending_of(PlannedRun const& planned, std::function<RunRecord()> const& run, bool is_reference) {
  RunEnding ending{{planned}};
  try {
    auto const record = run();
    if (!record.interrupted) {
      ending.entry.state = RunState::done;
      ending.entry.hash = record.hash;
      ending.entry.wall_s = record.wall_s;
    }
  } catch (NotSolved const& problem) {
    ending.failure = problem.what();
  } catch (InputError const& problem) {
    ending.failure = problem.what();
    if (is_reference) ending.fatal = std::current_exception();
  } catch (EnvironmentError const&) {
    ending.fatal = std::current_exception();
  } catch (std::bad_alloc const&) {
    ending.fatal = std::make_exception_ptr(EnvironmentError(
        "out of memory (several runs side by side) use fewer --jobs, or a smaller --batch on a GPU"));
  } catch (std::exception const& problem) {
    ending.failure = problem.what();
  }
  return ending;
}

std::string message_of(std::exception_ptr const& problem) {
  try {
    std::rethrow_exception(problem);
  } catch (std::exception const& error) {
    return error.what();
  }
}

}  // namespace ulpine::ensembles
