// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/view.hpp"
#include "precision/double_float.hpp"

namespace precision_test {

/// What a DoubleFloat can do beside the elementary functions.
enum class Operation {
  sum,
  difference,
  product,
  quotient,
  fused,
  root,
  magnitude,
  negative,
  larger,
  smaller,
  compared,
  truncated,
  of_int32,
  of_int64,
  of_uint64,
  through_double,
  to_float
};
inline constexpr int operation_count = 17;

ULPINE_HD inline ulpine::DoubleFloat evaluate(Operation operation, ulpine::DoubleFloat a,
                                              ulpine::DoubleFloat b, ulpine::DoubleFloat c) {
  namespace math = ulpine::math;
  using ulpine::DoubleFloat;
  auto const bits = static_cast<std::uint64_t>(ulpine::to_bits(a.hi())) << 32 | ulpine::to_bits(b.hi());
  switch (operation) {
    case Operation::sum:
      return a + b;
    case Operation::difference:
      return a - b;
    case Operation::product:
      return a * b;
    case Operation::quotient:
      return a / b;
    case Operation::fused:
      return math::fma(a, b, c);
    case Operation::root:
      return math::sqrt(a);
    case Operation::magnitude:
      return math::abs(a);
    case Operation::negative:
      return -a;
    case Operation::larger:
      return math::max(a, b);
    case Operation::smaller:
      return math::min(a, b);
    case Operation::compared:
      return (a == b ? 1 : 0) + (a != b ? 2 : 0) + (a < b ? 4 : 0) + (a <= b ? 8 : 0) + (a > b ? 16 : 0) +
             (a >= b ? 32 : 0);
    case Operation::truncated:
      return math::abs(a) < DoubleFloat(0x1p61f) ? DoubleFloat(static_cast<std::int64_t>(a)) : a;
    case Operation::of_int32:
      return static_cast<std::int32_t>(bits);
    case Operation::of_int64:
      return static_cast<std::int64_t>(bits);
    case Operation::of_uint64:
      return bits;
    case Operation::through_double:
      return DoubleFloat(static_cast<double>(a));
    case Operation::to_float:
      return static_cast<float>(a);
  }
  return a;
}

/// result[i] = operation(a[i], b[i], c[i]).
struct OperationKernel {
  Operation operation;
  ulpine::View<ulpine::DoubleFloat const> a, b, c;
  ulpine::View<ulpine::DoubleFloat> result;
  ULPINE_HD void operator()(std::int64_t i) const { result[i] = evaluate(operation, a[i], b[i], c[i]); }
};

}  // namespace precision_test
