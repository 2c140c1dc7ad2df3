// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/fdm/lateral.hpp"
#include "core/fdm/parameters.hpp"
#include "core/fdm/part.hpp"
#include "core/fdm/rates.hpp"
#include "core/fdm/sound.hpp"
#include "core/fdm/space.hpp"
#include "core/fdm/surroundings.hpp"
#include "core/lattice/domain.hpp"
#include "core/physics/constants.hpp"

namespace ulpine::fdm {

/// A field that the wind carries, and the stages of what changes it.
template <class T, class Executor>
struct Scalar {
  FieldOf<T, Executor>&now, &start, &rate;
  FieldOf<T, Executor>* mixing;  ///< rate by mixing and eddies; null where nothing mixes
  std::string name, long_name;
  T least;                ///< it stays at or above this
  bool steps_with_sound;  ///< its changes are made in the small steps
  Stage advect{}, mix{}, mix_by_eddies{}, end{};
};

/// What all parts of the air share: this rank's block of the grid with its metrics, in the types of the state
/// (T) and of the small steps (S), the fields by which parts know of each other, and the halos' exchange.
template <class State, class Small, template <class> class GroundOf, class ExecutorType>
class Domain : public LatticeDomain<Parameters, State, Small, ExecutorType, 1> {
 public:
  using Lattice = LatticeDomain<Parameters, State, Small, ExecutorType, 1>;
  using T = State;
  using S = Small;
  using Executor = ExecutorType;
  using Ground = GroundOf<T>;
  using SmallGround = GroundOf<S>;
  using Lattice::p, Lattice::blocks, Lattice::sides, Lattice::exchange, Lattice::steps;
  static constexpr bool terrain = Ground::terrain;

  /// This rank's block of the grid, where `team` are several.
  Domain(Parameters const& parameters, Executor on, std::shared_ptr<Ranks> const& team)
      : Lattice("fdm", on, team, parameters, parameters.sides, {0, parameters.nz + 1}, parameters.overlap),
        heights{p.heights()},
        // With the halo's levels: of a large grid over terrain they are many.
        base(p.base, heights.face(p.nz + halo + 1, 0.0), -heights.face(-halo - 1, 0.0)),
        big(on, p, heights, base),
        small(on, p, heights, base) {
    for (auto& coordinate : coordinates(p)) this->fields.add_coordinate(std::move(coordinate));
    add_surroundings(this->fields, p, heights, base, table_threads(on));
    if (exchange.needed()) exchange.template reserve<S>(2, sound_width, sound_levels());
  }

  using Lattice::extent, Lattice::columns;
  Extent3 with_last_faces() const { return {p.nx + 1, p.ny + 1, p.nz}; }
  Extent3 inner_faces() const { return {p.nx, p.ny, p.nz - 1}; }
  /// Of u (v) with the last faces along x (y), which the next block computes, too.
  Extent3 faces(bool of_u) const {
    return {p.nx + (of_u && sides.east == LateralBoundary::neighbour ? 1 : 0),
            p.ny + (!of_u && sides.north == LateralBoundary::neighbour ? 1 : 0), p.nz};
  }
  template <Place place>
  Extent3 extent_of() const {
    return place == Place::w ? inner_faces() : place == Place::centre ? extent() : faces(place == Place::u);
  }
  Rim rim() const {
    return {sides.periodic_x(), sides.periodic_y(), sides.west == LateralBoundary::neighbour,
            sides.south == LateralBoundary::neighbour};
  }

  /// Runs the last stage by which `part` changes the state of all cells: beside the exchange of its halos,
  /// where no other part comes after.
  template <class Kernel>
  void run_last(Part const& part, Stage stage, Kernel const& kernel,
                std::initializer_list<Field const*> writes) {
    if (&part != last_to_change_ || sent_ == nullptr) {
      this->run(stage, extent(), kernel, writes);
    } else {
      exchange.after_stage(this->stages, *sent_,
                           [&](auto const& run) { run(stage, extent(), kernel, writes); });
    }
  }

