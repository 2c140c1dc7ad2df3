// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/mesh/spaces.hpp"
#include "core/seaice/dynamics.hpp"

/// Kernels that take several sub-steps while the state is on chip, for cG1 velocity and element matrices that
/// all cells share. They call the formulas of the stages in the same order on the same numbers and so give
/// the stages' bits; what lies beyond a part's own cells is computed by the neighbour too. In numbers a cell
/// the stages move 46 a sub-step, a pass of K sub-steps 35 (and the rims).
///
/// A kernel is a struct of phases, each for one thread, between which threads exchange values: a device runs
/// its threads side by side (substeps_cuda.cuh), the host, in tests, one after the other.
namespace ulpine::seaice {

/// Velocity and stress, in a layout of their own each.
template <class P>
struct SubcycleState {
  typename P::State *u, *v;                 ///< m s-1, at nodes
  TensorField<typename P::Compute> stress;  ///< N m-1
};

/// Geometry, constants and fields that all sub-steps of a model step share.
template <class P, class Rheology>
struct Subcycle {
  using S = Space<1, 1>;  // the sub-cycle does not depend on the tracers' order
  using State = typename P::State;
  using Compute = typename P::Compute;
  using Sum = typename P::Accumulate;
  using StressMatrices = SharedMatrices<Compute, StressLayout<S>::count>;
  using DivergenceMatrices = SharedMatrices<Compute, DivergenceLayout<S>::count>;

  CellLattice cells;
  NodeLattice<1> nodes;
  StressMatrices to_stress;
  DivergenceMatrices to_force;
  BasisTable<Compute, S::stress, S::gauss> psi;
  Rheology rheology;
  Compute inverse_alpha;
  View<Compute const> coefficient;
  Momentum<State> momentum;
  View<std::uint8_t const> moves;

  /// Points beyond the domain take the nearest one's values: their cells, of the halo, have no strength,
  /// their nodes do not move.
  ULPINE_HD std::int64_t cell_at(std::int32_t ix, std::int32_t iy) const {
    return cells.index(within(ix, -1, cells.nx), within(iy, -1, cells.ny));
  }
  ULPINE_HD std::int64_t node_at(std::int32_t ix, std::int32_t iy) const {
    return nodes.index(within(ix, 0, nodes.nx), within(iy, 0, nodes.ny));
  }
  ULPINE_HD static std::int32_t within(std::int32_t i, std::int32_t least, std::int32_t most) {
    return i < least ? least : i > most ? most : i;
  }

  /// A sub-step of a cell: its stress, then its forces at its nodes.
  ULPINE_HD void step_cell(Vector<Compute> const (&velocity)[S::nodes], Compute const (&strength)[S::gauss],
                           Tensor<Compute> (&stress)[S::stress], Vector<Compute> (&force)[S::nodes]) const {
    Compute u[S::nodes], v[S::nodes];
#pragma GCC unroll 16
    for (int c = 0; c < S::nodes; ++c) {
      u[c] = velocity[c].x;
      v[c] = velocity[c].y;
    }
    Tensor<Compute> strain[S::stress];
    strain_rate<P, S>(to_stress, 0, u, v, strain);
    relax_stress<P, S>(to_stress, 0, psi, rheology, inverse_alpha, strain, strength, stress);
#pragma GCC unroll 16
    for (int c = 0; c < S::nodes; ++c) force[c] = force_at_node<S>(to_force, 0, c, stress);
  }
  /// The force at a node of the two cells below it, and all of it: added in the order of memory.
  ULPINE_HD static Vector<Sum> from_below(Vector<Compute> const& left, Vector<Compute> const& right) {
    return add(add({Sum(0), Sum(0)}, left), right);
  }
  ULPINE_HD static Vector<Sum> add(Vector<Sum> const& sum, Vector<Compute> const& force) {
    return {sum.x + static_cast<Sum>(force.x), sum.y + static_cast<Sum>(force.y)};
  }
  /// A sub-step of a node.
  ULPINE_HD Vector<State> step_node(NodeValues<State> const& values, bool free, Vector<Sum> const& force,
                                    Vector<State> velocity) const {
    momentum.law(values, static_cast<State>(force.x), static_cast<State>(force.y), velocity.x, velocity.y);
    return {free ? velocity.x : State(0), free ? velocity.y : State(0)};
  }
  ULPINE_HD static Vector<Compute> in_cells(Vector<State> const& velocity) {
    return {static_cast<Compute>(velocity.x), static_cast<Compute>(velocity.y)};
  }
};

/// A warp takes K sub-steps of a strip of rows in one pass: each lane walks up a column, sub-step s + 1 one
/// row behind sub-step s, and only the row that a sub-step hands to the next is kept, in registers. Lanes
/// exchange velocities and forces with their neighbours; the K columns at either side of a strip and K rows
/// below and above it are others' to store. What is read comes a row ahead into slots of the warp, one value
/// a lane each. Needs a second place for the state.
template <class P, class Rheology, int K>
struct SubstepStrips {
  using Cycle = Subcycle<P, Rheology>;
  using S = typename Cycle::S;
  using State = typename P::State;
  using Compute = typename P::Compute;
  using Sum = typename P::Accumulate;
  static constexpr int lanes = 32, substeps = K, width = lanes - 2 * K;

