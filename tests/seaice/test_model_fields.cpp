// SPDX-License-Identifier: Apache-2.0
// Fields, noise, costs and steps of the sea-ice core through the Model interface, on a distorted mesh,
// against closed forms and PlainIce.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "seaice/distorted_model.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::test;
using namespace ulpine::test::distorted;

/// |got - wanted| within `roundings` of half a unit in the last place.
void expect_near(double got, long double wanted, double roundings, std::string const& what) {
  EXPECT_LE(std::abs(got - wanted), roundings * 0x1p-53L * std::abs(wanted)) << what;
}

/// The axes of cell centres, velocity nodes and modes.
void expect_coordinates(int cg) {
  auto const model = make_distorted("fp64", 3, "", Assembly::deterministic, cg);
  auto const coordinates = model->coordinates();
  ASSERT_EQ(coordinates.size(), 5u);
  char const* const names[] = {"x", "y", "xn", "yn", "mode"};
  auto const order = static_cast<std::size_t>(cg), cells_x = order * nx, cells_y = order * ny;
  std::size_t const sizes[] = {nx, ny, cells_x + 1, cells_y + 1, 3};
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    EXPECT_EQ(coordinates[c].name, names[c]);
    EXPECT_EQ(coordinates[c].units, c == 4 ? "1" : "m");
    EXPECT_EQ(coordinates[c].axis, c == 4 ? "" : c % 2 == 0 ? "X" : "Y");
    ASSERT_EQ(coordinates[c].values.size(), sizes[c]) << names[c];
    for (std::size_t k = 0; k < sizes[c]; ++k) {
      // The distortion vanishes on the lower and on the left side, from which the axes are taken.
      double const place = c < 2 ? static_cast<double>(k) + 0.5 : static_cast<double>(k) / cg;
      double const wanted_value =
          c == 4 ? static_cast<double>(k) : (c % 2 == 0 ? length_x / nx : length_y / ny) * place;
      EXPECT_NEAR(coordinates[c].values[k], wanted_value, 16 * 0x1p-53 * length_x) << names[c] << " " << k;
    }
  }
}

TEST(SeaIceFields, AreasCoordinatesAndMaskAreThoseOfTheMesh) {
  auto const model = make_distorted();
  PlainIce<long double> const plain(distorted_case(3));
  auto const areas = values_of(*model, "cell_area");
  auto const wanted = plain.areas();
  ASSERT_EQ(areas.size(), wanted.size());
  long double total = 0;
  for (std::size_t k = 0; k < areas.size(); ++k) {
    // Vertices of 70 km with a few roundings, sides of 10 km: products of differences that cancel a digit.
    expect_near(areas[k], wanted[k], 256, "area of cell " + std::to_string(k));
    total += areas[k];
  }
  expect_near(static_cast<double>(total), static_cast<long double>(length_x) * length_y, 256,
              "the rectangle");
  EXPECT_EQ(values_of(*model, "mask"), std::vector<double>(nx * ny, 1.0));

  for (int const cg : {1, 2}) expect_coordinates(cg);
}

