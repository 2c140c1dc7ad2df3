// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/exec/counting_host.hpp"
#include "core/fft/plane_transform.hpp"

namespace ulpine {

/// The portable transform with numbers that count, T CountedState or CountedCompute and Format Exact; a
/// transform is one kernel.
/// InputError for a size below 1.
template <class T, class Format>
std::unique_ptr<PlaneTransform<T>> make_portable_transform(CountingHost host, std::int32_t planes,
                                                           std::int32_t ny, std::int32_t nx,
                                                           PlaneLines lines = PlaneLines::all);

}  // namespace ulpine
