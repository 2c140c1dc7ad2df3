// SPDX-License-Identifier: Apache-2.0
// Above flat ground: what a device's threads hand from level to level (Rising), and kernels that know of no
// ground, against each point on its own with the ground's kernel: the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/les/parts/eddy_energy.hpp"
#include "core/les/parts/momentum.hpp"
#include "core/les/scalars.hpp"
#include "support/random_values.hpp"

namespace ulpine {
namespace {

using les::Level;

constexpr std::int32_t nx = 5, ny = 4, nz = 13;
constexpr std::int32_t row = 16, plane = row * (ny + 2 * ulpine::halo);

template <class T>
struct Fields {
  static constexpr std::size_t fields = 7;
  std::array<std::vector<T>, fields> values;
  std::vector<T> levels, surface, stored;
  les::Grid<T> grid;

  explicit Fields(std::uint64_t seed) : surface(nx * ny), stored(nx * ny * nz) {
    test::RandomValues random(seed);
    // Winds, temperature, energy, viscosity and diffusivity, of which the last three are not negative.
    for (std::size_t f = 0; f < fields; ++f) {
      for (int n = 0; n < plane * (nz + 2 * ulpine::halo); ++n) {
        values[f].push_back(static_cast<T>(random.between(f < 4 ? -3 : 0.01, 3)));
      }
    }
    for (int n = 0; n < les::place_of(Level{}, nz + ulpine::halo); ++n) {
      levels.push_back(static_cast<T>(random.between(0.5, 2)));
    }
    for (auto& value : surface) value = static_cast<T>(random.between(-1, 1));
    for (auto& value : stored) value = static_cast<T>(random.between(-1, 1));
    grid.nx = nx;
    grid.ny = ny;
    grid.nz = nz;
    grid.per_dx = static_cast<T>(0.7);
    grid.per_dy = static_cast<T>(0.6);
    grid.levels = levels.data();
    grid.plane = plane;
    grid.row = row;
  }
  Rows<T const> field(std::size_t f) const {
    return {values[f].data() + ulpine::halo * (plane + row + 1), plane, row};
  }
  les::Wind<T> wind() const { return {field(0), field(1), les::from_ground(field(2))}; }
  les::Surface<T> fluxes() const {
    Rows<T const> const one(surface.data(), 0, nx);
    return {one, one, one, one};
  }
};

/// The tendencies stored by make(ground, Stored) on all levels but the lowest: the ground's point by point;
/// those of ByHeight point by point and by climbs of `levels` levels.
template <class T, class Make>
void compare(Fields<T> const& fields, std::int32_t levels, Make const& make) {
  auto of_ground = fields.stored, by_points = fields.stored, by_climbs = fields.stored;
  auto const to = [&](std::vector<T>& stored) {
    return les::Stored<T>{static_cast<T>(-0.5), {stored.data(), nx * ny, nx}};
  };
  auto const kernels = [&](std::vector<T>& stored) {
    return les::ByLevel{make(les::Aloft{}, to(stored)), make(les::Clear{0}, to(stored)), 1, les::farthest,
                        nz - les::farthest};
  };
  auto const ground = make(les::Flat{}, to(of_ground));
  auto const point = kernels(by_points), climb = kernels(by_climbs);
  for (std::int32_t j = 0; j < ny; ++j) {
    for (std::int32_t i = 0; i < nx; ++i) {
      for (std::int32_t k = 1; k < nz; ++k) {
        ground(i, j, k);
        point(i, j, k - 1);
      }
      for (std::int32_t from = 0; from < nz - 1; from += levels) {
        climb.climb(i, j, from, std::min(from + levels, nz - 1));
      }
    }
  }
  EXPECT_NE(of_ground, fields.stored);
  EXPECT_EQ(by_points, of_ground);
  EXPECT_EQ(by_climbs, of_ground);
}

template <class T>
void compare_all(std::int32_t levels) {
  Fields<T> const f(static_cast<std::uint64_t>(levels));
  auto const scheme = les::wicker_skamarock<T>();
  les::Forcing<T> forcing{};
  forcing.coriolis = static_cast<T>(0.3);
  forcing.coriolis_horizontal = static_cast<T>(0.2);
  forcing.acceleration_x = static_cast<T>(0.1);
  auto const theta = f.field(3), energy = f.field(4), m = f.field(5), h = f.field(6);
  SCOPED_TRACE(levels);
  compare(f, levels, [&]<class G>(G on, les::Stored<T> to) {
    return les::HorizontalMomentum<T, G, les::Variable::u>{f.grid,     on,       scheme, forcing,
                                                           f.fluxes(), f.wind(), m,      to};
  });
  compare(f, levels, [&]<class G>(G on, les::Stored<T> to) {
    return les::HorizontalMomentum<T, G, les::Variable::v>{f.grid,     on,       scheme, forcing,
                                                           f.fluxes(), f.wind(), m,      to};
  });
  compare(f, levels, [&]<class G>(G on, les::Stored<T> to) {
    return les::MomentumW<T, G>{f.grid, on, scheme, forcing, f.wind(), theta, m, to};
  });
  compare(f, levels, [&]<class G>(G on, les::Stored<T> to) {
    return les::ScalarTendency<T, G>{
        f.grid, on, scheme, f.wind(), theta, h, f.fluxes().buoyancy_flux, Level::start_theta, to, {}};
  });
  compare(f, levels, [&]<class G>(G on, les::Stored<T> to) {
    return les::EnergyBudget<T, G>{
        f.grid, on, scheme, f.fluxes(), les::WallShear<T>{}, f.wind(), theta, energy, m, h, to, {}};
  });
}

TEST(Climbing, GivesTheBitsOfEachPointAloneAndOfTheGround) {
  for (std::int32_t const levels : {1, 2, 5, 13}) {
    compare_all<double>(levels);
    compare_all<float>(levels);
  }
}

}  // namespace
}  // namespace ulpine
