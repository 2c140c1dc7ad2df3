// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/manifest_keeper.hpp"

#include <algorithm>

namespace ulpine::ensembles {

void ManifestKeeper::keep(Manifest const& manifest, bool last) {
  auto const since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  if (!last && since(written_) < interval_s_) return;
  auto const begin = written_ = Clock::now();  // also where the writing fails
  write_manifest(folder_, manifest);
  interval_s_ = std::max(least_interval_s, interval_writings * since(begin));
  written_ = Clock::now();
}

}  // namespace ulpine::ensembles
