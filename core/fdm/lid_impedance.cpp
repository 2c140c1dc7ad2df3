// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/lid_impedance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace ulpine::fdm {

AirAtLid air_at_lid(Heights heights, BaseState const& base) {
  heights.ground.clear();
  MetricRows rows(heights, base, [](double) { return 0.0; });
  rows.move_to(0);
  auto const of = [&](std::int32_t k, Metric metric) {
    return rows.at(k, 0).at[static_cast<std::size_t>(metric)];
  };
  auto const top = heights.nz - 1, low = std::max(0, heights.nz - 4);
  auto const higher = of(top, Metric::theta), lower = of(low, Metric::theta);
  auto const rise = heights.centre(top, 0, 0) - heights.centre(low, 0, 0);
  auto const square = constants::gravity<double>() * std::log(higher / lower) / rise;
  return {std::sqrt(std::max(square, 0.0)),
          of(heights.nz, Metric::mass_w) * of(heights.nz, Metric::per_j3_w)};
}

std::vector<double> lid_impedance(Heights const& heights, AirAtLid const& air) {
  auto const nx = heights.whole_nx, ny = heights.whole_ny;
  auto const wavenumber = [](std::int32_t n, std::int32_t count, double spacing) {
    return 2 / spacing * std::sin(std::numbers::pi * n / count);
  };
  std::vector<double> all;
  for (std::int32_t n = 0; n < ny; ++n) {
    for (std::int32_t m = 0; m <= nx / 2; ++m) {
      auto const k = std::hypot(wavenumber(m, nx, heights.dx), wavenumber(n, ny, heights.dy));
      all.push_back(k > 0 ? air.frequency * air.density / k : 0);
    }
  }
  return all;
}

}  // namespace ulpine::fdm
