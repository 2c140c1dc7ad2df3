// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "verification/consistency/joint.hpp"
#include "verification/consistency/margins.hpp"
#include "verification/consistency/method.hpp"
#include "verification/statistics/two_sample.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr char const* twosample_method = "twosample";

using Test = std::function<TwoSampleTest(std::span<double const>, std::span<double const>)>;

std::vector<std::pair<std::string, Test>> const& single_tests() {
  static std::vector<std::pair<std::string, Test>> const tests = {
      {"ks", kolmogorov_smirnov},
      {"ks-asymptotic", kolmogorov_smirnov_asymptotic},
      {"mann-whitney", mann_whitney},
      {"student", student_t},
      {"welch", welch_t},
      {"cramer-von-mises", cramer_von_mises},
      {"brown-forsythe", brown_forsythe}};
  return tests;
}

Correction correction_of(std::string const& name) {
  if (name == "holm") return Correction::holm;
  if (name == "benjamini-hochberg") return Correction::benjamini_hochberg;
  if (name == "benjamini-yekutieli") return Correction::benjamini_yekutieli;
  return Correction::none;
}

/// Ensemble and tests of each variable in standard deviations of the ensemble about its mean.
Figure standardised_values(Means const& means) {
  Figure figure{"twosample_values", "Means of variables, in standard deviations of the ensemble", "",
                "standard deviations"};
  Line ensemble{"ensemble", "ensemble", {}, {}}, tests{"new runs", "test", {}, {}};
  for (std::size_t v = 0; v < means.ensemble.columns(); ++v) {
    figure.x_names.push_back(means.ensemble.names[v]);
    auto const accepted = means.ensemble.column(v);
    auto const [mean, sd, n] = moments(accepted);
    auto const add = [&, mean = mean, sd = sd](Line& line, std::vector<double> const& values) {
      for (auto const value : values) {
        line.x.push_back(double(v));
        line.y.push_back(sd > 0 ? (value - mean) / sd : not_a_number);
      }
    };
    add(ensemble, accepted);
    add(tests, means.tests.column(v));
  }
  figure.lines = {std::move(ensemble), std::move(tests)};
  return figure;
}

/// Standard deviations that a mean has to be off to be found with 80 % power, where deviates beyond `limit`
/// are.
constexpr double deviate_of_power = 0.8416;  // of 80 %
double detectable_shift(double limit, std::size_t members, std::size_t runs) {
  return (limit + deviate_of_power) * std::sqrt(1 / double(members) + 1 / double(runs));
}

/// As many runs as make what would be found small enough: new ones, or both where those alone
/// cannot.
void say_what_has_power(Outcome& outcome, double limit, std::size_t members, double least_shift) {
  auto const wanted = std::pow(least_shift / (limit + deviate_of_power), 2);
  auto const new_runs = 1 / (wanted - 1 / double(members));
  auto const both = new_runs < 0 || new_runs > 3 * double(members);
  outcome.members_needed = std::int64_t(std::ceil(both ? 2 / wanted : new_runs));
  outcome.needed_of = both ? "members and as many new runs" : "new runs";
}

/// Differences that are not excluded, as findings.
void add_open(std::vector<Unexcluded> const& open, double alpha, Outcome& outcome) {
  for (auto const& difference : open) {
    outcome.findings.push_back({.subject = difference.variable + ", " + difference.what,
                                .limit = alpha,
                                .p = difference.p,
                                .note = "is not excluded"});
  }
}

std::string words_of_open(std::vector<Unexcluded> const& open, double alpha, Outcome const& outcome) {
  return fmt::format(
      ", but {} in {} is not excluded either (p = {:.2g}, which has to be {:g}){}; {} {} would probably "
      "decide",
      open.front().what, open.front().variable, open.front().p, alpha,
      open.size() > 1 ? fmt::format(", nor are {} other such differences", open.size() - 1) : "",
      *outcome.members_needed, outcome.needed_of);
}

