// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/les/register.hpp"
#include "ensembles/runs/stops.hpp"
#include "io/case_file.hpp"
#include "io/multiples.hpp"
#include "io/state.hpp"

namespace {

using namespace ulpine;

/// Air of one kind of wind and disturbances whose steps vary.
std::unique_ptr<Model> make(std::string const& every) {
  auto const text = R"toml(core = 'les'
[grid]
nx = 4
ny = 3
nz = 4
dx = 20.0
dy = 15.0
dz = 10.0
[air]
neutral = true
[profile.wind]
u = [3.0]
[start]
noise_wind = 0.5
disturbance = 0.25
disturb_until = '20 s'
disturb_every = ')toml" +
                    every + "'\n";
  return make_model(io::CaseFile::parse(text, "case.toml"), {});
}

struct Course {
  std::vector<double> outputs;
  double smallest_ratio = 1;  ///< of steps that follow each other
};
/// Takes the model to `end` as a run does.
Course advance(Model& model, double interval, double end) {
  ensembles::Stops const stops(model, interval, end);
  Course course;
  auto before = 0.0;
  while (model.time() < end) {
    auto const now = model.time(), output = stops.next_output(now);
    model.take_step(stops.next(now));
    auto const length = model.time() - now;
    if (before > 0)
      course.smallest_ratio = std::min({course.smallest_ratio, length / before, before / length});
    before = length;
    if (model.time() >= output) course.outputs.push_back(model.time());
  }
  return course;
}

TEST(OutputTimes, OfStepsThatVaryAreMetOnceAndRestartsThereAreExact) {
  les::register_core();
  std::mt19937_64 random{12};
  auto const some = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>{least, most}(random);
  };
  auto const text = [](std::int64_t thousandths) { return std::to_string(thousandths) + "e-3 s"; };
  for (int trial = 0; trial < 200; ++trial) {
    auto const interval = some(100, 9000), end = some(2 * interval, 6 * interval);
    // Every other run has a disturbance a thousandth of a second from an output.
    auto const every =
        text(trial % 2 == 0 || interval < 1001 ? some(1000, 9000) : interval + 1 - trial % 4 / 2 * 2);
    auto const interval_s = io::parse_duration(text(interval)), end_s = io::parse_duration(text(end));
    auto const model = make(every);
    auto const whole = advance(*model, interval_s, end_s);
    std::vector<double> wanted;
    for (auto time = interval; time < end; time += interval) wanted.push_back(io::parse_duration(text(time)));
    wanted.push_back(end_s);
    ASSERT_EQ(whole.outputs, wanted) << interval << " " << end << " " << every;
    ASSERT_GE(whole.smallest_ratio, 1e-3) << interval << " " << end << " " << every;
    ASSERT_EQ(model->invalid_value(), "");

    auto const first = make(every), rest = make(every);
    auto const middle =
        wanted[static_cast<std::size_t>(some(0, static_cast<std::int64_t>(wanted.size()) - 2))];
    advance(*first, interval_s, middle);
    rest->restore(io::StoredState(*first->state()));
    advance(*rest, interval_s, end_s);
    ASSERT_EQ(rest->state_hash(), model->state_hash())
        << interval << " " << end << " " << every << " " << middle;
  }
}

}  // namespace
