// SPDX-License-Identifier: Apache-2.0
#include "ensembles/cards/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "io/error.hpp"

namespace ulpine::ensembles::cards {
namespace {

constexpr std::size_t unknowns = pipes + 3;  ///< of memory, of each pipe, of launches, of kernels of loops
constexpr std::size_t latency = pipes + 1, kernel_latency = pipes + 2;
using Vector = std::array<double, unknowns>;

/// Where a term of a stage's time is as short as it can be: seconds of memory and pipes at all of the card's
/// rates, launches and kernels of loops, over the measured seconds. The predicted time over the measured one
/// is then the largest of the first ones times their reciprocal efficiencies, plus the last two times the
/// latencies.
Vector terms_of(MeasuredStage const& stage, Card const& card) {
  Vector terms{};
  terms[0] = stage.load.bytes / card.bandwidth() / stage.seconds;
  for (std::size_t i = 0; i < pipes; ++i) {
    auto const rate = card.instruction_rate(static_cast<Pipe>(i));
    if (rate) terms[i + 1] = stage.load.instructions[i] / *rate / stage.seconds;
  }
  terms[latency] = stage.load.launches / stage.seconds;
  terms[kernel_latency] = stage.load.loop_kernels() / stage.seconds;
  return terms;
}

std::size_t bound_of(Vector const& terms, Vector const& slowness) {
  std::size_t bound = 0;
  for (std::size_t i = 1; i < latency; ++i) {
    if (terms[i] * slowness[i] > terms[bound] * slowness[bound]) bound = i;
  }
  return bound;
}

/// The predicted time over the measured one. A stage that would take no time counts as one that takes a
/// millionth of what was measured, so that its logarithm is finite.
double ratio_of(Vector const& terms, std::size_t bound, Vector const& slowness) {
  constexpr double least = 1e-6;
  return std::max(least, terms[bound] * slowness[bound] + terms[latency] * slowness[latency] +
                             terms[kernel_latency] * slowness[kernel_latency]);
}

double error_of(std::span<Vector const> stages, Vector const& slowness) {
  double sum = 0;
  for (auto const& terms : stages) {
    auto const logarithm = std::log(ratio_of(terms, bound_of(terms, slowness), slowness));
    sum += logarithm * logarithm;
  }
  return sum;
}

/// Asks for a sum of terms that has a value: that of its bound and those of the latencies, times what is
/// unknown.
struct Equation {
  Vector terms;
  std::size_t bound;
  double value;
};

/// That each stage takes the measured time.
std::vector<Equation> equations_of(std::span<Vector const> stages, Vector const& slowness) {
  std::vector<Equation> equations;
  for (auto const& terms : stages) equations.push_back({terms, bound_of(terms, slowness), 1});
  return equations;
}

/// That the logarithm of each stage's ratio is 0, linear about `slowness`: with the ratio p there, log x is
/// about log p + (x - p) / p, which is 0 for x / p = 1 - log p.
std::vector<Equation> logarithms_of(std::span<Vector const> stages, Vector const& slowness) {
  auto equations = equations_of(stages, slowness);
  for (auto& [terms, bound, value] : equations) {
    auto const ratio = ratio_of(terms, bound, slowness);
    for (auto& term : terms) term /= ratio;
    value = 1 - std::log(ratio);
  }
  return equations;
}

/// Sums of products of three quantities of stages: launches, kernels of loops, and what is to be explained.
struct Sums {
  double launches = 0, both = 0, kernels = 0;        ///< of the first two with themselves and each other
  double launches_explain = 0, kernels_explain = 0;  ///< of them with the third

