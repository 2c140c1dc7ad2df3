// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "core/fem/petsc.hpp"
#include "core/fem/register.hpp"
#include "core/mesh/gmsh.hpp"
#include "fem/air_support.hpp"

namespace {

using namespace ulpine;
using test::ElementAir;
using test::largest;

constexpr double pi = std::numbers::pi;

char const* const hill = R"toml(
[mesh]
nx = 5
ny = 4
nz = 6
length = [6000.0, 5000.0, 8000.0]
jitter = 0.1
grading = 2.0
[mountain]
height = 500.0
[boundary]
fixed = ['inflow', 'outflow', 'south', 'north']
[sponge]
rate = 0.02
thickness = [1500.0, 1500.0, 3000.0]
[air]
viscosity = 5.0
diffusivity = 0.0
[time]
step = '10 s'
)toml";
char const* const box = R"toml(
[mesh]
nx = 6
ny = 3
nz = 8
length = [900.0, 450.0, 1200.0]
jitter = 0.1
[air]
buoyancy_frequency = 0.0
viscosity = 1.0
[time]
step = '4 s'
[start.bubble]
amplitude = 1.0
centre = [400.0, 200.0, 400.0]
radius = [300.0, 300.0, 300.0]
)toml";

TEST(ElementsAtRest, StayAtRestToTheBit) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32", "bf16", "fp16", "quad"}) {
    ElementAir air(hill, policy);
    auto const hash = air.hash();

    air.steps(5);

    EXPECT_EQ(air.hash(), hash) << policy;
    EXPECT_EQ(largest(air.values("w")), 0) << policy;
  }
}

TEST(ElementsInWind, KeepAUniformWindOverFlatGround) {
  std::string text(hill);
  for (auto const* roughness : {"height = 500.0", "jitter = 0.1"}) {
    text.erase(text.find(roughness), std::string(roughness).size());
  }
  ElementAir air(text + "[wind]\nu = 10.0\nv = -4.0\n");
  auto const theta = air.values("theta");

  air.steps(20);

  // On even layers theta varies along z alone, and what rounding leaves of its gradient along the wind is
  // some roundoffs of 300 K over 1000 m, times the 200 s: 1e-11 K, and g / theta of that in the wind a
  // second.
  auto const u = air.values("u"), w = air.values("w"), end = air.values("theta");
  for (std::size_t n = 0; n < u.size(); ++n) {
    EXPECT_NEAR(u[n], 10, 1e-9);
    EXPECT_NEAR(w[n], 0, 1e-9);
    EXPECT_NEAR(end[n], theta[n], 1e-10);
  }
}

TEST(ElementsInWind, HaveTheReferenceAtFixedSides) {
  ElementAir air(std::string(hill) + "[wind]\nu = 10.0\nv = 2.0\n[water]\ncarried = true\n");
  auto const theta = air.values("theta");

  air.steps(5);

  EXPECT_EQ(air.time(), 50);
  EXPECT_EQ(largest(air.values("rain")), 0);

  auto const& setup = air.setup();
  auto const u = air.values("u"), v = air.values("v"), w = air.values("w"), end = air.values("theta"),
             p = air.values("p_departure");
  EXPECT_GT(largest(w), 0.1);
  for (std::size_t n = 0; n < air.nodes(); ++n) {
    auto const [x, y, z] = air.point(n);
    bool const side = x == 0 || x == 6000 || y == 0 || y == 5000;
    EXPECT_EQ(setup.fixed[static_cast<std::size_t>(setup.place[n])] != 0, side);
    if (!side) continue;
    EXPECT_EQ(u[n], 10);
    EXPECT_EQ(v[n], 2);
    EXPECT_EQ(w[n], 0);
    EXPECT_EQ(p[n], 0);
    EXPECT_EQ(end[n], theta[n]);
  }
}

