// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/memory.hpp"
#include "core/fem/row_sums.hpp"
#include "core/mesh/connectivity.hpp"

/// The ways of assembly.
namespace ulpine::fem {

/// atomic adds in order of arrival; all others give the same bits as each other on every run, for any thread
/// count and block size, on host and device.
enum class Way {
  atomic,    ///< one kernel, places stored with the mesh
  rows,      ///< one thread a row
  elements,  ///< host only: element by element, each thread its own rows
  patches,   ///< a block owns consecutive rows
  visits     ///< element matrices to memory, then a block sums consecutive rows
};

inline constexpr Way every_way[] = {Way::atomic, Way::rows, Way::elements, Way::patches, Way::visits};

/// "atomic", "rows", ...
char const* name_of(Way way);

/// Throw the InputErrors of Plan's constructor.
[[noreturn]] void refuse_contributions();
[[noreturn]] void refuse_places(std::int32_t rows, std::int32_t places);

/// Throw std::logic_error.
[[noreturn]] void refuse_elements_on_device();
[[noreturn]] void refuse_way_of_rounded();

/// Tables that a way of assembly needs, in the executor's memory.
template <class Executor>
class Plan {
 public:
  /// Built by the executor from its own memory; the same lists on each, for any number of threads. InputError
  /// where a patch has more visits than its 16-bit places can name, and for patches and visits of 2^27
  /// elements or more.
  Plan(Executor executor, TetraConnectivity const& mesh, Way way, std::int32_t rows_a_patch = 64);

  Way way() const { return way_; }
  /// Number of entries of the matrix; a view of a pattern on a device cannot say it.
  std::int64_t entries() const { return entries_; }
  /// Of Way::patches and Way::visits.
  Patches const& patches() const { return patches_; }
  /// Size of the tables in the executor's memory.
  std::int64_t bytes() const { return start_.bytes() + element_.bytes() + names_.bytes() + named_.bytes(); }

 private:
  void list_patches(Executor executor, TetraConnectivity const& mesh, std::int32_t rows);

  Way way_;
  std::int64_t entries_;
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
