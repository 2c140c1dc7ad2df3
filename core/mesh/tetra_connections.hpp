// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/view.hpp"
#include "core/mesh/connectivity.hpp"

namespace ulpine {

/// Owns what a TetraConnectivity views, in the executor's memory; the same bits on every executor.
template <class Executor>
class TetraConnections {
 public:
  /// `element` holds 4 nodes an element, each below `nodes`, in host memory. InputError where a node has more
  /// than 255 neighbours or there are more than 2^30 elements.
  TetraConnections(Executor executor, View<std::int32_t const> element, std::int32_t nodes);

  TetraConnectivity view() const;

 private:
  std::int32_t nodes_ = 0, elements_ = 0;
  // Few arrays, since a device takes its time to allocate one.
  Array<std::int32_t, Executor> element_and_position_, starts_, column_;
  Array<Visit, Executor> visit_;
  Array<std::uint32_t, Executor> slot_;
};

/// A sparse pattern in the executor's memory.
template <class Executor>
class PatternArrays {
 public:
  PatternArrays(std::int32_t rows, Array<std::int32_t, Executor> start, Array<std::int32_t, Executor> column)
      : rows_{rows},
        start_{static_cast<Array<std::int32_t, Executor>&&>(start)},
        column_{static_cast<Array<std::int32_t, Executor>&&>(column)} {}

  CsrPattern view() const { return {rows_, rows_, start_.view().data(), column_.view().data()}; }

 private:
  std::int32_t rows_;
  Array<std::int32_t, Executor> start_, column_;
};

/// The pattern of the neighbours of neighbours (about 70 a row), from that of the neighbours. InputError
/// above 2^31 - 1 entries.
template <class Executor>
PatternArrays<Executor> second_order_pattern(Executor executor, CsrPattern first);

/// The connectivity of `element` (host memory); see TetraConnections.
template <class Executor>
TetraConnections<Executor> build_connectivity(Executor executor, View<std::int32_t const> element,
                                              std::int32_t nodes) {
  return {executor, element, nodes};
}

namespace detail {

[[noreturn]] void refuse_rows(std::int32_t rows);
[[noreturn]] void refuse_size();

}  // namespace detail

extern template class TetraConnections<Host>;
extern template PatternArrays<Host> second_order_pattern(Host, CsrPattern);
#if defined(ULPINE_HAS_CUDA)
extern template class TetraConnections<Cuda>;
extern template PatternArrays<Cuda> second_order_pattern(Cuda, CsrPattern);
#endif

}  // namespace ulpine