  Cycle cycle;
  SubcycleState<P> from, to;
  std::int32_t height;  ///< rows of nodes that a strip stores

  /// Values of a row that a sub-step keeps for the row above.
  struct Level {
    Vector<State> velocity;             ///< at the lane's lower node
    Vector<Compute> right;              ///< velocity at its right neighbour
    Vector<Sum> below;                  ///< force of the two cells below it
    Tensor<Compute> stress[S::stress];  ///< of the cell above it, from the sub-step before
  };
  struct Lane {
    std::int32_t x, row;  ///< column; row of cells of the first sub-step
    std::uint32_t free;   ///< bit s: whether the node of sub-step s moves
    bool next_free;       ///< whether the node above that of the first sub-step does
    Level level[K];
    // Values handed from one phase to the next:
    Vector<State> velocity;  ///< at the upper node, from the sub-step before
    Vector<Compute> right;
    Tensor<Compute> stress[S::stress];  ///< of the cell
    Vector<Compute> force[S::nodes];    ///< of the cell at its nodes
    Vector<Compute> left[2];            ///< of the left cell at its lower and upper right node
  };

  // Slots: what the first sub-step alone reads is there for this row and the next, the rest for all
  // sub-steps' rows and the next.
  static constexpr int rows = K + 1, node_values = 9;
  static constexpr int stress_slots = 3 * S::stress, strength_slot = 2 * stress_slots,
                       cell_slots = strength_slot + rows * S::gauss;
  static constexpr int value_slot = 4, node_slots = value_slot + rows * node_values;

  ULPINE_HD std::int32_t strips_x() const { return (cycle.nodes.nx + width) / width; }
  ULPINE_HD std::int32_t strips_y() const { return (cycle.nodes.ny + height) / height; }

  template <class Warp>
  ULPINE_HD void operator()(Warp& warp, std::int32_t strip_x, std::int32_t strip_y) const {
    auto const first = strip_y * height, end = cycle.nodes.ny + 1;
    auto const stored = height < end - first ? height : end - first;
    auto const steps = stored + 2 * K - 1;
    warp.each([&](int number, Lane& lane) {
      lane = {};
      lane.x = strip_x * width - K + number;
      lane.row = first - K;
      auto const node = cycle.node_at(lane.x, lane.row);
      lane.velocity = {from.u[node], from.v[node]};
      fetch(warp, number, lane, lane.row, 0);
      warp.close();
    });
    pass_velocity(warp);
    warp.each([&](int, Lane& lane) { keep_velocity(lane.level[0], lane); });
    for (int step = 0; step < steps; ++step) {
      warp.each([&](int number, Lane& lane) {
        lane.free = lane.free << 1 | (lane.next_free ? 1u : 0u);
        if (step + 1 < steps) fetch(warp, number, lane, lane.row + 1, step + 1);
        warp.close();
        warp.wait_for_all_but_last();
        lane.velocity = {warp.node(number, 2 * (step % 2)), warp.node(number, 2 * (step % 2) + 1)};
      });
      take<0>(warp, step);
      warp.each([&](int, Lane& lane) { ++lane.row; });
    }
  }