TEST(AirOfElements, HasTheViscosityAndTheSpeedOfSoundOfItsDensity) {
  ElementAir air(box);

  air.steps(1);

  // Taken before the last change of the pressure, a few of its 1e5 Pa.
  auto const rho = air.values("rho"), mu = air.values("dynamic_viscosity"), d = air.values("compressibility"),
             p = air.values("p");
  for (std::size_t n = 0; n < rho.size(); ++n) {
    EXPECT_NEAR(mu[n] / rho[n], 1, 1e-3);
    EXPECT_NEAR(d[n] * p[n] / rho[n], 717.6 / 1004.64, 1e-3);
  }
}

TEST(ElementsOfAnyThreads, HaveTheSameBitsAfterManySteps) {
  std::set<std::uint64_t> hashes;
  for (int const threads : {1, 2, 3}) {
    ElementAir air(std::string(hill) + "[wind]\nu = 10.0\n", "fp64", Assembly::deterministic, threads);
    air.steps(40);
    hashes.insert(air.hash());
  }
  EXPECT_EQ(hashes.size(), 1u);
}

TEST(ElementsInAnyOrderOfArrival, DifferByRounding) {
  ElementAir ordered(box), arrived(box, "fp64", Assembly::atomic, 3);
  for (auto* air : {&ordered, &arrived}) air->steps(10);
  auto const a = ordered.values("w"), b = arrived.values("w");
  // Solvers stop at 1e-8 and 1e-9 of their right-hand sides, 2 passes a step: no more than 20 times that.
  for (std::size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n], b[n], 20 * 1e-8 * largest(a));
}

TEST(MassOfElements, ChangesByTheResidualOfContinuityBetweenWalls) {
  ElementAir air(box);
  for (int n = 0; n < 10; ++n) {
    auto const before = air.integral_of("rho");
    air.steps(1);
    auto const change = air.integral_of("rho") - before;
    auto const residual = air.integral_of("continuity_residual");
    // The masses are sums of 252 products, each rounded.
    EXPECT_NEAR(change, 4 * residual, 512 * 0x1p-53 * before);
  }
}

TEST(MassOfElements, IsBalancedBetterByEveryPass) {
  auto residual = 1e300;
  for (auto const* passes : {"1", "2", "3"}) {
    std::string text(box);
    ElementAir air(text.replace(text.find("[time]"), 6, std::string("[time]\niterations = ") + passes));
    air.steps(5);
    auto const left = largest(air.values("continuity_residual"));
    EXPECT_LT(left, residual / 5) << passes;
    residual = left;
  }
}

TEST(MassOfElements, StaysBetweenWalls) {
  ElementAir air(box);
  auto const start = air.integral_of("rho");

  air.steps(60);

  // In each of the steps the pressure's solver leaves up to 1e-8 of what it was given, and that is at most
  // the density's change where the bubble moves the air: 1 K of 300 K over the volume.
  EXPECT_NEAR(air.integral_of("rho"), start, 60 * 1e-8 / 300 * start);
}

/// p' = A cos(k x) cos(omega t) between two walls in air without weight: what is left of it, in the mean
/// square, after a period and a quarter, when there should be none: an error of the phase shows in full.
double error_of_sound(int cells, int steps, int passes = 2) {
  auto const length = 1000.0, amplitude = 1.0, theta = 300.0;
  auto const speed = std::sqrt(1004.64 / 717.6 * (1004.64 - 717.6) * theta);
  auto const period = 2 * length / speed;
  std::ostringstream text;
  text.precision(17);
  text << "[mesh]\nnx = " << cells << "\nny = 1\nnz = 1\nlength = [1000.0, " << 1000.0 / cells << ", "
       << 1000.0 / cells << "]\n[air]\ntheta = 300.0\nbuoyancy_frequency = 0.0\ngravity = 1e-6\n"
       << "[time]\nimplicitness = 0.5\niterations = " << passes << "\nstep = '" << period / steps
       << " s'\n[pressure]\ntolerance = 1e-12\nstabilisation = 0.0\n[solver]\ntolerance = 1e-12\n";
  ElementAir air(text.str());
  auto p = air.values("p_departure");
  auto const rest = p;
  for (std::size_t n = 0; n < p.size(); ++n) p[n] += amplitude * std::cos(pi * air.point(n)[0] / length);
  air.set("p_departure", p);

  air.steps(steps + steps / 4);

  auto const end = air.values("p_departure");
  auto const error = air.integral([&](std::size_t n) { return std::pow(end[n] - rest[n], 2); });
  auto const norm = air.integral([&](std::size_t n) { return std::pow(p[n] - rest[n], 2); });
  return std::sqrt(error / norm);
}

