// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verification/consistency/consistency.hpp"

// Ensembles with known truth, and how often consistency tests say what about them.

namespace ulpine::consistency_trials {

enum class Tail { normal, lognormal, student3 };
char const* name_of(Tail tail);

/// Runs of `variables` numbers each, of unit variance (before the tail) and equal correlations.
struct Population {
  std::size_t variables = 12;
  double correlation = 0.5;
  Tail tail = Tail::normal;
};

/// What is done to the first variable of the new runs.
struct Fault {
  std::string name;
  double shift = 0;   ///< in standard deviations of the population
  double spread = 1;  ///< factor, about the mean
  bool not_a_number = false;
};

struct Trial {
  Population population = {};
  Fault fault = {};
  std::size_t members = 30, runs = 24;
};

/// The means of an ensemble and of new runs that are drawn anew for each `number`.
struct Drawn {
  verification::consistency::EnsembleSummary ensemble, tests;
};
Drawn draw(Trial const& trial, std::uint64_t seed, std::uint64_t number);

/// Answers of one method, or of the verdict as a whole, over trials.
struct Tally {
  std::string method;
  std::int64_t different = 0, consistent = 0, other = 0;
  std::int64_t trials() const { return different + consistent + other; }
};
/// The verdict first, then each method that says anything. `parameters` as of the request.
std::vector<Tally> tally(Trial const& trial, std::int64_t trials, std::uint64_t seed, int threads,
                         std::vector<std::string> const& methods = {},
                         std::vector<std::pair<std::string, std::string>> const& parameters = {});

/// Of a share, 95 %, by Clopper and Pearson.
struct Interval {
  double low = 0, high = 1;
};
Interval interval_of(std::int64_t hits, std::int64_t trials);

}  // namespace ulpine::consistency_trials
