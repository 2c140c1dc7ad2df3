// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ensembles/search/cost_model.hpp"
#include "ensembles/search/search.hpp"
#include "ensembles/study/case_source.hpp"

namespace ulpine::ensembles::search {

/// The stages and precisions that a case's model offers to a search.
struct Probe {
  std::string case_hash;
  CostModel costs;                     ///< costs of all stages that are launched
  std::vector<std::size_t> lowerable;  ///< those of them that can run in another precision
  std::vector<std::vector<bool>>
      possible;                       ///< by place in `lowerable`, then precision ([0]: the reference's)
  std::vector<int> bits;              ///< Space::bits
  std::vector<std::string> policies;  ///< those of Options::policies that the core has
  std::vector<std::pair<std::string, std::string>> refused;
};

/// Steps of a run whose launches are counted.
inline constexpr int probed_steps = 10;

/// Builds models to see which stages run in which precision, and takes the first steps of one whose stages
/// all run by themselves, to count launches: kernels that fuse several stages do not run beside overrides.
/// InputError for unknown precisions, policies and stages, and where no stage can be lowered.
Probe probe_stages(CaseSource const& source, Options const& options);

}  // namespace ulpine::ensembles::search
