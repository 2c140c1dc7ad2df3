// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/side_by_side.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "core/model/model.hpp"
#include "ensembles/runs/stepped_run.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "support/few_files.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// Runs with noise of their own.
class SideBySideRuns : public testing::Test {
 protected:
  RunRequest request(fs::path const& where, std::size_t number, std::string const& more = "") {
    RunRequest request{{folder.write("case" + std::to_string(number) + ".toml", test::toy_case() + more)},
                       {},
                       folder / where / std::to_string(number)};
    request.perturbations = {{"sivol", {1, static_cast<std::uint32_t>(number), 0x1p-7}}};
    return request;
  }

  /// Does `count` runs and keeps what came of them.
  void run(std::size_t count, int at_a_time, int helpers,
           std::function<RunRequest(std::size_t)> const& make_request) {
    std::mutex mutex;
    std::size_t started = 0;
    std::vector<std::size_t> again;
    SideBySide work;
    work.runs = at_a_time;
    work.helpers = helpers;
    work.one_after_other = one_after_other;
    work.next = [&]() -> std::optional<std::size_t> {
      std::lock_guard const lock(mutex);
      if (started < count) return started++;
      if (again.empty()) return {};
      auto const number = again.back();
      again.pop_back();
      return number;
    };
    work.put_back = [&](std::size_t number) {
      std::lock_guard const lock(mutex);
      again.push_back(number);
    };
    work.request = [&](std::size_t number) {
      std::lock_guard const lock(mutex);
      auto wanted = make_request(number);
      open.insert(number);
      return wanted;
    };
    work.conclude = [&](std::size_t number, std::function<RunRecord()> const& record) {
      std::optional<RunRecord> result;
      std::string problem;
      try {
        result = record();
      } catch (std::exception const& error) {
        problem = error.what();
      }
      std::lock_guard const lock(mutex);
      open.erase(number);
      EXPECT_TRUE(concluded.insert(number).second) << number << " is over twice";
      if (result) records[number] = *result;
      if (!problem.empty()) problems[number] = problem;
    };
    run_side_by_side(work);
    EXPECT_EQ(started, count);
    EXPECT_EQ(concluded.size(), count);
  }

  static std::vector<double> values(fs::path const& run, std::string const& field, std::int64_t time) {
    return io::InputFile(run / "output.nc").read(field, time).values;
  }

  test::TemporaryFolder folder;
  bool one_after_other = false;
  std::set<std::size_t> open, concluded;  ///< open: asked for and not over
  std::map<std::size_t, RunRecord> records;
  std::map<std::size_t, std::string> problems;
};

TEST_F(SideBySideRuns, HaveTheBitsAndTheOutputThatEachHasAlone) {
  run(5, 3, 2, [&](std::size_t number) { return request("together", number); });
  EXPECT_TRUE(problems.empty());
  std::set<std::string> hashes;
  for (std::size_t number = 0; number < 5; ++number) {
    auto const alone = ensembles::run(request("alone", number));
    EXPECT_EQ(records[number].hash, alone.hash) << number;
    EXPECT_EQ(records[number].steps, 12);
    hashes.insert(alone.hash);
    auto const together = folder / "together" / std::to_string(number);
    EXPECT_EQ(read_run(together / "run.json").hash, alone.hash);
    EXPECT_EQ(output_problem(together, records[number]), std::nullopt);
    EXPECT_EQ(io::InputFile(together / "output.nc").times("siu"), (std::vector<double>{0, 240, 480, 720}));
    for (auto const* const field : {"siu", "sivol", "shear", "cell_area", "mask"}) {
      for (std::int64_t time = 0; time < (field[0] == 's' ? 4 : 1); ++time) {
        EXPECT_EQ(values(together, field, time),
                  values(folder / "alone" / std::to_string(number), field, time))
            << number << " " << field << " " << time;
      }
    }
  }
  EXPECT_EQ(hashes.size(), 5u) << "the runs must differ, or nothing is shown";
}

TEST_F(SideBySideRuns, TakeTheirStepsInTurn) {
  std::mutex mutex;
  std::map<std::size_t, std::int64_t> steps;
  std::int64_t furthest_apart = 0;
  run(3, 3, 3, [&](std::size_t number) {
    auto wanted = request("runs", number, "[toy]\nsleep_ms = 55\n");  // progress is told every 50 ms
    wanted.until = 6 * 60;
    wanted.progress = [&, number](RunProgress const& progress) {
      std::lock_guard const lock(mutex);
      steps[number] = progress.step;
      if (steps.size() < 3) return;
      auto const [least, most] =
          std::ranges::minmax_element(steps, {}, [](auto const& run) { return run.second; });
      furthest_apart = std::max(furthest_apart, most->second - least->second);
    };
    return wanted;
  });
  ASSERT_EQ(steps.size(), 3u) << "each is under way before the first is over";
  EXPECT_LE(furthest_apart, 4) << "one after the other it would be 6; a late start costs some";
  EXPECT_TRUE(problems.empty());
}

