// SPDX-License-Identifier: Apache-2.0
#include "ensembles/cards/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "io/error.hpp"

namespace ulpine::ensembles::cards {
namespace {

/// What is fitted: the reciprocal efficiency of memory, and the other numbers as they are.
enum Unknown : std::size_t { memory, overhead, number_latency, instruction_latency, latency, kernel_latency };
constexpr std::size_t unknowns = 6;
using Vector = std::array<double, unknowns>;
/// None is below 0, and memory no faster than files of efficiencies have it.
constexpr Vector least = {1 / largest_efficiency};
/// A stage that would take no time counts as one that takes so much of what was measured, so that its
/// logarithm is finite.
constexpr double least_ratio = 1e-6;

/// What a stage takes over what was measured, where each of the unknowns is 1 and memory and pipes run at the
/// card's rates. With x of the unknowns: max(memory x + max(pipes, issued + overhead x), numbers x,
/// (instructions + operations x of overhead) x) + launches x + kernels x.
struct Terms {
  double memory, pipes, issued, overhead, numbers, instructions, operations, launches, kernels;

  struct Ratio {
    double value;
    Vector slopes;  ///< by the unknowns
  };
  Ratio at(Vector const& x) const {
    auto const issue = issued + overhead * x[Unknown::overhead];
    auto const of_a_thread = instructions + operations * x[Unknown::overhead];
    auto const work = memory * x[Unknown::memory] + std::max(pipes, issue),
               moving = numbers * x[number_latency], issuing = of_a_thread * x[instruction_latency];
    Ratio ratio{std::max({work, moving, issuing}), {}};
    auto& slopes = ratio.slopes;
    if (work >= moving && work >= issuing) {
      slopes[Unknown::memory] = memory;
      if (issue >= pipes) slopes[Unknown::overhead] = overhead;
    } else if (moving >= issuing) {
      slopes[number_latency] = numbers;
    } else {
      slopes[instruction_latency] = of_a_thread;
      slopes[Unknown::overhead] = operations * x[instruction_latency];
    }
    slopes[latency] = launches;
    slopes[kernel_latency] = kernels;
    ratio.value = std::max(least_ratio, ratio.value + launches * x[latency] + kernels * x[kernel_latency]);
    return ratio;
  }
};

Terms terms_of(MeasuredStage const& stage, Card const& card) {
  auto const& load = stage.load;
  auto const alone = cards::terms_of(load, card, {});
  auto const all = load.all_instructions(), seconds = stage.seconds;
  return {.memory = alone.memory / seconds,
          .pipes = alone.arithmetic / seconds,
          .issued = all / card.issue_rate() / seconds,
          .overhead = load.operations / card.issue_rate() / seconds,
          .numbers = load.of_a_thread(load.numbers) / seconds,
          .instructions = load.of_a_thread(all) / seconds,
          .operations = load.of_a_thread(load.operations) / seconds,
          .launches = load.launches / seconds,
          .kernels = load.loop_kernels() / seconds};
}

double error_of(std::span<Terms const> stages, Vector const& x) {
  double sum = 0;
  for (auto const& terms : stages) sum += std::pow(std::log(terms.at(x).value), 2);
  return sum;
}

/// Solves the normal equations of the unknowns that are free, by Cholesky's factors; the other ones are 0.
Vector solve(std::array<Vector, unknowns> a, Vector b, std::array<bool, unknowns> const& free) {
  for (std::size_t i = 0; i < unknowns; ++i) {
    if (free[i]) continue;
    for (std::size_t j = 0; j < unknowns; ++j) a[i][j] = a[j][i] = 0;
    a[i][i] = 1;
    b[i] = 0;
  }
  for (std::size_t j = 0; j < unknowns; ++j) {
    for (std::size_t i = j; i < unknowns; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(a[j][j]) : a[i][j] / a[j][j];
    }
  }
  for (std::size_t i = 0; i < unknowns; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = unknowns; i-- > 0;) {
    for (std::size_t k = i + 1; k < unknowns; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

/// From x on, by damped steps of least squares (Levenberg, Marquardt) that end at the least numbers where
/// they would go below, to where none makes the error smaller.
Vector settle(std::span<Terms const> stages, Vector x) {
  constexpr int most_rounds = 200;
  constexpr double least_damping = 1e-12, most_damping = 1e12;
  auto error = error_of(stages, x);
  double damping = 1e-3;
  for (int round = 0; round < most_rounds && damping < most_damping; ++round) {
    std::array<Vector, unknowns> squares{};
    Vector downhill{};
    for (auto const& terms : stages) {
      auto const [value, slopes] = terms.at(x);
      for (std::size_t i = 0; i < unknowns; ++i) {
        downhill[i] -= slopes[i] / value * std::log(value);
        for (std::size_t j = 0; j < unknowns; ++j) squares[i][j] += slopes[i] * slopes[j] / (value * value);
      }
    }
    std::array<bool, unknowns> free{};
    for (std::size_t i = 0; i < unknowns; ++i) {
      free[i] = squares[i][i] > 0 && (x[i] > least[i] || downhill[i] > 0);
      squares[i][i] *= 1 + damping;
    }
    auto const step = solve(squares, downhill, free);
    auto next = x;
    for (std::size_t i = 0; i < unknowns; ++i) next[i] = std::max(least[i], x[i] + step[i]);
    auto const next_error = error_of(stages, next);
    if (next_error < error) {
      x = next;
      error = next_error;
      damping = std::max(least_damping, damping / 8);
    } else {
      damping *= 8;
    }
  }
  return x;
}

/// The largest that an unknown can be by itself, without a stage predicted to take longer than measured.
Vector largest_alone(std::span<Terms const> stages) {
  Vector most{};
  for (auto const& terms : stages) {
    Vector const of = {terms.memory,       terms.overhead, terms.numbers,
                       terms.instructions, terms.launches, terms.kernels};
    for (std::size_t i = 0; i < unknowns; ++i) most[i] = std::max(most[i], of[i]);
  }
  for (auto& of : most) of = of > 0 ? 1 / of : 0;
  return most;
}

}  // namespace

Halves halve(std::span<MeasuredStage const> stages) {
  std::set<std::string> names;
  for (auto const& stage : stages) names.insert(stage.load.name);
  Halves halves;
  for (auto const& stage : stages) {
    auto const index = std::distance(names.begin(), names.find(stage.load.name));
    (index % 2 == 0 ? halves.fitted : halves.judged).push_back(stage);
  }
  auto const is_loop = [](MeasuredStage const& stage) { return stage.load.is_loop(); };
  if (std::ranges::none_of(halves.fitted, is_loop)) std::erase_if(halves.judged, is_loop);
  return halves;
}

Efficiency fit_efficiency(std::span<MeasuredStage const> stages, Card const& card) {
  std::vector<Terms> terms;
  for (auto const& stage : stages) terms.push_back(terms_of(stage, card));
  // The error has several valleys, as what a stage waits for depends on the efficiencies: the search starts
  // from a small and a large number of each.
  auto const largest = largest_alone(terms);
  Vector best{};
  auto least_error = std::numeric_limits<double>::infinity();
  for (std::size_t start = 0; start < std::size_t{1} << unknowns; ++start) {
    auto x = largest;
    for (std::size_t i = 0; i < unknowns; ++i) x[i] /= (start >> i) % 2 == 0 ? 1 : 8;
    x = settle(terms, x);
    if (auto const error = error_of(terms, x); error < least_error) {
      least_error = error;
      best = x;
    }
  }
  std::array<bool, unknowns> matters{};
  for (auto const& of_stage : terms) {
    auto const slopes = of_stage.at(best).slopes;
    for (std::size_t i = 0; i < unknowns; ++i) matters[i] = matters[i] || slopes[i] > 0;
  }
  auto const fitted = [&](Unknown unknown) {
    return matters[unknown] ? std::optional(best[unknown]) : std::nullopt;
  };
  Efficiency efficiency;
  if (matters[memory]) efficiency.memory = 1 / best[memory];
  efficiency.latency = best[latency];
  efficiency.kernel_latency = fitted(kernel_latency);
  efficiency.overhead = fitted(overhead);
  efficiency.number_latency = fitted(number_latency);
  efficiency.instruction_latency = fitted(instruction_latency);
  return efficiency;
}

std::vector<JudgedStage> judge(std::span<MeasuredStage const> stages, Card const& card,
                               Efficiency const& efficiency) {
  std::vector<JudgedStage> judged;
  for (auto const& stage : stages) {
    auto const time = time_of(stage.load, card, efficiency);
    judged.push_back({stage.load.name, stage.run, stage.seconds, time.seconds, time.bound});
  }
  std::ranges::stable_sort(judged, std::greater{}, &JudgedStage::seconds);
  return judged;
}

MeasuredEfficiency fit_and_judge(std::span<MeasuredStage const> stages, Card const& card) {
  auto const halves = halve(stages);
  if (halves.judged.empty()) {
    throw InputError(
        "fewer than two stages have measured times (one half is fitted to, the other judges) give runs "
        "whose stages are timed");
  }
  MeasuredEfficiency measured;
  measured.efficiency = fit_efficiency(halves.fitted, card);
  auto& judgement = measured.judgement;
  judgement.fitted = static_cast<int>(halves.fitted.size());
  judgement.judged = static_cast<int>(halves.judged.size());
  double predicted = 0, seconds = 0;
  std::vector<double> errors;
  for (auto const& stage : judge(halves.judged, card, measured.efficiency)) {
    predicted += stage.predicted;
    seconds += stage.seconds;
    errors.push_back(std::abs(stage.error()));
  }
  constexpr std::size_t dearest = 10;
  judgement.largest_error =
      *std::max_element(errors.begin(), errors.begin() + std::ptrdiff_t(std::min(dearest, errors.size())));
  judgement.total_error = std::abs(predicted / seconds - 1);
  std::ranges::sort(errors);
  judgement.median_error = errors[errors.size() / 2];
  return measured;
}

}  // namespace ulpine::ensembles::cards
