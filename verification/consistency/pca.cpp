// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/pca.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "verification/consistency/beyond.hpp"
#include "verification/consistency/explained.hpp"
#include "verification/consistency/method.hpp"
#include "verification/statistics/distributions.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification::consistency {

double rate_of_components(double sigma, std::int64_t components, std::int64_t components_fail) {
  if (components < components_fail) return 0;
  auto const s = std::erfc(sigma / std::sqrt(2.0));
  auto const p = 3 * s * s * (1 - s) + s * s * s;
  return distributions::binomial_above(double(components_fail - 1), double(components), p);
}

double sigma_for_rate(double rate, std::int64_t components, std::int64_t components_fail) {
  double low = 0, high = 12;
  for (int k = 0; k < 100; ++k) {
    auto const middle = (low + high) / 2;
    (rate_of_components(middle, components, components_fail) > rate ? low : high) = middle;
  }
  return high;
}

namespace {

constexpr char const* pca_method = "pca";
constexpr std::size_t members_a_component = 3;
constexpr std::size_t tested_runs = 3;

/// Principal components of the ensemble, which new runs are projected upon.
struct Components {
  std::vector<std::size_t> variables;         ///< columns of the table
  std::vector<double> mean, sd;               ///< of these variables over the ensemble
  std::vector<std::vector<double>> loadings;  ///< [component][variable]
  std::vector<double> score_sd;               ///< over the ensemble

  std::vector<double> scores(std::vector<double> const& row) const {
    std::vector<double> result;
    for (std::size_t k = 0; k < loadings.size(); ++k) {
      double score = 0;
      for (std::size_t i = 0; i < variables.size(); ++i) {
        score += loadings[k][i] * (row[variables[i]] - mean[i]) / sd[i];
      }
      result.push_back(score / score_sd[k]);
    }
    return result;
  }
};

/// Components of the rows, at most `most`, and only such as are no rounding.
Components components_of(Table const& table, std::vector<std::size_t> const& variables, std::size_t most) {
  Components result;
  result.variables = variables;
  std::vector<std::vector<double>> standard;
  for (auto const column : variables) {
    auto values = table.column(column);
    auto const [mean, sd, n] = moments(values);
    result.mean.push_back(mean);
    result.sd.push_back(sd > 0 ? sd : 1);
    for (auto& value : values) value = (value - mean) / result.sd.back();
    standard.push_back(std::move(values));
  }
  auto const v = variables.size(), n = standard.front().size();
  std::vector<double> correlation(v * v);
  for (std::size_t i = 0; i < v; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      correlation[i * v + j] = correlation[j * v + i] =
          std::inner_product(standard[i].begin(), standard[i].end(), standard[j].begin(), 0.0) /
          (double(n) - 1);
    }
  }
  auto eigen = eigen_of_symmetric(std::move(correlation), v);
  for (std::size_t k = 0; k < std::min(most, v); ++k) {
    if (!(eigen.values[k] > 1e-10 * eigen.values[0])) break;
    result.loadings.push_back(std::move(eigen.vectors[k]));
    result.score_sd.push_back(std::sqrt(eigen.values[k]));
  }
  return result;
}

/// Columns whose means may be standardised: at least 3 % distinct values, and not explained by those before
/// (rank with PyCECT's tolerance of single precision).
std::vector<std::size_t> usable_columns(Table const& table, std::vector<Finding>& findings) {
  std::vector<std::size_t> usable;
  std::vector<std::vector<double>> basis;
  auto const n = table.rows.size();
  auto const tolerance = double(std::max(n, table.columns())) * 0x1p-23;
  for (std::size_t c = 0; c < table.columns(); ++c) {
    auto values = table.column(c);
    auto const leave = [&](char const* why) {
      findings.push_back({.subject = table.names[c], .note = std::string("left out: ") + why});
    };
    if (double(std::set<double>(values.begin(), values.end()).size()) < 0.03 * double(n) + 1) {
      leave("fewer than 3 % of its values are distinct");
      continue;
    }
    auto const [mean, sd, count] = moments(values);
    for (auto& value : values) value = (value - mean) / sd;
    auto const whole = std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
    for (int pass = 0; pass < 2; ++pass) {
      for (auto const& other : basis) {
        auto const along = std::inner_product(values.begin(), values.end(), other.begin(), 0.0);
        for (std::size_t i = 0; i < n; ++i) values[i] -= along * other[i];
      }
    }
    auto const left = std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
    if (left <= tolerance * whole && basis.size() + 1 < n) {
      leave("a linear function of the variables before it");
      continue;
    }
    usable.push_back(c);
    if (left > tolerance * whole) {
      for (auto& value : values) value /= left;
      basis.push_back(std::move(values));
    }
  }
  return usable;
}

