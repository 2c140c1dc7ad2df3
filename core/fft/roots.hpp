// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "precision/quad.hpp"
// Needs the arithmetic of 113 bits declared.
#include "core/fft/butterflies.hpp"

namespace ulpine::fft {

/// exp(-2 pi i k / order), its parts within a unit of the 113th bit; multiples of an eighth turn are as exact
/// and symmetric as they can be.
Complex<float128> root(std::int64_t k, std::int64_t order);

/// The transform of exp(+i pi j^2 / n) for -n < j < n, periodic with `length` (a power of two, at least
/// 2 n - 1), divided by `length`.
std::vector<Complex<float128>> chirp_filter(std::int32_t n, std::int32_t length);

/// exp(-i pi j^2 / n).
Complex<float128> chirp(std::int64_t j, std::int32_t n);

}  // namespace ulpine::fft
