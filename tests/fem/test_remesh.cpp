// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <netcdf.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/fem/remesh.hpp"
#include "core/mesh/ugrid.hpp"
#include "fem/air_support.hpp"
#include "tests/support/random_values.hpp"

namespace {

using namespace ulpine;
using test::ElementAir;
using test::largest;

constexpr double pi = std::numbers::pi;

fem::Setup setup_of(std::string const& text) {
  return fem::read_case(io::CaseFile::parse("core = 'fem'\n" + text, "case.toml"));
}

std::vector<double> values_of(Core& core, std::string const& name) {
  std::vector<double> values(static_cast<std::size_t>(core.fields().at(name).layout().count()));
  core.fields().read(name, 0, static_cast<std::int64_t>(values.size()), ValueType::float64, values.data());
  return values;
}

fem::Remeshed remeshed(ElementAir& air, fem::Setup const& onto, std::string const& policy = "fp64") {
  return fem::remesh(Host{}, policy, Assembly::deterministic, air.setup(), air.core(), onto);
}

/// A box of 6 x 3 x 8 km with a hill, in so many cells.
std::string hill(int nx, int ny, int nz, std::string const& more = "") {
  return "[mesh]\nnx = " + std::to_string(nx) + "\nny = " + std::to_string(ny) +
         "\nnz = " + std::to_string(nz) +
         "\nlength = [6000.0, 3000.0, 8000.0]\njitter = 0.1\nseed = " + std::to_string(nx) +
         "\n[mountain]\nheight = 500.0\n[boundary]\nfixed = ['inflow', 'outflow']\n[air]\nviscosity = "
         "5.0\ndiffusivity = 0.0\n" +
         more;
}

/// Elements of outputs are in the order of their numbers, whichever these are.
TEST(OutputMesh, IsInTheOrderOfNumbersWithAndWithoutGaps) {
  auto setup = setup_of(hill(3, 2, 4));
  auto& number = setup.mesh.element_number;
  auto const elements = number.size();
  auto const written = [&] {
    std::vector<std::int32_t> nodes(4 * elements);
    fem::output_mesh(setup).connectivity(0, static_cast<std::int64_t>(nodes.size()), nodes.data());
    return nodes;
  };
  auto const expected = written();
  auto const before = number;
  auto const gives_the_same = [&](auto const& renamed) {
    for (std::size_t e = 0; e < elements; ++e) number[e] = renamed(before[e]);
    return written() == expected;
  };
  EXPECT_TRUE(gives_the_same([](std::int64_t n) { return n + 17; }));
  EXPECT_TRUE(gives_the_same([](std::int64_t n) { return 3 * n - 40; }));
  EXPECT_TRUE(gives_the_same([&](std::int64_t n) { return n < 20 ? n : n + 1; }));
  EXPECT_FALSE(gives_the_same([](std::int64_t n) { return -n; }));
}

/// The end of the hill's [air].
char const* const humid = "humid = true\nhumidity = 0.9\nhumidity_depth = 4000.0\n";
char const* const bubble = R"toml(
jitter = 0.1
length = [900.0, 450.0, 1200.0]
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
std::string bubble_in(int refinement) {
  return "[mesh]\nnx = 6\nny = 3\nnz = 8\nrefinement = " + std::to_string(refinement) + bubble;
}

TEST(ARemeshedCore, KeepsEveryBitOnItsOwnMesh) {
  for (auto const& [policy, water] :
       {std::pair{"fp64", ""}, {"fp32", ""}, {"mixed", ""}, {"quad", ""}, {"mixed", humid}}) {
    ElementAir air(
        hill(4, 3, 5,
             std::string(water) + "[wind]\nu = 10.0\nv = -3.0\n[water]\ncarried = true\nvapour = 0.01\n"
                                  "[start.bubble]\namplitude = 2.0\ncentre = [3000.0, 1500.0, 3000.0]\n"
                                  "radius = [2000.0, 2000.0, 2000.0]\n"),
        policy);
    air.steps(3);

    auto const made = remeshed(air, air.setup(), policy);

    EXPECT_EQ(made.core->fields().state_hash(), air.hash()) << policy;
    EXPECT_EQ(made.outside, 0);
    EXPECT_EQ(made.farthest, 0);
    made.core->take_step(1, 0, 1e9);
    air.steps(1);
    EXPECT_EQ(made.core->fields().state_hash(), air.hash()) << policy;
  }
}

/// The same nodes and elements under other numbers.
fem::Setup shuffled(fem::Setup const& from) {
  auto const nodes = from.place.size();
  std::vector<std::size_t> order(nodes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  test::RandomValues random(3);
  for (auto n = nodes; n > 1; --n) std::swap(order[n - 1], order[random.below(n)]);
  std::vector<std::int32_t> now(nodes);  // of an old number the new
  for (std::size_t n = 0; n < nodes; ++n) now[order[n]] = static_cast<std::int32_t>(n);
  auto setup = from;
  auto const permute = [&](auto& all) {
    auto const old = all;
    for (std::size_t n = 0; n < old.size(); ++n) all[n] = old[order[n]];
  };
  for (std::size_t n = 0; n < nodes; ++n) {
    for (std::size_t d = 0; d < 3; ++d) setup.mesh.position[3 * n + d] = from.mesh.position[3 * order[n] + d];
  }
  for (auto* all : {&setup.volume, &setup.ground, &setup.rain_ground, &setup.theta, &setup.humidity,
                    &setup.pressure, &setup.absorption, &setup.theta_absorption, &setup.start_theta,
                    &setup.vapour, &setup.cloud, &setup.rain}) {
    permute(*all);
  }
  permute(setup.fixed);
  permute(setup.mesh.node_number);
  for (auto& place : setup.place) place = now[static_cast<std::size_t>(place)];
  for (auto* all : {&setup.mesh.element, &setup.mesh.face}) {
    for (auto& node : *all) node = now[static_cast<std::size_t>(node)];
  }
  std::vector<std::size_t> elements(setup.mesh.element_number.size());
  std::iota(elements.begin(), elements.end(), std::size_t{0});
  for (auto e = elements.size(); e > 1; --e) {
    auto const other = random.below(e);
    std::swap_ranges(&setup.mesh.element[4 * (e - 1)], &setup.mesh.element[4 * (e - 1)] + 4,
                     &setup.mesh.element[4 * other]);
  }
  return setup;
}

TEST(ARemeshedCore, HasTheSameValuesAtNodesOfOtherNumbers) {
  ElementAir air(hill(4, 3, 5, "[wind]\nu = 10.0\n"));
  air.steps(3);
  auto const onto = shuffled(air.setup());

  auto const made = remeshed(air, onto);

  EXPECT_NE(onto.mesh.position, air.setup().mesh.position);
  for (auto const* name : {"u", "v", "w", "p_departure", "theta", "rho", "cell_volume"}) {
    EXPECT_EQ(values_of(*made.core, name), air.values(name)) << name;
  }
}

TEST(ARemeshedCore, HasLinearFieldsExactly) {
  ElementAir air("[mesh]\nnx = 5\nny = 4\nnz = 6\nlength = [700.0, 600.0, 900.0]\njitter = 0.12\n");
  auto const onto =
      setup_of("[mesh]\nnx = 7\nny = 3\nnz = 9\nlength = [700.0, 600.0, 900.0]\njitter = 0.12\nseed = 4\n");
  auto const linear = [](auto const& x) { return 3 + 0.01 * x[0] - 0.02 * x[1] + 0.005 * x[2]; };
  std::vector<double> wind;
  for (std::size_t n = 0; n < air.nodes(); ++n) wind.push_back(linear(air.point(n)));
  auto theta = air.values("theta");
  for (auto const* name : {"u", "v", "w", "p_departure"}) air.set(name, wind);
  for (std::size_t n = 0; n < wind.size(); ++n) theta[n] += wind[n];
  air.set("theta", theta);

  auto const made = remeshed(air, onto);

  // A volume is rounded nine times, relative to a permanent of at most 6 edges' cube, which is below 100 of
  // the volumes of these elements; the weights' errors move a value by 0.03 K m-1 times 300 m each.
  auto const bound = 4 * 9 * 0x1p-53 * 100 * 0.03 * 300;
  for (auto const* name : {"u", "v", "w", "p_departure"}) {
    auto const all = values_of(*made.core, name);
    for (std::size_t n = 0; n < all.size(); ++n) {
      EXPECT_NEAR(all[n], linear(onto.point(static_cast<std::int32_t>(onto.place[n]))), bound) << name;
    }
  }
  auto const all = values_of(*made.core, "theta"), rest = values_of(*made.core, "theta_reference");
  for (std::size_t n = 0; n < all.size(); ++n) {
    // And theta of 300 K is rounded when the departure is added, here and above.
    EXPECT_NEAR(all[n] - rest[n], linear(onto.point(static_cast<std::int32_t>(onto.place[n]))),
                bound + 4 * 0x1p-53 * 300);
  }
}

TEST(ARemeshedCore, HasASmoothFieldToSecondOrder) {
  auto const smooth = [](auto const& x) {
    return std::sin(pi * x[0] / 700) * std::cos(pi * x[1] / 600) * std::sin(pi * x[2] / 900 + 1);
  };
  auto const onto =
      setup_of("[mesh]\nnx = 13\nny = 11\nnz = 12\nlength = [700.0, 600.0, 900.0]\njitter = 0.12\n");
  double error[3];
  for (int n = 0; n < 3; ++n) {
    ElementAir air("[mesh]\nnx = 4\nny = 4\nnz = 4\nlength = [700.0, 600.0, 900.0]\nrefinement = " +
                   std::to_string(1 << n) + "\n");
    std::vector<double> w;
    for (std::size_t i = 0; i < air.nodes(); ++i) w.push_back(smooth(air.point(i)));
    air.set("w", w);
    auto const made = remeshed(air, onto);
    auto const all = values_of(*made.core, "w");
    auto sum = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      sum += std::pow(all[i] - smooth(onto.point(static_cast<std::int32_t>(onto.place[i]))), 2);
    }
    error[n] = std::sqrt(sum / static_cast<double>(all.size()));
  }
  for (int n = 0; n < 2; ++n) EXPECT_NEAR(std::log2(error[n] / error[n + 1]), 2, 0.25);
}

TEST(AirAtRestOverAMountain, StaysAtRestWhenRemeshed) {
  for (auto const& [policy, water] :
       {std::pair{"fp64", ""}, {"fp32", ""}, {"fp64", humid}, {"fp32", humid}}) {
    ElementAir air(hill(4, 3, 5, water), policy);
    ElementAir other(hill(7, 4, 6, water), policy);

    auto const made = remeshed(air, other.setup(), policy);

    EXPECT_GT(made.outside, 0);
    // The hill is 500 m high: chords of some km over it are no further from each other.
    EXPECT_LT(made.farthest, 250);
    EXPECT_EQ(made.core->fields().state_hash(), other.hash()) << policy;
    for (int n = 0; n < 3; ++n) made.core->take_step(n + 1, 10 * n, 1e9);
    EXPECT_EQ(made.core->fields().state_hash(), other.hash()) << policy;
  }
}

TEST(ARunRemeshedAtHalfTime, StaysNearThePlainRun) {
  ElementAir plain(bubble_in(1)), begun(bubble_in(1)), fine(bubble_in(2));
  plain.steps(10);
  fine.steps(10);
  begun.steps(5);

  auto const half = remeshed(begun, fine.setup());
  for (int n = 0; n < 5; ++n) half.core->take_step(n + 1, 4 * n, 1e9);
  auto const back =
      fem::remesh(Host{}, "fp64", Assembly::deterministic, fine.setup(), *half.core, plain.setup());
  auto const on_plain =
      fem::remesh(Host{}, "fp64", Assembly::deterministic, fine.setup(), fine.core(), plain.setup());

  // What five of ten steps on another mesh change is at most what all ten do.
  auto const w = plain.values("w"), mixed = values_of(*back.core, "w"),
             refined = values_of(*on_plain.core, "w");
  auto changed = 0.0, all = 0.0;
  for (std::size_t n = 0; n < w.size(); ++n) {
    changed = std::max(changed, std::abs(mixed[n] - w[n]));
    all = std::max(all, std::abs(refined[n] - w[n]));
  }
  EXPECT_GT(changed, 0);
  EXPECT_LT(changed, all);
  EXPECT_LT(all, 0.5 * largest(w));
  auto const mass = [](Core& core) {
    auto const rho = values_of(core, "rho"), volume = values_of(core, "cell_volume");
    return std::inner_product(rho.begin(), rho.end(), volume.begin(), 0.0);
  };
  // Two interpolations, each of a departure of rho of up to 1 K in 300 K in a fiftieth of the volume.
  EXPECT_NEAR(mass(*back.core) / mass(plain.core()), 1, 2.0 / 300 / 50);
}

TEST(ARemesh, SaysWhatItsPartsTook) {
  ElementAir air(bubble_in(1));
  auto const begin = std::chrono::steady_clock::now();
  auto const made = remeshed(air, setup_of(bubble_in(2)));
  auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (auto const part : {made.search, made.interpolation, made.built.connectivity, made.built.plans,
                          made.built.solvers, made.built.rest}) {
    EXPECT_GT(part, 0);
  }
  EXPECT_LE(made.seconds(), seconds);
  EXPECT_EQ(fem::remesh(Host{}, "quad", Assembly::atomic, air.setup(), air.core(), air.setup()).core,
            nullptr);
}

/// What the case says of a start from a file, "" where it takes it.
std::string refusal(std::string const& text) {
  try {
    setup_of(text);
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

/// Adds u to a file of a mesh, with one value missing.
void add_wind_with_a_gap(std::string const& mesh) {
  int file = -1, place = -1, nodes = -1, u = -1;
  ASSERT_EQ(nc_open(mesh.c_str(), NC_WRITE, &file), NC_NOERR);
  ASSERT_EQ(nc_inq_varid(file, "mesh_node_x", &place), NC_NOERR);
  ASSERT_EQ(nc_inq_vardimid(file, place, &nodes), NC_NOERR);
  std::size_t count = 0;
  ASSERT_EQ(nc_inq_dimlen(file, nodes, &count), NC_NOERR);
  nc_redef(file);
  ASSERT_EQ(nc_def_var(file, "u", NC_DOUBLE, 1, &nodes, &u), NC_NOERR);
  ASSERT_EQ(nc_put_att_text(file, u, "units", 5, "m s-1"), NC_NOERR);
  nc_enddef(file);
  std::vector<double> values(count, 3.0);
  values[count / 2] = NC_FILL_DOUBLE;
  ASSERT_EQ(nc_put_var_double(file, u, values.data()), NC_NOERR);
  ASSERT_EQ(nc_close(file), NC_NOERR);
}

TEST(AStartFromAFile, NeedsAValueAtEveryNode) {
  auto const path = (std::filesystem::path(testing::TempDir()) / "remesh_gap.nc").string();
  write_ugrid(path, setup_of(bubble_in(1)).mesh);
  add_wind_with_a_gap(path);

  EXPECT_NE(refusal("[start]\nfile = '" + path + "'\n[mesh]\nnx = 2\nny = 2\nnz = 2\n")
                .find("u has no value at node"),
            std::string::npos);
}

TEST(AStartFromAFile, NeedsItsMeshAndItsFields) {
  auto const folder = std::filesystem::path(testing::TempDir());
  auto const mesh = (folder / "remesh_mesh.nc").string(), text = (folder / "remesh_text.nc").string();
  write_ugrid(mesh, setup_of(bubble_in(1)).mesh);
  std::ofstream(text) << "no NetCDF";
  auto const start = [](std::string const& file) { return "[start]\nfile = '" + file + "'\n"; };
  auto const box = std::string("[mesh]\nnx = 2\nny = 2\nnz = 2\n");

  EXPECT_NE(refusal(start(mesh) + box).find("no variable 'u'"), std::string::npos);
  EXPECT_NE(refusal(start(text) + box), "");
  EXPECT_NE(
      refusal("[start]\nfile = '" + mesh + "'\nbubble.amplitude = 1.0\n" + box).find("does not go with"),
      std::string::npos);
  EXPECT_NE(refusal("[start]\nfile = 'missing.nc'\n" + box).find("no such file"), std::string::npos);
}

}  // namespace
