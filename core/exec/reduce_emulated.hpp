// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

#include "core/exec/emulating_host.hpp"
#include "core/exec/reduce.hpp"
#include "precision/emulated_number.hpp"

/// reduce.hpp and scalar.hpp for emulated formats.
namespace ulpine {

template <class T>
class HostCopy<T, EmulatingHost> : public HostCopy<T, Host> {
 public:
  using HostCopy<T, Host>::HostCopy;
};

/// Reductions of EmulatedNumber: exact, then rounded once as the format in force says.
template <>
class Reducer<EmulatingHost> {
 public:
  explicit Reducer(EmulatingHost host) : host_{host}, exact_{host} {}

  template <Reducible X, Result R>
  void sum_to(X const& x, R& result) const {
    round(exact_.sum(as_double(values_of(x))), result);
  }
  template <Reducible X, Reducible Y, Result R>
  void dot_to(X const& x, Y const& y, R& result) const {
    round(exact_.dot(as_double(values_of(x)), as_double(values_of(y))), result);
  }
  template <class T, class R>
  void dots_to(std::span<InnerProduct<T, R> const> products) const {
    for (auto const& product : products) dot_to(product.x, product.y, product);
  }
  template <Reducible X, Result R>
  void max_to(X const& x, R& result) const {
    round(exact_.max(as_double(values_of(x))), result);
  }
  template <Reducible X, Result R>
  void min_to(X const& x, R& result) const {
    round(exact_.min(as_double(values_of(x))), result);
  }

  template <Reducible X>
  void share_sum(X const& x, std::uint64_t* words) const {
    exact_.share_sum(as_double(values_of(x)), words);
  }
  template <Reducible X, Reducible Y>
  void share_dot(X const& x, Y const& y, std::uint64_t* words) const {
    exact_.share_dot(as_double(values_of(x)), as_double(values_of(y)), words);
  }
  template <Result R>
  void take_shared_sum(std::uint64_t const* words, R& result) const {
    round(Reducer<Host>::shared_sum(words), result);
  }
  template <Reducible X>
  void share_extreme(X const& x, bool largest, std::int64_t* key) const {
    exact_.share_extreme(as_double(values_of(x)), largest, key);
  }
  template <Result R>
  void take_shared_extreme(std::int64_t const* key, bool largest, R& result) const {
    round(detail::of_shared_key<double>(*key, largest), result);
  }

 private:
  /// An emulated number is stored as the double that it is.
  static Values<double> as_double(Values<EmulatedNumber> values) {
    static_assert(sizeof(EmulatedNumber) == sizeof(double));
    return {reinterpret_cast<double const*>(values.data), values.points};
  }
  template <Result R>
  void round(ExactSum sum, R& result) const {
    auto const high = sum.to_double();
    if (std::isfinite(high)) sum.add(-high);
    auto const low = std::isfinite(high) ? sum.to_odd_double() : 0;  // no tie that is none
    for_each(host_, 1,
             [&](std::int64_t i) { result.view()[i] = EmulatedNumber::of(emulation.pair(high, low)); });
  }
  template <Result R>
  void round(double x, R& result) const {
    for_each(host_, 1, [&](std::int64_t i) { result.view()[i] = x; });
  }

  EmulatingHost host_;
  Reducer<Host> exact_;
};

}  // namespace ulpine
