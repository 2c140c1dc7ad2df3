// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <ulpine/io/case_file.hpp>
#include <ulpine/io/netcdf.hpp>

namespace shallow_water {

/// What a case says; SI units.
struct Parameters {
  explicit Parameters(ulpine::io::CaseFile const& c);

  int nx, ny, layers;
  int halo, row_multiple;  ///< of the fields in memory: they change no result
  double length_x, length_y, depth, gravity, reduced_gravity, coriolis;
  double courant, wind, energy_limit;
  double filter_strength, filter_order;  ///< strength 0: no filter
  std::string initial;                   ///< "jet" or "wave"
  double speed, amplitude;
};

/// The start: u, v and h at row j, column i of layer k.
struct Start {
  double u = 0, v = 0, h = 0;
};
Start start_at(Parameters const& p, int k, int j, int i);
/// Acceleration of the first layer along x by the wind at row j, m s-2.
double wind_at(Parameters const& p, int j);
std::vector<ulpine::io::Coordinate> coordinates(Parameters const& p);

}  // namespace shallow_water
