// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/pairwise.hpp"
#include "core/exec/reduce_arithmetic.hpp"
#include "core/exec/scalar.hpp"
#include "core/exec/stream.hpp"
#include "core/exec/values.hpp"
#include "core/exec/view.hpp"
#include "precision/exact_sum.hpp"

/// Reductions that give the same bits for any order, thread count, block size, layout, decomposition and
/// backend, because sums are exact and rounded once.
namespace ulpine {

namespace detail {

/// How values are added up on a device: by expansions, or by windowed sums, which need fewer operations where
/// a device adds doubles at least half as fast as floats (compute capability x.0). The bits are the same. The
/// numbers are 16-byte loads of a thread at a time.
enum class SumMethod { expansions, windows_2, windows_4 };

/// How reductions are launched on a device.
struct ReductionPlan {
  int multiprocessors = 1;
  SumMethod method = SumMethod::expansions;
};
ReductionPlan reduction_plan(int ordinal);

}  // namespace detail

/// Types that a Reducer takes: a view, Values, or one with a values_of (a field, by core/field/values.hpp).
template <class X>
concept Reducible = requires(X const& x) {
  values_of(x);
};

/// Where a reduction leaves its result: a Scalar, or a field of one value, which stages report and traces
/// hold.
template <class R>
concept Result = requires(R& result) {
  result.view()[0];
};
template <Result R>
using ValueOf = std::remove_reference_t<decltype(std::declval<R&>().view()[0])>;

/// An inner product of vectors in the executor's memory, and where it goes.
template <class T, class R>
struct InnerProduct {
  View<T const> x, y;
  R* result;
  View<R> view() const { return {result, 1}; }  ///< as a reduction's result
};

/// Reductions over float, double or DoubleFloat values in the executor's memory; keeps the scratch that they
/// need.
///   sum          the exact sum
///   dot          the exact sum of x[i] y[i], for as many y as x; of doubles, each product's rounding error
///   is itself rounded to a multiple of 2^-1074, and a product that overflows is infinite max, min     NaN
///   where there is one; +0 above -0; of no values -infinity (max), +infinity (min)
/// sum_to, dot_to, max_to and min_to leave their result in a Scalar (or field of one value) of the executor,
/// dots_to those of several inner products, none of which is another's operand; sums are rounded once to its
/// type, to nearest, ties to even. They allocate nothing and do not wait: on a device all happens in the
/// order of the reducer's stream, also within a graph. So it does with reductions over several ranks
/// (core/ranks/rank_reducer.hpp): share_sum and share_dot leave detail::shared_sum_words words in the
/// executor's memory, which ranks add, share_extreme a key, of which they find the largest, and
/// take_shared_sum and take_shared_extreme make results of these. The others wait for their result; a sum
/// comes as the accumulator, to be merged with that of other ranks. On the host the first four take wider
/// types too (pairwise.hpp); emulated formats: reduce_emulated.hpp.
template <class Executor>
class Reducer;

template <>
class Reducer<Host> {
 public:
  /// So many inner products are taken while their vectors are read once.
  static constexpr std::size_t most_at_once = 8;

  explicit Reducer(Host host) : host_{host} {}

  template <Reducible X>
  ExactSum sum(X const& x) const {
    return sum_of(values_of(x));
  }
  template <Reducible X, Reducible Y>
  ExactSum dot(X const& x, Y const& y) const {
    return dot_of(values_of(x), values_of(y));
  }
  template <Reducible X>
  auto max(X const& x) const {
    return extreme_of(values_of(x), true);
  }
  template <Reducible X>
  auto min(X const& x) const {
    return extreme_of(values_of(x), false);
  }

