// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/pycect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "io/error.hpp"
#include "verification/consistency/numpy_sums.hpp"
#include "verification/statistics/distributions.hpp"

namespace ulpine::verification::consistency {
namespace {

/// Leaves out the variables with these numbers, in ascending order, and says why.
void leave_out(PycectMeans& means, std::vector<std::size_t> const& which, std::string const& why,
               std::vector<std::string>& notes) {
  if (which.empty()) return;
  std::vector<std::string> names;
  for (auto const v : which) names.push_back(means.names[v]);
  notes.push_back(fmt::format("{} left out as PyCECT does ({}): {}",
                              which.size() == 1 ? "1 variable" : fmt::format("{} variables", which.size()),
                              why, fmt::join(names, ", ")));
  for (auto v = which.rbegin(); v != which.rend(); ++v) {
    auto part = *v;
    std::size_t of = 0;
    while (part >= means.parts[of]) part -= means.parts[of++];
    --means.parts[of];
    means.names.erase(means.names.begin() + std::ptrdiff_t(*v));
    means.means.erase(means.means.begin() + std::ptrdiff_t(*v));
  }
}

std::vector<std::size_t> constant_ones(PycectMeans const& means) {
  std::vector<std::size_t> which;
  std::vector<double> scratch(means.means.front().size());
  for (std::size_t v = 0; v < means.names.size(); ++v) {
    if (numpy::deviation(means.means[v], scratch) == 0) which.push_back(v);
  }
  return which;
}

std::vector<std::size_t> of_few_values(PycectMeans const& means) {
  std::vector<std::size_t> which;
  auto const least = 0.03 * double(means.means.front().size());
  for (std::size_t v = 0; v < means.names.size(); ++v) {
    std::set<double> const distinct(means.means[v].begin(), means.means[v].end());
    if (double(distinct.size()) < least) which.push_back(v);
  }
  return which;
}

/// Matrix of covariances of rows about their means.
std::vector<double> covariances(std::vector<std::vector<double>> const& rows) {
  auto centred = rows;
  for (auto& row : centred) {
    auto const centre = numpy::mean(row);
    for (auto& value : row) value -= centre;
  }
  auto const v = rows.size();
  std::vector<double> matrix(v * v);
  for (std::size_t i = 0; i < v; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      matrix[i * v + j] = matrix[j * v + i] =
          std::inner_product(centred[i].begin(), centred[i].end(), centred[j].begin(), 0.0) /
          double(rows.front().size() - 1);
    }
  }
  return matrix;
}

/// Rows that depend on others: those that a QR factorisation with pivoting reaches once what is left is below
/// the tolerance. Of rows that are left with the same norm but for rounding the first is taken.
std::vector<std::size_t> dependent_rows(std::vector<std::vector<double>> rows) {
  auto const v = rows.size(), n = rows.front().size();
  // The largest singular value, by that of the rows' Gram matrix.
  auto const gram = eigen_of_symmetric(covariances(rows), v);
  auto const norm = std::sqrt(std::max(gram.values.front(), 0.0) * double(n - 1));
  auto const tolerance = double(std::max(v, n)) * norm * 0x1p-23;
  std::vector<std::size_t> left(v);
  std::iota(left.begin(), left.end(), std::size_t{0});
  auto const size = [&](std::size_t i) {
    return std::sqrt(std::inner_product(rows[i].begin(), rows[i].end(), rows[i].begin(), 0.0));
  };
  for (std::size_t rank = 0; rank < std::min(v, n); ++rank) {
    auto pivot = left.front();
    auto largest = size(pivot);
    for (auto const i : left) {
      if (size(i) > largest * (1 + 1e-10)) {
        pivot = i;
        largest = size(i);
      }
    }
    if (largest < tolerance) break;
    std::erase(left, pivot);
    if (left.empty()) break;
    for (auto& value : rows[pivot]) value /= largest;
    for (auto const i : left) {
      for (int pass = 0; pass < 2; ++pass) {
        auto const along = std::inner_product(rows[i].begin(), rows[i].end(), rows[pivot].begin(), 0.0);
        for (std::size_t k = 0; k < n; ++k) rows[i][k] -= along * rows[pivot][k];
      }
    }
  }
  return left;
}

/// The rule with its parameters.
struct PycectRule {
  std::size_t components, components_fail, runs_fail, runs;
  double sigma;
};

PycectRule pycect_rule(PycectEnsemble const& ensemble, Parameters& parameters,
                       std::vector<std::string>& notes) {
  auto const mpas = ensemble.model == PycectModel::mpas;
  PycectRule rule{};
  rule.components = std::size_t(parameters.integer("nPC", mpas ? 26 : 128, 1, 1000000));
  rule.sigma = parameters.number("sigMul", mpas ? 2 : 2.23, 0.01, 100);
  rule.runs_fail = std::size_t(parameters.integer("minRunFail", 2, 1, 1000));
  rule.runs = std::size_t(parameters.integer("numRunFile", 3, 1, 1000));
  auto const all = ensemble.names.size();
  if (rule.components > all) {
    auto const fewer = std::max<std::size_t>(1, std::size_t(double(all) * 0.8));
    notes.push_back(fmt::format(
        "{} components in place of the {} asked for: PyCECT takes 80 % of the {} that there are, where "
        "these are fewer",
        fewer, rule.components, all));
    rule.components = fewer;
  }
  return rule;
}

/// Scores of the runs, [component][run], and the standardised means, [variable][run].
struct RunScores {
  std::vector<std::vector<double>> components, standard;
};

RunScores scores_of(PycectEnsemble const& ensemble, PycectTests const& tests) {
  auto const v = ensemble.names.size(), m = tests.runs.size();
  RunScores scores{std::vector(v, std::vector<double>(m)), std::vector(v, std::vector<double>(m))};
  for (std::size_t i = 0; i < v; ++i) {
    for (std::size_t run = 0; run < m; ++run)
      scores.standard[i][run] = (tests.means[i][run] - ensemble.mean[i]) / ensemble.deviation[i];
  }
  for (std::size_t k = 0; k < v; ++k) {
    for (std::size_t run = 0; run < m; ++run) {
      for (std::size_t i = 0; i < v; ++i)
        scores.components[k][run] += ensemble.loadings[i][k] * scores.standard[i][run];
    }
  }
  return scores;
}

/// Scores as findings, worst first.
void add_scores(Outcome& outcome, PycectEnsemble const& ensemble, PycectTests const& tests,
                RunScores const& scores, PycectRule const& rule) {
  for (std::size_t k = 0; k < rule.components; ++k) {
    for (std::size_t run = 0; run < tests.runs.size(); ++run) {
      Finding finding;
      finding.subject = fmt::format("component {}, {}", k + 1, tests.runs[run]);
      finding.value = scores.components[k][run];
      finding.limit = rule.sigma * ensemble.score_deviation[k];
      finding.rejected = std::abs(*finding.value) > *finding.limit;
      outcome.findings.push_back(std::move(finding));
    }
  }
  std::ranges::stable_sort(outcome.findings, std::greater<>(), [](Finding const& finding) {
    return *finding.limit > 0 ? std::abs(*finding.value) / *finding.limit : 0;
  });
}

/// The variables whose standardised means are furthest from the ensemble's, as PyCECT lists them.
std::string furthest(PycectEnsemble const& ensemble, RunScores const& scores) {
  std::vector<std::pair<double, std::string>> sums;
  for (std::size_t i = 0; i < ensemble.names.size(); ++i) {
    double sum = 0;
    for (auto const value : scores.standard[i]) sum += std::abs(value);
    sums.emplace_back(sum / double(scores.standard[i].size()), ensemble.names[i]);
  }
  std::ranges::stable_sort(sums, std::greater<>(), &std::pair<double, std::string>::first);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(5, sums.size()); ++i)
    text += fmt::format("{}{} {:.3g}", i == 0 ? "" : ", ", sums[i].second, sums[i].first);
  return "furthest from the ensemble, in its standard deviations on average: " + text;
}

