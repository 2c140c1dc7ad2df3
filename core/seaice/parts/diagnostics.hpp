// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/seaice/domain.hpp"

namespace ulpine::seaice {

/// Cell mean of a tracer. `weights`: of the modes but the first, one plane each; empty where their means
/// vanish.
template <class Real, class Wide, class S>
struct CellMean {
  CellLattice cells;
  View<Real const> tracer;
  View<Wide const> weights;
  View<Real> mean;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = cells.index(ix, iy);
    auto const plane = cells.plane();
    Wide sum = static_cast<Wide>(tracer[cell]);
    if (weights.size() != 0) {
#pragma GCC unroll 16
      for (int m = 1; m < S::dg; ++m) {
        sum += weights[(m - 1) * plane + cell] * static_cast<Wide>(tracer[m * plane + cell]);
      }
    }
    mean[cell] = static_cast<Real>(sum);
  }
};

/// The ice's means in cells and its shear rate.
template <class D>
class Diagnostics final : public Part {
  using S = typename D::S;
  using State = typename D::State;
  using Geometry = typename D::Geometry;
  using Tracer = FieldOf<State, typename D::Executor>;

 public:
  Diagnostics(D& d, Setup const& setup) : d_{d} {
    if (S::dg > 1 && !setup.equal_cells()) set_weights(setup.mesh);
    d.f.mean_h.on_demand([this] { average(d_.f.h, d_.f.mean_h); });
    d.f.mean_a.on_demand([this] { average(d_.f.a, d_.f.mean_a); });
    d.f.shear.on_demand([this] { update_shear(); });
  }
  std::int64_t bytes() const override { return weights_.bytes(); }

 private:
  void average(Tracer const& tracer, Tracer& mean) const {
    for_each(
        d_.executor, d_.cells.extent(),
        CellMean<State, Geometry, typename D::Plane>{d_.cells, tracer.view(), weights_.view(), mean.view()});
  }
  void update_shear() const {
    using Compute = typename D::Compute;
    ShearMean<typename D::Types, typename D::V::Plane> kernel{
        d_.cells, d_.template strain<Compute const>(), d_.tables.shear_psi, {}, d_.f.shear.view()};
    std::copy(std::begin(d_.tables.shear_weight), std::end(d_.tables.shear_weight), kernel.weight);
    for_each(d_.executor, d_.cells.extent(), kernel);
  }

  /// The integral of a mode over the cell divided by its area; only mode 0 has one on parallelograms.
  void set_weights(QuadMesh const& mesh) {
    auto const areas = S::spherical ? std::vector<double>() : mesh.areas();
    auto const& mode_areas = d_.mode_areas;
    auto const plane = d_.cells.plane();
    weights_ = Array<Geometry, typename D::Executor>(d_.executor, (S::dg - 1) * plane);
    std::vector<Geometry> weights(static_cast<std::size_t>(weights_.size()), Geometry(0));
    auto const rule = gauss_rule<Geometry, 2>();
    for (std::int32_t j = 0; j < mesh.ny; ++j) {
      for (std::int32_t i = 0; i < mesh.nx; ++i) {
        auto const cell = d_.cells.index(i, j);
        auto const of_mode = [&](int m) { return static_cast<std::size_t>(m * plane + cell); };
        if constexpr (S::spherical) {
          auto const area = mode_areas[of_mode(0)];
          for (int m = 1; m < S::dg && area > 0; ++m) weights[of_mode(m - 1)] = mode_areas[of_mode(m)] / area;
          continue;
        }
        auto const ll = static_cast<std::size_t>(j) * (mesh.nx + 1) + i, ul = ll + mesh.nx + 1;
        Geometry const x[4] = {mesh.x[ll], mesh.x[ll + 1], mesh.x[ul], mesh.x[ul + 1]};
        Geometry const y[4] = {mesh.y[ll], mesh.y[ll + 1], mesh.y[ul], mesh.y[ul + 1]};
        auto const area = areas[static_cast<std::size_t>(j) * mesh.nx + i];
        for (int q = 0; q < 4; ++q) {
          Geometry const s = rule.point[q % 2], t = rule.point[q / 2];
          Geometry const share = Jacobian<Geometry>(x, y, s, t).determinant / 4 / area;
          for (int m = 1; m < S::dg; ++m) weights[of_mode(m - 1)] += share * dg_basis(m, s, t);
        }
      }
    }
    weights_.from_host(weights.data());
  }

  D& d_;
  Array<Geometry, typename D::Executor> weights_;
};

}  // namespace ulpine::seaice
