// SPDX-License-Identifier: Apache-2.0
// What whole steps of the model hold to: states that stay, grids that are moved or turned, a column's own
// equations, eddies and water at rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/field/values.hpp"
#include "core/stage/observe.hpp"
#include "fdm/air_support.hpp"

namespace {

using namespace ulpine;
using std::numbers::pi;

class Steps : public test::Air {
 public:
  /// Sets a field of the state, in double, by (level, row, point).
  static void set(Model& model, std::string const& name,
                  std::function<double(std::int64_t, std::int64_t, std::int64_t)> const& value) {
    io::StoredState state(*model.state());
    auto const& arrays = state.header().arrays;
    auto const found = std::ranges::find(arrays, name, &io::StateArray::name);
    ASSERT_NE(found, arrays.end()) << name;
    ASSERT_EQ(found->shape.size(), 3u);
    std::vector<double> values;
    for (std::int64_t k = 0; k < found->shape[0]; ++k) {
      for (std::int64_t j = 0; j < found->shape[1]; ++j) {
        for (std::int64_t i = 0; i < found->shape[2]; ++i) values.push_back(value(k, j, i));
      }
    }
    auto const bytes = state.bytes(static_cast<std::size_t>(found - arrays.begin()));
    ASSERT_EQ(bytes.size(), values.size() * sizeof(double));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    model.restore(state);
  }
  static double largest(std::vector<double> const& values) {
    double most = 0;
    for (double const value : values) most = std::max(most, std::abs(value));
    return most;
  }
};

TEST_F(Steps, LeaveAnEvenWindAlone) {
  // Of the base state's own wind nothing is mixed, drawn, turned or carried: all its differences are 0.
  for (auto const* scheme : {"runge_kutta", "leapfrog"}) {
    for (auto const* closure : {"smagorinsky", "none"}) {
      auto const model = make(
          "[grid]\nnx = 6\nny = 5\nnz = 8\ndx = 500.0\ndy = 600.0\ndz = 400.0\n[time]\nstep = '3 s'\nscheme "
          "= '" +
          std::string(scheme) +
          "'\n[base]\nkind = 'constant_n'\nu = 3.0\nv = -2.0\n[air]\ncoriolis = 1e-3\ndensity = "
          "'full'\n[sponge]\nfrom = "
          "1000.0\nrate = 0.02\n[mixing]\ndiffusivity = 80.0\nfourth_order = 1e-3\nclosure = '" +
          closure + "'\n");
      model->advance(4);
      for (double const u : read(*model, "u")) EXPECT_EQ(u, 3);
      for (double const v : read(*model, "v")) EXPECT_EQ(v, -2);
      for (auto const* name : {"w", "p", "theta"}) EXPECT_EQ(largest(read(*model, name)), 0) << name;
    }
  }
}

/// An even wind of (3, 4) m/s in a periodic box of five levels of 100 m, under a lid at 500 m.
std::string even_wind(std::string const& forest) {
  return "[grid]\nnx = 4\nny = 3\nnz = 5\ndx = 200.0\ndz = 100.0\n[time]\nstep = '2 s'\n"
         "[base]\nu = 3.0\nv = 4.0\n[canopy]\ndrag_coefficient = 0.2\n" +
         forest;
}

TEST_F(Steps, AForestSlowsAnEvenWindByItsSquare) {
  // d|U|/dt = -c a |U|^2 from 5 m/s: 1 / |U| grows by c a in a second, whatever the step; with the second
  // forest the wind would lose more than all of it in a step that is explicit.
  for (double const leaves : {0.05, 2.0}) {
    auto const model =
        make(even_wind("height = 1000.0\nleaf_area_density = " + std::to_string(leaves) + "\n"));
    model->advance(50);
    auto const exact = 5 / (1 + 0.2 * leaves * 5 * 100);
    for (double const u : read(*model, "u")) EXPECT_NEAR(u, 0.6 * exact, 1e-12);
    for (double const v : read(*model, "v")) EXPECT_NEAR(v, 0.8 * exact, 1e-12);
    EXPECT_LT(largest(read(*model, "w")), 1e-12);
  }
}

TEST_F(Steps, AForestEndsAtItsTop) {
  auto const model = make(even_wind("height = 250.0\nleaf_area_density = 0.05\n"));
  auto const leaves = read(*model, "leaf_area_density");
  model->advance(1);
  auto const us = read(*model, "u");
  auto const cells = leaves.size() / 5, faces = us.size() / 5;
  std::vector<double> const share{1, 1, 0.5, 0, 0};
  for (std::size_t level = 0; level < 5; ++level) {
    EXPECT_EQ(leaves[level * cells], 0.05 * share[level]) << level;
    EXPECT_NEAR(us[level * faces], 3 / (1 + 2 * 0.01 * share[level] * 5), 1e-12) << level;
  }
}

TEST_F(Steps, AForestSlowsWhatRises) {
  // A rising bubble in calm air: with leaves everywhere it is slower, and the air stays symmetric about it.
  std::string const rising =
      "[grid]\nnx = 8\nny = 8\nnz = 8\ndx = 100.0\ndz = 100.0\n[time]\nstep = '1 s'\n[sound]\nlongest_step = "
      "'0.2 s'\n[start]\nkind = "
      "'bubble'\nradius_x = 250.0\nradius_z = 250.0\ncentre_z = 350.0\n";
  auto const bare = make(rising),
             grown = make(rising +
                          "[canopy]\nheight = 1000.0\nleaf_area_density = 2.0\ndrag_coefficient = 0.5\n");
  bare->advance(60);
  grown->advance(60);
  EXPECT_LT(largest(read(*grown, "w")), 0.8 * largest(read(*bare, "w")));
  auto const u = read(*grown, "u"), v = read(*grown, "v");
  for (std::size_t k = 0; k < 8; ++k) {
    for (std::size_t j = 0; j < 8; ++j) {
      for (std::size_t i = 0; i <= 8; ++i) {
        EXPECT_NEAR(u[(k * 8 + j) * 9 + i], v[(k * 9 + i) * 8 + j], 1e-12) << k << " " << j << " " << i;
      }
    }
  }
}

TEST_F(Steps, AProcessThatACaseDoesWithoutIsNotThere) {
  auto const names = [](Model const& model) {
    std::vector<std::string> all;
    for (auto const& stage : model.stages()) all.push_back(stage.name);
    for (auto const& info : model.fields()) all.push_back(info.name);
    for (auto const& info : model.static_fields()) all.push_back(info.name);
    return all;
  };
  auto const has = [](std::vector<std::string> const& all, char const* part) {
    return std::ranges::any_of(all, [&](auto const& name) { return name.find(part) != name.npos; });
  };
  auto const dry = names(*make("[grid]\nnx = 4\nnz = 4\n"));
  auto const wet =
      names(*make("[grid]\nnx = 4\nnz = 4\n[air]\nhumid = true\n[canopy]\nheight = 9.0\n"
                  "[mixing]\nclosure = 'energy'\n"));
  for (auto const* part : {"canopy", "leaf", "rain", "qv", "eddies", "viscosity", "mixing"}) {
    EXPECT_FALSE(has(dry, part)) << part;
    EXPECT_TRUE(has(wet, part)) << part;
  }
}

/// A bubble in a wind on 12 x 10 cells of 512 x 768 m.
std::string bubble(int moved_x, int moved_y, std::string const& more) {
  return "[grid]\nnx = 12\nny = 10\nnz = 7\ndx = 512.0\ndy = 768.0\ndz = 400.0\n[start]\nkind = "
         "'bubble'\namplitude = "
         "4.0\nradius_x = 1100.0\nradius_y = 1200.0\nradius_z = 1200.0\ncentre_z = 1300.0\ncentre_x = " +
         std::to_string(512 * (6 + moved_x)) + ".0\ncentre_y = " + std::to_string(768 * (5 + moved_y)) +
         ".0\n" + more;
}

TEST_F(Steps, AreTheSameWhereverAPeriodBegins) {
  // A bubble moved by 3 cells along both axes, to the rim, does the same there to the bit.
  std::string const wind = "[base]\nkind = 'constant_n'\nu = 9.0\nv = -6.0\n[air]\ncoriolis = 1e-3\n";
  for (auto const& more :
       {wind +
            "density = 'full'\n[time]\nstep = '3 s'\n[advection]\norder = 5\n[mixing]\nclosure = 'energy'\n",
        wind + "[time]\nstep = '3 s'\nscheme = 'leapfrog'\n[mixing]\nclosure = 'smagorinsky'\ndiffusivity = "
               "50.0\nfourth_order = 1e-3\n",
        wind + "humid = true\n[time]\nstep = '3 s'\nscheme = 'leapfrog'\n[mixing]\nfourth_order = "
               "1e-3\n[advection]\norder "
               "= 5\n"}) {
    auto const here = make(bubble(0, 0, more)), there = make(bubble(3, 3, more));
    here->advance(5);
    there->advance(5);
    for (auto const* name : {"u", "v", "w", "p", "theta"}) {
      auto const first = read(*here, name), second = read(*there, name);
      std::size_t const row = *name == 'u' ? 13 : 12, rows = *name == 'v' ? 11 : 10,
                        levels = *name == 'w' ? 8 : 7;
      for (std::size_t k = 0; k < levels; ++k) {
        for (std::size_t j = 0; j < 10; ++j) {
          for (std::size_t i = 0; i < 12; ++i) {
            ASSERT_EQ(first[(k * rows + j) * row + i], second[(k * rows + (j + 3) % 10) * row + (i + 3) % 12])
                << name << " " << k << " " << j << " " << i << more;
          }
        }
      }
      // The last faces are the first.
      for (std::size_t k = 0; k < 7; ++k) {
        for (std::size_t j = 0; *name == 'u' && j < 10; ++j) {
          EXPECT_EQ(first[(k * rows + j) * row], first[(k * rows + j) * row + 12]);
        }
        for (std::size_t i = 0; *name == 'v' && i < 12; ++i) {
          EXPECT_EQ(first[k * rows * row + i], first[(k * rows + 10) * row + i]);
        }
      }
    }
    EXPECT_GT(largest(read(*here, "w")), 0.1);
  }
}

struct Turned {
  char const *sides_x, *sides_y, *more;
};
class InAnotherFrame : public Steps, public ::testing::WithParamInterface<Turned> {};

TEST_P(InAnotherFrame, DoTheSameWithXAndYExchanged) {
  // Exchanged axes are a mirror: the air turns the other way. Sums are in another order, so that a few bits
  // may differ, of which some thousand steps of arithmetic make no more than 1e-10 of what moves.
  auto const& [sides_x, sides_y, more] = GetParam();
  constexpr std::size_t nx = 9, ny = 7, nz = 6;
  auto const open = (std::string(sides_x) + sides_y).find("open") != std::string::npos;
  auto const text = [&](bool turned) {
    auto const number = [](double value) { return std::to_string(value); };
    auto const axis = [&](bool first, double a, double b) { return number(first != turned ? a : b); };
    auto const ends = [](std::string const& low, std::string const& high, std::string const& both) {
      auto const comma = both.find(',');
      return low + " = '" + both.substr(0, comma) + "'\n" + high + " = '" + both.substr(comma + 1) + "'\n";
    };
    return "[grid]\nnx = " + std::to_string(turned ? ny : nx) + "\nny = " + std::to_string(turned ? nx : ny) +
           "\nnz = 6\ndx = " + axis(true, 500, 600) + "\ndy = " + axis(false, 500, 600) +
           "\ndz = 400.0\n[boundary]\n" + ends("west", "east", turned ? sides_y : sides_x) +
           ends("south", "north", turned ? sides_x : sides_y) +
           (open ? "phase_speed = 2.0\ninflow_rate = 0.02\n" : "") +
           "[base]\nkind = 'constant_n'\nu = " + axis(true, 5, -3) + "\nv = " + axis(false, 5, -3) +
           "\n[start]\nkind = 'bubble'\namplitude = 4.0\nradius_z = 1100.0\ncentre_z = 1100.0\ncentre_x = " +
           axis(true, 1800, 2500) + "\ncentre_y = " + axis(false, 1800, 2500) +
           "\nradius_x = " + axis(true, 1500, 1900) + "\nradius_y = " + axis(false, 1500, 1900) +
           "\n[time]\nstep = '3 s'\n" + more + "[air]\ndensity = 'full'\ncoriolis = " + (turned ? "-" : "") +
           "2e-3\n";
  };
  auto const here = make(text(false)), there = make(text(true));
  here->advance(6);
  there->advance(6);
  auto const compare = [&](char const* name, char const* other, std::size_t columns, std::size_t rows,
                           std::size_t levels) {
    auto const first = read(*here, name), second = read(*there, other);
    auto const size = largest(first);
    EXPECT_GT(size, 0.01) << name;
    for (std::size_t k = 0; k < levels; ++k) {
      for (std::size_t j = 0; j < rows; ++j) {
        for (std::size_t i = 0; i < columns; ++i) {
          ASSERT_NEAR(first[(k * rows + j) * columns + i], second[(k * columns + i) * rows + j], 1e-10 * size)
              << name << " " << k << " " << j << " " << i;
        }
      }
    }
  };
  compare("u", "v", nx + 1, ny, nz);
  compare("v", "u", nx, ny + 1, nz);
  compare("w", "w", nx, ny, nz + 1);
  compare("p", "p", nx, ny, nz);
  compare("theta", "theta", nx, ny, nz);
}
INSTANTIATE_TEST_SUITE_P(
    Host, InAnotherFrame,
    ::testing::Values(
        Turned{"periodic,periodic", "wall,wall", "[mixing]\nclosure = 'smagorinsky'\nfourth_order = 1e-3\n"},
        Turned{"wall,open", "open,zero_gradient",
               "scheme = 'leapfrog'\n[mixing]\nclosure = 'energy'\ndiffusivity = 40.0\n[advection]\norder = "
               "5\n"},
        Turned{"open,wall", "zero_gradient,wall",
               "[terrain]\nkind = 'bell'\nheight = 300.0\nhalf_width = 1500.0\ncentre_x = 2200.0\ncentre_y = "
               "2200.0\n"},
        Turned{
            "open,open", "periodic,periodic",
            "scheme = 'leapfrog'\n[terrain]\nkind = 'bell'\nheight = 300.0\nhalf_width = 1500.0\ncentre_x = "
            "2200.0\ncentre_y = 2200.0\n[mixing]\nclosure = 'smagorinsky'\n"}));

TEST_F(Steps, TakeTheirFactorsFromAnywhereToTheSameBits) {
  for (auto const* ground : {"", "[terrain]\nkind = 'bell'\nheight = 300.0\nhalf_width = 1500.0\n"}) {
    std::vector<std::uint64_t> hashes;
    for (auto const* factors : {"kept", "stored", "fused"}) {
      auto const model = make(bubble(0, 0,
                                     "[time]\nstep = '3 s'\n[air]\ndensity = 'full'\n" + std::string(ground) +
                                         "[sound]\nfactors = '" + factors + "'\n"));
      model->advance(2);
      hashes.push_back(model->state_hash());
      EXPECT_GT(largest(read(*model, "w")), 0.1);
    }
    EXPECT_EQ(hashes[0], hashes[1]) << ground;
    EXPECT_EQ(hashes[0], hashes[2]) << ground;
  }
}

/// Air that only moves up and down: the linear equations of w, p' and theta' on the levels of the grid,
/// dw/dt = -(1/rho) (dp'/dz + g rho p' / (gamma p_0)) + g theta'/theta_0, dp'/dt = rho g w - gamma p_0 dw/dz,
/// dtheta'/dt = -w dtheta_0/dz, with means over two levels where values are between them.
struct Column {
  static constexpr int nz = 20;
  static constexpr double dz = 500, temperature = 280, gamma = 1004.0 / 717;
  static double height(double level) { return level * dz; }
  static double exner(double z) { return std::exp(-9.8 * z / (1004 * temperature)); }
  static double theta0(double z) { return temperature / exner(z); }
  static double pressure(double z) { return 1e5 * std::pow(exner(z), 1004.0 / 287); }
  static double density(double z) { return pressure(z) / (287 * temperature); }
  using State = std::vector<double>;  ///< nz + 1 of w, nz of p', nz of theta'
  static State rates(State const& s) {
    State change(s.size());
    auto const w = [&](int k) { return s[static_cast<std::size_t>(k)]; };
    auto const p = [&](int k) { return s[static_cast<std::size_t>(nz + 1 + k)]; };
    auto const theta = [&](int k) { return s[static_cast<std::size_t>(2 * nz + 1 + k)]; };
    auto const z = [](int k) { return height(k + 0.5); };
    auto const slope = [&](int face) {
      auto const k = std::clamp(face, 1, nz - 1);
      return (theta0(z(k)) - theta0(z(k - 1))) / dz;
    };
    for (int k = 1; k < nz; ++k) {
      auto const heavy = [&](int n) { return density(z(n)) * p(n) / (gamma * pressure(z(n))); };
      auto const warm = (theta(k) / theta0(z(k)) + theta(k - 1) / theta0(z(k - 1))) / 2;
      change[static_cast<std::size_t>(k)] =
          9.8 * warm - ((p(k) - p(k - 1)) / dz + 9.8 * (heavy(k) + heavy(k - 1)) / 2) /
                           ((density(z(k)) + density(z(k - 1))) / 2);
    }
    for (int k = 0; k < nz; ++k) {
      change[static_cast<std::size_t>(nz + 1 + k)] =
          density(z(k)) * 9.8 * (w(k) + w(k + 1)) / 2 - gamma * pressure(z(k)) * (w(k + 1) - w(k)) / dz;
      change[static_cast<std::size_t>(2 * nz + 1 + k)] = -(w(k) * slope(k) + w(k + 1) * slope(k + 1)) / 2;
    }
    return change;
  }
  /// By classical Runge-Kutta steps of 1/50 s, of 1e-9 in a minute.
  static State after(State s, double time) {
    auto const steps = static_cast<int>(time * 50);
    auto const h = time / steps;
    auto const moved = [](State const& from, State const& by, double length) {
      State sum = from;
      for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += length * by[n];
      return sum;
    };
    for (int step = 0; step < steps; ++step) {
      auto const a = rates(s), b = rates(moved(s, a, h / 2)), c = rates(moved(s, b, h / 2)),
                 d = rates(moved(s, c, h));
      for (std::size_t n = 0; n < s.size(); ++n) s[n] += h / 6 * (a[n] + 2 * b[n] + 2 * c[n] + d[n]);
    }
    return s;
  }
};

TEST_F(Steps, FollowTheEquationsOfAColumn) {
  // A disturbance so weak that it carries nothing, of which the model's errors are those of its steps: they
  // fall with their square. 1e-3 of the base state's heights are the test's, 1e-8 the model's.
  auto const start_p = [](double z) {
    return 1e-3 * std::cos(pi * z / 10000) + 4e-4 * std::cos(2 * pi * z / 10000);
  };
  auto const start_theta = [](double z) { return 2e-4 * std::sin(pi * z / 10000); };
  Column::State start(3 * Column::nz + 1);
  for (int k = 0; k < Column::nz; ++k) {
    auto const z = Column::height(k + 0.5);
    start[static_cast<std::size_t>(Column::nz + 1 + k)] = start_p(z);
    start[static_cast<std::size_t>(2 * Column::nz + 1 + k)] = start_theta(z);
  }
  auto const wanted = Column::after(start, 60);
  for (auto const* scheme : {"scheme = 'runge_kutta'\n", "scheme = 'leapfrog'\nasselin = 0.0\n"}) {
    for (auto const* density : {"base", "full"}) {
      double errors[2][3] = {};
      for (int const fine : {0, 1}) {
        auto const step = fine ? 0.75 : 1.5;
        auto const model = make(
            "[grid]\nnx = 2\nnz = 20\ndz = 500.0\n[base]\nkind = 'isothermal'\ntheta = 280.0\n"
            "[sound]\nimplicitness = 0.5\ndivergence_damping = 0.0\nlongest_step = '" +
            std::to_string(step / 6) + " s'\n[air]\ndensity = '" + density + "'\n[time]\nstep = '" +
            std::to_string(step) + " s'\n" + scheme);
        for (auto const* when : {"", "start_"}) {
          if (*when != 0 && std::string(scheme).find("leap") == std::string::npos) continue;
          set(*model, std::string(when) + "p",
              [&](auto k, auto, auto) { return start_p(Column::height(static_cast<double>(k) + 0.5)); });
          set(*model, std::string(when) + "theta",
              [&](auto k, auto, auto) { return start_theta(Column::height(static_cast<double>(k) + 0.5)); });
        }
        model->advance(fine ? 80 : 40);
        std::vector<double> const found[] = {read(*model, "w"), read(*model, "p"), read(*model, "theta")};
        std::size_t const first[] = {0, Column::nz + 1, 2 * Column::nz + 1},
                          count[] = {Column::nz + 1, Column::nz, Column::nz};
        for (int n = 0; n < 3; ++n) {
          double size = 0;
          for (std::size_t k = 0; k < count[n]; ++k) {
            errors[fine][n] = std::max(errors[fine][n], std::abs(found[n][2 * k] - wanted[first[n] + k]));
            size = std::max(size, std::abs(wanted[first[n] + k]));
          }
          errors[fine][n] /= size;
        }
        EXPECT_EQ(largest(read(*model, "u")), 0);
      }
      for (int n = 0; n < 3; ++n) {
        EXPECT_GT(std::log2(errors[0][n] / errors[1][n]), 1.75) << scheme << density << " field " << n;
        EXPECT_LT(errors[1][n], 0.02) << scheme << density << " field " << n;
      }
    }
  }
}

TEST_F(Steps, PushAirByItsOwnDensity) {
  // At rest du/dt = -1/rho dp/dx; where pressure is up by 3 %, so is density, by 3 % / gamma.
  auto const model = make(
      "[grid]\nnx = 400\nnz = 4\ndx = 50.0\ndz = 50.0\n[air]\ndensity = 'full'\n[base]\ntheta = "
      "300.0\n[time]\nstep = '0.01 "
      "s'\n[sound]\nlongest_step = '0.01 s'\ndivergence_damping = 0.0\n[start]\nkind = "
      "'acoustic_pulse'\namplitude = "
      "3000.0\nradius_x = 2000.0\n");
  model->advance(1);
  auto const u = read(*model, "u");
  double most = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    auto const exner = 1 - 9.8 * (static_cast<double>(k) + 0.5) * 50 / (1004 * 300);
    auto const base = 1e5 * std::pow(exner, 1004.0 / 287);
    for (std::size_t i = 100; i < 300; ++i) {
      auto const off = (static_cast<double>(i) * 50 - 10000) / 2000;
      auto const p = 3000 * std::exp(-off * off), slope = -2 * off / 2000 * p;
      auto const density = 1e5 * std::pow((base + p) / 1e5, 717.0 / 1004) / (287 * 300);
      auto const wanted = -0.01 * slope / density;
      most = std::max(most, std::abs(wanted));
      // Differences over 50 m of what varies over 2000: (50 / 2000)^2 / 24 times up to 6; the third order of
      // p'.
      EXPECT_NEAR(u[k * 401 + i], wanted, 5e-4 * 0.01 * 3000 / 2000 / density) << k << " " << i;
    }
  }
  EXPECT_GT(most, 0.01);
}

