// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/seaice/halos.hpp"
#include "core/stage/messages.hpp"

/// The launches need the executor's for_each before this is included.
namespace ulpine::seaice {

/// The boxes of cells or nodes whose values a group of fields sends (`own`) or receives, in the order in
/// which they stand in the message.
template <class Executor>
auto HaloRound<Executor>::boxes(Block const& block, HaloGroup const& group, bool own) -> std::vector<Box> {
  struct Range {
    std::int32_t first, count;
  };
  bool const on_nodes = group.order > 0;
  std::int32_t const each = on_nodes ? group.order : 1;
  // The nodes at a block's high side are the next one's.
  std::int32_t const low = each * block.halo, high = each * block.halo + (on_nodes ? 1 : 0);
  auto const along = [&](int where, std::int32_t cells, bool at_rim, std::int32_t spared) -> Range {
    auto const extent = each * cells;
    if (where == 0) return {0, extent + (on_nodes && at_rim ? 1 : 0)};
    if (own) return where < 0 ? Range{spared, high - spared} : Range{extent - low, low - spared};
    return where < 0 ? Range{-low, low - spared} : Range{extent + spared, high - spared};
  };
  std::vector<Box> all;
  std::int32_t before = 0;
  for (auto const sent : directions) {
    auto const side = own ? sent : sent.back();
    auto const rank = block.cells.neighbour(side, false, false);
    if (rank < 0) continue;
    bool const at_corner = side.x != 0 && side.y != 0;
    auto const spared = at_corner ? 0 : group.spared;
    auto const x = along(side.x, block.cells.nx(), block.cells.east(), spared),
               y = along(side.y, block.cells.ny(), block.cells.north(), spared);
    all.push_back({{x.first, y.first, x.count, y.count, before}, rank});
    before += all.back().box.columns();
  }
  return all;
}

template <class Executor>
HaloRound<Executor>::HaloRound(Executor executor, Link<Executor>& link, Block const& block,
                               std::vector<HaloGroup> const& groups)
    : executor_{executor}, link_{&link} {
  constexpr std::int64_t line = 128;  // values of all types begin at whole lines of the buffers
  auto const after = [](std::int64_t bytes) { return (bytes + line - 1) / line * line; };
  std::int64_t sent = 0, received = 0;
  for (auto const& group : groups) {
    auto const& layout = group.fields.front()->layout();
    Copy copy;
    copy.width = bytes_of(group.fields.front()->type());
    copy.row = layout.axis(0).stride;
    if (layout.rank() == 3) {
      copy.plane = layout.axis(2).stride;
      copy.levels = static_cast<std::int32_t>(layout.axis(2).extent);
    }
    for (auto const* field : group.fields) {
      copy.fields.push_back(static_cast<std::byte*>(field->raw().data) + layout.offset() * copy.width);
    }
    copy.out = boxes(block, group, true);
    copy.in = boxes(block, group, false);
    copy.sent = sent;
    copy.received = received;
    sent = after(sent + copy.bytes(Copy::columns(copy.out)));
    received = after(received + copy.bytes(Copy::columns(copy.in)));
    copies_.push_back(std::move(copy));
  }
  sent_ = Array<std::byte, Executor>(executor, sent);
  received_ = Array<std::byte, Executor>(executor, received);
  for (auto const& copy : copies_) {
    for (auto const& [box, rank] : copy.out) {
      out_.push_back(
          {rank, sent_.view().data() + (copy.sent + copy.bytes(box.before)), copy.bytes(box.columns())});
    }
    for (auto const& [box, rank] : copy.in) {
      in_.push_back({rank, received_.view().data() + (copy.received + copy.bytes(box.before)),
                     copy.bytes(box.columns())});
    }
  }
}

template <class Executor>
template <class T>
void HaloRound<Executor>::run_as(Copy const& copy, bool packs) {
  detail::HaloCopy<T> kernel{{}, {}, static_cast<int>(copy.fields.size()), {0, copy.levels}, nullptr, packs};
  for (std::size_t f = 0; f < copy.fields.size(); ++f) {
    kernel.fields[f] = Rows<T>(reinterpret_cast<T*>(copy.fields[f]), copy.plane, copy.row);
  }
  for (auto const& part : packs ? copy.out : copy.in) kernel.boxes.add(part.box);
  auto* const buffer = packs ? sent_.view().data() + copy.sent : received_.view().data() + copy.received;
  kernel.buffer = reinterpret_cast<T*>(buffer);
  for_each(executor_, Extent2{kernel.boxes.columns(), copy.levels}, kernel);
}

template <class Executor>
void HaloRound<Executor>::run_rows(Copy const& copy, bool packs) {
  auto* buffer = (packs ? sent_ : received_).view().data() + (packs ? copy.sent : copy.received);
  for (auto const& [box, rank] : packs ? copy.out : copy.in) {
    auto const bytes = static_cast<std::size_t>(box.nx * copy.width);
    for (auto* const field : copy.fields) {
      for (std::int32_t k = 0; k < copy.levels; ++k) {
        for (std::int32_t j = box.first_y; j < box.first_y + box.ny; ++j, buffer += bytes) {
          auto* const row = field + (k * copy.plane + j * copy.row + box.first_x) * copy.width;
          packs ? std::memcpy(buffer, row, bytes) : std::memcpy(row, buffer, bytes);
        }
      }
    }
  }
}

template <class Executor>
void HaloRound<Executor>::run(Copy const& copy, bool packs) {
  if constexpr (!Executor::on_device) {
    run_rows(copy, packs);
  } else if (copy.width == sizeof(float)) {
    run_as<float>(copy, packs);
  } else {
    run_as<double>(copy, packs);
  }
}

template <class Executor>
void HaloRound<Executor>::exchange() {
  for (auto const& copy : copies_) run(copy, true);
  link_->exchange(out_, in_);
  for (auto const& copy : copies_) run(copy, false);
}

template <class Executor>
void HaloRound<Executor>::operator()(StageRunner& stages, Stage stage) {
  call_with_messages(stages, stage, executor_, *link_, [this] { exchange(); }, {});
}

}  // namespace ulpine::seaice
