// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "precision/device_kernels.hpp"

namespace precision_test {

using namespace ulpine;

namespace {

/// CUDA's own function in double: at most 2 ulp from the true value (CUDA C++ Programming Guide).
__device__ double cuda_function(Function function, double x) {
  switch (function) {
    case Function::exp:
      return ::exp(x);
    case Function::exp2:
      return ::exp2(x);
    case Function::log:
      return ::log(x);
    case Function::log2:
      return ::log2(x);
    case Function::sin:
      return ::sin(x);
    case Function::cos:
      return ::cos(x);
    case Function::tan:
      return ::tan(x);
    case Function::sinh:
      return ::sinh(x);
    case Function::cosh:
      return ::cosh(x);
    case Function::tanh:
      return ::tanh(x);
    case Function::cbrt:
      return ::cbrt(x);
    default:  // functions of two arguments
      return math::detail::not_a_number;
  }
}

/// |got - value| in units in the last place of value as a float; 0.5 where that needs a closer look.
__device__ double error_in_float_ulp(float x, float got, double value) {
  bool const both_finite =
      math::abs(got) < math::detail::infinity && math::abs(value) < math::detail::infinity;
  if (got == value || (x != x && got != got)) {
    return 0;
  }
  if (!both_finite || value == 0) {
    bool const overflows =
        got == math::detail::infinity ? value > 0x1p128 : got == -math::detail::infinity && value < -0x1p128;
    return overflows || (got != got && value != value) ? 0 : 0.5;
  }
  int const exponent = static_cast<int>((to_bits(value) >> 52) & 0x7ff) - 1022;
  int const unit = exponent - 24 > -149 ? exponent - 24 : -149;
  return math::abs(static_cast<double>(got) - value) *
         from_bits(static_cast<std::uint64_t>(1023 - unit) << 52);
}

constexpr std::int64_t threads = std::int64_t{1} << 20;

struct UlpScanner {
  Function function;
  View<UlpScan> result;
  View<std::uint32_t> undecided;

  __device__ void operator()(std::int64_t thread) const {
    unsigned long long not_nearest = 0, worst = 0;
    for (std::int64_t i = thread; i < (std::int64_t{1} << 32); i += threads) {
      auto const bits = static_cast<std::uint32_t>(i);
      float const x = from_bits(bits), got = evaluate(function, x, x);
      double const error = error_in_float_ulp(x, got, cuda_function(function, static_cast<double>(x)));
      if (math::abs(error - 0.5) < 0x1p-24) {
        auto const place = atomicAdd(reinterpret_cast<unsigned long long*>(&result[0].undecided), 1ull);
        if (static_cast<std::int64_t>(place) < undecided.size()) {
          undecided[static_cast<std::int64_t>(place)] = bits;
        }
      } else {
        not_nearest += error > 0.5 ? 1 : 0;
        // Bits of a number that is not negative are in its order.
        auto const packed =
            (static_cast<unsigned long long>(to_bits(static_cast<float>(error))) << 32) | bits;
        worst = packed > worst ? packed : worst;
      }
    }
    atomicAdd(reinterpret_cast<unsigned long long*>(&result[0].not_nearest), not_nearest);
    atomicMax(reinterpret_cast<unsigned long long*>(&result[0].worst), worst);
  }
};

}  // namespace

void scan_ulp(Cuda cuda, Function function, View<UlpScan> result, View<std::uint32_t> undecided) {
  for_each(cuda, threads, UlpScanner{function, result, undecided});
}

}  // namespace precision_test
