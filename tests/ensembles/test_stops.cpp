// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/model/step_length.hpp"
#include "ensembles/reproducibility/restart_comparison.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/runs/stops.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"

namespace ulpine::ensembles {
namespace {

constexpr auto infinite = std::numeric_limits<double>::infinity();

/// Seconds of `thousandths` as a decimal.
double decimal(std::int64_t thousandths) {
  return std::strtod((std::to_string(thousandths) + "e-3").c_str(), nullptr);
}
/// What a run with outputs every `interval` until `end`, both in thousandths of s, is to write after its
/// start.
std::vector<double> outputs_of(std::int64_t interval, std::int64_t end) {
  std::vector<double> times;
  for (auto time = interval; time < end; time += interval) times.push_back(decimal(time));
  times.push_back(decimal(end));
  return times;
}

/// Steps as a model takes them that would like them `natural(n)` s long.
struct Walk {
  std::vector<double> outputs, ends;
  double smallest_ratio = 1;  ///< of two steps that follow each other
};
template <class Natural>
Walk walk(Stops const& stops, double begin, double end, Natural const& natural) {
  Walk result;
  auto now = begin, before = 0.0;
  for (int n = 0; now < end; ++n) {
    auto const stop = stops.next(now), output = stops.next_output(now), left = stop - now;
    EXPECT_LE(stop, output);
    auto const length = length_towards(left, natural(n));
    auto const next = length < left ? now + length : stop;
    EXPECT_GT(next, now);
    if (!(next > now)) break;
    if (before > 0)
      result.smallest_ratio = std::min({result.smallest_ratio, (next - now) / before, before / (next - now)});
    before = next - now;
    now = next;
    result.ends.push_back(now);
    if (now >= output) result.outputs.push_back(now);
  }
  return result;
}

TEST(Stops, MakeEachOutputOnceAtItsTimeAndNoSliver) {
  std::mt19937_64 random{7};
  auto const some = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>{least, most}(random);
  };
  for (int trial = 0; trial < 1000; ++trial) {
    auto const interval = some(100, 50000), end = some(1, 20 * interval);
    // Every third end lies a thousandth of a second from an output.
    auto const near =
        trial % 3 == 0 && end > 2 * interval ? end / interval * interval + (trial % 2 == 0 ? 1 : -1) : end;
    std::vector<Recurrence> own;
    if (trial % 2 == 0) own.push_back({decimal(some(1000, 60000)), decimal(some(0, 2 * end))});
    Stops const stops(0, decimal(interval), decimal(near), own);
    auto const longest = std::pow(10.0, std::uniform_real_distribution<double>{-1, 1.5}(random));
    auto const found =
        walk(stops, 0, decimal(near), [&](int n) { return longest * (1 + 0.1 * std::sin(n)); });
    ASSERT_EQ(found.outputs, outputs_of(interval, near)) << interval << " " << near;
    ASSERT_GE(found.smallest_ratio, 1e-3)
        << interval << " " << near << " " << longest << " " << (own.empty() ? 0 : own[0].every);
    for (auto const& [every, until] : own) {
      io::Multiples const times(every);
      for (auto k = std::int64_t{1}; times.at(k) <= std::min(until, decimal(near)); ++k) {
        ASSERT_TRUE(std::ranges::binary_search(found.ends, times.at(k))) << "the model's own " << times.at(k);
      }
    }
  }
}

TEST(Stops, OfTheRestAreThoseOfTheWholeRun) {
  std::mt19937_64 random{8};
  auto const some = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>{least, most}(random);
  };
  for (int trial = 0; trial < 300; ++trial) {
    auto const interval = some(100, 50000), count = some(2, 12);
    auto const end = count * interval;
    std::vector<Recurrence> const own{{decimal(some(1000, 60000)), decimal(some(0, 2 * end))}};
    auto const longest = std::pow(10.0, std::uniform_real_distribution<double>{-1, 1.5}(random));
    auto const natural = [&](int) { return longest; };
    auto const whole = walk(Stops(0, decimal(interval), decimal(end), own), 0, decimal(end), natural).ends;
    auto const middle = decimal(some(1, count - 1) * interval);
    Stops const shorter(0, decimal(interval), middle, own);
    ASSERT_TRUE(shorter.recurs(middle));
    auto ends = walk(shorter, 0, middle, natural).ends;
    auto const rest =
        walk(Stops(0, decimal(interval), decimal(end), own), middle, decimal(end), natural).ends;
    ends.insert(ends.end(), rest.begin(), rest.end());
    ASSERT_EQ(ends, whole) << interval << " " << middle << " " << longest;
  }
}

TEST(Stops, LetStepsGrowByDegreesAfterTwoStopsCloseTogether) {
  // The model's own stop at 59.999 s lies a thousandth of a second before an output, of which the next is 60
  // s later.
  Stops const stops(0, 60, 600, {{59.999, 60}});
  auto const found = walk(stops, 0, 600, [](int) { return 1e9; });
  EXPECT_GE(found.smallest_ratio, 1e-3);
  EXPECT_EQ(found.outputs, outputs_of(60000, 600000));
}

