// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/scalar.hpp"
#include "core/field/values.hpp"
#include "core/lattice/domain.hpp"
#include "core/les/alternating.hpp"
#include "core/les/boundary.hpp"
#include "core/les/by_height.hpp"
#include "core/les/forcing.hpp"
#include "core/les/part.hpp"
#include "core/les/setup.hpp"
#include "core/les/solvers.hpp"
#include "core/les/start.hpp"
#include "core/ranks/rank_reducer.hpp"

namespace ulpine::les {

/// What all parts of large eddies share: this rank's block of the grid over the ground of that kind, with the
/// state in T and Poisson's equation in S, the fields by which parts know of each other, and their halos.
template <class State, class Solved, class GroundKind, class ExecutorType>
class Domain : public LatticeDomain<Parameters, State, Solved, ExecutorType, 0> {
  using Lattice = LatticeDomain<Parameters, State, Solved, ExecutorType, 0>;

 public:
  using T = State;
  using S = Solved;
  using Ground = GroundKind;
  using Executor = ExecutorType;
  using Values = FieldOf<T, Executor>;
  using Lattice::p, Lattice::exchange, Lattice::number, Lattice::in, Lattice::with_halo;

  /// `of` is of this rank's block, and is read only while the core is made.
  Domain(Setup const& of, Executor on, Blocks const& all, std::shared_ptr<Link<Executor>> between,
         std::shared_ptr<Ranks> const& team, PoissonSolvers<S> solvers)
      : Lattice("les", on, std::move(between), team, all, of.parameters, {}, {-1, of.parameters.nz + 1},
                of.parameters.overlap),
        setup{&of},
        reducer{on, this->link},
        by_height(on, of),
        poisson{std::move(solvers)},
        tables(on, static_cast<std::int64_t>(of.tables.values.size())),
        maps(on, static_cast<std::int64_t>(of.maps.size())),
        limit(on, static_cast<std::int64_t>(of.mixing_limit.size())),
        lengths(on, 5 * StageLength<T>::count),
        step_length{on} {
    upload(of.tables.values, tables);
    for (auto& coordinate : coordinates(p)) this->fields.add_coordinate(std::move(coordinate));
    auto const whole = this->template grid_in<T>();
    grid = {whole.nx,    whole.ny,  whole.nz,          whole.per_dx,     whole.per_dy, tables.view().data(),
            whole.plane, whole.row, p.cut_x() ? 1 : 0, p.cut_y() ? 1 : 0};
    if (exchange.needed()) {
      exchange.template reserve<T>(2, stored_width, levels());
      exchange.template reserve<S>(1, pressure_width, levels());
    }
  }

  Extent3 with_neighbours() const { return {p.nx + 2, p.ny + 2, p.nz + 2}; }
  bool has_energy() const { return p.closure == Closure::deardorff; }
  Ground ground() const {
    if constexpr (Ground::built) {
      std::int64_t const row = p.nx + 2 * halo, plane = row * (p.ny + 2 * halo);
      return {{maps.view().data() + halo * row + halo, plane, row}};
    } else {
      return {};
    }
  }

  /// A field of the output, of no value outside of `domain`.
  static FieldDescription output(char const* name, char const* units, char const* long_name, FieldRole role,
                                 std::vector<std::string> dimensions, Field const* domain = nullptr) {
    auto description = Lattice::output(name, units, long_name, role, std::move(dimensions));
    description.domain = domain;
    return description;
  }

  // The fields of several parts, by their names; of those that no part declares there are no points.
  template <class V>
  using Use = Named<V, Executor>;
  Use<T> u{*this, "u"}, v{*this, "v"}, w{*this, "w"}, humidity{*this, "q"}, virtual_theta{*this, "theta_v"},
      viscosity{*this, "viscosity"}, diffusivity{*this, "diffusivity"}, stored_u{*this, "stored_u"},
      stored_v{*this, "stored_v"}, stored_w{*this, "stored_w"}, drag{*this, "drag"}, shear{*this, "shear"},
      friction{*this, "ustar"}, heat_flux{*this, "heat_flux"}, moisture_flux{*this, "moisture_flux"},
      buoyancy_flux{*this, "buoyancy_flux"};
  Use<S> pressure{*this, "p"};
  Use<double> surface_theta{*this, "surface_theta"};
  std::optional<Alternating<T, Executor>> theta,
      energy;  ///< energy of eddies: with Deardorff's closure alone
  Field const *air = nullptr, *air_u = nullptr, *air_v = nullptr,
              *air_w = nullptr;  ///< 1 outside of buildings; null where there are none

