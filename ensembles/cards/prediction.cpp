// SPDX-License-Identifier: Apache-2.0
#include "ensembles/cards/prediction.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace ulpine::ensembles::cards {

char const* name_of(Bound bound) {
  switch (bound) {
    case Bound::memory:
      return "memory";
    case Bound::fp64:
      return name_of(Pipe::fp64);
    case Bound::fp32:
      return name_of(Pipe::fp32);
    case Bound::special:
      return name_of(Pipe::special);
    case Bound::integer:
      return name_of(Pipe::integer);
    case Bound::latency:
      return "latency";
  }
  return "";
}

StageTime time_of(StageLoad const& load, Card const& card, Efficiency const& efficiency) {
  StageTime time{load.name, load.launches, load.bytes / (card.bandwidth() * efficiency.memory),
                 Bound::memory};
  constexpr std::array bounds = {Bound::fp64, Bound::fp32, Bound::special, Bound::integer};
  for (std::size_t i = 0; i < pipes; ++i) {
    auto const pipe = static_cast<Pipe>(i);
    auto const rate = card.instruction_rate(pipe);
    if (!rate) continue;
    auto const seconds = load.on(pipe) / (*rate * efficiency.of(pipe));
    if (seconds > time.seconds) {
      time.seconds = seconds;
      time.bound = bounds[i];
    }
  }
  auto const latency =
      load.launches * efficiency.latency + load.loop_kernels() * efficiency.kernel_latency.value_or(0);
  if (latency > time.seconds) time.bound = Bound::latency;
  time.seconds += latency;
  return time;
}

Prediction predict(std::span<StageLoad const> loads, Card const& card, Efficiency const& efficiency) {
  Prediction prediction;
  for (auto const& load : loads) {
    prediction.stages.push_back(time_of(load, card, efficiency));
    prediction.seconds += prediction.stages.back().seconds;
  }
  return prediction;
}

std::vector<std::pair<Bound, double>> waits_of(Prediction const& prediction) {
  std::map<Bound, double> seconds;
  for (auto const& stage : prediction.stages) seconds[stage.bound] += stage.seconds;
  std::vector<std::pair<Bound, double>> waits(seconds.begin(), seconds.end());
  for (auto& [bound, share] : waits) share /= prediction.seconds;
  std::ranges::stable_sort(waits, std::greater{}, &std::pair<Bound, double>::second);
  return waits;
}

std::vector<Pipe> pipes_without_rate(std::span<StageLoad const> loads, Card const& card) {
  std::vector<Pipe> without;
  for (std::size_t i = 0; i < pipes; ++i) {
    auto const pipe = static_cast<Pipe>(i);
    if (card.instruction_rate(pipe)) continue;
    if (std::ranges::any_of(loads, [&](StageLoad const& load) { return load.on(pipe) > 0; }))
      without.push_back(pipe);
  }
  return without;
}

}  // namespace ulpine::ensembles::cards