TEST(SeaIceFields, AreMeansAndValuesOfTheState) {
  for (int const dg : {1, 3}) {
    Random random("fp64", dg);
    auto const& model = *random.model;
    PlainIce<long double> plain(distorted_case(dg));
    auto const areas = plain.areas();
    long double volume_and_area[2] = {};
    int which = 0;
    for (auto const& [field, coefficients] : {std::pair{"sivol", "sivol_dg"}, {"siconc", "siconc_dg"}}) {
      auto const modes = doubles_of(array_of(random.state, coefficients));
      auto const integrals = plain.integrals({modes.begin(), modes.end()});
      auto const means = values_of(model, field), by_cell = values_of(model, coefficients);
      for (std::size_t k = 0; k < plain.c.cells(); ++k) {
        expect_near(means[k], integrals[k] / areas[k], 256, field);
        volume_and_area[which] += integrals[k];
        for (std::size_t m = 0; m < static_cast<std::size_t>(dg); ++m) {
          EXPECT_EQ(by_cell[k * static_cast<std::size_t>(dg) + m], modes[m * plain.c.cells() + k]);
        }
      }
      ++which;
    }
    auto const integrals = model.integrals();
    ASSERT_EQ(integrals.size(), 2u);
    EXPECT_EQ(integrals[0].name, "ice_volume");
    EXPECT_EQ(integrals[0].units, "m3");
    EXPECT_EQ(integrals[1].name, "ice_area");
    EXPECT_EQ(integrals[1].units, "m2");
    expect_near(integrals[0].value, volume_and_area[0], 256, "volume");
    expect_near(integrals[1].value, volume_and_area[1], 256, "area");

    EXPECT_EQ(values_of(model, "siu"), doubles_of(array_of(random.state, "siu")));
    EXPECT_EQ(values_of(model, "siv"), doubles_of(array_of(random.state, "siv")));
    for (auto const& [name, field] :
         {std::pair{"strain_xx", &plain.e11}, {"strain_yy", &plain.e22}, {"strain_xy", &plain.e12}}) {
      auto const strain = doubles_of(array_of(random.state, name));
      field->assign(strain.begin(), strain.end());
    }
    auto const shear = values_of(model, "shear");
    auto const wanted = plain.shear();
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      expect_near(shear[k], wanted[k], 64, "shear");
    }
  }
}

TEST(SeaIceFields, AreDescribedAsTheyAreRead) {
  auto const model = make_distorted();
  EXPECT_EQ(model->core(), "seaice");
  EXPECT_EQ(model->cells(), nx * ny);
  EXPECT_EQ(model->time_step(), 120);
  std::vector<std::tuple<std::string, std::string, std::vector<std::int64_t>>> described;
  for (auto const& info : model->fields()) {
    described.push_back({info.name, info.units, info.shape});
  }
  using Shape = std::vector<std::int64_t>;
  Shape const nodes = {ny + 1, nx + 1}, cells = {ny, nx}, modes = {ny, nx, 3};
  EXPECT_EQ(described, (std::vector<std::tuple<std::string, std::string, Shape>>{{"siu", "m s-1", nodes},
                                                                                 {"siv", "m s-1", nodes},
                                                                                 {"sivol_dg", "m", modes},
                                                                                 {"siconc_dg", "1", modes},
                                                                                 {"sivol", "m", cells},
                                                                                 {"siconc", "1", cells},
                                                                                 {"shear", "s-1", cells}}));
  std::vector<double> values(100);
  EXPECT_NE(message_of<InputError>([&] { model->read("sivoll", values); }).find("sivoll"), std::string::npos);
}

TEST(SeaIceFields, StartAsTheBenchmarkSays) {
  for (int const dg : {1, 3}) {
    auto const model = make_distorted("fp64", dg);
    PlainIce<long double> const plain(distorted_case(dg));
    auto const wanted = plain.project([](long double x, long double y) {
      return 0.3L + 0.005L * (std::sin(6e-5L * x) + std::sin(3e-5L * y));
    });
    io::StoredState state{*model->state()};
    auto const height = doubles_of(array_of(state, "sivol_dg")),
               cover = doubles_of(array_of(state, "siconc_dg"));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      // The slopes are a hundredth of the mean, from which they are left.
      EXPECT_NEAR(height[k], static_cast<double>(wanted[k]), 64 * 0x1p-53) << k;
      EXPECT_NEAR(cover[k], k < plain.c.cells() ? 1 : 0, 64 * 0x1p-53) << k;
    }
    for (auto const& array : arrays_of(state)) {
      bool const starts_from_zero = array.info.name != "sivol_dg" && array.info.name != "siconc_dg";
      EXPECT_EQ(
          std::all_of(array.data.begin(), array.data.end(), [](std::byte b) { return b == std::byte{0}; }),
          starts_from_zero)
          << array.info.name;
    }
  }
}

/// Philox4x32-10 once more (Salmon et al. 2011), and the number in [-1, 1) that is made of it.
double philox_uniform(std::uint64_t seed, std::uint32_t member, std::string const& field,
                      std::uint64_t index) {
  std::uint32_t name = 2166136261u;  // FNV-1a
  for (char const letter : field) {
    name = (name ^ static_cast<unsigned char>(letter)) * 16777619u;
  }
  std::uint32_t counter[4] = {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                              member, name};
  std::uint32_t key[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    std::uint64_t const a = 0xD2511F53ull * counter[0], b = 0xCD9E8D57ull * counter[2];
    std::uint32_t const next[4] = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    std::copy(std::begin(next), std::end(next), std::begin(counter));
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  auto const bits = std::uint64_t{counter[1]} << 32 | counter[0];
  return std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits) >> 10), -53);  // 54 bits
}

