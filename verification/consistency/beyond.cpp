// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/beyond.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace ulpine::verification::consistency {
namespace {

// Excesses of the tail that is supposed beside that of the members, and their mean. Several runs beyond tell
// more, and lean on it less.
constexpr double supposed_for_one = 10, supposed_for_several = 5, supposed_mean = 1.0 / 3;
constexpr double least = 1e-3, most = 1e300;  // of the statistic
constexpr std::size_t few = 5;                // runs that are looked at together

double logarithm(double value) { return std::log(std::isnan(value) ? most : std::clamp(value, least, most)); }

double supposed(std::size_t beyond) { return beyond == 1 ? supposed_for_one : supposed_for_several; }

}  // namespace

Tail::Tail(std::span<double const> members) : members_{double(members.size())} {
  std::vector<double> logarithms;
  for (auto const value : members) logarithms.push_back(logarithm(value));
  std::ranges::sort(logarithms, std::greater<>());
  auto const count = std::min((members.size() + 1) / 2, members.size() - 1);
  excesses_ = double(count);
  first_ = logarithms[count];
  for (std::size_t i = 0; i < count; ++i) sum_ += logarithms[i] - first_;
}

double Tail::chance(double value, std::size_t runs, std::size_t beyond) const {
  auto const excess = logarithm(value) - first_;
  if (!(excess > 0)) return 1;
  double chance = 1;
  for (std::size_t i = 0; i < beyond; ++i) {
    auto const k = double(i);
    chance *= double(runs - i) / (k + 1) * (excesses_ + 1 + k) / (members_ + 1 + k);
  }
  auto const shape = excesses_ + supposed(beyond), scale = sum_ + supposed(beyond) * supposed_mean;
  return std::min(1.0, chance * std::pow(1 + double(beyond) * excess / scale, -shape));
}

double Tail::limit(double rate, std::size_t runs, std::size_t beyond) const {
  double low = first_, high = std::log(most);
  for (int k = 0; k < 100; ++k) {
    auto const middle = (low + high) / 2;
    (chance(std::exp(middle), runs, beyond) > rate ? low : high) = middle;
  }
  return std::exp(high);
}

BeyondTail beyond_tail(std::span<double const> members, std::span<double const> runs, double rate) {
  Tail const tail(members);
  std::vector<double> sorted(runs.begin(), runs.end());
  std::ranges::sort(sorted, std::greater<>());
  auto const m = runs.size();
  auto const together = m > 1 && m <= few;
  auto const tests = together ? 2.0 : 1.0;
  auto const of_one = tail.limit(rate / tests, m, 1);
  BeyondTail result{1, 1, sorted.front(), of_one, of_one};
  result.p = std::min(1.0, tests * tail.chance(sorted.front(), m, 1));
  if (together) {
    auto const p = std::min(1.0, tests * tail.chance(sorted.back(), m, m));
    if (p < result.p) result = {p, m, sorted.back(), tail.limit(rate / tests, m, m), of_one};
  }
  return result;
}

}  // namespace ulpine::verification::consistency
