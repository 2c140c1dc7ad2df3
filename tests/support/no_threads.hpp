// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstddef>

namespace ulpine::test {

/// From now on this process (a child, then) can start no thread: there is no address space for two stacks of
/// 2^46 bytes. Limits would not do: that of processes does not bind root.
inline void forbid_threads() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{1} << 46);
  pthread_setattr_default_np(&attributes);
}

}  // namespace ulpine::test
