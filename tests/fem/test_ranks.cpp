// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/fem/make.hpp"
#include "core/fem/part_of_case.hpp"
#include "core/fem/petsc.hpp"
#include "core/fem/register.hpp"
#include "support/conformance.hpp"
#include "support/thread_ranks.hpp"
#include "support/thread_team.hpp"

namespace {

using namespace ulpine;

std::string box(int nx, int ny, int nz) {
  return "core = 'fem'\n[mesh]\nnx = " + std::to_string(nx) + "\nny = " + std::to_string(ny) +
         "\nnz = " + std::to_string(nz) +
         "\nlength = [2500.0, 2000.0, 3000.0]\njitter = 0.1\n[time]\nstep = '5 s'\nend = '1 h'\n"
         "[start.bubble]\namplitude = 1.0\ncentre = [1200.0, 1000.0, 1000.0]\nradius = [900.0, 800.0, "
         "900.0]\n";
}
/// Wind over a mountain with sponge, fixed and open sides, viscosity, upwinding and water.
std::string const windy =
    "[mountain]\nheight = 200.0\n[boundary]\nfixed = ['inflow', 'south', 'north']\nopen = ['outflow']\n"
    "[air]\nviscosity = 5.0\n[wind]\nu = 10.0\nv = 2.0\n[sponge]\nrate = 0.02\n"
    "thickness = [500.0, 500.0, 1000.0]\n[water]\ncarried = true\nvapour = 0.01\n"
    "[upwind]\nscheme = 'supg'\nwind = 'streamline'\n[pressure]\ntolerance = 1e-3\n[solver]\ntolerance = "
    "1e-3\n";
std::string const jacobi =
    "[pressure]\nmethod = 'gmres'\npreconditioner = 'jacobi'\ntolerance = 1e-3\n[solver]\nmethod = "
    "'gmres'\ntolerance = 1e-3\n";
/// A cloud that rains within the first steps.
std::string const humid =
    "[boundary]\nfixed = ['inflow']\nopen = ['outflow']\n[air]\nhumid = true\nhumidity = 0.95\n"
    "humidity_depth = 8000.0\n[wind]\nu = 5.0\n[water]\nvapour = 0.003\ncloud = 0.003\nrain = 0.003\n"
    "[pressure]\nmethod = 'cg'\ntolerance = 1e-3\n[solver]\ntolerance = 1e-3\n";

fem::Setup air_in(std::string const& text) { return fem::read_case(io::CaseFile::parse(text, "air.toml")); }

class ElementsOnRanks : public test::PlacesTest {
 protected:
  ElementsOnRanks() { fem::register_core(); }
  test::ThreadTeam team_{7};
};

#if defined(ULPINE_GPU_TESTS)

TEST_F(ElementsOnRanks, HaveTheHostsBitsOnGpus) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32"}) {
    test::expect_conformance(box(6, 5, 6) + windy, policy, Assembly::deterministic, test::on_gpus(), 2);
  }
  test::expect_conformance(box(5, 4, 5) + humid, "fp64", Assembly::deterministic, test::on_gpus(), 2);
}

#else

/// Of two ranks, which share the multigrid's finest level, and of so many that they do not.
TEST_F(ElementsOnRanks, HaveTheBitsOfOneOverAMountain) {
  test::expect_conformance(box(7, 7, 8) + windy, "fp64", Assembly::deterministic, test::on_ranks({1, 2}), 1);
  test::expect_conformance(box(3, 3, 4) + windy, "mixed", Assembly::deterministic, test::on_ranks({1, 3, 7}),
                           2);
}
TEST_F(ElementsOnRanks, HaveThemByJacobisMethodInEveryState) {
  for (auto const* policy : {"fp32", "tf32", "e8m10"}) {
    test::expect_conformance(box(3, 2, 2) + jacobi, policy, Assembly::deterministic, test::on_ranks({1, 3}),
                             1);
  }
}
TEST_F(ElementsOnRanks, HaveThemWhereItRains) {
  test::expect_conformance(box(3, 2, 4) + humid, "fp64", Assembly::deterministic, test::on_ranks({1, 3}), 2);
}

TEST_F(ElementsOnRanks, HaveThemWithNoiseBetweenSteps) {
  auto text = box(3, 2, 2) + jacobi;
  text.replace(text.find("end = '1 h'"), 11, "");  // no model's key
  std::set<std::uint64_t> hashes;
  for (int const ranks : {1, 3}) {
    ModelOptions options;
    options.ranks = ranks;
    auto const model = make_model(io::CaseFile::parse(text, "air.toml"), options);
    model->advance(1);
    model->perturb("theta", {.seed = 3, .amplitude = 0.5});
    model->perturb("u", {.seed = 4, .amplitude = 0.5});
    model->advance(1);
    hashes.insert(model->state_hash());
  }
  EXPECT_EQ(hashes.size(), 1u);
}

