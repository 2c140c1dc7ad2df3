// SPDX-License-Identifier: Apache-2.0
#include "core/fem/parameters.hpp"

#include <cmath>
#include <numbers>

#include "core/fem/petsc.hpp"
#include "core/fem/petsc_options.hpp"
#include "core/model/grid_memory.hpp"
#include "core/model/unchecked_options.hpp"
#include "io/case_idle.hpp"
#include "io/case_quantity.hpp"

namespace ulpine::fem {
namespace {

using io::quantity;

constexpr std::int32_t most_cells = 1 << 12;
constexpr double most_boxes = 0x1p30 / 6;  // each is cut into six tetrahedra
constexpr double farthest = 1e8;           // m
constexpr double most_doublings = 20;      // of thickness from the thinnest layer to the thickest
constexpr std::int64_t most_seed = (1 << 24) - 1;

/// Metres in a unit of the mesh file; UGRID files have units themselves.
double metres_of(io::CaseFile const& c, std::string const& mesh_kind) {
  if (mesh_kind != "gmsh") return 1;
  auto const unit = c.choice("mesh.unit", "m", {"m", "km", "cm", "mm"});
  return unit == "km" ? 1e3 : unit == "cm" ? 1e-2 : unit == "mm" ? 1e-3 : 1;
}

/// Three lengths, m.
std::array<double, 3> triple(io::CaseFile const& c, std::string const& key, std::array<double, 3> fallback,
                             double least, double most) {
  auto const read = io::quantities(c, key, "m", {fallback.begin(), fallback.end()}, least, most, 3, 3);
  return {read[0], read[1], read[2]};
}

BoxMesh box_of(io::CaseFile const& c) {
  auto const refinement = c.integer("mesh.refinement", 1, 1, 64);
  BoxMesh box;
  box.nx = refinement * c.integer("mesh.nx", 20, 1, most_cells / refinement);
  box.ny = refinement * c.integer("mesh.ny", 20, 1, most_cells / refinement);
  box.nz = refinement * c.integer("mesh.nz", 16, 1, most_cells / refinement);
  if (auto const boxes = static_cast<double>(box.nx) * box.ny * box.nz; boxes > most_boxes) {
    throw c.error("mesh.nx", "makes with mesh.ny and mesh.nz (and mesh.refinement) " +
                                 io::number_text(6 * boxes) +
                                 " tetrahedra (2^30 can be numbered) choose fewer cells");
  }
  constexpr double a_cell = 6 * (4 + 1) * sizeof(std::int32_t) + 8 * sizeof(double);  // mesh and state
  require_memory_of_grid(c, "mesh.nx",
                         "a box of " + std::to_string(box.nx) + " x " + std::to_string(box.ny) + " x " +
                             std::to_string(box.nz) + " cells",
                         a_cell * box.nx * box.ny * box.nz);
  auto const length = triple(c, "mesh.length", {20e3, 20e3, 16e3}, 1e-3, 1e7);
  for (std::size_t d = 0; d < 3; ++d) box.length[d] = length[d];
  // Over the whole height the growth of the layers stays the same.
  box.stretch = std::pow(c.number("mesh.stretch", 1, 0.5, 2), 1.0 / refinement);
  if (std::abs(std::log2(box.stretch)) * (box.nz - 1) > most_doublings) {
    throw c.error(
        "mesh.stretch",
        "makes the thickest of " + std::to_string(box.nz) +
            " layers more than 2^20 times the thinnest (which then is nothing) bring it nearer to 1");
  }
  box.jitter = c.number("mesh.jitter", 0, 0, 0.125);
  box.seed =
      static_cast<std::uint64_t>(box.jitter > 0 ? c.integer("mesh.seed", std::int64_t{0}, 0, most_seed) : 0);
  return box;
}

/// In the middle of a box; of a mesh that is read, at (0, 0), and its lid is known later.
std::optional<BellMountain> mountain_of(io::CaseFile const& c, BoxMesh const* box) {
  auto const height = quantity(c, "mountain.height", "m", 0, 0, 1e4);
  auto const has = [&](char const* key) { return c.has(std::string("mountain.") + key); };
  if (!has("height")) {
    io::refuse_idle_keys(c, {"mountain.radius", "mountain.x", "mountain.y"},
                         "mountain.height, whose default of 0 is flat ground");
  }
  if (height == 0 && !has("radius") && !has("x") && !has("y")) return {};
  BellMountain bell;
  bell.height = height;
  bell.radius = quantity(c, "mountain.radius", "m", 1000, 1e-3, 1e7);
  bell.x0 = quantity(c, "mountain.x", "m", box == nullptr ? 0 : box->length[0] / 2, -farthest, farthest);
  bell.y0 = quantity(c, "mountain.y", "m", box == nullptr ? 0 : box->length[1] / 2, -farthest, farthest);
  if (height == 0) return {};
  if (box == nullptr) return bell;
  bell.top = box->length[2];
  if (!bell.leaves_room()) {
    throw c.error("mountain.height", "is above 0.95 times the lid at " + io::number_text(bell.top) +
                                         " m (the mesh is pressed between both) make it lower");
  }
  return bell;
}

Sponge sponge_of(io::CaseFile const& c) {
  if (!c.has("sponge.rate")) {
    io::refuse_idle_keys(c, {"sponge.thickness", "sponge.theta_rate"}, "sponge.rate");
  }
  Sponge sponge;
  sponge.rate = quantity(c, "sponge.rate", "s-1", 0, 0, 10);
  if (sponge.rate > 0 || c.has("sponge.thickness")) {
    auto const thickness = triple(c, "sponge.thickness", {0, 0, 0}, 0, 1e7);
    if (sponge.rate > 0) sponge.thickness = thickness;
  }
  return sponge;
}

SolverOptions solver_of(io::CaseFile const& c, std::string const& table, char const* method,
                        double tolerance) {
  SolverOptions options;
  auto const petsc = table + ".petsc";
  if (c.has(petsc)) {
    options.petsc = c.text(petsc, "");
    options.petsc_place = c.error(petsc, "").what();
    if (options.petsc->find_first_not_of(' ') != options.petsc->find_first_of('-')) {
      throw c.error(petsc,
                    "begins with no option (PETSc's begin with '-') write it as on PETSc's command line");
    }
    if (auto const unfit = unfit_petsc_option(*options.petsc); !unfit.empty() && !takes_unchecked_options()) {
      throw c.error(petsc, "has '" + one_line(unfit) +
                               "' (not among the options that say how to solve, as -ksp_type and -pc_type; "
                               "others may write files or load code) take it out, or let it pass by " +
                               unchecked_options_flag);
    }
    if (!has_petsc()) {
      throw c.error(petsc,
                    "asks for PETSc (this program was built without it) take the key out, or build "
                    "with PETSc");
    }
    for (auto const* other : {".method", ".restart", ".preconditioner"}) {
      if (!c.has(table + other)) continue;
      throw c.error(table + other,
                    "does not go with " + petsc + " (PETSc's options say it) take one of them out");
    }
    options.tolerance = c.number(table + ".tolerance", tolerance, 1e-30, 0.5);
    options.iterations = c.integer(table + ".iterations", 500, 1, 100000);
    return options;
  }
  auto const name = c.choice(table + ".method", method, {"bicgstab", "gmres", "cg"});
  options.method = name == "gmres" ? Method::gmres : name == "cg" ? Method::cg : Method::bicgstab;
  options.tolerance = c.number(table + ".tolerance", tolerance, 1e-30, 0.5);
  options.iterations = c.integer(table + ".iterations", 500, 1, 100000);
  if (options.method == Method::gmres) options.restart = c.integer(table + ".restart", 30, 1, 1000);
  return options;
}

/// How `key` says; its other keys are read where anything is upwinded.
Upwinding<double> upwinding_of(io::CaseFile const& c, double step, char const* key,
                               std::vector<std::string> const& schemes) {
  auto const scheme = c.choice(key, "none", schemes);
  Upwinding<double> upwinding;
  if (scheme == "none") return upwinding;
  upwinding.stabilisation = scheme == "supg" ? Stabilisation::supg : Stabilisation::streamline_upwind;
  auto const rule = c.choice("upwind.rule", "optimal", {"optimal", "unity", "doubly_asymptotic", "critical"});
  upwinding.rule = rule == "unity"               ? UpwindRule::unity
                   : rule == "doubly_asymptotic" ? UpwindRule::doubly_asymptotic
                   : rule == "critical"          ? UpwindRule::critical
                                                 : UpwindRule::optimal;
  upwinding.scale = c.number("upwind.scale", 0.5, 0, 10);
  upwinding.limit = step * c.number("upwind.limit", 0.5, 0, 1e6);
  return upwinding;
}

std::optional<Bubble> bubble_of(io::CaseFile const& c) {
  if (!c.has("start.bubble.amplitude")) return {};
  Bubble bubble;
  auto const shape = c.choice("start.bubble.shape", "cosine", {"cosine", "wave"});
  bubble.shape = shape == "wave" ? Bubble::Shape::wave : Bubble::Shape::cosine;
  bubble.of_temperature = c.choice("start.bubble.of", "theta", {"theta", "temperature"}) == "temperature";
  bubble.amplitude = quantity(c, "start.bubble.amplitude", "K", 0, -200, 200);
  bubble.centre = triple(c, "start.bubble.centre", {0, 0, 0}, -1e7, 1e7);
  bubble.radius = triple(c, "start.bubble.radius", {1000, 1000, 1000}, 0, 1e7);
  if (bubble.shape == Bubble::Shape::wave && bubble.radius[0] == 0) {
    throw c.error("start.bubble.radius[0]", "is 0 (the wave's half-width along x) make it larger");
  }
  return bubble;
}

std::optional<StartFile> start_file_of(io::CaseFile const& c) {
  if (!c.has("start.file")) return {};
  return StartFile{c.file("start.file", true), c.integer<std::int64_t>("start.time", -1)};
}

/// Between the walls of a box over air of constant potential temperature, with nothing else in it.
std::optional<Manufactured> manufactured_of(io::CaseFile const& c, Parameters const& p) {
  if (!c.has("manufactured.period")) return {};
  struct Other {
    bool there;
    char const* key;
  };
  Other const others[] = {{!p.file.empty(), "mesh.kind"},
                          {p.mountain.has_value(), "mountain.height"},
                          {!p.fixed_sides.empty(), "boundary.fixed"},
                          {!p.open_sides.empty(), "boundary.open"},
                          {p.buoyancy_frequency != 0, "air.buoyancy_frequency"},
                          {p.wind != std::array{0.0, 0.0, 0.0}, "wind.u"},
                          {p.sponge.rate > 0, "sponge.rate"},
                          {p.humid, "air.humid"},
                          {p.bubble.has_value(), "start.bubble.amplitude"}};
  for (auto const& other : others) {
    if (!other.there) continue;
    throw c.error("manufactured.period",
                  std::string("does not go with ") + other.key +
                      " (the exact solution is of a box between walls over air of "
                      "constant theta, at rest but for it) leave one out, or set it to 0");
  }
  Manufactured made;
  made.period = c.duration("manufactured.period", "1 s", 1e-6, 1e9);
  made.wind = quantity(c, "manufactured.wind", "m s-1", 5, 0, 100);
  made.theta = quantity(c, "manufactured.theta", "K", 2, 0, 50);
  made.pressure = quantity(c, "manufactured.pressure", "Pa", 100, 0, 5000);
  auto const waves = c.numbers("manufactured.waves", {1, 1, 1}, 0, 64, 3, 3);
  for (std::size_t d = 0; d < 3; ++d) {
    if (waves[d] != std::floor(waves[d])) {
      throw c.error("manufactured.waves[" + std::to_string(d) + "]",
                    "is no whole number (a wall would be crossed) count half-waves along the box");
    }
    made.wave[d] = std::numbers::pi * waves[d] / p.box.length[d];
  }
  return made;
}

}  // namespace

double Bubble::share(std::array<double, 3> const& point) const {
  auto square = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (radius[d] > 0) square += std::pow((point[d] - centre[d]) / radius[d], 2);
  }
  return square < 1 ? (1 + std::cos(std::numbers::pi * std::sqrt(square))) / 2 : 0;
}

