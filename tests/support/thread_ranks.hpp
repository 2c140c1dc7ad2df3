// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/ranks/ranks.hpp"

namespace ulpine {

/// Ranks that are threads of this process: the same promises without MPI.
std::vector<std::shared_ptr<Ranks>> thread_ranks(int count);

/// body(ranks) on `count` threads, rank 0's the calling one. What a body throws makes the others fail; the
/// first rank's own error is thrown once all are done.
void on_thread_ranks(int count, std::function<void(std::shared_ptr<Ranks> const&)> const& body);

}  // namespace ulpine
