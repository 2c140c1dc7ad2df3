// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/memory.hpp"
#include "core/fem/row_sums.hpp"
#include "core/mesh/connectivity.hpp"

/// The ways of assembly.
namespace ulpine::fem {

/// atomic and atomic_search add in order of arrival; all others give the same bits on every run, for any
/// thread count and block size, on host and device. rows, elements, patches and visits give the same bits as
/// each other; colours sums each entry in the order of the colours.
enum class Way {
  atomic,         ///< one kernel, places stored with the mesh
  atomic_search,  ///< element matrices to memory, then added at places found by bisection
  rows,           ///< one thread a row
  elements,       ///< host only: element by element, each thread its own rows
  patches,        ///< a block owns consecutive rows
  colours,        ///< one launch a colour
  visits          ///< element matrices to memory, then a block sums consecutive rows
};

inline constexpr Way every_way[] = {Way::atomic,  Way::atomic_search, Way::rows,  Way::elements,
                                    Way::patches, Way::colours,       Way::visits};

/// "atomic", "atomic_search", ...
char const* name_of(Way way);
/// Whether sums depend on the order of arrival.
constexpr bool in_order_of_arrival(Way way) { return way == Way::atomic || way == Way::atomic_search; }
/// Whether the way stores element matrices.
constexpr bool stores_elements(Way way) { return way == Way::atomic_search || way == Way::visits; }

/// Throw the InputErrors of Plan's constructor.
[[noreturn]] void refuse_contributions();
[[noreturn]] void refuse_places(std::int32_t rows, std::int32_t places);
[[noreturn]] void refuse_colours(std::int32_t elements);

/// Throw std::logic_error.
[[noreturn]] void refuse_elements_on_device();
[[noreturn]] void refuse_way_of_rounded();

/// Tables that a way of assembly needs, in the executor's memory.
template <class Executor>
class Plan {
 public:
  /// Built by the executor from its own memory; the same lists on each, for any number of threads. InputError
  /// where a node has so many elements that 255 colours do not do, where a patch has more visits than its
  /// 16-bit places can name, and for patches and visits of 2^27 elements or more.
  Plan(Executor executor, TetraConnectivity const& mesh, Way way, std::int32_t rows_a_patch = 64);

  Way way() const { return way_; }
  /// Number of entries of the matrix; a view of a pattern on a device cannot say it.
  std::int64_t entries() const { return entries_; }
  /// Of Way::patches and Way::visits.
  Patches const& patches() const { return patches_; }
  int colours() const { return colours_; }
  /// Where a colour's elements, ascending, begin in coloured(), 0 <= colour <= colours(). An element's colour
  /// is the first that is free at its nodes when one by one is coloured, in an order without order.
  std::int32_t colour_start(int colour) const { return colour_start_.view()[colour]; }
  std::int32_t const* coloured() const { return element_.view().data(); }
  /// Size of the tables in the executor's memory.
  std::int64_t bytes() const { return start_.bytes() + element_.bytes() + names_.bytes() + named_.bytes(); }

 private:
  void list_patches(Executor executor, TetraConnectivity const& mesh, std::int32_t rows);
  void colour_elements(Executor executor, TetraConnectivity const& mesh);

  Way way_;
  std::int64_t entries_;
  int colours_ = 0;
  Array<std::int32_t, Host> colour_start_;
  // Few arrays, since a device takes its time to allocate one. Of patches: their starts, starts of entries
  // and the diagonal; nodes; contributions; elements.
  Array<std::int32_t, Executor> start_, element_;
  Array<EightNames, Executor> names_;
  Array<PatchElement, Executor> named_;
  Patches patches_;
};

extern template class Plan<Host>;
#if defined(ULPINE_HAS_CUDA)
extern template class Plan<Cuda>;
#endif

}  // namespace ulpine::fem
