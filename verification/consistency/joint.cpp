// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/joint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace ulpine::verification::consistency {
namespace {

constexpr double rounding = 1e-24;     // of variances of standardised values
constexpr double beyond_all = 1e3;     // standard deviations
constexpr std::size_t free_runs = 10;  ///< more than variables, to explain one by the others

enum Family : std::size_t { locations, spreads, spreads_by_ranks, families };
struct Kind {
  char const* what;
  Family family;
  bool conditional;
};
enum : std::size_t { mean, score, spread, score_spread, mean_given, score_given, spread_given };
constexpr std::array<Kind, 7> kinds = {{{"mean", locations, false},
                                        {"location by ranks", locations, false},
                                        {"spread", spreads, false},
                                        {"spread by ranks", spreads_by_ranks, false},
                                        {"mean given the others", locations, true},
                                        {"location by ranks given the others", locations, true},
                                        {"spread given the others", spreads, true}}};

/// Values of all runs, and what no labelling changes of them.
class Values {
 public:
  /// Columns come standardised: no sum overflows, and the matrices are well scaled.
  Values(std::vector<std::vector<double>> const& columns, bool with_products)
      : runs_{columns.front().size()}, variables_{columns.size()}, values_(runs_ * variables_) {
    for (std::size_t v = 0; v < variables_; ++v) {
      for (std::size_t run = 0; run < runs_; ++run) values_[run * variables_ + v] = columns[v][run];
    }
    if (!with_products) return;
    std::vector<std::size_t> all(runs_);
    std::iota(all.begin(), all.end(), std::size_t{0});
    products_ = products_of(all);
    inverse_ = inverse_of_definite(products_, variables_);
  }
  std::size_t runs() const { return runs_; }
  std::size_t variables() const { return variables_; }
  double const* run(std::size_t index) const { return &values_[index * variables_]; }
  /// Sums of products of all variables about the mean of all runs; row-major.
  std::vector<double> const& products() const { return products_; }
  /// The inverse of products(); empty where variables depend on each other.
  std::vector<double> const& inverse() const { return inverse_; }

  /// As products(), of the runs `some` about their own mean: variables x variables, row-major.
  std::vector<double> products_of(std::span<std::size_t const> some) const {
    std::vector<double> means(variables_, 0), left(variables_), products(variables_ * variables_, 0);
    for (auto const index : some) {
      auto const* values = run(index);
      for (std::size_t v = 0; v < variables_; ++v) means[v] += values[v] / double(some.size());
    }
    for (auto const index : some) {
      auto const* values = run(index);
      for (std::size_t v = 0; v < variables_; ++v) left[v] = values[v] - means[v];
      for (std::size_t v = 0; v < variables_; ++v) {
        for (std::size_t w = 0; w < variables_; ++w) products[v * variables_ + w] += left[v] * left[w];
      }
    }
    return products;
  }

 private:
  std::size_t runs_, variables_;
  std::vector<double> values_;  ///< [run][variable]
  std::vector<double> products_, inverse_;
};

/// The deviates of two groups among runs; keeps its buffers from one labelling to the next.
class Deviates {
 public:
  Deviates(std::vector<std::vector<double>> const& columns, std::vector<std::vector<double>> const& scores,
           std::size_t first, bool given_the_others)
      : values_{columns, given_the_others},
        scores_{scores, given_the_others},
        n_{first},
        m_{values_.runs() - first},
        v_{values_.variables()} {
    conditional_ = given_the_others && v_ > 1 && n_ + m_ >= 2 + (v_ - 1) + free_runs && std::min(n_, m_) >= 3;
    for (auto* sums : {&mean_[0], &mean_[1], &squares_[0], &squares_[1], &difference_, &weighted_})
      sums->resize(v_);
  }
  bool conditional() const { return conditional_; }
  std::size_t variables() const { return v_; }