/// The rule: of `runs_fail` of 3 runs, `components_fail` components are beyond a limit.
struct Rule {
  std::size_t components, components_fail, runs_fail;
};

/// The sizes that decide about each component: the runs_fail-th largest of the runs.
std::vector<double> sizes_of(std::vector<std::vector<double>> const& scores, Rule const& rule) {
  std::vector<double> sizes;
  for (std::size_t k = 0; k < scores.front().size(); ++k) {
    std::vector<double> of_runs;
    for (auto const& run : scores) of_runs.push_back(std::abs(run[k]));
    std::ranges::sort(of_runs, std::greater<>());
    sizes.push_back(of_runs[rule.runs_fail - 1]);
  }
  return sizes;
}

/// A table of some of the rows.
Table rows_of(Table const& table, std::vector<std::size_t> const& rows) {
  Table some{table.names, {}};
  for (auto const row : rows) some.rows.push_back(table.rows[row]);
  return some;
}

/// How far out single runs are along components of accepted runs alone: as many components as have to fail
/// are that far out or farther.
class SingleRuns {
 public:
  SingleRuns(Means const& means, std::vector<std::size_t> const& variables, Rule const& rule) {
    auto const n = means.ensemble.rows.size();
    auto const components = components_of(means.ensemble, variables, rule.components);
    components_ = components.loadings.size();
    if (components_ < rule.components_fail) return;
    auto const size = [&](Components const& of, std::vector<double> const& row) {
      auto scores = of.scores(row);
      for (auto& score : scores) score = std::abs(score);
      std::ranges::sort(scores, std::greater<>());
      return scores[rule.components_fail - 1];
    };
    for (auto const& row : means.tests.rows) {
      scores_.push_back(components.scores(row));
      runs_.push_back(size(components, row));
    }
    // Each member along components that it has no part in.
    auto const parts = std::min(n, most_parts);
    members_.resize(n);
    for (std::size_t part = 0; part < parts; ++part) {
      std::vector<std::size_t> others;
      for (std::size_t i = 0; i < n; ++i) {
        if (i % parts != part) others.push_back(i);
      }
      auto const of_others = components_of(rows_of(means.ensemble, others), variables, components_);
      if (of_others.loadings.size() < rule.components_fail) {
        components_ = of_others.loadings.size();
        return;
      }
      for (auto i = part; i < n; i += parts) members_[i] = size(of_others, means.ensemble.rows[i]);
    }
  }
  std::size_t components() const { return components_; }
  std::vector<std::vector<double>> const& scores() const { return scores_; }  ///< [run][component]
  std::vector<double> const& members() const { return members_; }
  std::vector<double> const& runs() const { return runs_; }

 private:
  static constexpr std::size_t most_parts = 10;
  std::size_t components_ = 0;
  std::vector<std::vector<double>> scores_;
  std::vector<double> members_, runs_;
};

/// What the true division of the runs explains, against relabelled ones. All columns count alike.
Relabelled direction_of_change(Means const& means, double rate, std::uint64_t seed) {
  auto const n = means.ensemble.rows.size(), m = means.tests.rows.size();
  Products products(n + m);
  for (std::size_t c = 0; c < means.ensemble.columns(); ++c) {
    auto column = means.ensemble.column(c);
    auto const tested = means.tests.column(c);
    column.insert(column.end(), tested.begin(), tested.end());
    products.add(column);
  }
  Explained const explained(products);
  Labellings labellings(n, m, seed);
  return relabel(labellings, rate, Explained::kinds,
                 [&](std::span<std::size_t const> order, std::span<double> largest) {
                   std::ranges::copy(explained(n < m ? order.first(n) : order.last(m)), largest.begin());
                 });
}

Figure figure_of(std::vector<std::vector<double>> const& scores, double limit) {
  Line tests{"new runs", "test", {}, {}}, above{"limit", "limit", {}, {}}, below{"limit", "limit", {}, {}};
  for (std::size_t k = 0; k < scores.front().size(); ++k) {
    for (auto const& run : scores) {
      tests.x.push_back(double(k + 1));
      tests.y.push_back(run[k]);
    }
    above.x.push_back(double(k + 1));
    above.y.push_back(limit);
  }
  below.x = above.x;
  below.y.assign(above.y.size(), -limit);
  return {.name = "pca_scores",
          .title = "Scores of principal components, in standard deviations of the ensemble",
          .x_label = "component",
          .y_label = "score",
          .lines = {std::move(tests), std::move(above), std::move(below)}};
}

}  // namespace

