// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/mesh/quad_mesh.hpp"
#include "core/seaice/dynamics.hpp"
#include "core/seaice/geometry.hpp"
#include "core/seaice/setup.hpp"
#include "core/seaice/shape_maps.hpp"

/// Element matrices in the executor's memory, as the kernels take them.
namespace ulpine::seaice {

/// Geometry is set up in double, or in the state's type where that is wider.
template <class State>
using GeometryOf = std::conditional_t<(sizeof(State) > sizeof(double)), State, double>;

template <class Executor, class Real, int n>
struct SharedStore {
  using Entry = Real;
  using Matrices = SharedMatrices<Real, n>;
  Matrices matrices{};
  SharedStore(Executor, std::int64_t /*plane*/) {}
  /// Takes the matrices of one element, given for every cell of the mesh in turn.
  void set(std::int64_t /*cell*/, Real const (&values)[n]) {
    for (int i = 0; i < n; ++i) matrices.values[i] = values[i];
  }
  void finish() {}
  Matrices view() const { return matrices; }
  std::int64_t bytes() const { return 0; }
};

template <class Executor, class Real, int n>
struct CellStore {
  using Entry = Real;
  using Matrices = CellMatrices<Real, n>;
  std::int64_t plane;
  Array<Real, Executor> values;
  std::vector<Real> host;
  CellStore(Executor executor, std::int64_t cells)
      : plane{cells}, values(executor, n * cells), host(static_cast<std::size_t>(n * cells)) {}
  void set(std::int64_t cell, Real const (&entries)[n]) {
    for (int i = 0; i < n; ++i) host[static_cast<std::size_t>(i * plane + cell)] = entries[i];
  }
  void finish() {
    values.from_host(host.data());
    host = {};
  }
  Matrices view() const { return {values.view().data(), plane}; }
  std::int64_t bytes() const { return values.bytes(); }
};

/// Factors of all edges on the sphere (SideLayout): of a vertical edge at the cell to its right, of a
/// horizontal one at the cell above.
template <class State, class S, class Executor>
struct SideMaps {
  using Store = CellStore<Executor, State, SideLayout<S>::count>;
  Store vertical, horizontal;

  SideMaps(Executor executor, CellLattice const& cells, QuadMesh const& mesh)
      : vertical(executor, cells.plane()), horizontal(executor, cells.plane()) {
    for (std::int32_t j = 0; j <= mesh.ny; ++j) {
      for (std::int32_t i = 0; i <= mesh.nx; ++i) {
        auto const start = static_cast<std::size_t>(j) * (mesh.nx + 1) + i;
        if (j < mesh.ny) set(vertical, mesh, start, start + mesh.nx + 1, true, cells.index(i, j));
        if (i < mesh.nx) set(horizontal, mesh, start, start + 1, false, cells.index(i, j));
      }
    }
    vertical.finish();
    horizontal.finish();
  }
  std::int64_t bytes() const { return vertical.bytes() + horizontal.bytes(); }

 private:
  static void set(Store& store, QuadMesh const& mesh, std::size_t start, std::size_t end, bool is_vertical,
                  std::int64_t cell) {
    using Geometry = GeometryOf<State>;
    Geometry factors[SideLayout<S>::count];
    State values[SideLayout<S>::count];
    side_factors<Geometry, S>(mesh.x[start], mesh.y[start], mesh.x_near(end, start), mesh.y[end], is_vertical,
                              factors);
    for (int k = 0; k < SideLayout<S>::count; ++k) values[k] = static_cast<State>(factors[k]);
    store.set(cell, values);
  }
};
/// There are none on the plane.
struct NoSideMaps {
  template <class... Arguments>
  explicit NoSideMaps(Arguments const&...) {}
  static std::int64_t bytes() { return 0; }
};

/// Shapes of the cells; an element's matrices are made of them where they are needed.
template <class Executor, class Real, class Geometry, class S>
struct ShapeStore {
  using Entry = Real;
  using Matrices = ShapeMatrices<Real, S>;
  CellStore<Executor, Real, ShapeLayout::count> shapes;
  ShapeTables<Real, S> tables = ShapeTables<Real, S>::template in<Geometry>();
  ShapeStore(Executor executor, std::int64_t plane) : shapes(executor, plane) {}
  void set(std::int64_t cell, Real const (&values)[ShapeLayout::count]) { shapes.set(cell, values); }
  void finish() { shapes.finish(); }
  Matrices view() const { return {shapes.view(), tables}; }
  std::int64_t bytes() const { return shapes.bytes(); }
};

/// A row of a matrix of which the largest entry is a factor of the row's sum, in the type of the sum; what is
/// left of the others is rounded to the format of operands.
template <class Format, int columns, class Real>
void round_beside_largest(Real (&row)[columns]) {
  Real largest = 0;
  for (auto const entry : row) largest = math::max(largest, math::abs(entry));
  if (largest == Real(0)) return;
  for (auto& entry : row) entry = largest * Format::round(entry / largest);
}

/// The matrices of all elements in the types of policies (a Scalars), kept as `kind` says (which is not
/// automatic). They are set in the format of one policy. On the fly the sub-cycle makes its own of the cells'
/// shapes; the advection, once a step, has its matrices stored.
template <class Types, class S, class Executor, MapsKind kind>
struct ElementMaps {
  using State = typename Types::State;
  using Compute = typename Types::Compute;
  using Geometry = GeometryOf<State>;
  static constexpr bool shared = kind == MapsKind::constant, on_the_fly = kind == MapsKind::on_the_fly;
  template <class Real, int n>
  using Store = std::conditional_t<shared, SharedStore<Executor, Real, n>, CellStore<Executor, Real, n>>;
  using Shapes = ShapeStore<Executor, Compute, Geometry, Space<S::cg, 1>>;
  using StressStore = std::conditional_t<on_the_fly, Shapes, Store<Compute, StressLayout<S>::count>>;
  using DivergenceStore = std::conditional_t<on_the_fly, Shapes&, Store<Compute, DivergenceLayout<S>::count>>;
  using DivergenceMatrices = typename std::remove_reference_t<DivergenceStore>::Matrices;
  using TransportStore = Store<State, TransportLayout<S>::count>;

