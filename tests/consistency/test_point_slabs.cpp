// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/point_slabs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "io/error.hpp"

namespace ulpine::verification::consistency {
namespace {

/// Fields whose values say where they stand; counts how often each is read, and on which threads.
class Numbered final : public FieldSource {
 public:
  explicit Numbered(double first_run) : first_run_{first_run} {}
  static double value(double run, std::size_t variable, std::size_t time, std::int64_t point) {
    return 1e6 * run + 1e4 * double(variable) + 1e3 * double(time) + double(point);
  }
  void read(std::size_t run, std::size_t variable, std::size_t time, std::int64_t first,
            std::span<double> values) const override {
    std::lock_guard const lock{mutex};
    threads.insert(std::this_thread::get_id());
    if (run == damaged) throw InputError("a damaged run");
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const point = first + std::int64_t(i);
      values[i] = value(first_run_ + double(run), variable, time, point);
      EXPECT_TRUE(read_values.insert({run, variable, time, point}).second) << "read twice";
    }
  }
  void read_unperturbed(std::size_t, std::size_t, std::int64_t, std::span<double>) const override {}
  void read_weights(std::size_t variable, std::int64_t first, std::span<double> weights) const override {
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = double(variable) + 0.001 * (double(first) + double(i));
  }
  std::size_t damaged = 1000;
  mutable std::mutex mutex;
  mutable std::set<std::thread::id> threads;
  mutable std::set<std::tuple<std::size_t, std::size_t, std::size_t, std::int64_t>> read_values;

 private:
  double first_run_;
};

EnsembleSummary summary_of(std::size_t runs) {
  EnsembleSummary summary;
  summary.variables = {{"a", "", 3, 7}, {"b", "", 1, 1}, {"none", "", 1, 0}, {"c", "", 1, 50}};
  summary.times = {0, 1};
  summary.members.resize(runs);
  return summary;
}

TEST(PointSlabs, GiveEachPointOnceInItsOrderWithAllRunsAndTimesWhateverTheirSize) {
  auto const first = summary_of(4), second = summary_of(3);
  auto const times_of = [](std::size_t variable) {
    return variable == 1   ? std::vector<std::size_t>{}
           : variable == 3 ? std::vector<std::size_t>{1, 0}
                           : std::vector<std::size_t>{1};
  };
  for (auto const most : {std::int64_t{1}, std::int64_t{100}, std::int64_t{333}, most_values_of_slabs}) {
    Numbered const of_first(0), of_second(4);
    std::vector<std::pair<std::size_t, std::int64_t>> seen, expected;
    for (std::size_t v = 0; v < first.variables.size(); ++v) {
      for (std::int64_t p = 0; v != 1 && p < first.variables[v].levels * first.variables[v].points; ++p)
        expected.emplace_back(v, p);
    }
    std::size_t most_at_once = 0;
    auto const look = [&](PointSlab const& slab) {
      EXPECT_FALSE(of_first.threads.contains(std::this_thread::get_id()));
      EXPECT_TRUE(std::ranges::equal(slab.times, times_of(slab.variable)));
      most_at_once = std::max(most_at_once, slab.values.size() + slab.weights.size());
      for (std::size_t i = 0; i < slab.points(); ++i) {
        auto const point = slab.first + std::int64_t(i);
        seen.emplace_back(slab.variable, point);
        EXPECT_EQ(slab.weights[i], double(slab.variable) + 0.001 * double(point));
        for (std::size_t t = 0; t < slab.times.size(); ++t) {
          for (std::size_t run = 0; run < 7; ++run)
            EXPECT_EQ(slab.at(t)[run * slab.points() + i],
                      Numbered::value(double(run), slab.variable, slab.times[t], point));
        }
      }
    };
    for_each_slab({{&first, &of_first}, {&second, &of_second}}, times_of, look, most);
    EXPECT_EQ(seen, expected) << most;
    EXPECT_LE(most_at_once, std::size_t(std::max<std::int64_t>(most / 2, 15)));
  }
}

TEST(PointSlabs, EndWithTheErrorOfTheReaderOrOfTheUser) {
  auto const summary = summary_of(4);
  auto const first_time = [](std::size_t) { return std::vector<std::size_t>{0}; };
  Numbered damaged(0);
  damaged.damaged = 2;
  EXPECT_THROW(for_each_slab(
                   {{&summary, &damaged}}, first_time, [](PointSlab const&) {}, 40),
               InputError);
  Numbered const whole(0);
  int used = 0;
  auto const stop = [&](PointSlab const&) {
    ++used;
    throw 7;
  };
  EXPECT_THROW(for_each_slab({{&summary, &whole}}, first_time, stop, 40), int);
  EXPECT_EQ(used, 1);
}

}  // namespace
}  // namespace ulpine::verification::consistency
