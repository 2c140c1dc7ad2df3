// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "core/exec/emulating_host.hpp"
#include "core/exec/reduce.hpp"
#include "precision/emulated_number.hpp"

/// reduce.hpp for the numbers of the host's own policies.
namespace ulpine {

namespace detail {

/// The sum of term(i) for i in [first, first + count) in the order of a fixed binary tree.
template <class T, class Term>
T pairwise_sum(std::int64_t first, std::int64_t count, Term const& term) {
  constexpr std::int64_t leaf = 32;
  if (count <= leaf) {
    T sum = 0;
    for (auto i = first; i < first + count; ++i) {
      sum += term(i);
    }
    return sum;
  }
  auto const half = count / 2;
  return pairwise_sum<T>(first, half, term) + pairwise_sum<T>(first + half, count - half, term);
}

}  // namespace detail

/// Sum of any number type in the order of a fixed binary tree over the indices: the same for every thread
/// count and layout, though not for another order. For the 113-bit reference, which has no exact sum here.
template <class T>
T pairwise_sum(Values<T> x) {
  return detail::pairwise_sum<T>(0, x.points.count(), [&](std::int64_t i) { return x.data[x.points.at(i)]; });
}
template <class T>
T pairwise_sum(View<T const> x) {
  return pairwise_sum(values_of(x));
}

/// Reductions of a wider type than double, by one thread: sum and dot in the order of pairwise_sum, max and
/// min as Reducer<Host>'s but for the sign of zero.
template <class T>
class WideReducer {
 public:
  explicit WideReducer(Host) {}

  template <Reducible X>
  void sum_to(X const& x, Scalar<T, Host>& result) const {
    result.view()[0] = pairwise_sum(values_of(x));
  }
  template <Reducible X, Reducible Y>
  void dot_to(X const& x, Y const& y, Scalar<T, Host>& result) const {
    Values<T> const a = values_of(x), b = values_of(y);
    result.view()[0] = detail::pairwise_sum<T>(0, a.points.count(), [&](std::int64_t i) -> T {
      return a.data[a.points.at(i)] * b.data[b.points.at(i)];
    });
  }
  template <Reducible X>
  void max_to(X const& x, Scalar<T, Host>& result) const {
    result.view()[0] = extreme(values_of(x), [](T const& a, T const& b) { return a > b; });
  }
  template <Reducible X>
  void min_to(X const& x, Scalar<T, Host>& result) const {
    result.view()[0] = extreme(values_of(x), [](T const& a, T const& b) { return a < b; });
  }

 private:
  template <class Better>
  static T extreme(Values<T> x, Better const& better) {
    auto const infinity = std::numeric_limits<T>::infinity();
    T found = better(T(1), T(0)) ? -infinity : infinity;
    for (std::int64_t i = 0; i < x.points.count(); ++i) {
      T const& value = x.data[x.points.at(i)];
      if (value != value) return value;
      if (better(value, found)) found = value;
    }
    return found;
  }
};

/// Reductions of EmulatedNumber: exact, then rounded once as the executor's settings say.
template <>
class Reducer<EmulatingHost> {
 public:
  explicit Reducer(EmulatingHost host) : host_{host}, exact_{host} {}

  template <Reducible X>
  void sum_to(X const& x, Scalar<EmulatedNumber, EmulatingHost>& result) const {
    round(exact_.sum(as_double(values_of(x))).to_odd_double(), result);
  }
  template <Reducible X, Reducible Y>
  void dot_to(X const& x, Y const& y, Scalar<EmulatedNumber, EmulatingHost>& result) const {
    round(exact_.dot(as_double(values_of(x)), as_double(values_of(y))).to_odd_double(), result);
  }
  template <Reducible X>
  void max_to(X const& x, Scalar<EmulatedNumber, EmulatingHost>& result) const {
    round(exact_.max(as_double(values_of(x))), result);
  }
  template <Reducible X>
  void min_to(X const& x, Scalar<EmulatedNumber, EmulatingHost>& result) const {
    round(exact_.min(as_double(values_of(x))), result);
  }

 private:
  /// An emulated number is stored as the double that it is.
  static Values<double> as_double(Values<EmulatedNumber> values) {
    static_assert(sizeof(EmulatedNumber) == sizeof(double));
    return {reinterpret_cast<double const*>(values.data), values.points};
  }
  void round(double x, Scalar<EmulatedNumber, EmulatingHost>& result) const {
    detail::emulate(host_, 0, [&] { result.view()[0] = x; });
    ++host_.settings->place;
  }

  EmulatingHost host_;
  Reducer<Host> exact_;
};

}  // namespace ulpine
