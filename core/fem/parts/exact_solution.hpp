// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "core/fem/domain.hpp"
#include "core/fem/manufactured.hpp"

namespace ulpine::fem {

/// Where a solution is evaluated: at nodes, with their reference.
template <class T>
struct ManufacturedAtNodes {
  ManufacturedAir<T> of;
  T const *position, *reference_pressure, *reference_density, *volume;

  ULPINE_HD typename ManufacturedAir<T>::At at(std::int64_t n) const {
    T const x[3] = {position[3 * n], position[3 * n + 1], position[3 * n + 2]};
    return of.at(x);
  }
  ULPINE_HD typename ManufacturedAir<T>::Sources sources(std::int64_t n) const {
    T const x[3] = {position[3 * n], position[3 * n + 1], position[3 * n + 2]};
    return of.sources(x, reference_pressure[n], reference_density[n]);
  }
};

/// Adds the lumped share of the force, as the wind's own mass is, and leaves the rest at nodes.
template <class T>
struct ManufacturedForce {
  ManufacturedAtNodes<T> nodes;
  T* source;  ///< N m-3, 3 a node
  T* right;   ///< N, 3 a node
  ULPINE_HD void operator()(std::int64_t n) const {
    auto const s = nodes.sources(n);
    for (int d = 0; d < 3; ++d) {
      right[3 * n + d] = math::fma(nodes.volume[n], s.inertia[d], right[3 * n + d]);
      source[3 * n + d] = s.force[d];
    }
  }
};

/// Sources of potential temperature and of mass at nodes.
template <class T>
struct ManufacturedHeating {
  ManufacturedAtNodes<T> nodes;
  T* source;  ///< K s-1
  ULPINE_HD void operator()(std::int64_t n) const { source[n] = nodes.sources(n).heating; }
};
template <class T>
struct ManufacturedMass {
  ManufacturedAtNodes<T> nodes;
  T* source;  ///< kg m-3 s-1
  ULPINE_HD void operator()(std::int64_t n) const { source[n] = nodes.sources(n).mass; }
};

/// Adds int N times a P1 source: lumped, it would not fit the consistent mass of scalars and density.
template <class T, int components>
struct SourceAdded {
  CsrPattern pattern;
  T const *mass, *source;  ///< int N_i N_j, m3
  T* right;

  ULPINE_HD void operator()(std::int64_t row) const {
    for (int c = 0; c < components; ++c) {
      T sum = right[components * row + c];
      for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
        sum = math::fma(mass[e], source[components * std::int64_t{pattern.column[e]} + c], sum);
      }
      right[components * row + c] = sum;
    }
  }
};

/// The wind at the start.
template <class T>
struct ManufacturedStart {
  ManufacturedAtNodes<T> nodes;
  T *u, *v, *w;
  ULPINE_HD void operator()(std::int64_t n) const {
    auto const m = nodes.at(n);
    u[n] = nodes.of.cosine * m.wind[0].value;
    v[n] = nodes.of.cosine * m.wind[1].value;
    w[n] = nodes.of.cosine * m.wind[2].value;
  }
};

/// Errors against the manufactured solution: of the wind (length of the difference), pressure and theta.
template <class T>
struct ManufacturedErrors {
  ManufacturedAtNodes<T> nodes;
  T const *u, *v, *w, *departure, *theta;
  T *wind_error, *pressure_error, *theta_error;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const m = nodes.at(n);
    auto const& of = nodes.of;
    T const now[3] = {u[n], v[n], w[n]};
    T square = T(0);
    for (int d = 0; d < 3; ++d) {
      T const error = now[d] - of.cosine * m.wind[d].value;
      square = math::fma(error, error, square);
    }
    wind_error[n] = math::sqrt(square);
    pressure_error[n] = departure[n] - of.pressure * of.sine * m.shape.value;
    theta_error[n] = theta[n] - math::fma(of.theta * of.sine, m.shape.value, of.theta0);
  }
};

/// square = value^2 / total.
template <class T>
struct SquareShare {
  T per_total;
  T const* value;
  T* square;
  ULPINE_HD void operator()(std::int64_t n) const { square[n] = value[n] * value[n] * per_total; }
};

/// Sources that hold the air at a manufactured solution, from which it starts, and its errors against it.
template <class D>
class ExactSolution final : public Part {
  using T = typename D::T;
  using Values = typename D::Values;

