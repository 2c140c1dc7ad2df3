// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine::fem {

/// What a pressure does at a node: an acceleration, and the stabilisation's diffusion. They lie together
/// because the rows of neighbours gather both.
template <class T>
struct alignas(4 * sizeof(T)) Pushed {
  T force[3], stabilised;
};

}  // namespace ulpine::fem
