// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "verification/metrics/nan.hpp"
#include "verification/statistics/equivalence.hpp"
#include "verification/statistics/statistics.hpp"
#include "verification/verdict/judgement.hpp"

namespace ulpine::verification {
namespace {

/// Members are trajectories of their own where they differ by this many errors of the unperturbed run.
constexpr double spreads_per_error = 3;

/// Members of one number, in the order of the runs: they share their noise (those of the control do not).
struct Pairs {
  std::vector<RunResult const*> tests, references;

  std::int64_t count() const { return std::int64_t(tests.size()); }
};

Pairs pairs_of(Ensembles const& ensembles) {
  Pairs found;
  for (auto const* member : ensembles.members) {
    auto const partner =
        std::find_if(ensembles.references.begin(), ensembles.references.end(),
                     [&](RunResult const* other) { return other->member == member->member; });
    if (partner != ensembles.references.end()) {
      found.tests.push_back(member);
      found.references.push_back(*partner);
    }
  }
  return found;
}

/// A number of each pair that has it on both sides.
struct Samples {
  std::vector<double> tests, references;
};

Samples samples_of(Statistic const& statistic, Pairs const& pairs) {
  auto const value_of = [&](RunResult const& run) {
    auto const value = run.statistics.find(statistic.name);
    return value == run.statistics.end() ? nan : value->second;
  };
  Samples samples;
  for (std::size_t i = 0; i < pairs.tests.size(); ++i) {
    auto const test = value_of(*pairs.tests[i]), reference = value_of(*pairs.references[i]);
    if (std::isfinite(test) && std::isfinite(reference)) {
      samples.tests.push_back(test);
      samples.references.push_back(reference);
    }
  }
  return samples;
}

/// A point of a curve; logarithms where the curve is drawn in them.
struct Point {
  double x;
  Samples samples;
};

/// Points that all pairs have, without values that have no logarithm.
std::vector<Point> points_of(CurveInfo const& info, Pairs const& pairs) {
  static Curve const none;
  auto const of = [&](RunResult const& run) -> Curve const& {
    auto const found = run.curves.find(info.name);
    return found == run.curves.end() ? none : found->second;
  };
  auto const value_of = [&](RunResult const& run, std::size_t i) {
    auto const& y = of(run).y;
    return i >= y.size() ? nan : info.y.scale == "log" ? std::log(y[i]) : y[i];
  };
  std::vector<Point> points;
  auto const& x = of(*pairs.references.front()).x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Point point{x[i], {}};
    auto usable = true;
    for (std::size_t k = 0; k < pairs.tests.size() && usable; ++k) {
      point.samples.tests.push_back(value_of(*pairs.tests[k], i));
      point.samples.references.push_back(value_of(*pairs.references[k], i));
      usable = std::isfinite(point.samples.tests.back()) && std::isfinite(point.samples.references.back());
    }
    if (usable) points.push_back(std::move(point));
  }
  return points;
}

/// Compares the members of one configuration with the reference's.
class Comparison {
 public:
  Comparison(StudyResults const& results, RunResult const& run, Ensembles const& ensembles,
             Findings& findings)
      : rules_{results.rules},
        epsilon_text_{ensembles.amplitude.text},
        pairs_{pairs_of(ensembles)},
        findings_{findings},
        merged_{one_trajectory(results, run, ensembles)} {}

  void judge(Statistic const& statistic) {
    auto const samples = samples_of(statistic, pairs_);
    auto const count = std::int64_t(samples.tests.size());
    if (count < least_pairs) {
      return add_untested("statistic", statistic.name, few(count), count);
    }
    auto const within = [&](Margin const& margin) {
      return test_means(samples.tests, samples.references, statistic.resolution, margin);
    };
    auto margin = rules_.of_statistic(statistic.name);
    auto found = within(margin);
    auto const raised = found.margin < statistic.orientation_spread;
    if (raised) {
      margin = {Margin::Kind::absolute, statistic.orientation_spread, {}};
      found = within(margin);
    }
    if (found.spread == 0 && samples.tests == samples.references) {
      return add_untested("statistic", statistic.name, no_spread, count);
    }
    if (!merged_.empty()) {
      return add_untested("statistic", statistic.name, merged_, count);
    }
    auto evidence = evidence_of("statistic", statistic.name, count);
    evidence.part = "mean";
    evidence.margin_text = words_of(margin, statistic.units);
    if (raised) evidence.margin_text += ", the spread over the grid's orientations";
    show(evidence, found);
    if (found.margin == 0) {
      evidence.answer = Answer::undecided;
      evidence.reason = margin.kind == Margin::Kind::relative
                            ? "it differs, and the reference's mean is 0, of which no part is a margin"
                            : "it differs, and the reference's members have no spread to make a margin of";
      append_new(findings_.would_decide, larger_spread);
      findings_.verdict.evidence.push_back(std::move(evidence));
      return;
    }
    findings_.add_test(
        std::move(evidence), found.inside, found.inside,
        [found](double level) { return pairs_to_decide(found, level); },
        found.interval[0] > 0 || found.interval[1] < 0);
    if (found.spread > 0) {
      judge_spread(statistic, samples);
      judge_distribution(statistic, samples, found.margin / found.spread);
    }
  }

