// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <sstream>

#include "core/les/register.hpp"
#include "core/model/model.hpp"
#include "les/eddies_support.hpp"

namespace {

using namespace ulpine;
using test::Eddies;

constexpr double pi = std::numbers::pi;

/// Taylor and Green's vortices at 1 s, through the case and the model.
struct Vortices {
  double u, w, p;  ///< integrals of the error's size over the plane; p without its mean
  double divergence;
};
Vortices taylor_green(int nx, char const* policy) {
  les::register_core();
  std::filesystem::path const root = std::getenv("ULPINE_SOURCE_DIR");
  auto const set = [](char const* key, auto value) {
    std::ostringstream text;
    text.precision(17);
    text << key << '=' << value;
    return text.str();
  };
  auto const nz = nx / 2;
  auto const spacing = 1.0 / nx;
  std::ostringstream step;  // a Courant number of 1/2, exact in decimals
  step.precision(17);
  step << "time.step=\"" << 0.5 / nx << " s\"";
  auto const c = io::CaseFile::load(
      root / "cases/les/taylor_green.toml",
      {set("grid.nx", nx), set("grid.nz", nz), set("grid.dx", spacing), set("grid.dz", spacing), step.str()});
  ModelOptions options;
  options.policy = policy;
  for (auto const* key : {"name", "description", "output", "time.end", "evaluate", "verify", "figure"})
    c.accept(key);  // of the run, not the model
  auto const model = make_model(c, options);
  model->advance(2 * nx);
  EXPECT_NEAR(model->time(), 1, 1e-12);

  auto const size = static_cast<std::size_t>(nx * nz);
  std::vector<double> u(size), w(size), p(size), divergence(size);
  model->read("u", u), model->read("w", w), model->read("p", p), model->read("divergence", divergence);
  auto const decay = std::exp(-8 * pi * pi * 1.2665147955292222e-4);
  auto mean = 0.0;
  for (auto const value : p) mean += value / static_cast<double>(size);
  Vortices errors{0, 0, 0, test::largest(divergence)};
  for (int k = 0; k < nz; ++k) {
    for (int i = 0; i < nx; ++i) {
      auto const at = static_cast<std::size_t>(k * nx + i);
      auto const x = 2 * pi * i * spacing, x_centre = 2 * pi * (i + 0.5) * spacing;
      auto const z = 2 * pi * (k + 1) * spacing, z_centre = 2 * pi * (k + 0.5) * spacing;
      auto const area = spacing * spacing;
      errors.u += std::abs(u[at] - std::sin(x) * std::cos(z_centre) * decay) * area;
      errors.w += std::abs(w[at] + std::cos(x_centre) * std::sin(z) * decay) * area;
      auto const pressure = (std::cos(2 * x_centre) + std::cos(2 * z_centre)) / 4 * decay * decay;
      errors.p += std::abs(p[at] - mean - pressure) * area;
    }
  }
  return errors;
}

TEST(TaylorGreen, HasTheErrorsOfAnotherModelOfThatOrder) {
  // MicroHH's, of the same grids, differences, steps and case.
  struct Row {
    int nx;
    double u, u_single, p;
  };
  Row const rows[] = {{32, 6.427e-6, 6.433e-6, 9.42e-4},
                      {64, 1.610e-6, 1.585e-6, 2.37e-4},
                      {128, 4.028e-7, 4.839e-7, 5.94e-5}};
  std::vector<Vortices> found;
  for (auto const& row : rows) {
    auto const full = taylor_green(row.nx, "fp64");
    EXPECT_NEAR(full.u, row.u, 0.02 * row.u) << row.nx;
    EXPECT_NEAR(full.w, row.u, 0.02 * row.u) << row.nx;  // the flow is alike in both
    EXPECT_NEAR(full.p, row.p, 0.02 * row.p) << row.nx;
    EXPECT_LE(full.divergence, 4e-14) << row.nx;
    found.push_back(full);

    auto const single = taylor_green(row.nx, "fp32");
    // Rounding adds less than the 5e-7 at which MicroHH's single precision bottoms out.
    EXPECT_LE(single.u, full.u + 5e-7) << row.nx;
    EXPECT_LE(single.divergence, 2e-5) << row.nx;
    auto const mixed = taylor_green(row.nx, "mixed");
    EXPECT_LE(mixed.u, full.u + 5e-7) << row.nx;
    EXPECT_LE(mixed.divergence, 2e-5) << row.nx;
  }
  for (std::size_t n = 1; n < found.size(); ++n) {
    EXPECT_NEAR(std::log2(found[n - 1].u / found[n].u), 2, 0.02);
    EXPECT_NEAR(std::log2(found[n - 1].p / found[n].p), 2, 0.02);
  }
}

char const* const prognostic[] = {"u", "v", "w", "theta", "e"};

/// The case of a warm and rough ground; f turns as a mirror does. Coordinates may be exchanged.
std::string turned_case(int nx, int ny, double dx, double dy, double f) {
  std::ostringstream grid, more;
  grid << "nx = " << nx << "\nny = " << ny << "\nnz = 6\ndx = " << dx << "\ndy = " << dy
       << "\ndz = 15.0\nstretch_factor = 1.1";
  more << "[air]\ncoriolis = " << f << "\n[ground]\nheat_flux = 0.2\nroughness = 0.3\n"
       << "[lid]\nwind = 'no_slip'\n";
  return test::bare_case(grid.str(), "step = '0.6 s'", more.str());
}
std::map<std::string, std::vector<double>> run(std::string const& text, char const* policy,
                                               std::map<std::string, std::vector<double>> const& start) {
  Eddies eddies(text, policy);
  for (auto const& [name, values] : start) eddies.write(name.c_str(), values);
  eddies.settled();
  eddies.steps(2);
  std::map<std::string, std::vector<double>> result;
  for (auto const* name : prognostic) result[name] = eddies.values(name);
  return result;
}

TEST(Symmetry, OfMirrorsAndOfExchangedAxesHoldsToRounding) {
  constexpr int nx = 6, ny = 5, nz = 6;
  auto const place = [](int k, int j, int i, int rows, int points) {
    return static_cast<std::size_t>((k * rows + (j + rows) % rows) * points + (i + points) % points);
  };
  using Fields = std::map<std::string, std::vector<double>>;
  auto const rough = turned_case(nx, ny, 30, 20, 0.02);
  Fields start;
  {
    Eddies random(rough);
    random.randomize(21, 2, 300, 0.5);
    for (auto const* name : prognostic) start[name] = random.values(name);
  }
  auto const mirrored = [&](Fields const& from, bool along_x) {
    Fields to = from;
    for (auto const* name : prognostic) {
      auto const turned = std::string(name) == (along_x ? "u" : "v");
      for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
          for (int i = 0; i < nx; ++i) {
            // A face's mirror image is a face: that west of the cell east of the image.
            auto const jj = along_x ? j : (turned ? ny - j : ny - 1 - j);
            auto const ii = along_x ? (turned ? nx - i : nx - 1 - i) : i;
            to[name][place(k, j, i, ny, nx)] = (turned ? -1 : 1) * from.at(name)[place(k, jj, ii, ny, nx)];
          }
        }
      }
    }
    return to;
  };
  auto const exchanged = [&](Fields const& from, int rows, int points) {
    Fields to = from;
    for (auto const* name : prognostic) {
      auto const other = std::string(name) == "u" ? "v" : std::string(name) == "v" ? "u" : name;
      for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < rows; ++j) {
          for (int i = 0; i < points; ++i)
            to[other][place(k, i, j, points, rows)] = from.at(name)[place(k, j, i, rows, points)];
        }
      }
    }
    return to;
  };

  auto const plain = run(rough, "fp64", start), exact = run(rough, "quad", start);
  auto const west = mirrored(run(turned_case(nx, ny, 30, 20, -0.02), "fp64", mirrored(start, true)), true);
  auto const south = mirrored(run(turned_case(nx, ny, 30, 20, -0.02), "fp64", mirrored(start, false)), false);
  auto const diagonal =
      exchanged(run(turned_case(ny, nx, 20, 30, -0.02), "fp64", exchanged(start, ny, nx)), nx, ny);

  for (auto const* name : prognostic) {
    // Both differ from the exact result by roundings of about that size; the largest of 180 varies.
    auto const rounding = test::distance(plain.at(name), exact.at(name));
    EXPECT_LT(rounding, 1e-11) << name;
    EXPECT_LE(test::distance(west.at(name), plain.at(name)), 16 * rounding) << name;
    EXPECT_LE(test::distance(south.at(name), plain.at(name)), 16 * rounding) << name;
    EXPECT_LE(test::distance(diagonal.at(name), plain.at(name)), 16 * rounding) << name;
    EXPECT_GT(test::distance(plain.at(name), start.at(name)), 1e-3) << name;
  }
}

