// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "verification/consistency/method.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr char const* tolerance_method = "tolerance";
constexpr std::array<char const*, 3> statistics = {"min", "mean", "max"};

double value_of(LevelSummary const& level, std::size_t statistic) {
  return statistic == 0 ? level.min : statistic == 1 ? level.mean : level.max;
}

/// Differences of runs from a reference: for every variable, statistic and time the largest over levels, and
/// no smaller than at any time before.
class Differences {
 public:
  Differences(EnsembleSummary const& ensemble, RunSummary const& reference, bool published)
      : ensemble_{ensemble}, reference_{reference}, published_{published} {}

  std::size_t size() const { return ensemble_.variables.size() * statistics.size() * ensemble_.times.size(); }
  /// "T mean at 3600 s" of check `index`.
  std::string subject(std::size_t index) const {
    auto const times = ensemble_.times.size();
    auto const time = ensemble_.time_text(index % times);
    auto const text = fmt::format("{} {}", ensemble_.variables[index / times / statistics.size()].name,
                                  statistics[index / times % statistics.size()]);
    return time.empty() ? text : text + " at " + time;
  }
  std::vector<double> of(RunSummary const& run) const {
    std::vector<double> result;
    for (std::size_t v = 0; v < ensemble_.variables.size(); ++v) {
      for (std::size_t statistic = 0; statistic < statistics.size(); ++statistic) {
        auto const scale = published_ ? 0 : scale_of(v);
        double largest = 0;
        for (std::size_t t = 0; t < ensemble_.times.size(); ++t) {
          auto const& levels = run.variables[v][t].levels;
          auto const& expected = reference_.variables[v][t].levels;
          for (std::size_t k = 0; k < levels.size(); ++k) {
            if (!all_have(v, t, k, statistic)) continue;
            auto const a = value_of(levels[k], statistic), b = value_of(expected[k], statistic);
            auto const difference = std::abs(a - b) / (published_ ? 1 + std::abs(b) : scale > 0 ? scale : 1);
            largest = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                             : std::max(largest, difference);
          }
          result.push_back(largest);
        }
      }
    }
    return result;
  }

 private:
  /// Whether the reference and all members have a finite value there: else nothing can be tolerated.
  bool all_have(std::size_t variable, std::size_t time, std::size_t level, std::size_t statistic) const {
    auto const has = [&](RunSummary const& run) {
      return std::isfinite(value_of(run.variables[variable][time].levels[level], statistic));
    };
    return has(reference_) && std::ranges::all_of(ensemble_.members, has);
  }
  /// The largest size that the reference has of a variable: what its errors are small against.
  double scale_of(std::size_t variable) const {
    double scale = 0;
    for (auto const& time : reference_.variables[variable]) {
      for (auto const& level : time.levels) {
        for (auto const x : {level.min, level.max}) {
          if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
        }
      }
    }
    return scale;
  }

  EnsembleSummary const& ensemble_;
  RunSummary const& reference_;
  bool published_;
};

constexpr double beyond_all = std::numeric_limits<double>::infinity();
constexpr double floor_of_tolerance = 1e-15;  // as probtest: what rounding of the file alone makes

/// The largest of difference / tolerance.
double worst_ratio(std::vector<double> const& differences, std::vector<double> const& tolerances) {
  double worst = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    worst = std::max(worst, differences[i] / (tolerances[i] + floor_of_tolerance));
  }
  return worst;
}

/// The largest ratio of the last m runs to the largest of the first n, at least 1, for any order of the runs.
class LargestRatio {
 public:
  LargestRatio(std::vector<std::vector<double>> const& runs, std::size_t n, std::size_t m) : n_{n} {
    std::vector<std::size_t> order(runs.size());
    for (std::size_t check = 0; check < runs.front().size(); ++check) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t run) { return runs[run][check]; });
      // At most m of the largest can be new runs: the next is a member.
      for (std::size_t k = 0; k <= m; ++k) {
        ranked_.push_back({std::uint32_t(order[k]), runs[order[k]][check]});
      }
    }
    stride_ = m + 1;
    is_new_.resize(n + m);
  }
  double operator()(std::span<std::size_t const> order) {
    for (std::size_t i = 0; i < order.size(); ++i) is_new_[order[i]] = i >= n_;
    double worst = 1;
    for (std::size_t begin = 0; begin < ranked_.size(); begin += stride_) {
      if (!is_new_[ranked_[begin].run]) continue;
      auto k = begin + 1;
      while (is_new_[ranked_[k].run]) ++k;
      worst = std::max(worst, ranked_[begin].difference / (ranked_[k].difference + floor_of_tolerance));
    }
    return worst;
  }

 private:
  struct Ranked {
    std::uint32_t run;
    double difference;
  };
  std::size_t n_, stride_ = 0;
  std::vector<Ranked> ranked_;
  std::vector<char> is_new_;
};

std::vector<double> largest_of(std::vector<std::vector<double>> const& runs, std::size_t without) {
  std::vector<double> largest(runs.front().size(), 0);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i == without) continue;
    for (std::size_t k = 0; k < largest.size(); ++k) largest[k] = std::max(largest[k], runs[i][k]);
  }
  return largest;
}

}  // namespace