TEST(SoundOnElements, IsOfSecondOrderInSpaceAndTime) {
  double error[3];
  for (int n = 0; n < 3; ++n) error[n] = error_of_sound(16 << n, 32 << n);
  for (int n = 0; n < 2; ++n) EXPECT_NEAR(std::log2(error[n] / error[n + 1]), 2, 0.1);
  // Trapezoidal steps delay the phase by a part (omega dt)^2 / 12 of it, centred differences by (k h)^2 / 6.
  auto const step = 2 * pi / 128, cell = pi / 64;
  EXPECT_LT(error[2], 2.5 * pi * (step * step / 12 + cell * cell / 6));
}

TEST(SoundOnElements, TakesOnePassSinceItIsLinear) {
  EXPECT_NEAR(error_of_sound(16, 32, 1) / error_of_sound(16, 32, 2), 1, 1e-3);
}

TEST(SpongeOfElements, DampsAsImplicitStepsDo) {
  // A layer so thick that it is of full strength everywhere: rate / sqrt(3) where it lies along one axis.
  auto const sigma_dt = 0.5, implicitness = 0.55, length = 1000.0;
  ElementAir air(
      "[mesh]\nnx = 16\nny = 1\nnz = 16\nlength = [1000.0, 62.5, 1000.0]\n[air]\nbuoyancy_frequency = 0.0\n"
      "gravity = 1e-6\n[time]\nstep = '2 s'\n[sponge]\nrate = 0.43301270189221935\nthickness = [0.0, 0.0, "
      "1e6]\n[start.bubble]\namplitude = 0.0\nradius = [0.0, 0.0, 0.0]\n[water]\ncarried = true\ncloud = "
      "0.01\n");
  auto u = air.values("u"), w = u;
  for (std::size_t n = 0; n < u.size(); ++n) {
    auto const x = pi * air.point(n)[0] / length, z = pi * air.point(n)[2] / length;
    u[n] = 0.01 * std::sin(x) * std::cos(z);
    w[n] = -0.01 * std::cos(x) * std::sin(z);
  }
  air.set("u", u), air.set("w", w);
  auto const wind = [&] {
    auto const nu = air.values("u"), nw = air.values("w");
    return air.integral([&](std::size_t n) { return nu[n] * u[n] + nw[n] * w[n]; });
  };
  auto const before = wind(), cloud = air.values("cloud").front();

  air.steps(1);

  auto const factor = 1 - sigma_dt / (1 + implicitness * sigma_dt);
  EXPECT_NEAR(air.values("cloud").front() / cloud / factor, 1, 1e-8);
  // The sponge's mass is consistent and the wind's lumped: (k h)^2 / 6 of the rate apart along both axes, and
  // as much again for the wind that is given at nodes and not free of divergence between them.
  auto const apart = 2 * std::pow(pi / 16, 2) / 6;
  EXPECT_NEAR(wind() / before / factor, 1, 2 * sigma_dt * apart);
}

