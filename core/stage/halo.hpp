// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/exec/rim.hpp"
#include "core/ranks/blocks.hpp"
#include "core/ranks/link.hpp"
#include "core/stage/halo_copy.hpp"
#include "core/stage/messages.hpp"
#include "core/stage/runner.hpp"
#include "core/stage/side_messages.hpp"

/// Exchange of halos: a block of columns gets what it needs of its neighbours' blocks.
namespace ulpine {

/// An exchange of a step: its stage, the fields, and how much of them.
template <class T>
struct Halo {
  Stage stage;
  std::span<Rows<T> const> fields;
  HaloWidth width;
  HaloLevels levels;
};

/// Fills halos of fields with what the neighbours own, along the axes that are cut; along the others and
/// beyond the lattice they stay as they are, for boundary conditions to be filled in afterwards. All fields
/// that are exchanged at once have one type and the block's columns from (0, 0) on. The launches need the
/// executor's for_each before this is included.
///
/// Stages may run beside an exchange (beside(), before_stage(), after_stage()), as SideMessages has it.
template <class Executor>
class HaloExchange {
 public:
  /// Stages run beside it only where `overlap`.
  HaloExchange(Executor executor, Link<Executor>& link, Blocks const& blocks, bool periodic_x,
               bool periodic_y, bool overlap = false)
      : executor_{executor},
        link_{&link},
        blocks_{blocks},
        periodic_x_{periodic_x},
        periodic_y_{periodic_y},
        messages_(executor, link, overlap) {}

  /// Whether there is anything to do.
  bool needed() const { return link_->several(); }
  /// Whether stages run beside an exchange now.
  bool overlaps(StageRunner const& stages) const { return messages_.overlaps(stages); }
  /// The messages beside stages, for others who send by the same link.
  SideMessages<Executor>& messages() { return messages_; }
  /// Bytes that leave this rank's memory and come into it, in the neighbours' memory and in the buffers
  /// between.
  template <class T>
  double bytes(int fields, HaloWidth width, HaloLevels levels) const {
    return 2.0 * static_cast<double>(sizeof(T)) * fields * levels.count() *
           static_cast<double>(parts(width, true).boxes.columns() + parts(width, false).boxes.columns());
  }

  /// Makes room for such an exchange: steps allocate nothing.
  template <class T>
  void reserve(int fields, HaloWidth width, HaloLevels levels) {
    auto const each = std::int64_t{levels.count()} * fields * static_cast<std::int64_t>(sizeof(T));
    grow(sent_, parts(width, true).boxes.columns() * each);
    grow(received_, parts(width, false).boxes.columns() * each);
  }

  /// As stage `stage`, at most 16 fields, which reserve() knows of.
  template <class T>
  void operator()(StageRunner& stages, Stage stage, std::initializer_list<Rows<T>> fields, HaloWidth width,
                  HaloLevels levels) {
    (*this)(stages, stage, std::span<Rows<T> const>(fields.begin(), fields.size()), width, levels);
  }
  template <class T>
  void operator()(StageRunner& stages, Stage stage, std::span<Rows<T> const> fields, HaloWidth width,
                  HaloLevels levels) {
    if (!needed()) return;
    call_with_messages(stages, stage, executor_, *link_, [&] { exchange(fields, width, levels); }, {});
  }
  template <class T>
  void operator()(StageRunner& stages, Halo<T> const& halo) {
    (*this)(stages, halo.stage, halo.fields, halo.width, halo.levels);
  }
  /// Exchanges halos outside of steps.
  template <class T>
  void exchange(std::span<Rows<T> const> fields, HaloWidth width, HaloLevels levels) {
    if (!needed()) return;
    typename SideMessages<Executor>::Once const once(messages_);
    auto const copies = prepare(fields, width, levels);
    run(executor_, copies.out);
    link_->exchange(messages_out_, messages_in_);
    run(executor_, copies.in);
  }

  /// The exchange, and the stages of work() beside it.
  template <class T, class Work>
  void beside(StageRunner& stages, Halo<T> const& halo, Work const& work) {
    if (!needed()) {
      work();
      return;
    }
    Copies<T> copies;
    messages_.beside(
        stages, halo.stage, {}, [&] { exchange(halo.fields, halo.width, halo.levels); },
        [&] {
          copies = prepare(halo.fields, halo.width, halo.levels);
          auto& side = link_->side();
          side.fork();
          run(side.executor(), copies.out);
          link_->begin(messages_out_, messages_in_);
        },
        work,
        [&] {
          auto& side = link_->side();
          link_->end();
          run(side.executor(), copies.in);
          side.join();
        });
  }
  /// The exchange before a stage that needs it at the columns in `margins` alone, and computes the rest
  /// beside it. needing(run) has the stage done by one call of run, which is as StageRunner::running_by() has
  /// it.
  template <class T, class Needing>
  void before_stage(StageRunner& stages, Halo<T> const& halo, Margins margins, Needing const& needing) {
    if (!overlaps(stages)) {
      (*this)(stages, halo);
      needing(stages.running_by(executor_));
      return;
    }
    needing([&](Stage stage, Extent3 extent, auto const& kernel, std::initializer_list<Field const*>) {
      OnRim const rim(kernel, extent, margins);
      WithinRim const rest(kernel, extent, margins);
      beside(stages, halo, [&] { stages.run(stage, executor_, rest.extent, rest.kernel, {}); });
      if (rim.extent().size() > 0) {
        stages.go_on(stage, executor_, [&] { for_each(executor_, rim.extent(), rim); });
      }
    });
  }
  /// The exchange after a stage that is the last to write what is sent, and writes the block's own cells
  /// alone: it computes what is sent first, and the rest beside the exchange. making(run) as above.
  template <class T, class Making>
  void after_stage(StageRunner& stages, Halo<T> const& halo, Making const& making) {
    if (!overlaps(stages)) {
      making(stages.running_by(executor_));
      (*this)(stages, halo);
      return;
    }
    making([&](Stage stage, Extent3 extent, auto const& kernel, std::initializer_list<Field const*>) {
      auto const margins = sent(halo.width);
      OnRim const rim(kernel, extent, margins);
      WithinRim const rest(kernel, extent, margins);
      stages.run(stage, executor_, rim.extent(), rim, {});
      beside(stages, halo,
             [&] { stages.go_on(stage, executor_, [&] { for_each(executor_, rest.extent, rest.kernel); }); });
    });
  }

