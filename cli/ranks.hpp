// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/ranks/mpi_ranks.hpp"
#include "ensembles/study/case_source.hpp"

namespace ulpine::cli {

/// Keeps the arguments of main() for require_ranks().
void keep_arguments(int argc, char** argv);
/// Nothing where the program has `ranks` already. Else has mpirun start the same command with them, and ends
/// as it does. InputError, before any is started, where the case is too small for them; EnvironmentError
/// where there is no mpirun or it has started too few. `remedy` is told where a rank is killed. Each rank has
/// `threads`: where the processors are fewer than all of them, threads that wait do not keep one busy
/// (OMP_WAIT_POLICY is passive), unless the environment says how they wait.
void require_ranks(int ranks, int threads, ensembles::CaseSource const& source,
                   char const* remedy = "go on from the last restart file");

/// While it lives this rank runs the program and the others of `team`, which are in serve(), serve it; then
/// `before` is the team again. Null: no team.
class TeamInCharge {
 public:
  explicit TeamInCharge(std::shared_ptr<Ranks> team, std::shared_ptr<Ranks> before = nullptr);
  TeamInCharge(TeamInCharge const&) = delete;
  TeamInCharge& operator=(TeamInCharge const&) = delete;
  ~TeamInCharge();

 private:
  std::shared_ptr<Ranks> team_, before_;
};

/// Keeps the session whose ranks in_groups() and answer_call() divide. Called once; it outlives all commands.
void keep_session(MpiSession const& session);
/// Called on rank 0: splits the team into groups of `size` neighbours, which divides their number. The first
/// of each runs a command, its own one here own(), the others words_of(group), with the rest of its group as
/// its team. Returns when all have ended: the largest exit code. What own() throws is thrown then.
int in_groups(int size, std::function<std::vector<std::string>(int group)> const& words_of,
              std::function<int()> const& own);
/// For the other ranks: takes their part in in_groups(), which has called them with `words`. `command` does
/// not throw.
int answer_call(std::vector<std::string> const& words,
                std::function<int(std::vector<std::string> const& words)> const& command);

/// This process among the program's processes on its machine: its number from 0, and how many there are.
struct LocalRank {
  int rank = 0, size = 1;
};
/// Called once, before commands.
void set_local_rank(LocalRank local);
LocalRank local_rank();

}  // namespace ulpine::cli
