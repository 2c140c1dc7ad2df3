// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/exec/counting_host.hpp"
#include "core/exec/reduce.hpp"
#include "precision/counted_number.hpp"

/// reduce.hpp and scalar.hpp for numbers that count.
namespace ulpine {

template <class T>
class HostCopy<T, CountingHost> : public HostCopy<T, Host> {
 public:
  using HostCopy<T, Host>::HostCopy;
};

/// Reductions of CountedNumber: those of its values. An exact sum counts the values or products that it takes
/// in, as its own operations are on integers or depend on the device; an extreme counts comparisons.
template <>
class Reducer<CountingHost> {
 public:
  explicit Reducer(CountingHost host) : plain_{host} {}

  template <Reducible X, Result R>
  void sum_to(X const& x, R& result) const {
    put(plain_.sum(values(x, Kind::sum)), result);
  }
  template <Reducible X, Reducible Y, Result R>
  void dot_to(X const& x, Y const& y, R& result) const {
    put(plain_.dot(values(x, Kind::dot), plain(values_of(y))), result);
  }
  template <class T, class R>
  void dots_to(std::span<InnerProduct<T, R> const> products) const {
    for (auto const& product : products) dot_to(product.x, product.y, product);
  }
  template <Reducible X, Result R>
  void max_to(X const& x, R& result) const {
    put(plain_.max(values(x, Kind::compare)), result);
  }
  template <Reducible X, Result R>
  void min_to(X const& x, R& result) const {
    put(plain_.min(values(x, Kind::compare)), result);
  }

  template <Reducible X>
  void share_sum(X const& x, std::uint64_t* words) const {
    plain_.share_sum(values(x, Kind::sum), words);
  }
  template <Reducible X, Reducible Y>
  void share_dot(X const& x, Y const& y, std::uint64_t* words) const {
    plain_.share_dot(values(x, Kind::dot), plain(values_of(y)), words);
  }
  template <Result R>
  void take_shared_sum(std::uint64_t const* words, R& result) const {
    put(Reducer<Host>::shared_sum(words), result);
  }
  template <Reducible X>
  void share_extreme(X const& x, bool largest, std::int64_t* key) const {
    plain_.share_extreme(values(x, Kind::compare), largest, key);
  }
  template <Result R>
  void take_shared_extreme(std::int64_t const* key, bool largest, R& result) const {
    put(detail::of_shared_key<typename ValueOf<R>::Carrier>(*key, largest), result);
  }

 private:
  template <Role role>
  using Carrier = typename CountedNumber<role>::Carrier;

  /// A number that counts is stored as the value that it is.
  template <Role role>
  static Values<Carrier<role>> plain(Values<CountedNumber<role>> values) {
    static_assert(sizeof(CountedNumber<role>) == sizeof(Carrier<role>));
    return {reinterpret_cast<Carrier<role> const*>(values.data), values.points};
  }
  /// The values of x, each of which takes an operation.
  template <Reducible X>
  static auto values(X const& x, Kind kind) {
    auto const all = values_of(x);
    count(all, kind);
    return plain(all);
  }
  template <Role role>
  static void count(Values<CountedNumber<role>> values, Kind kind) {
    CountedNumber<role>::count(kind, values.points.count());
  }
  template <Result R>
  static void put(ExactSum const& sum, R& result) {
    if constexpr (sizeof(typename ValueOf<R>::Carrier) == sizeof(float)) {
      put(sum.to_float(), result);
    } else {
      put(sum.to_double(), result);
    }
  }
  template <Result R>
  static void put(typename ValueOf<R>::Carrier x, R& result) {
    result.view()[0] = ValueOf<R>::of(x);
  }

  Reducer<Host> plain_;
};

}  // namespace ulpine
