// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "precision/exact_sum.hpp"

/// Kernels that end with exact inner products of what they have computed, in one launch of a device
/// (products.cuh): partial sums are made where the values are, and the last block to end rounds the sums and
/// goes on with them.
namespace ulpine {

/// How many inner products a launch ends with at most, and of how many values.
inline constexpr int most_products_at_once = 4;
inline constexpr std::int64_t most_product_terms = detail::most_deposits / 2;

/// A body that does nothing, or an end that does.
struct NoWork {
  ULPINE_HD void operator()(std::int64_t) const {}
};

namespace detail {
/// Copies of an accumulator that blocks share.
inline constexpr int product_copies = 4;
}  // namespace detail

/// Words in a device's memory that for_each_with_products needs: 0 before and after.
class ProductScratch {
 public:
  explicit ProductScratch(Cuda cuda);
  /// No words: for executors that need none.
  explicit ProductScratch(Host) {}

  std::int64_t* words() { return words_.view().data(); }
  /// Blocks of `block` threads for so many indices of each of `apart` products: two indices a thread or more,
  /// and few blocks where the adding up of blocks takes longer than the loads.
  unsigned blocks(std::int64_t size, int block, int apart) const {
    constexpr std::int64_t many = std::int64_t{1} << 20;
    auto const wanted = (size + 2 * block - 1) / (2 * block);
    std::int64_t const of_each = size >= many ? 4 : apart == 1 ? 2 : 1;
    return static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, of_each * multiprocessors_));
  }

 private:
  Array<std::int64_t, Cuda> words_;
  int multiprocessors_ = 1;
};

}  // namespace ulpine
