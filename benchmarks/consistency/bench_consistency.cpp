// SPDX-License-Identifier: Apache-2.0
// Rates of consistency tests on made-up ensembles of known truth, and the published rules' own rates, as
// Markdown (docs/results/consistency.md).
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "consistency/published.hpp"
#include "consistency/trials.hpp"

namespace {

using namespace ulpine::consistency_trials;

std::string rate(std::int64_t hits, std::int64_t trials) {
  auto const [low, high] = interval_of(hits, trials);
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", 100 * double(hits) / double(trials), 100 * low, 100 * high);
}

void print_rows(Trial const& trial, std::int64_t trials, int threads) {
  for (auto const& [method, different, consistent, other] : tally(trial, trials, 1, threads)) {
    if (method == "values" && !trial.fault.not_a_number) continue;
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", trial.fault.name, name_of(trial.population.tail),
               trial.population.correlation, method, rate(different, different + consistent + other), other);
  }
}

void print_faults(std::int64_t equal, std::int64_t faulty, int threads) {
  fmt::print("30 members, 12 variables, 24 new runs; {} equal trials and {} of each fault a row.\n\n", equal,
             faulty);
  fmt::print(
      "| new runs | tails | correlation | method | `different`, % (95 % interval) | without power |\n");
  fmt::print("| --- | --- | ---: | --- | ---: | ---: |\n");
  for (auto const tail : {Tail::normal, Tail::lognormal, Tail::student3}) {
    for (auto const correlation : {0.0, 0.5, 0.9}) {
      Trial trial{.population = {12, correlation, tail}, .fault = {.name = "equal"}};
      print_rows(trial, equal, threads);
      for (auto const& fault :
           {Fault{.name = "shift of 1.5 sd", .shift = 1.5}, Fault{.name = "spread x 3", .spread = 3},
            Fault{.name = "spread / 5", .spread = 0.2}, Fault{.name = "NaN", .not_a_number = true}}) {
        trial.fault = fault;
        print_rows(trial, faulty, threads);
      }
    }
  }
}

void print_power(std::int64_t trials, int threads) {
  fmt::print(
      "\nPower of the verdict for a shift of one of 12 variables (correlation 0.5, normal), {} trials "
      "each.\n\n",
      trials);
  fmt::print(
      "| members | new runs | 0.5 sd | 1 sd | 1.5 sd | 2 sd | 3 sd |\n| ---: | ---: | ---: | ---: | ---: | "
      "---: | ---: |\n");
  for (auto const& [members, runs] : std::vector<std::pair<std::size_t, std::size_t>>{
           {10, 10}, {20, 10}, {24, 24}, {30, 24}, {50, 30}, {100, 30}, {30, 3}, {100, 3}}) {
    fmt::print("| {} | {} |", members, runs);
    for (auto const shift : {0.5, 1.0, 1.5, 2.0, 3.0}) {
      Trial const trial{
          .population = {}, .fault = {.name = "", .shift = shift}, .members = members, .runs = runs};
      auto const verdict = tally(trial, trials, 2, threads).front();
      fmt::print(" {:.0f} % |", 100 * double(verdict.different) / double(verdict.trials()));
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t equal = 2000, faulty = 300;
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string const option = argv[i];
    if (option == "--equal") {
      equal = std::stoll(argv[i + 1]);
    } else if (option == "--faulty") {
      faulty = std::stoll(argv[i + 1]);
    } else if (option == "--jobs") {
      threads = std::stoi(argv[i + 1]);
    } else {
      fmt::print(stderr, "usage: bench_consistency [--equal 2000] [--faulty 300] [--jobs N]\n");
      return 2;
    }
  }
  print_faults(equal, faulty, threads);
  print_power(faulty, threads);
  print_published(threads);
  return 0;
}
