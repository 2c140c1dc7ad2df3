// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/host.hpp"
#include "core/linalg/kernels.hpp"

namespace ulpine {

/// body(row) for every row.
template <class Body>
void for_each_row(Host host, std::int64_t rows, Body const& body) {
  for_each(host, rows, body);
}

}  // namespace ulpine
