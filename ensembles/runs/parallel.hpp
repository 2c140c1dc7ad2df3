// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace ulpine::ensembles {

/// task(i) for every i in [0, count) on up to `threads` host threads, in order of their becoming free. The
/// first exception ends the rest and is thrown on.
void parallel_for(std::size_t count, int threads, std::function<void(std::size_t)> const& task);

}  // namespace ulpine::ensembles
