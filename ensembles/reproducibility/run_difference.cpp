// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/run_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "ensembles/reproducibility/checkpoints.hpp"
#include "io/error.hpp"
#include "io/restart.hpp"
#include "io/slabs.hpp"
#include "verification/comparison/trace_diff.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;
using Runs = std::array<fs::path, 2>;

io::HashLog whole_log(fs::path const& run) {
  auto const path = checkpoint_log(run);
  auto log = io::read_hash_log(path);
  if (!log.whole) {
    throw InputError(
        fmt::format("{}: log cut short after step {} (its run was killed, or is at work) go on with the run "
                    "from its last checkpoint",
                    path.string(), log.last()));
  }
  return log;
}

/// The values of an array of two files, a piece of each at a time.
ElementDifference compare_arrays(io::StateReader const& a, io::StateReader const& b, std::size_t array) {
  ElementDifference result;
  auto const& what = a.header().arrays[array];
  auto const width = bytes_of(what.type);
  auto const piece = std::max<std::int64_t>(io::slab_bytes / width, 1);
  for (std::int64_t first = 0; first < what.size(); first += piece) {
    auto const count = std::min(piece, what.size() - first);
    std::vector<std::byte> x(static_cast<std::size_t>(count * width)), y(x.size());
    a.read(array, first, count, x.data());
    b.read(array, first, count, y.data());
    add_differences(result, what.type, first, x, y);
  }
  return result;
}

/// The first array of two states that differs.
void compare_starts(Runs const& runs, RunDifference& difference) {
  auto const step = difference.states.step;
  if (!fs::exists(checkpoint_file(runs[0], step)) || !fs::exists(checkpoint_file(runs[1], step))) {
    difference.note = fmt::format("there are no checkpoints of step {}, the first that both have", step);
    return;
  }
  io::RestartFile const a{checkpoint_file(runs[0], step)}, b{checkpoint_file(runs[1], step)};
  if (a.header().arrays != b.header().arrays) {
    difference.note = "they have states of different fields or types";
    return;
  }
  for (std::size_t array = 0; array < a.header().arrays.size(); ++array) {
    difference.element = compare_arrays(a, b, array);
    if (difference.element.element >= 0) {
      difference.place = fmt::format("step {}, field {}", step, a.header().arrays[array].name);
      return;
    }
  }
  difference.note = "their checkpoints of that step are equal";
}

void locate(Runs const& runs, Replayer const& replayer, fs::path const& scratch, RunDifference& difference) {
  std::array const outputs = {scratch / "first", scratch / "second"};
  auto const kept = checkpoint_steps(runs[0]), other = checkpoint_steps(runs[1]);
  std::vector<std::int64_t> common;
  std::ranges::set_intersection(kept, other, std::back_inserter(common));
  auto const next = std::ranges::lower_bound(common, difference.states.step);
  if (next == common.begin()) {
    difference.note = "the runs have no checkpoint of the same step before it";
    return;
  }
  auto const from = *std::prev(next);
  auto const repeat = [&](std::optional<std::int64_t> record) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      replayer(i, {.run = runs[i],
                   .step = difference.states.step,
                   .output = outputs[i],
                   .from = from,
                   .record = record});
    }
  };
  repeat({});
  auto const place = verification::first_divergence(io::read_trace(outputs[0] / "trace.bin"),
                                                    io::read_trace(outputs[1] / "trace.bin"));
  if (!place) {
    difference.note = "all outputs of its stages are equal: the state is changed outside of stages";
    return;
  }
  difference.stage = place->stage;
  difference.place =
      fmt::format("{}, stage {}, field {}", io::text_of(place->position), place->stage, place->field);
  if (place->kind != verification::Divergence::Kind::values) {
    difference.note = verification::describe(*place);
    return;
  }
  repeat(place->records_equal);
  io::RestartFile const a{outputs[0] / "field.nc"}, b{outputs[1] / "field.nc"};
  if (a.header().arrays != b.header().arrays) {
    difference.note = "the runs keep it in different types";
    return;
  }
  difference.element = compare_arrays(a, b, 0);
}

}  // namespace

std::optional<RunDifference> first_difference(Runs const& runs, Replayer const& replayer,
                                              fs::path const& scratch) {
  auto const a = whole_log(runs[0]), b = whole_log(runs[1]);
  auto const states = verification::first_difference(a, b);
  if (!states) return std::nullopt;
  RunDifference difference{.states = *states, .place = {}, .stage = {}, .element = {}, .note = {}};
  if (states->one_alone) return difference;
  if (states->step == std::max(a.first, b.first)) {
    compare_starts(runs, difference);
  } else if (replayer) {
    locate(runs, replayer, scratch, difference);
  }
  return difference;
}

std::string describe(RunDifference const& difference) {
  auto text = verification::describe(difference.states) + "\n";
  if (difference.element.element >= 0) {
    text += fmt::format("first at {}, {}\n", difference.place, describe(difference.element));
  } else if (!difference.note.empty()) {
    text += difference.place.empty() ? difference.note + "\n"
                                     : fmt::format("first at {}: {}\n", difference.place, difference.note);
  }
  return text;
}

}  // namespace ulpine::ensembles