double Bubble::at(std::array<double, 3> const& point, double top) const {
  if (shape == Shape::cosine) return amplitude * share(point);
  auto const x = (point[0] - centre[0]) / radius[0];
  return amplitude * std::sin(std::numbers::pi * point[2] / top) / (1 + x * x);
}

Parameters::Parameters(io::CaseFile const& c)
    : mesh_kind{c.choice("mesh.kind", "box", {"box", "gmsh", "ugrid"})},
      file{mesh_kind == "box" ? std::filesystem::path{} : c.file("mesh.file", true)},
      metres{metres_of(c, mesh_kind)},
      grading{1},
      fixed_sides{c.texts("boundary.fixed", {})},
      open_sides{c.texts("boundary.open", {})},
      open_speed{open_sides.empty() ? 0 : quantity(c, "boundary.open_speed", "m s-1", 30, 0, 1000)},
      air{quantity(c, "air.cp", "J kg-1 K-1", 1004.64, 1, 1e5),
          quantity(c, "air.cv", "J kg-1 K-1", 717.6, 1, 1e5),
          quantity(c, "air.standard_pressure", "Pa", 1e5, 1, 1e8),
          quantity(c, "air.gravity", "m s-2", 9.81, 1e-6, 1e3)},
      surface_theta{quantity(c, "air.theta", "K", 293.15, 1, 2000)},
      buoyancy_frequency{quantity(c, "air.buoyancy_frequency", "s-1", 0.01, 0, 1)},
      viscosity{quantity(c, "air.viscosity", "m2 s-1", 0, 0, 1e6)},
      diffusivity{quantity(c, "air.diffusivity", "m2 s-1", viscosity, 0, 1e6)},
      wind{quantity(c, "wind.u", "m s-1", 0, -500, 500), quantity(c, "wind.v", "m s-1", 0, -500, 500), 0},
      sponge{sponge_of(c)},
      sponge_theta_rate{quantity(c, "sponge.theta_rate", "s-1", sponge.rate, 0, 10)},
      step{c.duration("time.step", "10 s", 1e-6, 86400)},
      picard{c.integer("time.iterations", 2, 1, 100)},
      implicitness{c.number("time.implicitness", 0.55, 0.5, 1)},
      relaxation{c.number("time.relaxation", 0.5, 0, 1)},
      stabilisation{c.number("pressure.stabilisation", 0.05, 0, 100)},
      pressure{solver_of(c, "pressure", "bicgstab", 1e-8)},
      velocity{solver_of(c, "solver", "bicgstab", 1e-9)},
      upwind{upwinding_of(c, step, "upwind.scheme", {"none", "streamline", "supg"})},
      upwind_wind{upwinding_of(c, step, "upwind.wind", {"none", "streamline"})},
      start{start_file_of(c)},
      bubble{bubble_of(c)},
      humid{c.flag("air.humid", false)},
      humidity{humid ? c.number("air.humidity", 0, 0, 1) : 0},
      humidity_depth{humidity > 0 ? quantity(c, "air.humidity_depth", "m", 0, 0, 1e6) : 0},
      fastest_fall{humid ? quantity(c, "water.fastest_fall", "m s-1", 12, 1e-3, 1000) : 0},
      water{c.flag("water.carried", humid)},
      vapour{water ? quantity(c, "water.vapour", "kg kg-1", 0, 0, 1) : 0},
      cloud{water ? quantity(c, "water.cloud", "kg kg-1", 0, 0, 1) : 0},
      rain{water ? quantity(c, "water.rain", "kg kg-1", 0, 0, 1) : 0} {
  if (!(air.cp > air.cv)) {
    throw c.error("air.cp", "is not above air.cv = " + io::number_text(air.cv) +
                                " (their difference is the gas constant) make it larger");
  }
  if (humid && !water) {
    throw c.error("water.carried", "is false in humid air (its water is carried) take it out");
  }
  if (pressure.petsc) {
    pressure.formed = c.flag("pressure.formed", false);
  } else {
    pressure.multigrid =
        c.choice("pressure.preconditioner", "multigrid", {"multigrid", "jacobi"}) == "multigrid";
  }
  auto const go_on = c.choice("solver.failure", "stop", {"stop", "go_on"}) == "go_on";
  pressure.must_converge = velocity.must_converge = !go_on;
  scalar = velocity;
  if (file.empty()) {
    box = box_of(c);
    grading = c.number("mesh.grading", 1, 1, 100);
  }
  mountain = mountain_of(c, file.empty() ? &box : nullptr);
  manufactured = manufactured_of(c, *this);
  if (!start) return;
  if (manufactured || (bubble && bubble->amplitude != 0)) {
    throw c.error("start.file",
                  std::string("does not go with ") +
                      (manufactured ? "manufactured.period" : "start.bubble.amplitude, unless that is 0") +
                      " (the file has the whole start) leave one of them out");
  }
}

}  // namespace ulpine::fem