  /// The block's columns that go to neighbours.
  Margins sent(HaloWidth width) const {
    auto const beyond = [&](Direction side) {
      return cut(side) && blocks_.neighbour(side, periodic_x_, periodic_y_) >= 0;
    };
    return {beyond({-1, 0}) ? width.high : 0, beyond({1, 0}) ? width.low : 0,
            beyond({0, -1}) ? width.high : 0, beyond({0, 1}) ? width.low : 0};
  }

 private:
  /// Kernels that copy fields to what is sent, and what has come to fields.
  template <class T>
  struct Copies {
    detail::HaloCopy<T> out, in;
  };
  /// Makes the copies of an exchange, and its messages.
  template <class T>
  Copies<T> prepare(std::span<Rows<T> const> fields, HaloWidth width, HaloLevels levels) {
    auto const out = parts(width, true), in = parts(width, false);
    auto const each = std::int64_t{levels.count()} * static_cast<std::int64_t>(fields.size()) *
                      static_cast<std::int64_t>(sizeof(T));
    grow(sent_, out.boxes.columns() * each);
    grow(received_, in.boxes.columns() * each);
    messages_out_.clear();
    messages_in_.clear();
    for (int n = 0; n < out.boxes.count; ++n) {
      auto const& box = out.boxes.boxes[n];
      messages_out_.push_back({out.ranks[n], sent_.view().data() + box.before * each, box.columns() * each});
    }
    for (int n = 0; n < in.boxes.count; ++n) {
      auto const& box = in.boxes.boxes[n];
      messages_in_.push_back(
          {in.ranks[n], received_.view().data() + box.before * each, box.columns() * each});
    }
    auto const copy = [&](Parts const& all, Array<std::byte, Executor>& buffer, bool packs) {
      auto* const memory = reinterpret_cast<T*>(buffer.view().data());
      detail::HaloCopy<T> made{all.boxes, {}, static_cast<int>(fields.size()), levels, memory, packs};
      std::ranges::copy(fields, made.fields);
      return made;
    };
    return {copy(out, sent_, true), copy(in, received_, false)};
  }

  /// Boxes of columns that go to neighbours, or come from them, and the neighbours' ranks.
  struct Parts {
    detail::HaloBoxes boxes;
    std::array<int, detail::HaloBoxes::most> ranks;
  };

  /// Where this block lies along an axis as seen from a neighbour, and what it takes of it.
  detail::HaloBox box_of(Direction side, HaloWidth width, bool own) const {
    struct Range {
      std::int32_t first, count;
    };
    auto const along = [&](int where, std::int32_t extent, bool last_faces) -> Range {
      // The rim's last faces are the block's, and lie one beyond.
      if (where == 0) return {0, extent + (last_faces ? 1 : 0)};
      // Columns along a block's low side are the high part of the neighbour's halo there, and so on.
      if (own) return where < 0 ? Range{0, width.high} : Range{extent - width.low, width.low};
      return where < 0 ? Range{-width.low, width.low} : Range{extent, width.high};
    };
    auto const x = along(side.x, blocks_.nx(), blocks_.east() && !periodic_x_),
               y = along(side.y, blocks_.ny(), blocks_.north() && !periodic_y_);
    return {x.first, y.first, x.count, y.count};
  }
  bool cut(Direction to) const {
    return (to.x == 0 || blocks_.along_x().parts > 1) && (to.y == 0 || blocks_.along_y().parts > 1);
  }
  /// Boxes and ranks of the messages, in the order in which they go.
  Parts parts(HaloWidth width, bool own) const {
    Parts all{};
    for (auto const sent : directions) {
      auto const side = own ? sent : sent.back();
      auto const rank = cut(side) ? blocks_.neighbour(side, periodic_x_, periodic_y_) : -1;
      if (rank < 0) continue;
      all.ranks[all.boxes.count] = rank;
      all.boxes.add(box_of(side, width, own));
    }
    return all;
  }

  void grow(Array<std::byte, Executor>& buffer, std::int64_t bytes) {
    if (buffer.size() < bytes) buffer = Array<std::byte, Executor>(executor_, bytes);
  }
  template <class T>
  static void run(Executor executor, detail::HaloCopy<T> const& copy) {
    for_each(executor, Extent2{copy.boxes.columns(), copy.levels.count()}, copy);
  }

  Executor executor_;
  Link<Executor>* link_;
  Blocks blocks_;
  bool periodic_x_, periodic_y_;
  Array<std::byte, Executor> sent_, received_;
  std::vector<Outgoing> messages_out_;
  std::vector<Incoming> messages_in_;
  SideMessages<Executor> messages_;
};

}  // namespace ulpine
