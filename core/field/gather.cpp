// SPDX-License-Identifier: Apache-2.0
#include "core/field/gather.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/field/operations.hpp"

namespace ulpine {
namespace {

/// Owned points from number `begin` to before `end`.
struct OwnedRange {
  std::int64_t begin = 0, end = 0;
};

/// Owned points of dense indices [first, end): their order is that of the numbers.
OwnedRange owned_in(Layout const& layout, std::int64_t first, std::int64_t end) {
  auto const number_of = [&](std::int64_t dense) {
    std::int64_t low = 0, high = layout.count();
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (layout.dense_index(middle) < dense) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  return {number_of(first), number_of(end)};
}

/// body(number, dense index, count) for the owned points of a range, row by row, those of a list one by one.
template <class Body>
void for_rows(Layout const& layout, OwnedRange range, Body const& body) {
  auto const row = layout.numbers() != nullptr ? 1 : layout.axis(layout.rank() - 1).extent;
  for (auto number = range.begin; number < range.end;) {
    auto const count = std::min(row - number % row, range.end - number);
    body(number, layout.dense_index(number), count);
    number += count;
  }
}

/// A rank's part as rank 0 has to know it: its range, and extent and begin of each axis.
using Part = std::array<std::int64_t, 2 + 2 * Layout::most_axes>;

Part part_of(Layout const& layout, OwnedRange range) {
  Part part{range.begin, range.end};
  for (int a = 0; a < layout.rank(); ++a) {
    part[static_cast<std::size_t>(2 + 2 * a)] = layout.axis(a).extent;
    part[static_cast<std::size_t>(3 + 2 * a)] = layout.axis(a).begin;
  }
  return part;
}

Layout layout_of(Part const& part, Layout const& own) {
  std::array<LayoutAxis, Layout::most_axes> axes;
  for (int a = 0; a < own.rank(); ++a) {
    auto const number = static_cast<std::size_t>(a);
    axes[number] = {part[2 + 2 * number], 0, own.axis(a).global_extent, part[3 + 2 * number]};
  }
  return {std::span(axes).first(static_cast<std::size_t>(own.rank())), 0, 0};
}

/// Where ranks own points by lists, rank 0 is told them: each rank's dense indices in its range.
std::vector<std::vector<std::int64_t>> gather_lists(Ranks& ranks, Layout const& layout, OwnedRange range,
                                                    std::vector<Part> const& parts) {
  std::vector<std::int64_t> own;
  for (auto number = range.begin; number < range.end; ++number) own.push_back(layout.dense_index(number));
  std::vector<std::vector<std::int64_t>> lists(parts.size());
  std::vector<Incoming> received;
  for (std::size_t rank = 0; ranks.rank() == 0 && rank < lists.size(); ++rank) {
    lists[rank].resize(static_cast<std::size_t>(parts[rank][1] - parts[rank][0]));
    received.push_back({static_cast<int>(rank), lists[rank].data(),
                        static_cast<std::int64_t>(lists[rank].size() * sizeof(std::int64_t))});
  }
  Outgoing const sent{0, own.data(), static_cast<std::int64_t>(own.size() * sizeof(std::int64_t))};
  ranks.exchange({&sent, 1}, received);
  return lists;
}

}  // namespace

void gather_values(Ranks* ranks, RawField const& field, std::int64_t first, std::int64_t count,
                   ValueType type, void* values, RawField const* domain) {
  auto const& layout = field.layout;
  if (!several(ranks) || layout.whole()) {
    if (!several(ranks) || ranks->rank() == 0) read_values(field, first, count, type, values, domain);
    return;
  }
  auto const width = bytes_of(type);
  auto const range = owned_in(layout, first, first + count);
  std::vector<std::byte> own(static_cast<std::size_t>((range.end - range.begin) * width));
  if (!own.empty()) {
    read_values(field, range.begin, range.end - range.begin, type, own.data(), domain);
  }

  auto const part = part_of(layout, range);
  auto const size = static_cast<std::size_t>(ranks->size());
  std::vector<Part> parts(size);
  std::vector<Incoming> received;
  bool const gathers = ranks->rank() == 0;
  for (std::size_t rank = 0; gathers && rank < size; ++rank) {
    received.push_back({static_cast<int>(rank), parts[rank].data(), sizeof(Part)});
  }
  Outgoing const described{0, part.data(), sizeof(Part)};
  ranks->exchange({&described, 1}, received);

  auto const listed = layout.numbers() != nullptr;
  std::vector<std::vector<std::int64_t>> lists;
  if (listed) lists = gather_lists(*ranks, layout, range, parts);

  std::vector<std::vector<std::byte>> pieces(size);
  received.clear();
  for (std::size_t rank = 0; gathers && rank < size; ++rank) {
    auto const bytes = (parts[rank][1] - parts[rank][0]) * width;
    pieces[rank].resize(static_cast<std::size_t>(bytes));
    received.push_back({static_cast<int>(rank), pieces[rank].data(), bytes});
  }
  Outgoing const sent{0, own.data(), static_cast<std::int64_t>(own.size())};
  ranks->exchange({&sent, 1}, received);
  for (std::size_t rank = 0; gathers && rank < size; ++rank) {
    auto const* source = pieces[rank].data();
    if (listed) {
      for (auto const dense : lists[rank]) {
        std::memcpy(static_cast<std::byte*>(values) + (dense - first) * width, source,
                    static_cast<std::size_t>(width));
        source += width;
      }
      continue;
    }
    for_rows(layout_of(parts[rank], layout), {parts[rank][0], parts[rank][1]},
             [&](std::int64_t, std::int64_t dense, std::int64_t points) {
               auto const bytes = static_cast<std::size_t>(points * width);
               std::memcpy(static_cast<std::byte*>(values) + (dense - first) * width, source, bytes);
               source += bytes;
             });
  }
}

void scatter_values(RawField const& field, std::int64_t first, std::int64_t count, ValueType type,
                    void const* values) {
  auto const& layout = field.layout;
  if (layout.whole()) return write_values(field, first, count, type, values);
  auto const width = bytes_of(type);
  auto const range = owned_in(layout, first, first + count);
  std::vector<std::byte> own(static_cast<std::size_t>((range.end - range.begin) * width));
  if (own.empty()) return;
  for_rows(layout, range, [&](std::int64_t number, std::int64_t dense, std::int64_t points) {
    std::memcpy(own.data() + (number - range.begin) * width,
                static_cast<std::byte const*>(values) + (dense - first) * width,
                static_cast<std::size_t>(points * width));
  });
  write_values(field, range.begin, range.end - range.begin, type, own.data());
}

}  // namespace ulpine