TEST_F(Steps, BeginWithTheWindAlongTheGround) {
  // A bell's slope in the middle between two of its columns' heights, times the wind.
  auto const model = make(
      "[grid]\nnx = 16\nny = 12\nnz = 8\ndx = 500.0\ndy = 700.0\ndz = 500.0\n[base]\nu = 8.0\nv = "
      "-5.0\n[terrain]\nkind = "
      "'bell'\nheight = 400.0\nhalf_width = 1800.0\n");
  auto const h = [](double x, double y) {
    auto const a = (x - 4000) / 1800, b = (y - 4200) / 1800;
    return 400 / (1 + a * a + b * b);
  };
  for (int const steps : {0, 2}) {
    model->advance(steps);
    auto const u = read(*model, "u"), v = read(*model, "v"), w = read(*model, "w");
    for (std::size_t j = 1; j < 11; ++j) {
      for (std::size_t i = 1; i < 15; ++i) {
        auto const x = (static_cast<double>(i) + 0.5) * 500, y = (static_cast<double>(j) + 0.5) * 700;
        auto const wanted =
            (u[j * 17 + i] * (h(x, y) - h(x - 500, y)) + u[j * 17 + i + 1] * (h(x + 500, y) - h(x, y))) /
                1000 +
            (v[j * 16 + i] * (h(x, y) - h(x, y - 700)) + v[(j + 1) * 16 + i] * (h(x, y + 700) - h(x, y))) /
                1400;
        EXPECT_NEAR(w[j * 16 + i], wanted, 1e-11) << steps << " " << j << " " << i;
      }
    }
    EXPECT_GT(largest(w), 0.5);
    if (steps == 0) {
      for (double const wind : u) EXPECT_EQ(wind, 8);
      for (double const wind : v) EXPECT_EQ(wind, -5);
    }
  }
}

