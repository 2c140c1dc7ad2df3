// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/counting_host.hpp"
#include "core/linalg/row_sum.hpp"

namespace ulpine {

/// Every row's sums, each row a point of the launch.
template <class Kernel>
void for_each_row(CountingHost host, std::int64_t rows, Kernel const& kernel) {
  linalg::with_lanes(kernel.pattern, [&](auto lanes) {
    for_each(host, rows, linalg::WholeRow<Kernel, decltype(lanes)::value>{kernel});
  });
}

}  // namespace ulpine
