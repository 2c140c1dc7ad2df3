// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/host_device.hpp"

namespace ulpine {

/// The bits of `x` as an unsigned integer of the same size, and back. Unlike std::bit_cast usable on the
/// device.
ULPINE_HD constexpr std::uint32_t to_bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }
ULPINE_HD constexpr std::uint64_t to_bits(double x) { return __builtin_bit_cast(std::uint64_t, x); }
ULPINE_HD constexpr float from_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
ULPINE_HD constexpr double from_bits(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }

}  // namespace ulpine