TEST_F(Steps, MixTheBaseStatesWarmthByEddies) {
  // Still air of constant N with eddies of e = 0.5: in one step of 1 s they take heat from the highest level
  // and give it to the lowest, and lose energy to N^2 and by dissipation.
  constexpr double e = 0.5, dz = 100, n2 = 1e-4;
  auto const model = make(
      "[grid]\nnx = 4\nnz = 6\ndx = 100.0\ndz = 100.0\n[base]\nkind = 'constant_n'\nfrequency = "
      "0.01\n[time]\nstep = '1 "
      "s'\n[mixing]\nclosure = 'energy'\n[start]\nenergy = 0.5\n");
  for (double const value : read(*model, "e")) EXPECT_EQ(value, e);
  model->advance(1);
  auto const theta = read(*model, "theta"), energy = read(*model, "e");
  auto const base = [](double level) { return 300 * std::exp(n2 * level * dz / 9.8); };
  // l = 0.76 sqrt(e) / N = 53.7, of Delta = 100 in one row; of exp(N^2 z / g) N^2 by differences is the same
  // to (N^2 dz / g)^2 / 6 = 2e-7, at ground and lid, where one side is missing, to N^2 dz / (2 g) = 5e-4.
  auto const length = 0.76 * std::sqrt(e / n2), k_h = (1 + 2 * length / 100) * 0.1 * length * std::sqrt(e);
  auto const flux = [&](double face) { return k_h * (base(face + 0.5) - base(face - 0.5)) / dz; };
  for (std::size_t i = 0; i < 4; ++i) {
    // Density changes by a hundredth from level to level, half of which counts here.
    EXPECT_NEAR(theta[i] / (flux(1) / dz), 1, 0.01);
    EXPECT_NEAR(theta[5 * 4 + i] / (flux(5) / dz), -1, 0.01);
    EXPECT_LT(std::abs(theta[2 * 4 + i]), 0.05 * flux(3) / dz);
    auto const c = 0.19 + 0.51 * length / 100;
    EXPECT_NEAR(energy[2 * 4 + i] - e, -k_h * n2 - c * std::pow(e, 1.5) / length, 1e-5);
  }
}

