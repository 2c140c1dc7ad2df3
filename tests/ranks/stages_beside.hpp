// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/field/table.hpp"
#include "core/ranks/link.hpp"
#include "core/stage/halo.hpp"
#include "core/stage/runner.hpp"
#include "ranks/block_fields.hpp"

/// A step with every way to run stages beside an exchange. The launches need the executor's for_each before
/// this is included.
namespace ulpine::test {

/// p becomes 3 p + 1 + i.
struct Grow {
  Rows<double> p;
  void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    p(k, j, i) = 3 * p(k, j, i) + 1 + i;
  }
};
/// q is a sum, which tells them apart, of p at a column and the four beside it.
struct Spread {
  Rows<double> p, q;
  void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    q(k, j, i) =
        p(k, j, i) + 2 * p(k, j, i - 1) + 3 * p(k, j, i + 1) + 5 * p(k, j - 1, i) + 7 * p(k, j + 1, i);
  }
};

/// p grows, is sent beside most of that, grows again, is sent beside most of what makes q of it, and grows
/// and is sent beside a stage that makes r of r.
template <class Executor>
struct StagesBeside {
  StagesBeside(Executor where, std::shared_ptr<Ranks> const& ranks, Blocks const& blocks, bool periodic_x,
               bool periodic_y, bool overlap)
      : executor{where},
        link(where, ranks),
        exchange(where, link, blocks, periodic_x, periodic_y, overlap),
        fields(blocks) {}

  Executor executor;
  Link<Executor> link;
  HaloExchange<Executor> exchange;
  BlockFields fields;
  StageRunner runner;
  Stage exchange_stage = runner.add({"exchange", "p", 8, Guarantee::bitwise}),
        grow = runner.add({"grow", "p", 8, Guarantee::bitwise}),
        grow_again = runner.add({"grow_again", "p", 8, Guarantee::bitwise}),
        spread = runner.add({"spread", "q", 8, Guarantee::bitwise}),
        grow_more = runner.add({"grow_more", "p", 8, Guarantee::bitwise}),
        beside = runner.add({"beside", "r", 8, Guarantee::bitwise});
  std::array<Rows<double>, 1> sent{fields.rows(0)};
  FieldOf<double, Host> field{Host{}, {.name = "p"}, Layout::entities(1)};  ///< what stages say they write
  static constexpr int count = 3;
  bool overlapped = false;

  struct Observer : StageObserver {
    std::vector<std::string> seen;
    void stage_done(StagePosition const&, char const* stage, char const*, RawField const&) override {
      seen.push_back(stage);
    }
  } observer;

  Extent3 extent() const { return {fields.blocks.nx(), fields.blocks.ny(), BlockFields::levels}; }
  Halo<double> halo(HaloWidth width = {2, 3}) const {
    return {exchange_stage, sent, width, {0, BlockFields::levels}};
  }
  void begin(std::int64_t step, bool watched) {
    runner.observe(watched ? &observer : nullptr);
    // The second step of a device is timed stage by stage.
    runner.begin_step(executor, 10 * step + 1);
    overlapped = exchange.overlaps(runner);
  }
  void step(std::int64_t number, bool watched) {
    begin(number, watched);
    auto const p = fields.rows(0), q = fields.rows(1), r = fields.rows(2);
    exchange.after_stage(runner, halo(), [&](auto const& run) { run(grow, extent(), Grow{p}, {&field}); });
    runner.run(grow_again, executor, extent(), Grow{p}, {&field});
    exchange.before_stage(runner, halo({1, 1}), {1, 1, 1, 1}, [&](auto const& run) {
      run(spread, extent(), Spread{p, q}, {&field});
    });
    runner.run(grow_more, executor, extent(), Grow{p}, {&field});
    // Narrower than the first, whose outer columns stay to be looked at.
    exchange.beside(runner, halo({1, 1}), [&] { runner.run(beside, executor, extent(), Grow{r}, {&field}); });
    if (watched) {
      EXPECT_EQ(observer.seen,
                (std::vector<std::string>{"grow", "grow_again", "spread", "grow_more", "beside"}))
          << "each stage is seen once, when it is whole";
      observer.seen.clear();
    }
  }
  /// All of the fields after some steps.
  std::vector<double> const& steps(bool watched) {
    for (int number = 1; number <= count; ++number) step(number, watched);
    if constexpr (Executor::on_device) synchronize(executor);
    return fields.values;
  }
};

}  // namespace ulpine::test
