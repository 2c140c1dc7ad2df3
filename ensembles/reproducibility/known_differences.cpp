// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/known_differences.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "core/exec/device.hpp"
#include "ensembles/reproducibility/checkpoints.hpp"
#include "ensembles/study/shipped_folder.hpp"
#include "io/error.hpp"
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
          {"block", std::to_string(on_gpu(configuration) ? options.block : 0)},
          {"ranks", std::to_string(configuration.ranks == 0 ? 1 : configuration.ranks)},
          {"ranks of the host", std::to_string(configuration.host_ranks)}};
}

/// The place of a number among all of its type, from its bits; those below 0 count backwards.
std::int64_t place_of(std::string const& bits) {
  auto const value = std::stoull(bits, nullptr, 16);
  auto const digits = bits.size() - (bits.starts_with("0x") ? 2 : 0);
  auto const sign = std::uint64_t{1} << (4 * digits - 1);
  auto const size = static_cast<std::int64_t>(value & (sign - 1));
  return (value & sign) != 0 ? -size : size;
}

/// Whether a run of several threads, or of a GPU, adds in order of arrival.
bool adds_by_arrival(std::string const& core, Configuration const& configuration) {
  auto const several = on_gpu(configuration) || model_options(configuration).threads > 1;
  return several && assembly_text(configuration) == "atomic" && verification::adds_in_order_of_arrival(core);
}

constexpr char const* no_stage =
    "assembly atomic adds in order of arrival, so that a run may have other bits when it is repeated, and no "
    "stage "
    "is named: look with --assembly deterministic whether there is a fault besides";

}  // namespace

double distance(ElementDifference const& difference) {
  if (!std::isfinite(difference.reference) || !std::isfinite(difference.value)) {
    return std::numeric_limits<double>::infinity();
  }
  if (difference.reference_bits.size() > 18 || difference.reference_bits.size() < 3) {
    return std::numeric_limits<double>::infinity();
  }
  auto const first = static_cast<std::uint64_t>(place_of(difference.reference_bits)),
             second = static_cast<std::uint64_t>(place_of(difference.value_bits));
  auto const less = place_of(difference.reference_bits) < place_of(difference.value_bits);
  return static_cast<double>(less ? second - first : first - second);
}

verification::Atlas shipped_atlas() {
  auto const folder = shipped_folder("verification", [](fs::path const& candidate) {
    std::error_code failed;
    return fs::is_regular_file(candidate / atlas_file, failed);
  });
  if (folder.empty()) return {};
  try {
    return verification::read_atlas(folder / atlas_file);
  } catch (InputError const& error) {
    // What is known is told besides: the difference itself needs no atlas.
    auto const warning = "warning: " + std::string(error.what()) + "; nothing is told of known differences";
    std::fprintf(stderr, "%s\n", one_line(warning).c_str());
    return {};
  }
}

void tell_what_is_known(BitwiseResult& result, verification::Atlas const& atlas) {
  auto const& first = result.outcomes.front().configuration;
  for (auto& outcome : result.outcomes) {
    if (outcome.invalid || result.outcomes.front().invalid) continue;
    auto const& divergence = outcome.divergence;
    if (!divergence || divergence->stage.empty()) {
      auto const arrival =
          adds_by_arrival(result.core, first) && adds_by_arrival(result.core, outcome.configuration);
      if (!outcome.equal && arrival) outcome.known = no_stage;
      continue;
    }
    // A stage that promises its bits everywhere calls nothing that has others.
    if (divergence->element < 0 || divergence->guarantee == Guarantee::bitwise) continue;
    outcome.known =
        verification::known_of_difference(atlas, divergence->stage, facts_of(first),
                                          facts_of(outcome.configuration), {}, {}, distance(*divergence));
  }
}

std::string known_of(RunDifference const& difference, std::array<fs::path, 2> const& runs,
                     verification::Atlas const& atlas) {
  // A record that one run lacks, or of another shape or type, has no element.
  if (difference.stage.empty() || difference.element.element < 0) return {};
  return verification::known_of_difference(
      atlas, difference.stage, io::read_hash_log(checkpoint_log(runs[0])).attributes,
      io::read_hash_log(checkpoint_log(runs[1])).attributes, {}, {}, distance(difference.element));
}

}  // namespace ulpine::ensembles
