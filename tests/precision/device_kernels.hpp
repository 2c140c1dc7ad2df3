// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "precision/kernels.hpp"

namespace precision_test {

void run(ulpine::Cuda cuda, Evaluation<float> evaluation);
void run(ulpine::Cuda cuda, Evaluation<double> evaluation);

/// The device's own conversions of a float to a narrower format.
enum class Conversion { tf32_rna, bf16_rn, fp16_rn, e4m3, e4m3_saturating, e5m2, e5m2_saturating };

/// Over all 2^32 floats: how often the host-and-device rounding differs from the device's conversion, and the
/// bits of one float where it does. Any NaN equals any NaN. A NaN of which the device's conversion makes a
/// number or infinity, and ours a NaN, counts apart.
struct ConversionMismatches {
  std::uint64_t count;
  std::uint64_t example;
  std::uint64_t nan_lost_by_device;
  std::uint64_t lost_example, lost_result;  ///< bits of one such NaN and of what the device makes of it
};
void compare_conversion(ulpine::Cuda cuda, Conversion conversion, ulpine::View<ConversionMismatches> result);

/// The error of a float function over all 2^32 arguments, in ulp of CUDA's double function.
struct UlpScan {
  std::uint64_t not_nearest;  ///< results with an error of surely more than half an ulp
  std::uint64_t
      worst;  ///< the largest error that is not undecided: as a float, and the argument's bits below
  std::uint64_t undecided;  ///< results so close to half an ulp that a double cannot tell (or special)
};
/// `undecided` takes the bits of the arguments that are to be decided elsewhere, as many as fit.
void scan_ulp(ulpine::Cuda cuda, Function function, ulpine::View<UlpScan> result,
              ulpine::View<std::uint32_t> undecided);

/// d = c + a[0] b[0] + ... for `tiles` independent tiles, `steps` chained mma.sync.m16n8k8 each, one warp a
/// tile. a: (tiles, steps, 16, 8), b: (tiles, steps, 8, 8), c and d: (tiles, 16, 8).
void run_tf32_mma(ulpine::Cuda cuda, std::int64_t tiles, int steps, ulpine::View<float const> a,
                  ulpine::View<float const> b, ulpine::View<float const> c, ulpine::View<float> d);

}  // namespace precision_test
