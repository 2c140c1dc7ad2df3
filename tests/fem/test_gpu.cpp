// SPDX-License-Identifier: Apache-2.0
// The device's matrices against the host's, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/fem/assembly.hpp"
#include "io/error.hpp"
#include "tests/fem/on_device.hpp"
#include "tests/fem/plan_bits.hpp"
#include "tests/fem/tetra_support.hpp"
#include "tests/support/device_test.hpp"

namespace ulpine::fem {
namespace {

using test::Assembled;
using test::on_device;
using test::OnDevice;
using test::TetraBox;

template <class F>
Assembled<F> assembled_on_host(TetraBox const& box, F const& form, Way way) {
  auto const mesh = box.view();
  Plan<Host> const plan(Host{}, mesh, way);
  Assembled<F> out(mesh.nodes, mesh.pattern.entries());
  assemble(Host{}, plan, mesh, form, out.target());
  return out;
}

template <class F>
Assembled<F> assembled_on_device(Cuda cuda, TetraBox const& box, TetraConnectivity const& mesh, F const& form,
                                 Way way, std::int32_t rows) {
  using Value = ValueOf<F>;
  Plan<Cuda> const plan(cuda, mesh, way, rows);
  Assembled<F> out(box.nodes(), static_cast<std::int64_t>(box.column.size()));
  auto const room = [&](std::size_t size) {
    return Array<Value, Cuda>(cuda, static_cast<std::int64_t>(size));
  };
  auto value = room(out.value.size()), right = room(out.right.size()), mass = room(out.mass.size());
  value.from_host(out.value.data()), right.from_host(out.right.data()), mass.from_host(out.mass.data());
  Array<typename F::Real, Cuda> entries(cuda, way == Way::visits ? stored_entries<F>(box.elements()) : 0),
      sums(cuda, way == Way::visits ? stored_sums<F>(box.elements()) : 0);
  assemble(cuda, plan, mesh, form, Target<F>{value.view().data(), right.view().data(), mass.view().data()},
           {entries.view().data(), sums.view().data()});
  value.to_host(out.value.data()), right.to_host(out.right.data()), mass.to_host(out.mass.data());
  return out;
}

template <class F>
class DeviceAssembly : public test::DeviceTest {};
using Forms =
    testing::Types<ScalarForm<Fp64>, TensorScalarForm<Fp64>, TensorScalarFormByParts<Fp64>,
                   SharedMomentum<Fp64>, DiagonalMomentum<Fp64>, FullMomentum<Fp64>, PlainDivergence<Fp64>,
                   CompressibleDivergence<Fp64>, PressureDiffusion<Fp64>, ProjectionMatrix<Fp64>,
                   TensorScalarForm<Fp32>, SharedMomentum<Fp32>, PressureDiffusion<Fp32>,
                   TensorScalarForm<Mixed>, FullMomentum<Mixed>, ProjectionMatrix<Mixed>,
                   ScalarForm<Tf32Products>, SharedMomentum<Bf16Products>, TensorScalarForm<Fp16Products>,
                   QuadratureAdvectionDiffusion<Fp64>, QuadraturePressureDiffusion<Fp64>,
                   UpwindScalarForm<Fp64>, UpwindScalarForm<Mixed>, UpwindScalarForm<Fp16Products>,
                   UpwindSharedMomentum<Fp64>, UpwindSharedMomentum<Fp32>>;
TYPED_TEST_SUITE(DeviceAssembly, Forms);

TYPED_TEST(DeviceAssembly, GivesTheHostsBitsForAnyBlock) {
  using P = typename TypeParam::Policy;
  auto const box = test::kuhn_box(6, 5, 4, {6000, 5000, 4000}, 0.2);
  test::Flow<P> const flow(box.position);
  auto const host_form = flow.template form<TypeParam>();
  auto const rows = assembled_on_host(box, host_form, Way::rows);
  for (int const block : {32, 96, 256}) {
    this->use_block(block);
    auto const connections = test::connected(this->cuda, box.element, box.nodes());
    OnDevice<P> device(this->cuda, connections.view());
    auto const form = on_device(host_form, device, flow);
    auto const with = [&](Way way, std::int32_t patch) {
      return assembled_on_device(this->cuda, box, device.mesh, form, way, patch);
    };
    EXPECT_EQ(with(Way::visits, 5), rows) << "block " << block;
    EXPECT_EQ(with(Way::visits, 12), rows) << "block " << block;
    EXPECT_EQ(with(Way::patches, 5), rows) << "block " << block;
    EXPECT_EQ(with(Way::patches, 16), rows) << "block " << block;
    if (way_is_built<Cuda, TypeParam>(Way::rows)) {
      EXPECT_EQ(with(Way::rows, 32), rows) << "block " << block;
    } else {
      EXPECT_THROW(with(Way::rows, 32), std::logic_error);
    }
  }
}

TYPED_TEST(DeviceAssembly, StaysWithinTheRoundoffOfSumsWithAtomics) {
  using P = typename TypeParam::Policy;
  auto const box = test::kuhn_box(6, 5, 4, {6000, 5000, 4000}, 0.2);
  test::Flow<P> const flow(box.position);
  auto const host_form = flow.template form<TypeParam>();
  auto const rows = assembled_on_host(box, host_form, Way::rows);
  auto const connections = test::connected(this->cuda, box.element, box.nodes());
  OnDevice<P> device(this->cuda, connections.view());
  auto const form = on_device(host_form, device, flow);
  double const u = sizeof(ValueOf<TypeParam>) == 4 ? 0x1p-24 : 0x1p-53;
  auto const got = assembled_on_device(this->cuda, box, device.mesh, form, Way::atomic, 32);
  double most = 0;
  for (auto const value : rows.value) most = std::max(most, std::abs(static_cast<double>(value)));
  for (std::size_t k = 0; k < rows.value.size(); ++k) {
    // 42 contributions at most, none larger than 42 times the largest entry
    ASSERT_NEAR(static_cast<double>(got.value[k]), static_cast<double>(rows.value[k]),
                2 * 42 * u * 42 * most);
  }
}

class DeviceAssemblyRefusal : public test::DeviceTest {};

TEST_F(DeviceAssemblyRefusal, OfPatchesThatSharedMemoryDoesNotHold) {
  auto const box = test::kuhn_box(12, 12, 12, {1, 1, 1}, 0);
  test::Flow<Fp64> const flow(box.position);
  auto const connections = test::connected(cuda, box.element, box.nodes());
  OnDevice<Fp64> device(cuda, connections.view());
  auto const form = on_device(flow.form<FullMomentum<Fp64>>(), device, flow);
  EXPECT_THROW(assembled_on_device(cuda, box, device.mesh, form, Way::patches, 500), InputError);
  EXPECT_THROW(assembled_on_device(cuda, box, device.mesh, form, Way::visits, 500), InputError);
  EXPECT_THROW(assembled_on_device(cuda, box, device.mesh, form, Way::elements, 1), std::logic_error);
}

class DevicePlans : public test::DeviceTest {};

TEST_F(DevicePlans, HaveTheHostsListsForAnyBlock) {
  for (auto const& box : {test::kuhn_box(5, 4, 3, {1, 1, 1}, 0), test::kuhn_box(17, 16, 15, {1, 1, 1}, 0)}) {
    for (auto const way : {Way::visits, Way::patches}) {
      auto const expected = test::plan_bits(Host{2}, box.view(), way, 20);
      for (int const block : {32, 96, 256}) {
        use_block(block);
        auto const connections = test::connected(cuda, box.element, box.nodes());
        EXPECT_TRUE(test::plan_bits(cuda, connections.view(), way, 20) == expected)
            << name_of(way) << ", block " << block;
      }
    }
  }
}

TEST_F(DevicePlans, RefusePatchesThatDoNotDo) {
  auto const box = test::kuhn_box(16, 16, 16, {1, 1, 1}, 0);
  auto const connections = test::connected(cuda, box.element, box.nodes());
  EXPECT_THROW(Plan<Cuda>(cuda, connections.view(), Way::patches, 5000), InputError);
}

}  // namespace
}  // namespace ulpine::fem
