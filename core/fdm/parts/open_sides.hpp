// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/fdm/domain.hpp"
#include "core/fdm/limits.hpp"
#include "core/fdm/part.hpp"
#include "core/field/values.hpp"

namespace ulpine::fdm {

/// Wind through open sides, its component across: carried out by its own speed and that of waves, which is
/// given (Klemp and Wilhelmson 1978), or by the speed of both at which it moved in its column in the step
/// before (ColumnSpeed). Where air comes in faster than waves leave, it is drawn to the base state's.
template <class T>
struct OpenLaw {
  T phase_speed;                  ///< m s-1
  T inflow_rate;                  ///< s-1
  Rows<T const> of_columns = {};  ///< at the cells along the side, m s-1; below 0: not known; null: of none
};
/// Outward speed at a face, 0 where air comes in; (j, i) is the cell along the side.
template <class T>
ULPINE_HD T outward(OpenLaw<T> const& law, T wind, bool high, std::int32_t j, std::int32_t i) {
  if (law.of_columns.first != nullptr) {
    auto const measured = law.of_columns(0, j, i);
    if (!(measured < T(0))) return measured;
  }
  auto const speed = (high ? wind : -wind) + law.phase_speed;
  return speed > T(0) ? speed : T(0);
}

/// The outward speed c, 0 to a cell a step, that fits du/dt = -c du/dn best in a column next to an open side
/// (Orlanski 1976, J. Comput. Phys. 21, 251-269; one for all levels as Durran and Klemp 1983, Mon. Wea. Rev.
/// 111, 2341-2361, have it): -sum(u_t u_n) / sum(u_n^2) over the levels, from below, centred between the two
/// faces next to the side and between the times of a step. For column n of the sides along x (of_u) or y.
template <class T, bool of_u>
struct ColumnSpeed {
  Grid<T> grid;
  Sides sides;
  T step;  ///< s
  Rows<T const> now, start;
  Rows<T> speed;
  ULPINE_HD void operator()(std::int32_t n, std::int32_t) const {
    auto const last = of_u ? grid.nx : grid.ny;
    auto const one = [&](std::int32_t cell, std::int32_t outer, std::int32_t inner) {
      T product = 0, square = 0;
      for (std::int32_t k = 0; k < grid.nz; ++k) {
        auto const at = [&](Rows<T const> const& wind, std::int32_t face) {
          return of_u ? wind(k, n, face) : wind(k, face, n);
        };
        auto const after = at(now, outer), inside_after = at(now, inner), before = at(start, outer),
                   inside_before = at(start, inner);
        auto const in_time = (after - before) + (inside_after - inside_before);
        auto const outward = (after - inside_after) + (before - inside_before);
        product = math::fma(in_time, outward, product);
        square = math::fma(outward, outward, square);
      }
      auto const most = T(1) / ((of_u ? grid.per_dx : grid.per_dy) * step);
      auto& kept = speed(0, of_u ? n : cell, of_u ? cell : n);
      // Where nothing varies there is nothing to measure.
      if (!(square > T(0))) {
        kept = T(-1);
        return;
      }
      auto const measured = -product / square * most;
      kept = measured < T(0) ? T(0) : measured < most ? measured : most;
    };
    if ((of_u ? sides.west : sides.south) == LateralBoundary::open) one(0, 1, 2);
    if ((of_u ? sides.east : sides.north) == LateralBoundary::open) one(last - 1, last - 1, last - 2);
  }
};

/// Rates at the open sides along x (of_u) or y: for row n of level k.
template <class T, class S, class Ground, bool of_u>
struct OpenRate {
  Grid<T> grid;
  Ground ground;
  OpenLaw<T> law;
  Sides sides;
  Rows<T const> start;
  Rows<S> rate;
  ULPINE_HD void operator()(std::int32_t n, std::int32_t k) const {
    auto const last = of_u ? grid.nx : grid.ny;
    auto const one = [&](std::int32_t face, std::int32_t inner, bool high) {
      auto const j = of_u ? n : face, i = of_u ? face : n;
      auto const here = start(k, j, i), inside = of_u ? start(k, n, inner) : start(k, inner, n);
      auto const cell = high ? last - 1 : 0;
      auto const speed = outward(law, here, high, of_u ? n : cell, of_u ? cell : n);
      auto const drawn = -law.inflow_rate * (here - ground.at(of_u ? Metric::start_u : Metric::start_v, k,
                                                              of_u ? j : inner, of_u ? inner : i));
      auto const carried = speed * (inside - here) * (of_u ? grid.per_dx : grid.per_dy);
      rate(k, j, i) = static_cast<S>(speed > T(0) ? carried : drawn);
    };
    if ((of_u ? sides.west : sides.south) == LateralBoundary::open) one(0, 1, false);
    if ((of_u ? sides.east : sides.north) == LateralBoundary::open) one(last, last - 1, true);
  }
};
/// A small step of the wind through the open sides along x (of_u) or y.
template <class T, class S, bool of_u>
struct OpenSound {
  Grid<S> grid;
  OpenLaw<T> law;
  Sides sides;
  S length;
  Rows<T const> start;
  Rows<S const> rate;
  Rows<S> change;
  ULPINE_HD void operator()(std::int32_t n, std::int32_t k) const {
    auto const last = of_u ? grid.nx : grid.ny;
    auto const one = [&](std::int32_t face, std::int32_t inner, bool high) {
      auto const j = of_u ? n : face, i = of_u ? face : n;
      auto const here = change(k, j, i), inside = of_u ? change(k, n, inner) : change(k, inner, n);
      auto const cell = high ? last - 1 : 0;
      auto const speed = static_cast<S>(outward(law, start(k, j, i), high, of_u ? n : cell, of_u ? cell : n));
      auto const courant = length * speed * (of_u ? grid.per_dx : grid.per_dy);
      // Backward, as the wind inside is that of the step's end already.
      change(k, j, i) = math::fma(courant, inside, math::fma(length, rate(k, j, i), here)) / (S(1) + courant);
    };
    if ((of_u ? sides.west : sides.south) == LateralBoundary::open) one(0, 1, false);
    if ((of_u ? sides.east : sides.north) == LateralBoundary::open) one(last, last - 1, true);
  }
};

/// Wind through open sides, by a radiation condition.
template <class D>
class OpenSides final : public Part {
  using T = typename D::T;
  using S = typename D::S;
  using Ground = typename D::Ground;
  using Executor = typename D::Executor;

