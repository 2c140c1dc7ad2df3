// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include <ulpine/io/error.hpp>
#include "parameters.hpp"

namespace shallow_water {

using ulpine::io::CaseFile;

Parameters::Parameters(CaseFile const& c)
    : nx{c.integer("grid.nx", 64, 4, 1 << 15)},
      ny{c.integer("grid.ny", 64, 4, 1 << 15)},
      layers{c.integer("grid.layers", 3, 1, 1 << 12)},
      halo{c.integer("grid.halo", 0, 0, 64)},
      row_multiple{c.integer("grid.row_multiple", 1, 1, 1024)},
      length_x{c.number("grid.length_x", 1e6, 1)},
      length_y{c.number("grid.length_y", 1e6, 1)},
      depth{c.number("water.depth", 1000, 1)},
      gravity{c.number("water.gravity", 9.81, 1e-6)},
      reduced_gravity{c.number("water.reduced_gravity", 0.02, 1e-6)},
      coriolis{c.number("water.coriolis", 1e-4)},
      courant{c.number("time.courant", 0.8, 1e-3, 1.7)},
      wind{c.number("wind.acceleration", 0)},
      energy_limit{c.number("wind.energy_limit", 1, 1e-6)},
      filter_strength{c.number("filter.strength", 36, 0)},
      filter_order{c.number("filter.order", 36, 2)},
      initial{c.choice("initial.kind", "jet", {"jet", "wave"})},
      speed{c.number("initial.speed", 1)},
      amplitude{c.number("initial.amplitude", 0.1)} {
  if (initial == "wave" && layers != 1) {
    throw c.error("initial.kind",
                  "a wave has one layer (there are " + std::to_string(layers) + ") set grid.layers = 1");
  }
}

namespace {

using std::numbers::pi;

/// A jet to the east in one half and to the west in the other, slower with depth and in balance with the
/// pressure, and a weak ripple on which it can break.
Start jet_at(Parameters const& p, double x, double y, int k) {
  auto const slower = [&](int layer) { return 1 - static_cast<double>(layer) / p.layers; };
  // f u = -dM/dy
  auto const potential = [&](int layer) {
    return p.speed * slower(layer) * p.coriolis * p.length_y / (2 * pi) * std::cos(2 * pi * y / p.length_y);
  };
  // Height of the top of layer k, as the potential's rise from the layer above says.
  auto const top = [&](int layer) {
    if (layer == 0) return potential(0) / p.gravity;
    return layer == p.layers ? 0.0 : (potential(layer) - potential(layer - 1)) / p.reduced_gravity;
  };
  auto const ripple = p.amplitude * std::sin(6 * pi * x / p.length_x) * std::sin(4 * pi * y / p.length_y);
  return {p.speed * slower(k) * std::sin(2 * pi * y / p.length_y), 0,
          p.depth / p.layers + top(k) - top(k + 1) + (k == 0 ? ripple : 0)};
}

/// A plane inertia-gravity wave to the east, exact for small amplitudes: omega^2 = f^2 + g H kappa^2.
Start wave_at(Parameters const& p, double x_of_u, double x) {
  auto const kappa = 2 * pi / p.length_x;
  auto const omega = std::sqrt(p.coriolis * p.coriolis + p.gravity * p.depth * kappa * kappa);
  auto const size = p.amplitude / p.depth / kappa;
  return {size * omega * std::cos(kappa * x_of_u), size * p.coriolis * std::sin(kappa * x),
          p.depth + p.amplitude * std::cos(kappa * x)};
}

}  // namespace

Start start_at(Parameters const& p, int k, int j, int i) {
  auto const dx = p.length_x / p.nx, dy = p.length_y / p.ny;
  auto const x = (i + 0.5) * dx, y = (j + 0.5) * dy;
  return p.initial == "wave" ? wave_at(p, x + dx / 2, x) : jet_at(p, x, y, k);
}

double wind_at(Parameters const& p, int j) { return p.wind * std::sin(2 * pi * (j + 0.5) / p.ny); }

std::vector<ulpine::io::Coordinate> coordinates(Parameters const& p) {
  std::vector<ulpine::io::Coordinate> all;
  auto const add = [&](char const* name, char const* axis, int count, double spacing, double first,
                       char const* where) {
    auto const along = axis[0] == 'X' ? "projection_x_coordinate" : "projection_y_coordinate";
    all.push_back({name, along, where, "m", axis, {}});
    for (int n = 0; n < count; ++n) all.back().values.push_back((first + n) * spacing);
  };
  auto const dx = p.length_x / p.nx, dy = p.length_y / p.ny;
  add("x", "X", p.nx, dx, 0.5, "x of cell centres");
  add("x_u", "X", p.nx, dx, 1, "x of eastern faces");
  add("y", "Y", p.ny, dy, 0.5, "y of cell centres");
  add("y_v", "Y", p.ny, dy, 1, "y of northern faces");
  all.push_back({"layer", "", "layer, from above", "1", "Z", {}});
  for (int k = 0; k < p.layers; ++k) all.back().values.push_back(k);
  return all;
}

}  // namespace shallow_water
