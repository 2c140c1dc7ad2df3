// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/scalar.hpp"
#include "core/field/values.hpp"
#include "core/les/alternating.hpp"
#include "core/les/boundary.hpp"
#include "core/les/by_height.hpp"
#include "core/les/forcing.hpp"
#include "core/les/part.hpp"
#include "core/les/setup.hpp"
#include "core/les/sharing.hpp"
#include "core/les/solvers.hpp"
#include "core/les/start.hpp"
#include "core/parts/declarations.hpp"
#include "core/ranks/rank_reducer.hpp"

namespace ulpine::les {

/// What all parts of large eddies share: this rank's block of the grid over the ground of that kind, with the
/// state in T and Poisson's equation in S, the fields by which parts know of each other, and their halos.
template <class State, class Solved, class GroundKind, class ExecutorType>
class Domain : public Declarations<ExecutorType> {
 public:
  using T = State;
  using S = Solved;
  using Ground = GroundKind;
  using Executor = ExecutorType;
  using Values = FieldOf<T, Executor>;

  /// `of` is of this rank's block, and is read only while the core is made.
  Domain(Setup const& of, Executor on, Blocks const& blocks, std::shared_ptr<Link<Executor>> link,
         std::shared_ptr<Ranks> const& team, PoissonSolvers<S> solvers)
      : Declarations<Executor>("les", on, team),
        setup{&of},
        p{of.parameters},
        sharing(on, std::move(link), blocks, p.overlap),
        reducer{on, *sharing.link},
        by_height(on, of),
        poisson{std::move(solvers)},
        tables(on, static_cast<std::int64_t>(of.tables.values.size())),
        maps(on, static_cast<std::int64_t>(of.maps.size())),
        limit(on, static_cast<std::int64_t>(of.mixing_limit.size())),
        lengths(on, 5 * StageLength<T>::count),
        step_length{on} {
    upload(of.tables.values, tables);
    for (auto& coordinate : coordinates(p)) this->fields.add_coordinate(std::move(coordinate));
    grid = {p.nx,
            p.ny,
            p.nz,
            number(1 / p.dx),
            number(1 / p.dy),
            tables.view().data(),
            static_cast<std::int32_t>(with_halo.axis(0).stride),
            static_cast<std::int32_t>(with_halo.axis(1).stride),
            p.cut_x() ? 1 : 0,
            p.cut_y() ? 1 : 0};
    if (sharing.several()) {
      sharing.exchange.template reserve<T>(LateralHalo<T>::most, state_width, state_levels());
      sharing.exchange.template reserve<T>(2, stored_width, levels());
      sharing.exchange.template reserve<S>(1, pressure_width, levels());
    }
  }

  static T number(double value) { return static_cast<T>(value); }
  template <class V>
  static Rows<V const> in(FieldOf<V, Executor> const& field) {
    return field.grid();
  }
  Extent2 columns() const { return {p.nx, p.ny}; }
  Extent3 cells() const { return {p.nx, p.ny, p.nz}; }
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

  /// Declares a stage that moves so many values of the state's and of the solver's type a cell.
  Stage stage(char const* name, char const* doc, double values, double solved = 0,
              Guarantee guarantee = Guarantee::bitwise) {
    return add_stage({std::string("les.") + name, doc,
                      (values * sizeof(T) + solved * sizeof(S)) * static_cast<double>(cells().size()),
                      guarantee});
  }
  Stage add_stage(StageDescription const& description) {
    unwatched.add(description);
    return this->stages.add(description);
  }
  /// Declares a stage of messages between ranks; none where one rank has the whole domain.
  Stage message_stage(char const* name, char const* doc, double bytes) {
    return sharing.several() ? add_stage({std::string("les.") + name, doc, bytes, Guarantee::bitwise})
                             : Stage{};
  }
  /// A field of the output.
  static FieldDescription output(char const* name, char const* units, char const* long_name, FieldRole role,
                                 std::vector<std::string> dimensions, Field const* domain = nullptr) {
    return {.name = name,
            .units = units,
            .long_name = long_name,
            .role = role,
            .dimensions = std::move(dimensions),
            .output = true,
            .domain = domain};
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

  Wind<T> wind() const { return {u.in(), v.in(), w.in()}; }
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
    sharing.exchange.beside(stages, Halo<T>{exchange_stored, along, stored_width, levels()}, work);
  }

  /// The fields of the state that have a halo.
  std::vector<Rows<T>> state() const {
    std::vector<Rows<T>> all{u.out(), v.out(), w.out(), theta->now().grid()};
    if (has_energy()) all.push_back(energy_view());
    if (humidity.declared()) all.push_back(humidity_view());
    return all;
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
    for_each(this->executor, columns(), vertical_halo());
    auto const all = state();
    if (step != nullptr) {
      sharing.exchange(*step, exchange_state, std::span<Rows<T> const>(all), state_width, state_levels());
    } else {
      sharing.exchange.exchange(std::span<Rows<T> const>(all), state_width, state_levels());
    }
    wrap(all);
  }
  /// Fills the halo of up to LateralHalo::most fields along x and y, levels -1 to nz. Along axes that are cut
  /// it is what it was.
  void wrap(std::span<Rows<T> const> some) const {
    if (p.cut_x() && p.cut_y()) return;
    LateralHalo<T> lateral{p.nx, p.ny, {}, 0, p.cut_x(), p.cut_y()};
    for (auto const& field : some) lateral.fields[lateral.count++] = field;
    for_each(this->executor, Extent2{LateralHalo<T>::points(p.nx, p.ny), p.nz + 2}, lateral);
  }
  static constexpr HaloWidth state_width{halo, halo}, stored_width{0, 1}, pressure_width{1, 0};
  HaloLevels state_levels() const { return {-1, p.nz + 1}; }
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
  Parameters p;
  Sharing<Executor> sharing;
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
  Stage exchange_state{}, exchange_stored{};

  // Rows begin where a device loads whole sectors.
  Layout with_halo = state_layout(p), dense = dense_layout(p), flat = surface_layout(p),
         one = Layout::entities(1);

 private:
  Rows<T> humidity_view() const { return humidity.declared() ? humidity.out() : Rows<T>{}; }
  Rows<T> energy_view() const { return has_energy() ? Rows<T>(energy->now().grid()) : Rows<T>{}; }
};

}  // namespace ulpine::les
