// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"

namespace ulpine::detail {

/// A copy within a device's memory, or, without source, a clear.
struct MemberCopy {
  void* target;
  void const* source;
  std::int64_t bytes;
};

/// LaunchList::Give of MemberCopy: those of several members in one launch where all are whole words of 4
/// bytes.
void give_copies(Cuda cuda, Extent3 extent, std::span<std::byte const* const> arguments);

}  // namespace ulpine::detail
