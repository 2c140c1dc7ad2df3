// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/level_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "precision/exact_sum.hpp"
#include "support/random_values.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The same, value by value.
LevelSummary one_by_one(std::vector<double> const& values, std::vector<double> const& weights) {
  LevelSummary level;
  ExactSum sum, total;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const value = values[i], weight = weights.empty() ? 1 : weights[i];
    if (std::isnan(value)) {
      ++level.missing;
      continue;
    }
    if (std::isinf(value)) ++level.not_finite;
    if (std::isnan(level.min) || value < level.min) level.min = value;
    if (std::isnan(level.max) || value > level.max) level.max = value;
    if (!(weight > 0)) continue;
    sum.add(weight * value);
    total.add(weight);
  }
  if (total.to_double() > 0) level.mean = sum.to_double() / total.to_double();
  return level;
}

void expect_as_one_by_one(std::vector<double> const& values, std::vector<double> const& weights) {
  auto const expected = one_by_one(values, weights);
  auto whole = positive_sum(weights);
  if (weights.empty()) whole.add(double(values.size()));
  for (std::size_t const part : {std::size_t{1}, std::size_t{3}, std::size_t{511}, values.size() + 1}) {
    LevelSums sums;
    for (std::size_t first = 0; first < values.size(); first += part) {
      auto const count = std::min(part, values.size() - first);
      sums.add(std::span(values).subspan(first, count),
               weights.empty() ? std::span<double const>() : std::span(weights).subspan(first, count));
    }
    auto const found = sums.summary(whole);
    auto const bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    EXPECT_EQ(bits(found.min), bits(expected.min)) << part;
    EXPECT_EQ(bits(found.max), bits(expected.max)) << part;
    EXPECT_TRUE(found.mean == expected.mean || (std::isnan(found.mean) && std::isnan(expected.mean)))
        << part << ": " << found.mean << " " << expected.mean;
    EXPECT_EQ(found.missing, expected.missing) << part;
    EXPECT_EQ(found.not_finite, expected.not_finite) << part;
  }
}

TEST(LevelSums, AreThoseOfTheValuesOneByOneWhateverTheParts) {
  test::RandomValues random(11);
  for (auto const size : {0, 1, 2, 5, 512, 1300}) {
    for (auto const missing : {0.0, 0.1, 0.9, 1.0}) {
      std::vector<double> values, weights;
      for (int i = 0; i < size; ++i) {
        values.push_back(random.uniform() < missing ? std::nan("") : random.ugly(-8, 8));
        // Land has no weight, and a damaged measure may have any.
        weights.push_back(random.uniform() < 0.1    ? 0
                          : random.uniform() < 0.1  ? -3
                          : random.uniform() < 0.05 ? std::nan("")
                                                    : random.between(0.1, 7));
      }
      expect_as_one_by_one(values, {});
      expect_as_one_by_one(values, weights);
      if (size < 5) continue;
      values[4] = infinity;
      expect_as_one_by_one(values, weights);
      values[1] = -infinity;
      expect_as_one_by_one(values, {});
    }
  }
}

TEST(LevelSums, OfTwoZerosHaveTheSignOfTheFirst) {
  for (auto const first : {0.0, -0.0}) {
    std::vector<double> above(40, 1.0), below(40, -1.0);
    for (auto* values : {&above, &below}) {
      (*values)[7] = first;
      (*values)[6 + 4] = -first;
      expect_as_one_by_one(*values, {});
    }
  }
}

}  // namespace
}  // namespace ulpine::verification::consistency
