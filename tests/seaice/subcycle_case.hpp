// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "core/exec/host.hpp"
#include "core/seaice/substeps.hpp"
#include "core/seaice/tables.hpp"

namespace ulpine::test {

/// A sub-cycle on the host with everything random: state, forcing, an island, land in a corner; velocities
/// that the boundary stage has yet to stop.
template <class P>
class SubcycleCase {
 public:
  using State = typename P::State;
  using Compute = typename P::Compute;
  using Law = seaice::ViscousPlastic<Compute>;
  using Cycle = seaice::Subcycle<P, Law>;
  using S = typename Cycle::S;

  SubcycleCase(std::int32_t nx, std::int32_t ny) : cells_{nx, ny}, nodes_{nx, ny} {
    auto const points = static_cast<std::size_t>(nodes_.size());
    u_.resize(points), v_.resize(points), moves_.resize(points);
    for (auto& values : node_) values.resize(points);
    for (auto& values : stress_) values.resize(static_cast<std::size_t>(S::stress * cells_.plane()));
    strength_.resize(static_cast<std::size_t>(S::gauss * cells_.plane()));

    std::mt19937_64 generator(17);
    std::uniform_real_distribution<double> uniform(0, 1);
    auto const random = [&](double least, double most) {
      return least + (most - least) * uniform(generator);
    };
    auto const is_land = [&](std::int32_t i, std::int32_t j) {
      return (i == nx / 2 && j == ny / 2) || (i == nx / 2 + 1 && j == ny / 2) ||
             (i + j < 3 && nx > 3 && ny > 3);
    };
    for (std::int32_t j = 0; j <= ny; ++j) {
      for (std::int32_t i = 0; i <= nx; ++i) {
        auto const node = static_cast<std::size_t>(nodes_.index(i, j));
        moves_[node] = i > 0 && j > 0 && i < nx && j < ny && !is_land(i, j) && !is_land(i - 1, j) &&
                       !is_land(i, j - 1) && !is_land(i - 1, j - 1);
        u_[node] = State(random(-0.5, 0.5));
        v_[node] = State(random(-0.5, 0.5));
        double const least[] = {-0.5, -0.5, -0.1, -0.1, -0.2, -0.2, 0.01, 0.1, 1e-9};
        double const most[] = {0.5, 0.5, 0.1, 0.1, 0.2, 0.2, 3, 1, 2e-9};
        for (int k = 0; k < 9; ++k) node_[k][node] = State(random(least[k], most[k]));
      }
    }
    for (std::int32_t j = 0; j < ny; ++j) {
      for (std::int32_t i = 0; i < nx; ++i) {
        auto const at = cells_.index(i, j);
        for (int k = 0; k < S::stress; ++k) {
          for (auto& values : stress_) {
            values[static_cast<std::size_t>(k * cells_.plane() + at)] = Compute(random(-1e3, 1e3));
          }
        }
        for (int q = 0; q < S::gauss; ++q) {
          auto const value = random(1e3, 3e4);
          strength_[static_cast<std::size_t>(q * cells_.plane() + at)] = Compute(is_land(i, j) ? 0 : value);
        }
      }
    }
    double const x[] = {0, 25e3, 3e3, 28e3}, y[] = {0, 1e3, 24e3, 25e3};
    auto const element = seaice::element_matrices<double, S>(x, y);
    for (int i = 0; i < seaice::StressLayout<S>::count; ++i) {
      to_stress_.values[i] = P::Multiplicand::round(static_cast<Compute>(element.stress[i]));
    }
    for (int i = 0; i < seaice::DivergenceLayout<S>::count; ++i) {
      to_force_.values[i] = static_cast<Compute>(element.divergence[i]);
    }
  }

