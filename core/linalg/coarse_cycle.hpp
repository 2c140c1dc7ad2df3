// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "core/linalg/kernels.hpp"
#include "core/linalg/multigrid_kernels.hpp"

/// The coarsest levels of a multigrid cycle in one launch of a device: they have so few rows that launches
/// would take longer than the work.
namespace ulpine::linalg {

/// A step of a cycle: a kernel and what it is called for.
template <class T>
struct CycleStep {
  enum class Kind : std::int32_t { start, dense, sweep, product, started_product };
  Kind kind;
  std::int64_t count;  ///< of indices, or of rows
  alignas(16) std::byte kernel[160];

  template <class Kernel>
  static CycleStep of(std::int64_t count, Kernel const& kernel) {
    static_assert(std::is_trivially_copyable_v<Kernel> && sizeof(Kernel) <= sizeof(CycleStep::kernel));
    CycleStep step{kind_of(&kernel), count, {}};
    std::memcpy(step.kernel, &kernel, sizeof(Kernel));
    return step;
  }

 private:
  static Kind kind_of(ChebyshevStart<T> const*) { return Kind::start; }
  static Kind kind_of(DenseProduct<T> const*) { return Kind::dense; }
  static Kind kind_of(ChebyshevSweep<T> const*) { return Kind::sweep; }
  static Kind kind_of(Product<T, T, Blocks::scalar> const*) { return Kind::product; }
  static Kind kind_of(StartedProduct<T> const*) { return Kind::started_product; }
};

/// Takes the steps of a cycle down instead of launching them.
template <class T>
class CycleRecord {
 public:
  template <class Kernel>
  void each(std::int64_t count, Kernel const& kernel) const {
    steps_.push_back(CycleStep<T>::of(count, kernel));
  }
  template <class Kernel>
  void rows(std::int64_t count, Kernel const& kernel) const {
    steps_.push_back(CycleStep<T>::of(count, kernel));
  }
  template <class CoarseLevels>
  bool gives_over(int, CoarseLevels const&) const {
    return false;
  }
  std::vector<CycleStep<T>> const& steps() const { return steps_; }

 private:
  mutable std::vector<CycleStep<T>> steps_;  ///< runs of a cycle are constant: executors have no state
};

/// Goes through the steps in one launch: of a cluster of blocks, which wait for one another after each, or,
/// on devices without clusters (before compute capability 9.0), of one block.
template <class T>
class CoarseCycle {
 public:
  /// A matrix of more entries than that is better left to launches of its own.
  static std::int64_t most_entries(Cuda cuda);

  /// `first`: the level that the steps begin with.
  CoarseCycle(Cuda cuda, int first, std::vector<CycleStep<T>> const& steps);
  int first() const { return first_; }
  /// In stream order.
  void launch() const;

 private:
  Cuda cuda_;
  int first_;
  Array<CycleStep<T>, Cuda> steps_;
  unsigned blocks_ = 1;  ///< of the cluster
};

}  // namespace ulpine::linalg
