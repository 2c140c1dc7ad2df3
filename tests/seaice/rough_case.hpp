// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <string>
#include <tuple>

#include "seaice/solver_support.hpp"
#include "support/reference_data.hpp"

namespace ulpine::test {

using namespace seaice;

inline constexpr double length = 512e3;  ///< of the test basins, m

inline Wind<double> cyclone() {
  Wind<double> wind;
  wind.kind = Wind<double>::Kind::cyclone;
  wind.centre_x = wind.centre_y = 256e3;
  wind.rate = 3e-4;
  wind.reach = 1e5;
  wind.inflow_cos = std::cos(0.4 * std::numbers::pi);
  wind.inflow_sin = std::sin(0.4 * std::numbers::pi);
  return wind;
}

/// Random ice in mode 0, with gaps of open water and thick ice.
inline void give_random_ice(Solver& solver, std::int64_t cells, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> h(static_cast<std::size_t>(solver.layout(FieldId::h).values), 0), a(h);
  for (std::size_t k = 0; k < static_cast<std::size_t>(cells); ++k) {
    a[k] = uniform(generator) < 0.1 ? 0 : std::min(1.0, 0.7 + 0.5 * uniform(generator));
    h[k] = a[k] * 2 * uniform(generator);
  }
  solver.write(FieldId::h, h.data());
  solver.write(FieldId::a, a.data());
}

inline std::vector<std::byte> bits(Solver const& solver, FieldId field) {
  auto const layout = solver.layout(field);
  std::vector<std::byte> values(static_cast<std::size_t>(layout.values * layout.bytes_per_value));
  solver.read_bits(field, values.data());
  return values;
}

inline constexpr FieldId state[] = {FieldId::u,         FieldId::v,         FieldId::h,
                                    FieldId::a,         FieldId::stress_xx, FieldId::stress_yy,
                                    FieldId::stress_xy, FieldId::strain_xx};

/// A mesh with an island, distorted or not, and ice in disorder: nothing in it is symmetric or constant.
struct Rough {
  QuadMesh mesh;
  Parameters parameters;
  explicit Rough(double distortion, int dg = 3) : mesh{rectangle_mesh(19, 13, length, length, distortion)} {
    mesh.ice[5 * 19 + 7] = mesh.ice[5 * 19 + 8] = mesh.ice[6 * 19 + 7] = 0;
    parameters.dg = dg;
    parameters.wind = cyclone();
    parameters.substeps = 20;
  }
  std::unique_ptr<Solver> run(char const* policy, Assembly assembly, int threads, int steps,
                              StageObserver* observer = nullptr) const {
    return run(make(policy, assembly, mesh, parameters, threads), steps, observer);
  }
  std::unique_ptr<Solver> run(std::unique_ptr<Solver> solver, int steps, StageObserver* observer) const {
    give_random_ice(*solver, mesh.cells(), 3);
    solver->observe(observer);
    for (int step = 1; step <= steps; ++step) {
      solver->advance(step);
    }
    return solver;
  }
};

/// Bound of the distance to fp64: the unit roundoff of the coarsest type or format times the number of
/// relaxation steps that carry it. Rounding a velocity to p bits changes the strain by 2^-p |v| / dx, which
/// Delta_min and the ice strength amplify; the factor 1e3 covers that on this mesh.
inline double bound_of(std::string const& policy) {
  double const roundoff = policy == "fp64" || policy == "quad"    ? 0x1p-53
                          : policy == "fp32" || policy == "mixed" ? 0x1p-24
                          : policy == "bf16"                      ? 0x1p-8
                                                                  : 0x1p-11;
  return 1e3 * roundoff;
}

/// "fp64_uniform_dg3" of a tuple (policy, distortion, unknowns).
inline std::string name_of_case(std::tuple<char const*, double, int> const& parameters) {
  auto const& [policy, distortion, dg] = parameters;
  return std::string(policy) + (distortion == 0 ? "_uniform" : "_distorted") + "_dg" + std::to_string(dg);
}

}  // namespace ulpine::test