  template <Reducible X, Result R>
  void sum_to(X const& x, R& result) const {
    if constexpr (detail::summed_exactly<ValueOf<R>>) {
      round(sum(x), result.view()[0]);
    } else {
      result.view()[0] = pairwise_sum(values_of(x));
    }
  }
  template <Reducible X, Reducible Y, Result R>
  void dot_to(X const& x, Y const& y, R& result) const {
    using T = std::remove_cvref_t<decltype(*values_of(x).data)>;
    if constexpr (std::is_floating_point_v<ValueOf<R>> && std::is_floating_point_v<T>) {
      round_dot(values_of(x), values_of(y), result.view().data());
    } else if constexpr (detail::summed_exactly<ValueOf<R>>) {
      round(dot(x, y), result.view()[0]);
    } else {
      result.view()[0] = pairwise_dot(values_of(x), values_of(y));
    }
  }
  template <class T, class R>
  void dots_to(std::span<InnerProduct<T, R> const> products) const {
    if constexpr (std::is_floating_point_v<R> && std::is_floating_point_v<T>) {
      while (!products.empty()) {
        auto const count = std::min(products.size(), most_at_once);
        Dot<T, R> some[most_at_once];
        for (std::size_t n = 0; n < count; ++n) {
          some[n] = {values_of(products[n].x), values_of(products[n].y), products[n].result};
        }
        round_dots(std::span<Dot<T, R> const>(some, count));
        products = products.subspan(count);
      }
    } else {
      for (auto const& product : products) dot_to(product.x, product.y, product);
    }
  }
  template <Reducible X, Result R>
  void max_to(X const& x, R& result) const {
    result.view()[0] = extreme(values_of(x), true);
  }
  template <Reducible X, Result R>
  void min_to(X const& x, R& result) const {
    result.view()[0] = extreme(values_of(x), false);
  }

  template <Reducible X>
  void share_sum(X const& x, std::uint64_t* words) const {
    put(sum(x), words);
  }
  template <Reducible X, Reducible Y>
  void share_dot(X const& x, Y const& y, std::uint64_t* words) const {
    put(dot(x, y), words);
  }
  template <Result R>
  void take_shared_sum(std::uint64_t const* words, R& result) const {
    round(shared_sum(words), result.view()[0]);
  }
  template <Reducible X>
  void share_extreme(X const& x, bool largest, std::int64_t* key) const {
    *key = detail::shared_key(extreme_of(values_of(x), largest), largest);
  }
  template <Result R>
  void take_shared_extreme(std::int64_t const* key, bool largest, R& result) const {
    result.view()[0] = detail::of_shared_key<ValueOf<R>>(*key, largest);
  }
  /// ExactSum::shared_words in memory, and back.
  static void put(ExactSum const& sum, std::uint64_t* words) {
    auto const shared = sum.shared_words();
    std::copy(shared.begin(), shared.end(), words);
  }
  static ExactSum shared_sum(std::uint64_t const* words) {
    ExactSum::SharedWords shared;
    std::copy_n(words, shared.size(), shared.begin());
    return ExactSum::from_shared_words(shared);
  }

 private:
  /// An inner product, rounded to `result`.
  template <class T, class R>
  struct Dot {
    Values<T> x, y;
    R* result;
  };
  template <class T, class R>
  void round_dot(Values<T> x, Values<T> y, R* result) const {
    Dot<T, R> const dot{x, y, result};
    round_dots(std::span<Dot<T, R> const>(&dot, 1));
  }
  /// At most most_at_once (rounded_dots.cpp).
  template <class T, class R>
  void round_dots(std::span<Dot<T, R> const> dots) const;

  ExactSum sum_of(Values<double> x) const;
  ExactSum sum_of(Values<float> x) const;
  ExactSum sum_of(Values<DoubleFloat> x) const;
  ExactSum dot_of(Values<double> x, Values<double> y) const;
  ExactSum dot_of(Values<float> x, Values<float> y) const;
  ExactSum dot_of(Values<DoubleFloat> x, Values<DoubleFloat> y) const;
  double extreme_of(Values<double> x, bool largest) const;
  float extreme_of(Values<float> x, bool largest) const;
  DoubleFloat extreme_of(Values<DoubleFloat> x, bool largest) const;
  template <class T>
  T extreme(Values<T> x, bool largest) const {
    if constexpr (detail::summed_exactly<T>) {
      return extreme_of(x, largest);
    } else {
      return extreme_by_comparison(x, largest);
    }
  }
  static void round(ExactSum const& sum, double& result) { result = sum.to_double(); }
  static void round(ExactSum const& sum, float& result) { result = sum.to_float(); }
  static void round(ExactSum const& sum, DoubleFloat& result) { result = sum.to_double_float(); }

  Host host_;
};

template <>
class Reducer<Cuda> {
 public:
  explicit Reducer(Cuda cuda);