Outcome tolerances(Task const& task) {
  auto& parameters = task.parameters;
  auto const& ensemble = *task.request.ensemble.summary;
  auto const& tests = *task.request.tests.summary;
  auto const factor = parameters.number("factor", 5, 1, 1e9);
  auto const difference = parameters.choice("difference", {"scaled", "published"});
  auto const rule = parameters.choice("rule", {"calibrated", "published"});
  parameters.reject_unknown();
  auto const n = ensemble.members.size() - (ensemble.unperturbed ? 0 : 1);
  constexpr std::size_t fewest = 5;
  if (n < fewest) {
    return without_power(
        tolerance_method,
        fmt::format(
            "{} members beside the reference ({} are the least whose largest difference says something)", n,
            fewest),
        std::int64_t(fewest + (ensemble.unperturbed ? 0 : 1)), "members");
  }
  // Without a run that has no noise the first member stands for it.
  Differences const from(ensemble, ensemble.unperturbed ? *ensemble.unperturbed : ensemble.members.front(),
                         difference == "published");
  std::vector<std::vector<double>> members;
  for (std::size_t i = ensemble.unperturbed ? 0 : 1; i < ensemble.members.size(); ++i)
    members.push_back(from.of(ensemble.members[i]));
  auto const tolerance = largest_of(members, members.size());
  if (std::ranges::all_of(tolerance, [](double t) { return t <= floor_of_tolerance; })) {
    return not_applied(tolerance_method,
                       "the members do not differ from each other (nothing can be tolerated)");
  }

  auto const m = tests.members.size();
  auto const relabels = can_relabel(n, m, task.rate);
  double wanted = 0;
  if (relabels) {
    auto all = members;
    for (auto const& run : tests.members) {
      auto& differences = all.emplace_back(from.of(run));
      // An infinite difference is rejected by itself, and tells nothing of how far runs lie from each other.
      std::ranges::replace_if(
          differences, [](double x) { return std::isinf(x); }, 0.0);
    }
    Labellings labellings(n, m, task.request.seed);
    wanted = relabel(labellings, task.rate, LargestRatio(all, n, m)).limit_of();
  } else {
    // Too few runs to relabel: from how far each member is beyond what the others tolerate, the logarithms
    // taken for normal.
    std::vector<double> logarithms;
    for (std::size_t i = 0; i < members.size(); ++i) {
      logarithms.push_back(std::log(std::max(worst_ratio(members[i], largest_of(members, i)), 1e-3)));
    }
    auto const [mean, sd, count] = moments(logarithms);
    auto const quantile = student_quantile(1 - task.rate / double(m), double(count) - 1);
    wanted = std::exp(mean + quantile * sd * std::sqrt(1 + 1 / double(count)));
  }
  auto const used = rule == "published" ? factor : std::max(factor, wanted);

  Outcome outcome;
  outcome.method = tolerance_method;
  outcome.nominal_rate = task.rate;
  std::vector<double> largest(from.size(), 0);
  std::vector<std::string> worst_run(from.size());
  for (auto const& run : tests.members) {
    auto const differences = from.of(run);
    for (std::size_t k = 0; k < largest.size(); ++k) {
      if (differences[k] >= largest[k]) {
        largest[k] = differences[k];
        worst_run[k] = run.name;
      }
    }
  }
  std::int64_t failing = 0;
  for (std::size_t k = 0; k < largest.size(); ++k) {
    Finding finding;
    finding.subject = from.subject(k);
    finding.limit = used;
    if (std::isfinite(largest[k])) {
      finding.value = largest[k] / (tolerance[k] + floor_of_tolerance);
      finding.note =
          fmt::format("difference {:.3g}, tolerance {:.3g}, of {}", largest[k], tolerance[k], worst_run[k]);
    } else {
      finding.note = fmt::format("{} has no finite value there, as all members have", worst_run[k]);
    }
    finding.rejected = !finding.value || *finding.value > used;
    failing += finding.rejected ? 1 : 0;
    outcome.findings.push_back(std::move(finding));
  }
  std::ranges::stable_sort(outcome.findings, std::greater<>(),
                           [](Finding const& f) { return f.value.value_or(beyond_all); });
  constexpr std::size_t most_told = 200;
  outcome.answer = failing > 0 ? Answer::different : Answer::consistent;
  constexpr double far = 1000;  // times the largest member: what passes then says nothing
  if (failing == 0 && wanted > far && rule == "calibrated") {
    outcome = without_power(tolerance_method,
                            fmt::format("members lie up to {:.3g} times beyond what the others tolerate at "
                                        "the rate of {:.2g} %: the tail is "
                                        "too long, earlier times or {} members are needed",
                                        wanted, 100 * task.rate, 2 * n),
                            std::int64_t(2 * n), "members");
    return outcome;
  }
  auto const& worst = outcome.findings.front();
  outcome.statement =
      fmt::format("{} of {} checks beyond {:.3g} times the largest of {} members (worst: {}, {}){}", failing,
                  largest.size(), used, n, worst.subject,
                  worst.value ? fmt::format("{:.3g} times", *worst.value) : worst.note,
                  rule == "published" || wanted <= factor
                      ? ""
                      : fmt::format("; the published factor {:g} would give more false alarms than {:.2g} %",
                                    factor, 100 * task.rate));
  Figure figure{"tolerance_ratios",
                "Difference of new runs over the largest of the members",
                "check, worst first",
                "ratio",
                "linear",
                "log",
                {},
                {}};
  Line ratios{"new runs", "test", {}, {}}, limit{"limit", "limit", {}, {}};
  for (std::size_t k = 0; k < std::min(most_told, outcome.findings.size()); ++k) {
    ratios.x.push_back(double(k + 1));
    ratios.y.push_back(outcome.findings[k].value.value_or(not_a_number));
    limit.x.push_back(double(k + 1));
    limit.y.push_back(used);
  }
  figure.lines = {std::move(ratios), std::move(limit)};
  outcome.figures.push_back(std::move(figure));
  if (outcome.findings.size() > most_told) outcome.findings.resize(most_told);
  outcome.parameters = parameters.used();
  if (!ensemble.unperturbed) outcome.parameters.emplace_back("reference", ensemble.members.front().name);
  return outcome;
}

}  // namespace ulpine::verification::consistency