TEST(Stops, LeaveOrdinaryIntervalsAlone) {
  Stops const stops(0, 60, 600, {{150, 300}});
  for (auto const& [now, next] : {std::pair{0., 60.},
                                  {60., 120.},
                                  {100., 120.},
                                  {120., 150.},
                                  {150., 180.},
                                  {300., 360.},
                                  {590., 600.}}) {
    EXPECT_EQ(stops.next(now), next) << now;
  }
  EXPECT_EQ(stops.next_output(120), 180);
  EXPECT_EQ(Stops(0, 0, infinite).next(5), infinite);
  EXPECT_EQ(Stops(0, 0, 100).next(5), 100);
  EXPECT_EQ(Stops(0, 0, 100).next_output(5), 100);
}

TEST(Stops, TellWhichTimesDoNotDependOnTheEnd) {
  Stops const stops(0, 0.7, 5, {{2, 4}});
  for (auto const time : {0., 0.7, 2., 2.1, 4., 4.2}) EXPECT_TRUE(stops.recurs(time)) << time;
  for (auto const time : {0.6, 5., 6., 3 * 0.7}) EXPECT_FALSE(stops.recurs(time)) << time;
}

TEST(Stops, OfStepsOfOneLengthAreWholeSteps) {
  for (auto const step : {0.1, 0.3, 1.0 / 3, 60.0}) {
    io::Multiples const ends(step);
    Stops const stops(step, ends.at(7), ends.at(30));
    for (int n = 0; n < 30; ++n) {
      auto const next = ends.at(std::min(n / 7 * 7 + 7, 30));
      EXPECT_EQ(stops.next(ends.at(n)), next) << n;
      EXPECT_EQ(stops.next_output(ends.at(n)), next) << n;
    }
  }
}

class AdaptiveRun : public testing::Test {
 protected:
  RunRequest request(std::string const& name, std::int64_t interval, std::int64_t end) {
    RunRequest request{{folder.write("case.toml", test::toy_case())}, {}, folder / name};
    request.source.overrides = {"toy.adaptive=true",
                                "toy.forcing=1",
                                "grid.nx=8",
                                "grid.ny=8",
                                "time.step=\"7 s\"",
                                "output.interval=\"" + std::to_string(interval) + "e-3 s\"",
                                "time.end=\"" + std::to_string(end) + "e-3 s\""};
    return request;
  }
  test::TemporaryFolder folder;
};

TEST_F(AdaptiveRun, WritesEachOutputOnceAtItsTime) {
  std::mt19937_64 random{9};
  for (int trial = 0; trial < 40; ++trial) {
    auto const interval = std::uniform_int_distribution<std::int64_t>{100, 40000}(random);
    auto const end = std::uniform_int_distribution<std::int64_t>{1, 12 * interval}(random);
    run(request("a", interval, end));
    auto wanted = outputs_of(interval, end);
    wanted.insert(wanted.begin(), 0);
    ASSERT_EQ(io::InputFile(folder / "a/output.nc").times("siu"), wanted) << interval << " " << end;
  }
}

TEST_F(AdaptiveRun, GoesOnExactlyFromAnOutputAndSaysWhereItDoesNot) {
  auto const whole = run(request("whole", 33300, 333000));
  EXPECT_FALSE(whole.cut_short);
  for (auto const until : {99900, 100000, 133200}) {
    auto first = request("first", 33300, until);
    auto const record = run(first);
    EXPECT_EQ(record.cut_short, until % 33300 != 0) << until;
    auto rest = request("rest", 33300, 333000);
    rest.restart = folder / "first/restart.nc";
    EXPECT_EQ(run(rest).hash == whole.hash && !record.cut_short, until % 33300 == 0) << until;
  }
  auto counted = request("counted", 33300, 333000);
  counted.steps = 5;
  EXPECT_FALSE(run(counted).cut_short);
  auto rest = request("rest", 33300, 333000);
  rest.restart = folder / "counted/restart.nc";
  EXPECT_EQ(run(rest).hash, whole.hash) << "from between two outputs, where nothing was cut";
}

TEST_F(AdaptiveRun, IsComparedWithItselfThroughARestartWithTheSameOutputs) {
  RestartRequest wanted{request("a", 33300, 333000).source, folder / "restart"};
  wanted.until = 333;
  wanted.reference = parse_configuration("cpu/fp64/deterministic");
  for (auto const spinup : {99.9, 100.0}) {
    wanted.spinup = spinup;
    auto const result = compare_restarts(wanted);
    EXPECT_TRUE(result.restart_exact) << spinup;
    EXPECT_EQ(result.cut_short, spinup == 100);
    EXPECT_EQ(table(result).find("cut short") != std::string::npos, spinup == 100) << table(result);
  }
}

TEST_F(AdaptiveRun, OfMoreStepsThanDoubleCountsIsRefused) {
  EXPECT_THROW(whole_steps(8e11, 1e-9, "x"), InputError);
  EXPECT_EQ(whole_steps(1e6, 1e-4, "x"), 10'000'000'000);
}

}  // namespace
}  // namespace ulpine::ensembles