TEST(GravityWavesOnElements, HaveTheFrequencyOfLinearTheory) {
  auto const size = 10e3, k = pi / size, frequency = 0.01, amplitude = 0.01, step = 10.0;
  ElementAir air(
      "[mesh]\nnx = 12\nny = 1\nnz = 12\nlength = [10e3, 800.0, 10e3]\n[air]\nbuoyancy_frequency = 0.01\n"
      "[time]\nimplicitness = 0.5\nstep = '10 s'\n");
  auto const rest = air.values("theta");
  auto const mode = [&](std::size_t n) {
    return std::cos(k * air.point(n)[0]) * std::sin(k * air.point(n)[2]);
  };
  auto theta = rest;
  for (std::size_t n = 0; n < theta.size(); ++n) theta[n] += amplitude * rest[n] / rest[0] * mode(n);
  air.set("theta", theta);
  auto const projection = [&] {
    auto const now = air.values("theta");
    return air.integral([&](std::size_t n) { return (now[n] - rest[n]) / rest[n] * mode(n); });
  };
  auto before = projection(), now = before;

  while (now > 0 && air.time() < 1000) {
    air.steps(1);
    before = std::exchange(now, projection());
  }

  auto const quarter = air.time() - step * now / (now - before);
  // omega^2 = N^2 k^2 / (k^2 + m^2 + 1 / (4 H^2)), H^-1 = g / c^2 + N^2 / g = 1 / 9400 m in the middle. The
  // mesh's centred differences lower k and m alike by (k h)^2 / 6, steps omega by (omega dt)^2 / 12, and the
  // scale height varies by a sixth over the column: 2 % of a term that is itself 1.4 %.
  auto const omega = frequency * k / std::sqrt(2 * k * k + 1 / (4 * 9400.0 * 9400.0));
  EXPECT_NEAR(pi / 2 / quarter / omega, 1, 0.01);
}

TEST(WaterOnElements, IsCarriedAlongAndStaysUniformWhereItIs) {
  std::string text(box);
  text.replace(text.find("radius = [300.0, 300.0, 300.0]"), 30, "radius = [0.0, 0.0, 0.0]");
  ElementAir air(text + "[water]\ncarried = true\nvapour = 0.01\ncloud = 0.001\n");
  auto theta = air.values("theta");
  for (std::size_t n = 0; n < theta.size(); ++n) theta[n] += air.point(n)[0] / 900;
  air.set("theta", theta);
  auto rain = air.values("rain");
  EXPECT_EQ(largest(rain), 0);
  for (std::size_t n = 0; n < rain.size(); ++n) rain[n] = air.point(n)[0] / 900;
  air.set("rain", rain);

  air.steps(20);

  EXPECT_GT(largest(air.values("u")), 0.5);
  // Of a uniform value the rate is 0 but for rounding of the gradients.
  for (auto const value : air.values("vapour")) EXPECT_NEAR(value, 0.01, 1e-13);
  for (auto const value : air.values("cloud")) EXPECT_NEAR(value, 0.001, 1e-14);
  // Rain began as what warmed the air and moves as the potential temperature does.
  auto const end = air.values("theta");
  rain = air.values("rain");
  for (std::size_t n = 0; n < rain.size(); ++n) EXPECT_NEAR(end[n] - 294.15, rain[n], 1e-7);
}

TEST(GroundOfElements, ClosesTheVolumeOfTheAir) {
  ElementAir air(hill);
  auto const& mesh = air.setup().mesh;
  // int x n_x over the whole boundary is the volume, and all but the ground and the outflow at x = 6000 m
  // have none of it.
  auto outflow_area = 0.0;
  for (std::size_t f = 0; f < mesh.face_id.size(); ++f) {
    if (mesh.face_id[f] != BoxSide::outflow) continue;
    auto const a = air.setup().point(mesh.face[3 * f]), b = air.setup().point(mesh.face[3 * f + 1]),
               c = air.setup().point(mesh.face[3 * f + 2]);
    outflow_area += ((b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])) / 2;
  }
  auto const area = air.values("ground_area_x");
  auto ground = 0.0;
  for (std::size_t n = 0; n < air.nodes(); ++n) ground += area[n] * air.point(n)[0];
  auto const volume = air.integral([](std::size_t) { return 1.0; });
  EXPECT_LT(ground, -1e9);
  EXPECT_NEAR(ground, volume - 6000 * outflow_area, 1e-12 * volume);
}

