// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/field/values.hpp"
#include "core/seaice/domain.hpp"
#include "core/seaice/maps.hpp"

namespace ulpine::seaice {

/// Called for every cell, or for the first alone where all have the same matrices.
template <class D>
using Keep = std::function<void(std::int64_t cell,
                                ElementMatrices<typename D::Geometry, typename D::S> const& element)>;

/// Sets the fields that the mesh decides and gives the element matrices to `keep`. Compiled once for all that
/// keep them.
template <class D>
void set_geometry(D& d, QuadMesh const& mesh, bool shared_maps, Keep<D> const& keep) {
  using S = typename D::S;
  using State = typename D::State;
  using Geometry = typename D::Geometry;
  auto const node_count = static_cast<std::size_t>(d.nodes.size());
  std::vector<Geometry> mass(node_count, Geometry(0));  // zero beyond a row's nodes, too
  std::vector<State> x(node_count), y(node_count), inverse_mass(node_count);
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(d.cells.plane()), 0), moves(node_count, 1),
      node_mask(node_count, 0);
  if constexpr (S::spherical) d.mode_areas.resize(static_cast<std::size_t>(S::dg * d.cells.plane()));
  ElementMatrices<Geometry, S> element;
  for (std::int32_t j = 0; j < mesh.ny; ++j) {
    for (std::int32_t i = 0; i < mesh.nx; ++i) {
      auto const cell = d.cells.index(i, j);
      auto const corners = shared_maps && d.block ? d.block->first : mesh.corners(i, j);
      bool const is_sea = mesh.mask[static_cast<std::size_t>(j) * mesh.nx + i] != 0;
      // A mesh of equal parallelograms has one set of matrices: computed once, from the first cell.
      if (!shared_maps || (i == 0 && j == 0)) {
        Geometry vx[4], vy[4];
        for (int c = 0; c < 4; ++c) {
          vx[c] = Geometry(corners.x[c]);
          vy[c] = Geometry(corners.y[c]);
        }
        // Around a pole, which may lie on land, longitude and latitude map no cell.
        bool const mapped = !S::spherical || is_sea || valid_cell(vx, vy);
        element = mapped ? element_matrices<Geometry, S>(vx, vy) : ElementMatrices<Geometry, S>{};
        keep(cell, element);
        if constexpr (S::spherical) {
          for (int m = 0; m < S::dg; ++m) {
            d.mode_areas[static_cast<std::size_t>(m * d.cells.plane() + cell)] = element.tracer_area[m];
          }
        }
      }
      mask[static_cast<std::size_t>(cell)] = is_sea ? 1 : 0;
      for (int c = 0; c < S::nodes; ++c) {
        std::int32_t const gi = S::cg * i + c % (S::cg + 1), gj = S::cg * j + c / (S::cg + 1);
        auto const node = static_cast<std::size_t>(d.nodes.index(gi, gj));
        mass[node] += element.lumped_mass[c];
        auto const place = node_place(mesh, S::cg, gi, gj);
        x[node] = static_cast<State>(place.x);
        y[node] = static_cast<State>(place.y);
        if (!is_sea || gi == 0 || gj == 0 || gi == S::cg * mesh.nx || gj == S::cg * mesh.ny) moves[node] = 0;
        if (is_sea) node_mask[node] = 1;
      }
    }
  }
  for (std::size_t k = 0; k < node_count; ++k) {
    inverse_mass[k] = mass[k] > Geometry(0) ? static_cast<State>(Geometry(1) / mass[k]) : State(0);
  }
  d.f.inverse_mass.from_host(inverse_mass.data());
  d.f.node_x.from_host(x.data());
  d.f.node_y.from_host(y.data());
  d.f.mask.from_host(mask.data());
  d.f.moves.from_host(moves.data());
  d.f.node_mask.from_host(node_mask.data());
}

/// Sets the ocean, the ice and the cells' areas of the case.
template <class D>
void set_fields(D& d, Setup const& setup) {
  Layouts const at(typename D::S{}, d.cells, d.nodes);
  /// Writes values of the halo, too; none where there are none.
  auto const write = [](Field const& field, Layout const& layout, std::vector<double> const& values) {
    if (values.empty()) return;
    auto raw = field.raw();
    raw.layout = layout;
    write_values(raw, 0, layout.count(), ValueType::float64, values.data());
  };
  /// Writes values that are given mode by mode.
  auto const write_modes = [&](Field const& field, std::vector<double> const& values) {
    auto const cells = static_cast<std::size_t>(setup.mesh.cells()), modes = values.size() / cells;
    std::vector<double> by_cell(values.size());
    for (std::size_t k = 0; k < cells; ++k) {
      for (std::size_t m = 0; m < modes; ++m) by_cell[k * modes + m] = values[m * cells + k];
    }
    write(field, at.on_cells_of_modes(), by_cell);
  };
  write(d.f.ocean_u, at.on_nodes(), setup.ocean_u);
  write(d.f.ocean_v, at.on_nodes(), setup.ocean_v);
  write_modes(d.f.h, setup.height);
  write_modes(d.f.a, setup.concentration);
  // On the sphere the areas are those of the tracers' quadrature, by which their advection conserves.
  std::vector<double> areas;
  for (std::int32_t j = 0; j < d.cells.ny && D::S::spherical; ++j) {
    for (std::int32_t i = 0; i < d.cells.nx; ++i) {
      areas.push_back(static_cast<double>(d.mode_areas[static_cast<std::size_t>(d.cells.index(i, j))]));
    }
  }
  write(d.f.cell_area, at.on_cells(), D::S::spherical ? areas : setup.mesh.areas());
}

/// The element matrices, in the format of policy P, and the fields at the start.
template <class P, class D, class Maps>
class Elements final : public Part {
 public:
  Elements(D& d, Setup const& setup) : maps_(d.executor, d.cells.plane()) {
    set_geometry(d, setup.mesh, Maps::shared,
                 [this](std::int64_t cell, auto const& element) { maps_.template set<P>(cell, element); });
    maps_.finish();
    set_fields(d, setup);
  }
  Maps const& maps() const { return maps_; }
  std::int64_t bytes() const override { return maps_.bytes(); }

 private:
  Maps maps_;
};

}  // namespace ulpine::seaice