  Wind<T> wind() const { return {u.in(), v.in(), from_ground(w.in())}; }
  /// Temperature that buoyancy depends on: virtual where the air is moist.
  Rows<T const> theta_v() const { return p.moist() ? virtual_theta.in() : in(theta->now()); }
  Surface<T> surface() const {
    auto const rising = p.moist() ? buoyancy_flux.in() : heat_flux.in();
    return {drag.in(), rising, shear.in(), friction.in()};
  }
  WallShear<T> wall_shear() const { return wall_shear_of<T>(p); }
  Forcing<T> forcing() const { return forcing_of<T>(p); }
  Scheme<T> scheme() const { return p.centred ? piacsek_williams<T>() : wicker_skamarock<T>(); }

  /// The pass of one second outside of steps, with the tendencies or without them.
  Pass second(bool with_tendencies) {
    unwatched.begin_step(this->executor, 1);
    return {unwatched, runge_kutta[0], with_tendencies ? 4 : 3, false};
  }
  StageLength<T> length(Pass const& pass) const {
    return {lengths.view().data() + pass.length * StageLength<T>::count};
  }
  static Stored<T> store(Pass const& pass, Values& field) { return {number(pass.scheme.keep), field.grid()}; }
  static Provisional<T> provisional(Values& field, Values const& stored) {
    return {field.grid().first, stored.grid().first};
  }
  /// A cell's divergence takes the wind at its far faces, of which neighbours have the tendencies; these are
  /// sent rather than computed here too, which would take the state's halo and the closure's one point more.
  /// The stages of work() beside that.
  template <class Work>
  void exchange_tendencies(StageRunner& stages, Work const& work) {
    std::array<Rows<T>, 2> const along{stored_u.out(), stored_v.out()};
    exchange.beside(stages, Halo<T>{exchange_stored, along, stored_width, levels()}, work);
  }

  /// The fields of the state that have a halo.
  Halos<T> state() const {
    typename Lattice::Places all{
        {u.out(), Place::u}, {v.out(), Place::v}, {w.out(), Place::w}, {theta->now().grid(), Place::centre}};
    if (has_energy()) all.push_back({energy_view(), Place::centre});
    if (humidity.declared()) all.push_back({humidity_view(), Place::centre});
    return this->halos(all);
  }
  VerticalHalo<T> vertical_halo() const {
    return {grid,
            p.ground,
            p.lid,
            u.out(),
            v.out(),
            theta->now().grid(),
            energy_view(),
            humidity_view(),
            number(p.warming_at_lid()),
            number(p.drying_at_lid())};
  }
  /// Fills the halos of the state. `step` counts the messages as a stage of a step; null outside of steps.
  void fill_halos(StageRunner* step) {
    for_each(this->executor, this->columns(), vertical_halo());
    this->fill_lateral(state(), step);
  }
  static constexpr HaloWidth stored_width{0, 1}, pressure_width{1, 0};
  HaloLevels levels() const { return {0, p.nz}; }

  /// Sets viscosity and diffusivity to those of the constant closure, or to 0 where another one computes
  /// them.
  void reset_viscosity() {
    viscosity->fill_zero();
    diffusivity->fill_zero();
    if (p.closure != Closure::constant) return;
    for_each(this->executor, with_halo.allocated(), Fill<T>{number(p.viscosity), viscosity->view().data()});
    for_each(this->executor, with_halo.allocated(),
             Fill<T>{number(p.viscosity / p.prandtl), diffusivity->view().data()});
  }

  std::int64_t bytes() const { return tables.bytes() + maps.bytes() + limit.bytes(); }

  Setup const* setup;  ///< while the core is made
  RankReducer<Executor> reducer;
  ByHeight<Executor> by_height;
  PoissonSolvers<S> poisson;
  Array<T, Executor> tables;
  Array<std::int32_t, Executor> maps;      ///< Built::map
  Array<T, Executor> limit;                ///< MixingLength::limit
  Array<T, Executor> lengths;              ///< of the three passes, and of the two of one second
  HostCopy<double, Executor> step_length;  ///< s, where it is not fixed
  Grid<T> grid{};
  StageRunner unwatched;                 ///< runs the work for outputs
  std::function<void()> diagnose_state;  ///< all that parts diagnose(), for outputs
  Stage exchange_stored{};

  Layout dense = dense_layout(p), flat = surface_layout(p);

 private:
  Rows<T> humidity_view() const { return humidity.declared() ? humidity.out() : Rows<T>{}; }
  Rows<T> energy_view() const { return has_energy() ? Rows<T>(energy->now().grid()) : Rows<T>{}; }
};

}  // namespace ulpine::les
