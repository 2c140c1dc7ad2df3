// SPDX-License-Identifier: Apache-2.0
#include "ensembles/cards/prediction.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

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
    case Bound::instructions:
      return "instructions";
    case Bound::threads:
      return "few threads";
    case Bound::latency:
      return "latency";
  }
  return "";
}

double StageLoad::all_instructions() const {
  return std::accumulate(instructions.begin(), instructions.end(), 0.0);
}

StageLoad StageLoad::times(double factor) const {
  auto load = *this;
  for (auto* const amount : {&load.launches, &load.bytes, &load.kernels, &load.points, &load.numbers,
                             &load.operations, &load.operand_bytes}) {
    *amount *= factor;
  }
  for (auto& count : load.instructions) count *= factor;
  return load;
}

StageTerms terms_of(StageLoad const& load, Card const& card, Efficiency const& efficiency) {
  auto const issued = load.all_instructions() + efficiency.overhead.value_or(0) * load.operations;
  StageTerms terms;
  terms.memory = load.moved_bytes() / (card.bandwidth() * efficiency.memory);
  terms.arithmetic = issued / card.issue_rate();
  constexpr std::array bounds = {Bound::fp64, Bound::fp32, Bound::special, Bound::integer};
  for (std::size_t i = 0; i < pipes; ++i) {
    auto const pipe = static_cast<Pipe>(i);
    auto const rate = card.instruction_rate(pipe);
    if (!rate) continue;
    auto const seconds = load.on(pipe) / (*rate * efficiency.of(pipe));
    if (seconds >= terms.arithmetic) {
      terms.arithmetic = seconds;
      terms.bound = bounds[i];
    }
  }
  terms.thread = std::max(load.of_a_thread(load.numbers) * efficiency.number_latency.value_or(0),
                          load.of_a_thread(issued) * efficiency.instruction_latency.value_or(0));
  terms.latency =
      load.launches * efficiency.latency + load.loop_kernels() * efficiency.kernel_latency.value_or(0);
  return terms;
}

StageTime time_of(StageLoad const& load, Card const& card, Efficiency const& efficiency) {
  auto const terms = terms_of(load, card, efficiency);
  StageTime time{load.name, load.launches, terms.seconds(), Bound::memory};
  auto longest = terms.memory;
  if (terms.arithmetic > longest) {
    longest = terms.arithmetic;
    time.bound = terms.bound;
  }
  if (terms.thread > terms.memory + terms.arithmetic) {
    longest = terms.thread;
    time.bound = Bound::threads;
  }
  if (terms.latency > longest) time.bound = Bound::latency;
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