TEST(WarmBubble, RisesAndStaysSymmetric) {
  Eddies eddies(test::bare_case("nx = 12\nny = 12\nnz = 16\ndx = 50.0\ndy = 50.0\ndz = 50.0", "courant = 0.8",
                                test::free_slip));
  auto const centre = [&] {
    auto const theta = eddies.values("theta");
    auto sum = 0.0, weighted = 0.0;
    for (int k = 0; k < 16; ++k) {
      for (std::size_t n = 0; n < 144; ++n) {
        auto const excess = theta[static_cast<std::size_t>(k) * 144 + n] - 300;
        sum += excess, weighted += excess * (k + 0.5) * 50;
      }
    }
    return weighted / sum;
  };
  eddies.fill("theta", [](int k, int j, int i) {
    auto const r = std::hypot(i - 5.5, j - 5.5, k - 4.5) / 3;
    return 300 + (r < 1 ? std::cos(r * pi / 2) : 0);
  });
  eddies.settled();
  auto const start = centre();

  while (eddies.time() < 150) eddies.step(150);

  EXPECT_GT(centre(), start + 50);
  auto const w = eddies.values("w");
  auto const wind = test::largest(w);
  EXPECT_GT(wind, 1);
  auto asymmetry = 0.0;
  for (int k = 0; k < 16; ++k) {
    for (int j = 0; j < 12; ++j) {
      for (int i = 0; i < 12; ++i) {
        auto const here = w[eddies.index(k, j, i)];
        asymmetry = std::max({asymmetry, std::abs(here - w[eddies.index(k, j, 11 - i)]),
                              std::abs(here - w[eddies.index(k, 11 - j, i)]),
                              std::abs(here - w[eddies.index(k, i, j)])});
      }
    }
  }
  // Some 20 steps of three stages, whose roundings of the temperature of 300 K are forces.
  EXPECT_LE(asymmetry, 1000 * 150 * 9.81 * 0x1p-53 * wind);
}

