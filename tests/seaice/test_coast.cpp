// SPDX-License-Identifier: Apache-2.0
// Coasts and initial ice from a file, on small asymmetric meshes: by hand and against PlainIce.
#include <gtest/gtest.h>
#include <netcdf.h>

#include "core/seaice/register.hpp"
#include "seaice/plain_support.hpp"
#include "support/reference_data.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using namespace ulpine::test;

/// `c` as a ParametricMesh 2.0 file: land mask and every closed side.
std::string mesh_text(PlainCase const& c) {
  std::string text = "ParametricMesh 2.0\n" + std::to_string(c.nx) + " " + std::to_string(c.ny) + "\n";
  auto const number = [](double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g ", value);
    return std::string(digits);
  };
  for (std::size_t k = 0; k < c.nodes(); ++k) {
    text += number(c.x[k]) + number(c.y[k]) + "\n";
  }
  text += "landmask " + std::to_string(c.cells()) + "\n";
  std::string sides;
  int count = 0;
  for (int j = 0; j < c.ny; ++j) {
    for (int i = 0; i < c.nx; ++i) {
      text += c.is_sea(i, j) ? "1\n" : "0\n";
      bool const closed[] = {!c.is_sea(i, j - 1), !c.is_sea(i + 1, j), !c.is_sea(i, j + 1),
                             !c.is_sea(i - 1, j)};
      for (int side = 0; side < 4 && c.is_sea(i, j); ++side) {
        if (closed[side]) {
          sides += std::to_string(c.cell(i, j)) + " " + std::to_string(side) + "\n";
          ++count;
        }
      }
    }
  }
  return text + "dirichlet " + std::to_string(count) + "\n" + sides + "periodic 0\n";
}

/// Thickness and concentration of cell (i, j): no two cells alike, nor a row like a column.
double thickness(int i, int j) { return 0.5 + 0.125 * i + 0.03125 * j * j; }
double cover(int i, int j) { return 0.9375 - 0.015625 * i - 0.0625 * j; }

double longitude(int i, int j) { return 10 + i - 0.25 * j; }
double latitude(int i, int j) { return 70 + 0.5 * j + 0.125 * i; }

/// Mask, thickness, concentration and places as other programs write them: a group, missing values on land.
void write_initial(std::filesystem::path const& path, PlainCase const& c, std::vector<int> const& mask) {
  int file = 0, group = 0, dimensions[2], variables[5];
  ASSERT_EQ(nc_create(path.c_str(), NC_NETCDF4, &file), NC_NOERR);
  nc_def_grp(file, "data", &group);
  nc_def_dim(group, "rows", static_cast<std::size_t>(c.ny), &dimensions[0]);
  nc_def_dim(group, "columns", static_cast<std::size_t>(c.nx), &dimensions[1]);
  char const* const names[] = {"mask", "hice", "cice", "longitude", "latitude"};
  double const missing = -999;
  for (int v = 0; v < 5; ++v) {
    nc_def_var(group, names[v], NC_DOUBLE, 2, dimensions, &variables[v]);
    if (v == 1 || v == 2) {
      nc_put_att_double(group, variables[v], "missing_value", NC_DOUBLE, 1, &missing);
    }
  }
  std::vector<double> sea(mask.begin(), mask.end()), h(c.cells(), missing), a(c.cells(), missing), lon, lat;
  for (int j = 0; j < c.ny; ++j) {
    for (int i = 0; i < c.nx; ++i) {
      lon.push_back(longitude(i, j));
      lat.push_back(latitude(i, j));
      if (mask[c.cell(i, j)] != 0 && c.is_sea(i, j)) {
        h[c.cell(i, j)] = thickness(i, j);
        a[c.cell(i, j)] = cover(i, j);
      }
    }
  }
  EXPECT_EQ(nc_put_var_double(group, variables[0], sea.data()), NC_NOERR);
  EXPECT_EQ(nc_put_var_double(group, variables[1], h.data()), NC_NOERR);
  EXPECT_EQ(nc_put_var_double(group, variables[2], a.data()), NC_NOERR);
  EXPECT_EQ(nc_put_var_double(group, variables[3], lon.data()), NC_NOERR);
  EXPECT_EQ(nc_put_var_double(group, variables[4], lat.data()), NC_NOERR);
  ASSERT_EQ(nc_close(file), NC_NOERR);
}

