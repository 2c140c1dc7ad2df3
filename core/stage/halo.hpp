// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/ranks/blocks.hpp"
#include "core/ranks/link.hpp"
#include "core/stage/halo_copy.hpp"
#include "core/stage/runner.hpp"

/// What a block of columns needs of its neighbours' blocks.
namespace ulpine {

/// Fills halos of fields with what the neighbours own, along the axes that are cut; along the others and
/// beyond the lattice they stay as they are, for boundary conditions to be filled in afterwards. All fields
/// that are exchanged at once have one type and the block's columns from (0, 0) on. The launches need the
/// executor's for_each before this is included.
template <class Executor>
class HaloExchange {
 public:
  HaloExchange(Executor executor, Link<Executor>& link, Blocks const& blocks, bool periodic_x,
               bool periodic_y)
      : executor_{executor},
        link_{&link},
        blocks_{blocks},
        periodic_x_{periodic_x},
        periodic_y_{periodic_y} {}

  /// Whether there is anything to do.
  bool needed() const { return link_->several(); }
  /// Bytes that leave this rank's memory and come into it, in the neighbours' memory and in the buffers
  /// between.
  template <class T>
  double bytes(int fields, HaloWidth width, HaloLevels levels) const {
    return 2.0 * static_cast<double>(sizeof(T)) * fields * levels.count() *
           static_cast<double>(columns(outgoing(width)) + columns(incoming(width)));
  }

  /// Makes room for such an exchange: steps allocate nothing.
  template <class T>
  void reserve(int fields, HaloWidth width, HaloLevels levels) {
    auto const each = std::int64_t{levels.count()} * fields * static_cast<std::int64_t>(sizeof(T));
    grow(sent_, columns(outgoing(width)) * each);
    grow(received_, columns(incoming(width)) * each);
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
    auto const work = [&] { exchange(fields, width, levels); };
    if (link_->in_stream_order()) {
      stages.call(stage, executor_, work, {});
    } else {
      stages.call(stage, Host{}, work, {});
    }
  }
  /// The same outside of steps.
  template <class T>
  void exchange(std::span<Rows<T> const> fields, HaloWidth width, HaloLevels levels) {
    if (!needed()) return;
    auto const out = outgoing(width), in = incoming(width);
    auto const each = std::int64_t{levels.count()} * static_cast<std::int64_t>(fields.size()) *
                      static_cast<std::int64_t>(sizeof(T));
    grow(sent_, columns(out) * each);
    grow(received_, columns(in) * each);
    detail::HaloCopy<T> copy{{}, {}, static_cast<int>(fields.size()), levels, nullptr, true};
    std::ranges::copy(fields, copy.fields);
    run(copy, out, sent_);
    messages_out_.clear();
    messages_in_.clear();
    for (auto const& [box, rank] : out) {
      messages_out_.push_back({rank, sent_.view().data() + box.before * each, box.columns() * each});
    }
    for (auto const& [box, rank] : in) {
      messages_in_.push_back({rank, received_.view().data() + box.before * each, box.columns() * each});
    }
    link_->exchange(messages_out_, messages_in_);
    copy.packs = false;
    run(copy, in, received_);
  }

 private:
  struct Part {
    detail::HaloBox box;
    int rank;
  };

  /// Where this block lies along an axis as seen from a neighbour, and what it takes of it.
  detail::HaloBox box_of(Direction side, HaloWidth width, bool own) const {
    struct Range {
      std::int32_t first, count;
    };
    auto const along = [&](int where, std::int32_t extent, bool last_faces) -> Range {
      // The rim's last faces are the block's, and lie one beyond.
      if (where == 0) return {0, extent + (last_faces ? 1 : 0)};
      // What lies low of the neighbour beyond the high side is its halo's high part here, and so on.
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
  /// In the order in which they go.
  std::vector<Part> parts(HaloWidth width, bool own) const {
    std::vector<Part> all;
    std::int32_t before = 0;
    for (auto const sent : directions) {
      auto const side = own ? sent : sent.back();
      auto const rank = cut(side) ? blocks_.neighbour(side, periodic_x_, periodic_y_) : -1;
      if (rank < 0) continue;
      auto box = box_of(side, width, own);
      box.before = before;
      before += box.columns();
      all.push_back({box, rank});
    }
    return all;
  }
  std::vector<Part> outgoing(HaloWidth width) const { return parts(width, true); }
  std::vector<Part> incoming(HaloWidth width) const { return parts(width, false); }
  static std::int64_t columns(std::vector<Part> const& all) {
    return all.empty() ? 0 : all.back().box.before + all.back().box.columns();
  }

  void grow(Array<std::byte, Executor>& buffer, std::int64_t bytes) {
    if (buffer.size() < bytes) buffer = Array<std::byte, Executor>(executor_, bytes);
  }
  template <class T>
  void run(detail::HaloCopy<T>& copy, std::vector<Part> const& all, Array<std::byte, Executor>& buffer) {
    copy.boxes = {};
    for (auto const& part : all) copy.boxes.add(part.box);
    copy.buffer = reinterpret_cast<T*>(buffer.view().data());
    for_each(executor_, Extent2{copy.boxes.columns(), copy.levels.count()}, copy);
  }

  Executor executor_;
  Link<Executor>* link_;
  Blocks blocks_;
  bool periodic_x_, periodic_y_;
  Array<std::byte, Executor> sent_, received_;
  std::vector<Outgoing> messages_out_;
  std::vector<Incoming> messages_in_;
};

}  // namespace ulpine
