// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "core/fem/register.hpp"
#include "core/fem/setup.hpp"
#include "ensembles/runs/run.hpp"
#include "io/netcdf.hpp"
#include "support/cf_check.hpp"
#include "support/conformance.hpp"
#include "support/temporary_folder.hpp"
#include "support/ugrid_check.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::ensembles;

/// Wind over a mountain with sponge, fixed and open sides, viscosity, upwinding, a bubble and water.
char const* const windy = R"toml(core = 'fem'
[mesh]
nx = 5
ny = 4
nz = 4
length = [5000.0, 4000.0, 6000.0]
stretch = 1.1
jitter = 0.1
[mountain]
height = 300.0
[boundary]
fixed = ['inflow', 'south', 'north']
open = ['outflow']
[air]
viscosity = 5.0
[wind]
u = 10.0
v = 2.0
[sponge]
rate = 0.02
thickness = [1000.0, 1000.0, 2000.0]
[time]
step = '5 s'
end = '1 h'
[start.bubble]
amplitude = 1.0
centre = [2500.0, 2000.0, 2000.0]
radius = [1500.0, 1500.0, 1500.0]
[water]
carried = true
vapour = 0.01
[upwind]
scheme = 'supg'
wind = 'streamline'
)toml";
/// A bubble between walls.
char const* const closed = R"toml(core = 'fem'
[mesh]
nx = 3
ny = 2
nz = 4
length = [900.0, 600.0, 1200.0]
[air]
buoyancy_frequency = 0.0
[time]
step = '4 s'
end = '1 h'
[pressure]
method = 'gmres'
preconditioner = 'jacobi'
[solver]
method = 'gmres'
[start.bubble]
amplitude = 1.0
centre = [450.0, 300.0, 400.0]
radius = [300.0, 300.0, 300.0]
)toml";

/// A cloud that rains in humid air in a wind: all of it within the first steps.
char const* const humid = R"toml(core = 'fem'
[mesh]
nx = 3
ny = 2
nz = 4
length = [1500.0, 1000.0, 2000.0]
jitter = 0.1
[boundary]
fixed = ['inflow']
open = ['outflow']
[air]
humid = true
humidity = 0.95
humidity_depth = 8000.0
viscosity = 5.0
[wind]
u = 5.0
[time]
step = '10 s'
end = '1 h'
[start.bubble]
amplitude = 1.0
centre = [750.0, 500.0, 1000.0]
radius = [700.0, 600.0, 900.0]
[water]
vapour = 0.003
cloud = 0.003
rain = 0.003
)toml";

class ElementsConformance : public test::PlacesTest {
 protected:
  ElementsConformance() { fem::register_core(); }
};

TEST_F(ElementsConformance, HoldsOverAMountainInDouble) {
  test::expect_conformance(windy, "fp64", Assembly::deterministic, test::places());
}

TEST_F(ElementsConformance, HoldsInHumidAir) {
  for (auto const* policy : {"fp64", "fp32", "mixed"}) {
    test::expect_conformance(humid, policy, Assembly::deterministic, test::places(), 2);
  }
  test::expect_conformance(humid, "mixed", Assembly::atomic, test::places(), 2);
}

TEST_F(ElementsConformance, HoldsInEveryPolicy) {
  for (auto const* policy : {"fp32", "mixed", "tf32", "bf16", "fp16"}) {
    test::expect_conformance(closed, policy, Assembly::deterministic, test::places(), 2);
  }
}

/// A policy each in which the types differ: what it adds knows nothing of formats.
TEST_F(ElementsConformance, HoldsWithSumsInOrderOfArrival) {
  for (auto const* policy : {"fp64", "fp32", "tf32"}) {
    test::expect_conformance(closed, policy, Assembly::atomic, test::places(), 2);
  }
}

#if !defined(ULPINE_GPU_TESTS)
TEST_F(ElementsConformance, HoldsInEmulatedFormats) {
  test::expect_conformance(closed, "e11m52-sr1", Assembly::deterministic, test::places(), 2);
}

/// After two steps, with `stages`.
std::unique_ptr<Model> run_of(std::string text, std::string const& policy,
                              std::vector<StageOverride> const& stages = {}, int threads = 1) {
  ModelOptions options;
  options.policy = policy;
  options.stages = stages;
  options.threads = threads;
  text.replace(text.find("end = '1 h'"), 11, "");  // no model's key
  auto model = make_model(io::CaseFile::parse(text, "air.toml"), options);
  model->advance(2);
  return model;
}

TEST_F(ElementsConformance, InBinary64IsTheRunInDoubleUnlessAtRandom) {
  for (auto const* text : {windy, closed, humid}) {
    auto const plain = run_of(text, "fp64");
    EXPECT_EQ(run_of(text, "e11m52")->state_hash(), plain->state_hash());
    std::vector<StageOverride> all;
    for (auto const& stage : plain->stages()) all.push_back({stage.name, "e11m52"});
    EXPECT_EQ(run_of(text, "fp64", all)->state_hash(), plain->state_hash());
    // A stage that copies rounds nothing in any format; the others stay as in double.
    EXPECT_EQ(run_of(text, "e11m52", {{"fem.old", "e8m23"}})->state_hash(), plain->state_hash());
    std::vector<StageOverride> const mixed = {{"fem.scalar.matrix", "bf16"},
                                              {"fem.momentum.matrix", "e11m40-rr2"},
                                              {"fem.scalar.solve", "e11m52-sr2"}};
    auto const random = run_of(text, "e11m52-sr1", mixed)->state_hash();
    EXPECT_EQ(run_of(text, "e11m52-sr1", mixed, 3)->state_hash(), random);
    EXPECT_NE(run_of(text, "e11m52-sr2", mixed)->state_hash(), random);
    EXPECT_NE(run_of(text, "e11m52-sr1")->state_hash(), random);
  }
}

