// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "core/exec/claim.hpp"
#include "core/exec/scan.hpp"
#include "core/exec/value_at.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "core/mesh/tetra_kernels.hpp"

namespace ulpine {

template <class Executor>
TetraConnections<Executor>::TetraConnections(Executor executor, View<std::int32_t const> element,
                                             std::int32_t nodes)
    : nodes_{nodes}, elements_{static_cast<std::int32_t>(element.size() / 4)} {
  using Claimer = Claimer<Executor>;
  if (element.size() > std::int64_t{1} << 32) detail::refuse_size();
  auto const visits = element.size();
  element_ = {executor, visits};
  element_.from_host(element.data());
  auto const* const node = element_.view().data();

  visit_start_ = {executor, nodes + std::int64_t{1}};
  visit_ = {executor, visits};
  auto* const start = visit_start_.view().data();
  auto* const visit = visit_.view().data();
  // Of each node the visits filled, of the mesh the long rows, and room to scan.
  auto const scanned = nodes + std::int64_t{1};
  Array<std::int32_t, Executor> workspace(executor, scanned + scan_room(scanned));
  auto *const filled = workspace.view().data(), *const long_rows = filled + nodes,
              *const room = filled + scanned;
  for_each(executor, visits, detail::VisitCounter<Claimer>{node, start});
  scan(executor, start, scanned, room);
  for_each(executor, visits, detail::VisitFiller<Claimer>{node, start, filled, visit});
  for_each(executor, nodes, detail::VisitSorter{start, visit});

  row_start_ = {executor, nodes + std::int64_t{1}};
  auto* const row = row_start_.view().data();
  for_each(executor, nodes, detail::RowCounter{node, start, visit, row});
  for_each(executor, nodes, detail::LongRowCounter<Claimer>{row, long_rows});
  if (auto const rows = value_at(executor, long_rows); rows > 0) detail::refuse_rows(rows);
  scan(executor, row, scanned, room);
  column_ = {executor, value_at(executor, row + nodes)};
  slot_ = {executor, visits};
  position_ = {executor, 4 * visits};
  for_each(executor, nodes,
           detail::RowFiller{node, start, visit, row, column_.view().data(), slot_.view().data(),
                             position_.view().data()});
  synchronize(executor);
}

template <class Executor>
TetraConnectivity TetraConnections<Executor>::view() const {
  return {nodes_,
          elements_,
          element_.view().data(),
          visit_start_.view().data(),
          visit_.view().data(),
          slot_.view().data(),
          position_.view().data(),
          {nodes_, nodes_, row_start_.view().data(), column_.view().data()}};
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
