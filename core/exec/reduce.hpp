// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/reduce_arithmetic.hpp"
#include "core/exec/stream.hpp"
#include "core/exec/view.hpp"
#include "precision/exact_sum.hpp"

/// Reductions that give the same bits for any order, thread count, block size, decomposition and backend,
/// because sums are exact and rounded once.
namespace ulpine {

/// Reductions over views in the executor's memory; keeps the scratch that they need.
///   sum          the exact sum
///   dot          the exact sum of x[i] y[i]; of doubles, each product's rounding error is itself rounded to
///   a multiple of
///                2^-1074, and a product that overflows is infinite
///   max, min     NaN where there is one; +0 above -0; of an empty view -infinity (max), +infinity (min)
template <class Executor>
class Reducer;

template <>
class Reducer<Host> {
 public:
  explicit Reducer(Host host) : host_{host} {}

  ExactSum sum(View<double const> x) const;
  ExactSum sum(View<float const> x) const;
  ExactSum dot(View<double const> x, View<double const> y) const;
  ExactSum dot(View<float const> x, View<float const> y) const;
  double max(View<double const> x) const;
  float max(View<float const> x) const;
  double min(View<double const> x) const;
  float min(View<float const> x) const;

 private:
  Host host_;
};

/// Every call waits for its result.
template <>
class Reducer<Cuda> {
 public:
  explicit Reducer(Cuda cuda);

  ExactSum sum(View<double const> x);
  ExactSum sum(View<float const> x);
  ExactSum dot(View<double const> x, View<double const> y);
  ExactSum dot(View<float const> x, View<float const> y);
  double max(View<double const> x);
  float max(View<float const> x);
  double min(View<double const> x);
  float min(View<float const> x);

 private:
  template <class T>
  ExactSum sum_parts(View<T const> x, T const* y);
  template <class T>
  T extreme(View<T const> x, bool largest);

  Cuda cuda_;
  int multiprocessors_;
  Array<std::int64_t, Cuda> scratch_;
  PinnedBuffer result_;
};

/// Sum of any number type in the order of a fixed binary tree over the indices: the same for every thread
/// count, though not for another order. For the 113-bit reference, which has no exact sum here.
template <class T>
T pairwise_sum(View<T const> x) {
  constexpr std::int64_t leaf = 32;
  if (x.size() <= leaf) {
    T sum = 0;
    for (std::int64_t i = 0; i < x.size(); ++i) {
      sum += x[i];
    }
    return sum;
  }
  auto const half = x.size() / 2;
  return pairwise_sum(View<T const>(x.data(), half)) +
         pairwise_sum(View<T const>(x.data() + half, x.size() - half));
}

namespace detail {

/// Words of device scratch: copies of the accumulator that share the deposits, then the result.
inline constexpr int sum_copies = 64;
inline constexpr int reduce_scratch_words = (sum_copies + 1) * sum_words;

/// Leaves the sum (of products with y unless y is null) of at most most_deposits values in the last sum_words
/// of `scratch`; the other words are zero before and after.
template <class T>
void reduce_sum(Cuda cuda, int multiprocessors, View<T const> x, T const* y, std::int64_t* scratch);
/// Leaves the largest (smallest) order key in the first word at `key`, which holds the start.
template <class T>
void reduce_extreme(Cuda cuda, int multiprocessors, View<T const> x, bool largest,
                    typename OrderKey<T>::Key* key);

}  // namespace detail
}  // namespace ulpine
