// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "core/seaice/register.hpp"
#include "io/case_file.hpp"
#include "io/state.hpp"
#include "support/conformance.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"
#include "support/thread_team.hpp"

namespace {

using namespace ulpine;

/// A coast with islands, some across the sides of blocks, and ice in disorder, with its place on the Earth.
void write_ice(std::filesystem::path const& path, int nx, int ny) {
  std::vector<double> sea, thick, cover, east, north;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      sea.push_back((5 * i + 3 * j) % 17 == 4 || i + j < 3 ? 0 : 1);
      thick.push_back(0.2 + 0.1 * ((7 * i + 11 * j) % 19));
      cover.push_back(1 - 0.02 * ((3 * i + 5 * j) % 7));
      east.push_back(10 + 0.5 * i + 0.01 * j);
      north.push_back(70 + 0.1 * j + 0.01 * i);
    }
  }
  test::NetcdfWriting file(path);
  std::vector<int> const yx{file.dimension("y", static_cast<std::size_t>(ny)),
                            file.dimension("x", static_cast<std::size_t>(nx))};
  auto const variable = [&](char const* name, char const* units) {
    auto const id = file.variable(name, NC_DOUBLE, yx);
    file.text(id, "units", units);
    return id;
  };
  int const mask = variable("mask", "1"), h = variable("hice", "m"), a = variable("cice", "1"),
            lon = variable("lon", "degrees_east"), lat = variable("lat", "degrees_north");
  file.values(mask, sea);
  file.values(h, thick);
  file.values(a, cover);
  file.values(lon, east);
  file.values(lat, north);
}

std::string const bent = "distortion = 0.04\n";
std::string orders(int cg, int dg) {
  return "cg = " + std::to_string(cg) + "\ndg = " + std::to_string(dg) + "\n";
}
std::string stages(int number) { return "runge_kutta = " + std::to_string(number) + "\n"; }

class IceOnRanks : public test::PlacesTest {
 protected:
  IceOnRanks() { seaice::register_core(); }

  /// The ice of write_ice(), in the keys of [initial].
  std::string ice(int nx, int ny) {
    auto const path = folder_ / ("ice" + std::to_string(nx) + "x" + std::to_string(ny) + ".nc");
    write_ice(path, nx, ny);
    return "[initial]\nsource = 'file'\nfile = '" + path.string() +
           "'\nmask = 'mask'\nheight_variable = 'hice'\nconcentration_variable = 'cice'\n";
  }
  /// On the plane; `grid`, `discretisation`, `seaice`: what is more in these sections. Its wind turns.
  static std::string plane(int nx, int ny, std::string const& grid, std::string const& discretisation,
                           std::string const& seaice = "", int substeps = 3, std::string const& more = "") {
    return "core = 'seaice'\n[grid]\nnx = " + std::to_string(nx) + "\nny = " + std::to_string(ny) + "\n" +
           grid + "[discretisation]\n" + discretisation + "[seaice]\n" + seaice +
           "[time]\nend = '1 h'\nsubsteps = " + std::to_string(substeps) + "\n" + more;
  }
  /// With a coast, and with all that can be written.
  std::string coast(int nx, int ny, std::string const& discretisation, int substeps = 5) {
    return plane(nx, ny, bent, discretisation, "", substeps,
                 "[output]\ncoefficients = true\nconvergence = true\n" + ice(nx, ny) +
                     "longitude_variable = 'lon'\nlatitude_variable = 'lat'\n");
  }
  static std::string sphere(int nx, int ny, std::string const& discretisation, std::string const& more = "") {
    return "core = 'seaice'\n[grid]\nnx = " + std::to_string(nx) + "\nny = " + std::to_string(ny) +
           "\nwest = -10\neast = 20\nsouth = 20\nnorth = 50\n[discretisation]\ncoordinates = 'spherical'\n" +
           discretisation +
           "[forcing]\nwind = 'cyclone'\ncyclone_longitude = -20\ncyclone_latitude = 50\n"
           "cyclone_reach = 4e5\ncyclone_drift_x = 12\n[time]\nend = '1 h'\nsubsteps = 3\n" +
           more;
  }

