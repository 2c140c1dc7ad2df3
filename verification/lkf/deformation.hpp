// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ulpine::lkf {

/// Rates of deformation in day^-1 of a field without its outermost ring, row-major.
struct Deformation {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> divergence;
  std::vector<double> shear;
  std::vector<double> vorticity;  ///< (du/dy - dv/dx) / 2, the sign as in lkf_tools
  std::vector<double> total;      ///< sqrt(divergence^2 + shear^2): the eps of Field
};

/// Central differences of a velocity (m s^-1) at rows x columns points, x along the first axis and y along
/// the second as in lkf_tools. `dx` and `dy` (m, the same size) are the distances to the next point along
/// each axis. The result has (rows - 2) x (columns - 2) values. InputError where a size does not match or is
/// below 3.
Deformation deformation(std::span<double const> u, std::span<double const> v, std::span<double const> dx,
                        std::span<double const> dy, std::int64_t rows, std::int64_t columns);

/// Factor from a deformation's units to day-1: s-1 and day-1 in their spellings (1/s, s^-1, s**-1, sec-1, /s,
/// per day), with a number or a percent sign before (%/day is 0.01 day-1); empty for units of anything else
/// and where there are none.
std::optional<double> to_per_day(std::string const& units);

/// Sets `field` to NaN where the ice concentration (1) is not within 0 < A <= 1, NaN included.
void mask_open_water(std::span<double> field, std::span<double const> concentration);

/// The part of the Arctic in which lkf_tools detects features; degrees north and east (-180 to 180).
bool inside_arctic_domain(double latitude, double longitude);

}  // namespace ulpine::lkf
