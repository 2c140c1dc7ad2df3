// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "les/air_support.hpp"
#include "les/eddies_support.hpp"

namespace {

using namespace ulpine;
using test::Air;
using test::Eddies;
using test::RandomValues;
using test::Sizes;

constexpr Sizes even{13, 8, 9, 3, 2, 2.5, 1}, stretched{10, 9, 11, 2, 3, 2, 1.1};

template <class S>
S size_of(S x) {
  return x < S(0) ? -x : x;
}
template <class S>
S largest_of(std::vector<S> const& values) {
  S most = 0;
  for (auto const& value : values) most = size_of(value) > most ? size_of(value) : most;
  return most;
}
template <class S>
double roundoff() {
  return sizeof(S) == 4 ? 0x1p-24 : sizeof(S) == 8 ? 0x1p-53 : 0x1p-113;
}

/// Values of a field after each iteration, from 1.
template <class S>
class Iterates : public StageObserver {
 public:
  explicit Iterates(char const* field) : field_{field} {}
  void stage_done(StagePosition const& position, char const*, char const* field,
                  RawField const& values) override {
    if (field != std::string(field_) || position.depth() < 2) return;
    auto const n = static_cast<std::size_t>(position[1].index);
    if (all.size() < n) all.resize(n);
    all[n - 1] = Air<S, S>::dense(values);
  }
  std::vector<std::vector<S>> all;