  test::TemporaryFolder folder_;
  test::ThreadTeam team_{7};
};

#if defined(ULPINE_GPU_TESTS)

// Groups of four and six sub-steps in strips, groups that are cut short, single ones.
TEST_F(IceOnRanks, HasTheHostsBitsOnGpusWithStrips) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32"}) {
    test::expect_conformance(plane(33, 30, "", orders(1, 3), "", 16), policy, Assembly::deterministic,
                             test::on_gpus(), 3);
  }
}
TEST_F(IceOnRanks, HasTheHostsBitsOnGpusOnACoast) {
  for (auto const* policy : {"fp64", "mixed"}) {
    test::expect_conformance(coast(22, 21, orders(1, 3)), policy, Assembly::deterministic, test::on_gpus(),
                             2);
  }
  test::expect_conformance(plane(30, 7, bent, orders(2, 6), stages(3), 9), "fp32", Assembly::deterministic,
                           test::on_gpus(), 2);
}
TEST_F(IceOnRanks, HasThemOnASphereWithGpus) {
  test::expect_conformance(sphere(15, 14, orders(1, 3)), "fp64", Assembly::deterministic, test::on_gpus(), 2);
  test::expect_conformance(sphere(21, 15, orders(2, 6)), "mixed", Assembly::deterministic, test::on_gpus(),
                           2);
}
TEST_F(IceOnRanks, HasThemInPassesAndOnTheFlyWithGpus) {
  test::expect_conformance(plane(15, 14, bent, orders(1, 3), "assembly = 'checkerboard'\n"), "fp64",
                           Assembly::deterministic, test::on_gpus(), 2);
  test::expect_conformance(plane(21, 14, bent, orders(1, 3) + "maps = 'on_the_fly'\n"), "fp32",
                           Assembly::deterministic, test::on_gpus(), 2);
}

#else

/// In deterministic assembly, two steps.
void expect_bits(std::string const& text, std::string const& policy, std::vector<int> const& ranks) {
  test::expect_conformance(text, policy, Assembly::deterministic, test::on_ranks(ranks), 2);
}

std::vector<std::vector<double> > outputs(Model const& model) {
  std::vector<std::vector<double> > all;
  for (auto const& fields : {model.fields(), model.static_fields()}) {
    for (auto const& field : fields) {
      all.emplace_back(static_cast<std::size_t>(field.size()));
      model.read(field.name, all.back());
    }
  }
  return all;
}
/// The same state and output after two steps on any of these numbers of ranks, of which each but the first
/// goes on from the first step of the one before.
void expect_one_state(std::string text, std::string const& policy, std::vector<int> const& ranks) {
  text.replace(text.find("end = '1 h'"), 11, "");  // no model's key
  auto const source = io::CaseFile::parse(text, "case.toml");
  std::uint64_t hash = 0;
  std::vector<std::vector<double> > first;
  std::unique_ptr<io::StoredState> begun;
  for (auto const number : ranks) {
    ModelOptions options;
    options.policy = policy;
    options.ranks = number;
    auto const model = make_model(source, options);
    if (begun) {
      model->restore(*begun);
    } else {
      model->advance(1);
    }
    begun = std::make_unique<io::StoredState>(*model->state());
    model->advance(1);
    auto const values = outputs(*model);
    if (first.empty()) {
      first = values;
      hash = model->state_hash();
    }
    EXPECT_EQ(model->state_hash(), hash) << number << " ranks, " << policy;
    EXPECT_TRUE(values == first) << number << " ranks, " << policy;
  }
}

