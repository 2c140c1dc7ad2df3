// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/fem/pressure_solver.hpp"
#include "core/linalg/operator.hpp"
#include "core/ranks/list_exchange.hpp"
#include "support/same_history.hpp"

/// Cases that PETSc solves, and how what it makes of them compares.
namespace ulpine::test::petsc {

inline char const* const hill = R"toml(
[mesh]
nx = 5
ny = 4
nz = 6
length = [6000.0, 5000.0, 8000.0]
jitter = 0.1
[mountain]
height = 500.0
[boundary]
fixed = ['inflow', 'outflow', 'south', 'north']
[air]
viscosity = 5.0
[wind]
u = 10.0
v = 2.0
[time]
step = '10 s'
)toml";
/// At rest but for a warm bubble, between walls: matrices of the first step are symmetric.
inline char const* const still = R"toml(
[mesh]
nx = 6
ny = 5
nz = 6
length = [900.0, 750.0, 900.0]
jitter = 0.1
[air]
buoyancy_frequency = 0.0
viscosity = 20.0
[start.bubble]
amplitude = 1.0
centre = [400.0, 400.0, 400.0]
radius = [300.0, 300.0, 300.0]
[time]
step = '4 s'
iterations = 1
)toml";

inline std::string solved_by(std::string const& wind, std::string const& pressure,
                             std::string const& more = "") {
  return std::string(hill) + "[solver]\npetsc = '" + wind + "'\n[pressure]\npetsc = '" + pressure + "'\n" +
         more;
}

inline char const* const prognostic[] = {"u", "v", "w", "p_departure", "theta"};

inline double norm(std::vector<double> const& values) {
  auto sum = 0.0;
  for (auto const value : values) sum += value * value;
  return std::sqrt(sum);
}
inline std::vector<double> difference(std::vector<double> a, std::vector<double> const& b) {
  for (std::size_t n = 0; n < a.size(); ++n) a[n] -= b[n];
  return a;
}

/// A rank's share of a system of the model, as it holds it: ghosts' rows lack the columns that are not held,
/// and have values of nobody's.
class Share {
 public:
  Share(CsrPattern whole, std::shared_ptr<Ranks> const& ranks)
      : link_{std::make_shared<Link<Host>>(Host{}, ranks)},
        points_(uneven(whole.rows, ranks->size()), ranks->rank(), neighbours(whole, *ranks)),
        ghosts_(Host{}, link_, ghost_lists(*ranks, points_), 32) {
    for (auto const row : points_.numbers()) {
      for (auto e = whole.start[row]; e < whole.start[row + 1]; ++e) {
        auto const place = points_.place(whole.column[e]);
        if (place < 0) continue;
        column_.push_back(place);
        source_.push_back(points_.owns(row) ? e : -1);
      }
      start_.push_back(static_cast<std::int32_t>(column_.size()));
    }
  }
  Share(Share const&) = delete;
  Share& operator=(Share const&) = delete;

  CsrPattern pattern() const { return {points_.held(), points_.held(), start_.data(), column_.data()}; }
  PointsOfRank const& points() const { return points_; }
  ListExchange<Host>& ghosts() { return ghosts_; }
  linalg::Sharing<Host> sharing() { return {link_, &ghosts_, points_.first(), points_.owned(), &points_}; }
  std::vector<double> entries(double const* whole, std::size_t each = 1) const {
    std::vector<double> own;
    for (auto const e : source_) {
      for (std::size_t c = 0; c < each; ++c) {
        own.push_back(e < 0 ? 7e5 : whole[each * static_cast<std::size_t>(e) + c]);
      }
    }
    return own;
  }
  template <class T>
  std::vector<T> nodes(T const* whole) const {
    std::vector<T> own;
    for (auto const n : points_.numbers()) own.push_back(whole[n]);
    return own;
  }

 private:
  static std::vector<std::int32_t> uneven(std::int32_t rows, int size) {
    std::vector<std::int32_t> begin;
    for (int rank = 0; rank <= size; ++rank) begin.push_back(rows * rank * (rank + 1) / (size * (size + 1)));
    return begin;
  }
  static std::vector<std::int32_t> neighbours(CsrPattern whole, Ranks const& ranks) {
    auto const begin = uneven(whole.rows, ranks.size());
    auto const rank = static_cast<std::size_t>(ranks.rank());
    return {whole.column + whole.start[begin[rank]], whole.column + whole.start[begin[rank + 1]]};
  }

  std::shared_ptr<Link<Host>> link_;
  PointsOfRank points_;
  ListExchange<Host> ghosts_;
  std::vector<std::int32_t> start_{0}, column_, source_;
};

/// Of the pressure's system, all with the whole one's values.
struct SharedPressureSystem {
  SharedPressureSystem(fem::PressureSystem<double> const& of, Share const& share)
      : fixed{share.nodes(of.fixed)},
        divergence{share.entries(of.divergence, 3)},
        gradient{share.entries(of.gradient, 3)},
        projection{share.entries(of.projection)},
        diffusion{share.entries(of.diffusion)},
        inverse_mass{share.nodes(of.inverse_mass)},
        weight{share.nodes(of.weight)},
        view{share.pattern(),   fixed.data(),     divergence.data(),   gradient.data(),
             projection.data(), diffusion.data(), inverse_mass.data(), weight.data()} {}
  SharedPressureSystem(SharedPressureSystem const&) = delete;
  SharedPressureSystem& operator=(SharedPressureSystem const&) = delete;

  std::vector<std::uint8_t> fixed;
  std::vector<double> divergence, gradient, projection, diffusion, inverse_mass, weight;
  fem::PressureSystem<double> view;
};

}  // namespace ulpine::test::petsc
