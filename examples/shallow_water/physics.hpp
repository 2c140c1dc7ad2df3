// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <ulpine/core/exec/around.hpp>
#include <ulpine/core/fft/plane_transform.hpp>
#include <ulpine/core/lattice/coordinates.hpp>
#include <ulpine/core/lattice/points.hpp>
#include <ulpine/core/model/step_length.hpp>
#include <ulpine/core/ranks/rank_reducer.hpp>
#include "shallow_water.hpp"

/// The parts: layers of shallow water without walls, on a C grid: h and M live at centres, u on west faces, v
/// on south faces, the potential vorticity q on south-western corners. The scheme conserves energy in space
/// (Sadourny 1975, J. Atmos. Sci. 32, 680-689, model I).
namespace shallow_water {

/// Montgomery potential of a column, m2 s-2: g times the height of the surface, and below each interface its
/// reduced gravity times its height more.
template <class P>
struct Pressure {
  using State = typename P::State;
  using T = typename P::Compute;
  std::int32_t layers;
  State rest;  // thickness of a layer at rest, m
  T gravity, reduced_gravity;
  Rows<State const> h;
  Rows<T> potential;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    T height = 0;
    for (std::int32_t k = 0; k < layers; ++k) height += T(h(k, j, i) - rest);
    auto sum = gravity * height;
    for (std::int32_t k = 0; k < layers; ++k) {
      potential(k, j, i) = sum;
      height -= T(h(k, j, i) - rest);
      sum = math::fma(reduced_gravity, height, sum);
    }
  }
};

/// Relative vorticity at a corner, s-1.
template <class T, class State>
ULPINE_HD T curl(LatticeGrid<T> const& grid, Rows<State const> const& u, Rows<State const> const& v,
                 std::int32_t k, std::int32_t j, std::int32_t i) {
  return grid.per_dx * (T(v(k, j, i)) - T(v(k, j, i - 1))) -
         grid.per_dy * (T(u(k, j, i)) - T(u(k, j - 1, i)));
}

/// Transports through the faces (m2 s-1), potential vorticity (m-1 s-1) and Bernoulli function (m2 s-2).
template <class P>
struct Fluxes {
  using T = typename P::Compute;
  LatticeGrid<T> grid;
  T coriolis;  // s-1
  Rows<typename P::State const> u, v, h;
  Rows<T const> potential;
  Rows<T> transport_x, transport_y, vorticity, bernoulli;

  /// The product that tensor cores may take.
  ULPINE_HD static T product(T a, T b) { return P::Multiplicand::round(a) * P::Multiplicand::round(b); }

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    T const west = T(u(k, j, i)), east = T(u(k, j, i + 1)), south = T(v(k, j, i)), north = T(v(k, j + 1, i));
    T const here = T(h(k, j, i)), before_x = T(h(k, j, i - 1)), before_y = T(h(k, j - 1, i)),
            before_both = T(h(k, j - 1, i - 1));
    transport_x(k, j, i) = product(mean2(before_x, here), west);
    transport_y(k, j, i) = product(mean2(before_y, here), south);
    vorticity(k, j, i) =
        (coriolis + curl(grid, u, v, k, j, i)) / mean4(before_both, before_y, before_x, here);
    bernoulli(k, j, i) = potential(k, j, i) + mean4(west * west, east * east, south * south, north * north);
  }
};

