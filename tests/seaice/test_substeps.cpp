// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/exec/host.hpp"
#include "core/seaice/substeps_plan.hpp"
#include "seaice/subcycle_case.hpp"
#include "seaice/substeps_host.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;

using test::SubcycleCase;

template <class P>
class Substeps : public testing::Test {};
using Policies = testing::Types<Fp64, Fp32, Mixed, Tf32Products>;
TYPED_TEST_SUITE(Substeps, Policies);

struct Size {
  std::int32_t nx, ny;
};

/// Wider and narrower than a strip, as wide as several, one cell wide or high.
constexpr Size sizes[] = {{19, 13}, {61, 11}, {27, 9}, {28, 4}, {1, 9}, {40, 1}, {1, 1}};

template <class P, int K>
void strips_give_the_bits_of_stages(Size size, std::int32_t height) {
  SCOPED_TRACE(testing::Message() << size.nx << " x " << size.ny << " cells, " << K << " sub-steps, height "
                                  << height);
  SubcycleCase<P> ice(size.nx, size.ny), other(size.nx, size.ny);
  ice.clear_copy();

  for (int k = 0; k < 4 * K; ++k) other.by_stages();
  for (int pass = 0; pass < 2; ++pass) {
    run_strips(Host{1}, SubstepStrips<P, typename SubcycleCase<P>::Law, K>{ice.cycle(), ice.state(),
                                                                           ice.copy(), height});
    run_strips(Host{2}, SubstepStrips<P, typename SubcycleCase<P>::Law, K>{ice.cycle(), ice.copy(),
                                                                           ice.state(), height});
  }

  EXPECT_TRUE(ice.same_as(other));
}

TYPED_TEST(Substeps, InStripsGiveTheBitsOfStages) {
  for (auto const size : sizes) {
    for (int const height : {1, 4, 32}) {
      strips_give_the_bits_of_stages<TypeParam, 1>(size, height);
      strips_give_the_bits_of_stages<TypeParam, 2>(size, height);
      strips_give_the_bits_of_stages<TypeParam, 3>(size, height);
      strips_give_the_bits_of_stages<TypeParam, 4>(size, height);
    }
  }
}

TYPED_TEST(Substeps, OnChipGiveTheBitsOfStages) {
  for (auto const size : sizes) {
    for (Size const tile : {Size{7, 5}, Size{1, 2}, Size{30, 30}}) {
      for (int const rim : {1, 2, 3}) {
        for (int const count : {rim + 1, 2 * rim, 9}) {
          SCOPED_TRACE(testing::Message()
                       << size.nx << " x " << size.ny << " cells, tiles of " << tile.nx << " x " << tile.ny
                       << ", rim " << rim << ", " << count << " sub-steps");
          SubcycleCase<TypeParam> ice(size.nx, size.ny), other(size.nx, size.ny);

          for (int k = 0; k < count; ++k) other.by_stages();
          run_resident(Host{1}, ResidentSubsteps<TypeParam, typename SubcycleCase<TypeParam>::Law>{
                                    ice.cycle(), ice.state(), tile.nx, tile.ny, rim, count});

          EXPECT_TRUE(ice.same_as(other));
        }
      }
    }
  }
}

SubstepRoom const room{.multiprocessors = 132, .warps = 12, .tile_threads = 384};

TEST(SubstepPlans, TilesCoverTheMeshOneAMultiprocessor) {
  for (Extent2 const cells : {Extent2{128, 128}, Extent2{1, 1}, Extent2{3, 200}, Extent2{150, 131}}) {
    auto const plan = resident_plan(cells, room, 2);

    ASSERT_EQ(plan.method, SubstepMethod::resident) << cells.nx;
    auto const across = (cells.nx + plan.tile_x - 1) / plan.tile_x,
               up = (cells.ny + plan.tile_y - 1) / plan.tile_y;
    EXPECT_LE(across * up, room.multiprocessors);
    EXPECT_LE((plan.tile_x + 4) * (plan.tile_y + 4), room.tile_threads);
    EXPECT_EQ(plan.rim, 2);
  }
}

TEST(SubstepPlans, TilesHaveAsFewThreadsAsCanBe) {
  // 10 x 13 tiles of 13 x 10 cells and a rim of two: 17 x 14 threads; 11 x 12 tiles have 16 x 15.
  auto const plan = resident_plan({128, 128}, room, 2);

  EXPECT_EQ((plan.tile_x + 4) * (plan.tile_y + 4), 238);
}

TEST(SubstepPlans, NoTilesForAMeshThatDoesNotFitOrWithoutTheirLaunches) {
  EXPECT_EQ(resident_plan({512, 512}, room, 2).method, SubstepMethod::one_pass);
  EXPECT_EQ(resident_plan({8, 8}, {132, 12, 0}, 2).method, SubstepMethod::one_pass);
}

TEST(SubstepPlans, StripsFillWholeRounds) {
  // 74 strips of 28 columns hold 2049; 1584 warps run at once, three rounds are 64 strips one above the
  // other.
  EXPECT_EQ(strip_height({2048, 2048}, room, 28), (2049 + 63) / 64);
  // 19 strips across: 83 up in one round, of seven rows each.
  EXPECT_EQ(strip_height({512, 512}, room, 28), (513 + 82) / 83);
  // More strips across than run at once: as few up as rows allow.
  EXPECT_EQ(strip_height({100'000, 9}, {1, 4, 0}, 28), 10);
}

TEST(SubstepPlans, OfModelsSideBySideAreOfTheirSharesAndHaveNoTiles) {
  auto const of_one_of = [](int sharers) {
    return plan_substeps<Fp64>(SubstepMethod::automatic, {128, 128}, 99, share_of(room, sharers));
  };

  EXPECT_EQ(of_one_of(1).method, SubstepMethod::resident);
  EXPECT_EQ(of_one_of(2).method, SubstepMethod::one_pass) << "strips of one row";
  EXPECT_EQ(of_one_of(15).method, SubstepMethod::strips);
  // Five multiprocessors run 60 strips at once: five across, twelve up.
  EXPECT_EQ(of_one_of(24).height, (129 + 11) / 12);
  EXPECT_EQ(share_of(room, 200).multiprocessors, 1);
  EXPECT_EQ(share_of(room, 2).tile_threads, 0) << "of small meshes neither";
}

TEST(SubstepPlans, FollowSizeCountAndWish) {
  auto const method = [](SubstepMethod wanted, Extent2 cells, int count, SubstepRoom const& on = room) {
    return plan_substeps<Fp64>(wanted, cells, count, on).method;
  };
  using enum SubstepMethod;

  EXPECT_EQ(method(automatic, {128, 128}, 99), resident);
  EXPECT_EQ(method(automatic, {2048, 2048}, 99), strips);
  EXPECT_EQ(method(automatic, {128, 128}, 2), one_pass) << "at least two passes";
  EXPECT_EQ(method(automatic, {170, 170}, 99), resident) << "with a narrower rim";
  EXPECT_EQ(method(automatic, {2048, 2048}, 3), one_pass) << "there and back takes four";
  EXPECT_EQ(method(one_pass, {128, 128}, 99), one_pass);
  EXPECT_EQ(method(strips, {128, 128}, 99), strips);
  EXPECT_EQ(method(resident, {2048, 2048}, 99), strips) << "does not fit";
  EXPECT_EQ(method(automatic, {300, 300}, 99), one_pass) << "strips of few rows do not pay";
  EXPECT_EQ(method(automatic, {2048, 2048}, 99, {132, 0, 0}), one_pass) << "no room for strips";
}

}  // namespace
