// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine {

/// Part of its height or amplitude that a mountain or disturbance must have at points of a grid, or nodes of
/// a mesh, to count as being on it. More is asked of one whose centre lies outside, whose foot alone reaches
/// it.
inline double least_felt(bool centre_inside) { return centre_inside ? 0.1 : 0.5; }

}  // namespace ulpine