/// A Runge-Kutta stage in Shu-Osher form: x = keep x0 + (1 - keep) (x + dt dx/dt). The wind over the first
/// layer abates as the water's mean energy nears `energy_limit`.
template <class P>
struct Advance {
  using State = typename P::State;
  using T = typename P::Compute;
  LatticeGrid<T> grid;
  State keep;
  double const* step;                  // s
  State const *u_squared, *v_squared;  // sums over all points, m2 s-2
  T per_energy;                        // 1 / (2 points energy_limit), s2 m-2
  T const* wind;                       // along x by row, m s-2
  Rows<T const> transport_x, transport_y, vorticity, bernoulli;
  Rows<State const> u0, v0, h0;
  Rows<State> u, v, h;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const across_u = [&](std::int32_t n) {
      return vorticity(k, n, i) * (transport_y(k, n, i - 1) + transport_y(k, n, i));
    };
    auto const across_v = [&](std::int32_t n) {
      return vorticity(k, j, n) * (transport_x(k, j - 1, n) + transport_x(k, j, n));
    };
    auto const here = bernoulli(k, j, i);
    auto const abated = T(1) - per_energy * T(*u_squared + *v_squared);
    T const quarter = T(1) / T(4);
    auto const du = quarter * (across_u(j) + across_u(j + 1)) -
                    grid.per_dx * (here - bernoulli(k, j, i - 1)) + (k == 0 ? abated * wind[j] : T(0));
    auto const dv =
        -quarter * (across_v(i) + across_v(i + 1)) - grid.per_dy * (here - bernoulli(k, j - 1, i));
    auto const dh = -grid.per_dx * (transport_x(k, j, i + 1) - transport_x(k, j, i)) -
                    grid.per_dy * (transport_y(k, j + 1, i) - transport_y(k, j, i));
    auto const dt = T(*step);
    advance(u(k, j, i), u0(k, j, i), dt * du);
    advance(v(k, j, i), v0(k, j, i), dt * dv);
    advance(h(k, j, i), h0(k, j, i), dt * dh);
  }
  ULPINE_HD void advance(State& x, State x0, T change) const {
    x = keep * x0 + (State(1) - keep) * (x + State(change));
  }
};

template <class P>
struct Curl {
  LatticeGrid<typename P::Compute> grid;
  Rows<typename P::State const> u, v;
  Rows<typename P::Compute> result;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    result(k, j, i) = curl(grid, u, v, k, j, i);
  }
};

/// Height of the surface above its rest, m.
template <class P>
struct Surface {
  using State = typename P::State;
  std::int32_t layers;
  State rest;
  Rows<State const> h;
  Rows<State> height;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    State sum = 0;
    for (std::int32_t k = 0; k < layers; ++k) sum += h(k, j, i) - rest;
    height(j, i) = sum;
  }
};

/// What of the output is worth judging and drawing; a case may say otherwise.
inline constexpr char const* judging = R"(
[evaluate.fastest]
kind = "extremum"
long_name = "largest |u|"
field = "u"
which = "magnitude"
[evaluate.enstrophy]
kind = "power"
long_name = "enstrophy"
field = "vorticity"
factor = 0.5
[evaluate.surface_variance]
kind = "power"
long_name = "variance of the surface's height"
field = "surface"
about = "mean"
[evaluate.surface_spectrum]
kind = "spectrum"
long_name = "power spectral density of the surface's height"
field = "surface"
[evaluate.mean_flow]
kind = "profile"
long_name = "mean flow along x"
field = "u"
axis = "y"

[figure.surface]
kind = "map"
field = "surface"
scale = "diverging"
[figure.section]
kind = "section"
field = "u"
axis = "x_u"
index = 0
[figure.enstrophy]
kind = "series"
statistic = "enstrophy"
)";

/// What a case says of the water; SI units.
struct Keys {
  io::CaseFile const& c;
  double depth = c.number("water.depth", 1000, 1), gravity = c.number("water.gravity", 9.81, 1e-6),
         reduced_gravity = c.number("water.reduced_gravity", 0.02, 1e-6),
         coriolis = c.number("water.coriolis", 1e-4), wind = c.number("wind.acceleration", 0),
         energy_limit = c.number("wind.energy_limit", 1, 1e-6), speed = c.number("initial.speed", 1),
         amplitude = c.number("initial.amplitude", 0.1);
  std::string start = c.choice("initial.kind", "jet", {"jet", "wave"});
};

/// The start at a point: u, v and h of a layer.
struct Start {
  double u = 0, v = 0, h = 0;
};