TEST(MeshesOfGmsh, AreLiftedOverAMountain) {
  std::filesystem::path const root = std::getenv("ULPINE_SOURCE_DIR");
  auto const file = (root / "tests/mesh/data/box_ascii.msh").string();
  auto const flat = read_gmsh(file);

  ElementAir air("[mesh]\nkind = 'gmsh'\nfile = '" + file +
                 "'\n[mountain]\nheight = 0.25\nradius = 0.5\nx = 0.25\ny = 0.5\n");

  auto const& lifted = air.setup().mesh.position;
  ASSERT_EQ(lifted.size(), flat.position.size());
  double highest_ground = 0;
  for (std::size_t i = 0; i < lifted.size(); i += 3) {
    auto const x = flat.position[i], y = flat.position[i + 1], z = flat.position[i + 2];
    auto const distance = std::hypot(x - 0.25, y - 0.5) / 0.5;
    EXPECT_EQ(lifted[i], x);
    EXPECT_EQ(lifted[i + 1], y);
    EXPECT_NEAR(lifted[i + 2], z + 0.25 * std::pow(1 + distance * distance, -1.5) * (1 - z), 0x1p-50);
    if (z == 0) highest_ground = std::max(highest_ground, lifted[i + 2]);
    if (z == 1) {
      EXPECT_EQ(lifted[i + 2], 1) << "the lid stays";
    }
  }
  EXPECT_GT(highest_ground, 0.1);
}

TEST(MeshesOfGmsh, AreRunOnWithTheirOwnSides) {
  std::filesystem::path const root = std::getenv("ULPINE_SOURCE_DIR");
  auto const file = (root / "tests/mesh/data/box_ascii.msh").string();
  ElementAir air(
      "[mesh]\nkind = 'gmsh'\nfile = '" + file +
      "'\n[boundary]\nfixed = ['sides']\n[wind]\nu = 0.1\n[time]\nstep = '0.01 s'\n[start.bubble]\n"
      "amplitude = 1.0\ncentre = [0.5, 0.5, 0.5]\nradius = [0.4, 0.4, 0.4]\n");
  auto const number = air.setup().mesh.node_number;
  for (std::size_t n = 1; n < air.nodes(); ++n) {
    EXPECT_LT(number[static_cast<std::size_t>(air.setup().place[n - 1])],
              number[static_cast<std::size_t>(air.setup().place[n])]);
  }
  for (std::size_t n = 0; n < air.nodes(); ++n) {
    auto const [x, y, z] = air.point(n);
    bool const side = x == 0 || x == 1 || y == 0 || y == 1;
    EXPECT_EQ(air.setup().fixed[static_cast<std::size_t>(air.setup().place[n])] != 0, side);
  }

  air.steps(5);

  EXPECT_GT(largest(air.values("w")), 1e-5);
  EXPECT_NEAR(air.integral([](std::size_t) { return 1.0; }), 1, 1e-12);
}

