// SPDX-License-Identifier: Apache-2.0
#include "probe/source/launch.hpp"

#include <charconv>
#include <optional>
#include <string_view>

namespace ulpine::probe {
namespace {

std::optional<int> number(char const* text) {
  if (text == nullptr) return {};
  std::string_view const digits = text;
  int value = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return {};
  return value;
}

}  // namespace

Launch launch_of(std::function<char const*(char const*)> const& variable) {
  struct Names {
    char const *rank, *ranks;
    char const* needed;  ///< a variable that must be there too, or null
  };
  // A script of a Slurm job has the number of tasks and rank 0 too, but is no task of a step.
  constexpr Names launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr},
                                 {"PMI_RANK", "PMI_SIZE", nullptr},
                                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID"},
                                 {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID"}};
  Launch launch;
  for (auto const& names : launchers) {
    auto const rank = number(variable(names.rank)), ranks = number(variable(names.ranks));
    if (!rank || !ranks || *rank < 0 || *rank >= *ranks ||
        (names.needed != nullptr && variable(names.needed) == nullptr)) {
      continue;
    }
    launch.rank = *rank;
    launch.ranks = *ranks;
    break;
  }
  if (launch.ranks == 1) return launch;
  if (auto const* const name = variable("PMIX_NAMESPACE")) {
    launch.run = name;
  } else if (auto const* const job = variable("SLURM_JOB_ID"), * const step = variable("SLURM_STEP_ID");
             job != nullptr && step != nullptr) {
    launch.run = std::string{job} + "." + step;
  }
  return launch;
}

}  // namespace ulpine::probe