  /// A field of the output.
  FieldDescription output(char const* name, char const* units, char const* long_name, FieldRole role,
                          std::vector<std::string> const& dimensions, ValueRange range = {},
                          char const* standard_name = "") const {
    auto description = Lattice::output(name, units, long_name, role, dimensions, range, standard_name);
    description.coordinates = height_at(dimensions, heights.flat());
    return description;
  }
  /// A field of the state in the output.
  FieldDescription prognostic(char const* name, char const* units, char const* long_name,
                              std::vector<std::string> const& dimensions, ValueRange range,
                              char const* standard_name = "") const {
    return output(name, units, long_name, FieldRole::prognostic, dimensions, range, standard_name);
  }
  /// Declares the field that a step begins with, in leapfrog steps the state of the step before.
  FieldOf<T, Executor>& add_start_of(std::string const& name, char const* units, Layout const& layout,
                                     ValueRange range) {
    FieldDescription description{.name = "start_" + name, .units = units, .range = range};
    if (p.leapfrog) description.role = FieldRole::prognostic;
    return this->template add<T>(std::move(description), layout);
  }

  // The fields of several parts, by their names; of those that no part declares there are no points.
  template <class V>
  using Use = Named<V, Executor>;
  Use<T> u{*this, "u"}, v{*this, "v"}, w{*this, "w"}, pressure{*this, "p"}, start_u{*this, "start_u"},
      start_v{*this, "start_v"}, start_w{*this, "start_w"}, start_pressure{*this, "start_p"},
      theta{*this, "theta"}, start_theta{*this, "start_theta"}, vapour{*this, "qv"}, cloud{*this, "qc"},
      rain{*this, "qr"}, start_divergence{*this, "start_divergence"};
  Use<S> rate_u{*this, "rate_u"}, rate_v{*this, "rate_v"}, rate_w{*this, "rate_w"}, rate_p{*this, "rate_p"},
      change_u{*this, "change_u"}, change_v{*this, "change_v"}, change_w{*this, "change_w"},
      change_p{*this, "change_p"}, change_slope{*this, "change_slope"},
      change_divergence{*this, "change_divergence"}, change_theta{*this, "change_theta"},
      forced_w{*this, "forced_w"}, below{*this, "below"}, here{*this, "here"}, above{*this, "above"},
      relative_volume{*this, "lightness"};
  std::vector<Scalar<T, Executor>> scalars;  ///< theta' first

  Air<T> air() const {
    return {u.in(), v.in(), w.in(), pressure.in(), theta.in(), vapour.in(), cloud.in(), rain.in()};
  }
  /// Wind and pressure in which the step begins.
  Air<T> start() const {
    return {start_u.in(), start_v.in(), start_w.in(), start_pressure.in(), {}, {}, {}, {}};
  }
  Deviations<S> deviations() const {
    return {change_u.out(), change_v.out(),     change_w.out(),
            change_p.out(), change_slope.out(), change_divergence.out()};
  }
  Rates<S> rates() const {
    return {rate_u.in(), rate_v.in(), rate_w.in(), rate_p.in(), relative_volume.in()};
  }
  Coefficients<S> coefficients() const { return {below.out(), here.out(), above.out()}; }
  ImplicitCoefficients<S, SmallGround> column_equation(SmallSteps const& steps) const {
    return {small.grid, small.ground(), small_step(steps), relative_volume.in(), p.arps_coefficients};
  }
  /// The kernel that solves for w and p' of each column.
  template <FactorSource source>
  SoundSolve<S, SmallGround, source> column_solve(SmallSteps const& steps) const {
    auto forced = rates();
    if (forced_w.declared()) forced.w = forced_w.in();
    return {column_equation(steps), coefficients(), deviations(), forced};
  }
  /// Calls visit.template operator()<source>() for where the case has the columns' factors from.
  template <class Visit>
  void with_factors(Visit const& visit) const {
    switch (p.factors) {
      case FactorSource::kept:
        return visit.template operator()<FactorSource::kept>();
      case FactorSource::stored:
        return visit.template operator()<FactorSource::stored>();
      case FactorSource::fused:
        return visit.template operator()<FactorSource::fused>();
    }
  }
  Physics<T> physics(double small_length) const {
    return {static_cast<T>(constants::gravity<double>()),
            static_cast<T>(constants::gravity<double>() * constants::heat_capacity_at_volume<double>() /
                           (2 * constants::heat_capacity<double>())),
            static_cast<T>(constants::heat_capacity_at_volume<double>() / constants::heat_capacity<double>()),
            static_cast<T>(p.coriolis),
            static_cast<T>(p.damping_h() / small_length),
            static_cast<T>(p.damping_v() / small_length),
            p.order,
            p.order_zeta};
  }
  SmallStep<S> small_step(SmallSteps const& steps) const {
    return {static_cast<S>(steps.length),
            static_cast<S>(p.implicitness),
            static_cast<S>(p.damping_h() / steps.length),
            static_cast<S>(p.damping_v() / steps.length),
            static_cast<S>(constants::gravity<double>()),
            static_cast<S>(constants::gravity<double>() * constants::heat_capacity_at_volume<double>() /
                           (2 * constants::heat_capacity<double>()))};
  }

