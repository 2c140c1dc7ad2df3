// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "core/exec/scan.hpp"
#include "core/exec/value_at.hpp"
#include "core/fem/plan.hpp"
#include "core/fem/plan_kernels.hpp"

namespace ulpine::fem {

template <class Executor>
Plan<Executor>::Plan(Executor executor, TetraConnectivity const& mesh, Way way, std::int32_t rows_a_patch)
    : way_{way}, entries_{value_at(executor, mesh.pattern.start + mesh.nodes)} {
  if (way != Way::patches && way != Way::visits) return;
  if (mesh.elements >= 1 << 27) refuse_contributions();
  list_patches(executor, mesh, rows_a_patch);
  synchronize(executor);
}

template <class Executor>
void Plan<Executor>::list_patches(Executor executor, TetraConnectivity const& mesh, std::int32_t rows) {
  std::int64_t const nodes = mesh.nodes, visits = 4 * static_cast<std::int64_t>(mesh.elements);
  PatchRows const patch{rows, mesh.nodes};
  std::int64_t const count = patch.count();
  bool const with_elements = way_ == Way::patches;
  // What is copied aside four starts at once may be read three numbers beyond the starts' end.
  constexpr std::int64_t a_patch = sizeof(PatchStart) / sizeof(std::int32_t);
  start_ = {executor, a_patch * (count + 1) + entries_ + 1 + std::max<std::int64_t>(nodes, 3)};
  auto* const start = reinterpret_cast<PatchStart*>(start_.view().data());
  auto *const entry_start = start_.view().data() + a_patch * (count + 1), *const diagonal =
                                                                              entry_start + entries_ + 1;
  Array<std::int32_t, Executor> workspace(executor, nodes + 1 + count + scan_room(nodes + 1));
  auto *const row_start = workspace.view().data(), *const length = row_start + nodes + 1,
              *const room = length + count;
  auto const longest = [&](std::int32_t const* row_starts) {
    for_each(executor, count, PatchLength{patch, row_starts, length});
    return value_at(executor, largest_of(executor, length, count, room));
  };
  auto const most_places = place_of_visit(longest(mesh.visit_start));
  if (most_places > 1 << 14) refuse_places(rows, most_places);
  names_ = {executor, (EntryLister::a_visit * visits + 7) / 8};
  auto* const names = names_.view().data();
  for_each(executor, nodes, EntryLister{mesh, patch, entry_start, &names->name[0]});
  for_each(executor, nodes, DiagonalFinder{mesh.pattern, diagonal});
  patches_.rows = rows, patches_.count = patch.count();
  patches_.most_places = most_places, patches_.most_entries = longest(mesh.pattern.start);
  patches_.entry_start = entry_start, patches_.contribution = names, patches_.diagonal = diagonal;
  patches_.start = start;
  for_each(executor, count + 1, RowsStarter{mesh, patch, start});
  if (!with_elements) return;

  // Members of all patches, those of each ascending: the starts, and the list.
  auto const listed = [&](auto const& members, bool of_nodes) {
    using Members = std::remove_cvref_t<decltype(members)>;
    for_each(executor, nodes, NewCounter<Members>{members, patch, row_start});
    scan(executor, row_start, nodes + 1, room);
    auto const all = value_at(executor, row_start + nodes);
    Array<std::int32_t, Executor> by_row(executor, all), list(executor, all);
    for_each(executor, nodes, NewLister<Members>{members, patch, row_start, by_row.view().data()});
    for_each(executor, nodes, PatchMerger{patch, row_start, by_row.view().data(), list.view().data()});
    for_each(executor, count, PatchStarter{patch, row_start, start, of_nodes});
    return list;
  };
  element_ = listed(NodesMet{mesh.pattern}, true);
  patches_.most_nodes = rows + longest(row_start);
  auto const element = listed(ElementsMet{mesh}, false);
  named_ = {executor, element.view().size()};
  Array<PatchElement, Executor> ascending(executor, element.view().size());
  auto* const node = element_.view().data();
  for_each(executor, element.view().size(),
           PatchElementNamer{mesh, patch, start, element.view().data(), node, ascending.view().data()});
  for_each(executor, ElementsByCorners::lists * count,
           ElementsByCorners{start, ascending.view().data(), named_.view().data()});
  synchronize(executor);
  patches_.element = named_.view().data(), patches_.node = node;
}

}  // namespace ulpine::fem
