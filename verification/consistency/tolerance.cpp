// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "verification/consistency/beyond.hpp"
#include "verification/consistency/method.hpp"

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

/// What members tolerate in each check, and how far runs are beyond it.
class Tolerated {
 public:
  /// [member][check]; `checks_a_variable` follow each other.
  Tolerated(std::vector<std::vector<double>> const& members, std::size_t checks_a_variable, bool published)
      : largest_(members.front().size(), 0), second_(largest_.size(), 0), holder_(largest_.size(), 0) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t k = 0; k < largest_.size(); ++k) {
        auto const value = members[i][k];
        if (value > largest_[k]) {
          second_[k] = std::exchange(largest_[k], value);
          holder_[k] = i;
        } else {
          second_[k] = std::max(second_[k], value);
        }
      }
    }
    if (published) return;
    // A single member that differs says little of how far others may: there all of the variable counts.
    for (std::size_t first = 0; first < largest_.size(); first += checks_a_variable) {
      auto const end = first + checks_a_variable;
      auto const of_variable =
          *std::max_element(largest_.begin() + std::ptrdiff_t(first), largest_.begin() + std::ptrdiff_t(end));
      for (auto k = first; k < end; ++k) {
        if (largest_[k] > floor_of_tolerance && second_[k] <= floor_of_tolerance)
          largest_[k] = second_[k] = of_variable;
      }
    }
  }
  std::vector<double> const& largest() const { return largest_; }
  /// The largest of difference / tolerance of a member, which the other members tolerate.
  double of_member(std::size_t member, std::vector<double> const& differences) const {
    double worst = 0;
    for (std::size_t k = 0; k < largest_.size(); ++k) {
      auto const tolerance = holder_[k] == member ? second_[k] : largest_[k];
      worst = std::max(worst, differences[k] / (tolerance + floor_of_tolerance));
    }
    return worst;
  }
  /// The same of a new run; differences that are infinite are left out.
  double of_run(std::vector<double> const& differences) const {
    double worst = 0;
    for (std::size_t k = 0; k < largest_.size(); ++k) {
      if (std::isfinite(differences[k]))
        worst = std::max(worst, differences[k] / (largest_[k] + floor_of_tolerance));
    }
    return worst;
  }

 private:
  std::vector<double> largest_, second_;
  std::vector<std::size_t> holder_;  ///< the member that has the largest
};

}  // namespace

Outcome tolerances(Task const& task) {
  auto& parameters = task.parameters;
  auto const& ensemble = *task.request.ensemble.summary;
  auto const& tests = *task.request.tests.summary;
  auto const factor = parameters.number("factor", 5, 1, 1e9);
  auto const difference = parameters.choice("difference", {"scaled", "published"});
  auto const rule = parameters.choice("rule", {"calibrated", "published"});
  auto const doubt = parameters.number("doubt", doubtful, 0, 1);
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
  auto const published = rule == "published";
  Tolerated const tolerated(members, from.size() / ensemble.variables.size(), published);
  auto const& tolerance = tolerated.largest();
  if (std::ranges::all_of(tolerance, [](double t) { return t <= floor_of_tolerance; })) {
    return not_applied(tolerance_method,
                       "the members do not differ from each other (nothing can be tolerated)");
  }

  // The new runs have no part in what they may reach: one that is broken would hide itself.
  std::vector<double> of_members, of_runs;
  for (std::size_t i = 0; i < members.size(); ++i) of_members.push_back(tolerated.of_member(i, members[i]));
  std::vector<std::vector<double>> tested;
  for (auto const& run : tests.members)
    of_runs.push_back(tolerated.of_run(tested.emplace_back(from.of(run))));
  auto const beyond = beyond_tail(of_members, of_runs, task.rate);
  auto const wanted = beyond.limit_of_one;
  auto const used = published ? factor : std::max(factor, wanted);

  Outcome outcome;
  outcome.method = tolerance_method;
  outcome.nominal_rate = task.rate;
  std::vector<double> largest(from.size(), 0);
  std::vector<std::string> worst_run(from.size());
  for (std::size_t run = 0; run < tested.size(); ++run) {
    for (std::size_t k = 0; k < largest.size(); ++k) {
      if (tested[run][k] >= largest[k]) {
        largest[k] = tested[run][k];
        worst_run[k] = tests.members[run].name;
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
  auto const& worst = outcome.findings.front();
  auto const of_worst = fmt::format("worst: {}, {}", worst.subject,
                                    worst.value ? fmt::format("{:.3g} times", *worst.value) : worst.note);
  auto const not_finite = !worst.value;
  auto const together = !published && beyond.p <= task.rate && beyond.value > factor && failing == 0;
  auto const p = task.adjusted(beyond.p);
  auto const in_doubt = !published && (p <= doubt || (worst.value && *worst.value > factor));
  outcome.answer = failing > 0 || together ? Answer::different
                   : in_doubt              ? Answer::undecided
                                           : Answer::consistent;
  outcome.statement = fmt::format("{} of {} checks beyond {:.3g} times the largest of {} members ({})",
                                  failing, largest.size(), used, n, of_worst);
  if (together) {
    outcome.statement = fmt::format(
        "all {} new runs are beyond {:.3g} times the largest of {} members in some check ({}; adjusted p = "
        "{:.2g})",
        beyond.beyond, beyond.value, n, of_worst, p);
  } else if (!published && !not_finite) {
    outcome.statement += fmt::format("; adjusted p = {:.2g} by members against each other", p);
  }
  if (outcome.answer == Answer::undecided) {
    outcome.statement += fmt::format(
        ": {}, too little to be called a difference; {} members would probably decide",
        p <= doubt ? "more than chance often makes" : fmt::format("beyond the published factor {:g}", factor),
        2 * n);
    outcome.members_needed = std::int64_t(2 * n);
    outcome.needed_of = "members";
  }
  constexpr double far = 1000;  // times the largest member: what passes then says nothing
  if (outcome.answer == Answer::consistent && !published && wanted > far) {
    return without_power(tolerance_method,
                         fmt::format("a run would be told from members only {:.3g} times beyond what they "
                                     "tolerate, at the rate of {:.2g} %: their own tail is too long, earlier "
                                     "times or {} members are needed",
                                     wanted, 100 * task.rate, 2 * n),
                         std::int64_t(2 * n), "members");
  }
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