/// The small case with its land told half by the mesh and half by the file's mask.
struct RealInput {
  TemporaryFolder folder;
  PlainCase c;
  explicit RealInput(int dg) : c{small_case(dg, true)} {
    std::vector<int> mask(c.cells(), 1);
    mask[c.cell(3, 2)] = mask[c.cell(6, 4)] = 0;
    auto mesh = c;
    mesh.sea[c.cell(3, 2)] = mesh.sea[c.cell(6, 4)] = 1;
    write_file(folder / "small.smesh", mesh_text(mesh));
    write_initial(folder / "initial.nc", mesh, mask);
    c.cyclone = false;
    c.ocean_u.clear();
    c.ocean_v.clear();
  }
  std::unique_ptr<Model> model(std::string const& forcing, std::string const& more = "") const {
    register_core();
    auto const text =
        "core = 'seaice'\n[grid]\nmesh = 'small.smesh'\n[initial]\nsource = 'file'\nfile = 'initial.nc'\n"
        "attribution = 'measured by hand'\n[output]\ncoefficients = true\n[discretisation]\ndg = " +
        std::to_string(c.dg) + "\n[time]\nstep = '120 s'\nsubsteps = 6\n[forcing]\n" + forcing +
        "[seaice]\nalpha = 300\nbeta = 250\n" + more;
    return make_model(io::CaseFile::parse(text, "small.toml", folder / "."), {});
  }
};

/// `values`, component by component at each point, with 0 in place of the missing_value that all points where
/// `holds(point)` is false must have.
template <class Holds>
std::vector<double> filled(std::vector<double> values, std::size_t components, Holds const& holds) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    bool const missing = !holds(k / components);
    EXPECT_EQ(values[k] == missing_value, missing) << k;
    if (missing) values[k] = 0;
  }
  return values;
}

char const* const calm = "wind = 'calm'\nocean = 'still'\n";

TEST(InitialFile, EveryCellGetsItsOwnMaskThicknessAndConcentration) {
  for (int const dg : {1, 3}) {
    RealInput const input(dg);
    auto const model = input.model(calm);
    auto const mask = values_of(*model, "mask"), h = values_of(*model, "sivol_dg"),
               a = values_of(*model, "siconc_dg"), lon = values_of(*model, "lon"),
               lat = values_of(*model, "lat");
    EXPECT_EQ(model->attributes(),
              (std::vector<std::pair<std::string, std::string>>{{"attribution", "measured by hand"}}));
    for (auto const& info : model->fields()) {
      EXPECT_EQ(info.coordinates, info.name == "siu" || info.name == "siv" ? "" : "lon lat") << info.name;
    }
    auto const modes = static_cast<std::size_t>(dg);
    for (int j = 0; j < input.c.ny; ++j) {
      for (int i = 0; i < input.c.nx; ++i) {
        auto const cell = input.c.cell(i, j);
        bool const sea = input.c.is_sea(i, j);
        EXPECT_EQ(mask[cell], sea ? 1 : 0) << i << " " << j;
        EXPECT_EQ(lon[cell], longitude(i, j));
        EXPECT_EQ(lat[cell], latitude(i, j));
        EXPECT_EQ(h[modes * cell], sea ? thickness(i, j) : missing_value) << i << " " << j;
        EXPECT_EQ(a[modes * cell], sea ? cover(i, j) : missing_value) << i << " " << j;
        for (std::size_t m = 1; m < modes; ++m) {
          EXPECT_EQ(h[modes * cell + m], sea ? 0 : missing_value);
          EXPECT_EQ(a[modes * cell + m], sea ? 0 : missing_value);
        }
      }
    }
  }
}