TEST_F(SideBySideRuns, HaveTheirStepsOneAfterTheOtherWhereEachFillsTheDevice) {
  // A run that has no use for a step, since its output is looked at or it has ended, leaves one to another.
  constexpr std::int64_t steps = 6, at_most_in_between = 5;
  one_after_other = true;
  std::mutex mutex;
  std::map<std::size_t, std::int64_t> taken;
  std::vector<std::size_t> ended;
  run(5, 3, 3, [&](std::size_t number) {
    auto wanted = request("runs", number, "[toy]\nsleep_ms = 55\n");  // progress is told every 50 ms
    wanted.until = steps * 60;
    wanted.progress = [&, number](RunProgress const& now) {
      std::lock_guard const lock(mutex);
      taken[number] = now.step;
      if (now.step < steps || std::ranges::find(ended, number) != ended.end()) return;
      ended.push_back(number);
      std::int64_t others = 0;
      for (auto const& [other, count] : taken) others += count < steps ? count : 0;
      EXPECT_LE(others, at_most_in_between) << "of others, when " << number << " ends; in turn it is 10";
    };
    return wanted;
  });
  ASSERT_EQ(ended.size(), 5u);
  std::ranges::sort(ended.begin(), ended.begin() + 3);
  EXPECT_EQ(std::vector(ended.begin(), ended.begin() + 3), (std::vector<std::size_t>{0, 1, 2}))
      << "those that began later go before";
  EXPECT_TRUE(problems.empty());
  for (auto const& [number, record] : records) {
    auto alone = request("alone", number);
    alone.until = steps * 60;
    EXPECT_EQ(record.hash, ensembles::run(alone).hash) << number;
  }
}

TEST_F(SideBySideRuns, OneAfterTheOtherAreChargedWithTheirOwnSteps) {
  one_after_other = true;
  run(4, 4, 4, [&](std::size_t number) { return request("runs", number, "[toy]\nsleep_ms = 20\n"); });
  double sum = 0;
  for (auto const& [number, record] : records) sum += record.model_wall_s;
  for (auto const& [number, record] : records) {
    EXPECT_GE(record.model_wall_s, sum / 8)
        << number << ": a quarter, less steps before its turn; shared by all, the first has a sixteenth";
  }
}

TEST_F(SideBySideRuns, OneThatIsWaitedForHoldsUpNoOther) {
  std::mutex mutex;
  std::condition_variable changed;
  bool other_is_done = false, in_time = false, too_late = false;
  run(2, 2, 2, [&](std::size_t number) {
    auto wanted = request("runs", number);
    wanted.trap_nonfinite = number == 0;  // looks at its state after each step
    wanted.progress = [&, number](RunProgress const& now) {
      std::unique_lock lock(mutex);
      if (number == 0) {
        in_time =
            !too_late && changed.wait_for(lock, std::chrono::seconds(20), [&] { return other_is_done; });
        too_late = !in_time;
      } else if (now.step == now.steps) {
        other_is_done = true;
        changed.notify_all();
      }
    };
    return wanted;
  });
  EXPECT_TRUE(in_time);
  EXPECT_TRUE(problems.empty());
  for (std::size_t number = 0; number < 2; ++number) {
    EXPECT_EQ(records[number].steps, 12) << number;
    EXPECT_EQ(records[number].hash, ensembles::run(request("alone", number)).hash) << number;
  }
}

TEST_F(SideBySideRuns, NeverMoreThanAsked) {
  std::size_t most = 0;
  run(7, 2, 3, [&](std::size_t number) {
    most = std::max(most, open.size() + 1);
    return request("runs", number);
  });
  EXPECT_EQ(most, 2u);
}

TEST_F(SideBySideRuns, GoFewerAtATimeWhereThereIsNoRoomForMore) {
  std::mutex mutex;
  std::condition_variable changed;
  int refused = 0;
  bool in_time = true;
  run(6, 4, 3, [&](std::size_t number) {
    std::lock_guard const lock(mutex);
    if (open.size() == 2) {
      ++refused;
      changed.notify_all();
      throw EnvironmentError("there is no room for three");
    }
    auto wanted = request("runs", number);
    wanted.progress = [&](RunProgress const&) {
      std::unique_lock wait(mutex);
      in_time = in_time && changed.wait_for(wait, std::chrono::seconds(20), [&] { return refused == 2; });
    };
    return wanted;
  });
  EXPECT_EQ(refused, 2) << "two of four places are given up, for good";
  EXPECT_TRUE(problems.empty()) << problems.begin()->second;
  EXPECT_EQ(records.size(), 6u);
}