 public:
  static std::vector<io::CaseKey> keys() {
    auto const amplitude = [](char const* name, char const* units, double usual, double most,
                              std::string const& of) {
      return io::quantity_key(name, units, usual, 0, most, "amplitude of the exact solution's " + of)
          .needing("manufactured.period");
    };
    return {io::duration_key("manufactured.period", "1 s", 1e-6, 1e9,
                             "period of an exact solution that sources hold the air at, for orders of "
                             "convergence")
                .follows("no such solution"),
            amplitude("manufactured.wind", "m s-1", 5, 100, "wind"),
            amplitude("manufactured.theta", "K", 2, 50, "potential temperature"),
            amplitude("manufactured.pressure", "Pa", 100, 5000, "pressure"),
            io::numbers_key("manufactured.waves", "", "[1.0, 1.0, 1.0]", 0, 64, 3, 3,
                            "half-waves of the exact solution along x, y and z of the box, whole numbers")
                .needing("manufactured.period")};
  }
  static bool needed(Parameters const& p) { return p.manufactured.has_value(); }

  explicit ExactSolution(D& d) : d_{d} {
    double total = 0;
    for (auto const volume : d.whole->volume) total += volume;
    auto const per_total = T(1 / total);
    struct Error {
      char const *name, *units, *long_name;
    };
    Error const all[] = {{"wind", "m s-1", "length of the wind's error"},
                         {"pressure", "Pa", "error of the pressure"},
                         {"theta", "K", "error of the potential temperature"}};
    for (auto const& of : all) {
      auto const name = std::string(of.name) + "_error";
      auto& error = d.node(name, of.units, of.long_name, FieldRole::diagnostic);
      auto& share = d.at_node(name + "_share", "1");
      error_.push_back(&error);
      error.on_demand([this] { update_errors(); });
      share.on_demand([this, &error, &share, per_total] {
        update_errors();
        d_.for_nodes(SquareShare<T>{per_total, in(error), out(share)});
      });
    }
  }

  /// The mass that sources are integrated with, and the wind at the start.
  void assemble_constants() override {
    auto const *const zero = in(d_.zero), *const zero3 = in(d_.zero3);
    d_.constants->scalar({zero3, zero, zero, zero, zero, 0, out(mass_), out(d_.right)});
    d_.for_nodes(ManufacturedStart<T>{at(0), out(d_.u), out(d_.v), out(d_.w)});
  }

  void add_heat() override {
    d_.for_nodes(ManufacturedHeating<T>{between(), out(source_)});
    d_.for_nodes(added<1>(out(d_.right)));
  }
  void add_force() override {
    d_.for_nodes(ManufacturedForce<T>{between(), out(source_), out(d_.force)});
    d_.for_nodes(added<3>(out(d_.force)));
  }
  void add_mass() override {
    d_.for_nodes(ManufacturedMass<T>{between(), out(source_)});
    d_.for_nodes(added<1>(out(d_.right)));
  }

  std::vector<IntegralDescription> integrals() const override {
    return {{"wind_error_squared", "m2 s-2", "wind_error_share", "cell_volume"},
            {"pressure_error_squared", "Pa2", "pressure_error_share", "cell_volume"},
            {"theta_error_squared", "K2", "theta_error_share", "cell_volume"}};
  }

 private:
  /// The solution at a time, s.
  ManufacturedAtNodes<T> at(double time) const {
    auto const& p = d_.p;
    auto const& of = *p.manufactured;
    auto const turn = 2 * std::numbers::pi / of.period;
    return {{d_.air(),
             T(p.surface_theta),
             T(p.viscosity),
             T(p.diffusivity),
             T(of.wind),
             T(of.theta),
             T(of.pressure),
             {T(of.wave[0]), T(of.wave[1]), T(of.wave[2])},
             T(turn),
             T(math::cos(turn * time)),
             T(math::sin(turn * time))},
            in(d_.position),
            in(d_.pressure_reference),
            in(d_.rho_reference),
            in(d_.volume)};
  }
  /// Between the time levels of the step that is taken.
  ManufacturedAtNodes<T> between() const { return at(d_.begin + d_.p.implicitness * d_.p.step); }
  template <int components>
  SourceAdded<T, components> added(T* right) const {
    return {d_.mesh.pattern, in(mass_), in(source_), right};
  }
  /// Updates the errors of the state after the last step; 0 where it was replaced since.
  void update_errors() {
    if (!d_.stepped) {
      for (auto* error : error_) error->fill_zero();
      return;
    }
    d_.for_nodes(ManufacturedErrors<T>{at(d_.begin + d_.p.step), in(d_.u), in(d_.v), in(d_.w),
                                       in(d_.departure), in(d_.theta), out(*error_[0]), out(*error_[1]),
                                       out(*error_[2])});
  }

  D& d_;
  Values &source_ = d_.values("source", "1", 3), &mass_ = d_.at_entries("source_mass", "m3");
  std::vector<Values*> error_;  ///< of the wind, p and theta
};

}  // namespace ulpine::fem