TEST(InitialFile, TheIceMovesAsPlainIceDoesAroundTheIsland) {
  for (int const dg : {1, 3}) {
    for (int const variant : {0, 1, 2}) {
      RealInput input(dg);
      auto& c = input.c;
      std::string forcing = calm, more;
      if (variant > 0) {
        forcing =
            "wind = 'uniform'\nwind_u = 9\nwind_v = -4\nocean = 'uniform'\nocean_u = 0.03\nocean_v = -0.05\n";
        c.ocean_u.assign(c.nodes(), 0.03);
        c.ocean_v.assign(c.nodes(), -0.05);
        c.wind_u = 9;
        c.wind_v = -4;
      }
      if (variant == 2) {
        more = "coriolis = -2e-4\nrunge_kutta = 3\nlimiter = 'nextsim'\n";
        c.coriolis = -2e-4;
        c.runge_kutta = 3;
        c.nextsim_limiter = true;
      }
      auto const model = input.model(forcing, more);
      ExactIce exact(c);
      PlainIce<double> rounded(c);
      for (int j = 0; j < c.ny; ++j) {
        for (int i = 0; i < c.nx; ++i) {
          if (c.is_sea(i, j)) {
            exact.h[c.cell(i, j)] = rounded.h[c.cell(i, j)] = thickness(i, j);
            exact.a[c.cell(i, j)] = rounded.a[c.cell(i, j)] = cover(i, j);
          }
        }
      }

      model->advance(8);
      for (int step = 1; step <= 8; ++step) {
        exact.advance(step);
        rounded.advance(step);
      }

      auto const by_cell = [&](auto const& modes) {
        std::remove_cvref_t<decltype(modes)> result(modes.size());
        for (std::size_t k = 0; k < modes.size(); ++k) {
          result[k % c.cells() * static_cast<std::size_t>(dg) + k / c.cells()] = modes[k];
        }
        return result;
      };
      auto const at_node = [&](std::size_t node) {
        auto const i = static_cast<int>(node) % (c.nx + 1), j = static_cast<int>(node) / (c.nx + 1);
        return c.is_sea(i - 1, j - 1) || c.is_sea(i, j - 1) || c.is_sea(i - 1, j) || c.is_sea(i, j);
      };
      auto const in_cell = [&](std::size_t cell) { return c.sea[cell] != 0; };
      auto const field = [&](std::string const& name) {
        auto const values = values_of(*model, name);
        return values.size() == c.nodes() ? filled(values, 1, at_node)
                                          : filled(values, values.size() / c.cells(), in_cell);
      };
      auto const agree = [&](char const* name, auto const& wanted, auto const& with_rounding) {
        expect_agreement(field(name), wanted, with_rounding, wanted.size(), 1e-11, name);
      };
      agree("siu", exact.u, rounded.u);
      agree("siv", exact.v, rounded.v);
      agree("sivol_dg", by_cell(exact.h), by_cell(rounded.h));
      agree("siconc_dg", by_cell(exact.a), by_cell(rounded.a));
      agree("shear", exact.shear(), rounded.shear());
      EXPECT_GT(*std::max_element(exact.u.begin(), exact.u.end()), 1e-6)
          << "nothing moves: nothing is tested";

      auto const u = field("siu"), v = field("siv"), h = field("sivol");
      for (int j = 0; j <= c.ny; ++j) {
        for (int i = 0; i <= c.nx; ++i) {
          EXPECT_EQ(u[c.node(i, j)] != 0 && v[c.node(i, j)] != 0, c.moves(i, j)) << "node " << i << " " << j;
          if (i < c.nx && j < c.ny) {
            EXPECT_EQ(h[c.cell(i, j)] > 0, c.is_sea(i, j)) << "cell " << i << " " << j;
          }
        }
      }
    }
  }
}

/// 5 x 3 square cells of 1024 m, of which (2, 1) is land; uniform velocity everywhere, ice of `height` in one
/// cell; one Euler step. Numbers are powers of two: the answers are exact.
std::vector<double> carried(double u, double v, int i, int j, int dg, Assembly assembly) {
  auto mesh = rectangle_mesh(5, 3, 5 * 1024.0, 3 * 1024.0);
  mesh.mask[1 * 5 + 2] = 0;
  Parameters parameters;
  parameters.dg = dg;
  parameters.dt = 128;
  parameters.runge_kutta = 1;
  auto const solver = make("fp64", assembly, {mesh, parameters});
  std::vector<double> us(24, u), vs(24, v), h(static_cast<std::size_t>(dg) * 15, 0);
  h[static_cast<std::size_t>(j * 5 + i)] = 1;
  solver->write(FieldId::u, us.data());
  solver->write(FieldId::v, vs.data());
  solver->write(FieldId::h, h.data());
  EXPECT_TRUE(solver->run_stage("seaice.advect.update"));
  h = read(*solver, FieldId::h);
  h.resize(15);
  return h;
}