  /// Every point is a comparison of means of its own: the curve is inside where all points are, and outside
  /// where one of them is, the number of points counted.
  void judge(CurveInfo const& info) {
    if (pairs_.count() < least_pairs || !merged_.empty()) {
      return add_untested("curve", info.name, pairs_.count() < least_pairs ? few(pairs_.count()) : merged_,
                          pairs_.count());
    }
    auto const& asked = rules_.of_curve(info.name);
    auto margin = asked;
    if (info.y.scale == "log" && asked.kind == Margin::Kind::relative) {
      margin.kind = Margin::Kind::absolute;
      margin.value = std::log1p(asked.value);
    }
    double inside = 1;
    std::int64_t judged = 0;
    std::optional<EquivalenceTest> worst;
    auto evidence = evidence_of("curve", info.name, pairs_.count());
    evidence.margin_text = words_of(asked, info.y.units);
    for (auto const& [x, samples] : points_of(info, pairs_)) {
      auto const found = test_means(samples.tests, samples.references, 0, margin);
      if (found.margin == 0 && samples.tests == samples.references) {
        continue;
      }
      ++judged;
      inside = std::min(inside, found.margin > 0 ? found.inside : 0.5);
      if (found.margin > 0 && (!worst || std::abs(found.difference) * worst->margin >
                                             std::abs(worst->difference) * found.margin)) {
        worst = found;
        evidence.x = x;
      }
    }
    if (!worst) {
      return add_untested("curve", info.name, no_spread, pairs_.count());
    }
    // In standard deviations where the margin is, so that points can be told from each other.
    auto const unit = margin.kind == Margin::Kind::spread ? margin.value / worst->margin : 1;
    auto shown = *worst;
    shown.difference *= unit;
    shown.interval = {shown.interval[0] * unit, shown.interval[1] * unit};
    shown.margin *= unit;
    shown.detectable *= unit;
    show(evidence, shown);
    auto const found = *worst;
    findings_.add_test(
        std::move(evidence), inside, std::min(1.0, inside * double(judged)),
        [found, judged](double level) { return pairs_to_decide(found, level / double(judged)); },
        found.interval[0] > 0 || found.interval[1] < 0);
  }

 private:
  static constexpr char const* no_spread = "the reference's members have no spread in it";

  static std::string few(std::int64_t count) {
    return fmt::format("{} pairs of members, {} needed", count, least_pairs);
  }

  void add_untested(char const* kind, std::string const& subject, std::string const& reason,
                    std::int64_t count) {
    findings_.add_untested(kind, subject, reason, count, epsilon_text_);
    findings_.unanswered = findings_.unanswered || reason != no_spread;
    append_new(findings_.remedies, count < least_pairs ? fmt::format("at least {} members", least_pairs)
                                                       : std::string(larger_spread));
  }

  Evidence evidence_of(char const* kind, std::string const& subject, std::int64_t count) const {
    Evidence evidence;
    evidence.kind = kind;
    evidence.subject = subject;
    evidence.epsilon_text = epsilon_text_;
    evidence.pairs = count;
    return evidence;
  }

  static void show(Evidence& evidence, EquivalenceTest const& found) {
    evidence.value = found.difference;
    evidence.interval = found.interval;
    evidence.margin = found.margin;
    evidence.detectable = found.detectable;
  }

