// SPDX-License-Identifier: Apache-2.0
// A run that goes on from any of its steps ends with the bits of one that was not interrupted, in every
// policy of the host: with both schemes, all that is carried, water that condenses and falls, open sides and
// a sponge.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "fdm/air_support.hpp"
#include "io/restart.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;

struct Way {
  char const *scheme, *policy;
};
class Restarted : public test::Air, public ::testing::WithParamInterface<Way> {};

constexpr int steps = 5;

std::string storm(std::string const& scheme) {
  return "[grid]\nnx = 5\nny = 4\nnz = 6\ndx = 800.0\ndy = 700.0\ndz = 900.0\n[time]\nstep = '6 s'\nscheme = "
         "'" +
         scheme +
         "'\n[air]\nhumid = true\ndensity = 'full'\ncoriolis = 1e-4\n[base]\nkind = 'weisman_klemp'\n"
         "humidity = 0.016\nu = 3.0\nu_aloft = 20.0\n[sound]\ntheta = '" +
         (scheme == "leapfrog" ? "small" : "big") +
         "'\n[mixing]\nclosure = 'energy'\nfourth_order = 1e-3\n[sponge]\nfrom = 3000.0\nrate = 0.01\n"
         "[boundary]\nwest = 'open'\neast = 'open'\nsouth = 'open'\nnorth = 'zero_gradient'\nspeed_of = "
         "'column'\n[terrain]\nkind "
         "= "
         "'bell'\nheight = 300.0\nhalf_width = 1500.0\n[start]\nkind = 'bubble'\namplitude = -8.0\ncentre_z "
         "= "
         "1400.0\nradius_x = 2000.0\nradius_z = 1400.0\n";
}

TEST_P(Restarted, GoesOnToTheBit) {
  auto const text = storm(GetParam().scheme);
  auto const whole = make(text, GetParam().policy);
  std::vector<io::StoredState> states;
  for (int step = 0; step < steps; ++step) {
    states.emplace_back(*whole->state());
    whole->advance(1);
  }
  for (auto const* water : {"qc", "qr", "rain"}) {
    double sum = 0;
    for (double const value : read(*whole, water)) sum += value;
    EXPECT_GT(sum, 0) << "no water condenses and falls: " << water;
  }

  test::TemporaryFolder const folder;
  auto const file = folder / "restart.nc";
  // Its own state is that of another step each time, so that nothing is right by chance.
  auto const rest = make(text, GetParam().policy);
  rest->advance(3);
  for (int step = 0; step < steps; ++step) {
    io::write_restart(file, states[static_cast<std::size_t>(step)], io::build_provenance());
    rest->restore(io::RestartFile(file));
    EXPECT_EQ(rest->step(), step);
    rest->advance(steps - step);
    EXPECT_EQ(rest->state_hash(), whole->state_hash()) << "from step " << step;
    for (auto const& info : whole->fields()) {
      auto const wanted = read(*whole, info.name), found = read(*rest, info.name);
      EXPECT_EQ(std::memcmp(wanted.data(), found.data(), wanted.size() * sizeof(double)), 0)
          << info.name << " from step " << step;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Host, Restarted,
                         ::testing::Values(Way{"runge_kutta", "fp64"}, Way{"leapfrog", "fp64"},
                                           Way{"leapfrog", "fp32"}, Way{"runge_kutta", "mixed"},
                                           Way{"leapfrog", "mixed"}, Way{"runge_kutta", "tf32"},
                                           Way{"leapfrog", "bf16"}, Way{"runge_kutta", "fp16"},
                                           Way{"leapfrog", "quad"}, Way{"runge_kutta", "e8m23"}),
                         [](auto const& info) {
                           return std::string(info.param.scheme) + "_" + info.param.policy;
                         });

}  // namespace