TEST_F(Steps, CarryEnergyByTwiceTheViscosity) {
  // In neutral air at rest K = 0.1 Delta sqrt(e) and C = 0.7: e changes by d/dx (2 K de/dx) - C e^(3/2) /
  // Delta.
  constexpr std::int64_t n = 8;
  auto const energy = [](std::int64_t i) {
    return 0.5 + 0.2 * std::sin(2 * pi * static_cast<double>(i) / n);
  };
  auto const model = make(
      "[grid]\nnx = 8\nnz = 4\ndx = 100.0\ndz = 100.0\n[time]\nstep = '1 s'\n[mixing]\nclosure = 'energy'\n");
  set(*model, "e", [&](auto, auto, auto i) { return energy(i); });
  model->advance(1);
  auto const found = read(*model, "e");
  for (std::int64_t i = 0; i < n; ++i) {
    auto const k = [&](std::int64_t at) { return 10 * std::sqrt(energy(at)); };
    auto const flux = [&](std::int64_t at) {
      return (k(at) + k(at + 1)) / 2 * (energy(at + 1) - energy(at)) / 100;
    };
    auto const wanted = 2 * (flux(i) - flux(i - 1)) / 100 - 0.7 * std::pow(energy(i), 1.5) / 100;
    EXPECT_NEAR(found[static_cast<std::size_t>(n + i)] - energy(i), wanted, 1e-12) << i;
  }
}

