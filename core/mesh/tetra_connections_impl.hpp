// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "core/exec/atomic_counter.hpp"
#include "core/exec/scan.hpp"
#include "core/exec/value_at.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "core/mesh/tetra_kernels.hpp"

namespace ulpine {

template <class Executor>
TetraConnections<Executor>::TetraConnections(Executor executor, View<std::int32_t const> element,
                                             std::int32_t nodes)
    : nodes_{nodes}, elements_{static_cast<std::int32_t>(element.size() / 4)} {
  using Counter = AtomicCounter<Executor>;
  if (element.size() > std::int64_t{1} << 32) detail::refuse_size();
  auto const visits = element.size();
  element_and_position_ = {executor, 5 * visits};
  auto *const node = element_and_position_.view().data(), *const position = node + visits;
  detail::to_executor(executor, node, element.data(),
                      visits * static_cast<std::int64_t>(sizeof(std::int32_t)));

  auto const scanned = nodes + std::int64_t{1};
  starts_ = {executor, 2 * scanned};
  auto *const start = starts_.view().data(), *const row = start + scanned;
  visit_ = {executor, visits};
  auto* const visit = visit_.view().data();
  // Workspace: the visits filled so far of each node, the number of long rows, and room to scan.
  Array<std::int32_t, Executor> workspace(executor, scanned + scan_room(scanned));
  auto *const filled = workspace.view().data(), *const long_rows = filled + nodes,
              *const room = filled + scanned;
  for_each(executor, visits, detail::VisitCounter<Counter>{node, start});
  scan(executor, start, scanned, room);
  for_each(executor, visits, detail::VisitFiller<Counter>{node, start, filled, visit});
  for_each(executor, nodes, detail::VisitSorter{start, visit});

  for_each(executor, nodes, detail::RowCounter{node, start, visit, row});
  for_each(executor, nodes, detail::LongRowCounter<Counter>{row, long_rows});
  if (auto const rows = value_at(executor, long_rows); rows > 0) detail::refuse_rows(rows);
  scan(executor, row, scanned, room);
  column_ = {executor, value_at(executor, row + nodes)};
  slot_ = {executor, visits};
  for_each(executor, nodes,
           detail::RowFiller{node, start, visit, row, column_.view().data(), slot_.view().data(), position});
  synchronize(executor);
}

template <class Executor>
TetraConnectivity TetraConnections<Executor>::view() const {
  auto const* const element = element_and_position_.view().data();
  auto const* const start = starts_.view().data();
  return {nodes_,
          elements_,
          element,
          start,
          visit_.view().data(),
          slot_.view().data(),
          element + 4 * static_cast<std::int64_t>(elements_),
          {nodes_, nodes_, start + nodes_ + 1, column_.view().data()}};
}

template <class Executor>
PatternArrays<Executor> second_order_pattern(Executor executor, CsrPattern first) {
  auto const rows = std::int64_t{first.rows};
  Array<std::int64_t, Executor> candidate_start(executor, rows + 1);
  auto* const begin = candidate_start.view().data();
  for_each(executor, rows, detail::CandidateCounter{first, begin});
  Array<std::int64_t, Executor> wide_room(executor, scan_room(rows + 1));
  scan(executor, begin, rows + 1, wide_room.view().data());
  Array<std::int32_t, Executor> candidates(executor, value_at(executor, begin + rows));
  Array<std::int32_t, Executor> start(executor, rows + 1);
  for_each(executor, rows,
           detail::SecondRowGatherer{first, begin, candidates.view().data(), start.view().data()});
  Array<std::int32_t, Executor> room(executor, scan_room(rows + 1));
  scan(executor, start.view().data(), rows + 1, room.view().data());
  auto const entries = value_at(executor, start.view().data() + rows);
  if (entries < 0) detail::refuse_size();
  Array<std::int32_t, Executor> column(executor, entries);
  for_each(executor, rows,
           detail::RowCopier{begin, candidates.view().data(), start.view().data(), column.view().data()});
  synchronize(executor);
  return {first.rows, std::move(start), std::move(column)};
}

}  // namespace ulpine
