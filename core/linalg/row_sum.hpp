// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/linalg/csr.hpp"

/// Sums over the entries of a pattern's rows. A kernel has a `pattern`, a type `Value` and a number `sums` of
/// sums a row; entry(e) is what the matrix has at an entry (an Entry), part(entry) that with the vectors'
/// values there (a Part), add(part, sum) adds it, put(row, sum) takes what came out. `pattern.lanes` partial
/// sums of a row, of every lanes-th entry each, are added in pairs from the far half on: (0 + 2) + (1 + 3) of
/// four. The same bits for any number of threads, and on host and device, where neighbouring threads have a
/// partial sum each.
namespace ulpine::linalg {

/// The sums of a row by one thread, for patterns of so many lanes.
template <class Kernel, int lanes>
struct WholeRow {
  using Value = typename Kernel::Value;
  Kernel kernel;

  [[gnu::always_inline]] ULPINE_HD void add(std::int32_t e, Value (&sum)[Kernel::sums]) const {
    kernel.add(kernel.part(kernel.entry(e)), sum);
  }
  [[gnu::always_inline]] ULPINE_HD void operator()(std::int64_t row) const {
    auto e = kernel.pattern.start[row];
    auto const end = kernel.pattern.start[row + 1];
    if constexpr (lanes == 4) {
      // Arrays of their own and constant indices, so that the sums stay in registers.
      Value sum0[Kernel::sums], sum1[Kernel::sums], sum2[Kernel::sums], sum3[Kernel::sums];
#pragma GCC unroll 3
      for (int c = 0; c < Kernel::sums; ++c) sum0[c] = sum1[c] = sum2[c] = sum3[c] = Value(0);
      for (; e + 4 <= end; e += 4) {
        add(e, sum0);
        add(e + 1, sum1);
        add(e + 2, sum2);
        add(e + 3, sum3);
      }
      if (e < end) add(e, sum0);
      if (e + 1 < end) add(e + 1, sum1);
      if (e + 2 < end) add(e + 2, sum2);
#pragma GCC unroll 3
      for (int c = 0; c < Kernel::sums; ++c) sum0[c] = (sum0[c] + sum2[c]) + (sum1[c] + sum3[c]);
      kernel.put(row, sum0);
    } else {
      Value sum[lanes][Kernel::sums] = {};
      for (; e + lanes <= end; e += lanes) {
#pragma GCC unroll 4
        for (int lane = 0; lane < lanes; ++lane) add(e + lane, sum[lane]);
      }
      for (int lane = 0; e < end; ++e, ++lane) add(e, sum[lane]);
      for (int half = lanes / 2; half > 0; half /= 2) {
        for (int lane = 0; lane < half; ++lane) {
          for (int c = 0; c < Kernel::sums; ++c) sum[lane][c] += sum[lane + half][c];
        }
      }
      kernel.put(row, sum[0]);
    }
  }
};

/// A kernel whose part of entry e is value[e] x[pattern.column[e]].
template <class Kernel>
concept MatrixTimesVector = requires {
  requires Kernel::is_matrix_times_vector;
};

/// run(lanes) with the pattern's number of lanes as a constant.
template <class Run>
void with_lanes(CsrPattern const& pattern, Run const& run) {
  switch (pattern.lanes) {
    case 4:
      return run(std::integral_constant<int, 4>{});
    case 8:
      return run(std::integral_constant<int, 8>{});
    case 16:
      return run(std::integral_constant<int, 16>{});
    default:
      return run(std::integral_constant<int, 32>{});
  }
}

}  // namespace ulpine::linalg