TEST_F(Steps, KeepDryAirDry) {
  // Air that is let be humid but has no water never gets any, whatever its theta does.
  for (auto const* scheme : {"runge_kutta", "leapfrog"}) {
    auto const model =
        make(bubble(0, 0,
                    "[base]\nkind = 'constant_n'\n[air]\nhumid = true\n[time]\nstep = '3 s'\nscheme = '" +
                        std::string(scheme) + "'\n"));
    model->advance(3);
    EXPECT_GT(largest(read(*model, "w")), 0.1);
    for (auto const* name : {"qv", "qc", "qr", "rain"}) EXPECT_EQ(largest(read(*model, name)), 0) << name;
  }
}

/// Dry air of constant N at rest over 4 x 1 columns on stretched levels, with water.
std::string humid(std::string const& time) {
  return "[grid]\nnx = 4\nnz = 10\ndx = 1000.0\ndz = 500.0\nthinnest = 300.0\nstretching = "
         "'tanh'\n[base]\nkind = "
         "'constant_n'\n[air]\nhumid = true\n[time]\n" +
         time;
}
double exner_of(double z) {  // 1 - g^2 / (c_p N^2 theta_s) (1 - exp(-N^2 z / g))
  return 1 - 9.8 * 9.8 / (1004 * 1e-4 * 300) * (1 - std::exp(-1e-4 * z / 9.8));
}
struct Budget {
  double vapour = 0, cloud = 0, rain = 0;  ///< kg m-2
  double total() const { return vapour + cloud + rain; }
};
/// Of the first column.
Budget water_of(Model const& model) {
  auto const levels = model.coordinates();
  auto const faces = std::ranges::find(levels, "z_w", &io::Coordinate::name)->values;
  auto const qv = Steps::read(model, "qv"), qc = Steps::read(model, "qc"), qr = Steps::read(model, "qr");
  Budget sum;
  for (std::size_t k = 0; k < 10; ++k) {
    auto const middle = (faces[k] + faces[k + 1]) / 2;
    auto const density =
        1e5 * std::pow(exner_of(middle), 717.0 / 287) / (287 * 300 * std::exp(1e-4 * middle / 9.8));
    auto const mass = density * (faces[k + 1] - faces[k]);
    sum.vapour += mass * qv[k * 4];
    sum.cloud += mass * qc[k * 4];
    sum.rain += mass * qr[k * 4];
  }
  return sum;
}