void require_enough_runs(PycectTests const& tests, PycectRule const& rule) {
  if (tests.runs.size() >= rule.runs) return;
  throw InputError(
      fmt::format("--test: {} new runs are fewer than the {} that PyCECT takes (numRunFile) name "
                  "{} or more",
                  tests.runs.size(), rule.runs, rule.runs));
}

/// Which components of a run are beyond the limit, 64 to a word.
using FailingBits = std::vector<std::uint64_t>;

/// Counts the choices of `runs` of all runs in which more than `most` components fail twice.
class RunChoices {
 public:
  RunChoices(std::vector<FailingBits> const& failing, std::size_t runs, std::size_t most)
      : failing_{failing}, most_{most} {
    auto const words = failing.front().size();
    choose(0, runs, FailingBits(words), FailingBits(words));
  }
  std::int64_t failed() const { return failed_; }
  std::int64_t all() const { return all_; }

 private:
  void choose(std::size_t from, std::size_t left, FailingBits const& once, FailingBits const& twice) {
    if (left == 0) {
      std::size_t count = 0;
      for (auto const word : twice) count += std::size_t(std::popcount(word));
      failed_ += count > most_ ? 1 : 0;
      ++all_;
      return;
    }
    for (auto run = from; run + left <= failing_.size(); ++run) {
      auto next_once = once, next_twice = twice;
      for (std::size_t w = 0; w < once.size(); ++w) {
        next_twice[w] |= once[w] & failing_[run][w];
        next_once[w] |= failing_[run][w];
      }
      choose(run + 1, left - 1, next_once, next_twice);
    }
  }

