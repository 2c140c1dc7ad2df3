// SPDX-License-Identifier: Apache-2.0
#include "cli/ranks.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/console.hpp"
#include "core/model/ranked_model.hpp"
#include "core/ranks/mpi_ranks.hpp"
#include "ensembles/runs/rank_check.hpp"
#include "io/error.hpp"

namespace ulpine::cli {
namespace {

std::vector<std::string>& arguments() {
  static std::vector<std::string> words;
  return words;
}

LocalRank& own_local_rank() {
  static LocalRank local;
  return local;
}

MpiSession const*& kept_session() {
  static MpiSession const* session = nullptr;
  return session;
}

/// work() of the first of this rank's group; the others serve it.
int in_own_group(int size, std::function<int()> const& work) {
  auto const& session = *kept_session();
  auto const group = session.group(size);
  if (group->rank() != 0) {
    serve(*group);
    return exit_code::done;
  }
  auto const& world = session.world();
  TeamInCharge const team(group, world->rank() == 0 ? world : nullptr);
  return work();
}

}  // namespace

void set_local_rank(LocalRank local) { own_local_rank() = local; }
LocalRank local_rank() { return own_local_rank(); }

void keep_arguments(int argc, char** argv) { arguments().assign(argv, argv + argc); }

void require_ranks(int ranks, int threads, ensembles::CaseSource const& source, char const* remedy) {
  if (ranks <= team_size()) return;
  if (started_by_mpi() || mpi_version().empty()) {
    throw EnvironmentError(fmt::format(
        "{} ranks are needed ({}) {}", ranks,
        started_by_mpi() ? fmt::format("mpirun started {}", team_size()) : "this build has no MPI",
        started_by_mpi() ? "start more, or leave mpirun out" : "install libopenmpi-dev and build it again"));
  }
  // More would only wait for each other, for minutes, before one of them looks at the grid.
  auto const processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (auto const most = std::max(64, 16 * processors); ranks > most) {
    throw InputError(fmt::format(
        "{} ranks are more than are started from here (this machine has {} processors, {} ranks are the "
        "most) name fewer in the device, or start them with mpirun",
        ranks, processors, most));
  }
  ensembles::require_enough_for_ranks(source, ranks);
  // Ranks of one comparison may be more than processors, and have threads of their own.
  std::vector<std::string> words{"mpirun",          "--quiet",   "-n",  std::to_string(ranks),
                                 "--oversubscribe", "--bind-to", "none"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.insert(words.end(), arguments().begin(), arguments().end());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  // A thread that spins for others would keep them from the processor that they need.
  if (std::int64_t{ranks} * threads > processors) setenv("OMP_WAIT_POLICY", "passive", 0);
  // Interrupts reach mpirun, too, which passes them on: this process waits for its answer.
  std::signal(SIGINT, SIG_IGN);
  pid_t child = 0;
  auto const failed = posix_spawnp(&child, pointers.front(), nullptr, nullptr, pointers.data(), environ);
  if (failed != 0) {
    throw EnvironmentError(fmt::format(
        "mpirun cannot be started ({}) install openmpi-bin, or stay on one rank", std::strerror(failed)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int by_signal = 128;
  auto const code = WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status);
  if (code > by_signal && code != by_signal + SIGINT) {
    complain(fmt::format("a rank ended (signal {}) {}", code - by_signal, remedy));
  }
  std::exit(code);
}

TeamInCharge::TeamInCharge(std::shared_ptr<Ranks> team, std::shared_ptr<Ranks> before)
    : team_{std::move(team)}, before_{std::move(before)} {
  set_team(team_);
}

TeamInCharge::~TeamInCharge() {
  set_team(before_);
  if (team_) dismiss(*team_);
}

void keep_session(MpiSession const& session) { kept_session() = &session; }

int in_groups(int size, std::function<std::vector<std::string>(int group)> const& words_of,
              std::function<int()> const& own) {
  // The size first, so that a rank knows its group before it can fail: others wait for it there.
  call_ranks([&](int rank) {
    auto words = words_of(rank / size);
    words.insert(words.begin(), std::to_string(size));
    return words;
  });
  std::exception_ptr failed;
  int code = exit_code::done;
  try {
    code = in_own_group(size, own);
  } catch (...) {
    failed = std::current_exception();
  }
  code = std::max(code, await_ranks());
  if (failed) std::rethrow_exception(failed);
  return code;
}

int answer_call(std::vector<std::string> const& words,
                std::function<int(std::vector<std::string> const& words)> const& command) {
  return in_own_group(std::stoi(words.front()), [&] { return command({words.begin() + 1, words.end()}); });
}

}  // namespace ulpine::cli
