// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/exec/extent.hpp"
#include "core/ranks/blocks.hpp"
#include "core/ranks/link.hpp"
#include "core/ranks/redistribution.hpp"
#include "core/stage/runner.hpp"
#include "core/stage/side_messages.hpp"

namespace ulpine::test {

/// Values x become 3 x + 1 + n.
struct GrowAll {
  double* values;
  void operator()(std::int64_t n) const { values[n] = 3 * values[n] + 1 + static_cast<double>(n); }
};

/// An array grows as rows, is sent and grows as columns, is sent back and grows, a stage on another array
/// beside each of the messages. The launches need the executor's for_each before this is included; memory is
/// the host's.
template <class Executor>
struct TurningBeside {
  static constexpr std::int32_t nz = 2, ny = 7, nx = 9;

  TurningBeside(Executor where, std::shared_ptr<Ranks> const& team, bool overlap)
      : executor{where},
        link{std::make_shared<Link<Executor>>(where, team)},
        messages(where, *link, overlap),
        y{ny, team->size()},
        x{nx, team->size()},
        rows(static_cast<std::size_t>(nz * y.size(team->rank()) * nx)),
        columns(static_cast<std::size_t>(nz * ny * x.size(team->rank())), -1),
        others(rows.size(), 5),
        move(where, link, distribution(true), distribution(false),
             std::make_shared<MessageBuffers<Executor>>()) {
    double value = 1000 * team->rank();
    for (auto& one : rows) one = value++;
  }

  /// Both arrays after some steps.
  std::pair<std::vector<double>, std::vector<double>> steps() {
    for (std::int64_t number = 0; number < 2; ++number) {
      // The second step of a device is timed stage by stage.
      runner.begin_step(executor, 10 * number + 1);
      overlapped = messages.overlaps(runner);
      grow(rows);
      messages.beside(
          runner, there, {}, [&] { move.there(executor, rows.data(), columns.data()); },
          [&] { move.begin_there(rows.data(), columns.data()); }, [&] { grow(others); },
          [&] { move.end_there(columns.data()); });
      grow(columns);
      messages.beside(
          runner, back, {}, [&] { move.back(executor, columns.data(), rows.data()); },
          [&] { move.begin_back(columns.data(), rows.data()); }, [&] { grow(others); },
          [&] { move.end_back(rows.data()); });
      grow(rows);
    }
    if constexpr (Executor::on_device) synchronize(executor);
    return {rows, others};
  }

  Executor executor;
  std::shared_ptr<Link<Executor>> link;
  SideMessages<Executor> messages;
  Cut y, x;
  std::vector<double> rows, columns, others;
  Redistribution<double, Executor> move;
  StageRunner runner;
  Stage there = runner.add({"there", "columns", 8, Guarantee::bitwise}),
        back = runner.add({"back", "rows", 8, Guarantee::bitwise}),
        growth = runner.add({"growth", "any", 8, Guarantee::bitwise});
  bool overlapped = false;

 private:
  void grow(std::vector<double>& values) {
    runner.run(growth, executor, static_cast<std::int64_t>(values.size()), GrowAll{values.data()}, {});
  }
  Distribution distribution(bool of_rows) const {
    Distribution all;
    for (int r = 0; r < link->ranks()->size(); ++r) {
      all.boxes.push_back(of_rows ? IndexBox{{0, nz}, {y.begin(r), y.begin(r + 1)}, {0, nx}}
                                  : IndexBox{{0, nz}, {0, ny}, {x.begin(r), x.begin(r + 1)}});
    }
    auto const rank = link->ranks()->rank();
    all.row = of_rows ? nx : x.size(rank);
    all.plane = all.row * (of_rows ? y.size(rank) : ny);
    return all;
  }
};

}  // namespace ulpine::test