  std::vector<FailingBits> const& failing_;
  std::size_t most_;
  std::int64_t failed_ = 0, all_ = 0;
};

double choices_of(std::size_t n, std::size_t k) {
  double count = 1;
  for (std::size_t i = 0; i < k; ++i) count = count * double(n - i) / double(i + 1);
  return count;
}

/// Share of sets of runs of independent normal scores that the exhaustive test fails, by drawing some.
struct DrawnRate {
  std::int64_t failed = 0, drawn = 0;
};
DrawnRate rate_of_choices(PycectRule const& rule, std::size_t runs, double choices, std::uint64_t seed) {
  DrawnRate rate;
  rate.drawn = std::clamp<std::int64_t>(std::int64_t(4e6 / choices), 100, 1000);
  auto const share = std::erfc(rule.sigma / std::sqrt(2.0));
  Draws draws(seed, 1);
  for (std::int64_t draw = 0; draw < rate.drawn; ++draw) {
    std::vector<FailingBits> failing(runs, FailingBits((rule.components + 63) / 64));
    for (auto& bits : failing) {
      for (std::size_t k = 0; k < rule.components; ++k) {
        if (draws.uniform() < share) bits[k / 64] |= std::uint64_t{1} << (k % 64);
      }
    }
    RunChoices const of(failing, rule.runs, rule.runs_fail);
    rate.failed += double(of.failed()) > 0.1 * double(of.all()) ? 1 : 0;
  }
  return rate;
}

}  // namespace