TEST_F(SideBySideRuns, FailWhereThereIsNoRoomForOne) {
  run(3, 3, 2, [&](std::size_t) -> RunRequest { throw EnvironmentError("there is no room"); });
  EXPECT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0], "there is no room");
}

TEST_F(SideBySideRuns, AreWrittenHereWhereNoProcessCanBeStarted) {
  std::optional<test::FewFiles> few;
  run(1, 1, 1, [&](std::size_t number) {
    few.emplace(1);  // a socket has two ends
    auto wanted = request("runs", number);
    wanted.progress = [&](RunProgress const&) { few.reset(); };
    return wanted;
  });
  EXPECT_TRUE(problems.empty()) << problems.begin()->second;
  auto const alone = ensembles::run(request("alone", 0));
  EXPECT_EQ(records[0].hash, alone.hash);
  EXPECT_EQ(values(folder / "runs/0", "siu", 3), values(folder / "alone/0", "siu", 3));
}

TEST_F(SideBySideRuns, FailAlone) {
  run(5, 2, 2, [&](std::size_t number) {
    auto none = request("runs", number);
    none.until = 0;
    return number == 4   ? none
           : number == 1 ? request("runs", number, "[toy]\nblow_up_policy = 'fp64'\n")
           : number == 2 ? request("runs", number, "[toy]\nno_such_key = 1\n")
                         : request("runs", number);
  });
  EXPECT_EQ(records.size(), 3u);
  EXPECT_EQ(records.count(0) + records.count(3), 2u);
  EXPECT_EQ(records[4].steps, 0) << "over before its first step";
  EXPECT_NE(problems[1].find("invalid after step 8"), std::string::npos) << problems[1];
  EXPECT_NE(problems[2].find("no_such_key"), std::string::npos) << problems[2];
  EXPECT_NE(read_run(folder / "runs/1/run.json").failed.value_or("").find("after step 8"), std::string::npos)
      << "looked for where output is due";
  EXPECT_EQ(io::InputFile(folder / "runs/1/output.nc").times("siu"), (std::vector<double>{0, 240}));
  EXPECT_FALSE(fs::exists(folder / "runs/2/run.json"));
}

TEST_F(SideBySideRuns, EndWhereTheirStepOrTheirOutputFails) {
  int thrown = 0;
  run(3, 3, 2, [&](std::size_t number) {
    // Progress is told every 50 ms.
    auto wanted = request("runs", number, number == 0 ? "[toy]\nsleep_ms = 55\n" : "");
    if (number == 0) {
      wanted.progress = [&](RunProgress const& now) {
        if (now.step > 0) {
          ++thrown;
          throw std::runtime_error("planted in a step");
        }
      };
    }
    if (number == 1) wanted.trace = true;
    return wanted;
  });
  EXPECT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], "planted in a step");
  EXPECT_EQ(thrown, 1) << "no further step";
  EXPECT_EQ(records[1].files.size(), 3u) << "output, restart and trace";
  EXPECT_EQ(records[1].hash, ensembles::run(request("alone", 1)).hash);
}

TEST_F(SideBySideRuns, AreInterruptedTogether) {
  std::atomic<bool> cancel{false};
  run(3, 3, 1, [&](std::size_t number) {
    auto wanted = request("runs", number, "[toy]\nsleep_ms = 5\n");
    wanted.cancel = &cancel;
    wanted.progress = [&](RunProgress const&) { cancel = true; };
    return wanted;
  });
  for (auto const& [number, record] : records) {
    EXPECT_TRUE(record.interrupted) << number;
    EXPECT_FALSE(fs::exists(folder / "runs" / std::to_string(number) / "run.json"));
    auto rest = request("runs", number, "[toy]\nsleep_ms = 5\n");
    rest.restart = rest.folder / "restart.nc";
    rest.perturbations.clear();
    EXPECT_EQ(ensembles::run(rest).hash,
              ensembles::run(request("alone", number, "[toy]\nsleep_ms = 5\n")).hash)
        << number;
  }
}

