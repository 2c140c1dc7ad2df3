// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/host.hpp"
#include "core/linalg/row_sum.hpp"

namespace ulpine {

/// Computes the sums of all rows.
template <class Kernel>
void for_each_row(Host host, std::int64_t rows, Kernel const& kernel) {
  linalg::with_whole_rows(kernel, [&](auto const& body) { for_each(host, rows, body); });
}

}  // namespace ulpine