/// rho q_r V, kg m-2 s-1, of 2 g kg-1 at 150 m.
double even_rain() {
  auto const density = 1.146, rain = density * 2e-3;
  return rain * 36.34 * std::pow(0.001 * rain, 0.1364) * std::sqrt(1.225 / density);
}

TEST_F(Steps, LoseTheRainThatFallsToTheGround) {
  // Of even rain in air at rest nothing is carried; what falls in 2 s is rho q_r V over the ground.
  auto const model = make(humid("step = '2 s'\n"));
  set(*model, "qr", [](auto, auto, auto) { return 2e-3; });
  auto const before = water_of(*model);
  model->advance(1);
  auto const after = water_of(*model);
  auto const fallen = read(*model, "rain")[0];
  // The test's base state is the model's to 1e-8.
  EXPECT_NEAR(after.total() + fallen, before.total(), 1e-7 * before.total());
  EXPECT_GT(after.vapour, 0);  // some evaporated
  // Evaporation into quite dry air takes 1.5e-5 of 2e-3 each second.
  EXPECT_NEAR(fallen / (2 * even_rain()), 1, 0.03);
}

TEST_F(Steps, CountRainOfLeapsOnce) {
  // A first step of 1 s, then a leap over it and another: what is missing after 2 s has fallen in them, half
  // of it in the leap, which falls as far as both; of what evaporates meanwhile the halves differ by 1 %.
  auto const model = make(humid("step = '1 s'\nscheme = 'leapfrog'\nasselin = 0.0\n"));
  for (auto const* name : {"qr", "start_qr"}) set(*model, name, [](auto, auto, auto) { return 2e-3; });
  auto const before = water_of(*model);
  model->advance(2);
  auto const fallen = read(*model, "rain")[0];
  EXPECT_NEAR(fallen / (before.total() - water_of(*model).total()), 1, 0.02);
  EXPECT_NEAR(fallen / (2 * even_rain()), 1, 0.03);
}

