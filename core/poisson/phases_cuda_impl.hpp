// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "core/poisson/phases_impl.hpp"

/// Definitions of the phases on a device.
namespace ulpine {

template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(Cuda cuda, PoissonGrid const& grid,
                                                      PoissonMethod method) {
  return make_plane_phases<T, Format>(cuda, grid, method);
}
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(Cuda cuda, PoissonGrid const& grid,
                                                      PoissonMethod method, PoissonShare const& share,
                                                      std::shared_ptr<Link<Cuda>> link) {
  return make_shared_phases<T, Format>(cuda, grid, method, share, std::move(link));
}

}  // namespace ulpine
