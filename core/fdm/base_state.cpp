// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/base_state.hpp"

#include <algorithm>
#include <cmath>

namespace ulpine::fdm {

using namespace constants;

double BaseState::density(double z) const {
  auto const pi = exner(z);
  return moist_air::pressure_of_exner(pi) / (gas_dry * virtual_theta(column_.profile(), z, pi) * pi);
}

namespace {

/// The column inside that is there for one beyond the sides.
std::int32_t inside(std::int32_t index, std::int32_t extent, Side low, Side high) {
  if (low == Side::periodic) return (index % extent + extent) % extent;
  if (index >= 0 && index < extent) return index;
  bool const below = index < 0;
  if ((below ? low : high) != Side::wall) return below ? 0 : extent - 1;
  return std::clamp(below ? -1 - index : 2 * extent - 1 - index, 0, extent - 1);
}

/// Of a column at a level.
struct Cell {
  double j3, density, mass, pressure, theta;
};
Cell cell_at(Heights const& heights, BaseState const& base, std::int32_t k, std::int32_t j, std::int32_t i) {
  auto const z = heights.centre(k, j, i);
  auto const j3 = (heights.face(k + 1, j, i) - heights.face(k, j, i)) / heights.dzeta;
  auto const density = base.density(z);
  return {j3, density, density * j3, base.pressure(z), base.theta(z)};
}

}  // namespace

double Heights::ground_at(std::int32_t j, std::int32_t i) const {
  if (ground.empty()) return 0;
  auto const row = inside(j, ny, sides.south, sides.north), column = inside(i, nx, sides.west, sides.east);
  return ground[static_cast<std::size_t>(row) * static_cast<std::size_t>(nx) +
                static_cast<std::size_t>(column)];
}

double Heights::face(std::int32_t k, double ground_height) const {
  auto zeta = levels[static_cast<std::size_t>(std::clamp(k, 0, nz))];
  // Beyond the ground and the lid levels go on as thick as the last.
  if (k < 0) zeta += k * (levels[1] - levels[0]);
  if (k > nz) zeta += (k - nz) * (levels.back() - levels[levels.size() - 2]);
  if (ground_height == 0 || zeta >= flat_above) return zeta;
  return zeta * (flat_above - ground_height) / flat_above + ground_height;
}

PointMetrics metrics_at(Heights const& heights, BaseState const& base,
                        std::function<double(double)> const& sponge, std::int32_t k, std::int32_t j,
                        std::int32_t i) {
  PointMetrics all{};
  auto const put = [&](Metric metric, double value) { all.at[static_cast<std::size_t>(metric)] = value; };
  auto const mean = [](double a, double b) { return (a + b) / 2; };
  auto const here = cell_at(heights, base, k, j, i), below = cell_at(heights, base, k - 1, j, i),
             west = cell_at(heights, base, k, j, i - 1), south = cell_at(heights, base, k, j - 1, i);
  auto const z = heights.centre(k, j, i);
  put(Metric::j3, here.j3);
  put(Metric::per_j3, 1 / here.j3);
  put(Metric::density, here.density);
  put(Metric::mass, here.mass);
  put(Metric::per_mass, 1 / here.mass);
  put(Metric::theta, here.theta);
  put(Metric::per_theta, 1 / here.theta);
  put(Metric::pressure, here.pressure);
  put(Metric::per_pressure, 1 / here.pressure);
  // rho_0 c_s^2 = (c_p / c_v) p_0
  put(Metric::stiffness, heat_pressure / heat_volume * here.pressure / here.j3);
  put(Metric::vapour, base.humidity(z));
  put(Metric::exner, base.exner(z));
  put(Metric::mass_u, mean(west.mass, here.mass));
  put(Metric::per_mass_u, 1 / mean(west.mass, here.mass));
  put(Metric::mass_v, mean(south.mass, here.mass));
  put(Metric::per_mass_v, 1 / mean(south.mass, here.mass));
  put(Metric::mass_w, mean(below.mass, here.mass));
  put(Metric::per_mass_w, 1 / mean(below.mass, here.mass));
  put(Metric::j3_u, mean(west.j3, here.j3));
  put(Metric::j3_v, mean(south.j3, here.j3));
  put(Metric::j3_w, mean(below.j3, here.j3));
  put(Metric::per_j3_w, 1 / mean(below.j3, here.j3));
  // At the ground and the lid that of the next face.
  auto const face = std::clamp(k, 1, heights.nz - 1);
  put(Metric::theta_gradient,
      (base.theta(heights.centre(face, j, i)) - base.theta(heights.centre(face - 1, j, i))) / heights.dzeta);
  put(Metric::sponge, sponge(z));
  put(Metric::sponge_w, sponge(heights.face(k, j, i)));
  put(Metric::start_u, base.u(z));
  put(Metric::start_v, base.v(z));
  auto const thickness = here.j3 * heights.dzeta;
  put(Metric::length2,
      heights.ny == 1 ? heights.dx * thickness : std::pow(std::cbrt(heights.dx * heights.dy * thickness), 2));
  put(Metric::j1, (heights.face(k, j, i - 1) - heights.face(k, j, i)) / heights.dx);
  put(Metric::j2, (heights.face(k, j - 1, i) - heights.face(k, j, i)) / heights.dy);
  return all;
}

}  // namespace ulpine::fdm