/// A jet to the east in one half and to the west in the other, slower with depth and in balance with the
/// pressure, and a weak ripple on which it can break.
inline Start jet_at(Keys const& of, Block const& p, double x, double y, int k) {
  constexpr auto pi = std::numbers::pi;
  auto const length_x = p.whole_nx * p.dx, length_y = p.whole_ny * p.dy;
  auto const slower = [&](int layer) { return 1 - static_cast<double>(layer) / p.nz; };
  // f u = -dM/dy
  auto const potential = [&](int layer) {
    return of.speed * slower(layer) * of.coriolis * length_y / (2 * pi) * std::cos(2 * pi * y / length_y);
  };
  // Height of the top of layer k, as the potential's rise from the layer above says.
  auto const top = [&](int layer) {
    if (layer == 0) return potential(0) / of.gravity;
    return layer == p.nz ? 0.0 : (potential(layer) - potential(layer - 1)) / of.reduced_gravity;
  };
  auto const ripple = of.amplitude * std::sin(6 * pi * x / length_x) * std::sin(4 * pi * y / length_y);
  return {of.speed * slower(k) * std::sin(2 * pi * y / length_y), 0,
          of.depth / p.nz + top(k) - top(k + 1) + (k == 0 ? ripple : 0)};
}

/// A plane inertia-gravity wave to the east, exact for small amplitudes: omega^2 = f^2 + g H kappa^2.
inline Start wave_at(Keys const& of, Block const& p, double x) {
  auto const kappa = 2 * std::numbers::pi / (p.whole_nx * p.dx);
  auto const omega = std::sqrt(of.coriolis * of.coriolis + of.gravity * of.depth * kappa * kappa);
  auto const size = of.amplitude / of.depth / kappa;
  return {size * omega * std::cos(kappa * x), size * of.coriolis * std::sin(kappa * x),
          of.depth + of.amplitude * std::cos(kappa * x)};
}

/// The layers: their state, how it moves, and what outputs have of it.
template <class D>
class Water final : public Part {
  using P = typename D::Policy;
  using T = typename D::T;
  using S = typename D::S;
  template <class V>
  using Ref = FieldOf<V, typename D::Executor>&;

 public:
  explicit Water(D& d) : d_{d} {
    auto const& p = d.p;
    if (of_.start == "wave" && p.nz != 1) {
      throw of_.c.error("initial.kind",
                        "a wave has one layer (there are " + std::to_string(p.nz) + ") set grid.layers = 1");
    }
    if (d.link.several() && sizeof(T) > 8) {
      throw InputError("values of 113 bits have sums on one rank only (there are several) use one rank");
    }
    d.declare_exchange(3);
    for (auto& row : column_coordinates(p.whole_nx, p.whole_ny, p.dx, p.dy)) d.fields.add_coordinate(row);
    io::Coordinate layer{"layer", "", "layer, from above", "1", "Z", {}};
    for (int k = 0; k < p.nz; ++k) layer.values.push_back(k);
    d.fields.add_coordinate(layer);

    auto const at = [&](double i, double j, int k) {
      auto const x = (p.first_x + i) * p.dx, y = (p.first_y + j) * p.dy;
      return of_.start == "wave" ? wave_at(of_, p, x) : jet_at(of_, p, x, y, k);
    };
    write_points(u_, [&](int k, int j, int i) { return at(i, j + 0.5, k).u; });
    write_points(v_, [&](int k, int j, int i) { return at(i + 0.5, j, k).v; });
    write_points(h_, [&](int k, int j, int i) { return at(i + 0.5, j + 0.5, k).h; });
    d.fill_halos(nullptr);
    std::vector<S> wind;
    for (int j = p.first_y; j < p.first_y + p.ny; ++j) {
      wind.push_back(S(of_.wind * std::sin(2 * std::numbers::pi * (j + 0.5) / p.whole_ny)));
    }
    wind_.from_host(wind.data());
    std::vector<double> const area(static_cast<std::size_t>(d.columns().size()), p.dx * p.dy);
    area_.from_host(area.data());
    surface_.on_demand([this] {
      for_each(d_.executor, d_.columns(), Surface<P>{d_.p.nz, rest(), d_.h.in(), surface_.grid()});
    });
    curl_.on_demand([this] {
      for_each(d_.executor, d_.extent(), Curl<P>{grid(), d_.u.in(), d_.v.in(), curl_.grid()});
    });
  }

