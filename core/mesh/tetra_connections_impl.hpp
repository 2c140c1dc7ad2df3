// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "core/mesh/tetra_connections.hpp"
#include "core/mesh/tetra_kernels.hpp"

namespace ulpine {
namespace detail {

/// How the executor's threads count together; see tetra_kernels.hpp.
template <class Executor>
struct ClaimerOf;

/// Each value becomes the sum of those before it.
template <class T, class Executor>
void scan(Executor executor, T* value, std::int64_t count) {
  auto const chunks = (count + scan_chunk - 1) / scan_chunk;
  if (chunks <= 1) {
    for_each(executor, chunks, ChunkScanner<T>{value, count, nullptr});
    return;
  }
  Array<T, Executor> sums(executor, chunks);
  auto* const sum = sums.view().data();
  for_each(executor, chunks, ChunkAdder<T>{value, count, sum});
  scan(executor, sum, chunks);
  for_each(executor, chunks, ChunkScanner<T>{value, count, sum});
  synchronize(executor);
}

template <class T, class Executor>
T last_of(Executor executor, Array<T, Executor> const& array) {
  T value{};
  detail::to_host(executor, &value, array.view().data() + array.size() - 1, sizeof(T));
  return value;
}

}  // namespace detail

template <class Executor>
TetraConnections<Executor>::TetraConnections(Executor executor, View<std::int32_t const> element,
                                             std::int32_t nodes)
    : nodes_{nodes}, elements_{static_cast<std::int32_t>(element.size() / 4)} {
  using Claimer = typename detail::ClaimerOf<Executor>::Type;
  if (element.size() > std::int64_t{1} << 32) detail::refuse_size();
  auto const visits = element.size();
  element_ = {executor, visits};
  element_.from_host(element.data());
  auto const* const node = element_.view().data();

  visit_start_ = {executor, nodes + std::int64_t{1}};
  visit_ = {executor, visits};
  auto* const start = visit_start_.view().data();
  auto* const visit = visit_.view().data();
  for_each(executor, visits, detail::VisitCounter<Claimer>{node, start});
  detail::scan(executor, start, visit_start_.size());
  Array<std::int32_t, Executor> filled(executor, nodes);
  for_each(executor, visits, detail::VisitFiller<Claimer>{node, start, filled.view().data(), visit});
  for_each(executor, nodes, detail::VisitSorter{start, visit});

  row_start_ = {executor, nodes + std::int64_t{1}};
  auto* const row = row_start_.view().data();
  for_each(executor, nodes, detail::RowCounter{node, start, visit, row});
  Array<std::int32_t, Executor> long_rows(executor, 1);
  for_each(executor, nodes, detail::LongRowCounter<Claimer>{row, long_rows.view().data()});
  if (auto const rows = detail::last_of(executor, long_rows); rows > 0) detail::refuse_rows(rows);
  detail::scan(executor, row, row_start_.size());
  column_ = {executor, detail::last_of(executor, row_start_)};
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
  detail::scan(executor, begin, rows + 1);
  Array<std::int32_t, Executor> candidates(executor, detail::last_of(executor, candidate_start));
  Array<std::int32_t, Executor> start(executor, rows + 1);
  for_each(executor, rows,
           detail::SecondRowGatherer{first, begin, candidates.view().data(), start.view().data()});
  detail::scan(executor, start.view().data(), rows + 1);
  auto const entries = detail::last_of(executor, start);
  if (entries < 0) detail::refuse_size();
  Array<std::int32_t, Executor> column(executor, entries);
  for_each(executor, rows,
           detail::RowCopier{begin, candidates.view().data(), start.view().data(), column.view().data()});
  synchronize(executor);
  return {first.rows, std::move(start), std::move(column)};
}

}  // namespace ulpine