TEST(Advection, TakesFromTheUpwindCellAndGivesToTheNextInEveryDirection) {
  for (int const dg : {1, 3}) {
    for (auto const assembly : {Assembly::deterministic, Assembly::atomic}) {
      struct Way {
        double u, v;
        int di, dj;
      };
      for (auto const& [u, v, di, dj] :
           {Way{0.5, 0, 1, 0}, Way{-0.5, 0, -1, 0}, Way{0, 2, 0, 1}, Way{0, -2, 0, -1}}) {
        double const share = (std::abs(u) + std::abs(v)) * 128 / 1024;
        for (int j = 0; j < 3; ++j) {
          for (int i = 0; i < 5; ++i) {
            if (i == 2 && j == 1) {
              continue;
            }
            auto const after = carried(u, v, i, j, dg, assembly);
            std::vector<double> wanted(15, 0);
            wanted[static_cast<std::size_t>(j * 5 + i)] = 1 - share;
            int const ti = i + di, tj = j + dj;
            bool const arrives = ti >= 0 && ti < 5 && tj >= 0 && tj < 3 && !(ti == 2 && tj == 1);
            if (arrives) {  // else it leaks out: outflow is let go, see docs/explanation/cores/seaice.md
              wanted[static_cast<std::size_t>(tj * 5 + ti)] = share;
            }
            for (std::size_t k = 0; k < 15; ++k) {
              EXPECT_NEAR(after[k], wanted[k], 8 * 0x1p-53)
                  << u << " " << v << " from " << i << " " << j << " at " << k;
            }
          }
        }
      }
    }
  }
}

TEST(Advection, NothingCrossesACoastWhereTheIceStandsStill) {
  auto setup = small_case(3, true, 11, 10);
  setup.dt = 600;
  auto const at_coast = [&](int i, int j) {
    return !setup.is_sea(i - 1, j) || !setup.is_sea(i + 1, j) || !setup.is_sea(i, j - 1) ||
           !setup.is_sea(i, j + 1);
  };
  for (auto const assembly : {Assembly::deterministic, Assembly::atomic}) {
    auto const solver = make("fp64", assembly, setup_of(setup));
    give_random_fields(*solver, setup, 3);
    auto u = read(*solver, FieldId::u), v = read(*solver, FieldId::v);
    int moving = 0;
    for (int j = 0; j <= setup.ny; ++j) {
      for (int i = 0; i <= setup.nx; ++i) {
        bool const inner = setup.moves(i, j) && !at_coast(i - 1, j - 1) && !at_coast(i, j - 1) &&
                           !at_coast(i - 1, j) && !at_coast(i, j);
        moving += inner ? 1 : 0;
        if (!inner) {
          u[setup.node(i, j)] = v[setup.node(i, j)] = 0;
        }
      }
    }
    EXPECT_GE(moving, 9);
    solver->write(FieldId::u, u.data());
    solver->write(FieldId::v, v.data());
    auto const volume = [&] {
      auto const h = read(*solver, FieldId::h);
      long double sum = 0;
      for (auto const part : ExactIce(setup).integrals({h.begin(), h.end()})) {
        sum += part;
      }
      return sum;
    };

    auto const before = volume();
    auto const h_before = read(*solver, FieldId::h);
    ASSERT_TRUE(solver->run_stage("seaice.advect.update"));

    EXPECT_NE(read(*solver, FieldId::h), h_before);
    EXPECT_LT(std::abs((volume() - before) / before), 64 * 0x1p-53L) << name_of(assembly);
  }
}