  Cycle cycle() const {
    seaice::Momentum<State> const momentum{
        at(0), at(1), at(2), at(3), at(4),
        at(5), at(6), at(7), at(8), {State(7.5), State(0.13), State(5.6), State(300)}};
    return {cells_,
            nodes_,
            to_stress_,
            to_force_,
            seaice::FormatTables<P, S>{}.stress_psi,
            Law{},
            Compute(1) / Compute(300),
            {strength_.data(), static_cast<std::int64_t>(strength_.size())},
            momentum,
            {moves_.data(), static_cast<std::int64_t>(moves_.size())}};
  }
  seaice::SubcycleState<P> state() { return {u_.data(), v_.data(), tensor(stress_)}; }
  /// A second place, which holds numbers that nobody should read; only the halo's stress is zero.
  seaice::SubcycleState<P> copy() { return {copy_u_.data(), copy_v_.data(), tensor(copy_stress_)}; }
  void clear_copy() {
    copy_u_.assign(u_.size(), State(1e30));
    copy_v_ = copy_u_;
    for (auto& values : copy_stress_) {
      values.assign(stress_[0].size(), Compute(0));
      for (int k = 0; k < S::stress; ++k) {
        for (std::int32_t j = 0; j < cells_.ny; ++j) {
          for (std::int32_t i = 0; i < cells_.nx; ++i) {
            values[static_cast<std::size_t>(k * cells_.plane() + cells_.index(i, j))] = Compute(1e30);
          }
        }
      }
    }
  }

  /// One sub-step, stage by stage.
  void by_stages() {
    using namespace seaice;
    using StressMatrices = typename Cycle::StressMatrices;
    auto const cycle = this->cycle();
    auto const state = this->state();
    Host const host{1};
    auto const size = static_cast<std::int64_t>(u_.size());
    std::vector<Compute> strain(3 * stress_[0].size());
    std::vector<typename P::Accumulate> force(2 * u_.size());
    TensorField<Compute> const e{strain.data(), strain.data() + stress_[0].size(),
                                 strain.data() + 2 * stress_[0].size()};
    StrainEvaluator<P, S, StressMatrices> const evaluate{
        cells_, nodes_, {state.u, size}, {state.v, size}, to_stress_};
    for_each(host, cells_.extent(), StrainUpdate<P, S, StressMatrices>{evaluate, e});
    StressRelaxer<P, S, StressMatrices, Law> const relax{
        cells_, cycle.coefficient, to_stress_, cycle.psi, cycle.rheology, cycle.inverse_alpha, state.stress};
    for_each(host, cells_.extent(), StressUpdate<P, S, StressMatrices, Law>{relax, {e.xx, e.yy, e.xy}});
    CellForce<P, S, typename Cycle::DivergenceMatrices> const cell_force{
        cells_, {state.stress.xx, state.stress.yy, state.stress.xy}, to_force_};
    for_each(host, nodes_.extent(),
             DivergenceGather<P, S, typename Cycle::DivergenceMatrices>{
                 {cell_force}, nodes_, {force.data(), size}, {force.data() + size, size}});
    for_each(host, nodes_.extent(),
             VelocityUpdate<P, S>{cycle.momentum,
                                  nodes_,
                                  View<typename P::Accumulate>{force.data(), size},
                                  View<typename P::Accumulate>{force.data() + size, size},
                                  {state.u, size},
                                  {state.v, size}});
    for_each(host, nodes_.extent(),
             BoundaryStop<State, S>{nodes_, cycle.moves, {state.u, size}, {state.v, size}});
  }

  /// All of memory, halo included.
  bool same_as(SubcycleCase const& other) const {
    auto const same = [](auto const& a, auto const& b) {
      return std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
    };
    return same(u_, other.u_) && same(v_, other.v_) && same(stress_[0], other.stress_[0]) &&
           same(stress_[1], other.stress_[1]) && same(stress_[2], other.stress_[2]);
  }

 private:
  View<State const> at(int k) const { return {node_[k].data(), static_cast<std::int64_t>(node_[k].size())}; }
  static seaice::TensorField<Compute> tensor(std::vector<Compute> (&values)[3]) {
    return {values[0].data(), values[1].data(), values[2].data()};
  }

  CellLattice cells_;
  NodeLattice<1> nodes_;
  typename Cycle::StressMatrices to_stress_{};
  typename Cycle::DivergenceMatrices to_force_{};
  std::vector<State> u_, v_, copy_u_, copy_v_, node_[9];
  std::vector<Compute> stress_[3], copy_stress_[3], strength_;
  std::vector<std::uint8_t> moves_;
};

}  // namespace ulpine::test
