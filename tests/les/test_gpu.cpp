// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "les/eddies_support.hpp"
#include "support/device_test.hpp"

namespace {

using namespace ulpine;
using test::Eddies;

char const* const fields[] = {
    "u",          "v",     "w",         "theta",         "e", "p",  "wtheta",
    "divergence", "ustar", "heat_flux", "surface_theta", "q", "wq", "moisture_flux"};

/// Sizes that fill no warp and no block, in a town or not.
struct Place {
  char const* policy;
  bool town;
  char const* more;
};
void PrintTo(Place const& place, std::ostream* out) {
  *out << place.policy << ' ' << place.town << '\n' << place.more;
}
std::string text_of(Place const& place) {
  return test::bare_case(
      "nx = 37\nny = 18\nnz = 21\ndx = 20.0\ndy = 15.0\ndz = 10.0", "courant = 0.8",
      std::string("[air]\nlatitude = 52.0\n[sponge]\nfrom = 150.0\nrate = 0.01\n") + place.more);
}
std::vector<int> tops_of(Place const& place) {
  if (!place.town) return {};
  test::RandomValues random(4);
  std::vector<int> tops(37 * 18);
  for (auto& top : tops) top = random.uniform() < 0.3 ? 1 + static_cast<int>(random.below(5)) : 0;
  return tops;
}

class OnDevice : public test::DeviceTest, public testing::WithParamInterface<Place> {
 protected:
  template <class Executor>
  static std::unique_ptr<Eddies> run(Executor executor, Place const& place, Assembly assembly, int steps,
                                     StageObserver* observer = nullptr) {
    auto const tops = tops_of(place);
    auto eddies = std::make_unique<Eddies>(text_of(place), place.policy, executor, assembly, tops);
    eddies->core().stages().observe(observer);
    // The same start whatever has made it free of divergence.
    test::RandomValues random(9);
    auto const any = [&](double low, double high, bool wind) {
      return [&random, low, high, wind, &tops](int k, int j, int i) {
        auto const value = random.between(low, high);
        auto const top = tops.empty() ? 0 : wind ? 5 : tops[static_cast<std::size_t>(j * 37 + i)];
        return k >= top ? value : 0;
      };
    };
    eddies->fill("u", any(-2, 4, true));
    eddies->fill("v", any(-2, 2, true));
    eddies->fill("theta", any(299, 301, false));
    if (eddies->has("e")) eddies->fill("e", any(0.05, 0.5, false));
    if (eddies->has("q")) eddies->fill("q", any(0.005, 0.015, false));
    eddies->settled();
    eddies->steps(steps);
    return eddies;
  }
};

TEST_P(OnDevice, DeterministicBitsAreTheHosts) {
  auto const& place = GetParam();
  auto const steps = place.town ? 100 : 10;
  auto const host = run(Host{4}, place, Assembly::deterministic, steps);

  auto const device = run(cuda, place, Assembly::deterministic, steps);

  EXPECT_EQ(device->time(), host->time());
  for (auto const* field : fields) {
    if (host->has(field)) test::expect_same_bits(device->values(field), host->values(field), field);
  }
  EXPECT_EQ(device->hash(), host->hash());
}

TEST_P(OnDevice, BlockSizesAndGraphsGiveTheSameBits) {
  auto const& place = GetParam();
  struct Silent : StageObserver {
    void stage_done(StagePosition const&, char const*, char const*, RawField const&) override {}
  } watched;
  auto const expected = run(Host{1}, place, Assembly::deterministic, 5)->hash();

  for (int const block : {32, 64, 128, 256}) {
    use_block(block);
    EXPECT_EQ(run(cuda, place, Assembly::deterministic, 5)->hash(), expected) << block;
    EXPECT_EQ(run(cuda, place, Assembly::deterministic, 5, &watched)->hash(), expected) << block;
  }
}

TEST_P(OnDevice, TheVendorsTransformDiffersByRounding) {
  auto const& place = GetParam();
  auto const host = run(Host{2}, place, Assembly::deterministic, 1);

  auto const device = run(cuda, place, Assembly::atomic, 1);

  // Of a wind of at most 4 m/s, taken off in three stages, with some hundred roundings each; bf16 rounds
  // factors of the tridiagonal solves to 8 bits, alike in both.
  auto const eps = test::roundoff_of(place.policy);
  for (auto const* field : {"u", "v", "w"}) {
    EXPECT_LE(test::distance(device->values(field), host->values(field)),
              3 * 128 * 4 * eps.solved * (place.policy == std::string("bf16") ? 0x1p16 : 1))
        << field;
  }
}

constexpr char const* warm = "[ground]\nheat_flux = 0.1\nroughness = 0.2\n";
constexpr char const* cold =
    "[closure]\nkind = 'smagorinsky'\n[ground]\ntheta = 298.5\nwarming_per_hour = -1.0\n";
constexpr char const* slip =
    "[closure]\nkind = 'constant'\nviscosity = 2.0\n[ground]\nwind = 'free_slip'\n[advection]\nscheme = "
    "'piacsek_williams'\n";
constexpr char const* walls =
    "[ground]\nheat_flux = 0.1\n[pressure]\nbuildings = 'exact'\n[force]\nmean_u = 1.0\n";
constexpr char const* moist =
    "[ground]\nheat_flux = 0.1\nmoisture_flux = 1e-4\n[profile.humidity]\nheights = [0.0, 100.0, 300.0]\n"
    "kg_per_kg = [0.012, 0.01, 0.004]\n[start]\nnoise_humidity = 1e-3\n";
constexpr char const* swamp =
    "[closure]\nkind = 'smagorinsky'\n[ground]\ntheta = 301.0\nhumidity = 0.02\n[profile.humidity]\n"
    "kg_per_kg = [0.01]\n";
INSTANTIATE_TEST_SUITE_P(
    Eddies, OnDevice,
    testing::Values(Place{"fp64", false, warm}, Place{"fp64", true, warm}, Place{"fp32", true, warm},
                    Place{"mixed", true, warm}, Place{"bf16", false, warm}, Place{"fp32", false, cold},
                    Place{"fp64", true, cold}, Place{"fp64", true, walls}, Place{"fp32", true, walls},
                    Place{"mixed", true, walls}, Place{"mixed", false, slip}, Place{"fp64", false, slip},
                    Place{"fp64", false, moist}, Place{"fp64", true, moist}, Place{"fp32", true, moist},
                    Place{"mixed", false, moist}, Place{"fp64", true, swamp}, Place{"fp32", false, swamp}),
    [](auto const& info) {
      auto const& place = info.param;
      auto const ground = place.more == warm    ? "warm"
                          : place.more == cold  ? "cold"
                          : place.more == walls ? "walls"
                          : place.more == moist ? "moist"
                          : place.more == swamp ? "swamp"
                                                : "slip";
      return std::string(place.policy) + (place.town ? "_town_" : "_flat_") + ground;
    });

}  // namespace
