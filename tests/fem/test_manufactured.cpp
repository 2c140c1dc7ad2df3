// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <sstream>

#include "fem/air_support.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;
using test::ElementAir;
using test::largest;

constexpr char const* wanted[] = {"theta_error", "wind_error", "pressure_error"};

std::string solution(int cells, int layers, double step, std::string const& waves) {
  std::ostringstream text;
  text << "[mesh]\nnx = " << cells << "\nny = " << layers << "\nnz = " << cells << "\nlength = [1000.0, "
       << 1000.0 * layers / cells << ", 1000.0]\n[air]\ntheta = 300.0\nbuoyancy_frequency = 0.0\n"
       << "viscosity = 10.0\n[time]\nimplicitness = 0.5\nstep = '" << step << " s'\n[manufactured]\n"
       << "period = '64 s'\nwaves = " << waves << "\n";
  return text.str();
}

/// Root mean squares of the errors of theta, the wind and the pressure after 24 s.
std::array<double, 3> errors_of(std::string const& text, int steps) {
  ElementAir air(text);
  air.steps(steps);
  std::array<double, 3> error{};
  for (std::size_t n = 0; n < 3; ++n) {
    error[n] = std::sqrt(air.integral_of(std::string(wanted[n]) + "_share"));
    auto const all = air.values(wanted[n]);
    auto const square = air.integral([&](std::size_t k) { return all[k] * all[k]; });
    auto const volume = air.integral([](std::size_t) { return 1.0; });
    EXPECT_NEAR(error[n] / std::sqrt(square / volume), 1, 1e-12);
  }
  return error;
}

TEST(ManufacturedAir, IsMetToSecondOrderInSpaceAndTimeTogether) {
  auto const coarse = errors_of(solution(6, 6, 4, "[1, 1, 1]"), 6),
             fine = errors_of(solution(12, 12, 2, "[1, 1, 1]"), 12);
  auto const order = [&](std::size_t field) { return std::log2(coarse[field] / fine[field]); };
  EXPECT_NEAR(order(0), 2, 0.1);
  // A source that is wrong leaves an error that no mesh removes. The wind's mass is lumped, and undamped
  // sound of these sizes is not resolved.
  for (std::size_t field = 1; field < 3; ++field) EXPECT_GT(order(field), 1.5) << wanted[field];
}

TEST(ManufacturedAir, StartsWithoutErrorAndHasOneAfterAStep) {
  ElementAir air(solution(8, 1, 4, "[1, 0, 1]"));
  for (auto const* name : wanted) EXPECT_EQ(largest(air.values(name)), 0);
  air.steps(1);
  for (auto const* name : wanted) EXPECT_GT(largest(air.values(name)), 0);
}

TEST(ManufacturedAir, IsRefusedBesideWhatItHasNot) {
  auto const base = solution(4, 1, 4, "[1, 0, 1]");
  for (auto const* other :
       {"[mountain]\nheight = 10.0\n", "[wind]\nu = 1.0\n", "[boundary]\nfixed = ['lid']\n",
        "[sponge]\nrate = 0.1\n", "[start.bubble]\namplitude = 1.0\n"}) {
    EXPECT_THROW(ElementAir air(base + other), InputError) << other;
  }
  EXPECT_THROW(ElementAir air(solution(4, 1, 4, "[0.5, 0, 1]")), InputError);
}

}  // namespace
