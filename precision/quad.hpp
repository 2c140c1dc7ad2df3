// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/float128.hpp>

#include "precision/policy.hpp"

namespace ulpine {

/// IEEE binary128, the everyday reference; host only (device code has no such type).
using float128 = boost::multiprecision::float128;

struct Quad {
  using State = float128;
  using Compute = float128;
  using Accumulate = float128;
  using Multiplicand = Exact;
  static constexpr char const* name = "quad";
};

namespace math {

inline float128 fma(float128 const& a, float128 const& b, float128 const& c) { return boost::multiprecision::fma(a, b, c); }
inline float128 sqrt(float128 const& x) { return boost::multiprecision::sqrt(x); }
inline float128 abs(float128 const& x) { return boost::multiprecision::fabs(x); }
inline float128 exp(float128 const& x) { return boost::multiprecision::exp(x); }
inline float128 sin(float128 const& x) { return boost::multiprecision::sin(x); }
inline float128 cos(float128 const& x) { return boost::multiprecision::cos(x); }

}  // namespace math
}  // namespace ulpine
