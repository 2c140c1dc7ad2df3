// SPDX-License-Identifier: Apache-2.0
// Sums in passes (rowwise, checkerboard): each point once, none beside another, in the order that the page
// says.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "core/exec/host.hpp"
#include "core/seaice/passes.hpp"
#include "seaice/rough_case.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::IceSolver;
using test::read;
using test::Rough;

constexpr SumOrder orders[] = {SumOrder::rowwise, SumOrder::checkerboard};

/// Notes in which pass, and as which of its points, a point comes.
struct Recorder {
  std::vector<std::array<std::int32_t, 2>>* visited;
  void operator()(std::int32_t ix, std::int32_t iy) const { visited->push_back({ix, iy}); }
};

TEST(Passes, VisitEveryPointOnceAndNoTwoThatMeetAtOnce) {
  for (auto const order : orders) {
    for (auto const& meets : {Meets{true, true}, Meets{true, false}, Meets{false, true}}) {
      for (auto const& extent : {Extent2{1, 1}, Extent2{2, 3}, Extent2{5, 4}, Extent2{8, 1}, Extent2{1, 7}}) {
        std::map<std::array<std::int32_t, 2>, int> visits;
        int ends = 0, passes = 0;
        for_passes(order, extent, meets, Recorder{}, [&](Extent2 points, auto kernel, bool last) {
          EXPECT_EQ(ends, 0) << "a pass after the last";
          ends += last ? 1 : 0;
          ++passes;
          std::vector<std::vector<std::array<std::int32_t, 2>>> of_points;
          for_each(Host{}, points, [&](std::int32_t ix, std::int32_t iy) {
            kernel.body.visited = &of_points.emplace_back();
            kernel(ix, iy);
          });
          for (std::size_t p = 0; p < of_points.size(); ++p) {
            EXPECT_TRUE(std::ranges::is_sorted(of_points[p]));
            for (auto const& here : of_points[p]) {
              ++visits[here];
              for (std::size_t q = 0; q < p; ++q) {
                for (auto const& there : of_points[q]) {
                  auto const apart_x = std::abs(here[0] - there[0]), apart_y = std::abs(here[1] - there[1]);
                  bool const near_x = apart_x == 0 || (apart_x == 1 && meets.along_x);
                  bool const near_y = apart_y == 0 || (apart_y == 1 && meets.along_y);
                  EXPECT_FALSE(near_x && near_y)
                      << here[0] << ' ' << here[1] << " beside " << there[0] << ' ' << there[1];
                }
              }
            }
          }
        });
        EXPECT_EQ(ends, 1);
        bool const colours = order == SumOrder::checkerboard;
        EXPECT_EQ(passes, (meets.along_x && colours ? 2 : 1) * (meets.along_y ? 2 : 1));
        EXPECT_EQ(static_cast<std::int64_t>(visits.size()), extent.size());
        for (auto const& [point, count] : visits) {
          EXPECT_EQ(count, 1);
          EXPECT_TRUE(point[0] >= 0 && point[0] < extent.nx && point[1] >= 0 && point[1] < extent.ny);
        }
      }
    }
  }
}

using Kind = std::tuple<char const*, SumOrder, double, test::Order>;

std::string name_of_kind(Kind const& kind) {
  auto const& [policy, sums, distortion, order] = kind;
  return test::name_of_case({policy, distortion, order}) +
         (sums == SumOrder::rowwise ? "_rowwise" : "_checkerboard");
}

class SumsInPasses : public ::testing::TestWithParam<Kind> {
 protected:
  char const* policy_ = std::get<0>(GetParam());
  SumOrder order_ = std::get<1>(GetParam());
  Rough rough_{std::get<2>(GetParam()), std::get<3>(GetParam())};
  Rough gathered_ = rough_;

  void SetUp() override { rough_.setup.parameters.sum_order = order_; }

