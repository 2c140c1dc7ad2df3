// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/float128.hpp>

#include "precision/elementary.hpp"

namespace ulpine {

/// IEEE binary128, the everyday reference; host only (device code has no such type).
using float128 = boost::multiprecision::float128;

namespace math {

/// Rounds twice, unlike the others: libquadmath's fmaq works bit by bit and takes a hundred times as long,
/// and a reference of 113 bits can spare the last one.
inline float128 fma(float128 const& a, float128 const& b, float128 const& c) { return a * b + c; }
inline float128 sqrt(float128 const& x) { return boost::multiprecision::sqrt(x); }
inline float128 abs(float128 const& x) { return boost::multiprecision::fabs(x); }
inline float128 exp(float128 const& x) { return boost::multiprecision::exp(x); }
inline float128 log(float128 const& x) { return boost::multiprecision::log(x); }
inline float128 sin(float128 const& x) { return boost::multiprecision::sin(x); }
inline float128 cos(float128 const& x) { return boost::multiprecision::cos(x); }
inline float128 tan(float128 const& x) { return boost::multiprecision::tan(x); }
inline float128 sinh(float128 const& x) { return boost::multiprecision::sinh(x); }
inline float128 cosh(float128 const& x) { return boost::multiprecision::cosh(x); }
inline float128 tanh(float128 const& x) { return boost::multiprecision::tanh(x); }
inline float128 pow(float128 const& x, float128 const& y) { return boost::multiprecision::pow(x, y); }
inline float128 atan2(float128 const& y, float128 const& x) { return boost::multiprecision::atan2(y, x); }

/// Boost has no native forms of these four.
namespace detail {
inline float128 wrap(boost::multiprecision::backends::float128_backend const& value) {
  return float128(value);
}
}  // namespace detail

inline float128 exp2(float128 const& x) { return detail::wrap(::exp2q(x.backend().value())); }
inline float128 log2(float128 const& x) { return detail::wrap(::log2q(x.backend().value())); }
inline float128 cbrt(float128 const& x) { return detail::wrap(::cbrtq(x.backend().value())); }
inline float128 hypot(float128 const& x, float128 const& y) {
  return detail::wrap(::hypotq(x.backend().value(), y.backend().value()));
}

}  // namespace math
}  // namespace ulpine