 private:
  /// Starts to read what the first sub-step takes at `row`, its step number `step`.
  template <class Warp>
  ULPINE_HD void fetch(Warp& warp, int number, Lane& lane, std::int32_t row, int step) const {
    auto const cell = cycle.cell_at(lane.x, row), plane = cycle.cells.plane();
    int const stress = stress_slots * (step % 2), strength = strength_slot + S::gauss * (step % rows);
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) {
      warp.copy(from.stress.xx + k * plane + cell, warp.cell(number, stress + 3 * k));
      warp.copy(from.stress.yy + k * plane + cell, warp.cell(number, stress + 3 * k + 1));
      warp.copy(from.stress.xy + k * plane + cell, warp.cell(number, stress + 3 * k + 2));
    }
#pragma GCC unroll 16
    for (int q = 0; q < S::gauss; ++q) {
      warp.copy(cycle.coefficient.data() + q * plane + cell, warp.cell(number, strength + q));
    }
    auto const node = cycle.node_at(lane.x, row), upper = cycle.node_at(lane.x, row + 1);
    int const velocity = 2 * (step % 2), values = value_slot + node_values * (step % rows);
    warp.copy(from.u + upper, warp.node(number, velocity));
    warp.copy(from.v + upper, warp.node(number, velocity + 1));
    auto const& m = cycle.momentum;
    View<State const> const fields[] = {m.u0,     m.v0, m.ocean_u, m.ocean_v,     m.wind_x,
                                        m.wind_y, m.h,  m.a,       m.inverse_mass};
#pragma GCC unroll 16
    for (int k = 0; k < node_values; ++k) warp.copy(fields[k].data() + node, warp.node(number, values + k));
    lane.next_free = cycle.moves[node] != 0;
  }
  ULPINE_HD static void keep_velocity(Level& level, Lane const& lane) {
    level.velocity = lane.velocity;
    level.right = lane.right;
  }
  ULPINE_HD static void keep_stress(Level& level, Lane const& lane) {
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) level.stress[k] = lane.stress[k];
  }
  template <class Warp>
  ULPINE_HD void pass_velocity(Warp& warp) const {
    warp.from_right([](Lane const& lane) { return Cycle::in_cells(lane.velocity); },
                    [](Lane& lane, Vector<Compute> const& velocity) { lane.right = velocity; });
  }

  /// Sub-step s and those after it. Before `step` 2s what a sub-step would compute is nobody's.
  template <int s, class Warp>
  ULPINE_HD void take(Warp& warp, int step) const {
    pass_velocity(warp);
    if (step >= 2 * s) {
      warp.each([&](int number, Lane& lane) { step_cell<s>(warp, number, lane, step); });
      warp.from_left([](Lane const& lane) { return lane.force[1]; },
                     [](Lane& lane, Vector<Compute> const& force) { lane.left[0] = force; });
      warp.from_left([](Lane const& lane) { return lane.force[3]; },
                     [](Lane& lane, Vector<Compute> const& force) { lane.left[1] = force; });
      warp.each([&](int number, Lane& lane) { step_node<s>(warp, number, lane, step); });
    } else {
      warp.each([&](int, Lane& lane) {
        keep_velocity(lane.level[s], lane);
        keep_stress(lane.level[s], lane);
      });
    }
    if constexpr (s + 1 < K) take<s + 1>(warp, step);
  }

  template <int s, class Warp>
  ULPINE_HD void step_cell(Warp& warp, int number, Lane& lane, int step) const {
    auto& level = lane.level[s];
    Tensor<Compute> stress[S::stress];
    if constexpr (s == 0) {
      int const slot = stress_slots * (step % 2);
#pragma GCC unroll 16
      for (int k = 0; k < S::stress; ++k) {
        stress[k] = {warp.cell(number, slot + 3 * k), warp.cell(number, slot + 3 * k + 1),
                     warp.cell(number, slot + 3 * k + 2)};
      }
    } else {
#pragma GCC unroll 16
      for (int k = 0; k < S::stress; ++k) stress[k] = level.stress[k];
      keep_stress(level, lane);
    }
    Compute strength[S::gauss];
    int const slot = strength_slot + S::gauss * ((step - s) % rows);
#pragma GCC unroll 16
    for (int q = 0; q < S::gauss; ++q) strength[q] = warp.cell(number, slot + q);
    Vector<Compute> const velocity[S::nodes] = {Cycle::in_cells(level.velocity), level.right,
                                                Cycle::in_cells(lane.velocity), lane.right};
    cycle.step_cell(velocity, strength, stress, lane.force);
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) lane.stress[k] = stress[k];
  }
  template <int s, class Warp>
  ULPINE_HD void step_node(Warp& warp, int number, Lane& lane, int step) const {
    auto& level = lane.level[s];
    auto const force = Cycle::add(Cycle::add(level.below, lane.left[0]), lane.force[0]);
    level.below = Cycle::from_below(lane.left[1], lane.force[2]);
    int const slot = value_slot + node_values * ((step - s) % rows);
    auto const value = [&](int k) { return warp.node(number, slot + k); };
    NodeValues<State> const values{value(0), value(1), value(2), value(3), value(4),
                                   value(5), value(6), value(7), value(8)};
    auto const velocity = cycle.step_node(values, (lane.free >> s & 1u) != 0, force, level.velocity);
    keep_velocity(level, lane);
    lane.velocity = velocity;
    if constexpr (s + 1 == K) {
      auto const row = lane.row - s;
      if (step < 2 * K - 1 || number < K || number >= lanes - K || lane.x > cycle.nodes.nx) return;
      auto const node = cycle.nodes.index(lane.x, row);
      to.u[node] = velocity.x;
      to.v[node] = velocity.y;
      if (lane.x < cycle.cells.nx && row < cycle.cells.ny) {
        to.stress.store(lane.stress, cycle.cells.plane(), cycle.cells.index(lane.x, row));
      }
    }
  }
};

