// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/fem/air.hpp"
#include "core/fem/pressure_solver.hpp"
#include "core/fem/sponge.hpp"
#include "core/fem/upwind.hpp"
#include "core/mesh/tetra_box.hpp"
#include "core/sounding/sounding.hpp"
#include "io/case_file.hpp"

namespace ulpine::fem {

/// A disturbance of the (potential) temperature at the start, around a centre.
struct Bubble {
  enum class Shape {
    cosine,  ///< amplitude (1 + cos(pi r)) / 2 within r = 1
    wave     ///< amplitude sin(pi z / top) / (1 + ((x - x0) / radius)^2)
  };
  Shape shape = Shape::cosine;
  double amplitude = 0;            ///< K
  std::array<double, 3> centre{};  ///< m
  std::array<double, 3> radius{};  ///< m; 0: it does not vary along that axis
  bool of_temperature = false;     ///< that it disturbs, else the potential temperature
  /// K, at a point in m below a lid at `top`.
  double at(std::array<double, 3> const& point, double top) const;
  /// Share of the amplitude at a point where the shape is `cosine`, 0 to 1.
  double share(std::array<double, 3> const& point) const;
};

/// The output of another run, whose fields are the start.
struct StartFile {
  std::filesystem::path path;
  std::int64_t time = -1;  ///< index, negative: from the end
};

/// An exact solution that sources hold the air at (manufactured.hpp).
struct Manufactured {
  double wind = 0, theta = 0, pressure = 0;  ///< amplitudes: m s-1, K, Pa
  double period = 1;                         ///< s
  std::array<double, 3> wave{};              ///< pi times half-waves along the box over its length, m-1
};

/// The values that a case gives, SI units.
struct Parameters {
  explicit Parameters(io::CaseFile const& c);

  std::string mesh_kind;       ///< "box", or of what kind the file is: "gmsh", "ugrid"
  std::filesystem::path file;  ///< empty: the box
  double metres;               ///< in a unit of the file
  BoxMesh box;
  double grading;  ///< width of the box's outermost cells over that of those in the middle, along x and y
  std::optional<BellMountain> mountain;
  std::vector<std::string> fixed_sides;  ///< where wind, temperature and pressure are the reference's

  std::vector<std::string> open_sides;  ///< that air leaves through
  double open_speed;                    ///< m s-1, of the waves that leave there

  Air<double> air;
  std::optional<Sounding> sounding;          ///< the base state; else the next three give it
  double surface_theta, buoyancy_frequency;  ///< K, s-1
  std::array<double, 3> wind;                ///< m s-1
  double viscosity, diffusivity;             ///< m2 s-1

  Sponge sponge;             ///< of the wind; its corners are the mesh's
  double sponge_theta_rate;  ///< s-1

  double step;  ///< s
  std::int32_t picard;
  double implicitness, relaxation;
  double stabilisation;
  SolverOptions pressure, velocity, scalar;
  Upwinding<double> upwind, upwind_wind;  ///< of theta and water; of the wind, never supg

  std::optional<StartFile> start;
  std::optional<Bubble> bubble;
  std::optional<Manufactured> manufactured;
  bool humid;                  ///< water weighs, changes its phase and falls; it is carried then
  double humidity;             ///< of the reference at the ground, in parts of saturation
  double humidity_depth;       ///< over which it falls to 1 / e, m; 0: it does not
  double fastest_fall;         ///< of rain that sub-steps are made for, m s-1
  bool water;                  ///< vapour, cloud and rain are carried
  double vapour, cloud, rain;  ///< kg kg-1 at the bubble's centre
};

}  // namespace ulpine::fem
