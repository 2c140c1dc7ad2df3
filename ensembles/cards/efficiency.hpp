// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ensembles/cards/card.hpp"

namespace ulpine::ensembles::cards {

/// Caches can serve a stage faster than memory does: efficiencies may be above 1, within reason.
inline constexpr double largest_efficiency = 100;

/// What stages reach of a card's rates. What is empty was not measured: no stage's time depends on it.
struct Efficiency {
  double memory = 1;  ///< of memory.bandwidth
  /// Of the rates of the pipes, all of them where empty, as fits leave them: instructions that nobody counts
  /// are `overhead`.
  std::array<std::optional<double>, pipes> of_pipe = {};
  double latency = 0;  ///< s, which every launch takes besides
  /// s, which each kernel of a launch that is a loop of kernels takes besides, but for the first.
  std::optional<double> kernel_latency = {};
  std::optional<double> overhead = {};  ///< instructions of addresses, loads and loops for an operation
  /// s, which a thread at least takes for each number that it moves, and for each instruction.
  std::optional<double> number_latency = {}, instruction_latency = {};

  double of(Pipe pipe) const { return of_pipe[static_cast<std::size_t>(pipe)].value_or(1); }
};

/// Where efficiencies come from.
struct Judgement {
  std::string card;               ///< id of the card that they were measured on
  std::vector<std::string> runs;  ///< "case, policy, device" of each run
  int fitted = 0, judged = 0;     ///< stages that they were fitted to, and others that they were judged by
  double median_error = 0;        ///< of the judged stages' times, relative
  double largest_error = 0;       ///< of those of the ten that take longest
  double total_error = 0;         ///< of their sum
};

struct MeasuredEfficiency {
  Efficiency efficiency;
  Judgement judgement;
};

/// The efficiencies that hold for a card.
struct ChosenEfficiency {
  Efficiency efficiency;
  std::string words;  ///< a clause on whose they are
};

/// What a file of efficiencies begins with.
inline constexpr char const* efficiency_head =
    "# SPDX-License-Identifier: Apache-2.0\n# What stages reach of a card's rates";
std::string to_toml(MeasuredEfficiency const& measured);
/// InputError "<file>:<line>: <key>: ...".
MeasuredEfficiency read_efficiency(std::filesystem::path const& file);

/// Those of `folder`/efficiency/ID.toml of the card itself, else of the card that it names, else all of the
/// card's rates and no latency.
ChosenEfficiency efficiency_for(Card const& card, std::filesystem::path const& folder = cards_folder());

}  // namespace ulpine::ensembles::cards