/// All sub-steps of a model step in one launch, for a mesh that fits on chip: a block holds a tile and a rim
/// of `rim` points around it, one thread a point (a cell and its lower left node), and takes `rim` sub-steps
/// before it hands what its neighbours' rims need to them and takes its own rim from them. All blocks have to
/// run at once. At least two passes: only then nobody stores before all have loaded.
template <class P, class Rheology>
struct ResidentSubsteps {
  using Cycle = Subcycle<P, Rheology>;
  using S = typename Cycle::S;
  using State = typename P::State;
  using Compute = typename P::Compute;

  Cycle cycle;
  SubcycleState<P> state;
  std::int32_t tile_x, tile_y, rim;
  std::int32_t count;  ///< of sub-steps

  struct Thread {
    std::int32_t i, j, x, y;  ///< in tile and rim; in the domain
    Tensor<Compute> stress[S::stress];
    Compute strength[S::gauss];
    NodeValues<State> values;
    Vector<State> velocity;
    Vector<Compute> force;  ///< of the cell at its lower left node
    bool free;
  };
  /// Memory that the threads of a block share, one value a thread.
  struct Shared {
    Vector<Compute>*velocity, *force[S::nodes - 1];  ///< the latter of the cell at its other nodes
    static constexpr int bytes_a_thread = S::nodes * sizeof(Vector<Compute>);
  };
  static constexpr int handed = 2 + 3 * S::stress;  ///< numbers a point that are handed to neighbours

  ULPINE_HD std::int32_t tiles_x() const { return (cycle.cells.nx + tile_x - 1) / tile_x; }
  ULPINE_HD std::int32_t tiles_y() const { return (cycle.cells.ny + tile_y - 1) / tile_y; }
  ULPINE_HD std::int32_t width() const { return tile_x + 2 * rim; }
  ULPINE_HD std::int32_t threads() const { return width() * (tile_y + 2 * rim); }
  ULPINE_HD std::int32_t passes() const { return (count + rim - 1) / rim; }
  ULPINE_HD std::int32_t substeps_of(std::int32_t pass) const {
    return rim < count - pass * rim ? rim : count - pass * rim;
  }
  /// Values to be handed over: two passes' of all points.
  static constexpr std::int64_t slots(Extent2 cells) { return 2 * handed * cells.size(); }

  ULPINE_HD void begin(Thread& thread, Shared const& shared, int number, std::int32_t tile_i,
                       std::int32_t tile_j) const {
    thread.i = number % width();
    thread.j = number / width();
    thread.x = tile_i * tile_x - rim + thread.i;
    thread.y = tile_j * tile_y - rim + thread.j;
    auto const cell = cycle.cell_at(thread.x, thread.y), node = cycle.node_at(thread.x, thread.y);
    state.stress.load(cycle.cells.plane(), cell, thread.stress);
    load_modes(cycle.coefficient, cycle.cells.plane(), cell, thread.strength);
    thread.values = cycle.momentum.at(node);
    thread.free = cycle.moves[node] != 0;
    thread.velocity = {state.u[node], state.v[node]};
    shared.velocity[number] = Cycle::in_cells(thread.velocity);
  }