 public:
  static std::vector<io::CaseKey> keys() {
    constexpr auto open = R"(an "open" side)";
    return {
        io::quantity_key(
            "boundary.phase_speed", "m s-1", default_phase_speed, 0, 1000,
            "speed beside the wind's of the waves that open sides let out; others are partly sent back")
            .needing(open)
            .renamed_from("lateral.phase_speed"),
        io::choice_key("boundary.speed_of",
                       {{"given", "boundary.phase_speed everywhere"},
                        {"column", "measured in each column of the side in the step before (Orlanski 1976)"}},
                       "where the speed of what leaves through open sides comes from")
            .needing(open)
            .renamed_from("lateral.speed_of"),
        io::quantity_key("boundary.inflow_rate", "s-1", 0, 0, 1,
                         "rate at which wind that comes in through open sides is drawn to the base state's")
            .needing(open)
            .renamed_from("lateral.inflow_rate"),
    };
  }
  static bool needed(Parameters const& p) { return p.open_x() || p.open_y(); }

  explicit OpenSides(D& d) : d_{d} {
    if (!d.p.column_speed) return;
    if (d.p.open_x()) speed_u_ = &add_speed("speed_u");
    if (d.p.open_y()) speed_v_ = &add_speed("speed_v");
  }

  void declare_stages() override {
    auto const along = [&](bool open, bool of_u, char const* name, char const* doc, double values,
                           double small) {
      auto const cells = of_u ? d_.p.nx : d_.p.ny;
      return open ? d_.stage(name, doc, values / cells, small / cells) : Stage{};
    };
    constexpr auto radiation_x = "radiation through open sides along x",
                   radiation_y = "radiation through open sides along y";
    bool const x = d_.p.open_x(), y = d_.p.open_y();
    rate_u_stage_ = along(x, true, "rate_open_u", radiation_x, 4, 2);
    rate_v_stage_ = along(y, false, "rate_open_v", radiation_y, 4, 2);
    push_u_stage_ = along(x, true, "sound.open_u", radiation_x, 2, 8);
    push_v_stage_ = along(y, false, "sound.open_v", radiation_y, 2, 8);
    speed_u_stage_ =
        along(speed_u_ != nullptr, true, "open_speed_u", "speed through open sides along x", 8, 0);
    speed_v_stage_ =
        along(speed_v_ != nullptr, false, "open_speed_v", "speed through open sides along y", 8, 0);
  }

