// SPDX-License-Identifier: Apache-2.0
// Five ways to the same matrix.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/fem/assembly.hpp"
#include "tests/fem/flow.hpp"
#include "tests/fem/tetra_support.hpp"

namespace ulpine::fem {
namespace {

using test::Assembled;
using test::TetraBox;

template <class F>
Assembled<F> assembled(TetraBox const& box, F const& form, Way way, int threads, std::int32_t rows = 20) {
  auto const mesh = box.view();
  Host const host{threads};
  Plan<Host> const plan(host, mesh, way, rows);
  std::vector<typename F::Real> entries(static_cast<std::size_t>(stored_entries<F>(mesh.elements))),
      sums(static_cast<std::size_t>(stored_sums<F>(mesh.elements)));
  Assembled<F> out(mesh.nodes, mesh.pattern.entries());
  assemble(host, plan, mesh, form, out.target(), {entries.data(), sums.data()});
  return out;
}

template <class F>
void expect_near(Assembled<F> const& got, Assembled<F> const& want) {
  // At most 42 contributions meet, each with an error of half a unit in the last place of the partial sum.
  auto const compare = [](auto const& a, auto const& b) {
    double most = 0;
    for (auto const& value : b) most = std::max(most, std::abs(static_cast<double>(value)));
    double const u = sizeof(a[0]) == 4 ? 0x1p-24 : 0x1p-53;
    for (std::size_t k = 0; k < a.size(); ++k) {
      ASSERT_NEAR(static_cast<double>(a[k]), static_cast<double>(b[k]), 2 * 42 * u * 42 * most) << k;
    }
  };
  compare(got.value, want.value);
  compare(got.right, want.right);
  compare(got.mass, want.mass);
}

template <class F>
class WaysOfAssembly : public testing::Test {};
using Forms = testing::Types<ScalarForm<Fp64>, TensorScalarFormByParts<Fp64>, SharedMomentum<Fp64>,
                             FullMomentum<Fp64>, CompressibleDivergence<Fp64>, PressureDiffusion<Fp64>,
                             ProjectionMatrix<Fp64>, TensorScalarForm<Mixed>, DiagonalMomentum<Mixed>,
                             ScalarForm<Fp32>, UpwindScalarForm<Fp64>, UpwindSharedMomentum<Fp64>>;
TYPED_TEST_SUITE(WaysOfAssembly, Forms);

TYPED_TEST(WaysOfAssembly, GiveTheSameBitsWhereTheyClaimSo) {
  auto const box = test::kuhn_box(5, 4, 3, {5000, 4000, 3000}, 0.2);
  test::Flow<typename TypeParam::Policy> const flow(box.position);
  auto const form = flow.template form<TypeParam>();

  auto const rows = assembled(box, form, Way::rows, 1);

  for (int const threads : {1, 2, 3, 7}) {
    for (auto const way : {Way::rows, Way::elements, Way::patches, Way::visits}) {
      EXPECT_EQ(assembled(box, form, way, threads), rows) << name_of(way) << ", threads " << threads;
    }
  }
  for (std::int32_t const rows_a_patch : {1, 7, 64, 1000}) {
    EXPECT_EQ(assembled(box, form, Way::patches, 2, rows_a_patch), rows) << rows_a_patch << " rows a patch";
    EXPECT_EQ(assembled(box, form, Way::visits, 2, rows_a_patch), rows) << rows_a_patch << " rows a patch";
  }
}

TYPED_TEST(WaysOfAssembly, StayNearWithAtomics) {
  auto const box = test::kuhn_box(5, 4, 3, {5000, 4000, 3000}, 0.2);
  test::Flow<typename TypeParam::Policy> const flow(box.position);
  auto const form = flow.template form<TypeParam>();
  auto const rows = assembled(box, form, Way::rows, 1);

  for (int const threads : {1, 3}) expect_near(assembled(box, form, Way::atomic, threads), rows);
  // One thread adds elements as they come, which is the common order.
  EXPECT_EQ(assembled(box, form, Way::atomic, 1), rows);
}

TEST(RowsOfAssembly, ThatAreLongerThanWhatIsKeptAgreeWithTheOthers) {
  // A ball of elements about one node: its row is longer than RowGather keeps locally.
  TetraBox box;
  int const around = 24;
  box.position = {0, 0, 0, 0, 0, 1, 0, 0, -1};
  for (int k = 0; k < around; ++k) {
    double const angle = 2 * 3.14159265358979 * k / around;
    for (double const radius : {1.0, 2.0}) {
      box.position.insert(box.position.end(), {radius * std::cos(angle), radius * std::sin(angle), 0.01 * k});
    }
  }
  for (std::int32_t k = 0; k < around; ++k) {
    std::int32_t const here = 3 + 2 * k, next = 3 + 2 * ((k + 1) % around);
    for (std::int32_t const e[4] = {0, here, next, 1}; auto const n : e) box.element.push_back(n);
    for (std::int32_t const e[4] = {0, next, here, 2}; auto const n : e) box.element.push_back(n);
    for (std::int32_t const e[4] = {here, here + 1, next, 1}; auto const n : e) box.element.push_back(n);
    for (std::int32_t const e[4] = {here + 1, next + 1, next, 1}; auto const n : e) box.element.push_back(n);
  }
  box.connect();
  ASSERT_GT(box.row_start[2] - box.row_start[1], RowGather<ScalarForm<Fp64>>::kept);
  test::Flow<Fp64> const flow(box.position);
  auto const form = flow.form<ScalarForm<Fp64>>();

  auto const rows = assembled(box, form, Way::rows, 1);

  EXPECT_EQ(assembled(box, form, Way::elements, 1), rows);
  EXPECT_EQ(assembled(box, form, Way::visits, 1), rows);
  EXPECT_EQ(assembled(box, form, Way::patches, 1), rows);
}

}  // namespace
}  // namespace ulpine::fem