  template <Reducible X>
  ExactSum sum(X const& x) {
    return words_of_sum(values_of(x), {});
  }
  template <Reducible X, Reducible Y>
  ExactSum dot(X const& x, Y const& y) {
    return words_of_sum(values_of(x), values_of(y));
  }
  template <Reducible X>
  auto max(X const& x) {
    return wait_for_extreme(values_of(x), true);
  }
  template <Reducible X>
  auto min(X const& x) {
    return wait_for_extreme(values_of(x), false);
  }

  template <Reducible X, Result R>
  void sum_to(X const& x, R& result) {
    add_up(values_of(x), {}, result.view().data());
  }
  template <Reducible X, Reducible Y, Result R>
  void dot_to(X const& x, Y const& y, R& result) {
    add_up(values_of(x), values_of(y), result.view().data());
  }
  template <Reducible X, Result R>
  void max_to(X const& x, R& result) {
    find_extreme(values_of(x), true, result.view().data());
  }
  template <Reducible X, Result R>
  void min_to(X const& x, R& result) {
    find_extreme(values_of(x), false, result.view().data());
  }

  template <Reducible X>
  void share_sum(X const& x, std::uint64_t* words) {
    share_words(values_of(x), {}, words);
  }
  template <Reducible X, Reducible Y>
  void share_dot(X const& x, Y const& y, std::uint64_t* words) {
    share_words(values_of(x), values_of(y), words);
  }
  template <Result R>
  void take_shared_sum(std::uint64_t const* words, R& result) {
    round_words(words, result.view().data());
  }
  template <Reducible X>
  void share_extreme(X const& x, bool largest, std::int64_t* key) {
    share_key(values_of(x), largest, key);
  }
  template <Result R>
  void take_shared_extreme(std::int64_t const* key, bool largest, R& result) {
    take_key(key, largest, result.view().data());
  }

 private:
  /// Leaves the sum in `result`; where that is null, in the words of the scratch. Of products with y where it
  /// has data.
  template <class T, class R>
  void add_up(Values<T> x, Values<T> y, R* result);
  template <class T>
  ExactSum words_of_sum(Values<T> x, Values<T> y);
  template <class T>
  void find_extreme(Values<T> x, bool largest, T* result);
  template <class T>
  T wait_for_extreme(Values<T> x, bool largest);
  template <class T>
  void share_words(Values<T> x, Values<T> y, std::uint64_t* words);
  template <class R>
  void round_words(std::uint64_t const* words, R* result);
  template <class T>
  void share_key(Values<T> x, bool largest, std::int64_t* key);
  template <class T>
  void take_key(std::int64_t const* key, bool largest, T* result);

  Cuda cuda_;
  detail::ReductionPlan plan_;
  Array<std::int64_t, Cuda> scratch_;
  PinnedBuffer on_host_;
};

namespace detail {

/// The device's part of a sum: copies of the accumulator that share the deposits and are zero before and
/// after each reduction, then the words of the result.
inline constexpr int sum_copies = 32;
inline constexpr int sum_scratch_words = (sum_copies + 1) * sum_words;

/// Deposits values `first` to first + count, at most most_deposits / 2 of them (products with y where that
/// has data), in the copies.
template <class T>
void deposit_values(Cuda cuda, ReductionPlan const& plan, Values<T> x, Values<T> y, std::int64_t first,
                    std::int64_t count, std::int64_t* scratch);
/// Adds the copies, and where `adds` the words of the result, into the result's words, and clears the copies.
/// Where `target` is not null it gets the sum, and the words lose their meaning.
template <class R>
void finish_sum(Cuda cuda, std::int64_t* scratch, bool adds, R* target);
/// Leaves the largest (smallest) value in `target`. `key` holds the start's key before and after.
template <class T>
void reduce_extreme(Cuda cuda, ReductionPlan const& plan, Values<T> x, bool largest,
                    typename OrderKey<T>::Key* key, T* target);
/// Converts what sum (extreme) reductions leave without (with) a target to and from what ranks share.
void share_sum(Cuda cuda, std::int64_t* scratch, std::uint64_t* shared);
template <class R>
void take_shared_sum(Cuda cuda, std::uint64_t const* shared, R* target);
template <class T>
void share_extreme(Cuda cuda, T const* value, bool largest, std::int64_t* shared);
template <class T>
void take_shared_extreme(Cuda cuda, std::int64_t const* shared, bool largest, T* target);

}  // namespace detail
}  // namespace ulpine
