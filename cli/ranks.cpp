// SPDX-License-Identifier: Apache-2.0
#include "cli/ranks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/model/ranked_model.hpp"
#include "core/ranks/mpi_ranks.hpp"
#include "io/error.hpp"

namespace ulpine::cli {
namespace {

std::vector<std::string>& arguments() {
  static std::vector<std::string> words;
  return words;
}

}  // namespace

void keep_arguments(int argc, char** argv) { arguments().assign(argv, argv + argc); }

void require_ranks(int ranks) {
  if (ranks <= crew_size()) return;
  if (started_by_mpi() || mpi_version().empty()) {
    throw EnvironmentError(fmt::format(
        "{} ranks are needed ({}) {}", ranks,
        started_by_mpi() ? fmt::format("mpirun started {}", crew_size()) : "this build has no MPI",
        started_by_mpi() ? "start more, or leave mpirun out" : "install libopenmpi-dev and build it again"));
  }
  // Ranks of one comparison may be more than processors, and have threads of their own.
  std::vector<std::string> words{"mpirun",          "-n",        std::to_string(ranks),
                                 "--oversubscribe", "--bind-to", "none"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.insert(words.end(), arguments().begin(), arguments().end());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers.front(), pointers.data());
  throw EnvironmentError(fmt::format(
      "mpirun cannot be started ({}) install openmpi-bin, or compare on one rank", std::strerror(errno)));
}

}  // namespace ulpine::cli
