// SPDX-License-Identifier: Apache-2.0
#include "calibration/rates.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

namespace ulpine::calibration {
namespace {

using verification::Answer;
using verification::Evidence;
using verification::RunResult;
using verification::Verdict;

Truth truth_of(Evidence const& piece) {
  if (!piece.value || !piece.margin) {
    return piece.answer == Answer::different ? Truth::beyond : Truth::near;
  }
  auto const margin = *piece.margin;
  // A ratio may be off up or down, a difference has two signs, and an error has neither.
  auto const ratio = piece.kind == "statistic" && piece.part == "spread";
  auto const low = ratio ? 1 / margin : -margin;
  // 95 % of the distance of two empirical distributions of one.
  auto const band = piece.kind == "distribution" ? 1.36 * std::sqrt(2 / double(piece.pairs)) : 0;
  auto const interval = piece.interval.value_or(std::array{*piece.value - band, *piece.value + band});
  if (interval[0] > margin || interval[1] < low) return Truth::beyond;
  return interval[0] >= low && interval[1] <= margin ? Truth::inside : Truth::near;
}

/// Beyond where one is; inside where all are.
Truth together(Truth a, Truth b) {
  if (a == Truth::beyond || b == Truth::beyond) return Truth::beyond;
  return a == Truth::near || b == Truth::near ? Truth::near : Truth::inside;
}

bool no_farther(RunResult const& a, RunResult const& b) {
  return std::all_of(b.metrics.begin(), b.metrics.end(), [&](auto const& entry) {
    auto const& [field, of_b] = entry;
    auto const of_a = a.metrics.find(field);
    return of_a != a.metrics.end() && std::all_of(of_b.begin(), of_b.end(), [&](auto const& metric) {
             auto const& [name, value] = metric;
             auto const other = of_a->second.find(name);
             return (name != "l2_relative" && name != "linf") ||
                    (other != of_a->second.end() && other->second.number() <= value.number());
           });
  });
}

}  // namespace

double Rate::share() const {
  return of == 0 ? std::numeric_limits<double>::quiet_NaN() : double(count) / double(of);
}

std::array<double, 2> Rate::interval() const {
  using Binomial = boost::math::binomial_distribution<double>;
  if (of == 0) return {0, 1};
  constexpr double tail = 0.025;
  auto const n = double(of), k = double(count);
  return {count == 0 ? 0 : Binomial::find_lower_bound_on_p(n, k, tail),
          count == of ? 1 : Binomial::find_upper_bound_on_p(n, k, tail)};
}

std::vector<std::string> const& kinds_of_evidence() {
  static std::vector<std::string> const kinds = {"error", "statistic mean", "statistic spread",
                                                 "curve", "distribution",   "verdict"};
  return kinds;
}

std::string kind_of(Evidence const& evidence) {
  auto const kind = evidence.kind == "statistic"
                        ? evidence.kind + " " + (evidence.part.empty() ? "mean" : evidence.part)
                        : evidence.kind;
  auto const& kinds = kinds_of_evidence();
  return std::find(kinds.begin(), kinds.end(), kind) == kinds.end() ? "" : kind;
}

Answers answers_of(Verdict const& verdict) {
  Answers answers;
  for (auto const& kind : kinds_of_evidence()) answers[kind] = std::nullopt;
  for (auto const& evidence : verdict.evidence) {
    auto const kind = kind_of(evidence);
    if (kind.empty() || !evidence.answer) continue;
    auto& answer = answers[kind];
    answer = std::max(answer.value_or(Answer::equal), *evidence.answer);
  }
  answers["verdict"] = verdict.answer;
  return answers;
}

std::map<std::string, Truth> truths_of(Verdict const& large_sample, bool equal) {
  std::map<std::string, Truth> truths;
  std::optional<Truth> whole;
  for (auto const& kind : kinds_of_evidence()) {
    std::optional<Truth> truth;
    for (auto const& evidence : large_sample.evidence) {
      // Distributions answer only where they show a difference.
      if (kind_of(evidence) != kind || !(evidence.answer || (kind == "distribution" && evidence.value)))
        continue;
      truth = together(truth.value_or(Truth::inside), truth_of(evidence));
    }
    truths[kind] = equal ? Truth::inside : truth.value_or(Truth::near);
    // What can show differences only leaves nothing open.
    auto const open = kind == "distribution" && truth == Truth::near;
    if (truth && !open) whole = together(whole.value_or(Truth::inside), *truth);
  }
  for (auto const& evidence : large_sample.evidence) {
    if (evidence.kind == "gate" && evidence.answer == Answer::different) whole = Truth::beyond;
  }
  truths["verdict"] = equal ? Truth::inside : whole.value_or(Truth::near);
  return truths;
}

void Row::add(Truth truth, std::optional<Answer> answer) {
  ++studies;
  inside += truth == Truth::inside ? 1 : 0;
  beyond += truth == Truth::beyond ? 1 : 0;
  auto const good = answer == Answer::equivalent || answer == Answer::equal;
  equivalent += good ? 1 : 0;
  undecided += answer == Answer::undecided ? 1 : 0;
  different += answer == Answer::different ? 1 : 0;
  silent += answer ? 0 : 1;
  if (truth == Truth::inside) false_alarms.add(answer == Answer::different);
  if (truth == Truth::beyond) misses.add(good);
}

std::int64_t inversions_of(verification::StudyResults const& study) {
  std::int64_t inversions = 0;
  for (auto const& close : study.verdicts) {
    if (close.answer != Answer::different) continue;
    for (auto const& far : study.verdicts) {
      auto const good = far.answer == Answer::equivalent || far.answer == Answer::equal;
      if (!good) continue;
      auto const *a = study.find_run(close.configuration), *b = study.find_run(far.configuration);
      inversions += a != nullptr && b != nullptr && !a->failed && no_farther(*a, *b) ? 1 : 0;
    }
  }
  return inversions;
}

void Turning::add(std::vector<Answer> const& answers) {
  auto back = false, across = false;
  auto worst = Answer::equal;
  for (auto const answer : answers) {
    back = back || answer < worst;
    across = across || (worst == Answer::different && answer < Answer::undecided);
    worst = std::max(worst, answer);
  }
  turned_back.add(back);
  turned_across.add(across);
}

}  // namespace ulpine::calibration