  void add(double of_launches, double of_kernels, double explained) {
    launches += of_launches * of_launches;
    both += of_launches * of_kernels;
    kernels += of_kernels * of_kernels;
    launches_explain += of_launches * explained;
    kernels_explain += of_kernels * explained;
  }
};

/// The latencies of launches and kernels, neither below 0, that leave the least sum of squares: where the
/// normal equations have none such, one of them is 0.
std::array<double, 2> least_squares(Sums const& sums) {
  constexpr double parallel = 1e-12;
  auto const determinant = sums.launches * sums.kernels - sums.both * sums.both;
  if (determinant > parallel * sums.launches * sums.kernels) {
    auto const of_launches =
        (sums.kernels * sums.launches_explain - sums.both * sums.kernels_explain) / determinant;
    auto const of_kernels =
        (sums.launches * sums.kernels_explain - sums.both * sums.launches_explain) / determinant;
    if (of_launches >= 0 && of_kernels >= 0) return {of_launches, of_kernels};
  }
  auto const alone = [](double square, double explain) {
    return square > 0 ? std::max(0.0, explain / square) : 0;
  };
  auto const of_launches = alone(sums.launches, sums.launches_explain);
  auto const of_kernels = alone(sums.kernels, sums.kernels_explain);
  // What either explains by itself of the sum of squares.
  bool const launches_explain_more = of_launches * sums.launches_explain >= of_kernels * sums.kernels_explain;
  return launches_explain_more ? std::array{of_launches, 0.0} : std::array{0.0, of_kernels};
}

/// Least squares: all equations of one bound share its reciprocal efficiency, and all the latencies. Given
/// these each bound is a problem of one unknown; they are then one of two. Bounds without an equation keep
/// what `slowness` has.
Vector solve(std::span<Equation const> equations, Vector slowness) {
  // With t of the bound's term, n of the launches and m of the kernels: sum (t x + n l + m q - v)^2 is least
  // at x = (A - l B - q D) / C.
  Vector a{}, b{}, c{}, d{};
  for (auto const& [terms, k, value] : equations) {
    a[k] += terms[k] * value;
    b[k] += terms[k] * terms[latency];
    c[k] += terms[k] * terms[k];
    d[k] += terms[k] * terms[kernel_latency];
  }
  Sums sums;
  for (auto const& [terms, k, value] : equations) {
    auto const share = c[k] > 0 ? terms[k] / c[k] : 0;
    sums.add(terms[latency] - share * b[k], terms[kernel_latency] - share * d[k], value - share * a[k]);
  }
  auto const [of_launches, of_kernels] = least_squares(sums);
  slowness[latency] = of_launches;
  slowness[kernel_latency] = of_kernels;
  for (std::size_t k = 0; k < latency; ++k) {
    if (c[k] == 0) continue;
    auto const best = (a[k] - of_launches * b[k] - of_kernels * d[k]) / c[k];
    if (best > 0) slowness[k] = best;
  }
  return slowness;
}

/// From `slowness` on, to where neither what stages wait for nor the error changes any more.
Vector settle(std::span<Vector const> stages, Vector slowness) {
  constexpr int most_rounds = 200;
  slowness = solve(equations_of(stages, slowness), slowness);
  auto error = error_of(stages, slowness);
  for (int round = 0; round < most_rounds; ++round) {
    auto const next = solve(logarithms_of(stages, slowness), slowness);
    auto const next_error = error_of(stages, next);
    if (!(next_error < error)) break;
    slowness = next;
    error = next_error;
  }
  return slowness;
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
  std::vector<Vector> terms;
  for (auto const& stage : stages) terms.push_back(terms_of(stage, card));
  // The error has several valleys, as what a stage waits for depends on the efficiencies: the search starts
  // from memory and each pipe at full and at lower rates.
  constexpr std::array starts = {1.0, 1.25, 2.0, 4.0, 8.0};
  Vector best{};
  auto least = std::numeric_limits<double>::infinity();
  constexpr auto combinations = std::size_t(5 * 5 * 5 * 5 * 5);
  for (std::size_t combination = 0; combination < combinations; ++combination) {
    Vector slowness{};
    auto rest = combination;
    for (std::size_t k = 0; k < latency; ++k, rest /= starts.size())
      slowness[k] = starts[rest % starts.size()];
    slowness = settle(terms, slowness);
    auto const error = error_of(terms, slowness);
    if (error < least) {
      least = error;
      best = slowness;
    }
  }
  std::array<bool, unknowns> waited_for{};
  for (auto const& of_stage : terms) waited_for[bound_of(of_stage, best)] = true;
  Efficiency efficiency;
  if (waited_for[0]) efficiency.memory = 1 / best[0];
  for (std::size_t i = 0; i < pipes; ++i) {
    if (waited_for[i + 1]) efficiency.of_pipe[i] = 1 / best[i + 1];
  }
  efficiency.latency = best[latency];
  if (std::ranges::any_of(stages, [](MeasuredStage const& stage) { return stage.load.is_loop(); }))
    efficiency.kernel_latency = best[kernel_latency];
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
