// SPDX-License-Identifier: Apache-2.0
#include "core/exec/pace.hpp"

namespace ulpine {

#if defined(ULPINE_HAS_CUDA)

Pace::Pace(Cuda cuda, int marks) : cuda_{cuda} {
  for (int n = 0; n < marks; ++n) events_.emplace_back(cuda);
}

void Pace::mark() {
  auto& event = events_[next_];
  event.wait();
  event.record(cuda_);
  next_ = (next_ + 1) % events_.size();
}

#else

Pace::Pace(Cuda cuda, int) : cuda_{cuda} {}
void Pace::mark() {}

#endif

}  // namespace ulpine
