// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/case_file.hpp"

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

  double points() const { return static_cast<double>(layers) * ny * nx; }
};

/// The start: u, v and h at row j, column i of layer k.
struct Start {
  double u = 0, v = 0, h = 0;
};
Start start_at(Parameters const& p, int k, int j, int i);

}  // namespace shallow_water