TEST(SolversOfElements, FailWithALineUnlessToldToGoOn) {
  std::string const few = std::string(box) + "[solver]\niterations = 2\ntolerance = 1e-15\n";
  try {
    ElementAir(few).steps(1);
    FAIL() << "solved in one iteration";
  } catch (EnvironmentError const& error) {
    EXPECT_NE(std::string(error.what()).find("advection of a scalar was not solved"), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(ElementAir(few + "failure = 'go_on'\n").steps(1));
}

/// The run says then which field is where.
TEST(SolversOfElements, HandOnWhatIsNotANumber) {
  for (auto const* method : {"gcr", "bicgstab", "gmres", "cg"}) {
    ElementAir air(std::string(box) + "[pressure]\nmethod = '" + method + "'\n");
    auto u = air.values("u");
    u[u.size() / 2] = std::numeric_limits<double>::quiet_NaN();
    air.set("u", u);
    ASSERT_NO_THROW(air.steps(1)) << method;
    auto const p = air.values("p");
    EXPECT_TRUE(std::any_of(p.begin(), p.end(), [](double value) { return std::isnan(value); })) << method;
  }
}

TEST(SolversOfElements, ArePetscsOnlyWhereItIs) {
  auto const text = std::string(box) + "[solver]\npetsc = '-pc_type sor'\n";
  if (fem::has_petsc()) {
    EXPECT_NO_THROW(ElementAir{text});
  } else {
    EXPECT_THROW(ElementAir{text}, InputError);
  }
}

TEST(StartOfElements, IsWarmAsTheCaseSays) {
  fem::Bubble bubble{fem::Bubble::Shape::cosine, 2.0, {100, 200, 300}, {50, 0, 100}};
  EXPECT_DOUBLE_EQ(bubble.at({100, -7, 300}, 1000), 2);
  EXPECT_DOUBLE_EQ(bubble.at({125, 0, 300}, 1000), 1);
  EXPECT_NEAR(bubble.at({100, 0, 300 + 100.0 / 3}, 1000), 1.5, 1e-12);
  EXPECT_EQ(bubble.at({151, 0, 300}, 1000), 0);
  bubble.shape = fem::Bubble::Shape::wave;
  EXPECT_NEAR(bubble.at({100, 0, 500}, 1000), 2, 1e-12);
  EXPECT_NEAR(bubble.at({200, 0, 500}, 1000), 2.0 / 5, 1e-12);
  EXPECT_NEAR(bubble.at({100, 0, 1000.0 / 6}, 1000), 1, 1e-12);
  EXPECT_NEAR(bubble.at({100, 0, 1000}, 1000), 0, 1e-12);
}

/// Heights of the nodes of a box without a mountain, lowest first, m.
std::set<double> heights(int refinement) {
  auto const setup = fem::read_case(
      io::CaseFile::parse("core = 'fem'\n[mesh]\nnx = 2\nny = 2\nnz = 7\nstretch = 1.3\nrefinement = " +
                              std::to_string(refinement) + "\n",
                          "case.toml"));
  std::set<double> all;
  for (std::size_t i = 2; i < setup.mesh.position.size(); i += 3) all.insert(setup.mesh.position[i]);
  return all;
}

TEST(LayersOfElements, AreDividedAsTheyGrow) {
  auto const coarse = heights(1), fine = heights(3);
  ASSERT_EQ(coarse.size(), 8u);
  ASSERT_EQ(fine.size(), 22u);
  auto third = fine.begin();
  for (auto const z : coarse) {
    // A root and 21 products and sums, each rounded.
    EXPECT_NEAR(*third, z, 100 * 0x1p-53 * *coarse.rbegin());
    for (int n = 0; n < 3 && third != fine.end(); ++n) ++third;
  }
}

std::string refusal(std::string const& text) {
  try {
    fem::read_case(io::CaseFile::parse("core = 'fem'\n" + text, "case.toml"));
  } catch (InputError const& error) {
    return error.what();
  }
  return {};
}

TEST(CasesOfElements, AreEchoedAsCases) {
  std::string const gmsh =
      (std::filesystem::path(std::getenv("ULPINE_SOURCE_DIR")) / "tests/mesh/data/box_ascii.msh").string();
  for (auto const& text :
       {std::string("[wind]\nu = 1.0\n"), std::string(hill), std::string(box),
        std::string(box) +
            "shape = 'wave'\n[pressure]\nmethod = 'gmres'\n[water]\ncarried = true\nrain = 0.01\n"
            "[upwind]\nscheme = 'supg'\nwind = 'streamline'\nscale = 0.25\n[boundary]\nopen = ['north']\n",
        "[mesh]\nkind = 'gmsh'\nfile = '" + gmsh + "'\n[solver]\nfailure = 'go_on'\n"}) {
    auto const first = io::CaseFile::parse("core = 'fem'\n" + text, "case.toml");
    EXPECT_EQ(first.core(), "fem");
    fem::read_case(first);
    auto const again = io::CaseFile::parse(first.resolved(), "echo.toml");
    EXPECT_EQ(again.core(), "fem");
    fem::read_case(again);
    EXPECT_NO_THROW(again.reject_unknown());
    EXPECT_EQ(again.resolved(), first.resolved());
  }
}

TEST(CasesOfElements, WithBubblesAndMountainsOffTheMeshAreRefused) {
  std::string const mesh = "[mesh]\nnx = 8\nny = 8\nnz = 4\nlength = [8000.0, 8000.0, 4000.0]\n";
  auto const bubble = [&](std::string const& keys) {
    return refusal(mesh + "[start.bubble]\namplitude = 1.0\n" + keys).find("bubble that hardly lies on") !=
           std::string::npos;
  };
  EXPECT_FALSE(bubble("centre = [4000.0, 4000.0, 2000.0]\nradius = [2000.0, 2000.0, 1500.0]\n"));
  EXPECT_TRUE(bubble("centre = [40000.0, 4000.0, 2000.0]\nradius = [2000.0, 2000.0, 1500.0]\n"));
  EXPECT_TRUE(bubble("centre = [4000.0, 4000.0, 8000.0]\nradius = [2000.0, 2000.0, 1500.0]\n"));
  EXPECT_TRUE(bubble("centre = [4500.0, 4500.0, 1500.0]\nradius = [100.0, 100.0, 100.0]\n")) << "no node";
  EXPECT_FALSE(bubble("centre = [4000.0, 4000.0, 2000.0]\nradius = [100.0, 100.0, 100.0]\n")) << "one node";
  EXPECT_TRUE(bubble("shape = 'wave'\ncentre = [90000.0, 0.0, 0.0]\nradius = [2000.0, 0.0, 0.0]\n"));
  auto const mountain = [&](std::string const& keys) {
    return refusal(mesh + "[mountain]\nheight = 300.0\n" + keys).find("mountain.radius: makes a mountain") !=
           std::string::npos;
  };
  EXPECT_FALSE(mountain("radius = 2000.0\n"));
  EXPECT_TRUE(mountain("radius = 2000.0\nx = -20000.0\n"));
  EXPECT_TRUE(mountain("radius = 2000.0\ny = 20000.0\n"));
  EXPECT_TRUE(mountain("radius = 50.0\n")) << "one column of nodes";
  EXPECT_NE(refusal(mesh + "[water]\ncarried = true\ncloud = 0.001\n").find("water.cloud: is of the bubble"),
            std::string::npos);
  EXPECT_NE(refusal(mesh + "[sponge]\nrate = 0.1\n").find("sponge.rate: leaves the sponge without"),
            std::string::npos);
  // A height or rate of 0 leaves the keys beside it without effect, not unknown.
  auto const flat = io::CaseFile::parse("core = 'fem'\n" + mesh +
                                            "[mountain]\nheight = 0.0\nradius = 2000.0\nx = 1.0\n[sponge]\n"
                                            "rate = 0.0\nthickness = [0.0, 0.0, 500.0]\n",
                                        "case.toml");
  EXPECT_EQ(flat.core(), "fem");
  fem::read_case(flat);
  EXPECT_NO_THROW(flat.reject_unknown());
}

TEST(CasesOfElements, AreRefusedWithTheKey) {
  EXPECT_NE(refusal("[boundary]\nfixed = ['west']\n").find("boundary.fixed[0]"), std::string::npos);
  EXPECT_NE(
      refusal("[mountain]\nheight = 7999.0\n[mesh]\nlength = [1e4, 1e4, 8e3]\n").find("mountain.height"),
      std::string::npos);
  EXPECT_NE(refusal("[air]\ntheta = 100.0\nbuoyancy_frequency = 0.0\n").find("air.theta"), std::string::npos);
  EXPECT_NE(refusal("[air]\ncp = 700.0\n").find("air.cp"), std::string::npos);
  EXPECT_NE(refusal("[mesh]\nkind = 'gmsh'\n").find("mesh.file"), std::string::npos);
  EXPECT_NE(refusal("[pressure]\nmethod = 'lu'\n").find("pressure.method"), std::string::npos);
}

}  // namespace