TEST(SeaIceNoise, IsPhiloxOfSeedMemberFieldAndGlobalIndexForEveryPolicy) {
  std::string const flat = "[initial]\nsource = 'uniform'\nheight = 0.5\nconcentration = 0.5\n";
  for (char const* const policy : all_policies) {
    for (auto const& noise : {Perturbation{.seed = 1, .member = 0, .amplitude = 0x1p-3},
                              Perturbation{.seed = 1, .member = 23, .amplitude = 0x1p-7},
                              Perturbation{.seed = 0x123456789abcdef0, .member = 5, .amplitude = 0x1p-2}}) {
      auto const model = make_distorted(policy, 3, flat);
      model->perturb("sivol", noise);
      model->perturb("siconc", noise);
      bool const single = std::string(policy) == "fp32";
      for (char const* const field : {"sivol", "siconc"}) {
        auto const modes = values_of(*model, std::string(field) + "_dg");
        for (std::size_t k = 0; k < nx * ny; ++k) {
          double const wanted = 0.5 + noise.amplitude * philox_uniform(noise.seed, noise.member, field, k);
          ASSERT_NEAR(modes[3 * k], single ? static_cast<float>(wanted) : wanted,
                      single ? 0x1p-24 : 4 * 0x1p-53)
              << policy << " " << field << " " << k;
        }
      }
    }
  }
}

TEST(SeaIceNoise, OfTwoMembersSeedsAndFieldsHasNothingInCommon) {
  std::string const flat = "[initial]\nsource = 'uniform'\nheight = 0.5\nconcentration = 0.5\n";
  std::set<double> numbers;
  std::size_t drawn = 0;
  for (std::uint64_t const seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32 | 1}) {
    for (std::uint32_t const member : {0u, 1u, 2u}) {
      auto const model = make_distorted("fp64", 1, flat);
      for (char const* const field : {"sivol", "siconc"}) {
        model->perturb(field, {.seed = seed, .member = member, .amplitude = 0.25});
        for (double const value : values_of(*model, field)) {
          numbers.insert(value);
          ++drawn;
        }
      }
    }
  }
  EXPECT_EQ(numbers.size(), drawn);  // of 630 numbers of 53 bits no two agree but for a chance of 1e-11
}

TEST(SeaIceNoise, ChangesTheMeanOfItsOwnFieldOnlyAndKeepsItPhysical) {
  for (char const* const field : {"sivol", "siconc"}) {
    Random random;
    random.model->perturb(field, {.seed = 4, .member = 2, .amplitude = 2});
    io::StoredState after{*random.model->state()};
    std::string const changed = std::string(field) + "_dg";
    for (auto const& array : arrays_of(after)) {
      auto const before = array_of(random.state, array.info.name);
      if (array.info.name != changed) {
        EXPECT_TRUE(std::ranges::equal(array.data, before.data)) << field << " " << array.info.name;
        continue;
      }
      auto const old = doubles_of(before), now = doubles_of(array);
      for (std::size_t m = 0; m < now.size(); ++m) {
        if (m >= nx * ny) {
          EXPECT_EQ(now[m], old[m]) << field << ": the slopes are no part of the noise";
        } else {
          double const drawn = old[m] + 2 * philox_uniform(4, 2, field, m);
          double const held = changed == "siconc_dg" ? std::clamp(drawn, 0.0, 1.0) : std::max(drawn, 0.0);
          EXPECT_NEAR(now[m], held, 8 * 0x1p-53);
        }
      }
    }
  }
  EXPECT_EQ(make_distorted()->perturbable(), (std::vector<std::string>{"sivol", "siconc"}));
  EXPECT_THROW(make_distorted()->perturb("shear", {}), InputError);
}