  /// The energy of the state in which a step begins is that of all its stages.
  void begin_step(double) override {
    before_u_.copy_from(u_);
    before_v_.copy_from(v_);
    before_h_.copy_from(h_);
    d_.call(energy_,
            [&] {
              reducer_.dot_to(u_, u_, u_squared_);
              reducer_.dot_to(v_, v_, v_squared_);
            },
            {&u_squared_, &v_squared_});
  }
  void advance(double keep) override {
    // Of the next cells beyond the block, too: the halo of the state is all that is exchanged.
    auto const& p = d_.p;
    d_.run(pressure_, Extent2{p.nx + 2, p.ny + 2},
           Around{Pressure<P>{p.nz, rest(), S(of_.gravity), S(of_.reduced_gravity), d_.h.in(),
                              potential_.grid()},
                  1, 1},
           {&potential_});
    d_.run(fluxes_, Extent3{p.nx + 2, p.ny + 2, p.nz},
           Around{Fluxes<P>{grid(), S(of_.coriolis), d_.u.in(), d_.v.in(), d_.h.in(), d_.in(potential_),
                            transport_x_.grid(), transport_y_.grid(), vorticity_.grid(), bernoulli_.grid()},
                  1, 1},
           {&transport_x_, &transport_y_, &vorticity_, &bernoulli_});
    auto const points = static_cast<double>(p.whole_nx) * p.whole_ny * p.nz;
    d_.run(advance_, d_.extent(),
           Advance<P>{grid(), T(keep), d_.step->view().data(), u_squared_.view().data(),
                      v_squared_.view().data(), S(0.5 / (points * of_.energy_limit)), wind_.view().data(),
                      d_.in(transport_x_), d_.in(transport_y_), d_.in(vorticity_), d_.in(bernoulli_),
                      d_.in(before_u_), d_.in(before_v_), d_.in(before_h_), u_.grid(), v_.grid(), h_.grid()},
           {&u_, &v_, &h_});
  }

 private:
  T rest() const { return T(of_.depth / d_.p.nz); }
  LatticeGrid<S> grid() const { return d_.template grid_in<S>(); }
  /// A field of the state.
  Ref<T> add(char const* name, char const* units, char const* long_name, std::vector<std::string> dimensions,
             ValueRange range, char const* standard_name) {
    auto field = d_.output(name, units, long_name, FieldRole::prognostic, dimensions, range, standard_name);
    field.perturbable = Perturbable{};
    return d_.template add<T>(std::move(field), d_.with_halo);
  }

  D& d_;
  Keys of_{d_.p.keys};
  RankReducer<typename D::Executor> reducer_{d_.executor, d_.link};
  Ref<T> u_ =
      add("u", "m s-1", "velocity along x", {"layer", "y", "x_u"}, at_most(50), "sea_water_x_velocity");
  Ref<T> v_ =
      add("v", "m s-1", "velocity along y", {"layer", "y_v", "x"}, at_most(50), "sea_water_y_velocity");
  Ref<T> h_ = add("h", "m", "thickness of a layer", {"layer", "y", "x"}, {0, 2e4}, "cell_thickness");
  Ref<T> surface_ = d_.template add<T>(
      d_.output("surface", "m", "height of the surface above its rest", FieldRole::diagnostic, {"y", "x"}),
      column_layout(d_.p));
  Ref<S> curl_ = d_.template add<S>(
      d_.output("vorticity", "s-1", "relative vorticity", FieldRole::diagnostic, {"layer", "y_v", "x_u"}),
      d_.with_halo);
  Ref<double> area_ = d_.template add<double>(
      d_.output("cell_area", "m2", "area of a cell", FieldRole::constant, {"y", "x"}, {}, "cell_area"),
      column_layout(d_.p));
  Ref<T> before_u_ = d_.template work<T>("u_before", "m s-1", d_.with_halo);
  Ref<T> before_v_ = d_.template work<T>("v_before", "m s-1", d_.with_halo);
  Ref<T> before_h_ = d_.template work<T>("h_before", "m", d_.with_halo);
  Ref<S> potential_ = d_.template work<S>("potential", "m2 s-2", d_.with_halo);
  Ref<S> transport_x_ = d_.template work<S>("transport_x", "m2 s-1", d_.with_halo);
  Ref<S> transport_y_ = d_.template work<S>("transport_y", "m2 s-1", d_.with_halo);
  Ref<S> vorticity_ = d_.template work<S>("potential_vorticity", "m-1 s-1", d_.with_halo);
  Ref<S> bernoulli_ = d_.template work<S>("bernoulli", "m2 s-2", d_.with_halo);
  Ref<T> u_squared_ = d_.template work<T>("u_squared", "m2 s-2", d_.one);
  Ref<T> v_squared_ = d_.template work<T>("v_squared", "m2 s-2", d_.one);
  Array<S, typename D::Executor> wind_{d_.executor, d_.p.ny};

