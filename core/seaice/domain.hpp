// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/exec/around.hpp"
#include "core/exec/atomic_numbers.hpp"
#include "core/parts/declarations.hpp"
#include "core/ranks/link.hpp"
#include "core/seaice/dynamics.hpp"
#include "core/seaice/fields.hpp"
#include "core/seaice/node_blocks.hpp"
#include "core/seaice/passes.hpp"
#include "core/seaice/solver.hpp"
#include "core/seaice/tables.hpp"

namespace ulpine::seaice {

template <class T, class Component>
TensorField<T> tensor_of(Component& xx, Component& yy, Component& xy) {
  return {xx.view().data(), yy.view().data(), xy.view().data()};
}

/// What all parts of the ice share: the mesh, its fields in the types of a Scalars and the space S, and how a
/// stage is run. It knows neither the format of operands nor the rheology nor how element matrices are kept:
/// parts that do have that as further parameters, and what does not is compiled once for all of them.
template <class OfTypes, class OfSpace, class ExecutorType>
class Domain : public Declarations<ExecutorType>, public Solver {
  using Base = Declarations<ExecutorType>;

 public:
  using Types = OfTypes;
  using S = OfSpace;
  using Executor = ExecutorType;
  using State = typename Types::State;
  using Compute = typename Types::Compute;
  using Sum = typename Types::Accumulate;
  using Geometry = GeometryOf<State>;
  using Plane = typename S::Plane;  ///< for kernels that do not depend on the metric
  /// The space of kernels that know nothing of the tracers: one for all spaces of an order of the velocity.
  using V = std::conditional_t<S::spherical, OnSphere<Space<S::cg, 1>>, Space<S::cg, 1>>;
  /// Where arithmetic depends on the stage, each has its own.
  static constexpr bool fuses = !Staged<Executor>;
  /// Where atomic additions are built.
  static constexpr bool adds_atomically = has_atomic_add<State> && !S::spherical;

  // Bytes a cell; a cG1 node counts as a cell.
  static constexpr double flag = 1, state = sizeof(State), nodal = S::cg * S::cg, modes = S::dg * state,
                          edges = S::edge * state, velocity = 2 * nodal * state,
                          force = 2 * nodal * sizeof(Sum), tensor = 3 * S::stress * sizeof(Compute),
                          points = S::gauss * sizeof(Compute),
                          equation = 9 * nodal * state + 2 * velocity;  ///< of momentum() and of u, v

  using Base::fields;
  using Base::stages;

  Domain(Executor on, Assembly of_assembly, Setup const& setup)
      : Base("seaice", on, setup.block ? setup.block->team : nullptr),
        Solver(this->fields, this->stages, of_assembly, setup),
        cells{setup.mesh.nx, setup.mesh.ny},
        nodes{setup.mesh.nx, setup.mesh.ny},
        f(this->fields, on, {S{}, cells, nodes, setup.block.get()}, setup),
        link(on, setup.block ? setup.block->team : nullptr) {}
  /// The link has to outlive the graphs that have messages.
  ~Domain() override { stages.forget_graphs(); }

  /// Launches `kernel` as (part of) a stage; one of several launches names what it `writes` with the last.
  template <class Extent, class Kernel>
  [[gnu::noinline]] void run(stage::Id id, Extent extent, Kernel const& kernel,
                             std::initializer_list<Field const*> writes) {
    Base::run(number(id), extent, kernel, writes);
  }
  /// All cells, and those of the block with `beyond` beside it where other blocks are.
  CellRange all_cells() const { return {0, 0, cells.nx, cells.ny}; }
  CellRange cells_within(std::int32_t beyond) const {
    if (!block) return all_cells();
    auto const spared = [&](std::int32_t margin) { return std::max(margin - beyond, 0); };
    auto const& margin = block->margin;
    return {spared(margin.west), spared(margin.south), cells.nx - spared(margin.east),
            cells.ny - spared(margin.north)};
  }
  /// The kernel on cells, or on nodes, of `range`. On a device on all that there are: there passes of several
  /// sub-steps do nearly all of the work.
  template <class Kernel>
  void run_on_cells(stage::Id id, CellRange const& range, Kernel const& kernel,
                    std::initializer_list<Field const*> writes) {
    if constexpr (Executor::on_device) {
      run(id, cells.extent(), kernel, writes);
    } else {
      run(id, range.cells(), Around(kernel, -range.first_x, -range.first_y), writes);
    }
  }
  template <class Kernel>
  void run_on_nodes(stage::Id id, CellRange const& range, Kernel const& kernel,
                    std::initializer_list<Field const*> writes) {
    if constexpr (Executor::on_device) {
      run(id, nodes.extent(), kernel, writes);
    } else {
      run(id, range.nodes(S::cg), Around(kernel, -S::cg * range.first_x, -S::cg * range.first_y), writes);
    }
  }
  /// Whether points take their contributions, rather than that those are added to shared targets.
  bool gathers() const { return assembly == Assembly::deterministic && p.sum_order == SumOrder::gather; }
  /// kernel_of<Adder>() adds to shared targets: atomically, or in passes (see passes_offered).
  template <bool atomics = adds_atomically, class KernelOf>
  void scatter(stage::Id id, Extent2 extent, Meets meets, std::initializer_list<Field const*> writes,
               KernelOf const& kernel_of) {
    if constexpr (atomics) {
      if (assembly == Assembly::atomic) {
        run(id, extent, kernel_of.template operator()<Executor>(), writes);
        return;
      }
    }
    if constexpr (passes_offered<Types, S, Executor>) {
      for_passes(p.sum_order, extent, meets, kernel_of.template operator()<PlainAdd>(),
                 [&](auto pass, auto const& kernel, bool last) {
                   run(id, pass, kernel, last ? writes : std::initializer_list<Field const*>{});
                 });
    }
  }

  FieldOf<State, Executor>& field(Tracer tracer) { return tracer == Tracer::height ? f.h : f.a; }
  template <class T = Compute>
  TensorField<T> stress() const {
    return tensor_of<T>(f.stress_xx, f.stress_yy, f.stress_xy);
  }
  template <class T = Compute>
  TensorField<T> strain() const {
    return tensor_of<T>(f.strain_xx, f.strain_yy, f.strain_xy);
  }
  Momentum<State> momentum() const {
    return {f.u0.view(),
            f.v0.view(),
            f.ocean_u.view(),
            f.ocean_v.view(),
            f.wind_x.view(),
            f.wind_y.view(),
            f.node_h.view(),
            f.node_a.view(),
            f.inverse_mass.view(),
            {State(constants::ice_density) / State(p.dt), State(constants::ice_density) * State(p.coriolis),
             State(constants::water_density) * State(constants::water_drag), State(p.beta)}};
  }

  CellLattice cells;
  NodeLattice<S::cg> nodes;
  Tables<Types, S> tables;
  Fields<Types, Executor> f;
  Link<Executor> link;
  /// Integrals of the tracers' basis over the cells of a sphere, plane after plane, m2; on the plane empty.
  std::vector<Geometry> mode_areas;

 private:
  void begin_step(std::int64_t step) override { stages.begin_step(this->executor, step); }
  void graph(char const* name, std::function<void()> const& sequence) override {
    stages.graph(name, this->executor, sequence);
  }
  void call(Stage stage, std::function<void()> const& work,
            std::vector<Field const*> const& writes) override {
    stages.call(stage, this->executor, work, writes);
  }
};

}  // namespace ulpine::seaice