TEST(SeaIceNoise, PutsNoIceOnLand) {
  // 3 x 3 cells, the one in the middle land: each of the other eight has coast or the edge on the sides
  // named.
  std::string text = "ParametricMesh 2.0\n3 3\n";
  for (int j = 0; j <= 3; ++j) {
    for (int i = 0; i <= 3; ++i) text += std::to_string(1000 * i) + " " + std::to_string(1000 * j) + "\n";
  }
  text += "landmask 9\n1 1 1 1 0 1 1 1 1\n";
  text += "dirichlet 16\n0 0 0 3 1 0 1 2 2 0 2 1 3 3 3 1 5 1 5 3 6 3 6 2 7 2 7 0 8 2 8 1\nperiodic 0\n";
  TemporaryFolder const folder;
  folder.write("island.smesh", text);
  seaice::register_core();
  auto const model = make_model(
      io::CaseFile::parse("core = 'seaice'\n[grid]\nmesh = 'island.smesh'\n[initial]\nsource = 'uniform'\n",
                          "island.toml", folder.path()),
      {});
  for (char const* const field : {"sivol", "siconc"}) {
    model->perturb(field, {.seed = 1, .member = 0, .amplitude = 0.5});
  }
  io::StoredState state{*model->state()};
  for (char const* const name : {"sivol_dg", "siconc_dg"}) {
    auto const modes = doubles_of(array_of(state, name));
    EXPECT_EQ(modes[4], 0) << name << " on land";
    EXPECT_NE(modes[3], 1) << name << " beside it has noise";
  }
}

/// What the counted traffic of some stages is by hand: launches and bytes a cell.
struct Counted {
  char const* stage;
  std::int64_t launches;
  double bytes_a_cell;
};

void expect_costs(Model& model, std::vector<Counted> const& wanted) {
  model.advance(2);
  auto const costs = model.costs();
  for (auto const& [stage, launches, bytes] : wanted) {
    auto const found =
        std::find_if(costs.begin(), costs.end(), [&](StageCost const& c) { return c.name == stage; });
    ASSERT_NE(found, costs.end()) << stage;
    EXPECT_EQ(found->launches, launches) << stage;
    EXPECT_EQ(found->timed, launches) << stage;
    EXPECT_EQ(found->bytes, static_cast<double>(launches) * bytes * nx * ny) << stage;
    EXPECT_GE(found->seconds, 0) << stage;
  }
}

TEST(SeaIceCosts, CountTheLaunchesAndBytesOfEveryStage) {
  // Two steps of three sub-steps, of which the last is run by stages; numbers a cell, a node counted as one.
  auto const fp64 = make_distorted("fp64");
  expect_costs(*fp64, {{"seaice.limit", 2, 8 * (6 + 6)},         // 2 x 3 modes in and out
                       {"seaice.nodal", 2, 8 * (6 + 2)},         // H, A; at nodes
                       {"seaice.forcing", 2, 8 * 8},             // x, y, H, A in; H, A, wind out
                       {"seaice.strength", 2, 1 + 8 * (6 + 4)},  // mask; H, A; four points
                       {"seaice.strain_stress", 4, 8 * (2 + 24 + 18 + 4 + 12)},
                       {"seaice.strain", 2, 8 * (2 + 24 + 9)},       // u, v; two 3 x 4 matrices; E
                       {"seaice.stress", 2, 8 * (9 + 18 + 4 + 12)},  // E; S in and out; P; 3 x 4 matrix
                       {"seaice.divergence", 2, 8 * (9 + 24 + 2)},   // S; two 4 x 3 matrices; force
                       {"seaice.velocity", 2, 8 * (2 + 9 + 4)},      // force; nine inputs; u, v twice
                       {"seaice.boundary", 2, 1 + 8 * 4},            // mask; u, v in and out
                       {"seaice.divergence_velocity", 4, 1 + 8 * (9 + 24 + 9 + 4)},
                       {"seaice.advect.velocity", 2, 8 * (2 + 12 + 6)},  // u, v; 3 x 4 matrix; dG velocity
                       {"seaice.advect.cell", 8, 8 * (6 + 3 + 16 + 3)},  // velocity, tracer; matrices; rate
                       {"seaice.advect.edges", 8, 8 * (3 + 4 + 3 + 3)},  // tracer; normals; rate in and out
                       {"seaice.advect.update", 8, 1 + 8 * (3 + 3 + 3 + 9 + 3)}});
  auto const mixed = make_distorted("mixed");
  expect_costs(*mixed, {{"seaice.strain", 2, 8 * 2 + 4 * (24 + 9)},
                        {"seaice.stress", 2, 4 * (9 + 18 + 4 + 12)},
                        {"seaice.divergence", 2, 4 * (9 + 24) + 8 * 2},
                        {"seaice.velocity", 2, 8 * (2 + 9 + 4)}});
  auto const tf32 = make_distorted("tf32", 1, "[seaice]\nrunge_kutta = 3\n");
  expect_costs(*tf32, {{"seaice.divergence", 2, 4 * (9 + 24) + 4 * 2},
                       {"seaice.limit", 2, 8 * (2 + 2)},
                       {"seaice.advect.cell", 12, 8 * 1},
                       {"seaice.advect.update", 12, 1 + 8 * (1 + 1 + 1 + 1 + 1)}});
}