  /// Sub-step `s` of a pass, from 1: cells, then nodes. What is right at the rim shrinks with each.
  ULPINE_HD void step_cell(Thread& thread, Shared const& shared, int number, int s) const {
    if (!inside(thread, s - 1, s)) return;
    auto const* const u = shared.velocity + number;
    Vector<Compute> const velocity[S::nodes] = {u[0], u[1], u[width()], u[width() + 1]};
    Vector<Compute> force[S::nodes];
    cycle.step_cell(velocity, thread.strength, thread.stress, force);
    thread.force = force[0];
#pragma GCC unroll 16
    for (int c = 1; c < S::nodes; ++c) shared.force[c - 1][number] = force[c];
  }
  ULPINE_HD void step_node(Thread& thread, Shared const& shared, int number, int s) const {
    if (!inside(thread, s, s)) return;
    auto const below =
        Cycle::from_below(shared.force[2][number - width() - 1], shared.force[1][number - width()]);
    auto const force = Cycle::add(Cycle::add(below, shared.force[0][number - 1]), thread.force);
    thread.velocity = cycle.step_node(thread.values, thread.free, force, thread.velocity);
    shared.velocity[number] = Cycle::in_cells(thread.velocity);
  }

  /// Hands over what neighbours need after pass number `pass` (from 0).
  template <class Exchange>
  ULPINE_HD void give(Thread const& thread, Exchange const& exchange, std::int32_t pass) const {
    if (!owns(thread) || inside(thread, 2 * rim, 2 * rim)) return;
    State values[handed] = {thread.velocity.x, thread.velocity.y};
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) {
      values[2 + 3 * k] = thread.stress[k].xx;
      values[3 + 3 * k] = thread.stress[k].yy;
      values[4 + 3 * k] = thread.stress[k].xy;
    }
    exchange.put(values, slot_of(thread, pass), points(), pass);
  }
  template <class Exchange>
  ULPINE_HD void take(Thread& thread, Shared const& shared, Exchange const& exchange, int number,
                      std::int32_t pass) const {
    if (inside(thread, rim, rim)) return;
    if (in_domain(thread)) {
      State values[handed];
      exchange.get(values, slot_of(thread, pass), points(), pass);
      thread.velocity = {values[0], values[1]};
#pragma GCC unroll 16
      for (int k = 0; k < S::stress; ++k) {
        thread.stress[k] = {static_cast<Compute>(values[2 + 3 * k]), static_cast<Compute>(values[3 + 3 * k]),
                            static_cast<Compute>(values[4 + 3 * k])};
      }
    } else {
      thread.velocity = {State(0), State(0)};  // beyond the domain and at its edge nothing moves
    }
    shared.velocity[number] = Cycle::in_cells(thread.velocity);
  }

  ULPINE_HD void end(Thread const& thread) const {
    if (owns(thread)) {
      auto const node = cycle.nodes.index(thread.x, thread.y);
      state.u[node] = thread.velocity.x;
      state.v[node] = thread.velocity.y;
      state.stress.store(thread.stress, cycle.cells.plane(), cycle.cells.index(thread.x, thread.y));
    } else if (on_far_edge(thread)) {
      auto const node = cycle.nodes.index(thread.x, thread.y);
      state.u[node] = state.v[node] = State(0);
    }
  }

 private:
  /// At least `before` points from the lower and left, `after` from the other sides of tile and rim.
  ULPINE_HD bool inside(Thread const& thread, std::int32_t before, std::int32_t after) const {
    return thread.i >= before && thread.j >= before && thread.i < width() - after &&
           thread.j < tile_y + 2 * rim - after;
  }
  ULPINE_HD bool in_domain(Thread const& thread) const {
    return thread.x >= 0 && thread.y >= 0 && thread.x < cycle.cells.nx && thread.y < cycle.cells.ny;
  }
  ULPINE_HD bool owns(Thread const& thread) const { return inside(thread, rim, rim) && in_domain(thread); }
  /// Nodes there belong to no cell's lower left.
  ULPINE_HD bool on_far_edge(Thread const& thread) const {
    return thread.x >= 0 && thread.y >= 0 && thread.x <= cycle.nodes.nx && thread.y <= cycle.nodes.ny &&
           (thread.x == cycle.nodes.nx || thread.y == cycle.nodes.ny);
  }
  ULPINE_HD std::int64_t points() const { return static_cast<std::int64_t>(cycle.cells.nx) * cycle.cells.ny; }
  ULPINE_HD std::int64_t slot_of(Thread const& thread, std::int32_t pass) const {
    return (pass % 2) * handed * points() + static_cast<std::int64_t>(thread.y) * cycle.cells.nx + thread.x;
  }
};

}  // namespace ulpine::seaice