TEST(AdaptiveStep, KeepsTheCourantNumberAndEndsAtTheOutputs) {
  for (auto const* closure : {"none", "constant", "deardorff"}) {
    Eddies eddies(test::bare_case(
        "nx = 10\nny = 8\nnz = 9\ndx = 30.0\ndy = 20.0\ndz = 10.0\nstretch_factor = 1.1",
        "courant = 0.7\nlongest_step = '6 s'",
        std::string("[closure]\nkind = '") + closure + "'\nviscosity = 4.0\n" + test::free_slip));
    // Output times that lie no whole number of steps apart, one so near that a step shrinks for it.
    double const outputs[] = {10, 10.001, 31.7, 40};
    eddies.randomize(31, 3, 300, 0.2);
    auto output = 0;
    auto longest = 0.0;
    std::vector<double> lengths;
    while (output < 4) {
      auto const u = eddies.values("u"), v = eddies.values("v"), w = eddies.values("w");
      auto rate = 0.0;
      for (int k = 0; k < 9; ++k) {
        auto const up = k < 8 ? (eddies.thickness(k) + eddies.thickness(k + 1)) / 2 : eddies.thickness(k);
        for (int j = 0; j < 8; ++j) {
          for (int i = 0; i < 10; ++i) {
            auto const at = eddies.index(k, j, i);
            rate = std::max({rate, std::abs(u[at]) / 30, std::abs(v[at]) / 20, std::abs(w[at]) / up});
          }
        }
      }
      auto const before = eddies.time(), after = eddies.step(outputs[output]);
      auto const length = after - before, allowed = std::min(0.7 / rate, 6.0);
      auto diffusive = allowed;
      if (closure == std::string("constant")) diffusive = std::min(allowed, 0.7 * 100 / 8 / 12);
      EXPECT_LE(length, diffusive * (1 + 1e-12)) << closure;
      EXPECT_LE(after, outputs[output]);
      auto const left = outputs[output] - before;
      // As long as may be, or what is left in one or two equal parts.
      if (closure != std::string("deardorff")) {
        auto const expected = left <= diffusive ? left : left < 2 * diffusive ? left / 2 : diffusive;
        EXPECT_NEAR(length, expected, 1e-12 * (outputs[3] + length)) << closure << ' ' << before;
      }
      EXPECT_GT(length, left <= diffusive ? 0 : 0.05 * diffusive) << closure;
      longest = std::max(longest, length);
      output += after == outputs[output];
    }
    EXPECT_EQ(eddies.time(), 40);
    EXPECT_GT(longest, 0.5);
  }
}

