// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "core/exec/host.hpp"
#include "core/seaice/advection.hpp"
#include "core/seaice/tables.hpp"

/// The advection's stages one by one against those that do their work in one pass.
namespace {

using namespace ulpine;
using namespace ulpine::seaice;

template <class R, class Sp, class M>
struct Case {
  using Real = R;
  using S = Sp;
  using Matrices = M;
};
template <class Real, class S>
using Shared = Case<Real, S, SharedMatrices<Real, TransportLayout<S>::count>>;
template <class Real, class S>
using Stored = Case<Real, S, CellMatrices<Real, TransportLayout<S>::count>>;

template <class Real>
struct PolicyOf {
  using State = Real;
  using Compute = Real;
  using Multiplicand = Exact;
};

/// Random velocity, tracers, matrices and land.
template <class C>
class AdvectionPass : public testing::Test {
 protected:
  using Real = typename C::Real;
  using S = typename C::S;
  using Matrices = typename C::Matrices;
  using Values = std::vector<Real>;

  static constexpr std::int32_t nx = 9, ny = 7;
  CellLattice cells{nx, ny};
  NodeLattice<S::cg> nodes{nx, ny};
  Tables<PolicyOf<Real>, S> tables;
  std::vector<std::uint8_t> sea = std::vector<std::uint8_t>(size(1), 0);
  Values u = random(nodes.size()), v = random(nodes.size()), x = random(nodes.size()),
         y = random(nodes.size());
  Values stored = random(TransportLayout<S>::count * cells.plane());
  Matrices matrices{};

  AdvectionPass() {
    for (std::int32_t j = 0; j < ny; ++j) {
      for (std::int32_t i = 0; i < nx; ++i) {
        sea[static_cast<std::size_t>(cells.index(i, j))] = (i * 7 + j * 3) % 5 != 0;
      }
    }
    if constexpr (std::is_pointer_v<decltype(matrices.values)>) {
      matrices = {stored.data(), cells.plane()};
    } else {
      std::copy_n(stored.begin(), Matrices::count, matrices.values);
    }
  }

  std::size_t size(int planes) const { return static_cast<std::size_t>(planes * cells.plane()); }
  Values random(std::int64_t count) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    Values values(static_cast<std::size_t>(count));
    for (auto& value : values) value = static_cast<Real>(uniform(generator_));
    return values;
  }
  /// Random on sea, zero on land and in the halo.
  Values tracer() {
    auto values = random(S::dg * cells.plane());
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (sea[k % size(1)] == 0) values[k] = Real(0);
    }
    return values;
  }
  template <class T>
  static View<T> view(std::vector<T>& values) {
    return {values.data(), static_cast<std::int64_t>(values.size())};
  }
  static bool same(Values const& a, Values const& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
  }

 private:
  std::mt19937_64 generator_{5};
};

using Cases =
    testing::Types<Shared<double, Space<1, 1>>, Shared<double, Space<1, 3>>, Shared<float, Space<1, 3>>,
                   Stored<double, Space<1, 3>>, Stored<float, Space<2, 6>>, Shared<double, Space<2, 6>>>;
TYPED_TEST_SUITE(AdvectionPass, Cases);

TYPED_TEST(AdvectionPass, OfVelocitiesGivesTheStagesBits) {
  using Real = typename TypeParam::Real;
  using S = typename TypeParam::S;
  struct Velocities {
    std::vector<Real> u, v, x, y;
  };
  auto const fresh = [&] {
    auto const dg = this->size(S::dg), edge = this->size(S::edge);
    return Velocities{std::vector<Real>(dg), std::vector<Real>(dg), std::vector<Real>(edge),
                      std::vector<Real>(edge)};
  };
  auto const kernel = [&](Velocities& out) {
    VelocityProjection<Real, S, typename TypeParam::Matrices> const project{
        this->cells,    this->nodes,       this->view(this->u), this->view(this->v),
        this->matrices, this->view(out.u), this->view(out.v)};
    NormalVelocity<Real, S, true> const vertical{
        this->cells,         this->nodes,       this->view(this->sea), this->view(this->x),
        this->view(this->y), this->view(out.u), this->view(out.v),     this->view(out.x)};
    NormalVelocity<Real, S, false> const horizontal{
        this->cells,         this->nodes,       this->view(this->sea), this->view(this->x),
        this->view(this->y), this->view(out.u), this->view(out.v),     this->view(out.y)};
    return EdgeVelocities<Real, S, typename TypeParam::Matrices>{project, vertical, horizontal};
  };
  auto stages = fresh(), pass = fresh();

  auto const by_stages = kernel(stages);
  for_each(Host{1}, this->cells.extent(), by_stages.project);
  for_each(Host{1}, Extent2{this->nx + 1, this->ny}, by_stages.vertical);
  for_each(Host{1}, Extent2{this->nx, this->ny + 1}, by_stages.horizontal);
  for_each(Host{1}, Extent2{this->nx + 1, this->ny + 1}, kernel(pass));

  EXPECT_TRUE(this->same(pass.u, stages.u) && this->same(pass.v, stages.v));
  EXPECT_TRUE(this->same(pass.x, stages.x) && this->same(pass.y, stages.y));
}

TYPED_TEST(AdvectionPass, OfARungeKuttaStageGivesTheStagesBits) {
  using Real = typename TypeParam::Real;
  using S = typename TypeParam::S;
  using Matrices = typename TypeParam::Matrices;
  auto dg_u = this->random(S::dg * this->cells.plane()), dg_v = this->random(S::dg * this->cells.plane());
  auto normal_x = this->random(S::edge * this->cells.plane()),
       normal_y = this->random(S::edge * this->cells.plane());
  TransportVelocity<Real> const velocity{this->view(dg_u), this->view(dg_v), this->view(normal_x),
                                         this->view(normal_y)};
  EdgeFlux<Real, S> const flux{this->cells, this->tables.sides};
  RungeKuttaStage<Real> const scheme{Real(120), Real(3) / Real(4), Real(1) / Real(4)};
  std::vector<Real> old[2] = {this->tracer(), this->tracer()}, stage[2] = {this->tracer(), this->tracer()},
                    by_stages[2] = {stage[0], stage[1]};
  for (int t = 0; t < 2; ++t) {
    std::vector<Real> rate(stage[t].size());
    auto const values = this->view(by_stages[t]);
    for_each(Host{1}, this->cells.extent(),
             CellTransport<Real, S, Matrices>{this->cells, velocity, values, this->matrices,
                                              this->tables.transport_psi, this->view(rate)});
    for_each(Host{1}, this->cells.extent(),
             EdgeFluxGather<Real, S>{flux, velocity, values, this->view(rate)});
    for_each(Host{1}, this->cells.extent(),
             TransportUpdate<Real, S, Matrices>{this->cells, this->view(this->sea), this->view(old[t]),
                                                values, this->view(rate), this->matrices, scheme, values});
  }

  // As the last of several stages: over the values before the step.
  for_each(Host{1}, this->cells.extent(),
           TransportStage<Real, S, Matrices>{flux,
                                             this->view(this->sea),
                                             velocity,
                                             this->matrices,
                                             this->tables.transport_psi,
                                             scheme,
                                             {this->view(old[0]), this->view(old[1])},
                                             {this->view(stage[0]), this->view(stage[1])},
                                             {this->view(old[0]), this->view(old[1])}});

  EXPECT_TRUE(this->same(old[0], by_stages[0]));
  EXPECT_TRUE(this->same(old[1], by_stages[1]));
}

}  // namespace