  using Places = typename Lattice::Places;
  /// Fills the halos' levels below the ground and above the lid, and then those beyond the sides.
  void fill_edges(Halos<T> const& all) {
    // The neighbours' columns, too: their levels beyond are not sent.
    auto const x = this->beyond(blocks.along_x(), halo), y = this->beyond(blocks.along_y(), halo);
    for_each(this->executor, Extent2{p.nx + 1 + 2 * x, p.ny + 1 + 2 * y},
             Around{VerticalHalos<T>{all}, x, y});
    this->fill_beyond(all);
  }
  /// Outside of steps, brings halos from the neighbours' blocks and fills the others.
  void fill_all_around(Halos<T> const& all) {
    this->bring(all);
    fill_edges(all);
  }
  /// While what it returns lives, the last stage of `last` is divided beside the exchange of `halo`, if any.
  auto sending(Halo<T> const* halo, Part const& last) {
    sent_ = halo;
    last_to_change_ = &last;
    return std::unique_ptr<Domain, void (*)(Domain*)>(this, [](Domain* of) { of->sent_ = nullptr; });
  }
  /// The fields of the state and where they lie; with `of_start`, of the state in which the step began.
  Places state(bool of_start) const {
    auto const rows = [&](auto const& now, auto const& start) { return of_start ? start.out() : now.out(); };
    Places all{{rows(u, start_u), Place::u},
               {rows(v, start_v), Place::v},
               {rows(w, start_w), Place::w},
               {rows(pressure, start_pressure), Place::centre}};
    for (auto const& one : scalars) all.push_back({(of_start ? one.start : one.now).grid(), Place::centre});
    return all;
  }

  static constexpr HaloWidth sound_width{1, 1};
  HaloLevels sound_levels() const { return {0, p.nz}; }

  std::int64_t bytes() const { return big.bytes() + small.bytes(); }

  Heights heights;
  BaseState base;
  Space<T, GroundOf, Executor> big;
  Space<S, GroundOf, Executor> small;
  // Around a period the last face is the first: only what is carried on has both.
  Layout centre = this->with_halo, at_u = steps.layout(p, {.x = 1}), at_v = steps.layout(p, {.y = 1}),
         at_w = steps.layout(p, {.z = 1}), stepped_u = p.sides.periodic_x() ? centre : at_u,
         stepped_v = p.sides.periodic_y() ? centre : at_v;
  Stage exchange_sound{};

 private:
  Halo<T> const* sent_ = nullptr;
  Part const* last_to_change_ = nullptr;
};

}  // namespace ulpine::fdm