PycectEnsemble pycect_ensemble(PycectMeans means, PycectModel model, std::vector<std::string>& notes) {
  if (means.names.empty())
    throw InputError("the ensemble has no variable that PyCECT takes (nothing to compare) check its files");
  auto const members = means.means.front().size();
  if (members < 2)
    throw InputError("the ensemble has one member (a spread takes two, PyCECT's rule hundreds) name more");
  if (members < means.names.size()) {
    throw InputError(fmt::format(
        "the ensemble has fewer members ({}) than variables ({}) (PyCECT refuses it) name fewer with "
        "--variables, or more runs",
        members, means.names.size()));
  }
  auto few = of_few_values(means);
  auto const same = constant_ones(means);
  std::erase_if(few, [&](std::size_t v) { return std::ranges::count(same, v) > 0; });
  std::vector<std::string> few_names;
  for (auto const v : few) few_names.push_back(means.names[v]);
  leave_out(means, same, "constant over the ensemble", notes);
  few.clear();
  for (std::size_t v = 0; v < means.names.size(); ++v) {
    if (std::ranges::count(few_names, means.names[v]) > 0) few.push_back(v);
  }
  leave_out(means, few, "fewer distinct values than 3 % of the members", notes);
  if (means.names.empty())
    throw InputError("no variable varies over the ensemble (PyCECT leaves all of them out) check its files");

  PycectEnsemble ensemble;
  ensemble.model = model;
  std::vector<double> scratch(members);
  auto const standardise = [&] {
    ensemble.mean.clear();
    ensemble.deviation.clear();
    ensemble.standard.clear();
    for (auto const& values : means.means) {
      ensemble.mean.push_back(numpy::mean(values));
      ensemble.deviation.push_back(numpy::deviation(values, scratch));
      auto& standard = ensemble.standard.emplace_back(values);
      for (auto& value : standard) value = (value - ensemble.mean.back()) / ensemble.deviation.back();
    }
  };
  standardise();
  leave_out(means, dependent_rows(ensemble.standard),
            "linearly dependent on others; of equal ones PyCECT may leave out another", notes);
  standardise();

  auto const v = means.names.size();
  auto const eigen = eigen_of_symmetric(covariances(ensemble.standard), v);
  ensemble.loadings.assign(v, std::vector<double>(v));
  for (std::size_t k = 0; k < v; ++k) {
    std::vector<double> scores(members);
    for (std::size_t i = 0; i < v; ++i) {
      ensemble.loadings[i][k] = eigen.vectors[k][i];
      for (std::size_t run = 0; run < members; ++run)
        scores[run] += eigen.vectors[k][i] * ensemble.standard[i][run];
    }
    ensemble.score_deviation.push_back(numpy::deviation(scores, scratch));
  }
  ensemble.names = std::move(means.names);
  ensemble.parts = std::move(means.parts);
  ensemble.means = std::move(means.means);
  return ensemble;
}