TEST_F(ElementsOnRanks, RefuseWhatTheyCannot) {
  EXPECT_EQ(
      test::refusal_on_ranks(box(2, 2, 2), "quad", 2),
      "policy quad is for one rank of core 'fem' (its solvers' sums are not shared in it) use one rank");
  if (!fem::has_petsc()) return;
  auto const petsc =
      test::refusal_on_ranks(box(2, 2, 2) + "[solver]\npetsc = '-ksp_type gmres'\n", "fp64", 2);
  EXPECT_EQ(
      petsc,
      "case.toml:16: solver.petsc: asks for PETSc on ranks that are threads of one process (it solves on "
      "processes of MPI) take the key out, or start them with mpirun");
  // Beside GPUs those of the host say what the others do.
  on_thread_ranks(2, [](std::shared_ptr<Ranks> const& ranks) {
    ranks->set_mixed(true);
    auto const setup = air_in(box(2, 2, 2) + "[pressure]\npetsc = ''\n");
    EXPECT_EQ(
        test::message_of<InputError>(
            [&] { fem::make(Host{}, "fp32", Assembly::deterministic, setup, ranks); }),
        "air.toml:16: pressure.petsc: asks for PETSc on a device (it solves on the host) take the key out, "
        "or run on the host with a policy whose state is double");
  });
}

TEST(PartOfCase, OwnsEveryNodeOnceAndHoldsWhatItsRowsNeed) {
  auto const whole = air_in(box(5, 4, 6) + windy);
  auto const& mesh = whole.mesh;
  for (int const size : {1, 2, 3, 7, 16}) {
    std::vector<int> owners(static_cast<std::size_t>(whole.nodes()), 0);
    std::int64_t elements = 0;
    std::mutex mutex;
    on_thread_ranks(size, [&](std::shared_ptr<Ranks> const& ranks) {
      fem::PartOfCase const part(whole, ranks.get());
      auto const& nodes = part.nodes();
      auto const& own = part.setup();
      // Balanced to a node, never empty.
      EXPECT_LE(std::abs(nodes.owned() - whole.nodes() / size), 1);
      EXPECT_GT(nodes.owned(), 0);
      ASSERT_EQ(own.nodes(), nodes.held());
      // Its elements are those of the whole that touch what it owns, in order.
      std::vector<std::int32_t> expected, found;
      std::set<std::int32_t> needed;
      for (std::int32_t e = 0; e < mesh.elements(); ++e) {
        auto const* const node = &mesh.element[4 * static_cast<std::size_t>(e)];
        if (std::none_of(node, node + 4, [&](std::int32_t n) { return nodes.owns(n); })) continue;
        expected.insert(expected.end(), node, node + 4);
        needed.insert(node, node + 4);
      }
      for (auto const n : own.mesh.element) found.push_back(nodes.number(n));
      EXPECT_EQ(found, expected);
      // Ghosts are no more than that, and have the values of the whole.
      EXPECT_EQ(std::vector<std::int32_t>(needed.begin(), needed.end()), nodes.numbers());
      for (std::int32_t place = 0; place < nodes.held(); ++place) {
        EXPECT_EQ(own.point(place), whole.point(nodes.number(place)));
        EXPECT_EQ(own.volume[static_cast<std::size_t>(place)],
                  whole.volume[static_cast<std::size_t>(nodes.number(place))]);
        EXPECT_EQ(own.fixed[static_cast<std::size_t>(place)],
                  whole.fixed[static_cast<std::size_t>(nodes.number(place))]);
        EXPECT_EQ(nodes.place(nodes.number(place)), place);
      }
      std::lock_guard const lock(mutex);
      elements += part.elements();
      for (std::int32_t n = 0; n < whole.nodes(); ++n) {
        owners[static_cast<std::size_t>(n)] += nodes.owns(n) ? 1 : 0;
      }
    });
    EXPECT_EQ(owners, std::vector<int>(owners.size(), 1)) << size;
    EXPECT_EQ(elements, mesh.elements());
  }
}

TEST(PartOfCase, RefusesMoreRanksThanNodes) {
  auto const whole =
      air_in("core = 'fem'\n[mesh]\nnx = 1\nny = 1\nnz = 1\nlength = [9.0, 9.0, 9.0]\n[time]\n");
  on_thread_ranks(9, [&](std::shared_ptr<Ranks> const& ranks) {
    try {
      fem::PartOfCase const part(whole, ranks.get());
      ADD_FAILURE() << "8 nodes among 9 ranks";
    } catch (InputError const& error) {
      EXPECT_STREQ(error.what(),
                   "the mesh has 8 nodes, too few for 9 ranks (each needs one) use fewer ranks");
    }
  });
}

#endif

}  // namespace
