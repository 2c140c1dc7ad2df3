// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/level_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "precision/exact_terms.hpp"

namespace ulpine::verification::consistency {
namespace {

using Vector [[gnu::vector_size(32)]] = double;
using Words [[gnu::vector_size(32)]] = long long;
constexpr std::size_t lanes = sizeof(Vector) / sizeof(double);
constexpr std::size_t block = 512;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// What a block of values, a multiple of `lanes`, comes to.
struct Scan {
  double least = infinity, most = -infinity;  ///< of those that are not missing
  std::int64_t missing = 0;
};

/// Leaves the products of values and weights, 0 where a value is missing or its weight not above 0.
template <bool weighted>
[[gnu::always_inline]] inline Scan scan(double const* values, double const* weights, std::size_t count,
                                        double* products) {
  Vector least = Vector{} + infinity, most = Vector{} - infinity;
  Words missing = {};
  for (std::size_t i = 0; i < count; i += lanes) {
    Vector value;
    std::memcpy(&value, values + i, sizeof value);
    Words const is_nan = value != value;
    missing -= is_nan;
    least = value < least ? value : least;
    most = value > most ? value : most;
    Words term;
    if constexpr (weighted) {
      Vector weight;
      std::memcpy(&weight, weights + i, sizeof weight);
      Vector const product = weight * value;
      std::memcpy(&term, &product, sizeof term);
      term &= ~is_nan & (weight > 0);
    } else {
      std::memcpy(&term, &value, sizeof term);
      term &= ~is_nan;
    }
    std::memcpy(products + i, &term, sizeof term);
  }
  Scan result;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    result.least = std::min<double>(result.least, least[lane]);
    result.most = std::max<double>(result.most, most[lane]);
    result.missing += missing[lane];
  }
  return result;
}

using Scanner = Scan (*)(double const*, double const*, std::size_t, double*);
template <bool weighted>
Scan scan_plainly(double const* values, double const* weights, std::size_t count, double* products) {
  return scan<weighted>(values, weights, count, products);
}
#if defined(__x86_64__)
template <bool weighted>
[[gnu::target("avx2")]] Scan scan_avx2(double const* values, double const* weights, std::size_t count,
                                       double* products) {
  return scan<weighted>(values, weights, count, products);
}
template <bool weighted>
Scanner const scanner = __builtin_cpu_supports("avx2") ? scan_avx2<weighted> : scan_plainly<weighted>;
#else
template <bool weighted>
Scanner const scanner = scan_plainly<weighted>;
#endif

/// The first of some values that is zero: of two zeros the sign of the first counts.
double first_zero(double const* values, std::size_t count) { return *std::find(values, values + count, 0.0); }

}  // namespace

ExactSum positive_sum(std::span<double const> weights) {
  ExactSum sum;
  double positive[block];
  while (!weights.empty()) {
    auto const count = std::min(block, weights.size());
    std::ranges::transform(weights.first(count), positive,
                           [](double weight) { return weight > 0 ? weight : 0; });
    add_terms(sum, {positive, count});
    weights = weights.subspan(count);
  }
  return sum;
}

void LevelSums::add(std::span<double const> values, std::span<double const> weights) {
  auto const* weight = weights.empty() ? nullptr : weights.data();
  for (std::size_t done = 0; done < values.size();) {
    auto count = std::min(block, values.size() - done);
    if (count >= lanes) count = count / lanes * lanes;
    add_block(values.data() + done, weight == nullptr ? nullptr : weight + done, count);
    done += count;
  }
}

void LevelSums::add_block(double const* values, double const* weights, std::size_t count) {
  double products[block];
  if (count < lanes) {  // the last few of a part: as many as a vector has, the others missing
    double few[lanes], of_few[lanes] = {};
    std::fill(std::copy_n(values, count, few), few + lanes, not_a_number);
    if (weights != nullptr) std::copy_n(weights, count, of_few);
    auto const padding = std::int64_t(lanes - count);
    level_.missing -= padding;
    if (weights == nullptr) missing_.add(double(padding));
    add_block(few, weights == nullptr ? nullptr : of_few, lanes);
    return;
  }
  auto found = weights == nullptr ? scanner<false>(values, nullptr, count, products)
                                  : scanner<true>(values, weights, count, products);
  level_.missing += found.missing;
  if (found.missing > 0 && weights == nullptr) missing_.add(-double(found.missing));
  if (found.missing > 0 && weights != nullptr) {
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isnan(values[i]) && weights[i] > 0) missing_.add(-weights[i]);
    }
  }
  if (found.missing == std::int64_t(count)) return;
  if (found.least == 0) found.least = first_zero(values, count);
  if (found.most == 0) found.most = first_zero(values, count);
  level_.min = std::isnan(level_.min) ? found.least : std::min(level_.min, found.least);
  level_.max = std::isnan(level_.max) ? found.most : std::max(level_.max, found.most);
  if (std::isinf(found.least) || std::isinf(found.most)) {
    level_.not_finite += std::count_if(values, values + count, [](double x) { return std::isinf(x); });
  }
  add_terms(sum_, {products, count});
}

ExactSum LevelSums::total(ExactSum const& whole) const {
  auto total = whole;
  total.merge(missing_);
  return total;
}

LevelSummary LevelSums::summary(ExactSum const& whole) const {
  auto level = level_;
  auto const weight = total(whole).to_double();
  if (weight > 0) level.mean = sum_.to_double() / weight;
  return level;
}

}  // namespace ulpine::verification::consistency
