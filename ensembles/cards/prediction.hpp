// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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
  double bytes = 0;                             ///< to and from memory, the least
  std::array<double, pipes> instructions = {};  ///< by pipe

  double kernels = 0;        ///< that they run on the host, where inner products are none
  double points = 0;         ///< of all these kernels, each a thread; 0 where nobody counted them
  double passes = 1;         ///< bytes that they move over the least ones
  double numbers = 0;        ///< that the least bytes are
  double operations = 0;     ///< of the source, which instructions are made of
  double operand_bytes = 0;  ///< of one number for each operation

  double on(Pipe pipe) const { return instructions[static_cast<std::size_t>(pipe)]; }
  /// Of all pipes.
  double all_instructions() const;
  /// So many times the load.
  StageLoad times(double factor) const;
  /// Whether a launch is a loop of kernels, as of a solver.
  bool is_loop() const { return kernels > 16 * launches; }
  /// Kernels of such launches, but for the first of each.
  double loop_kernels() const { return is_loop() ? kernels - launches : 0; }
  /// Bytes to and from memory: each operation of a loop takes a number, as one of a sparse matrix, that the
  /// least bytes have once a launch.
  double moved_bytes() const { return is_loop() ? std::max(bytes, operand_bytes) : bytes * passes; }
  /// What one thread after another does in a launch's kernels, summed over the launches: of numbers that it
  /// moves, of instructions. 0 where nobody counted the points.
  double of_a_thread(double amount) const { return points > 0 ? amount * kernels / points : 0; }
};

/// What a stage waits for: `instructions` are those of all pipes together, with the ones for addresses;
/// `threads` that there are too few to hide what each of them waits for.
enum class Bound { memory, fp64, fp32, special, integer, instructions, threads, latency };
/// "memory", "FP64", "FP32", "special functions", "integer", "instructions", "few threads", "latency".
char const* name_of(Bound bound);

/// The time that a stage is predicted to take.
struct StageTime {
  std::string name;
  double launches = 0;
  double seconds = 0;
  Bound bound = Bound::memory;
};

/// What a stage's time is made of, s.
struct StageTerms {
  double memory = 0;      ///< moved_bytes() / (bandwidth x its efficiency)
  double arithmetic = 0;  ///< the largest of what `bound` may be
  Bound bound = Bound::instructions;
  /// of_a_thread() of numbers or of instructions, overhead with them, times the latency of one: the larger.
  double thread = 0;
  double latency = 0;  ///< launches x latency + loop_kernels() x kernel latency

  double seconds() const { return std::max(memory + arithmetic, thread) + latency; }
};
/// The arithmetic takes the largest of instructions / (rate x efficiency) of each pipe, and (instructions of
/// all pipes + overhead x operations) / issue rate. Pipes whose rate the card does not state take no time.
StageTerms terms_of(StageLoad const& load, Card const& card, Efficiency const& efficiency);

/// Seconds = max(memory + arithmetic, thread) + latency. The bound is the largest of memory, what arithmetic
/// waits for and latency; `threads` in place of the first two where a thread takes longer than they.
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