Outcome joint(Task const& task, Means const& means, Margins const& margins, double alpha, double doubt) {
  auto const n = means.ensemble.rows.size(), m = means.tests.rows.size();
  auto const test = joint_test(means.ensemble, means.tests, task.rate, task.request.seed, means.of_times);
  auto const whole = means.over_time();
  auto const p = task.adjusted(test.p);
  Outcome outcome;
  outcome.method = twosample_method;
  outcome.nominal_rate = task.rate;
  for (auto const& found : test.findings) {
    Finding finding;
    finding.subject = found.variable + ", " + found.what;
    finding.value = std::abs(found.deviate);
    finding.limit = found.limit;
    finding.adjusted_p = task.adjusted(found.p);
    finding.rejected = found.p <= task.rate;
    outcome.findings.push_back(std::move(finding));
  }
  auto const& worst = test.findings.front();
  if (test.p <= task.rate) {
    outcome.answer = Answer::different;
    outcome.statement = fmt::format(
        "{} of {} differs: deviate {:.2f} against {:.2f} that relabelled runs exceed in {:.2g} % (adjusted p "
        "= {:.2g})",
        worst.what, worst.variable, std::abs(worst.deviate), worst.limit, 100 * task.rate, p);
    return outcome;
  }
  auto const open = not_excluded(whole.ensemble, whole.tests, margins, alpha, task.request.seed);
  add_open(open, alpha, outcome);
  auto const shift = detectable_shift(test.limit_of_means, n, m);
  outcome.needed_of = "members and as many new runs";
  if (!open.empty() && shift > margins.shift) {
    outcome.answer = Answer::no_power;
    say_what_has_power(outcome, test.limit_of_means, n, margins.shift);
    outcome.statement = fmt::format(
        "{} members and {} new runs would show with 80 % power only means that are {:.1f} standard "
        "deviations off: {} {} are needed for {:g}",
        n, m, shift, *outcome.members_needed, outcome.needed_of, margins.shift);
  } else if (p <= doubt) {
    outcome.answer = Answer::undecided;
    // With so many more runs a difference of this size would be as far beyond the limit as chance allows.
    auto const more = std::pow((worst.limit + deviate_of_power) / std::abs(worst.deviate), 2);
    outcome.members_needed = std::int64_t(std::ceil(more * double(std::max(n, m))));
    outcome.statement = fmt::format(
        "{} of {} may differ (adjusted p = {:.2g}, deviate {:.2f} of {:.2f}): more than chance often makes, "
        "too little to be called a "
        "difference; {} {} would decide",
        worst.what, worst.variable, p, std::abs(worst.deviate), worst.limit, *outcome.members_needed,
        outcome.needed_of);
  } else if (!open.empty()) {
    outcome.answer = Answer::undecided;
    outcome.members_needed = std::ranges::max(open, {}, &Unexcluded::runs_needed).runs_needed;
    outcome.statement = fmt::format("nothing is found (worst: {} of {}, adjusted p = {:.2g})", worst.what,
                                    worst.variable, p) +
                        words_of_open(open, alpha, outcome);
  } else {
    outcome.answer = Answer::consistent;
    outcome.needed_of.clear();
    outcome.statement = fmt::format(
        "no mean or spread of {} variables differs{} (worst: {} of {}, adjusted p = {:.2g}); of each{} a "
        "mean "
        "{:g} standard deviations off and a spread {:g} times as large or small are excluded at {:g} %",
        whole.ensemble.columns(), means.of_times.empty() ? "" : " at any time or in the mean over time",
        worst.what, worst.variable, p, means.of_times.empty() ? "" : "'s mean over time", margins.shift,
        margins.spread, 100 * (1 - alpha));
  }
  return outcome;
}