  /// What the cells of each colour (2 (iy % 2) + ix % 2) alone give to `target`: `fields` of all others are
  /// zero, so that a node has one contribution at most and nothing is rounded.
  std::array<std::vector<double>, 4> by_colour(std::vector<FieldId> const& fields, char const* stage,
                                               FieldId target) const {
    auto const full = rough_.run(policy_, Assembly::deterministic, 1, 2);
    std::array<std::vector<double>, 4> parts;
    auto const nx = rough_.setup.mesh.nx, ny = rough_.setup.mesh.ny;
    auto const cells = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
    for (int colour = 0; colour < 4; ++colour) {
      auto const solver = test::make(policy_, Assembly::deterministic, gathered_.setup);
      for (auto const field : fields) {
        auto values = read(*full, field);
        for (std::size_t k = 0; k < values.size(); ++k) {
          auto const cell = static_cast<std::int32_t>(k % cells);
          if (2 * (cell / nx % 2) + cell % nx % 2 != colour) values[k] = 0;
        }
        solver->write(field, values.data());
      }
      EXPECT_TRUE(solver->run_stage(stage));
      parts[static_cast<std::size_t>(colour)] = read(*solver, target);
    }
    return parts;
  }
  /// What the passes leave of the same.
  std::vector<double> in_passes(char const* stage, FieldId target) const {
    auto const solver = rough_.run(policy_, Assembly::deterministic, 2, 2);
    EXPECT_TRUE(solver->run_stage(stage));
    return read(*solver, target);
  }
  /// Contributions at a node of row `iy` and column `ix` in the order of the passes, in type Sum.
  template <class Sum>
  double summed(std::array<std::vector<double>, 4> const& parts, std::size_t node, std::int32_t ix) const {
    int const right = ix / rough_.setup.parameters.cg % 2,
              left = 1 - right;  // parities of the cells' columns
    int const columns[2] = {order_ == SumOrder::rowwise ? left : 0, order_ == SumOrder::rowwise ? right : 1};
    Sum sum = 0;
    for (int row = 0; row < 2; ++row) {
      for (int const column : columns) {
        sum += static_cast<Sum>(parts[static_cast<std::size_t>(2 * row + column)][node]);
      }
    }
    return static_cast<double>(sum);
  }
  void expect_order(std::vector<FieldId> const& fields, char const* stage, FieldId target) {
    auto const parts = by_colour(fields, stage, target);
    auto const got = in_passes(stage, target);
    auto const gather = [&] {
      auto const solver = test::make(policy_, Assembly::deterministic, gathered_.setup);
      auto const full = rough_.run(policy_, Assembly::deterministic, 1, 2);
      for (auto const field : fields) solver->write_bits(field, full->bits(field).data());
      EXPECT_TRUE(solver->run_stage(stage));
      return read(*solver, target);
    }();
    bool const single = std::string(policy_) == "fp32";
    auto const columns = rough_.setup.parameters.cg * rough_.setup.mesh.nx + 1;
    long others = 0;
    for (std::size_t node = 0; node < got.size(); ++node) {
      auto const ix = static_cast<std::int32_t>(node) % columns;
      EXPECT_EQ(got[node], single ? summed<float>(parts, node, ix) : summed<double>(parts, node, ix)) << node;
      others += got[node] != gather[node] ? 1 : 0;
    }
    // Sums in double of numbers in float are exact but for cancellation.
    bool const exact = std::string(policy_) == "mixed";
    EXPECT_TRUE(exact || others > 0) << "no sum shows that the order is another";
  }
};

TEST_P(SumsInPasses, OfForcesComeInTheirOrder) {
  std::vector<FieldId> const stresses = {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy};
  expect_order(stresses, "seaice.divergence", FieldId::force_x);
  expect_order(stresses, "seaice.divergence", FieldId::force_y);
}

TEST_P(SumsInPasses, OfNodalIceComeInTheirOrder) {
  expect_order({FieldId::h, FieldId::a}, "seaice.nodal", FieldId::node_h);
  expect_order({FieldId::h, FieldId::a}, "seaice.nodal", FieldId::node_a);
}

TEST_P(SumsInPasses, GiveTheSameBitsForEveryNumberOfThreadsAndWatched) {
  struct Silent : StageObserver {
    void stage_done(StagePosition const&, char const*, char const*, RawField const&) override {}
  } watched;
  auto const one = rough_.run(policy_, Assembly::deterministic, 1, 3);
  auto const three = rough_.run(policy_, Assembly::deterministic, 3, 3);
  auto const staged = rough_.run(policy_, Assembly::deterministic, 2, 3, &watched);
  for (auto const field : test::state) {
    EXPECT_EQ(one->bits(field), three->bits(field)) << name_of(field);
    EXPECT_EQ(one->bits(field), staged->bits(field)) << name_of(field);
  }
}

TEST_P(SumsInPasses, DifferFromGatheringByRoundoffOnly) {
  auto const bounds = test::bounds_of(gathered_, policy_, 3);
  auto const gathered = gathered_.run(policy_, Assembly::deterministic, 1, 3);
  auto const passes = rough_.run(policy_, Assembly::deterministic, 2, 3);
  for (std::size_t f = 0; f < std::size(test::compared); ++f) {
    auto const field = test::compared[f];
    EXPECT_LT(test::relative_difference(read(*passes, field), read(*gathered, field)), bounds[f])
        << name_of(field);
  }
}

INSTANTIATE_TEST_SUITE_P(Host, SumsInPasses,
                         ::testing::Combine(::testing::Values("fp64", "fp32", "mixed"),
                                            ::testing::ValuesIn(orders), ::testing::Values(0.0, 0.05),
                                            ::testing::Values(test::Order{1, 1}, test::Order{1, 3},
                                                              test::Order{2, 6})),
                         [](auto const& info) { return name_of_kind(info.param); });

TEST(PassesOfOtherPolicies, AreNotBuilt) {
  seaice::Setup setup{.mesh = rectangle_mesh(4, 4, 1, 1)};
  for (auto const order : orders) {
    setup.parameters.sum_order = order;
    EXPECT_NE(test::make("mixed", Assembly::deterministic, setup), nullptr);
    EXPECT_EQ(test::make("mixed", Assembly::atomic, setup), nullptr);
    for (char const* const policy : {"tf32", "bf16", "fp16", "quad"}) {
      EXPECT_EQ(test::make(policy, Assembly::deterministic, setup), nullptr) << policy;
    }
  }
}

}  // namespace
