// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/known_differences.hpp"

#include "core/exec/device.hpp"
#include "ensembles/reproducibility/checkpoints.hpp"
#include "ensembles/study/shipped_folder.hpp"
#include "io/hash_log.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

constexpr char const* atlas_file = "atlas.toml";

/// The name of the configuration's device: a card's where there is one.
std::string device_name(Configuration const& configuration) {
  if (!on_gpu(configuration)) return "cpu";
  auto const options = model_options(configuration);
  for (auto const& device : devices()) {
    if (device.ordinal == device_ordinal(options.device)) return device.name;
  }
  return configuration.device;
}

/// What known_of_difference() asks of a configuration; all others are of one program and case.
verification::Facts facts_of(Configuration const& configuration) {
  auto const options = model_options(configuration);
  return {{"device", device_name(configuration)},
          {"policy", policy_text(configuration)},
          {"assembly", assembly_text(configuration)},
          {"threads", std::to_string(on_gpu(configuration) ? 0 : options.threads)},
          {"ranks", std::to_string(configuration.ranks == 0 ? 1 : configuration.ranks)}};
}

}  // namespace

verification::Atlas shipped_atlas() {
  auto const folder = shipped_folder("verification", [](fs::path const& candidate) {
    std::error_code failed;
    return fs::is_regular_file(candidate / atlas_file, failed);
  });
  if (folder.empty()) return {};
  return verification::read_atlas(folder / atlas_file);
}

void tell_what_is_known(BitwiseResult& result, verification::Atlas const& atlas) {
  auto const reference = facts_of(result.outcomes.front().configuration);
  for (auto& outcome : result.outcomes) {
    // A stage that promises its bits everywhere calls nothing that has others.
    if (!outcome.divergence || outcome.divergence->guarantee == Guarantee::bitwise) continue;
    outcome.known = verification::known_of_difference(atlas, outcome.divergence->stage, reference,
                                                      facts_of(outcome.configuration));
  }
}

std::string known_of(RunDifference const& difference, std::array<fs::path, 2> const& runs,
                     verification::Atlas const& atlas) {
  if (difference.stage.empty()) return {};
  return verification::known_of_difference(atlas, difference.stage,
                                           io::read_hash_log(checkpoint_log(runs[0])).attributes,
                                           io::read_hash_log(checkpoint_log(runs[1])).attributes);
}

}  // namespace ulpine::ensembles