TEST_F(IceOnRanks, HasTheBitsOfOneOnACoast) {
  expect_one_state(coast(13, 11, orders(1, 3)), "fp64", {1, 2, 4, 6, 3});
  expect_one_state(coast(13, 11, orders(2, 6)), "mixed", {1, 4});
}
TEST_F(IceOnRanks, HasThemOnASphere) {
  expect_one_state(sphere(13, 9, orders(1, 3), ice(13, 9)), "tf32", {1, 2, 6});
  expect_bits(sphere(9, 7, orders(1, 3)), "fp32", {1, 6});
  expect_bits(sphere(3, 6, orders(2, 6)), "fp64", {1, 2});
}
TEST_F(IceOnRanks, HasThemInEveryPolicy) {
  for (auto const* policy : {"fp32", "mixed", "bf16", "fp16"}) {
    expect_bits(plane(7, 6, bent, orders(1, 3)), policy, {1, 4});
  }
}
// Groups of two to four sub-steps between exchanges, by how wide blocks are, and such as are cut short.
TEST_F(IceOnRanks, HasThemInEveryOrder) {
  expect_bits(plane(6, 4, bent, orders(1, 1), stages(1)), "fp64", {1, 3, 4});
  expect_bits(plane(9, 8, "", orders(1, 6), stages(3), 7), "fp64", {1, 4});
  expect_bits(plane(7, 4, bent, orders(2, 1), stages(1)), "mixed", {1, 6});
  expect_bits(plane(7, 6, "", orders(2, 3)), "tf32", {1, 4});
  expect_bits(plane(3, 8, bent, orders(2, 6), stages(3), 5), "fp64", {1, 2});
}
TEST_F(IceOnRanks, HasThemInAnUnevenChannelOfSeven) {
  expect_bits(plane(23, 2, "", orders(1, 3)), "tf32", {1, 5, 7});
  expect_bits(plane(2, 22, "", orders(2, 6), "", 4), "fp64", {1, 7});
}
TEST_F(IceOnRanks, HasThemInPassesOnTheFlyAndWithTheOtherRheology) {
  for (auto const* choice :
       {"assembly = 'rowwise'\n", "assembly = 'checkerboard'\n", "rheology = 'vp_replacement'\n"}) {
    expect_bits(plane(7, 10, bent, orders(1, 3), choice), "mixed", {1, 6});
  }
  expect_bits(plane(7, 6, bent, orders(2, 6) + "maps = 'on_the_fly'\n"), "fp64", {1, 4});
}
TEST_F(IceOnRanks, HasThemInFormatsQuadAndWithStagesInOtherPolicies) {
  expect_bits(plane(3, 6, bent, orders(1, 3), "", 3, "[output]\nconvergence = true\n"), "e8m23", {1, 2});
  expect_bits(plane(3, 6, bent, orders(1, 3)), "quad", {1, 2});
  auto places = test::on_ranks({1, 4});
  for (auto& place : places) place.stages = {{"seaice.strain", "fp32"}, {"seaice.velocity", "mixed"}};
  test::expect_conformance(plane(7, 6, bent, orders(1, 3)), "fp64", Assembly::deterministic, places, 2);
}
TEST_F(IceOnRanks, AddsUpAtomicallyToo) {
  test::expect_conformance(plane(7, 6, bent, orders(1, 3)), "fp64", Assembly::atomic, test::on_ranks({1, 4}),
                           2);
}

TEST_F(IceOnRanks, SaysWhatItCannotShare) {
  auto const small = test::refusal_on_ranks(plane(5, 5, "", orders(1, 3)), "fp64", 4);
  EXPECT_NE(small.find("too few for 4 ranks"), std::string::npos) << small;
  EXPECT_NE(small.find("use fewer ranks"), std::string::npos) << small;
  auto const residuals = test::refusal_on_ranks(
      plane(9, 8, "", orders(1, 3), "", 3, "[output]\nconvergence = true\n"), "quad", 2);
  EXPECT_NE(residuals.find("output.convergence"), std::string::npos) << residuals;
}

#endif

}  // namespace