  /// [kind][variable], of runs in an order of which the first n are one group.
  void compute(std::span<std::size_t const> order, std::vector<double>& deviates) {
    deviates.assign(kinds.size() * v_, 0);
    compare(scores_, order, &deviates[score * v_], &deviates[score_spread * v_], &deviates[score_given * v_]);
    compare(values_, order, &deviates[mean * v_], &deviates[spread * v_], &deviates[mean_given * v_]);
    if (conditional_) compare_spreads_given(order, &deviates[spread_given * v_]);
  }

 private:
  void compare(Values const& values, std::span<std::size_t const> order, double* location, double* scale,
               double* location_given) {
    for (auto* sums : {&mean_[0], &mean_[1], &squares_[0], &squares_[1]}) std::ranges::fill(*sums, 0.0);
    double const count[2] = {double(n_), double(m_)};
    for (std::size_t i = 0; i < order.size(); ++i) {
      auto const* run = values.run(order[i]);
      auto& sum = mean_[i >= n_];
      for (std::size_t v = 0; v < v_; ++v) sum[v] += run[v];
    }
    for (int group = 0; group < 2; ++group) {
      for (auto& sum : mean_[group]) sum /= count[group];
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      auto const* run = values.run(order[i]);
      auto const& centre = mean_[i >= n_];
      auto& squares = squares_[i >= n_];
      for (std::size_t v = 0; v < v_; ++v) squares[v] += (run[v] - centre[v]) * (run[v] - centre[v]);
    }
    auto const freedom = count[0] + count[1] - 2, error = 1 / count[0] + 1 / count[1];
    for (std::size_t v = 0; v < v_; ++v) {
      difference_[v] = mean_[1][v] - mean_[0][v];
      auto const variance = (squares_[0][v] + squares_[1][v]) / freedom;
      if (variance > rounding) {
        location[v] = deviate_of_t(difference_[v] / std::sqrt(variance * error), freedom);
      } else if (std::abs(difference_[v]) > std::sqrt(rounding)) {
        location[v] = std::copysign(beyond_all, difference_[v]);  // each group has a value of its own
      }
      scale[v] = deviate_of_squares(squares_[0][v], count[0] - 1, squares_[1][v], count[1] - 1);
    }
    if (conditional_) compare_given(values, location_given);
  }

  /// Means of what the other variables do not explain. The products within the groups are those of all runs
  /// without what the difference d of means makes, W = T - c d d^T: their inverse follows from T's (Sherman
  /// and Morrison 1950), which no labelling changes.
  void compare_given(Values const& values, double* location_given) {
    auto const& inverse = values.inverse();
    if (inverse.empty()) return;
    auto const n = double(n_), m = double(m_), left = n + m - 2 - double(v_ - 1), between = n * m / (n + m);
    double explained = 0;  // of the labels, by all variables
    for (std::size_t i = 0; i < v_; ++i) {
      weighted_[i] = 0;
      for (std::size_t j = 0; j < v_; ++j) weighted_[i] += inverse[i * v_ + j] * difference_[j];
      explained += between * weighted_[i] * difference_[i];
    }
    auto const unexplained = 1 - explained;
    if (!(unexplained > 1e-12)) return;
    auto const distance = explained / unexplained;  // Hotelling's T^2 over its degrees of freedom
    for (std::size_t v = 0; v < v_; ++v) {
      auto const weight = weighted_[v] / unexplained;
      auto const own_inverse = inverse[v * v_ + v] + between * weighted_[v] * weight;
      auto const own = between * weight * weight / own_inverse;
      auto const f = left * own / (1 + std::max(distance - own, 0.0));
      location_given[v] = deviate_of_t(std::copysign(std::sqrt(f), weight), left);
    }
  }

