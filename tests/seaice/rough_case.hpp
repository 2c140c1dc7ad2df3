// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <string>
#include <tuple>

#include "seaice/solver_support.hpp"
#include "support/random_values.hpp"
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
inline void give_random_ice(IceSolver& solver, std::int64_t cells, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> h(solver.size(FieldId::h), 0), a(h);
  for (std::size_t k = 0; k < static_cast<std::size_t>(cells); ++k) {
    a[k] = uniform(generator) < 0.1 ? 0 : std::min(1.0, 0.7 + 0.5 * uniform(generator));
    h[k] = a[k] * 2 * uniform(generator);
  }
  solver.write(FieldId::h, h.data());
  solver.write(FieldId::a, a.data());
}

inline constexpr FieldId state[] = {FieldId::u,         FieldId::v,         FieldId::h,
                                    FieldId::a,         FieldId::stress_xx, FieldId::stress_yy,
                                    FieldId::stress_xy, FieldId::strain_xx};

/// A mesh with an island, distorted or not, and ice in disorder: nothing in it is symmetric or constant.
struct Rough {
  Setup setup;
  explicit Rough(double distortion, Order order = {1, 3})
      : setup{.mesh = rectangle_mesh(19, 13, length, length, distortion)} {
    auto& mesh = setup.mesh;
    auto& parameters = setup.parameters;
    mesh.mask[5 * 19 + 7] = mesh.mask[5 * 19 + 8] = mesh.mask[6 * 19 + 7] = 0;
    parameters.cg = order.cg;
    parameters.dg = order.dg;
    parameters.wind = cyclone();
    parameters.substeps = 20;
  }
  std::unique_ptr<IceSolver> run(char const* policy, Assembly assembly, int threads, int steps,
                                 StageObserver* observer = nullptr) const {
    return run(make(Host{threads}, policy, assembly, setup), steps, observer);
  }
  std::unique_ptr<IceSolver> run(std::unique_ptr<IceSolver> solver, int steps,
                                 StageObserver* observer) const {
    give_random_ice(*solver, setup.mesh.cells(), 3);
    solver->observe(observer);
    for (int step = 1; step <= steps; ++step) {
      solver->advance(step);
    }
    return solver;
  }
};

/// Whether the policy's products of this case are those of tensor cores.
inline bool on_tensor_cores(Rough const& rough, std::string const& policy) {
  return policy == "tf32" && rough.setup.parameters.cg == 2 && rough.setup.mesh.uniform();
}

/// Relative sizes of the roundings of a policy: of the operands of strain, strength and stress, and of the
/// state; and the absolute one of operands below the format's normal range.
struct Roundoff {
  double operands, state, underflow;
};
inline Roundoff roundoff_of(std::string const& policy, bool tensor_cores) {
  // Two terms of 11 bits leave 2^-22 of an operand, sums truncated to 24 bits as much again.
  double const operands = tensor_cores                            ? 0x1p-21
                          : policy == "fp64" || policy == "quad"  ? 0x1p-53
                          : policy == "fp32" || policy == "mixed" ? 0x1p-24
                          : policy == "bf16"                      ? 0x1p-8
                                                                  : 0x1p-11;
  return {operands, policy == "fp32" ? 0x1p-24 : 0x1p-53, policy == "fp16" ? 0x1p-25 : 0};
}

/// A run of `rough` in fp64 by stages in which every value is off by a random part of the roundings that a
/// policy makes of it: of the two operands of each product in strain, strength and stress; of the state after
/// each stage that writes it. The errors of a value are the same in every sub-step: like those of rounded
/// element matrices they add up.
inline std::unique_ptr<IceSolver> disturbed(Rough const& rough, Roundoff const& size, std::uint64_t seed,
                                            int steps) {
  auto solver = make("fp64", Assembly::deterministic, rough.setup);
  give_random_ice(*solver, rough.setup.mesh.cells(), 3);
  auto const disturb = [&](FieldId field, double relative, double absolute = 0) {
    RandomValues random(seed + static_cast<std::uint64_t>(field));
    auto values = read(*solver, field);
    for (auto& value : values) {
      value += relative * value * random.between(-1, 1);
      value += absolute * random.between(-1, 1);
    }
    solver->write(field, values.data());
  };
  for (int step = 1; step <= steps; ++step) {
    for (char const* const stage : {"seaice.advect.update", "seaice.limit"}) {
      solver->run_stage(stage);
    }
    disturb(FieldId::h, size.state);
    disturb(FieldId::a, size.state);
    solver->run_stage("seaice.nodal");
    solver->run_stage("seaice.forcing");
    auto const h = read(*solver, FieldId::h), a = read(*solver, FieldId::a);
    disturb(FieldId::h, 2 * size.operands);
    disturb(FieldId::a, 2 * size.operands);
    solver->run_stage("seaice.strength");
    solver->write(FieldId::h, h.data());
    solver->write(FieldId::a, a.data());
    solver->write(FieldId::u0, read(*solver, FieldId::u).data());
    solver->write(FieldId::v0, read(*solver, FieldId::v).data());
    for (int k = 0; k < rough.setup.parameters.substeps; ++k) {
      auto const u = read(*solver, FieldId::u), v = read(*solver, FieldId::v);
      disturb(FieldId::u, 2 * size.operands, size.underflow);
      disturb(FieldId::v, 2 * size.operands, size.underflow);
      solver->run_stage("seaice.strain");
      solver->write(FieldId::u, u.data());
      solver->write(FieldId::v, v.data());
      for (auto const field : {FieldId::strain_xx, FieldId::strain_yy, FieldId::strain_xy}) {
        disturb(field, 2 * size.operands, size.underflow);
      }
      solver->run_stage("seaice.stress");
      for (auto const field : {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy}) {
        disturb(field, 2 * size.operands / rough.setup.parameters.alpha);
      }
      for (char const* const stage : {"seaice.divergence", "seaice.velocity", "seaice.boundary"}) {
        solver->run_stage(stage);
      }
      disturb(FieldId::u, size.state);
      disturb(FieldId::v, size.state);
    }
  }
  return solver;
}

/// The fields in which policies are compared.
inline constexpr FieldId compared[] = {FieldId::u,         FieldId::v,         FieldId::h,        FieldId::a,
                                       FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy};

/// For each field of `compared` the relative distance that rounding in `policy` may bring within `steps`
/// steps: four times the largest of three disturbed runs.
inline std::vector<double> bounds_of(Rough const& rough, std::string const& policy, int steps) {
  auto const plain = rough.run("fp64", Assembly::deterministic, 1, steps);
  std::vector<double> bounds(std::size(compared), 0);
  for (std::uint64_t const seed : {100, 200, 300}) {
    auto const other = disturbed(rough, roundoff_of(policy, on_tensor_cores(rough, policy)), seed, steps);
    for (std::size_t f = 0; f < std::size(compared); ++f) {
      bounds[f] =
          std::max(bounds[f], 4 * relative_difference(read(*other, compared[f]), read(*plain, compared[f])));
    }
  }
  return bounds;
}

/// "fp64_uniform_cg1_dg3" of a tuple (policy, distortion, order).
inline std::string name_of_case(std::tuple<char const*, double, Order> const& parameters) {
  auto const& [policy, distortion, order] = parameters;
  return std::string(policy) + (distortion == 0 ? "_uniform_" : "_distorted_") + name_of(order);
}

}  // namespace ulpine::test