 private:
  char const* field_;
};

class TownsAtRandom : public testing::TestWithParam<int> {
 protected:
  Sizes sizes() const { return GetParam() % 2 == 0 ? even : stretched; }
  std::vector<std::int32_t> tops() const {
    RandomValues random(static_cast<std::uint64_t>(100 + GetParam()));
    return test::random_tops(random, sizes().nx, sizes().ny, 4, 0.15 * (1 + GetParam()));
  }
};

TEST_P(TownsAtRandom, OperatorIsWhatFacesOfAirLetThrough) {
  Air<double, double> air(sizes(), tops());
  auto const x = air.random(1);
  std::vector<float128> expected, terms;
  air.plain_outflow(x, expected, terms);

  auto const found = air.outflow(x);

  // 6 differences, 2 products, 5 sums and the lengths' own roundings on each way.
  for (std::size_t n = 0; n < found.size(); ++n) {
    EXPECT_LE(std::abs(static_cast<double>(found[n] - expected[n])),
              12 * 0x1p-53 * static_cast<double>(terms[n]))
        << n;
  }
}

TEST_P(TownsAtRandom, OperatorIsSymmetricAndPositiveButForConstants) {
  Air<float128, float128> air(sizes(), tops());
  auto const x = air.random(1), y = air.random(2);
  std::vector<float128> flow, terms;
  air.plain_outflow(y, flow, terms);
  float128 bound = 0;
  for (std::size_t n = 0; n < x.size(); ++n) bound += size_of(x[n]) * terms[n];

  auto const ax = air.outflow(x), ay = air.outflow(y);

  // Lengths come as doubles, and by products: the same for both sides of a face but for rounding.
  EXPECT_LE(static_cast<double>(size_of(test::dot(x, ay) - test::dot(y, ax))),
            12 * 0x1p-113 * static_cast<double>(bound) * static_cast<double>(x.size()));
  // Half a square for each face: none is left out and none counted twice.
  float128 energy = 0;
  air.for_faces([&](std::size_t a, std::size_t b, double weight) {
    energy += (x[a] - x[b]) * (x[a] - x[b]) * float128(weight);
  });
  EXPECT_NEAR(static_cast<double>(test::dot(x, ax) / energy), 1, 64 * 0x1p-53);
  std::vector<float128> const one(air.size(), 1);
  for (auto const& value : air.outflow(one)) EXPECT_EQ(value, 0);
}

TEST_P(TownsAtRandom, PreconditionerIsSymmetricAndItsEigenvaluesAreAtMostOne) {
  Air<double, double> air(sizes(), tops());
  auto x = air.random(1), y = air.random(2);
  auto const px = air.preconditioned(x), py = air.preconditioned(y);
  auto const across = test::dot(x, py), size = std::sqrt(test::dot(x, px) * test::dot(y, py));

  // Solvers' roundings, 64 of them, of values whose energies are these.
  EXPECT_NEAR(across, test::dot(y, px), 64 * 0x1p-53 * size);

  // What continues into the buildings needs energy there: P's inverse is above A, so P r.A P r <= r.P r.
  for (auto const* r : {&x, &y}) {
    auto const z = r == &x ? px : py;
    EXPECT_GT(test::dot(*r, z), 0);
    EXPECT_LE(test::dot(z, air.outflow(z)), test::dot(*r, z));
  }
}

TEST_P(TownsAtRandom, EnergyOfTheErrorFallsWithEveryIteration) {
  Air<float128, float128> air(sizes(), tops());
  auto const wanted = air.random(4);
  Iterates<float128> solutions("pressure_solution");

  air.solve(air.divergence_of(air.outflow(wanted)), 30, &solutions);

  auto const energy = [&](std::vector<float128> const& values) {
    std::vector<float128> error(values.size());
    for (std::size_t n = 0; n < values.size(); ++n) error[n] = values[n] - wanted[n];
    return static_cast<double>(test::dot(error, air.outflow(error)));
  };
  auto before = energy(std::vector<float128>(air.size()));
  auto const start = before;
  ASSERT_EQ(solutions.all.size(), 30);
  for (auto const& solution : solutions.all) {
    auto const now = energy(solution);
    EXPECT_LT(now, before);
    before = now;
  }
  EXPECT_LT(before, 1e-12 * start);
}

template <class S>
void expect_residual_of_rounding(Sizes const& sizes, std::vector<std::int32_t> const& tops, int iterations) {
  Air<S, S> air(sizes, tops);
  auto divergence = air.random(5);
  // The part that no pressure can take off: what leaves the air altogether.
  S sum = 0;
  air.for_cells(
      [&](int k, int j, int i) { sum += static_cast<S>(air.thickness(k)) * divergence[air.index(k, j, i)]; });
  auto const mean = sum / static_cast<S>(air.setup().air_thickness());
  Iterates<S> none("");

  auto const p = air.solve(divergence, iterations, &none);

  auto const q = air.outflow(p);
  std::vector<S> flow, terms;
  air.plain_outflow(p, flow, terms);
  auto total = S(0);
  air.for_cells([&](int k, int j, int i) {
    auto const n = air.index(k, j, i);
    if (!air.air(k, j, i)) {
      EXPECT_EQ(p[n], S(0));
      return;
    }
    auto const h = static_cast<S>(air.thickness(k));
    total += h * p[n];
    auto const left = size_of(q[n] / h + divergence[n] - mean);
    // As many roundings as the operator has, of the largest pressure, each iteration.
    auto const weight = 2 * (1 / (air.dx() * air.dx()) + 1 / (air.dy() * air.dy())) +
                        2 / (air.thickness(0) * air.thickness(0));
    EXPECT_LE(static_cast<double>(left),
              12 * roundoff<S>() * weight * static_cast<double>(largest_of(p)) * 16)
        << n;
  });
  EXPECT_LE(static_cast<double>(size_of(total)),
            64 * roundoff<S>() * static_cast<double>(largest_of(p)) * air.setup().air_thickness());
}

TEST_P(TownsAtRandom, SolutionLeavesRoundingAloneAndStaysThereForEver) {
  for (int const iterations : {80, 300}) {
    expect_residual_of_rounding<double>(sizes(), tops(), iterations);
    expect_residual_of_rounding<float>(sizes(), tops(), iterations);
  }
}

INSTANTIATE_TEST_SUITE_P(Air, TownsAtRandom, testing::Range(0, 6));

}  // namespace
