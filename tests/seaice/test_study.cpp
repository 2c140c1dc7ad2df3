// SPDX-License-Identifier: Apache-2.0
// A small study of the sea-ice core: what its members start from and end with.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/seaice/register.hpp"
#include "ensembles/study/study.hpp"
#include "io/netcdf.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::ensembles;

TEST(SeaIceStudy, MembersStartFromNoiseOfTheirOwnThatAllPoliciesShare) {
  seaice::register_core();
  test::TemporaryFolder const folder;
  test::write_file(folder / "case.toml",
                   "core = 'seaice'\nname = 'small'\n[grid]\nnx = 8\nny = 6\nlength = 64e3\n[initial]\n"
                   "source = 'uniform'\nheight = 1.0\nconcentration = 0.5\n[forcing]\ncyclone_x = 20e3\n"
                   "cyclone_y = 30e3\n[time]\nsubsteps = 5\nend = '10 min'\n");
  StudyOptions options;
  options.policies = {"fp64", "tf32"};
  options.assemblies = {"deterministic"};
  options.epsilons = {"2^-7"};
  options.members = 3;
  run_study({folder / "case.toml"}, make_plan(options), folder / "study", {});

  auto const read = [&](std::string const& path, std::string const& field, std::int64_t record) {
    return io::InputFile(folder / ("study/" + path + "/output.nc")).read(field, record).values;
  };
  std::map<std::string, std::vector<double>> starts, ends;
  for (std::string const policy : {"fp64", "tf32"}) {
    auto const plain = "runs/" + policy + "-deterministic";
    for (std::string const member : {"m00", "m01", "m02"}) {
      auto const path = "members/" + policy + "-deterministic/eps-2p-7/" + member;
      for (std::string const field : {"sivol", "siconc"}) {
        auto noise = read(path, field, 0);
        auto const base = read(plain, field, 0);
        ASSERT_EQ(noise.size(), 48u);
        double sum = 0, most = 0;
        for (std::size_t k = 0; k < noise.size(); ++k) {
          noise[k] -= base[k];
          sum += noise[k];
          most = std::max(most, std::abs(noise[k]));
        }
        EXPECT_LE(most, 0x1p-7);
        EXPECT_GT(most, 0.9 * 0x1p-7);  // 48 draws stay below for a chance of 0.6 %; the numbers are fixed
        EXPECT_LT(std::abs(sum / 48), 4 * 0x1p-7 / std::sqrt(3.0 * 48));
        starts[policy + member + field] = noise;
      }
      ends[policy + member] = read(path, "sivol", -1);
      EXPECT_NE(ends[policy + member], read(path, "sivol", 0)) << "the ice has not moved";
    }
  }
  for (std::string const member : {"m00", "m01", "m02"}) {
    EXPECT_EQ(starts["fp64" + member + "sivol"], starts["tf32" + member + "sivol"])
        << "the state is double in both";
    EXPECT_NE(starts["fp64" + member + "sivol"], starts["fp64" + member + "siconc"]);
    EXPECT_NE(ends["fp64" + member], ends["tf32" + member]);
  }
  EXPECT_NE(starts["fp64m00sivol"], starts["fp64m01sivol"]);
  EXPECT_NE(starts["fp64m01sivol"], starts["fp64m02sivol"]);
  EXPECT_NE(starts["fp64m00sivol"], starts["fp64m02sivol"]);
}

}  // namespace