  /// The regression is the first group's: one over both would follow a spread that only the second has.
  void compare_spreads_given(std::span<std::size_t const> order, double* spread_given) const {
    auto const left = double(n_) - double(v_);
    if (left < double(free_runs)) return;
    auto const first = values_.products_of(order.first(n_));
    auto const inverse = inverse_of_definite(first, v_);
    if (inverse.empty()) return;
    auto const between = double(n_) * double(m_) / double(n_ + m_);
    auto second = values_.products();
    for (std::size_t i = 0; i < v_; ++i) {
      for (std::size_t j = 0; j < v_; ++j)
        second[i * v_ + j] -= first[i * v_ + j] + between * difference_[i] * difference_[j];
    }
    // Runs that the regression has not seen are off by its own error too.
    auto const unseen = 1 + (double(v_) - 1) / left;
    for (std::size_t v = 0; v < v_; ++v) {
      auto const* row = &inverse[v * v_];
      double squares = 0;
      for (std::size_t i = 0; i < v_; ++i) {
        double product = 0;
        for (std::size_t j = 0; j < v_; ++j) product += second[i * v_ + j] * row[j];
        squares += row[i] * product;
      }
      // The residual of variable v given the others is row / row[v]; the first group's square is 1 / row[v].
      spread_given[v] = deviate_of_squares(
          1 / row[v], left, std::max(squares, 0.0) / (row[v] * row[v] * unseen), double(m_) - 1);
    }
  }

  Values values_, scores_;
  std::size_t n_, m_, v_;
  bool conditional_ = false;
  std::array<std::vector<double>, 2> mean_, squares_;  ///< of both groups, by variable
  std::vector<double> difference_, weighted_;
};

}  // namespace

JointTest joint_test(Table const& ensemble, Table const& tests, double rate, std::uint64_t seed,
                     std::span<std::size_t const> of_times) {
  auto const n = ensemble.rows.size(), m = tests.rows.size();
  // Those that are seen given the others, and those of single times.
  std::array<std::vector<std::string>, 2> names;
  std::array<std::vector<std::vector<double>>, 2> columns, scores;
  for (std::size_t v = 0; v < ensemble.columns(); ++v) {
    auto values = ensemble.column(v);
    auto const tested = tests.column(v);
    values.insert(values.end(), tested.begin(), tested.end());
    auto const part = std::ranges::binary_search(of_times, v) ? 1u : 0u;
    names[part].push_back(ensemble.names[v]);
    scores[part].push_back(standardised(normal_scores(values)));
    columns[part].push_back(standardised(std::move(values)));
  }
  std::vector<Deviates> parts;
  std::vector<std::vector<std::string> const*> names_of;
  for (std::size_t part = 0; part < 2; ++part) {
    if (columns[part].empty()) continue;
    parts.emplace_back(columns[part], scores[part], n, part == 0);
    names_of.push_back(&names[part]);
  }
  std::vector<std::vector<double>> observed(parts.size());
  std::vector<double> deviates;
  Labellings labellings(n, m, seed);
  for (std::size_t part = 0; part < parts.size(); ++part)
    parts[part].compute(labellings.given(), observed[part]);
  auto const relabelled = relabel(labellings, rate, families,
                                  [&](std::span<std::size_t const> labels, std::span<double> largest) {
                                    std::ranges::fill(largest, 0.0);
                                    for (auto& part : parts) {
                                      part.compute(labels, deviates);
                                      for (std::size_t i = 0; i < deviates.size(); ++i) {
                                        auto& of_family = largest[kinds[i / part.variables()].family];
                                        of_family = std::max(of_family, std::abs(deviates[i]));
                                      }
                                    }
                                  });

  JointTest test;
  test.conditional = parts.front().conditional();
  test.relabellings = relabelled.count;
  test.limit_of_means = relabelled.limit_of(locations);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    auto const variables = parts[part].variables();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      auto const& [what, family, conditional] = kinds[kind];
      if (conditional && !parts[part].conditional()) continue;
      for (std::size_t v = 0; v < variables; ++v) {
        auto const deviate = observed[part][kind * variables + v];
        test.findings.push_back({(*names_of[part])[v], what, deviate, relabelled.limit_of(family),
                                 relabelled.share_of(std::abs(deviate), family)});
      }
    }
  }
  std::ranges::stable_sort(test.findings, std::greater<>(),
                           [](auto const& f) { return std::abs(f.deviate) / f.limit; });
  test.p = test.findings.front().p;
  return test;
}

}  // namespace ulpine::verification::consistency