TEST_F(Steps, CondenseWhatIsTooMuchVapour) {
  // 20 g kg-1 are more than air holds but at the ground: clouds, whose heat is L_v / (c_p exner) times them.
  for (auto const* scheme : {"step = '1 s'\n", "step = '1 s'\nscheme = 'leapfrog'\n"}) {
    auto const model = make(humid(scheme));
    set(*model, "qv", [](auto, auto, auto) { return 0.02; });
    auto const before = water_of(*model);
    model->advance(1);
    auto const after = water_of(*model);
    EXPECT_GT(after.cloud, 0.05 * before.vapour);
    EXPECT_NEAR(after.total(), before.total(), 1e-7 * before.total());
    auto const theta = read(*model, "theta"), qc = read(*model, "qc"), qr = read(*model, "qr");
    // Near 2500 m; exner of the levels about it is the same to 5 %.
    EXPECT_NEAR(theta[5 * 4] / (2.50078e6 / (1004 * exner_of(2500)) * (qc[5 * 4] + qr[5 * 4])), 1, 0.05);
  }
}

/// A field that a stage writes, in doubles, as it was last written.
struct Seen : StageObserver {
  explicit Seen(std::string of) : field{std::move(of)} {}
  void stage_done(StagePosition const&, char const*, char const* name, RawField const& raw) override {
    if (field != name) return;
    auto const points = points_of(raw.layout);
    values.clear();
    for (std::int64_t n = 0; n < raw.count(); ++n) {
      values.push_back(static_cast<double const*>(raw.data)[points.at(n)]);
    }
  }
  std::string field;
  std::vector<double> values;
};

