// SPDX-License-Identifier: Apache-2.0
// cases/les/palm_cbl.toml against what PALM (cd9b798a, 2023-02-15) wrote of the same flow: its own regression
// test's output.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/les/register.hpp"
#include "core/model/model.hpp"
#include "ensembles/study/case_source.hpp"
#include "io/netcdf.hpp"
#include "support/reference_data.hpp"

namespace {

using namespace ulpine;

constexpr int seeds = 5, levels = 24;  ///< below 1200 m, where levels are PALM's
constexpr std::size_t plane = 40 * 40;

using Profile = std::vector<double>;
struct Profiles {
  Profile theta, flux, variance;
};

std::vector<double> read(Model const& model, std::string const& name) {
  for (auto const& info : model.fields()) {
    if (info.name != name) continue;
    std::vector<double> values(static_cast<std::size_t>(info.size()));
    model.read(name, values);
    return values;
  }
  throw std::invalid_argument("no field " + name);
}

/// Means over each 30 s, the case's outputs, from 20 to 30 min, the first and last counting half, as PALM's
/// are of 10 min. Nothing is written: to pack fields takes longer than to compute them.
Profiles profiles_of(Model& model) {
  Profiles result{Profile(levels), Profile(levels), Profile(levels)};
  constexpr int interval = 30, first = 1200, last = 1800;
  for (int time = interval; time <= last; time += interval) {
    model.advance_to(time);
    if (time < first) continue;
    auto const weight =
        (time == first || time == last ? 0.5 : 1.0) * interval / (last - first) / static_cast<double>(plane);
    auto const theta = read(model, "theta"), flux = read(model, "wtheta"), w = read(model, "w");
    for (std::size_t k = 0; k < levels; ++k) {
      for (std::size_t i = k * plane; i < (k + 1) * plane; ++i) {
        result.theta[k] += weight * theta[i];
        result.flux[k] += weight * flux[i];
        result.variance[k] += weight * w[i] * w[i];  // no air rises in the mean
      }
    }
  }
  return result;
}

/// Root mean square over levels of PALM's distance from the mean of our runs, in parts of the same of what
/// one more run would have: standard deviation times sqrt(1 + 1/5).
double distance(std::vector<Profile> const& ours, Profile const& palm) {
  auto far = 0.0, spread = 0.0;
  for (std::size_t k = 0; k < palm.size(); ++k) {
    auto mean = 0.0, squares = 0.0;
    for (auto const& run : ours) mean += run[k] / seeds;
    for (auto const& run : ours) squares += (run[k] - mean) * (run[k] - mean) / (seeds - 1);
    far += (palm[k] - mean) * (palm[k] - mean);
    spread += squares * (1 + 1.0 / seeds);
  }
  return std::sqrt(far / spread);
}

TEST(PalmExample, HasPalmsProfilesWithinTheScatterOfFiveRuns) {
  auto const palm_file = test::reference_file("les/palm_reference/example_cbl_pr.000.nc");
  if (palm_file.empty()) GTEST_SKIP() << "no ULPINE_TEST_DATA with les/palm_reference";
  les::register_core();
  std::filesystem::path const root = std::getenv("ULPINE_SOURCE_DIR");
  std::vector<Profile> theta, flux, variance;
  for (int seed = 1; seed <= seeds; ++seed) {
    ensembles::CaseSource const source{root / "cases/les/palm_cbl.toml",
                                       {"start.seed=" + std::to_string(seed)}};
    ModelOptions options;
    options.threads = 1;
    auto const model = make_model(source.load(), options);
    auto const found = profiles_of(*model);
    theta.push_back(found.theta), flux.push_back(found.flux);
    // PALM's variance of w is of the flux of momentum through centres, one level above its label.
    Profile between;
    for (std::size_t k = 0; k + 1 < levels; ++k) {
      between.push_back((found.variance[k] + found.variance[k + 1]) / 2);
    }
    variance.push_back(between);
  }

  io::InputFile const palm(palm_file);
  auto const last = [&](char const* name, std::size_t first, std::size_t count) {
    auto const values = palm.read(name, 2).values;
    return Profile(values.begin() + static_cast<std::ptrdiff_t>(first),
                   values.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  // PALM's level 0 is the ground. Squares of a distance are distributed as F(1, 4) at the widest, as levels
  // go together: 99 % of one more run are nearer than the root of 21.2. A heat flux
  // of 0.07 for 0.1 K m s-1 fails, one of 0.085 does not.
  auto const bound = 4.6;
  EXPECT_LE(distance(theta, last("theta", 1, levels)), bound);
  EXPECT_LE(distance(flux, last("wtheta", 1, levels)), bound);
  EXPECT_LE(distance(variance, last("w*2", 1, levels - 1)), bound);
}

}  // namespace