Outcome pycect_test(PycectEnsemble const& ensemble, PycectTests const& offered, Parameters& parameters,
                    std::uint64_t seed, std::vector<std::string>& notes) {
  auto rule = pycect_rule(ensemble, parameters, notes);
  rule.components_fail = std::size_t(parameters.integer("minPCFail", 3, 1, 1000000));
  parameters.reject_unknown();
  require_enough_runs(offered, rule);
  if (rule.runs < rule.runs_fail) {
    throw InputError(
        fmt::format("--parameter pycect.minRunFail={}: is more than the {} runs (numRunFile) that "
                    "PyCECT takes (nothing can fail) give at most as many",
                    rule.runs_fail, rule.runs));
  }
  auto tests = offered;
  if (tests.runs.size() > rule.runs) {
    std::vector<std::size_t> order(tests.runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Draws draws(seed, 0);
    draw_last(order, rule.runs, draws);
    order.erase(order.begin(), order.end() - std::ptrdiff_t(rule.runs));
    std::ranges::sort(order);
    tests.runs.clear();
    for (auto const run : order) tests.runs.push_back(offered.runs[run]);
    for (std::size_t i = 0; i < tests.means.size(); ++i) {
      tests.means[i].clear();
      for (auto const run : order) tests.means[i].push_back(offered.means[i][run]);
    }
    notes.push_back(
        fmt::format("{} of {} new runs are judged, drawn at random as PyCECT does (--seed {}; --as "
                    "eet judges with all): {}",
                    rule.runs, offered.runs.size(), seed, fmt::join(tests.runs, ", ")));
  }
  auto const scores = scores_of(ensemble, tests);
  Outcome outcome;
  outcome.method = "pycect";
  add_scores(outcome, ensemble, tests, scores, rule);
  std::size_t failing = 0;
  for (std::size_t k = 0; k < rule.components; ++k) {
    auto const beyond = std::ranges::count_if(scores.components[k], [&](double score) {
      return std::abs(score) > rule.sigma * ensemble.score_deviation[k];
    });
    failing += beyond >= std::ptrdiff_t(rule.runs_fail) ? 1 : 0;
  }
  auto const one = std::erfc(rule.sigma / std::sqrt(2.0));
  auto const component = distributions::binomial_above(double(rule.runs_fail) - 1, double(rule.runs), one);
  outcome.nominal_rate = rule.components < rule.components_fail
                             ? 0
                             : distributions::binomial_above(double(rule.components_fail) - 1,
                                                             double(rule.components), component);
  auto const fails = failing >= rule.components_fail;
  outcome.answer = fails ? Answer::different : Answer::consistent;
  outcome.statement = fmt::format(
      "PyCECT's rule {}: {} of {} components are beyond {} standard deviations in at least {} of {} runs ({} "
      "fail); false alarms in theory {:.2g} % (independent normal scores)",
      fails ? "fails" : "passes", failing, rule.components, rule.sigma, rule.runs_fail, rule.runs,
      rule.components_fail, 100 * outcome.nominal_rate);
  if (fails) notes.push_back(furthest(ensemble, scores));
  outcome.parameters = parameters.used();
  return outcome;
}

Outcome exhaustive_test(PycectEnsemble const& ensemble, PycectTests const& tests, Parameters& parameters,
                        std::uint64_t seed, std::vector<std::string>& notes) {
  auto const rule = pycect_rule(ensemble, parameters, notes);
  parameters.reject_unknown();
  require_enough_runs(tests, rule);
  auto const choices = choices_of(tests.runs.size(), rule.runs);
  if (choices > 1e7) {
    throw InputError(
        fmt::format("--test: {:.3g} choices of {} of {} runs are too many to be gone through (1e7 "
                    "at most) name fewer runs",
                    choices, rule.runs, tests.runs.size()));
  }
  auto const scores = scores_of(ensemble, tests);
  Outcome outcome;
  outcome.method = "eet";
  add_scores(outcome, ensemble, tests, scores, rule);
  std::vector<FailingBits> failing(tests.runs.size(), FailingBits((rule.components + 63) / 64));
  for (std::size_t k = 0; k < rule.components; ++k) {
    for (std::size_t run = 0; run < tests.runs.size(); ++run) {
      if (std::abs(scores.components[k][run]) > rule.sigma * ensemble.score_deviation[k])
        failing[run][k / 64] |= std::uint64_t{1} << (k % 64);
    }
  }
  RunChoices const of(failing, rule.runs, rule.runs_fail);
  auto const fails = double(of.failed()) > 0.1 * double(of.all());
  auto const rate = rate_of_choices(rule, tests.runs.size(), choices, seed);
  outcome.nominal_rate = double(rate.failed) / double(rate.drawn);
  outcome.answer = fails ? Answer::different : Answer::consistent;
  outcome.statement = fmt::format(
      "the exhaustive test of PyCECT {}: {} of {} choices of {} runs fail, {:.2f} % (10 % at most may); "
      "false "
      "alarms in theory {}{:.2g} % ({} of {} draws of independent normal scores)",
      fails ? "fails" : "passes", of.failed(), of.all(), rule.runs,
      100 * double(of.failed()) / double(of.all()), rate.failed == 0 ? "below " : "",
      100 * double(std::max<std::int64_t>(rate.failed, 1)) / double(rate.drawn), rate.failed, rate.drawn);
  if (fails) notes.push_back(furthest(ensemble, scores));
  outcome.parameters = parameters.used();
  return outcome;
}

}  // namespace ulpine::verification::consistency