TEST(RungeKutta, AmplifiesALinearProblemByItsPolynomial) {
  // One sea cell in the corner of four: all that leaves is lost, dH/dt = -(u / dx) H.
  auto mesh = rectangle_mesh(2, 2, 2048, 2048);
  mesh.mask = {1, 0, 0, 0};
  for (auto const assembly : {Assembly::deterministic, Assembly::atomic}) {
    for (int const order : {1, 2, 3}) {
      for (double const z : {-0.5, -0.3, -1.7}) {
        Parameters parameters;
        parameters.dg = 1;
        parameters.dt = -z * 1024;
        parameters.runge_kutta = order;
        auto const solver = make("fp64", assembly, {mesh, parameters});
        std::vector<double> const u(9, 1.0), v(9, 0.0), h = {1.25, 0, 0, 0};
        solver->write(FieldId::u, u.data());
        solver->write(FieldId::v, v.data());
        solver->write(FieldId::h, h.data());
        solver->write(FieldId::a, h.data());

        ASSERT_TRUE(solver->run_stage("seaice.advect.update"));

        double const amplified = 1 + z + (order > 1 ? z * z / 2 : 0) + (order > 2 ? z * z * z / 6 : 0);
        EXPECT_NEAR(read(*solver, FieldId::h)[0], 1.25 * amplified, 16 * 0x1p-53) << order << " " << z;
        EXPECT_NEAR(read(*solver, FieldId::a)[0], 1.25 * amplified, 16 * 0x1p-53) << order << " " << z;
      }
    }
  }
}

/// A smooth wave in a flow at a slant after one hour in `steps` steps.
std::vector<double> drifted(int order, int steps) {
  int const n = 12;
  auto const mesh = rectangle_mesh(n, n, n * 4000.0, n * 4000.0);
  Parameters parameters;
  parameters.runge_kutta = order;
  parameters.dt = 3600.0 / steps;
  auto const solver = make("fp64", Assembly::deterministic, {mesh, parameters});
  std::vector<double> const u((n + 1) * (n + 1), 0.4), v((n + 1) * (n + 1), -0.2);
  std::vector<double> h(3 * n * n, 0);
  for (std::size_t k = 0; k < n * n; ++k) {
    double const x = static_cast<double>(k % n), y = static_cast<double>(k / n);
    h[k] = 1 + 0.5 * std::sin(0.5 * x) * std::cos(0.4 * y);
  }
  solver->write(FieldId::u, u.data());
  solver->write(FieldId::v, v.data());
  solver->write(FieldId::h, h.data());
  for (int step = 0; step < steps; ++step) {
    solver->run_stage("seaice.advect.update");
  }
  return read(*solver, FieldId::h);
}

TEST(RungeKutta, ConvergesWithItsOrder) {
  auto const converged = drifted(3, 768);
  for (int const order : {1, 2, 3}) {
    double const coarse = relative_difference(drifted(order, 24), converged),
                 fine = relative_difference(drifted(order, 48), converged);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.1);
  }
}

/// One cell's H (or A) of three modes after the limiter, by hand.
void expect_limited(LimiterKind kind, FieldId field, std::array<double, 3> given,
                    std::array<double, 3> wanted) {
  Parameters parameters;
  parameters.limiter = kind;
  auto const solver = make("fp64", Assembly::deterministic, {rectangle_mesh(2, 2, 1, 1), parameters});
  std::vector<double> values(12, 0);
  for (std::size_t m = 0; m < 3; ++m) {
    values[4 * m + 2] = given[m];
  }
  solver->write(field, values.data());
  ASSERT_TRUE(solver->run_stage("seaice.limit"));
  auto const limited = read(*solver, field);
  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_DOUBLE_EQ(limited[4 * m + 2], wanted[m]) << "mode " << m;
  }
  EXPECT_EQ(read(*solver, field == FieldId::h ? FieldId::a : FieldId::h), std::vector<double>(12, 0));
}

