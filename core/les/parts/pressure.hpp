// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/exec/around.hpp"
#include "core/exec/rim.hpp"
#include "core/les/air_solver.hpp"
#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/les/transforms.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::les {

/// Divergence of the provisional wind over the stage's length, s-2: the right-hand side of Poisson's
/// equation; 0 within buildings.
template <class T, class S, class Ground>
struct DivergenceOfProvisional {
  Grid<T> grid;
  Ground ground;
  StageLength<T> stage;
  Provisional<T> u, v, w;
  Rows<S> right_hand_side;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const length = stage.of_tendencies();
    auto const air = [&](Variable variable, std::int32_t jj, std::int32_t ii) {
      return k >= ground.lowest(variable, jj, ii);
    };
    auto const at = [&](bool moves, Provisional<T> const& wind, MemoryPlace place) {
      return moves ? wind(length, place) : T(0);
    };
    auto const east = grid.east(i), north = grid.north(j);
    auto const here = place_of(grid, k, j, i);
    MemoryPlace const to_east{here.in_halo + (east - i), here.dense + (east - i)};
    MemoryPlace const to_north{here.in_halo + (north - j) * grid.row,
                               here.dense + (north - j) * grid.dense_row()};
    MemoryPlace const below{here.in_halo - grid.plane, here.dense - grid.dense_row() * grid.dense_rows()};
    auto const west_u = at(air(Variable::u, j, i), u, here),
               east_u = at(air(Variable::u, j, east), u, to_east);
    auto const south_v = at(air(Variable::v, j, i), v, here),
               north_v = at(air(Variable::v, north, i), v, to_north);
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    auto const below_w = at(k > lowest, w, below), above_w = at(k >= lowest && k < grid.nz - 1, w, here);
    auto const sum =
        math::fma(east_u - west_u, grid.per_dx,
                  math::fma(north_v - south_v, grid.per_dy, (above_w - below_w) * grid.at(Level::per_dz, k)));
    right_hand_side(k, j, i) = k >= lowest ? static_cast<S>(stage.per_forward() * sum) : S(0);
  }
};

/// wind <- provisional wind - length dp/dx; walls hold it at 0.
template <class T, class S, class Ground>
struct PressureCorrection {
  Grid<T> grid;
  Ground ground;
  StageLength<T> stage;
  Rows<S const> pressure;  ///< m2 s-2
  Provisional<T> u, v, w;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const length = stage.of_tendencies(), forward = stage.forward();
    auto const* const centre = &pressure(k, j, i);
    auto const p = [&](std::int32_t away) { return static_cast<T>(centre[away]); };
    auto const here = p(0);
    auto const place = place_of(grid, k, j, i);
    auto const corrected = [&](Provisional<T> const& wind, bool moves, T before, T per_length, T after) {
      return moves ? math::fma(-forward, (after - before) * per_length, wind(length, place)) : T(0);
    };
    u.now[place.in_halo] =
        corrected(u, k >= ground.lowest(Variable::u, j, i), p(grid.west(i) - i), grid.per_dx, here);
    v.now[place.in_halo] = corrected(v, k >= ground.lowest(Variable::v, j, i),
                                     p((grid.south(j) - j) * pressure.row), grid.per_dy, here);
    // The lid's own stays 0.
    if (k < grid.nz - 1) {
      w.now[place.in_halo] = corrected(w, k >= ground.lowest(Variable::scalar, j, i), here,
                                       grid.at(Level::per_dz_between, k), p(pressure.plane));
    }
  }
};

/// Magnitude of the wind's divergence, s-1; 0 within buildings.
template <class T, class Ground>
struct Divergence {
  Grid<T> grid;
  Ground ground;
  Wind<T> wind;
  Rows<T> divergence;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const& [u, v, w] = wind;
    auto const sum = math::fma(u(k, j, i + 1) - u(k, j, i), grid.per_dx,
                               math::fma(v(k, j + 1, i) - v(k, j, i), grid.per_dy,
                                         (w(k + 1, j, i) - w(k, j, i)) * grid.at(Level::per_dz, k)));
    divergence(k, j, i) = k >= ground.lowest(Variable::scalar, j, i) ? math::abs(sum) : T(0);
  }
};

/// The wind that a force of one along x makes: 1 in the air, before its projection.
template <class T, class Ground>
struct UnitWind {
  Ground ground;
  Rows<T> u;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    u(k, j, i) = k >= ground.lowest(Variable::u, j, i) ? T(1) : T(0);
  }
};

