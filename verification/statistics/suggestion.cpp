// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "verification/statistics/distributions.hpp"

namespace ulpine::verification {
namespace {

/// The first output after the start at which the noise is in the field; the end of the outputs where it is in
/// none.
std::size_t first_reached(NoiseGrowth const& growth) {
  for (std::size_t t = 0; t < growth.time_s.size(); ++t) {
    if (growth.time_s[t] > 0 && growth.error[t] > 0) return t;
  }
  return growth.time_s.size();
}

constexpr double visible = 100;  ///< errors over the resolution, so that a file shows them to two digits
constexpr double linear = 0.01;  ///< errors over saturation, below which they grow as if infinitely small
constexpr double parted = 0.5;   ///< errors over saturation, above which trajectories have parted

}  // namespace

std::optional<GrowthRate> growth_rate(NoiseGrowth const& growth) {
  double n = 0, sum_t = 0, sum_y = 0, sum_tt = 0, sum_ty = 0;
  GrowthRate rate;
  for (std::size_t i = 0; i < growth.time_s.size(); ++i) {
    auto const error = growth.error[i], time = growth.time_s[i];
    if (!(error > 10 * growth.resolution && error < growth.saturation / 10 && error > 0)) continue;
    auto const y = std::log(error);
    if (n == 0) rate.begin_s = time;
    rate.end_s = time;
    n += 1;
    sum_t += time;
    sum_y += y;
    sum_tt += time * time;
    sum_ty += time * y;
  }
  auto const spread = n * sum_tt - sum_t * sum_t;
  if (n < 3 || !(spread > 0)) return {};
  rate.per_s = (n * sum_ty - sum_t * sum_y) / spread;
  return rate.per_s > 0 ? std::optional(rate) : std::nullopt;
}

int members_for_equivalence(double margin, double alpha, double power) {
  auto const z =
      distributions::normal_quantile_above(alpha) + distributions::normal_quantile_above((1 - power) / 2);
  return static_cast<int>(std::ceil(2 * z * z / (margin * margin)));
}

Suggestion suggest(std::vector<NoiseGrowth> const& growths, double amplitude, double margin) {
  Suggestion suggestion;
  double wanted = 1, most = std::numeric_limits<double>::infinity();
  std::string faintest;
  for (auto const& growth : growths) {
    auto const first = first_reached(growth);
    if (first == growth.time_s.size()) {
      suggestion.reasons.push_back(fmt::format(
          "{}: noise of {:g} does not show in it until the end: a larger amplitude, or longer runs",
          growth.field, amplitude));
      continue;
    }
    auto const error = growth.error[first];
    if (auto const factor = visible * growth.resolution / error; factor > wanted) {
      wanted = factor;
      faintest = growth.field;
    }
    if (growth.saturation > 0) most = std::min(most, linear * growth.saturation / error);
  }
  auto const least = std::pow(10, std::ceil(std::log10(amplitude * wanted) - 1e-9));
  auto const factor =
      std::min(wanted == 1 ? 1 : least / amplitude, std::max(most, std::numeric_limits<double>::min()));
  suggestion.amplitude = amplitude * factor;
  if (most < 1) {
    suggestion.reasons.push_back(fmt::format(
        "amplitude: at {:g} fields are beyond a hundredth of saturation at the first output already",
        amplitude));
  } else if (wanted > 1) {
    suggestion.reasons.push_back(
        fmt::format("amplitude: at {:g} the noise in {} is at the last bit of its file at the first output; "
                    "this is a hundred "
                    "times above",
                    amplitude, faintest));
  } else {
    suggestion.reasons.push_back(
        fmt::format("amplitude: at {:g} all fields that the noise reaches show it a hundred times above the "
                    "last bit of their "
                    "file",
                    amplitude));
  }
  double until = 0;
  for (auto const& growth : growths) {
    auto const rate = growth_rate(growth);
    auto const first = first_reached(growth);
    if (!rate || first == growth.time_s.size()) continue;
    auto const half = growth.time_s[first] +
                      std::log(parted * growth.saturation / (growth.error[first] * factor)) / rate->per_s;
    suggestion.reasons.push_back(fmt::format("{}: noise doubles in {:.3g} s (from {:g} s to {:g} s)",
                                             growth.field, std::log(2.) / rate->per_s, rate->begin_s,
                                             rate->end_s));
    until = std::max(until, half);
  }
  if (until > 0) {
    suggestion.until_s = until;
    suggestion.reasons.push_back(
        fmt::format("length: at {:.4g} s the last of these comes to half of saturation; after that "
                    "statistics alone tell more",
                    until));
  } else {
    suggestion.reasons.emplace_back(
        "length: noise does not grow exponentially in these runs, so that errors of single runs can be "
        "judged to the end");
  }
  suggestion.members = members_for_equivalence(margin);
  suggestion.reasons.push_back(
      fmt::format("members: as many of each show with probability 0.9 that means of equal ensembles differ "
                  "by less than {:g} of a "
                  "member's standard deviation",
                  margin));
  return suggestion;
}

}  // namespace ulpine::verification