  void judge_spread(Statistic const& statistic, Samples const& samples) {
    // Two standard deviations differ by less than the larger of them.
    auto const widest = std::max(moments(samples.tests).sd, moments(samples.references).sd);
    if (widest < statistic.orientation_spread) {
      findings_.add_untested("statistic", statistic.name,
                             "members scatter by less than the spread over the grid's orientations",
                             std::int64_t(samples.tests.size()), epsilon_text_);
      findings_.verdict.evidence.back().part = "spread";
      return;
    }
    auto const found =
        test_spreads(samples.tests, samples.references, statistic.resolution, rules_.spread_ratio);
    auto evidence = evidence_of("statistic", statistic.name, found.pairs);
    evidence.part = "spread";
    evidence.margin_text = fmt::format("a factor of {:g}", rules_.spread_ratio);
    show(evidence, found);
    findings_.add_test(
        std::move(evidence), found.inside, found.inside,
        [found](double level) { return pairs_to_decide_spreads(found, level); },
        found.interval[0] > 1 || found.interval[1] < 1);
  }

  /// Against the distance that a shift by the mean's margin makes, `shift` standard deviations.
  void judge_distribution(Statistic const& statistic, Samples const& samples, double shift) {
    auto const found = test_distributions(samples.tests, samples.references, shift);
    auto const count = std::int64_t(samples.tests.size());
    auto evidence = evidence_of("distribution", statistic.name, count);
    if (!(found.detectable <= 1)) {
      // A value without any meaning would look like one beyond the margin.
      auto const least = pairs_for_distributions(found.margin);
      evidence.reason = fmt::format(
          "no power: with {} members not even distributions apart in every value are "
          "called different{}",
          count, least ? fmt::format(", {} are needed", *least) : "");
    } else {
      evidence.value = found.distance;
      evidence.margin = found.margin;
      evidence.margin_text = fmt::format("as by a shift of {:.3g} sd", shift);
      evidence.detectable = found.detectable;
    }
    findings_.add_test(std::move(evidence), nan, found.outside, {}, false);
  }

  /// Why the reference's members do not differ enough from each other; empty where they do.
  std::string one_trajectory(StudyResults const& results, RunResult const& run,
                             Ensembles const& ensembles) const {
    if (run.control) {
      return "";
    }
    auto compared = false;
    for (auto const& [field, metrics] : run.metrics) {
      auto const error = metric_of(run, field, "l2_relative");
      std::vector<double> distances;
      for (auto const* member : pairs_.references) {
        if (auto const distance = metric_of(*member, field, "l2_relative")) distances.push_back(*distance);
      }
      auto const spread = distances.empty() ? 0 : std::sqrt(mean_square(distances));
      if (!error || distances.empty() || (spread == 0 && is_rounding(run, *error))) {
        continue;
      }
      compared = true;
      auto const times = run.series ? run.series->time_s.size() : 0;
      if (spread < spreads_per_error * *error &&
          !(times > 0 && have_diverged(results, run, ensembles, field, times - 1))) {
        return fmt::format(
            "the reference's members differ by {:.2g} in {}, less than three times this configuration's "
            "error of {:.2g}: they are one trajectory",
            spread, field, *error);
      }
    }
    return compared ? "" : "there is no error to hold the members' spread against";
  }

  Rules const& rules_;
  std::string epsilon_text_;
  Pairs pairs_;
  Findings& findings_;
  std::string merged_;
};

}  // namespace

void judge_ensembles(StudyResults const& results, RunResult const& run, Ensembles const& ensembles,
                     Findings& findings) {
  auto const& amplitude = ensembles.amplitude;
  if (ensembles.members.empty()) {
    findings.add_untested(
        "statistic", {},
        amplitude.missing.empty() ? "it has no perturbed members" : "there are no " + amplitude.missing);
    append_new(findings.remedies, amplitude.missing.empty()
                                      ? fmt::format("at least {} perturbed members", least_pairs)
                                      : amplitude.remedy());
    return;
  }
  if (results.statistics.empty() && results.curves.empty()) {
    append_new(findings.remedies, "an evaluation of the output that gives a statistic to test");
  }
  Comparison comparison(results, run, ensembles, findings);
  for (auto const& statistic : results.statistics) comparison.judge(statistic);
  for (auto const& curve : results.curves) comparison.judge(curve);
}

}  // namespace ulpine::verification