/// The pressure, by which the wind has no divergence: solved for through the buildings, or in the air alone.
template <class D>
class Pressure final : public Part {
  using T = typename D::T;
  using S = typename D::S;
  using Ground = typename D::Ground;
  using Executor = typename D::Executor;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::choice_key("pressure.buildings",
                       {{"masked", "the solve runs through buildings, and leaves a divergence beside walls"},
                        {"exact", "no flow through walls, by conjugate gradients"}},
                       "whether the pressure solver knows of the buildings"),
        io::integer_key("pressure.iterations", 16, 1, 1000,
                        "conjugate-gradient iterations of the pressure solver in each Runge-Kutta stage")
            .needing("pressure.buildings = \"exact\""),
    };
  }

  explicit Pressure(D& d) : d_{d} {
    auto const layout = pressure_layout(d.p);
    d.template add<S>(d.output("p", "m2 s-2", "modified pressure over density", FieldRole::diagnostic,
                               {"z", "y", "x"}, d.air),
                      layout);
    // No model means anything by what rounding leaves: outputs have it where asked for, run.json its
    // integral.
    auto description = d.output("divergence", "s-1", "magnitude of the residual divergence of the wind",
                                FieldRole::diagnostic, {"z", "y", "x"}, d.air);
    description.output = d.p.write_divergence;
    divergence_ = &d.template add<T>(std::move(description), d.dense);
    divergence_->on_demand([this] {
      for_each(d_.executor, d_.extent(),
               Divergence<T, Ground>{d_.grid, d_.ground(), d_.wind(), divergence_->grid()});
    });
    if (!in_air_alone() || !d.p.volume_flow) return;
    potential_ = &d.template work<S>("unit_wind_potential", "m", layout);
    unit_ = &d.template work<T>("unit_wind_sum", "1", d.one);
  }

  void declare_stages(Point point) override {
    if (point == Point::pressure) {
      auto const& poisson = *d_.poisson.phases;
      auto const bytes = poisson.minimal_bytes();
      auto const guarantee = poisson.guarantee();
      make_right_ = d_.stage("pressure.divergence", "divergence of the provisional wind", 6, 1);
      forward_ = d_.byte_stage("pressure.forward_fft", "Fourier transform of the divergence of each level",
                               bytes[0], guarantee);
      tridiagonal_ =
          d_.byte_stage("pressure.tridiagonal", "tridiagonal solve along z for each wavenumber", bytes[1]);
      inverse_ =
          d_.byte_stage("pressure.inverse_fft", "inverse Fourier transform of each level to the pressure",
                        bytes[2], guarantee);
      if constexpr (Ground::built) {
        if (!in_air_alone()) return;
        in_air_.emplace(d_.executor, d_.link, d_.exchange, d_.fields, *d_.pressure, poisson,
                        d_.setup->air_thickness(), d_.stages);
      }
    } else if (point == Point::messages) {
      auto const& exchange = d_.exchange;
      d_.exchange_stored =
          d_.message_stage("pressure.exchange_tendencies", "tendencies of the wind at far faces",
                           exchange.template bytes<T>(2, d_.stored_width, d_.levels()));
      exchange_ = d_.message_stage("pressure.exchange", "pressure west and south of the block",
                                   exchange.template bytes<S>(1, d_.pressure_width, d_.levels()));
    } else if (point == Point::correction) {
      correct_ = d_.stage("pressure.correct", "wind without divergence", 9, 1);
    }
  }

  /// The wind without divergence that a uniform force along x makes (FlowAround), in place of the state.
  void prepare() override {
    if (potential_ == nullptr) return;
    auto const pass = d_.second(false);
    for_each(d_.executor, d_.extent(), UnitWind<T, Ground>{d_.ground(), d_.u.out()});
    if (d_.exchange.needed()) d_.fill_halos(nullptr);
    portably([&] { project(pass); });
    potential_->copy_from(*d_.pressure);
    d_.reducer.sum_to(*d_.u, *unit_);
  }

  /// The nearest wind to the present that has no divergence.
  void end_divergence() override {
    auto const pass = d_.second(false);
    portably([&] { project(pass); });
    d_.fill_halos(&pass.stages);
  }

  void solve_pressure(Pass const& pass, Beside const& forward, Beside const& inverse) override {
    pass.stages.run(make_right_, d_.executor, d_.extent(),
                    DivergenceOfProvisional<T, S, Ground>{
                        d_.grid, d_.ground(), d_.length(pass), d_.provisional(*d_.u, *d_.stored_u),
                        d_.provisional(*d_.v, *d_.stored_v), d_.provisional(*d_.w, *d_.stored_w), planes()},
                    {d_.pressure});
    auto& poisson = *d_.poisson.phases;
    if constexpr (Ground::built) {
      if (in_air_) {
        return in_air_->solve(pass.stages, poisson, d_.grid, d_.ground(), d_.p.pressure_iterations, forward,
                              inverse);
      }
    }
    poisson.show(pass.stages.watched());
    transform_beside<true>(d_.exchange.messages(), pass.stages, forward_, poisson, *d_.pressure, forward);
    call_with_messages(pass.stages, tridiagonal_, d_.executor, d_.link,
                       [&] { poisson.tridiagonal(planes().first); }, {d_.pressure});
    transform_beside<false>(d_.exchange.messages(), pass.stages, inverse_, poisson, *d_.pressure, inverse);
  }

  /// Subtracts the pressure gradient from the wind, whose points lie between a cell and those west and south
  /// of it.
  void correct_wind(Pass const& pass, bool fills) override {
    if (fills && d_.exchange.overlaps(pass.stages)) return correct_and_fill(pass);
    d_.exchange(pass.stages, exchange_, {planes()}, d_.pressure_width, d_.levels());
    pass.stages.run(correct_, d_.executor, d_.extent(), correction(pass), {d_.u, d_.v, d_.w});
    if (fills) d_.fill_halos(&pass.stages);
  }

  std::int64_t bytes() const override { return d_.poisson.phases->work_bytes(); }

 private:
  bool in_air_alone() const { return Ground::built && d_.p.exact_walls; }
  Rows<S> planes() const { return d_.pressure.out(); }

  /// Both, where stages run beside messages: beside the pressure's the lower levels of the columns that no
  /// neighbour wants are corrected, for which it is not needed, beside the state's the upper.
  void correct_and_fill(Pass const& pass) {
    auto& stages = pass.stages;
    auto& exchange = d_.exchange;
    auto const executor = d_.executor;
    auto const sent = exchange.sent(d_.state_width);
    auto const wind = correction(pass);
    OnColumn const beyond{d_.vertical_halo()};
    Extent3 const ends{d_.p.nx, d_.p.ny, 1};
    OnRim const rim(wind, d_.extent(), sent);
    OnRim const rim_ends(beyond, ends, sent);
    WithinRim const rest(wind, d_.extent(), sent);
    WithinRim const rest_ends(beyond, ends, sent);
    auto const correct_rest = [&](std::int32_t first, std::int32_t end) {
      for_each(executor, Extent3{rest.extent.nx, rest.extent.ny, end - first}, From{rest.kernel, first});
    };
    auto const half = d_.p.nz / 2;
    std::array<Rows<S>, 1> const pressure{planes()};
    exchange.beside(stages, Halo<S>{exchange_, pressure, d_.pressure_width, d_.levels()},
                    [&] { stages.call(correct_, executor, [&] { correct_rest(0, half); }, {}); });
    stages.go_on(correct_, executor, [&] {
      for_each(executor, rim.extent(), rim);
      for_each(executor, rim_ends.extent(), rim_ends);
    });
    auto const all = d_.state();
    exchange.beside(stages, d_.from_neighbours(all), [&] {
      stages.go_on(correct_, executor, [&] {
        correct_rest(half, d_.p.nz);
        for_each(executor, rest_ends.extent, rest_ends.kernel);
      });
    });
    d_.fill_beyond(all);
  }
  PressureCorrection<T, S, Ground> correction(Pass const& pass) const {
    return {d_.grid,
            d_.ground(),
            d_.length(pass),
            d_.pressure.in(),
            d_.provisional(*d_.u, *d_.stored_u),
            d_.provisional(*d_.v, *d_.stored_v),
            d_.provisional(*d_.w, *d_.stored_w)};
  }

  /// The wind as it is, without divergence.
  void project(Pass const& pass) {
    d_.exchange_tendencies(pass.stages, nothing);
    solve_pressure(pass, nothing, nothing);
    correct_wind(pass, false);
  }
  /// Does so with the solver that has the same bits everywhere.
  template <class Body>
  void portably(Body const& body) {
    auto solver = d_.poisson.portable();
    d_.poisson.phases.swap(solver);
    body();
    d_.poisson.phases.swap(solver);
  }

  D& d_;
  typename D::Values* divergence_;
  FieldOf<S, Executor>* potential_ = nullptr;  ///< of the unit wind
  typename D::Values* unit_ = nullptr;
  std::optional<AirSolver<T, S, Ground, Executor>> in_air_;
  Stage make_right_{}, forward_{}, tridiagonal_{}, inverse_{}, exchange_{}, correct_{};
};

}  // namespace ulpine::les
