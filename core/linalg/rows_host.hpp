// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/exec/host.hpp"
#include "core/linalg/row_sum.hpp"
#include "precision/arithmetic.hpp"

namespace ulpine {
namespace linalg {

/// WholeRow with the partial sums side by side in vector registers of at most 32 bytes.
template <class Kernel, int lanes>
struct RowInLanes {
  using Value = typename Kernel::Value;
  static constexpr int most = 32 / sizeof(Value), width = lanes < most ? lanes : most;
  using Sums [[gnu::vector_size(width * sizeof(Value))]] = Value;
  Kernel kernel;

  /// Adds `width` entries from e on.
  [[gnu::always_inline]] void add(std::int64_t e, Sums& sums) const {
    auto const* const column = kernel.pattern.column + e;
    Sums factors, from;
    if constexpr (std::is_same_v<decltype(kernel.value), Value const*>) {
      std::memcpy(&factors, kernel.value + e, sizeof factors);
    } else {
#pragma GCC unroll 8
      for (int lane = 0; lane < width; ++lane) factors[lane] = static_cast<Value>(kernel.value[e + lane]);
    }
#pragma GCC unroll 4
    for (int lane = 0; lane < width; lane += 2) {
      // A load for two columns: loads are what a row takes most of.
      std::uint64_t both;
      std::memcpy(&both, column + lane, sizeof both);
      constexpr bool low_first = std::endian::native == std::endian::little;
      auto const low = both & 0xffffffff, high = both >> 32;
      from[lane] = kernel.x[low_first ? low : high];
      from[lane + 1] = kernel.x[low_first ? high : low];
    }
    for (int lane = 0; lane < width; ++lane) sums[lane] = math::fma(factors[lane], from[lane], sums[lane]);
  }
  [[gnu::always_inline]] void add_one(std::int64_t e, Value& sum) const {
    sum = math::fma(static_cast<Value>(kernel.value[e]), kernel.x[kernel.pattern.column[e]], sum);
  }
  [[gnu::always_inline]] void operator()(std::int64_t row) const {
    std::int64_t e = kernel.pattern.start[row];
    std::int64_t const end = kernel.pattern.start[row + 1];
    Sums sums[lanes / width] = {};
    for (; e + lanes <= end; e += lanes) {
#pragma GCC unroll 8
      for (int part = 0; part < lanes / width; ++part) add(e + part * width, sums[part]);
    }
    Value sum[lanes];
#pragma GCC unroll 32
    for (int lane = 0; lane < lanes; ++lane) sum[lane] = sums[lane / width][lane % width];
    if constexpr (lanes <= 8) {
#pragma GCC unroll 8
      for (int lane = 0; lane < lanes - 1; ++lane) {
        if (e + lane < end) add_one(e + lane, sum[lane]);
      }
    } else {
      for (int lane = 0; e < end; ++e, ++lane) add_one(e, sum[lane]);
    }
#pragma GCC unroll 5
    for (int half = lanes / 2; half > 0; half /= 2) {
#pragma GCC unroll 16
      for (int lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
    }
    Value const whole[1] = {sum[0]};
    kernel.put(row, whole);
  }
};

/// What sums a row on the host.
template <class Kernel, int lanes>
using HostRow =
    std::conditional_t<MatrixTimesVector<Kernel> && std::is_floating_point_v<typename Kernel::Value>,
                       RowInLanes<Kernel, lanes>, WholeRow<Kernel, lanes>>;

}  // namespace linalg

/// Computes the sums of all rows.
template <class Kernel>
void for_each_row(Host host, std::int64_t rows, Kernel const& kernel) {
  linalg::with_lanes(kernel.pattern, [&](auto lanes) {
    for_each(host, rows, linalg::HostRow<Kernel, decltype(lanes)::value>{kernel});
  });
}

}  // namespace ulpine
