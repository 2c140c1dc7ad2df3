// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "core/les/register.hpp"
#include "ensembles/runs/run.hpp"
#include "io/netcdf.hpp"
#include "support/cf_check.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;

/// A canyon 80 m wide in columns of 20 m; the other four are solid in their two lowest cells.
char const* const canyon = R"toml(core = 'les'
[grid]
nx = 8
ny = 6
nz = 7
dx = 20.0
dy = 20.0
dz = 10.0
[time]
step = '0.5 s'
end = '2 s'
[ground]
heat_flux = 0.1
[buildings]
kind = 'street_canyon'
height = 20.0
canyon_width = 90.0
[start]
noise_wind = 0.2
[output]
interval = '1 s'
divergence = true
)toml";

TEST(EddiesOutput, IsCfInEveryPolicyAndMissingInBuildings) {
  les::register_core();
  test::TemporaryFolder const folder;
  for (auto const* policy : {"fp64", "fp32", "mixed", "quad"}) {
    ensembles::RunRequest request{{folder.write("case.toml", canyon)}, {}, folder / policy};
    request.options.policy = policy;
    ensembles::run(request);
    auto const path = folder / policy / "output.nc";

    EXPECT_EQ(test::cf_problems(path), std::vector<std::string>{}) << policy;
    io::InputFile const output(path);
    EXPECT_EQ(output.times("u"), (std::vector<double>{0, 1, 2}));
    auto const missing = [&](char const* field) {
      std::int64_t count = 0;
      for (auto const value : output.read(field).values) count += std::isnan(value);
      return count;
    };
    // Columns 6, 7, 0 and 1 of x are built and touch each other: five faces of u.
    EXPECT_EQ(missing("theta"), 4 * 6 * 2);
    EXPECT_EQ(missing("w"), 4 * 6 * 2);
    EXPECT_EQ(missing("divergence"), 4 * 6 * 2);
    EXPECT_EQ(missing("v"), 4 * 6 * 2);
    EXPECT_EQ(missing("u"), 5 * 6 * 2);
    EXPECT_EQ(missing("ustar"), 0);
  }
}

}  // namespace
