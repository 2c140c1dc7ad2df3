// SPDX-License-Identifier: Apache-2.0
// The model of a stage's operations against the kernels themselves, run on numbers that count.
#include "seaice/counted.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/seaice/dynamics.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::Counted;
using test::Counting;

template <class S>
class OperationsOf : public ::testing::Test {
 protected:
  using Stress = SharedMatrices<Counted, StressLayout<S>::count>;
  using Divergence = SharedMatrices<Counted, DivergenceLayout<S>::count>;
  using Law = ViscousPlastic<Counted>;

  // The cell amid 3 x 3, and its lower left node.
  static constexpr CellLattice cells{3, 3};
  static constexpr NodeLattice<S::cg> nodes{3, 3};
  Counted const some = Counted::variable(0.125);
  std::vector<Counted> on_nodes = std::vector<Counted>(static_cast<std::size_t>(nodes.size()), some);
  std::vector<Counted> on_cells = std::vector<Counted>(static_cast<std::size_t>(9 * cells.plane()), some);
  std::vector<std::uint8_t> flags = std::vector<std::uint8_t>(on_nodes.size() + on_cells.size(), 1);

  View<Counted> at_nodes() { return {on_nodes.data(), static_cast<std::int64_t>(on_nodes.size())}; }
  View<Counted> in_cells() { return {on_cells.data(), static_cast<std::int64_t>(on_cells.size())}; }
  View<std::uint8_t const> flagged() { return {flags.data(), static_cast<std::int64_t>(flags.size())}; }
  template <class T>
  TensorField<T> tensor() {
    return {on_cells.data(), on_cells.data(), on_cells.data()};
  }
  template <class Array>
  void fill(Array& array) {
    for (auto& value : array) value = some;
  }
  template <int rows, int columns>
  void fill(Counted (&array)[rows][columns]) {
    for (auto& row : array) fill(row);
  }

  StrainEvaluator<Counting, S, Stress> strain() {
    Stress matrices;
    fill(matrices.values);
    return {cells, nodes, at_nodes(), at_nodes(), matrices};
  }
  StressRelaxer<Counting, S, Stress, Law> relax() {
    Stress matrices;
    BasisTable<Counted, S::stress, S::gauss> psi;
    fill(matrices.values);
    fill(psi.value);
    return {cells, in_cells(), matrices, psi, Law{}, some, tensor<Counted>()};
  }
  ForceGatherer<Counting, S, Divergence> gather() {
    Divergence matrices;
    fill(matrices.values);
    return {{cells, tensor<Counted const>(), matrices}};
  }
  Momentum<Counted> momentum() {
    return {at_nodes(), at_nodes(), at_nodes(), at_nodes(), at_nodes(), at_nodes(), at_nodes(),
            at_nodes(), at_nodes(), some,       some,       some,       some};
  }
  /// Runs a kernel for one cell or, where it is of nodes, for those that count as one.
  template <class Kernel>
  static Operations counted(Kernel const& kernel, bool of_nodes) {
    Counted::done = {};
    int const side = of_nodes ? S::cg : 1;
    for (int j = 0; j < side; ++j) {
      for (int i = 0; i < side; ++i) kernel(side + i, side + j);
    }
    return Counted::done;
  }
};

using Spaces = ::testing::Types<Space<1, 1>, Space<1, 3>, Space<1, 6>, Space<2, 1>, Space<2, 3>, Space<2, 6>>;
TYPED_TEST_SUITE(OperationsOf, Spaces);

TYPED_TEST(OperationsOf, TheKernelsAreThoseOfTheModel) {
  using S = TypeParam;
  using Model = OperationModel<S>;
  using Stress = typename TestFixture::Stress;
  using Divergence = typename TestFixture::Divergence;
  using Law = typename TestFixture::Law;
  auto const expect = [&](auto const& kernel, bool of_nodes, stage::Id id) {
    auto const done = TestFixture::counted(kernel, of_nodes), model = Model::of(id);
    auto const name = "stage " + std::to_string(id);
    EXPECT_EQ(done.additions, model.additions) << name;
    EXPECT_EQ(done.multiplications, model.multiplications) << name;
    EXPECT_EQ(done.fused, model.fused) << name;
    EXPECT_EQ(done.divisions, model.divisions) << name;
    EXPECT_EQ(done.roots, model.roots) << name;
    EXPECT_EQ(done.exponentials, model.exponentials) << name;
    EXPECT_GT(model.total(), 0) << name;
  };
  expect(StrainUpdate<Counting, S, Stress>{this->strain(), this->template tensor<Counted>()}, false,
         stage::strain);
  expect(StressUpdate<Counting, S, Stress, Law>{this->relax(), this->template tensor<Counted const>()}, false,
         stage::stress);
  expect(StrainStressUpdate<Counting, S, Stress, Law>{this->strain(), this->relax()}, false,
         stage::strain_stress);
  expect(DivergenceGather<Counting, S, Divergence>{this->gather(), this->nodes, this->at_nodes(),
                                                   this->at_nodes()},
         true, stage::divergence);
  expect(VelocityUpdate<Counting, S>{this->momentum(), this->nodes, this->at_nodes(), this->at_nodes(),
                                     this->at_nodes(), this->at_nodes()},
         true, stage::velocity);
  expect(
      DivergenceVelocityUpdate<Counting, S, Divergence>{this->gather(), this->momentum(), this->nodes,
                                                        this->flagged(), this->at_nodes(), this->at_nodes()},
      true, stage::divergence_velocity);
  BasisTable<Counted, S::dg, S::gauss> psi;
  this->fill(psi.value);
  expect(StrengthUpdate<Counting, S, Law>{this->cells, this->in_cells(), this->in_cells(), this->flagged(),
                                          psi, Law{}, this->in_cells()},
         false, stage::strength);
}

TEST(OperationsInAll, CountAFusedOneAsTwo) {
  EXPECT_EQ((Operations{1, 2, 3, 4, 5, 6}.total()), 1 + 2 + 2 * 3 + 4 + 5 + 6);
  EXPECT_EQ((2 * Operations{1, 2, 3, 4, 5, 6} + Operations{1, 1, 1, 1, 1, 1}),
            (Operations{3, 5, 7, 9, 11, 13}));
}

}  // namespace
