// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/atomic_counter.hpp"
#include "core/exec/scan.hpp"
#include "core/exec/value_at.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "core/mesh/tetra_search.hpp"

namespace ulpine {

template <class Executor>
TetraSearch<Executor>::TetraSearch(Executor executor, View<double const> position,
                                   View<std::int32_t const> element)
    : executor_{executor},
      bins_{detail::bins_for(position, element)},
      position_(executor, position.size()),
      element_(executor, element.size()),
      start_(executor, bins_.size() + 1) {
  position_.from_host(position.data());
  element_.from_host(element.data());
  auto const bins = bins_.size(), elements = element.size() / 4;
  Array<std::int32_t, Executor> filled(executor, bins), room(executor, scan_room(bins + 1));
  using Filler = detail::BinFiller<double, AtomicCounter<Executor>>;
  auto* const start = start_.view().data();
  auto const* const at = position_.view().data();
  auto const* const node = element_.view().data();
  for_each(executor, elements, Filler{bins_, at, node, nullptr, start, nullptr});
  scan(executor, start, bins + 1, room.view().data());
  auto const listed = value_at(executor, start + bins);
  if (listed < 0) detail::refuse_size();
  list_ = {executor, listed};
  for_each(executor, elements, Filler{bins_, at, node, start, filled.view().data(), list_.view().data()});
  synchronize(executor);
}

template <class Executor>
Located<Executor> TetraSearch<Executor>::locate(View<double const> point) const {
  auto const points = point.size() / 3;
  Array<double, Executor> place(executor_, point.size());
  place.from_host(point.data());
  Located<Executor> located{
      {executor_, points}, {executor_, 4 * points}, {executor_, 4 * points}, {executor_, points}};
  for_each(executor_, points,
           detail::PointFinder<double>{bins_,
                                       0x1p-53,
                                       position_.view().data(),
                                       element_.view().data(),
                                       start_.view().data(),
                                       list_.view().data(),
                                       place.view().data(),
                                       {located.element.view().data(), located.node.view().data(),
                                        located.weight.view().data(), located.distance.view().data()}});
  synchronize(executor_);
  return located;
}

}  // namespace ulpine
