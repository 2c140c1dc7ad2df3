// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/on_grid.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/model/least_felt.hpp"

namespace ulpine::fdm {
namespace {

bool inside(Parameters const& p, double x, double y) {
  return x >= 0 && x <= p.dx * p.whole_nx && (p.whole_ny == 1 || (y >= 0 && y <= p.dy * p.whole_ny));
}

/// "x = 4000 m, y = 4000 m": of what stands in one plane y is left out.
std::string place(Parameters const& p, double x, double y) {
  return "x = " + io::number_text(x) + " m" + (p.whole_ny > 1 ? ", y = " + io::number_text(y) + " m" : "");
}

std::string extent(Parameters const& p) {
  auto const rows = p.whole_ny > 1;
  return "the grid spans 0 to " + io::number_text(p.dx * p.whole_nx) + " m along x, " +
         (rows ? "0 to " + io::number_text(p.dy * p.whole_ny) + " m along y, " : "") + "0 to " +
         io::number_text(p.top()) + " m upwards, in cells of " + io::number_text(p.dx) +
         (rows ? " x " + io::number_text(p.dy) : "") + " x " + io::number_text(p.dz) + " m";
}

}  // namespace

void require_mountain_on_grid(Parameters const& p, io::CaseFile const& case_file) {
  if (p.flat() || p.mountain_height == 0) return;
  // Schaer's is a ridge along y: one row of it is all.
  auto const ridge = p.terrain == "schaer";
  auto const rows = ridge ? 1 : p.whole_ny;
  auto const least =
      least_felt(inside(p, p.mountain_x, ridge ? 0 : p.mountain_y)) * std::abs(p.mountain_height);
  auto const needed = std::min<std::int64_t>(2, std::int64_t{p.whole_nx} * rows);
  std::int64_t raised = 0;
  for (std::int32_t j = 0; j < rows; ++j) {
    for (std::int32_t i = 0; i < p.whole_nx; ++i) {
      raised += std::abs(p.ground((i + 0.5) * p.dx, (j + 0.5) * p.dy)) >= least;
      if (raised == needed) return;
    }
  }
  throw case_file.error("terrain.kind", "is a mountain that hardly stands on the grid (its half-width is " +
                                            io::number_text(p.mountain_width) + " m around " +
                                            place(p, p.mountain_x, p.mountain_y) + "; " + extent(p) +
                                            ") move it onto the grid, or make it two cells wide");
}

void require_start_on_grid(Parameters const& p, io::CaseFile const& case_file) {
  if (p.amplitude == 0) return;
  // Compared is the shape with amplitude 1 in theta, for which the base state does not matter.
  auto shape = p;
  shape.amplitude = 1;
  shape.in_temperature = false;
  BaseState const base(p.base, 0);
  auto const heights = p.heights();
  auto const bubble = p.start == Start::bubble;
  auto const least = least_felt(inside(p, p.centre_x, bubble ? p.centre_y : 0) &&
                                (!bubble || (p.centre_z >= 0 && p.centre_z <= p.top())));
  auto const felt_at = [&](std::int32_t k, std::int32_t j, std::int32_t i) {
    auto const x = (i + 0.5) * p.dx, y = (j + 0.5) * p.dy, z = heights.centre(k, j, i);
    return std::max(std::abs(shape.start_theta(base, x, y, z)), std::abs(shape.start_pressure(base, x, z))) >=
           least;
  };
  // Waves and pulses are the same along y and fill columns: of them columns of one row count.
  auto const rows = bubble ? p.whole_ny : 1;
  auto const needed = bubble ? 2 : std::min(2, p.whole_nx);
  auto reached = 0;
  for (std::int32_t j = 0; j < rows; ++j) {
    for (std::int32_t i = 0; i < p.whole_nx; ++i) {
      for (std::int32_t k = 0; k < p.nz; ++k) {
        if (!felt_at(k, j, i)) continue;
        if (++reached == needed) return;
        if (!bubble) break;
      }
    }
  }
  auto const where =
      place(p, p.centre_x, p.centre_y) + (bubble ? ", z = " + io::number_text(p.centre_z) + " m" : "");
  throw case_file.error(
      "start.kind", "is a disturbance that hardly lies on the grid (it is around " + where + ", and " +
                        io::number_text(p.radius_x) +
                        (bubble ? " m wide and " + io::number_text(p.radius_z) + " m high" : " m wide") +
                        " to each side; " + extent(p) + ") move it onto the grid, or make it two cells wide");
}

}  // namespace ulpine::fdm
