// SPDX-License-Identifier: Apache-2.0
// Rates of consistency tests on made-up ensembles of known truth, what no test could better, power by number
// of members, and the published rules' own rates, as Markdown (docs/results/consistency.md).
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "consistency/ceilings.hpp"
#include "consistency/published.hpp"
#include "consistency/trials.hpp"

namespace {

using namespace ulpine::consistency_trials;

struct Options {
  std::int64_t equal = 2000, faulty = 300, power = 100;
  std::uint64_t seed = 1;
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  std::string part = "all";
};

std::string share(std::int64_t hits, std::int64_t trials) {
  auto const [low, high] = interval_of(hits, trials);
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", 100 * double(hits) / double(trials), 100 * low, 100 * high);
}

std::array<Fault, 4> faults() {
  return {{{.name = "shift of 1.5 sd", .shift = 1.5},
           {.name = "spread x 3", .spread = 3},
           {.name = "spread / 5", .spread = 0.2},
           {.name = "NaN", .not_a_number = true}}};
}

void print_verdicts(Trial const& trial, std::int64_t trials, std::uint64_t seed, int threads) {
  auto const verdict = tally(trial, trials, seed, threads).front();
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} |\n", name_of(trial.population.tail),
             trial.population.correlation, trial.fault.name, seed, trials, share(verdict.different, trials),
             share(verdict.other, trials), share(verdict.consistent, trials));
  std::fflush(stdout);
}

/// Every row has random numbers of its own: chance that is bad in one is not in the next.
void print_faults(Options const& options) {
  fmt::print(
      "\n30 members, 12 variables, 24 new runs: verdicts in % (95 % interval).\n\n"
      "| tails | correlation | new runs | seed | trials | `different` | `undecided` | `consistent` |\n"
      "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n");
  auto seed = options.seed;
  for (auto const correlation : {0.0, 0.5, 0.9}) {
    for (auto const tail : {Tail::normal, Tail::lognormal, Tail::student3}) {
      Trial trial{.population = {12, correlation, tail}, .fault = {.name = "equal"}};
      print_verdicts(trial, options.equal, seed++, options.threads);
      for (auto const& fault : faults()) {
        trial.fault = fault;
        print_verdicts(trial, options.faulty, seed++, options.threads);
      }
    }
  }
}

/// Different, and consistent, of equal runs and of ones with a fault.
void print_power(Options const& options) {
  fmt::print(
      "\nBy number of runs: 12 normal variables of correlation 0.5, {} trials each, seed {} onwards; "
      "`different` / "
      "`consistent` in %, the rest `undecided` or `no power`.\n\n"
      "| members | new runs | equal | shift of 0.5 sd | 1 sd | 1.5 sd | 2 sd | 3 sd | spread x 3 |\n"
      "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      options.power, options.seed + 1000);
  auto seed = options.seed + 1000;
  for (auto const& [members, runs] : std::vector<std::pair<std::size_t, std::size_t>>{
           {10, 10}, {24, 3}, {20, 20}, {30, 24}, {40, 40}, {60, 40}, {100, 10}, {100, 100}}) {
    fmt::print("| {} | {} |", members, runs);
    std::vector<Fault> columns = {{.name = "equal"}};
    for (auto const shift : {0.5, 1.0, 1.5, 2.0, 3.0}) columns.push_back({.name = "shift", .shift = shift});
    columns.push_back({.name = "spread", .spread = 3});
    for (auto const& fault : columns) {
      Trial const trial{.population = {}, .fault = fault, .members = members, .runs = runs};
      auto const verdict = tally(trial, options.power, seed++, options.threads).front();
      auto const in_percent = [&](std::int64_t hits) { return 100 * double(hits) / double(options.power); };
      fmt::print(" {:.0f} / {:.0f} |", in_percent(verdict.different), in_percent(verdict.consistent));
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}

int usage() {
  fmt::print(stderr,
             "usage: bench_consistency [--equal 2000] [--faulty 300] [--power 100] [--seed 1] [--jobs N] "
             "[--part all|ceilings|rates|power|published]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (argc % 2 == 0) return usage();
  for (int i = 1; i < argc; i += 2) {
    std::string const option = argv[i], value = argv[i + 1];
    if (option == "--equal") {
      options.equal = std::stoll(value);
    } else if (option == "--faulty") {
      options.faulty = std::stoll(value);
    } else if (option == "--power") {
      options.power = std::stoll(value);
    } else if (option == "--seed") {
      options.seed = std::stoull(value);
    } else if (option == "--jobs") {
      options.threads = std::stoi(value);
    } else if (option == "--part") {
      options.part = value;
    } else {
      return usage();
    }
  }
  auto const asked = [&](char const* part) { return options.part == "all" || options.part == part; };
  if (asked("ceilings")) print_ceilings();
  if (asked("rates")) print_faults(options);
  if (asked("power")) print_power(options);
  if (asked("published")) print_published(options.threads);
  return 0;
}