  // Bytes that a cell's matrices of the advection and of the sub-cycle move.
  static constexpr double stored_bytes(int entries, double each) { return shared ? 0 : entries * each; }
  static constexpr double cycle_bytes(int entries) {
    return on_the_fly ? 0 : stored_bytes(entries, sizeof(Compute));
  }
  static constexpr double shape_bytes = on_the_fly ? ShapeLayout::count * sizeof(Compute) : 0;

  StressStore stress;
  DivergenceStore divergence;
  TransportStore transport;

  ElementMaps(Executor executor, std::int64_t plane)
      : stress(executor, plane), divergence(divergence_of(executor, plane)), transport(executor, plane) {}

  template <class P>
  void set(std::int64_t cell, ElementMatrices<Geometry, S> const& element) {
    set_converted(transport, cell, element.transport);
    if constexpr (on_the_fly) {
      set_converted(stress, cell, element.shape);
    } else {
      set_converted(divergence, cell, element.divergence);
      set_stress<P>(cell, element);
    }
  }
  void finish() {
    stress.finish();
    if constexpr (!on_the_fly) divergence.finish();
    transport.finish();
  }
  std::int64_t bytes() const {
    return stress.bytes() + (on_the_fly ? 0 : divergence.bytes()) + transport.bytes();
  }

 private:
  DivergenceStore divergence_of(Executor executor, std::int64_t plane) {
    if constexpr (on_the_fly) {
      return stress;
    } else {
      return DivergenceStore(executor, plane);
    }
  }
  template <class Kept, int n>
  static void set_converted(Kept& store, std::int64_t cell, Geometry const (&entries)[n]) {
    typename Kept::Entry converted[n];
    std::transform(std::begin(entries), std::end(entries), converted,
                   [](Geometry entry) { return static_cast<typename Kept::Entry>(entry); });
    store.set(cell, converted);
  }
  template <class P>
  void set_stress(std::int64_t cell, ElementMatrices<Geometry, S> const& element) {
    Compute entries[StressLayout<S>::count];
    // Products on tensor cores take them apart into two operands (tensor_stress.hpp).
    constexpr bool whole = RoundsVariations<P> && shared && S::cg == 2;
    for (int i = 0; i < StressLayout<S>::count; ++i) {
      auto const entry = static_cast<Compute>(element.stress[i]);
      entries[i] = whole ? entry : P::Multiplicand::round(entry);
    }
    // Rounded with its scale, which is that of the cells, a gradient of equal cells would be off by the same
    // 2^-12 or so in all of them, and the mean shear rate with it.
    if constexpr (RoundsVariations<P> && !whole) {
      for (int start = 0; start < StressLayout<S>::project; start += S::nodes) {
        Compute row[S::nodes];
        for (int c = 0; c < S::nodes; ++c) row[c] = static_cast<Compute>(element.stress[start + c]);
        round_beside_largest<typename P::Multiplicand>(row);
        std::copy(std::begin(row), std::end(row), entries + start);
      }
    }
    stress.set(cell, entries);
  }
};

}  // namespace ulpine::seaice