TEST(AdaptiveStep, TakesTheStateAsFarAsTheTimeThatItTells) {
  Eddies eddies(
      test::bare_case("nx = 4\nny = 4\nnz = 4", "courant = 0.9\nlongest_step = '7 s'",
                      std::string(test::no_closure) + test::free_slip + "[force]\nacceleration_x = 0.25\n"));
  for (double const output : {3.0, 10.5, 29.0, 41.0}) {
    while (eddies.time() < output) {
      eddies.step(output);

      // A uniform push, in at most 20 steps of three stages.
      EXPECT_NEAR(eddies.values("u")[7], 0.25 * eddies.time(), 60 * 2 * 0x1p-53 * 11) << eddies.time();
    }
  }
}

TEST(AdaptiveStep, FollowsTheDiffusivityOfHeatWhereThatIsTheLarger) {
  for (double const prandtl : {0.25, 4.0}) {
    std::ostringstream more;
    more << "[closure]\nkind = 'constant'\nviscosity = 2.0\nprandtl = " << prandtl << '\n' << test::free_slip;
    Eddies eddies(test::bare_case("nx = 4\nny = 4\nnz = 4\ndx = 30.0\ndy = 20.0\ndz = 10.0",
                                  "courant = 0.8\nlongest_step = '100 s'", more.str()));

    // 1/8 of the smallest spacing's square over the larger of Kh and 2 Km.
    EXPECT_NEAR(eddies.step(), 0.8 * 100 / 8 / std::max(2.0 / prandtl, 4.0), 1e-12);
  }
}

TEST(FixedStep, EndsAtMultiplesOfItself) {
  Eddies eddies(test::bare_case("nx = 4\nny = 4\nnz = 4", "step = '0.1 s'", test::free_slip));
  for (int n = 1; n <= 30; ++n) EXPECT_EQ(eddies.step(), n * 0.1);
}

TEST(WarmingGround, FollowsTheTimeOfTheStep) {
  Eddies eddies(test::bare_case("nx = 4\nny = 4\nnz = 4", "step = '90 s'",
                                "[ground]\ntheta = 290.0\nwarming_per_hour = -4.0\n"));
  EXPECT_EQ(eddies.values("surface_theta")[0], 290);
  eddies.steps(3);
  // The third step begins after 180 s.
  EXPECT_DOUBLE_EQ(eddies.values("surface_theta")[0], 290 - 4 * 180.0 / 3600);
}

