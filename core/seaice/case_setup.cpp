// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/case_setup.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "core/mesh/parametric_mesh.hpp"
#include "core/seaice/geometry.hpp"
#include "io/netcdf.hpp"

namespace ulpine::seaice {
namespace {

constexpr std::int64_t most_cells_a_side = 16384;

QuadMesh read_mesh(io::CaseFile const& case_file) {
  if (auto const path = case_file.file("grid.mesh", false); !path.empty()) {
    return read_parametric_mesh(path);
  }
  auto const nx = case_file.integer("grid.nx", 128, 2, most_cells_a_side);
  auto const ny = case_file.integer("grid.ny", nx, 2, most_cells_a_side);
  double const lx = case_file.number("grid.length", 512e3, 1, 1e8);
  double const ly =
      case_file.number("grid.length_y", lx * static_cast<double>(ny) / static_cast<double>(nx), 1, 1e8);
  // Above 0.1 the benchmark's distortion folds cells over.
  double const distortion = case_file.number("grid.distortion", 0, -0.1, 0.1);
  return rectangle_mesh(static_cast<std::int32_t>(nx), static_cast<std::int32_t>(ny), lx, ly, distortion);
}

Parameters read_parameters(io::CaseFile const& case_file) {
  Parameters p;
  case_file.choice("discretisation.coordinates", "cartesian", {"cartesian"});
  p.cg = static_cast<int>(case_file.integer("discretisation.cg", 1));
  if (p.cg != 1) {
    throw case_file.error("discretisation.cg",
                          std::to_string(p.cg) + " (this version has cG velocity of order 1) use 1");
  }
  p.dg = static_cast<int>(case_file.integer("discretisation.dg", 3));
  if (p.dg != 1 && p.dg != 3) {
    throw case_file.error("discretisation.dg",
                          std::to_string(p.dg) + " (this version has 1 or 3 unknowns a cell) use 1 or 3");
  }
  auto const maps = case_file.choice("discretisation.maps", "auto", {"auto", "constant", "precomputed"});
  p.maps = maps == "constant"      ? MapsKind::constant
           : maps == "precomputed" ? MapsKind::precomputed
                                   : MapsKind::automatic;
  p.dt = case_file.duration("time.step", "120 s", 1e-3, 86400);
  p.substeps = static_cast<int>(case_file.integer("time.substeps", 100, 1, 100000));
  p.alpha = case_file.number("seaice.alpha", 1500, 1, 1e9);
  p.beta = case_file.number("seaice.beta", 1500, 0, 1e9);
  p.coriolis = case_file.number("seaice.coriolis", constants::coriolis, -1, 1);
  p.runge_kutta = static_cast<int>(case_file.integer("seaice.runge_kutta", 2, 1, 3));
  p.limiter = case_file.choice("seaice.limiter", "exact", {"exact", "nextsim"}) == "exact"
                  ? LimiterKind::exact
                  : LimiterKind::nextsim;
  case_file.choice("seaice.rheology", "vp", {"vp"});

  auto const wind = case_file.choice("forcing.wind", "cyclone", {"calm", "uniform", "cyclone"});
  if (wind == "uniform") {
    p.wind.kind = Wind<double>::Kind::uniform;
    p.wind.u = case_file.number("forcing.wind_u", 0, -200, 200);
    p.wind.v = case_file.number("forcing.wind_v", 0, -200, 200);
  } else if (wind == "cyclone") {
    p.wind.kind = Wind<double>::Kind::cyclone;
    p.wind.centre_x = case_file.number("forcing.cyclone_x", 256e3);
    p.wind.centre_y = case_file.number("forcing.cyclone_y", 256e3);
    p.wind_speed_x = case_file.number("forcing.cyclone_drift_x", 51200.0 / 86400, -200, 200);
    p.wind_speed_y = case_file.number("forcing.cyclone_drift_y", 51200.0 / 86400, -200, 200);
    p.wind.rate = case_file.number("forcing.cyclone_rate", 3e-4, -1, 1);
    p.wind.reach = case_file.number("forcing.cyclone_reach", 100e3, 1, 1e8);
    double const angle = case_file.number("forcing.cyclone_angle", 72, -360, 360) * std::numbers::pi / 180;
    p.wind.inflow_cos = math::cos(angle);
    p.wind.inflow_sin = math::sin(angle);
  }
  return p;
}

void read_ocean(io::CaseFile const& case_file, CaseSetup& setup) {
  auto const& mesh = setup.mesh;
  auto const kind = case_file.choice("forcing.ocean", "gyre", {"still", "uniform", "gyre"});
  setup.ocean_u.assign(mesh.x.size(), 0);
  setup.ocean_v.assign(mesh.x.size(), 0);
  if (kind == "uniform") {
    std::fill(setup.ocean_u.begin(), setup.ocean_u.end(), case_file.number("forcing.ocean_u", 0, -10, 10));
    std::fill(setup.ocean_v.begin(), setup.ocean_v.end(), case_file.number("forcing.ocean_v", 0, -10, 10));
  } else if (kind == "gyre") {
    double const speed = case_file.number("forcing.ocean_speed", 0.01, -10, 10);
    auto const [left, right] = std::minmax_element(mesh.x.begin(), mesh.x.end());
    auto const [bottom, top] = std::minmax_element(mesh.y.begin(), mesh.y.end());
    double const lx = *right - *left, ly = *top - *bottom;
    for (std::size_t k = 0; k < mesh.x.size(); ++k) {
      setup.ocean_u[k] = speed * (2 * (mesh.y[k] - *bottom) / ly - 1);
      setup.ocean_v[k] = speed * (1 - 2 * (mesh.x[k] - *left) / lx);
    }
  }
}

/// L2 projection of a function of (x, y) to the dG space, with the tracers' Gauss rule; [mode][cell].
template <class S>
std::vector<double> project(QuadMesh const& mesh, std::function<double(double, double)> const& function) {
  std::vector<double> coefficients(static_cast<std::size_t>(S::dg * mesh.cells()), 0);
  auto const rule = gauss_rule<double, S::tracer_gauss_1d>();
  for (std::int32_t j = 0; j < mesh.ny; ++j) {
    for (std::int32_t i = 0; i < mesh.nx; ++i) {
      auto const ll = static_cast<std::size_t>(j) * (mesh.nx + 1) + i, ul = ll + mesh.nx + 1;
      double const x[4] = {mesh.x[ll], mesh.x[ll + 1], mesh.x[ul], mesh.x[ul + 1]};
      double const y[4] = {mesh.y[ll], mesh.y[ll + 1], mesh.y[ul], mesh.y[ul + 1]};
      double mass[S::dg * S::dg] = {}, inverse[S::dg * S::dg], moment[S::dg] = {};
      for (int q = 0; q < S::tracer_gauss; ++q) {
        double const s = rule.point[q % S::tracer_gauss_1d], t = rule.point[q / S::tracer_gauss_1d];
        double const weight = rule.weight[q % S::tracer_gauss_1d] * rule.weight[q / S::tracer_gauss_1d] *
                              Jacobian<double>(x, y, s, t).determinant;
        auto const blend = [&](double const(&f)[4]) {
          return (1 - t) * ((1 - s) * f[0] + s * f[1]) + t * ((1 - s) * f[2] + s * f[3]);
        };
        double const value = function(blend(x), blend(y));
        for (int k = 0; k < S::dg; ++k) {
          moment[k] += weight * value * dg_basis(k, s, t);
          for (int l = 0; l < S::dg; ++l) {
            mass[k * S::dg + l] += weight * dg_basis(k, s, t) * dg_basis(l, s, t);
          }
        }
      }
      invert<S::dg>(mass, inverse);
      auto const cell = static_cast<std::size_t>(j) * mesh.nx + i;
      for (int k = 0; k < S::dg; ++k) {
        for (int l = 0; l < S::dg; ++l) {
          coefficients[static_cast<std::size_t>(k * mesh.cells()) + cell] +=
              inverse[k * S::dg + l] * moment[l];
        }
      }
    }
  }
  return coefficients;
}

std::vector<double> read_means(io::CaseFile const& case_file, io::InputFile const& file,
                               std::string const& key, std::string const& fallback, QuadMesh const& mesh,
                               double least, double most) {
  auto const variable = case_file.text(key, fallback);
  auto const data = file.read(variable);
  if (static_cast<std::int64_t>(data.values.size()) != mesh.cells()) {
    throw case_file.error(key, variable + " has " + std::to_string(data.values.size()) +
                                   " values (the mesh has " + std::to_string(mesh.nx) + " x " +
                                   std::to_string(mesh.ny) + " cells) give a file of the mesh's size");
  }
  for (std::size_t k = 0; k < data.values.size(); ++k) {
    // Comparisons are false for NaN, which is refused too, but only where there is sea.
    if (mesh.ice[k] != 0 && !(data.values[k] >= least && data.values[k] <= most)) {
      throw case_file.error(key, variable + " is " + std::to_string(data.values[k]) + " at cell " +
                                     std::to_string(k) + " (outside [" + std::to_string(least) + ", " +
                                     std::to_string(most) + "]) mend the file");
    }
  }
  return data.values;
}

void read_initial(io::CaseFile const& case_file, CaseSetup& setup) {
  auto& mesh = setup.mesh;
  auto const source = case_file.choice("initial.source", "benchmark", {"benchmark", "uniform", "file"});
  auto const dg_size = static_cast<std::size_t>(setup.parameters.dg * mesh.cells());
  if (source == "file") {
    io::InputFile const file(case_file.file("initial.file", true));
    auto const mask = case_file.text("initial.mask", "data/mask");
    if (!mask.empty()) {
      auto const sea = file.read(mask);
      if (static_cast<std::int64_t>(sea.values.size()) != mesh.cells()) {
        throw case_file.error("initial.mask", mask + " does not have the mesh's size (" +
                                                  std::to_string(mesh.nx) + " x " + std::to_string(mesh.ny) +
                                                  " cells) give a file of the mesh's size");
      }
      for (std::size_t k = 0; k < sea.values.size(); ++k) {
        mesh.ice[k] = mesh.ice[k] != 0 && sea.values[k] > 0.5 ? 1 : 0;
      }
    }
    setup.height = read_means(case_file, file, "initial.height_variable", "data/hice", mesh, 0, 100);
    setup.concentration =
        read_means(case_file, file, "initial.concentration_variable", "data/cice", mesh, 0, 1);
    setup.height.resize(dg_size, 0);
    setup.concentration.resize(dg_size, 0);
    for (auto const& [target, key, fallback] :
         {std::tuple{&setup.longitude, "initial.longitude_variable", "data/longitude"},
          std::tuple{&setup.latitude, "initial.latitude_variable", "data/latitude"}}) {
      auto const name = case_file.text(key, fallback);
      if (!name.empty() && file.has(name)) {
        *target = file.read(name).values;
      }
    }
    setup.attribution = case_file.text("initial.attribution", "");
  } else {
    std::function<double(double, double)> height, concentration;
    if (source == "benchmark") {
      height = [](double x, double y) { return 0.3 + 0.005 * (math::sin(6e-5 * x) + math::sin(3e-5 * y)); };
      concentration = [](double, double) { return 1.0; };
    } else {
      double const h = case_file.number("initial.height", 1, 0, 100),
                   a = case_file.number("initial.concentration", 1, 0, 1);
      height = [h](double, double) { return h; };
      concentration = [a](double, double) { return a; };
    }
    if (setup.parameters.dg == 1) {
      setup.height = project<Space<1, 1>>(mesh, height);
      setup.concentration = project<Space<1, 1>>(mesh, concentration);
    } else {
      setup.height = project<Space<1, 3>>(mesh, height);
      setup.concentration = project<Space<1, 3>>(mesh, concentration);
    }
  }
  for (std::size_t k = 0; k < dg_size; ++k) {
    if (mesh.ice[k % static_cast<std::size_t>(mesh.cells())] == 0) {
      setup.height[k] = setup.concentration[k] = 0;
    }
  }
}

}  // namespace

CaseSetup read_case(io::CaseFile const& case_file) {
  CaseSetup setup;
  setup.mesh = read_mesh(case_file);
  setup.parameters = read_parameters(case_file);
  if (setup.parameters.maps == MapsKind::constant && !setup.mesh.uniform()) {
    throw case_file.error("discretisation.maps",
                          "constant (the mesh's cells are not equal parallelograms) use auto or precomputed");
  }
  read_ocean(case_file, setup);
  read_initial(case_file, setup);
  setup.coefficients = case_file.flag("output.coefficients", false);
  return setup;
}

}  // namespace ulpine::seaice