  Stage energy_ = d_.stage("energy", "exact sums of the squares of u and v", 2);
  Stage pressure_ = d_.stage("pressure", "Montgomery potential of each column", 1, 1);
  Stage fluxes_ = d_.stage("fluxes", "transports, potential vorticity, Bernoulli function", 3, 5);
  Stage advance_ = d_.stage("advance", "Runge-Kutta stage of u, v and h", 9, 4);
};

/// The rate at which the fastest wave of a column crosses cells, s-1: the bound on a step.
template <class P>
struct CourantRate {
  using T = typename P::Compute;
  LatticeGrid<T> grid;
  T gravity;
  Rows<typename P::State const> u, v, h;
  Rows<T> rate;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    T depth = 0, flow = 0;
    for (std::int32_t k = 0; k < grid.nz; ++k) {
      depth += T(h(k, j, i));
      flow = math::max(flow, grid.per_dx * math::abs(T(u(k, j, i))) + grid.per_dy * math::abs(T(v(k, j, i))));
    }
    rate(j, i) = flow + (grid.per_dx + grid.per_dy) * math::sqrt(gravity * depth);
  }
};

/// The length of a step, s: `courant` over the largest rate, on the way to where one has to end in `left` s.
template <class T>
struct StepLength {
  T courant;
  double left;  // bare: time is double in every policy
  T const* rate;
  double* step;

  ULPINE_HD void operator()(std::int64_t) const {
    *step = ulpine::length_towards(left, static_cast<double>(courant / *rate));
  }
};

/// Steps as long as the fastest wave allows.
template <class D>
class TimeStep final : public Part {
  using S = typename D::S;
  template <class V>
  using Ref = FieldOf<V, typename D::Executor>&;

 public:
  explicit TimeStep(D& d) : d_{d} {}

  void begin_step(double left) override {
    d_.run(courant_, d_.columns(),
           CourantRate<typename D::Policy>{d_.template grid_in<S>(), gravity_, d_.u.in(), d_.v.in(),
                                           d_.h.in(), rate_.grid()},
           {&rate_});
    d_.call(fastest_, [&] { reducer_.max_to(rate_, fastest_rate_); }, {&fastest_rate_});
    d_.run(length_, 1, StepLength<S>{courant_limit_, left, fastest_rate_.view().data(), step_.view().data()},
           {&step_});
  }

 private:
  D& d_;
  RankReducer<typename D::Executor> reducer_{d_.executor, d_.link};
  Ref<S> rate_ = d_.template work<S>("courant_rate", "s-1", column_layout(d_.p));
  Ref<S> fastest_rate_ = d_.template work<S>("fastest_rate", "s-1", d_.one);
  Ref<double> step_ = d_.template work<double>("step_length", "s", d_.one);
  S gravity_ = S(d_.p.keys.number("water.gravity", 9.81, 1e-6)),
    courant_limit_ = S(d_.p.keys.number("time.courant", 0.8, 1e-3, 1.7));
  Stage courant_ = d_.stage("courant", "rate at which the fastest wave crosses a cell", 3);
  Stage fastest_ = d_.column_stage("fastest", "the largest of these rates", 0, 1);
  Stage length_ = d_.byte_stage("step_length", "length of the step", sizeof(S));
};