/// As published, but that nothing is rejected is no evidence: `consistent` asks for the margins too.
Outcome by_variable(Task const& task, Means const& means, std::string const& name,
                    std::string const& correction, Margins const& margins, double alpha, double doubt) {
  auto const& tests = single_tests();
  auto const& test = std::ranges::find(tests, name, &std::pair<std::string, Test>::first)->second;
  Outcome outcome;
  outcome.method = twosample_method;
  outcome.nominal_rate = task.rate;
  std::vector<double> p;
  std::string reason;
  for (std::size_t v = 0; v < means.ensemble.columns(); ++v) {
    auto const found = test(means.ensemble.column(v), means.tests.column(v));
    Finding finding;
    finding.subject = means.ensemble.names[v];
    finding.value = found.statistic;
    finding.p = found.p;
    finding.note = found.reason;
    if (!found.p) reason = found.reason;
    p.push_back(found.p.value_or(not_a_number));
    outcome.findings.push_back(std::move(finding));
  }
  auto const adjusted = adjusted_p(p, correction_of(correction));
  std::size_t rejections = 0;
  for (std::size_t v = 0; v < adjusted.size(); ++v) {
    if (std::isnan(adjusted[v])) continue;
    outcome.findings[v].adjusted_p = adjusted[v];
    outcome.findings[v].rejected = adjusted[v] <= task.rate;
    rejections += outcome.findings[v].rejected ? 1 : 0;
  }
  std::ranges::stable_sort(outcome.findings, {}, [](Finding const& f) { return f.p.value_or(2); });
  // A test of ranks cannot reject alone below this many members a side, whatever they are.
  auto const needed = members_needed(std::int64_t(p.size()), task.rate, correction == "benjamini-yekutieli");
  auto const fewest = std::int64_t(std::min(means.ensemble.rows.size(), means.tests.rows.size()));
  auto const of_ranks = name != "student" && name != "welch" && name != "brown-forsythe";
  auto const untested = std::ranges::all_of(p, [](double x) { return std::isnan(x); });
  if (rejections == 0 && (untested || (of_ranks && fewest < needed))) {
    auto none = without_power(
        twosample_method,
        untested
            ? "no variable can be tested (" + reason + ")"
            : fmt::format("with {} runs on the smaller side no difference of one variable among {} can be "
                          "rejected at {:.2g} %: {} on each side are needed",
                          fewest, p.size(), 100 * task.rate, needed),
        std::max<std::int64_t>(needed, of_ranks ? 0 : 4), "members and new runs");
    none.findings = std::move(outcome.findings);
    return none;
  }
  auto const worst = outcome.findings.front();
  outcome.statement = fmt::format(
      "{} of {} variables rejected by {} with {} at {:.2g} % (worst: {}, p = {:.2g}, adjusted {:.2g})",
      rejections, p.size(), name, correction, 100 * task.rate, worst.subject, worst.p.value_or(not_a_number),
      worst.adjusted_p.value_or(not_a_number));
  outcome.answer = rejections > 0 ? Answer::different : Answer::consistent;
  if (rejections > 0) return outcome;
  auto const open = not_excluded(means.ensemble, means.tests, margins, alpha, task.request.seed);
  add_open(open, alpha, outcome);
  if (!open.empty()) {
    outcome.answer = Answer::undecided;
    outcome.members_needed = std::ranges::max(open, {}, &Unexcluded::runs_needed).runs_needed;
    outcome.needed_of = "members and as many new runs";
    outcome.statement += words_of_open(open, alpha, outcome);
  } else if (worst.adjusted_p <= doubt) {
    outcome.answer = Answer::undecided;
    outcome.statement += ": more than chance often makes, too little to be called a difference";
  }
  return outcome;
}

}  // namespace

Outcome two_sample(Task const& task) {
  auto& parameters = task.parameters;
  std::vector<std::string> names = {"joint"};
  for (auto const& [name, test] : single_tests()) names.push_back(name);
  auto const test = parameters.choice("test", names);
  auto const correction =
      parameters.choice("correction", {"holm", "benjamini-hochberg", "benjamini-yekutieli", "none"});
  auto const rate = parameters.number("rate", task.rate, 1e-6, 0.5);
  Margins margins;
  margins.shift = parameters.number("margin", margins.shift, 0.1, 100);
  margins.spread = parameters.number("spread_margin", margins.spread, 1.1, 1000);
  auto const alpha = parameters.number("alpha", 0.05, 0.001, 0.5);
  auto const doubt = parameters.number("doubt", doubtful, 0, 1);
  parameters.reject_unknown();
  auto const& ensemble = *task.request.ensemble.summary;
  auto const& tests = *task.request.tests.summary;
  if (ensemble.members.size() < 3 || tests.members.size() < 3) {
    return without_power(
        twosample_method,
        fmt::format(
            "{} members and {} new runs (3 of each are the least whose distributions can be compared)",
            ensemble.members.size(), tests.members.size()),
        3, "members and new runs");
  }
  std::vector<std::string> left_out;
  auto const means =
      test == "joint" ? means_of_times(task.request, left_out) : means_of(task.request, left_out);
  if (means.ensemble.columns() == 0)
    return not_applied(twosample_method,
                       "no variable varies: " + fmt::format("{}", fmt::join(left_out, "; ")));
  Task const own{task.request, parameters, rate, task.part};
  auto outcome = test == "joint" ? joint(own, means, margins, alpha, doubt)
                                 : by_variable(own, means, test, correction, margins, alpha, doubt);
  outcome.parameters = parameters.used();
  outcome.figures.push_back(standardised_values(means.over_time()));
  for (auto const& line : left_out)
    outcome.findings.push_back({.subject = line.substr(0, line.find(':')), .note = "left out: " + line});
  return outcome;
}

}  // namespace ulpine::verification::consistency