TEST_F(Steps, MixCloudsByTheStabilityOfCloud) {
  // theta rises by 0.8 K km-1, so dry air is stable; along a moist adiabat of 272 to 300 K it rises by more
  // than 3 K km-1, so cloud is not.
  constexpr double n2 = 2.5e-5;
  for (auto const cloud : {0.0, 1e-3}) {
    auto const model = make(
        "[grid]\nnx = 4\nnz = 10\ndx = 300.0\ndz = 300.0\n[base]\nkind = 'constant_n'\nfrequency = 0.005\n"
        "[air]\nhumid = true\n[time]\nstep = '1 s'\n[mixing]\nclosure = 'smagorinsky'\n");
    set(*model, "qc", [&](auto, auto, auto) { return cloud; });
    Seen stability("stability");
    model->observe(&stability);
    model->advance(1);
    ASSERT_EQ(stability.values.size(), 40u);
    for (double const found : stability.values) {
      // By differences it is the same to N^2 dz / (2 g) = 4e-4.
      if (cloud > 0) {
        EXPECT_LT(found, -n2);
      } else {
        EXPECT_NEAR(found / n2, 1, 1e-3);
      }
    }
  }
}

TEST_F(Steps, BeginWithTheBaseStatesVapour) {
  auto const model = make(
      "[grid]\nnx = 2\nnz = 24\ndz = 500.0\n[base]\nkind = 'weisman_klemp'\nhumidity = 0.014\n[air]\nhumid = "
      "true\n");
  auto const qv = read(*model, "qv");
  EXPECT_EQ(qv[0], 0.014);
  EXPECT_EQ(qv[3], 0.014);
  for (std::size_t k = 5; k < 23; ++k) EXPECT_LT(qv[2 * k], qv[2 * k - 2]) << k;
  // A quarter of saturation near the tropopause, 217 K and 202 hPa: 0.25 * 0.622 * 3 Pa / 20200 Pa.
  EXPECT_GT(qv[2 * 23], 5e-6);
  EXPECT_LT(qv[2 * 23], 5e-5);
}

TEST_F(Steps, KnowTheirCellsVolumes) {
  auto const model = make(
      "[grid]\nnx = 3\nny = 2\nnz = 6\ndx = 700.0\ndy = 400.0\ndz = 500.0\nthinnest = 200.0\nstretching "
      "= 'cubic'\n");
  auto const all = model->coordinates();
  auto const faces = std::ranges::find(all, "z_w", &io::Coordinate::name)->values;
  std::vector<double> volumes(6);
  model->read("cell_volume", volumes);
  double sum = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(volumes[k], 700 * 400 * (faces[k + 1] - faces[k]), 1e-6);
    sum += volumes[k];
  }
  EXPECT_NEAR(sum, 700.0 * 400 * 3000, 1e-5);
}

TEST_F(Steps, LetSoundOutThroughOpenSides) {
  // Two pulses run apart at 347 m s-1 and out, where waves of that speed are let out. What comes back of 1/2
  // at waves of k = 1.4 / km: half of k (dx + 347 m s-1 dt) / 2, by which differences inward over 100 m and
  // backward over a small step of 0.1 s are off.
  auto const model = make(
      "[grid]\nnx = 100\nnz = 4\ndx = 100.0\ndz = 50.0\n[time]\nstep = '0.5 s'\n[sound]\nlongest_step = "
      "'0.1 s'\nimplicitness = 0.5\ndivergence_damping = 0.0\n[base]\ntheta = 300.0\n[boundary]\nwest = "
      "'open'\neast = "
      "'open'\nphase_speed = 347.0\n[start]\nkind = 'acoustic_pulse'\namplitude = 1.0\nradius_x = 1000.0\n");
  model->advance(20);  // 3.5 km on their way of 5
  EXPECT_GT(largest(read(*model, "p")), 0.45);
  model->advance(28);
  EXPECT_LT(largest(read(*model, "p")), 0.5 * 1.4e-3 * (100 + 34.7) / 4);
}

}  // namespace