/// Exponential filter of the shortest waves (Hou and Li 2007, J. Comput. Phys. 226, 379-397), on the rows of
/// a transformed plane: `complex` numbers as pairs of values.
template <class T>
struct ExponentialFilter {
  std::int32_t nx, ny;
  T strength, order, scale;  // exp(-strength (|kappa| / kappa_max)^order), and 1 / (nx ny)
  Rows<T> values;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const x = T(2 * i) / T(nx), y = T(2 * (2 * j > ny ? ny - j : j)) / T(ny);
    auto const kappa = math::sqrt(x * x + y * y);
    auto const keep = scale * math::exp(-strength * math::pow(kappa, order));
    values(k, j, 2 * i) *= keep;
    values(k, j, 2 * i + 1) *= keep;
  }
};

/// Copies values of one grid to another of the same shape.
template <class T>
struct Copy {
  Rows<T const> source;
  Rows<T> target;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    target(k, j, i) = source(k, j, i);
  }
};

/// Takes the shortest waves off the wind at the end of a step, where a case wants it. One rank has a whole
/// plane, as a library transforms it.
template <class D>
class Filter final : public Part {
  using T = typename D::T;

 public:
  static bool needed(Block const& p) { return p.keys.number("filter.strength", 36, 0) > 0; }
  explicit Filter(D& d) : d_{d} {
    if (d.link.several()) {
      throw InputError("a filter transforms the planes of one rank (filter.strength is above 0) set it to 0");
    }
  }

  void end_step() override {
    for (int component = 0; component < 2; ++component) {
      auto const components = d_.stages.loop("component", component + 1);
      filter(component == 0 ? *d_.u : *d_.v);
    }
    d_.fill_halos(&d_.stages);
  }

 private:
  void filter(typename D::Values& field) {
    auto const& p = d_.p;
    Rows<T> const waves = waves_.grid();
    d_.run(gather_, d_.extent(), Copy<T>{d_.in(field), waves}, {&waves_});
    d_.stages.call(forward_, d_.executor, [&] { transform_->forward(waves.first); }, {&waves_});
    d_.run(damp_, Extent3{p.nx / 2 + 1, p.ny, p.nz},
           ExponentialFilter<T>{p.nx, p.ny, strength_, order_, T(1.0 / (static_cast<double>(p.nx) * p.ny)),
                                waves},
           {&waves_});
    d_.stages.call(inverse_, d_.executor, [&] { transform_->inverse(waves.first); }, {&waves_});
    d_.run(scatter_, d_.extent(), Copy<T>{waves, field.grid()}, {&field});
  }
  Stage transform_stage(char const* name, char const* doc) {
    return d_.byte_stage(name, doc, 2.0 * sizeof(T) * static_cast<double>(d_.extent().size()),
                         Guarantee::run_to_run);
  }

  D& d_;
  T strength_ = T(d_.p.keys.number("filter.strength", 36, 0)),
    order_ = T(d_.p.keys.number("filter.order", 36, 2));
  std::unique_ptr<PlaneTransform<T>> transform_ =
      make_vendor_transform<T>(d_.executor, d_.p.nz, d_.p.ny, d_.p.nx);
  typename D::Values& waves_ =
      d_.template work<T>("waves", "m s-1", Layout::with_halo(d_.p.nz, d_.p.ny, 2 * (d_.p.nx / 2 + 1), 0));
  Stage gather_ = d_.stage("gather", "a component of the velocity to rows for the transform", 2);
  Stage forward_ = transform_stage("forward", "Fourier transform of each layer");
  Stage damp_ = d_.stage("damp", "the shortest waves off", 2);
  Stage inverse_ = transform_stage("inverse", "Fourier transform back");
  Stage scatter_ = d_.stage("scatter", "the filtered component back", 2);
};

template <class D>
std::vector<std::unique_ptr<Part>> all_parts(D& domain) {
  return parts_of<Part, Water, TimeStep, Filter>(domain);
}

}  // namespace shallow_water
