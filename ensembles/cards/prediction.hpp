// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ensembles/cards/card.hpp"
#include "ensembles/cards/efficiency.hpp"

namespace ulpine::ensembles::cards {

/// What the launches of a stage ask of a card, in a model step or in a run.
struct StageLoad {
  std::string name;
  double launches = 0;
  double bytes = 0;                             ///< to and from memory
  std::array<double, pipes> instructions = {};  ///< by pipe

  double kernels = 0;  ///< that they run on the host, where inner products are none

  double on(Pipe pipe) const { return instructions[static_cast<std::size_t>(pipe)]; }
  /// Whether a launch is a loop of kernels, as of a solver, which mostly waits for their latencies.
  bool is_loop() const { return kernels > 16 * launches; }
  /// Kernels of such launches, but for the first of each.
  double loop_kernels() const { return is_loop() ? kernels - launches : 0; }
};

/// What a stage waits for.
enum class Bound { memory, fp64, fp32, special, integer, latency };
/// "memory", "FP64", "FP32", "special functions", "integer", "latency".
char const* name_of(Bound bound);

/// The time that a stage is predicted to take.
struct StageTime {
  std::string name;
  double launches = 0;
  double seconds = 0;
  Bound bound = Bound::memory;
};

/// Seconds = max(bytes / (bandwidth x e), instructions of each pipe / (rate x e)) + launches x latency
/// + loop_kernels() x kernel_latency, with the efficiencies e; the bound is the largest of all these terms,
/// both latencies being one. Instructions for which the card states no rate take no time.
StageTime time_of(StageLoad const& load, Card const& card, Efficiency const& efficiency);

struct Prediction {
  std::vector<StageTime> stages;
  double seconds = 0;  ///< sum over the stages
};
/// The stages one after the other.
Prediction predict(std::span<StageLoad const> loads, Card const& card, Efficiency const& efficiency);

/// What a step waits for, with its share of the time, the largest first.
std::vector<std::pair<Bound, double>> waits_of(Prediction const& prediction);

/// Pipes for which there are instructions, but whose rate the card does not state.
std::vector<Pipe> pipes_without_rate(std::span<StageLoad const> loads, Card const& card);

}  // namespace ulpine::ensembles::cards