TEST(Limiter, CutsByHandComputedAmounts) {
  auto const exact = LimiterKind::exact, nextsim = LimiterKind::nextsim;
  // Corner (1, 0) reaches 0.5 + (0.5 + 0.75) / 2 = 1.125, corner (0, 1) -0.125: slopes by 0.5 / 0.625.
  expect_limited(exact, FieldId::a, {0.5, 0.5, -0.75}, {0.5, 0.4, -0.6});
  expect_limited(exact, FieldId::a, {0.5, 0.5, -0.5}, {0.5, 0.5, -0.5});
  expect_limited(exact, FieldId::a, {0.75, -0.5, 0.5}, {0.75, -0.25, 0.25});    // above: 0.25 / 0.5
  expect_limited(exact, FieldId::a, {0.125, 0.5, 0.5}, {0.125, 0.125, 0.125});  // below: 0.125 / 0.5
  expect_limited(exact, FieldId::a, {1.5, 0.5, 0.25}, {1, 0, 0});
  expect_limited(exact, FieldId::a, {-0.5, 0.5, 0.25}, {0, 0, 0});
  expect_limited(exact, FieldId::h, {-0.5, 0.5, 0.25}, {0, 0, 0});
  expect_limited(exact, FieldId::h, {5, 3, -4}, {5, 3, -4});  // no upper bound
  expect_limited(exact, FieldId::h, {0.5, 1, 1}, {0.5, 0.5, 0.5});
  // The public code's excess is four times as large: 2 (|c1| + |c2|).
  expect_limited(nextsim, FieldId::h, {0.5, 0.25, -0.25}, {0.5, 0.125, -0.125});
  expect_limited(nextsim, FieldId::h, {1.5, 0.25, -0.25}, {1.5, 0.25, -0.25});
  expect_limited(nextsim, FieldId::a, {0.75, 0.25, 0.25}, {0.75, 0.0625, 0.0625});
}

TEST(Momentum, CoriolisTurnsToTheRightOfTheMotionRelativeToTheOcean) {
  for (double const f : {1.46e-4, -1e-4, 0.0}) {
    auto const mesh = rectangle_mesh(4, 4, 4000, 4000);
    Parameters parameters;
    parameters.coriolis = f;
    parameters.beta = 10;
    std::vector<double> const ocean_u(25, 0.1), ocean_v(25, 0.05), zero(25, 0), h(25, 2), u(25, 0.6),
        v(25, 0.05);
    auto const solver = make("fp64", Assembly::deterministic, {mesh, parameters, ocean_u, ocean_v});
    for (auto const& [field, values] : {std::pair{FieldId::u, &u},
                                        {FieldId::v, &v},
                                        {FieldId::u0, &u},
                                        {FieldId::v0, &v},
                                        {FieldId::node_h, &h},
                                        {FieldId::node_a, &zero}}) {
      solver->write(field, values->data());
    }
    ASSERT_TRUE(solver->run_stage("seaice.velocity"));
    // No drag (A = 0), no wind, no stress: rho H (1 + beta) / dt dv = -rho H f (u - u_o).
    double const turn = f * 0.5 * 120 / 11;
    for (std::size_t k = 0; k < 25; ++k) {
      EXPECT_NEAR(read(*solver, FieldId::u)[k], 0.6, 2 * 0x1p-53);
      EXPECT_NEAR(read(*solver, FieldId::v)[k], 0.05 - turn, 4 * 0x1p-53);
    }
  }
}

TEST(Momentum, WaterDragPullsTowardsTheOceanAndWindAlongItself) {
  auto const mesh = rectangle_mesh(4, 4, 4000, 4000);
  Parameters parameters;
  parameters.coriolis = 0;
  parameters.beta = 4;
  parameters.dt = 90;
  std::vector<double> const ocean_u(25, 0.3), ocean_v(25, -0.4), zero(25, 0), h(25, 0.5), a(25, 0.5),
      wind_x(25, 0.7), wind_y(25, -0.2), start_x(25, 0.02), start_y(25, 0.01);
  auto const solver = make("fp64", Assembly::deterministic, {mesh, parameters, ocean_u, ocean_v});
  for (auto const& [field, values] : {std::pair{FieldId::u0, &start_x},
                                      {FieldId::v0, &start_y},
                                      {FieldId::node_h, &h},
                                      {FieldId::node_a, &a},
                                      {FieldId::wind_x, &wind_x},
                                      {FieldId::wind_y, &wind_y}}) {
    solver->write(field, values->data());
  }
  ASSERT_TRUE(solver->run_stage("seaice.velocity"));
  // r = 900 0.5 / 90 = 5, c = 0.5 1026 5.5e-3 0.5 = 1.410750; v = (r v0 + c v_o + tau) / (5 r + c), old v =
  // 0.
  EXPECT_NEAR(read(*solver, FieldId::u)[12], (5 * 0.02 + 1.41075 * 0.3 + 0.7) / 26.41075, 1e-15);
  EXPECT_NEAR(read(*solver, FieldId::v)[12], (5 * 0.01 - 1.41075 * 0.4 - 0.2) / 26.41075, 1e-15);
}

}  // namespace
