// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/ranks/link.hpp"
#include "core/stage/runner.hpp"

namespace ulpine {

/// StageRunner::call for work that uses `link`: the executor's where messages go in its order, else the
/// host's, which waits for it.
template <class Executor, class Work>
void call_with_messages(StageRunner& stages, Stage stage, Executor executor, Link<Executor> const& link,
                        Work const& work, std::vector<Field const*> const& writes) {
  if (link.in_stream_order()) {
    stages.call(stage, executor, work, writes);
  } else {
    stages.call(stage, Host{}, work, writes);
  }
}

}  // namespace ulpine
