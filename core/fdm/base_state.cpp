// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/base_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/exec/host.hpp"

namespace ulpine::fdm {

using namespace constants;

namespace {

/// The column inside that is there for one beyond the sides.
std::int32_t inside(std::int32_t index, std::int32_t extent, LateralBoundary low, LateralBoundary high) {
  if (low == LateralBoundary::periodic) return (index % extent + extent) % extent;
  if (index >= 0 && index < extent) return index;
  bool const below = index < 0;
  if ((below ? low : high) != LateralBoundary::wall) return below ? 0 : extent - 1;
  return std::clamp(below ? -1 - index : 2 * extent - 1 - index, 0, extent - 1);
}

}  // namespace

double Heights::ground_at(std::int32_t j, std::int32_t i) const {
  if (ground.empty()) return 0;
  auto const row = inside(first_y + j, whole_ny, sides.south, sides.north),
             column = inside(first_x + i, whole_nx, sides.west, sides.east);
  return ground[static_cast<std::size_t>(row) * static_cast<std::size_t>(whole_nx) +
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

MetricRows::MetricRows(Heights const& heights, BaseState const& base, std::function<double(double)> sponge,
                       int threads)
    : heights_{heights},
      base_{base},
      sponge_{std::move(sponge)},
      threads_{threads},
      // Over flat ground all columns are one.
      columns_{heights.flat() ? 1 : heights.nx + 2 * halo + 2},
      layers_{heights.nz + 2 * halo + 2} {}

MetricRows::Cell const& MetricRows::cell(Row const& row, std::int32_t k, std::int32_t i) const {
  auto const column = heights_.flat() ? 0 : i + halo + 1;
  return row[static_cast<std::size_t>(column) * static_cast<std::size_t>(layers_) +
             static_cast<std::size_t>(k + halo + 1)];
}

void MetricRows::look_up(std::int32_t j, Row& row) const {
  row.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(layers_));
  for_each(Host{threads_}, Extent2{layers_, columns_}, [&](std::int32_t level, std::int32_t column) {
    auto const k = level - halo - 1, i = column - halo - 1;
    Cell cell{};
    cell.z = heights_.centre(k, j, i);
    cell.j3 = (heights_.face(k + 1, j, i) - heights_.face(k, j, i)) / heights_.dzeta;
    cell.exner = base_.exner(cell.z);
    cell.pressure = moist_air::pressure_of_exner(cell.exner);
    cell.theta = base_.theta(cell.z);
    cell.humidity = base_.humidity(cell.z, cell.exner);
    cell.density = cell.pressure / (dry_gas_constant<double>() *
                                    moist_air::virtual_temperature(cell.theta, cell.humidity) * cell.exner);
    cell.mass = cell.density * cell.j3;
    cell.u = base_.u(cell.z);
    cell.v = base_.v(cell.z);
    row[static_cast<std::size_t>(column) * static_cast<std::size_t>(layers_) +
        static_cast<std::size_t>(level)] = cell;
  });
}

void MetricRows::move_to(std::int32_t j) {
  if (heights_.flat() && placed_) return;
  if (placed_ && j == j_ + 1) {
    std::swap(here_, south_);
  } else {
    look_up(j - 1, south_);
  }
  look_up(j, here_);
  j_ = j;
  placed_ = true;
}

PointMetrics MetricRows::at(std::int32_t k, std::int32_t i) const {
  PointMetrics all{};
  auto const put = [&](Metric metric, double value) { all.at[static_cast<std::size_t>(metric)] = value; };
  auto const mean = [](double a, double b) { return (a + b) / 2; };
  auto const &here = cell(here_, k, i), &below = cell(here_, k - 1, i), &west = cell(here_, k, i - 1),
             &south = cell(south_, k, i);
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
  put(Metric::stiffness,
      heat_capacity<double>() / heat_capacity_at_volume<double>() * here.pressure / here.j3);
  put(Metric::vapour, here.humidity);
  put(Metric::exner, here.exner);
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
  // The gradient at the ground and the lid is that of the next face.
  auto const face = std::clamp(k, 1, heights_.nz - 1);
  put(Metric::theta_gradient, (cell(here_, face, i).theta - cell(here_, face - 1, i).theta) / heights_.dzeta);
  put(Metric::sponge, sponge_(here.z));
  put(Metric::sponge_w, sponge_(heights_.face(k, j_, i)));
  put(Metric::start_u, here.u);
  put(Metric::start_v, here.v);
  auto const thickness = here.j3 * heights_.dzeta;
  put(Metric::length2, heights_.ny == 1 ? heights_.dx * thickness
                                        : std::pow(std::cbrt(heights_.dx * heights_.dy * thickness), 2));
  put(Metric::j1, (heights_.face(k, j_, i - 1) - heights_.face(k, j_, i)) / heights_.dx);
  put(Metric::j2, (heights_.face(k, j_ - 1, i) - heights_.face(k, j_, i)) / heights_.dy);
  return all;
}

}  // namespace ulpine::fdm
