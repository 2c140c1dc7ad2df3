// SPDX-License-Identifier: Apache-2.0
#include "core/fem/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/fem/keys.hpp"
#include "core/fem/petsc.hpp"
#include "core/fem/petsc_options.hpp"
#include "core/model/grid_memory.hpp"
#include "core/model/unchecked_options.hpp"
#include "core/sounding/case_sounding.hpp"
#include "io/case_idle.hpp"

namespace ulpine::fem {
namespace {

constexpr std::int32_t most_cells = 1 << 12;  // along an axis, refined
constexpr double most_boxes = 0x1p30 / 6;     // each is cut into six tetrahedra
constexpr double most_doublings = 20;         // of thickness from the thinnest layer to the thickest

io::KeyReader read(io::CaseFile const& c) { return {c, case_keys()}; }

/// Metres in a unit of the mesh file; UGRID files have units themselves.
double metres_of(io::KeyReader const& keys, std::string const& mesh_kind) {
  if (mesh_kind != "gmsh") return 1;
  auto const unit = keys.choice("mesh.unit");
  return unit == "km" ? 1e3 : unit == "cm" ? 1e-2 : unit == "mm" ? 1e-3 : 1;
}

BoxMesh box_of(io::KeyReader const& keys) {
  auto const& c = keys.case_file();
  auto const refinement = keys.integer("mesh.refinement");
  auto const cells = [&](char const* key, std::int32_t fallback) {
    return refinement * keys.integer(key, fallback, 1, most_cells / refinement);
  };
  BoxMesh box;
  box.nx = cells("mesh.nx", 20);
  box.ny = cells("mesh.ny", 20);
  box.nz = cells("mesh.nz", 16);
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
  auto const length = keys.numbers("mesh.length", {20e3, 20e3, 16e3});
  for (std::size_t d = 0; d < 3; ++d) box.length[d] = length[d];
  // Over the whole height the growth of the layers stays the same.
  box.stretch = std::pow(keys.number("mesh.stretch"), 1.0 / refinement);
  if (std::abs(std::log2(box.stretch)) * (box.nz - 1) > most_doublings) {
    throw c.error(
        "mesh.stretch",
        "makes the thickest of " + std::to_string(box.nz) +
            " layers more than 2^20 times the thinnest (which then is nothing) bring it nearer to 1");
  }
  box.jitter = keys.number("mesh.jitter");
  box.seed = static_cast<std::uint64_t>(box.jitter > 0 ? keys.integer<std::int64_t>("mesh.seed") : 0);
  return box;
}

/// The sounding that is the base state, if any; its vapour counts in humid air alone.
std::optional<Sounding> base_sounding_of(io::KeyReader const& keys) {
  if (keys.choice("base.kind") != "sounding") return {};
  auto sounding = sounding_of_case(keys);
  if (!keys.flag("air.humid")) std::ranges::fill(sounding.humidity, 0.0);
  return sounding;
}

/// The mountain, by default in the middle of a box; on a mesh that is read at (0, 0), its lid known later.
std::optional<BellMountain> mountain_of(io::KeyReader const& keys, BoxMesh const* box) {
  auto const& c = keys.case_file();
  auto const height = keys.number("mountain.height");
  auto const has = [&](char const* key) { return c.has(std::string("mountain.") + key); };
  if (!has("height")) {
    io::refuse_idle_keys(c, {"mountain.radius", "mountain.x", "mountain.y"},
                         "mountain.height, whose default of 0 is flat ground");
  }
  if (height == 0 && !has("radius") && !has("x") && !has("y")) return {};
  BellMountain bell;
  bell.height = height;
  bell.radius = keys.number("mountain.radius");
  bell.x0 = keys.number("mountain.x", box == nullptr ? 0 : box->length[0] / 2);
  bell.y0 = keys.number("mountain.y", box == nullptr ? 0 : box->length[1] / 2);
  if (height == 0) return {};
  if (box == nullptr) return bell;
  bell.top = box->length[2];
  if (!bell.leaves_room()) {
    throw c.error("mountain.height", "is above 0.95 times the lid at " + io::number_text(bell.top) +
                                         " m (the mesh is pressed between both) make it lower");
  }
  return bell;
}

/// All keys of the sponge but sponge.from, as only the mesh says how high the lid is.
Sponge sponge_of(io::KeyReader const& keys) {
  if (!keys.has("sponge.rate")) {
    io::refuse_idle_keys(
        keys.case_file(),
        {"sponge.from", "sponge.depth", "sponge.width_x", "sponge.width_y", "sponge.theta_rate"},
        "sponge.rate");
  }
  Sponge sponge;
  sponge.rate = keys.number("sponge.rate");
  if (sponge.rate > 0 || keys.has("sponge.width_x") || keys.has("sponge.width_y") ||
      keys.has("sponge.depth")) {
    std::array const thickness{keys.number("sponge.width_x"), keys.number("sponge.width_y"),
                               keys.number("sponge.depth")};
    if (sponge.rate > 0) sponge.thickness = thickness;
  }
  return sponge;
}

SolverOptions solver_of(io::KeyReader const& keys, std::string const& table) {
  auto const& c = keys.case_file();
  auto const key = [&](char const* of) { return table + "." + of; };
  SolverOptions options;
  auto const petsc = key("petsc");
  if (c.has(petsc)) {
    options.petsc = keys.text(petsc.c_str());
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
    for (auto const* other : {"method", "restart", "preconditioner"}) {
      if (!c.has(key(other))) continue;
      throw c.error(key(other),
                    "does not go with " + petsc + " (PETSc's options say it) take one of them out");
    }
    options.tolerance = keys.number(key("tolerance").c_str());
    options.iterations = keys.integer(key("iterations").c_str());
    return options;
  }
  auto const name = keys.choice(key("method").c_str());
  options.method = name == "gmres" ? Method::gmres
                   : name == "gcr" ? Method::gcr
                   : name == "cg"  ? Method::cg
                                   : Method::bicgstab;
  options.tolerance = keys.number(key("tolerance").c_str());
  options.iterations = keys.integer(key("iterations").c_str());
  if (options.method == Method::gmres) options.restart = keys.integer(key("restart").c_str());
  return options;
}

/// How `key` says; its other keys are read where anything is upwinded.
Upwinding<double> upwinding_of(io::KeyReader const& keys, double step, char const* key) {
  auto const scheme = keys.choice(key);
  Upwinding<double> upwinding;
  if (scheme == "none") return upwinding;
  upwinding.stabilisation = scheme == "supg" ? Stabilisation::supg : Stabilisation::streamline_upwind;
  auto const rule = keys.choice("upwind.rule");
  upwinding.rule = rule == "unity"               ? UpwindRule::unity
                   : rule == "doubly_asymptotic" ? UpwindRule::doubly_asymptotic
                   : rule == "critical"          ? UpwindRule::critical
                                                 : UpwindRule::optimal;
  upwinding.scale = keys.number("upwind.scale");
  upwinding.limit = step * keys.number("upwind.limit");
  return upwinding;
}

std::optional<Bubble> bubble_of(io::KeyReader const& keys) {
  auto const kind = keys.choice("start.kind", keys.has("start.amplitude") ? "bubble" : "rest",
                                {"rest", "bubble", "gravity_wave"});
  if (kind == "rest") {
    io::refuse_idle_keys(keys.case_file(), {"start.amplitude"}, "start.kind other than \"rest\"");
    return {};
  }
  Bubble bubble;
  bubble.shape = kind == "gravity_wave" ? Bubble::Shape::wave : Bubble::Shape::cosine;
  bubble.of_temperature = keys.choice("start.amplitude_of") == "temperature";
  bubble.amplitude = keys.number("start.amplitude", bubble.shape == Bubble::Shape::wave ? 0.01 : 2);
  bubble.centre = {keys.number("start.centre_x"), keys.number("start.centre_y"),
                   keys.number("start.centre_z")};
  bubble.radius = {keys.number("start.radius_x"), keys.number("start.radius_y"),
                   keys.number("start.radius_z")};
  if (bubble.shape == Bubble::Shape::wave && bubble.radius[0] == 0) {
    throw keys.case_file().error("start.radius_x", "is 0 (the wave's half-width along x) make it larger");
  }
  return bubble;
}

std::optional<StartFile> start_file_of(io::KeyReader const& keys) {
  if (!keys.has("start.file")) return {};
  return StartFile{keys.file("start.file", true), keys.integer<std::int64_t>("start.time")};
}

/// Between the walls of a box over air of constant potential temperature, with nothing else in it.
std::optional<Manufactured> manufactured_of(io::KeyReader const& keys, Parameters const& p) {
  auto const& c = keys.case_file();
  if (!keys.has("manufactured.period")) return {};
  struct Other {
    bool there;
    char const* key;
  };
  Other const others[] = {{!p.file.empty(), "mesh.kind"},
                          {p.mountain.has_value(), "mountain.height"},
                          {!p.fixed_sides.empty(), "boundary.fixed"},
                          {!p.open_sides.empty(), "boundary.open"},
                          {p.sounding.has_value(), "base.kind = \"sounding\""},
                          {p.buoyancy_frequency != 0, "base.buoyancy_frequency"},
                          {p.wind != std::array{0.0, 0.0, 0.0}, "base.u"},
                          {p.sponge.rate > 0, "sponge.rate"},
                          {p.humid, "air.humid"},
                          {p.bubble.has_value(), "start.amplitude"}};
  for (auto const& other : others) {
    if (!other.there) continue;
    throw c.error("manufactured.period",
                  std::string("does not go with ") + other.key +
                      " (the exact solution is of a box between walls over air of "
                      "constant theta, at rest but for it) leave one out, or set it to 0");
  }
  Manufactured made;
  made.period = keys.duration("manufactured.period", "1 s");
  made.wind = keys.number("manufactured.wind");
  made.theta = keys.number("manufactured.theta");
  made.pressure = keys.number("manufactured.pressure");
  auto const waves = keys.numbers("manufactured.waves", {1, 1, 1});
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
    : mesh_kind{read(c).choice("mesh.kind")},
      file{mesh_kind == "box" ? std::filesystem::path{} : read(c).file("mesh.file", true)},
      metres{metres_of(read(c), mesh_kind)},
      grading{1},
      fixed_sides{read(c).texts("boundary.fixed", {})},
      open_sides{read(c).texts("boundary.open", {})},
      open_speed{open_sides.empty() ? 0 : read(c).number("boundary.phase_speed")},
      air{read(c).number("air.cp"), read(c).number("air.cv"), read(c).number("air.standard_pressure"),
          read(c).number("air.gravity")},
      sounding{base_sounding_of(read(c))},
      surface_theta{sounding ? 0 : read(c).number("base.theta")},
      buoyancy_frequency{sounding ? 0 : read(c).number("base.buoyancy_frequency")},
      wind{sounding ? 0 : read(c).number("base.u"), sounding ? 0 : read(c).number("base.v"), 0},
      viscosity{read(c).number("air.viscosity")},
      diffusivity{read(c).number("air.diffusivity", viscosity)},
      sponge{sponge_of(read(c))},
      sponge_theta_rate{read(c).number("sponge.theta_rate", sponge.rate)},
      step{read(c).duration("time.step")},
      picard{read(c).integer("time.iterations")},
      implicitness{read(c).number("time.implicitness")},
      relaxation{read(c).number("time.relaxation")},
      stabilisation{read(c).number("pressure.stabilisation")},
      pressure{solver_of(read(c), "pressure")},
      velocity{solver_of(read(c), "solver")},
      upwind{upwinding_of(read(c), step, "upwind.scheme")},
      upwind_wind{upwinding_of(read(c), step, "upwind.wind")},
      start{start_file_of(read(c))},
      bubble{bubble_of(read(c))},
      humid{read(c).flag("air.humid")},
      humidity{humid && !sounding ? read(c).number("air.humidity") : 0},
      humidity_depth{humidity > 0 ? read(c).number("air.humidity_depth") : 0},
      fastest_fall{humid ? read(c).number("water.fastest_fall") : 0},
      water{read(c).flag("water.carried", humid)},
      vapour{water ? read(c).number("water.vapour") : 0},
      cloud{water ? read(c).number("water.cloud") : 0},
      rain{water ? read(c).number("water.rain") : 0} {
  if (!(air.cp > air.cv)) {
    throw c.error("air.cp", "is not above air.cv = " + io::number_text(air.cv) +
                                " (their difference is the gas constant) make it larger");
  }
  if (humid && !water) {
    throw c.error("water.carried", "is false in humid air (its water is carried) take it out");
  }
  if (pressure.petsc) {
    pressure.formed = read(c).flag("pressure.formed");
  } else {
    pressure.multigrid = read(c).choice("pressure.preconditioner") == "multigrid";
  }
  auto const go_on = read(c).choice("solver.failure") == "go_on";
  pressure.must_converge = velocity.must_converge = !go_on;
  scalar = velocity;
  if (file.empty()) {
    box = box_of(read(c));
    grading = read(c).number("mesh.grading");
  }
  mountain = mountain_of(read(c), file.empty() ? &box : nullptr);
  manufactured = manufactured_of(read(c), *this);
  if (!start) return;
  if (manufactured || (bubble && bubble->amplitude != 0)) {
    throw c.error("start.file",
                  std::string("does not go with ") +
                      (manufactured ? "manufactured.period" : "start.amplitude, unless that is 0") +
                      " (the file has the whole start) leave one of them out");
  }
}

}  // namespace ulpine::fem