TEST_F(ElementsConformance, OfFormatsKnowsTheStages) {
  EXPECT_THROW(run_of(closed, "fp64", {{"fem.scalar.matrx", "e8m7"}}), InputError);
  std::string petsc(closed), solver = "[solver]\n";
  petsc.insert(petsc.find(solver) + solver.size(), "petsc = '-ksp_type gmres'\n");
  EXPECT_THROW(run_of(petsc, "e8m23"), InputError);
}

TEST(ElementsOutput, IsCfInTheOrderOfTheBox) {
  fem::register_core();
  test::TemporaryFolder const folder;
  std::string text(windy);
  text.replace(text.find("end = '1 h'"), 11, "end = '10 s'");
  RunRequest const request{
      {folder.write("case.toml", text + "[output]\ninterval = '5 s'\n")}, {}, folder / "run"};

  run(request);

  auto const path = folder / "run" / "output.nc";
  EXPECT_EQ(test::cf_problems(path), std::vector<std::string>{});
  EXPECT_EQ(test::UgridCheck(path).problems(), std::vector<std::string>{});
  io::InputFile const output(path);
  EXPECT_EQ(output.times("u"), (std::vector<double>{0, 5, 10}));
  auto const x = output.read("mesh_node_x").values, z = output.read("mesh_node_z").values;
  // 6 nodes along x come first, the lid's last.
  ASSERT_EQ(x.size(), 6u * 5 * 5);
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(x[5], 5000);
  for (std::size_t n = 120; n < 150; ++n) EXPECT_EQ(z[n], 6000);
  // The tetrahedra are those of the nodes as they are written: they fill the box.
  auto const y = output.read("mesh_node_y").values, nodes = output.read("mesh_volume_nodes").values;
  double volume = 0;
  for (std::size_t e = 0; e < nodes.size(); e += 4) {
    std::array<double, 3> corner[4];
    for (std::size_t k = 0; k < 4; ++k) {
      auto const n = static_cast<std::size_t>(nodes[e + k]);
      corner[k] = {x[n], y[n], z[n]};
    }
    auto const edge = [&](std::size_t k, std::size_t d) { return corner[k][d] - corner[0][d]; };
    auto const six = edge(1, 0) * (edge(2, 1) * edge(3, 2) - edge(2, 2) * edge(3, 1)) +
                     edge(1, 1) * (edge(2, 2) * edge(3, 0) - edge(2, 0) * edge(3, 2)) +
                     edge(1, 2) * (edge(2, 0) * edge(3, 1) - edge(2, 1) * edge(3, 0));
    EXPECT_GT(six, 0);
    volume += six / 6;
  }
  auto const measured = output.weights("theta");
  EXPECT_NEAR(volume, std::accumulate(measured.begin(), measured.end(), 0.0), 1e-9 * volume);
}

TEST(ElementsOutput, IsAMeshToGoOnWith) {
  fem::register_core();
  test::TemporaryFolder const folder;
  std::string text(windy);
  text.replace(text.find("end = '1 h'"), 11, "end = '5 s'");
  RunRequest const request{{folder.write("case.toml", text)}, {}, folder / "run"};
  run(request);
  auto const sides =
      text.substr(text.find("[boundary]"), text.find('\n', text.find("fixed")) - text.find("[boundary]"));

  auto const first = fem::read_case(io::CaseFile::parse(text, "case.toml"));
  auto const again =
      fem::read_case(io::CaseFile::parse("core = 'fem'\n[mesh]\nkind = 'ugrid'\nfile = '" +
                                             (folder / "run" / "output.nc").string() + "'\n" + sides + "\n",
                                         "again.toml"));

  EXPECT_EQ(again.mesh.position, first.mesh.position);
  EXPECT_EQ(again.mesh.element, first.mesh.element);
  EXPECT_EQ(again.mesh.face, first.mesh.face);
  EXPECT_EQ(again.fixed, first.fixed);
  EXPECT_EQ(again.ground, first.ground);
  EXPECT_EQ(again.place, first.place);
}

TEST(ElementsOutput, IsAStartOfHumidAir) {
  fem::register_core();
  test::TemporaryFolder const folder;
  std::string text(humid);
  text.replace(text.find("end = '1 h'"), 11, "end = '10 s'");
  RunRequest const request{{folder.write("case.toml", text)}, {}, folder / "run"};
  run(request);
  auto const path = folder / "run" / "output.nc";

  text.erase(text.find("[start.bubble]"));
  auto const again =
      fem::read_case(io::CaseFile::parse(text + "[start]\nfile = '" + path.string() + "'\n", "again.toml"));

  io::InputFile const output(path);
  for (auto const* field : {"theta", "vapour", "cloud", "rain"}) {
    auto const values = output.read(field, -1).values;
    auto const& start = field == std::string("theta")    ? again.start_theta
                        : field == std::string("vapour") ? again.vapour
                        : field == std::string("cloud")  ? again.cloud
                                                         : again.rain;
    // A departure from the reference is formed and added again.
    for (std::size_t n = 0; n < values.size(); ++n) {
      EXPECT_NEAR(start[static_cast<std::size_t>(again.place[n])], values[n], 4 * 0x1p-53 * values[n] + 1e-17)
          << field;
    }
  }
}

TEST_F(ElementsConformance, HoldsInTheReference) {
  test::expect_conformance(closed, "quad", Assembly::deterministic, test::places(), 2);
}
#endif

}  // namespace
