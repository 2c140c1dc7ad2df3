// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/case_setup.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numbers>
#include <set>
#include <span>

#include "core/mesh/case_mesh.hpp"
#include "core/model/grid_memory.hpp"
#include "core/model/input_fields.hpp"
#include "core/seaice/geometry.hpp"
#include "core/seaice/keys.hpp"
#include "core/seaice/sphere_setup.hpp"
#include "io/text.hpp"

namespace ulpine::seaice {
namespace {

/// EnvironmentError where the host cannot hold a model of that size: what this file sets up, and on the host
/// the least that any solver has (the state alone, of order 1 in 4 bytes).
void require_memory(io::CaseFile const& case_file, std::int64_t nx, std::int64_t ny, bool solves_on_host) {
  constexpr std::int64_t a_vertex = 4 * sizeof(double);    // its place and the ocean's velocity
  constexpr std::int64_t a_cell = 2 * sizeof(double) + 1;  // height, concentration, mask
  constexpr std::int64_t solver = 180;
  auto const cells = nx * ny;
  auto const text = "a grid of " + std::to_string(nx) + " x " + std::to_string(ny) + " cells";
  auto const bytes = (nx + 1) * (ny + 1) * a_vertex + cells * (a_cell + (solves_on_host ? solver : 0));
  require_memory_of_grid(case_file, reader_of(case_file).has("grid.mesh") ? "grid.mesh" : "grid.nx", text,
                         static_cast<double>(bytes));
}

/// An integer of the few that its key has, compared before anything is narrowed.
int read_order(io::KeyReader const& keys, char const* name, char const* why) {
  auto const value = std::to_string(keys.integer<std::int64_t>(name));
  auto const& choices = std::ranges::find(case_keys(), name, &io::CaseKey::name)->choices;
  std::string list;
  for (auto const& choice : choices) {
    if (value == choice.name) return std::stoi(value);
    bool const last = &choice == &choices.back();
    list += (list.empty() ? "" : last ? " or " : ", ") + choice.name;
  }
  throw keys.case_file().error(name, value + " (" + why + ") use " + list);
}

Parameters read_parameters(io::CaseFile const& case_file, bool spherical) {
  auto const keys = reader_of(case_file);
  Parameters p;
  p.cg = read_order(keys, "discretisation.cg", "the order of the cG velocity");
  p.dg = read_order(keys, "discretisation.dg", "unknowns of the dG tracers a cell");
  auto const maps = keys.choice("discretisation.maps");
  p.maps = maps == "constant"      ? MapsKind::constant
           : maps == "precomputed" ? MapsKind::precomputed
           : maps == "on_the_fly"  ? MapsKind::on_the_fly
                                   : MapsKind::automatic;
  p.dt = keys.duration("time.step");
  p.substeps = keys.integer("time.substeps");
  p.alpha = keys.number("seaice.alpha");
  p.beta = keys.number("seaice.beta");
  p.coriolis = keys.number("seaice.coriolis");
  p.runge_kutta = keys.integer("seaice.runge_kutta");
  p.limiter = keys.choice("seaice.limiter") == "exact" ? LimiterKind::exact : LimiterKind::nextsim;
  auto const order = keys.choice("seaice.assembly");
  p.sum_order = order == "rowwise"        ? SumOrder::rowwise
                : order == "checkerboard" ? SumOrder::checkerboard
                                          : SumOrder::gather;
  p.rheology = keys.choice("seaice.rheology");
  if (spherical) return p;

  auto const wind = keys.choice("forcing.wind", "cyclone", {"calm", "uniform", "cyclone"});
  if (wind == "uniform") {
    p.wind.kind = Wind<double>::Kind::uniform;
    p.wind.u = keys.number("forcing.wind_u");
    p.wind.v = keys.number("forcing.wind_v");
  } else if (wind == "cyclone") {
    double const drift = 51200.0 / 86400;  // m s-1
    p.wind.kind = Wind<double>::Kind::cyclone;
    p.wind.centre_x = keys.number("forcing.cyclone_x");
    p.wind.centre_y = keys.number("forcing.cyclone_y");
    p.wind_speed_x = keys.number("forcing.cyclone_drift_x", drift);
    p.wind_speed_y = keys.number("forcing.cyclone_drift_y", drift);
    p.wind.rate = keys.number("forcing.cyclone_rate");
    p.wind.reach = keys.number("forcing.cyclone_reach");
    double const angle = keys.number("forcing.cyclone_angle") * std::numbers::pi / 180;
    p.wind.inflow_cos = math::cos(angle);
    p.wind.inflow_sin = math::sin(angle);
  }
  return p;
}

void read_ocean(io::CaseFile const& case_file, Setup& setup) {
  auto const& mesh = setup.mesh;
  auto const cg = setup.parameters.cg;
  auto const keys = reader_of(case_file);
  auto const kind = mesh.spherical ? keys.choice("forcing.ocean", "still", {"still", "uniform"})
                                   : keys.choice("forcing.ocean", "gyre", {"still", "uniform", "gyre"});
  auto const nodes =
      (static_cast<std::size_t>(cg) * mesh.nx + 1) * (static_cast<std::size_t>(cg) * mesh.ny + 1);
  setup.ocean_u.assign(nodes, 0);
  setup.ocean_v.assign(nodes, 0);
  if (kind == "uniform") {
    std::ranges::fill(setup.ocean_u, keys.number("forcing.ocean_u"));
    std::ranges::fill(setup.ocean_v, keys.number("forcing.ocean_v"));
  } else if (kind == "gyre") {
    double const speed = keys.number("forcing.ocean_speed");
    auto const [left, right] = std::minmax_element(mesh.x.begin(), mesh.x.end());
    auto const [bottom, top] = std::minmax_element(mesh.y.begin(), mesh.y.end());
    double const lx = *right - *left, ly = *top - *bottom;
    std::size_t node = 0;
    for (std::int32_t j = 0; j <= cg * mesh.ny; ++j) {
      for (std::int32_t i = 0; i <= cg * mesh.nx; ++i, ++node) {
        auto const [x, y] = node_place(mesh, cg, i, j);
        setup.ocean_u[node] = speed * (2 * (y - *bottom) / ly - 1);
        setup.ocean_v[node] = speed * (1 - 2 * (x - *left) / lx);
      }
    }
  }
}

/// L2 projection of a function of (x, y) to the dG space, with the tracers' Gauss rule; [mode][cell].
template <class S>
std::vector<double> project(QuadMesh const& mesh, std::function<double(double, double)> const& function) {
  std::vector<double> coefficients(static_cast<std::size_t>(S::dg * mesh.cells()), 0);
  for (std::int32_t j = 0; j < mesh.ny; ++j) {
    for (std::int32_t i = 0; i < mesh.nx; ++i) {
      auto const ll = static_cast<std::size_t>(j) * (mesh.nx + 1) + i, ul = ll + mesh.nx + 1;
      double const x[4] = {mesh.x[ll], mesh.x[ll + 1], mesh.x[ul], mesh.x[ul + 1]};
      double const y[4] = {mesh.y[ll], mesh.y[ll + 1], mesh.y[ul], mesh.y[ul + 1]};
      double mass[S::dg * S::dg] = {}, inverse[S::dg * S::dg], moment[S::dg] = {};
      for_gauss_points<double, S::tracer_gauss_1d>([&](int, double s, double t, double of_point) {
        double const weight = of_point * Jacobian<double>(x, y, s, t).determinant;
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
      });
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

constexpr char const* missing_hint = "fill it, name a mask, or let initial.missing be \"land\" or \"water\"";
constexpr char const *names_of_cover[] = {"ice_area_fraction", "ice_concentration", "ice_fraction",
                                          "ice_cover"},
                     *names_of_thickness[] = {"ice_thickness", "ice_volume", "ice_volume_per_area",
                                              "ice_height"};
Quantity ice_concentration() {
  return {"ice concentration",
          io::fractions(),
          0,
          1,
          names_of_cover,
          "swap initial.height_variable and initial.concentration_variable if they are, give units = \"%\", "
          "or declare what stands for no value (_FillValue)",
          missing_hint};
}
Quantity ice_height() {
  return {"ice thickness",
          io::lengths(),
          0,
          100,
          names_of_thickness,
          "declare what stands for no value (_FillValue), or mend the file; thickness is in m",
          missing_hint};
}

/// The area over which a file's ice thickness is the mean.
enum class MeanOver { cell, ice };

/// As the case says (`initial.height_mean`), else the file's cell_methods, else the variable's name where
/// models agree on what it means.
MeanOver mean_over(io::CaseFile const& case_file, io::FieldInfo const& height) {
  auto const said = reader_of(case_file).choice("initial.height_mean");
  if (said != "file") return said == "cell" ? MeanOver::cell : MeanOver::ice;
  auto const words = io::words_of(io::lower_case(height.cell_methods));
  bool averaged = false;
  for (std::size_t k = 0; k < words.size(); ++k) {
    averaged = averaged || words[k] == "area:";
    if (words[k] != "where" || k + 1 == words.size()) continue;
    // "mean where sea_ice over sea" divides by the area of the sea.
    auto const over = k + 3 < words.size() && words[k + 2] == "over";
    auto const& type = words[over ? k + 3 : k + 1];
    if (type.starts_with("sea_ice") || type == "seaice" || type == "ice") return MeanOver::ice;
    if (type.starts_with("all_area_types") || type.ends_with("sea") || type.ends_with("ocean")) {
      return MeanOver::cell;
    }
    throw case_file.error("initial.height_variable",
                          height.name + " is the mean where " + type +
                              " (ice, sea_ice, sea, ocean and all_area_types are read) set "
                              "initial.height_mean to \"cell\" for a volume by the cell's area, or to "
                              "\"ice\" for the thickness of the ice");
  }
  if (averaged) return MeanOver::cell;
  // The names that CMIP, NEMO, CICE, LIM, MITgcm, PIOMAS, FESOM and neXtSIM use.
  static std::set<std::string> const of_ice = {"sithick", "sithic", "icethic"};
  static std::set<std::string> const of_cells = {"sivol", "sivolu", "icevolu", "hi",   "hice",
                                                 "vice",  "siheff", "heff",    "m_ice"};
  auto const name = io::lower_case(height.name.substr(io::folder_of(height.name).size()));
  if (of_ice.contains(name)) return MeanOver::ice;
  if (of_cells.contains(name) || height.standard_name != "sea_ice_thickness") return MeanOver::cell;
  throw case_file.error("initial.height_variable",
                        height.name +
                            " does not say what it is the mean over (it has no cell_methods) set "
                            "initial.height_mean to \"cell\" for a volume by the cell's area, or to "
                            "\"ice\" for the thickness of the ice");
}

/// Refuses per cent that are fractions.
void require_per_cent(io::CaseFile const& case_file, io::FieldData const& concentration,
                      std::span<std::uint8_t const> mask) {
  if (io::divisor_of(io::fractions(), concentration.info.units).value_or(1) == 1) return;
  double largest = 0;
  for (std::size_t k = 0; k < concentration.values.size(); ++k) {
    if (mask[k] != 0) largest = std::max(largest, concentration.values[k]);
  }
  constexpr double one_per_cent = 0.01 + 1e-7;
  if (largest <= 0 || largest > one_per_cent) return;
  throw case_file.error("initial.concentration_variable",
                        concentration.info.name + " is in '" + concentration.info.units + "' and " +
                            io::number_text(100 * largest) +
                            " at most (a fraction, it seems) give it units = \"1\"");
}

/// Ice height as the mean over cells, and concentration, on the cells of the file. Marks as land what
/// `initial.missing` says.
struct Ice {
  std::vector<double> height, concentration;
};
Ice read_ice(io::CaseFile const& case_file, InputFields const& file, std::vector<std::uint8_t>& mask) {
  constexpr char const *height_key = "initial.height_variable",
                       *concentration_key = "initial.concentration_variable";
  auto const keys = reader_of(case_file);
  auto const height_name = keys.text(height_key), concentration_name = keys.text(concentration_key);
  if (height_name == concentration_name) {
    throw case_file.error(concentration_key,
                          concentration_name +
                              " is the thickness too (initial.height_variable names it) name "
                              "the variable of the concentration");
  }
  auto height = file.read(height_key, height_name, ice_height());
  auto concentration = file.read(concentration_key, concentration_name, ice_concentration());
  auto const missing = keys.choice("initial.missing");
  for (std::size_t k = 0; k < mask.size(); ++k) {
    auto &h = height.values[k], &a = concentration.values[k];
    if (missing == "land" && std::isnan(a)) mask[k] = 0;
    if (missing == "water" && (std::isnan(a) || std::isnan(h))) h = a = 0;
    if (a == 0 && std::isnan(h)) h = 0;  // no ice has no thickness
  }
  auto const over = mean_over(case_file, height.info);
  file.check(height_key, height, ice_height(), mask);
  file.check(concentration_key, concentration, ice_concentration(), mask);
  require_per_cent(case_file, concentration, mask);
  if (over == MeanOver::ice) {
    for (std::size_t k = 0; k < mask.size(); ++k) height.values[k] *= concentration.values[k];
  }
  return {std::move(height.values), std::move(concentration.values)};
}

/// Refuses a mask that has all ice on land: it is the wrong way round.
void require_ice_in_the_sea(io::CaseFile const& case_file, std::string const& name, Ice const& ice,
                            std::span<std::uint8_t const> mask) {
  bool on_land = false;
  for (std::size_t k = 0; k < mask.size(); ++k) {
    if (!(ice.height[k] > 0 && ice.concentration[k] > 0)) continue;
    if (mask[k] != 0) return;
    on_land = true;
  }
  if (!on_land || std::ranges::count(mask, 1) == 0) return;
  throw case_file.error("initial.mask",
                        name +
                            " leaves no ice in the sea (all of it lies on land) check it: sea "
                            "is 1; where it is 0, give it the standard_name land_binary_mask");
}

void read_initial(io::CaseFile const& case_file, Setup& setup) {
  auto& mesh = setup.mesh;
  auto const keys = reader_of(case_file);
  auto const source = mesh.spherical
                          ? keys.choice("initial.source", "uniform", {"uniform", "file"})
                          : keys.choice("initial.source", "benchmark", {"benchmark", "uniform", "file"});
  auto const dg_size = static_cast<std::size_t>(setup.parameters.dg * mesh.cells());
  if (source == "file") {
    CoarseCells const coarse{mesh.nx, mesh.ny, read_refinement(case_file)};
    // Rows and columns of a mesh of a file run as they please, and those of the ice are the same.
    auto const turned = keys.has("grid.mesh") ? io::GridVariable::Turned::not_at_all
                                              : io::GridVariable::Turned::as_places_rise;
    InputFields const file(keys, "initial.file", "initial.time", coarse.rows(), coarse.columns(), turned);
    auto coarse_mask = coarse.first_of(mesh.mask);
    auto const mask = keys.text("initial.mask");
    if (!mask.empty()) {
      if (!file.has(mask)) {
        throw case_file.error("initial.mask", file.lacks(mask) +
                                                  ", or let initial.mask = \"\" take the mesh's own and "
                                                  "initial.missing say what missing ice means");
      }
      auto const sea = file.sea("initial.mask", mask);
      for (std::size_t k = 0; k < sea.size(); ++k) coarse_mask[k] = coarse_mask[k] != 0 && sea[k] ? 1 : 0;
    }
    auto ice = read_ice(case_file, file, coarse_mask);
    if (!mask.empty()) require_ice_in_the_sea(case_file, mask, ice, coarse_mask);
    mesh.mask = coarse.spread(coarse_mask);
    if (std::ranges::count(mesh.mask, 1) == 0) {
      throw case_file.error("initial.mask",
                            (mask.empty() ? "initial.file" : mask) +
                                " leaves no sea (every cell is land there or in the mesh) "
                                "check it: sea is 1; initial.mask = \"\" takes the mesh's own");
    }
    setup.height = coarse.spread(ice.height);
    setup.concentration = coarse.spread(ice.concentration);
    setup.height.resize(dg_size, 0);
    setup.concentration.resize(dg_size, 0);
    if (!mesh.spherical && coarse.n == 1) {
      auto const places = file.places("initial.longitude_variable", "initial.latitude_variable", mesh.mask);
      setup.longitude = places.longitude;
      setup.latitude = places.latitude;
    }
    setup.attribution = keys.text("initial.attribution");
  } else {
    std::function<double(double, double)> height, concentration;
    if (source == "benchmark") {
      height = [](double x, double y) { return 0.3 + 0.005 * (math::sin(6e-5 * x) + math::sin(3e-5 * y)); };
      concentration = [](double, double) { return 1.0; };
    } else {
      double const h = keys.number("initial.height"), a = keys.number("initial.concentration");
      height = [h](double, double) { return h; };
      concentration = [a](double, double) { return a; };
    }
    with_space<1>(setup.parameters.dg, [&]<class S>() {
      setup.height = project<S>(mesh, height);
      setup.concentration = project<S>(mesh, concentration);
      return true;
    });
  }
  for (std::size_t k = 0; k < dg_size; ++k) {
    if (mesh.mask[k % static_cast<std::size_t>(mesh.cells())] == 0) {
      setup.height[k] = setup.concentration[k] = 0;
    }
  }
}

}  // namespace

Setup read_case(io::CaseFile const& case_file, bool solves_on_host) {
  Setup setup;
  auto const fits = [&](std::int64_t nx, std::int64_t ny) {
    require_memory(case_file, nx, ny, solves_on_host);
  };
  auto const keys = reader_of(case_file);
  bool const spherical = keys.choice("discretisation.coordinates") == "spherical";
  if (spherical) {
    auto const rotation = read_rotation(case_file);
    setup.mesh = read_sphere_mesh(case_file, rotation, fits);
    setup.parameters = read_parameters(case_file, spherical);
    require_spherical_maps(case_file, setup.parameters);
    read_sphere_wind(case_file, rotation, setup);
    read_ocean(case_file, setup);
    read_initial(case_file, setup);
    require_valid_cells(case_file, setup.mesh);
    set_places(rotation, setup);
  } else {
    setup.mesh = read_quad_mesh(case_file, fits);
    setup.parameters = read_parameters(case_file, spherical);
    if (setup.parameters.maps == MapsKind::constant && !setup.mesh.uniform()) {
      throw case_file.error(
          "discretisation.maps",
          "constant (the mesh's cells are not equal parallelograms) use auto or precomputed");
    }
    read_ocean(case_file, setup);
    read_initial(case_file, setup);
  }
  setup.coefficients = keys.flag("output.coefficients");
  setup.convergence = keys.flag("output.convergence");
  return setup;
}

}  // namespace ulpine::seaice