namespace {

/// What both rules ask for.
struct Asked {
  Rule rule;
  std::vector<std::size_t> variables;  ///< columns of the means
};

Outcome too_few_components(Rule const& rule, std::size_t components, std::size_t variables) {
  return not_applied(
      pca_method, fmt::format("{} components of {} variables are more than rounding (fewer than the {} that "
                              "have to fail)",
                              components, variables, rule.components_fail));
}

void add_components(Outcome& outcome, std::vector<double> const& sizes, double limit) {
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    Finding finding;
    finding.subject = fmt::format("component {}", k + 1);
    finding.value = sizes[k];
    finding.limit = limit;
    finding.rejected = sizes[k] > limit;
    outcome.findings.push_back(std::move(finding));
  }
  std::ranges::stable_sort(outcome.findings, std::greater<>(),
                           [](Finding const& f) { return f.value.value_or(-1); });
}

void judge_as_published(Task const& task, Means const& means, Asked const& asked, double sigma,
                        Outcome& outcome) {
  auto rule = asked.rule;
  // Three runs, drawn by the seed where more are offered.
  std::vector<std::size_t> runs(means.tests.rows.size());
  std::iota(runs.begin(), runs.end(), std::size_t{0});
  Draws draws(task.request.seed, 0);
  draw_last(runs, tested_runs, draws);
  runs.erase(runs.begin(), runs.end() - std::ptrdiff_t(tested_runs));
  auto const components = components_of(means.ensemble, asked.variables, rule.components);
  rule.components = components.loadings.size();
  if (rule.components < rule.components_fail) {
    outcome = too_few_components(rule, rule.components, asked.variables.size());
    return;
  }
  std::vector<std::vector<double>> scores;
  for (auto const run : runs) scores.push_back(components.scores(means.tests.rows[run]));
  auto const limit = sigma > 0 ? sigma
                               : sigma_for_rate(task.rate, std::int64_t(rule.components),
                                                std::int64_t(rule.components_fail));
  outcome.nominal_rate =
      rate_of_components(limit, std::int64_t(rule.components), std::int64_t(rule.components_fail));
  auto const sizes = sizes_of(scores, rule);
  add_components(outcome, sizes, limit);
  outcome.figures.push_back(figure_of(scores, limit));
  auto const failing = std::size_t(std::ranges::count_if(sizes, [&](double x) { return x > limit; }));
  outcome.answer = failing >= rule.components_fail ? Answer::different : Answer::consistent;
  outcome.statement = fmt::format(
      "{} of {} components are beyond {:.3g} standard deviations in {} of 3 runs ({} may not be); false "
      "alarms of independent normal scores in theory {:.2g} %",
      failing, sizes.size(), limit, rule.runs_fail, rule.components_fail, 100 * outcome.nominal_rate);
}

// Parts of the rate: relabelling needs most of it where runs are few, the tail of members hardly any.
constexpr double part_of_direction = 0.9;

