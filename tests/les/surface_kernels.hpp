// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"
#include "core/exec/view.hpp"
#include "core/les/random_start.hpp"
#include "core/les/surface_layer.hpp"

/// Launches for tests on a device, compiled by nvcc.
namespace les_test {

/// result[3 n ...]: z / L from the difference, z / L from it as a flux, and what follows, of point n.
template <class T>
struct SurfaceDiagnosis {
  ulpine::les::RoughSurface<T> surface;
  ulpine::View<T const> difference, speed;
  ulpine::View<T> result;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const buoyancy = T(1) / T(30);
    auto const u =
        ulpine::les::surface_speed(speed[n], T(0), T(1) / T(100), buoyancy, surface.z, -difference[n]);
    auto const zeta = zeta_from_temperature(surface, buoyancy, difference[n], u);
    auto const of_flux = zeta_from_flux(surface, buoyancy, difference[n], u);
    auto const scales = scales_from_temperature(surface, zeta, difference[n], u);
    result[3 * n] = zeta;
    result[3 * n + 1] = of_flux;
    result[3 * n + 2] = scales.temperature_scale + scales.stress_coefficient;
  }
};

void launch(ulpine::Cuda cuda, std::int64_t count, SurfaceDiagnosis<double> const& kernel);
void launch(ulpine::Cuda cuda, std::int64_t count, SurfaceDiagnosis<float> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::les::Noise<double> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::les::Noise<float> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::les::Smoothing<double> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::les::Smoothing<float> const& kernel);

}  // namespace les_test
