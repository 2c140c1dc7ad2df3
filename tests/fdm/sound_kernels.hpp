// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"
#include "core/fdm/sound_coefficients.hpp"

/// Launches for tests on a device, compiled by nvcc.
namespace fdm_test {

template <class T>
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::fdm::ArpsCoefficients<T> const& kernel);

}  // namespace fdm_test