TEST(Start, FollowsTheProfiles) {
  // Thickness 40 m: centres at 20, 60, ... 380 m.
  Eddies eddies(test::bare_case("nx = 3\nny = 2\nnz = 10\ndz = 40.0", "step = '1 s'",
                                "[profile.theta]\nheights = [0.0, 100.0, 200.0, 300.0]\n"
                                "kelvin = [300.0, 301.0, 303.0, 310.0]\n"
                                "[profile.wind]\nheights = [50.0, 150.0]\nu = [2.0, 6.0]\nv = [0.0, -3.0]\n"
                                "[profile.energy]\nheights = [0.0, 200.0]\nm2_s2 = [0.4, 0.0]\n"));
  auto const theta = eddies.values("theta"), u = eddies.values("u"), v = eddies.values("v"),
             e = eddies.values("e");
  for (int k = 0; k < 10; ++k) {
    auto const z = 20 + 40.0 * k, share = std::clamp((z - 50) / 100, 0.0, 1.0);
    auto const at = eddies.index(k, 1, 2);
    // The last piece of theta goes on, the wind does not.
    auto const kelvin = z < 100 ? 300 + z / 100 : z < 200 ? 301 + (z - 100) / 50 : 303 + (z - 200) * 0.07;
    EXPECT_NEAR(theta[at], kelvin, 8 * 320 * 0x1p-53) << k;
    EXPECT_NEAR(u[at], 2 + 4 * share, 64 * 6 * 0x1p-53) << k;
    EXPECT_NEAR(v[at], -3 * share, 64 * 6 * 0x1p-53) << k;
    EXPECT_NEAR(e[at], 0.4 * std::max(0.0, 1 - z / 200), 8 * 0.4 * 0x1p-53) << k;
  }
}

TEST(Start, HasNoiseOfItsOwnAtEveryPointBelowItsTop) {
  auto const text = [](int seed) {
    return test::bare_case(
        "nx = 7\nny = 5\nnz = 6\ndz = 10.0", "step = '1 s'",
        "[start]\nnoise_theta = 0.2\nnoise_top = 35.0\nseed = " + std::to_string(seed) + "\n");
  };
  Eddies eddies(text(3)), again(text(3)), other(text(4));
  auto theta = eddies.values("theta");
  test::expect_same_bits(again.values("theta"), theta, "the same seed");
  EXPECT_GT(test::distance(other.values("theta"), theta), 0.01);
  std::vector<double> const above(theta.begin() + 4 * 35, theta.end());
  EXPECT_EQ(test::distance(above, std::vector<double>(70, 300.0)), 0);
  theta.resize(4 * 35);
  auto const [least, most] = std::minmax_element(theta.begin(), theta.end());
  // Of 140 uniform numbers the largest is within a twentieth of the range from its end but for 1e-3 of all
  // seeds.
  EXPECT_TRUE(*least >= 299.8 && *least < 299.82);
  EXPECT_TRUE(*most <= 300.2 && *most > 300.18);
  std::sort(theta.begin(), theta.end());
  EXPECT_EQ(std::adjacent_find(theta.begin(), theta.end()), theta.end());
}

TEST(Coriolis, FollowsFromTheLatitude) {
  auto const run = [](std::string const& air) {
    Eddies eddies(test::bare_case("nx = 5\nny = 4\nnz = 6", "step = '20 s'",
                                  std::string(test::no_closure) + test::free_slip + "[air]\n" + air));
    eddies.randomize(41, 1, 300, 0.1);
    eddies.steps(2);
    return eddies.values("u");
  };
  std::ostringstream numbers;
  numbers.precision(17);
  auto const angle = 52.0 * pi / 180;
  numbers << "coriolis = " << 2 * 7.29212e-5 * std::sin(angle)
          << "\ncoriolis_horizontal = " << 2 * 7.29212e-5 * std::cos(angle) << '\n';

  EXPECT_LE(test::distance(run("latitude = 52.0\n"), run(numbers.str())), 1e-13);
  EXPECT_GT(test::distance(run("latitude = 52.0\n"), run("latitude = 38.0\n")), 1e-4);
}

}  // namespace
