// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/pca.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

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

/// Sizes of the 3 runs' scores that decide about each component: the runs_fail-th largest.
using Sizes = std::vector<double>;
double deciding(Sizes sizes, Rule const& rule) {
  std::ranges::sort(sizes, std::greater<>());
  return sizes[rule.components_fail - 1];
}

/// Scores of all runs, ensemble and the 3 tested ones, along components of all of them together: the same
/// however runs are labelled, so that relabelling tells how large they may be.
class PooledScores {
 public:
  PooledScores(Table pooled, std::vector<std::size_t> const& variables, Rule const& rule)
      : rule_{rule}, n_{pooled.rows.size() - tested_runs} {
    auto const components = components_of(pooled, variables, rule.components);
    for (auto const& row : pooled.rows) scores_.push_back(components.scores(row));
    rule_.components = components.loadings.size();
  }
  /// In standard deviations of the first runs in the order, about their mean; [run of the last
  /// three][component].
  std::vector<std::vector<double>> standardised(std::span<std::size_t const> order) const {
    std::vector<std::vector<double>> result(tested_runs, std::vector<double>(rule_.components));
    for (std::size_t k = 0; k < rule_.components; ++k) {
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < n_; ++i) sum += scores_[order[i]][k];
      auto const mean = sum / double(n_);
      for (std::size_t i = 0; i < n_; ++i)
        squares += (scores_[order[i]][k] - mean) * (scores_[order[i]][k] - mean);
      auto const sd = std::sqrt(squares / (double(n_) - 1));
      for (std::size_t run = 0; run < tested_runs; ++run)
        result[run][k] = (scores_[order[n_ + run]][k] - mean) / std::max(sd, 1e-12);
    }
    return result;
  }
  Sizes sizes(std::span<std::size_t const> order) const { return sizes_of(standardised(order), rule_); }
  static Sizes sizes_of(std::vector<std::vector<double>> const& scores, Rule const& rule) {
    Sizes sizes;
    for (std::size_t k = 0; k < scores.front().size(); ++k) {
      std::array<double, tested_runs> of_runs{};
      for (std::size_t run = 0; run < tested_runs; ++run) of_runs[run] = std::abs(scores[run][k]);
      std::ranges::sort(of_runs, std::greater<>());
      sizes.push_back(of_runs[rule.runs_fail - 1]);
    }
    return sizes;
  }
  Rule const& rule() const { return rule_; }

 private:
  Rule rule_;
  std::size_t n_;
  std::vector<std::vector<double>> scores_;  ///< [run][component]
};

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

Outcome principal_components(Task const& task) {
  auto& parameters = task.parameters;
  auto const& ensemble = *task.request.ensemble.summary;
  auto const& tests = *task.request.tests.summary;
  Rule rule{};
  rule.components_fail = std::size_t(parameters.integer("min_pc_fail", 3, 1, 1000));
  rule.runs_fail = std::size_t(parameters.integer("min_run_fail", 2, 1, tested_runs));
  auto const wanted = std::size_t(parameters.integer("components", 128, 1, 100000));
  auto const published = parameters.choice("rule", {"calibrated", "published"}) == "published";
  auto const sigma_given = parameters.given("sigma");
  auto const sigma = parameters.number("sigma", 2, 0.1, 12);
  parameters.reject_unknown();
  auto const n = ensemble.members.size();
  std::vector<std::string> left_out;
  auto const means = means_of(task.request, left_out);
  if (means.ensemble.columns() == 0) return not_applied(pca_method, "no variable varies");
  if (tests.members.size() < tested_runs) {
    return without_power(pca_method,
                         fmt::format("{} new runs (a component fails where {} of 3 runs do)",
                                     tests.members.size(), rule.runs_fail),
                         std::int64_t(tested_runs), "new runs");
  }
  Outcome outcome;
  outcome.method = pca_method;
  auto const variables = usable_columns(means.ensemble, outcome.findings);
  if (variables.size() < rule.components_fail) {
    return not_applied(pca_method,
                       fmt::format("{} variables vary (fewer than the {} components that have to fail)",
                                   variables.size(), rule.components_fail));
  }
  rule.components = std::min({wanted, variables.size(), n / members_a_component});
  auto const least = std::max(std::int64_t(members_a_component * rule.components_fail),
                              published ? std::int64_t{10} : members_to_relabel(tested_runs, task.rate));
  if (std::int64_t(n) < least) {
    return without_power(pca_method,
                         fmt::format("{} members: {} are needed to tell components from chance", n, least),
                         least, "members");
  }

  // Three runs, drawn by the seed where more are offered.
  std::vector<std::size_t> runs(tests.members.size());
  std::iota(runs.begin(), runs.end(), std::size_t{0});
  Draws draws(task.request.seed, 0);
  draw_last(runs, tested_runs, draws);
  runs.erase(runs.begin(), runs.end() - std::ptrdiff_t(tested_runs));

  auto const too_few = [&] {
    return not_applied(pca_method, fmt::format("{} components of {} variables are more than rounding (fewer "
                                               "than the {} that have to fail)",
                                               rule.components, variables.size(), rule.components_fail));
  };
  std::vector<std::vector<double>> scores;
  double limit = 0, p = 1;
  if (published) {
    auto const components = components_of(means.ensemble, variables, rule.components);
    rule.components = components.loadings.size();
    if (rule.components < rule.components_fail) return too_few();
    for (auto const run : runs) scores.push_back(components.scores(means.tests.rows[run]));
    limit = sigma_given ? sigma
                        : sigma_for_rate(task.rate, std::int64_t(rule.components),
                                         std::int64_t(rule.components_fail));
    outcome.nominal_rate =
        rate_of_components(limit, std::int64_t(rule.components), std::int64_t(rule.components_fail));
  } else {
    auto pooled = means.ensemble;
    for (auto const run : runs) pooled.rows.push_back(means.tests.rows[run]);
    PooledScores const of(std::move(pooled), variables, rule);
    rule = of.rule();
    if (rule.components < rule.components_fail) return too_few();
    Labellings labellings(n, tested_runs, task.request.seed);
    scores = of.standardised(labellings.given());
    auto const relabelled = relabel(labellings, task.rate, [&](std::span<std::size_t const> labels) {
      return deciding(of.sizes(labels), rule);
    });
    limit = relabelled.limit_of();
    p = relabelled.p;
    outcome.nominal_rate = task.rate;
  }
  auto const sizes = PooledScores::sizes_of(scores, rule);
  std::size_t failing = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    Finding finding;
    finding.subject = fmt::format("component {}", k + 1);
    finding.value = sizes[k];
    finding.limit = limit;
    finding.rejected = sizes[k] > limit;
    failing += finding.rejected ? 1 : 0;
    outcome.findings.push_back(std::move(finding));
  }
  std::ranges::stable_sort(outcome.findings, std::greater<>(),
                           [](Finding const& f) { return f.value.value_or(-1); });
  outcome.figures.push_back(figure_of(scores, limit));
  auto const fails = published ? failing >= rule.components_fail : p <= task.rate;
  outcome.answer = fails ? Answer::different : Answer::consistent;
  outcome.statement = fmt::format(
      "{} of {} components are beyond {:.3g} standard deviations in {} of 3 runs ({} may not be); false "
      "alarms {} {:.2g} %",
      failing, sizes.size(), limit, rule.runs_fail, rule.components_fail,
      published ? "of independent normal scores in theory" : "by relabelling runs",
      100 * outcome.nominal_rate);
  outcome.parameters = parameters.used();
  return outcome;
}

}  // namespace ulpine::verification::consistency