void judge_calibrated(Task const& task, Means const& means, Means const& over_time, Asked const& asked,
                      double doubt, Outcome& outcome) {
  auto const& rule = asked.rule;
  auto const n = means.ensemble.rows.size(), m = means.tests.rows.size();
  SingleRuns const single(over_time, asked.variables, rule);
  if (single.components() < rule.components_fail) {
    outcome = too_few_components(rule, single.components(), asked.variables.size());
    return;
  }
  outcome.nominal_rate = task.rate;
  auto const with_direction = can_relabel(n, m, part_of_direction * task.rate);
  auto const rate_of_runs = with_direction ? (1 - part_of_direction) * task.rate : task.rate;

  // One run that is far out, or as many as the rule asks for.
  Tail const tail(single.members());
  auto sorted = single.runs();
  std::ranges::sort(sorted, std::greater<>());
  double p_of_runs = 1, limit = 0;
  std::size_t beyond = 1;
  auto const tests = rule.runs_fail > 1 ? 2.0 : 1.0;
  for (auto const runs : {std::size_t{1}, rule.runs_fail}) {
    auto const p = std::min(1.0, tests * tail.chance(sorted[runs - 1], m, runs));
    if (limit > 0 && p >= p_of_runs) continue;
    p_of_runs = p;
    beyond = runs;
    limit = tail.limit(rate_of_runs / tests, m, runs);
  }
  auto p = p_of_runs / (with_direction ? 1 - part_of_direction : 1);
  Relabelled direction;
  if (with_direction) {
    direction = direction_of_change(means, part_of_direction * task.rate, task.request.seed);
    p = std::min(p, direction.p / part_of_direction);
  }
  p = std::min(p, 1.0);
  add_components(outcome, sizes_of(single.scores(), {single.components(), rule.components_fail, beyond}),
                 limit);
  auto const adjusted = task.adjusted(p);
  auto const by_direction = with_direction && direction.p / part_of_direction <= p;
  if (with_direction) {
    outcome.findings.insert(
        outcome.findings.begin(),
        {.subject = "the change's own direction",
         .p = direction.p,
         .adjusted_p = task.adjusted(std::min(1.0, direction.p / part_of_direction)),
         .rejected = direction.p <= part_of_direction * task.rate,
         .note = fmt::format("share of {} relabellings that explain as much", direction.count)});
  }
  outcome.figures.push_back(figure_of(single.scores(), limit));
  outcome.answer = p <= task.rate      ? Answer::different
                   : adjusted <= doubt ? Answer::undecided
                                       : Answer::consistent;
  auto const of_runs = fmt::format(
      "{} of {} new runs {} {:.3g} standard deviations out in {} of {} components "
      "of the ensemble, or farther ({:.3g} would count)",
      beyond, m, beyond == 1 ? "is" : "are", sorted[beyond - 1], rule.components_fail, single.components(),
      limit);
  auto const of_direction =
      fmt::format("{:.2g} % of relabelled runs differ as much, in any direction of {} means",
                  100 * direction.p, means.ensemble.columns());
  outcome.statement =
      fmt::format("{} (adjusted p = {:.2g})", by_direction ? of_direction : of_runs, adjusted);
  if (outcome.answer == Answer::undecided) {
    outcome.members_needed = std::int64_t(2 * std::max(n, m));
    outcome.needed_of = "members and as many new runs";
    outcome.statement += fmt::format(
        ": more than chance often makes, too little to be called a difference; {} "
        "{} would probably decide",
        *outcome.members_needed, outcome.needed_of);
  }
}

}  // namespace

Outcome principal_components(Task const& task) {
  auto& parameters = task.parameters;
  auto const& ensemble = *task.request.ensemble.summary;
  auto const& tests = *task.request.tests.summary;
  Asked asked{};
  auto& rule = asked.rule;
  rule.components_fail = std::size_t(parameters.integer("min_pc_fail", 3, 1, 1000));
  rule.runs_fail = std::size_t(parameters.integer("min_run_fail", 2, 1, tested_runs));
  auto const wanted = std::size_t(parameters.integer("components", 128, 1, 100000));
  auto const published = parameters.choice("rule", {"calibrated", "published"}) == "published";
  auto const sigma_given = parameters.given("sigma");
  auto const sigma = parameters.number("sigma", 2, 0.1, 12);
  auto const doubt = parameters.number("doubt", doubtful, 0, 1);
  parameters.reject_unknown();
  auto const n = ensemble.members.size();
  std::vector<std::string> left_out;
  auto const means = published ? means_of(task.request, left_out) : means_of_times(task.request, left_out);
  auto const over_time = means.over_time();
  if (over_time.ensemble.columns() == 0) return not_applied(pca_method, "no variable varies");
  if (tests.members.size() < tested_runs) {
    return without_power(pca_method,
                         fmt::format("{} new runs (a component fails where {} of 3 runs do)",
                                     tests.members.size(), rule.runs_fail),
                         std::int64_t(tested_runs), "new runs");
  }
  Outcome outcome;
  outcome.method = pca_method;
  asked.variables = usable_columns(over_time.ensemble, outcome.findings);
  if (asked.variables.size() < rule.components_fail) {
    return not_applied(pca_method,
                       fmt::format("{} variables vary (fewer than the {} components that have to fail)",
                                   asked.variables.size(), rule.components_fail));
  }
  rule.components = std::min({wanted, asked.variables.size(), n / members_a_component});
  auto const least = std::max(std::int64_t(members_a_component * rule.components_fail), std::int64_t{10});
  if (std::int64_t(n) < least) {
    return without_power(pca_method,
                         fmt::format("{} members: {} are needed to tell components from chance", n, least),
                         least, "members");
  }
  if (published)
    judge_as_published(task, over_time, asked, sigma_given ? sigma : 0, outcome);
  else
    judge_calibrated(task, means, over_time, asked, doubt, outcome);
  outcome.parameters = parameters.used();
  return outcome;
}

}  // namespace ulpine::verification::consistency