TEST(SeaIceSteps, AgreeWithPlainIceOnTheDistortedBenchmark) {
  for (auto const order : orders) {
    for (auto const assembly : {Assembly::deterministic, Assembly::atomic}) {
      auto const model =
          make_distorted("fp64", order.dg,
                         "[forcing]\ncyclone_x = 30e3\ncyclone_y = 25e3\ncyclone_reach = 20e3\n"
                         "cyclone_rate = 1e-3\ncyclone_angle = 50\n",
                         assembly, order.cg);
      auto c = distorted_case(order.dg, order.cg);
      c.cyclone = true;
      c.centre_x = 30e3;
      c.centre_y = 25e3;
      c.drift_x = c.drift_y = 51200.0 / 86400;
      c.rate = 1e-3;
      c.reach = 20e3;
      c.angle = 50;
      c.substeps = 3;
      ExactIce const places(c);
      for (int j = 0; j <= c.cg * ny; ++j) {  // the benchmark's gyre
        for (int i = 0; i <= c.cg * nx; ++i) {
          int const column = std::min(i / c.cg, nx - 1), row = std::min(j / c.cg, ny - 1);
          auto const p = places.at(column, row, static_cast<long double>(i) / c.cg - column,
                                   static_cast<long double>(j) / c.cg - row);
          c.ocean_u.push_back(static_cast<double>(0.01L * (2 * p.y / length_y - 1)));
          c.ocean_v.push_back(static_cast<double>(0.01L * (1 - 2 * p.x / length_x)));
        }
      }
      ExactIce exact(c);
      PlainIce<double> rounded(c);
      auto const benchmark = [](auto x, auto y) {
        using Real = decltype(x);
        return Real(0.3) + Real(0.005) * (std::sin(Real(6e-5) * x) + std::sin(Real(3e-5) * y));
      };
      exact.h = exact.project(benchmark);
      exact.a = exact.project([](long double, long double) { return 1.0L; });
      rounded.h = rounded.project(benchmark);
      rounded.a = rounded.project([](double, double) { return 1.0; });

      model->advance(5);
      for (int step = 1; step <= 5; ++step) {
        exact.advance(step);
        rounded.advance(step);
      }

      io::StoredState state{*model->state()};
      EXPECT_EQ(state.header().step, 5);
      EXPECT_EQ(model->time(), 600);
      auto const agree = [&](char const* name, auto const& wanted, auto const& with_rounding) {
        expect_agreement(doubles_of(array_of(state, name)), wanted, with_rounding,
                         wanted.size() == c.nodes() ? c.nodes() : c.cells(), 1e-10, name);
      };
      agree("siu", exact.u, rounded.u);
      agree("siv", exact.v, rounded.v);
      agree("sivol_dg", exact.h, rounded.h);
      agree("stress_xx", exact.s11, rounded.s11);
      agree("stress_yy", exact.s22, rounded.s22);
      agree("stress_xy", exact.s12, rounded.s12);
      agree("strain_xx", exact.e11, rounded.e11);
      agree("strain_xy", exact.e12, rounded.e12);
    }
  }
}

}  // namespace