  void add_rates(double) override {
    if (d_.p.open_x()) add_rate<true>(rate_u_stage_, d_.start_u, d_.rate_u);
    if (d_.p.open_y()) add_rate<false>(rate_v_stage_, d_.start_v, d_.rate_v);
  }
  void push_wind(SmallSteps const& steps, int) override {
    if (d_.p.open_x()) push<true>(push_u_stage_, steps, d_.start_u, d_.rate_u, d_.change_u);
    if (d_.p.open_y()) push<false>(push_v_stage_, steps, d_.start_v, d_.rate_v, d_.change_v);
  }
  /// Measures the speeds at which the wind went out in the step that has just ended.
  void end_scalars(Interval const& interval) override {
    if (!interval.whole) return;
    if (speed_u_ != nullptr) measure<true>(speed_u_stage_, d_.u, d_.start_u, *speed_u_);
    if (speed_v_ != nullptr) measure<false>(speed_v_stage_, d_.v, d_.start_v, *speed_v_);
  }

 private:
  using Use = Named<T, Executor>;
  using UseSmall = Named<S, Executor>;

  /// Speeds through open sides of columns, which the next step needs; -1: not known.
  FieldOf<T, Executor>& add_speed(char const* name) {
    auto& speed = d_.template add<T>({.name = name, .units = "m s-1", .role = FieldRole::prognostic},
                                     column_layout(d_.p));
    std::vector<double> const none(static_cast<std::size_t>(d_.columns().size()), -1.0);
    write_values(speed.raw(), 0, d_.columns().size(), ValueType::float64, none.data());
    return speed;
  }
  /// Cells along the sides that a component of the wind crosses.
  std::int32_t along_side(bool of_u) const { return of_u ? d_.p.ny : d_.p.nx; }
  OpenLaw<T> law(bool of_u) const {
    OpenLaw<T> law{static_cast<T>(d_.p.phase_speed), static_cast<T>(d_.p.inflow_rate)};
    auto const* const measured = of_u ? speed_u_ : speed_v_;
    if (measured != nullptr) law.of_columns = measured->grid();
    return law;
  }
  template <bool of_u>
  void add_rate(Stage stage, Use const& start, UseSmall const& rate) {
    d_.run(stage, Extent2{along_side(of_u), d_.p.nz},
           OpenRate<T, S, Ground, of_u>{d_.big.grid, d_.big.ground(), law(of_u), d_.sides, start.in(),
                                        rate.out()},
           {rate});
  }
  template <bool of_u>
  void push(Stage stage, SmallSteps const& steps, Use const& start, UseSmall const& rate,
            UseSmall const& change) {
    d_.run(stage, Extent2{along_side(of_u), d_.p.nz},
           OpenSound<T, S, of_u>{d_.small.grid, law(of_u), d_.sides, static_cast<S>(steps.length), start.in(),
                                 rate.in(), change.out()},
           {change});
  }
  template <bool of_u>
  void measure(Stage stage, Use const& now, Use const& start, FieldOf<T, Executor>& speed) {
    d_.run(stage, Extent2{along_side(of_u), 1},
           ColumnSpeed<T, of_u>{d_.big.grid, d_.sides, static_cast<T>(d_.p.step), now.in(), start.in(),
                                speed.grid()},
           {&speed});
  }

  D& d_;
  FieldOf<T, Executor>*speed_u_ = nullptr, *speed_v_ = nullptr;
  Stage rate_u_stage_{}, rate_v_stage_{}, push_u_stage_{}, push_v_stage_{}, speed_u_stage_{},
      speed_v_stage_{};
};

}  // namespace ulpine::fdm