TEST_F(SideBySideRuns, ShareTheTimeOfTheirSteps) {
  auto const begin = std::chrono::steady_clock::now();
  run(6, 3, 2, [&](std::size_t number) { return request("runs", number, "[toy]\nsleep_ms = 20\n"); });
  auto const wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double model = 0;
  for (auto const& [number, record] : records) {
    model += record.model_wall_s;
    EXPECT_GE(record.wall_s, record.model_wall_s);
    EXPECT_EQ(read_run(folder / "runs" / std::to_string(number) / "run.json").model_wall_s,
              record.model_wall_s);
  }
  EXPECT_GE(model, 6 * 12 * 20e-3) << "72 steps that each sleep 20 ms";
  EXPECT_LE(model, wall) << "in all no more than has passed";
}

TEST_F(SideBySideRuns, HaveEqualSharesOfTheTimeWhateverTheirOwnStepsTake) {
  std::mutex mutex;
  std::condition_variable changed;
  bool under_way = false;
  std::optional<std::size_t> slow_one;
  run(2, 2, 2, [&](std::size_t number) {
    if (slow_one) {
      std::unique_lock lock(mutex);
      EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return under_way; }));
      return request("runs", number);
    }
    slow_one = number;
    auto slow = request("runs", number, "[toy]\nsleep_ms = 100\n");
    slow.progress = [&](RunProgress const&) {
      std::lock_guard const lock(mutex);
      under_way = true;
      changed.notify_all();
    };
    return slow;
  });
  EXPECT_TRUE(problems.empty()) << problems.begin()->second;
  EXPECT_GE(records[1 - *slow_one].model_wall_s, 0.1)
      << "two steps of the slow run's twelve, at least, by halves";
}

TEST_F(SideBySideRuns, DeferredOutputIsOfTheTimeThatItIsOf) {
  auto wanted = request("deferred", 1);
  std::vector<std::function<void()>> writes;
  wanted.defer = [&](std::function<void()> write) { writes.push_back(std::move(write)); };
  SteppedRun deferred(wanted);
  while (!deferred.over()) {
    deferred.take_step();
    deferred.settle();
  }
  ASSERT_EQ(writes.size(), 4u);
  for (auto const& write : writes) write();
  auto const record = deferred.finish();
  EXPECT_EQ(record.hash, ensembles::run(request("alone", 1)).hash);
  for (std::int64_t time = 0; time < 4; ++time) {
    for (auto const* const field : {"siu", "siv", "sivol", "siconc", "shear"}) {
      EXPECT_EQ(values(folder / "deferred/1", field, time), values(folder / "alone/1", field, time))
          << field << " " << time;
    }
  }
}

TEST(GpuPlaces, AreAsManyAsFillTheDeviceAndFitItsMemory) {
  constexpr std::int64_t gigabyte = 1'000'000'000;
  EXPECT_EQ(gpu_places(128 * 128, 9'000'000, 132, 80 * gigabyte).fill, 24);
  EXPECT_EQ(gpu_places(256 * 256, 36'000'000, 132, 80 * gigabyte).fill, 6);
  EXPECT_EQ(gpu_places(512 * 512, 144'000'000, 132, 80 * gigabyte).fill, 1);
  EXPECT_EQ(gpu_places(8 * 8, 1000, 132, 80 * gigabyte).fill, 24);
  EXPECT_EQ(gpu_places(128 * 128, gigabyte, 132, 6 * gigabyte).fit, 3) << "in half of its memory";
  EXPECT_EQ(gpu_places(128 * 128, 10 * gigabyte, 132, 6 * gigabyte).fit, 1);
  EXPECT_EQ(gpu_places(128 * 128, 9'000'000, 40, 16 * gigabyte).fill, 7) << "a smaller device";
}

TEST(RunsAtATime, AreNeitherFewNorLeaveAFewForTheEnd) {
  EXPECT_EQ(runs_at_a_time(3, {24, 24}), 1) << "each alone has the whole device";
  EXPECT_EQ(runs_at_a_time(4, {24, 24}), 4);
  EXPECT_EQ(runs_at_a_time(25, {24, 24}), 25);
  EXPECT_EQ(runs_at_a_time(32, {24, 24}), 32);
  EXPECT_EQ(runs_at_a_time(33, {24, 24}), 24);
  EXPECT_EQ(runs_at_a_time(100, {3, 24}), 1);
  EXPECT_EQ(runs_at_a_time(100, {24, 6}), 6) << "more have no room";
  EXPECT_EQ(runs_at_a_time(100, {24, 3}), 1);
}
TEST(RunsAtATime, AreAFewByTurnsWhereEachFillsTheDevice) {
  EXPECT_EQ(runs_at_a_time(100, {1, 24}), 4);
  EXPECT_EQ(runs_at_a_time(3, {1, 24}), 3);
  EXPECT_EQ(runs_at_a_time(100, {1, 2}), 2);
  EXPECT_EQ(runs_at_a_time(100, {1, 1}), 1);
}

}  // namespace
}  // namespace ulpine::ensembles
