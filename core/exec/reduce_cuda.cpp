// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include "core/exec/device.hpp"
#include "core/exec/products.hpp"
#include "core/exec/reduce.hpp"

#if defined(ULPINE_HAS_CUDA)

namespace ulpine {
namespace {

/// The scratch's words: those of sums; a key of each type for the largest and the smallest value; a value.
enum Scratch : std::int64_t {
  result_words = detail::sum_copies * detail::sum_words,
  keys = detail::sum_scratch_words,
  value_word = keys + 6,
  scratch_words
};

template <class T>
typename detail::OrderKey<T>::Key* key_of(std::int64_t* scratch, bool largest) {
  constexpr int of_type = std::is_same_v<T, double> ? 0 : std::is_same_v<T, float> ? 2 : 4;
  return reinterpret_cast<typename detail::OrderKey<T>::Key*>(scratch + keys + of_type + (largest ? 1 : 0));
}

template <class T>
void set_keys(Cuda cuda, std::int64_t* scratch) {
  for (bool const largest : {false, true}) {
    auto const start = detail::Extreme<T>{largest}.start();
    detail::to_executor(cuda, key_of<T>(scratch, largest), &start, sizeof(start));
  }
}

}  // namespace

namespace detail {

ReductionPlan reduction_plan(int ordinal) {
  auto const device = require_device(ordinal);
  bool const fast_doubles = device.compute_capability % 10 == 0 && device.compute_capability <= 100;
  return {device.multiprocessors, fast_doubles ? SumMethod::windows_4 : SumMethod::expansions};
}

}  // namespace detail

ProductScratch::ProductScratch(Cuda cuda)
    : words_(cuda, (most_products_at_once * detail::product_copies + 1) * detail::sum_words),
      multiprocessors_{require_device(cuda.ordinal).multiprocessors} {}

Reducer<Cuda>::Reducer(Cuda cuda)
    : cuda_{cuda},
      plan_{detail::reduction_plan(cuda.ordinal)},
      scratch_(cuda, scratch_words),
      on_host_(cuda, detail::sum_words * static_cast<std::int64_t>(sizeof(std::int64_t))) {
  set_keys<double>(cuda, scratch_.view().data());
  set_keys<float>(cuda, scratch_.view().data());
  set_keys<DoubleFloat>(cuda, scratch_.view().data());
}

template <class T, class R>
void Reducer<Cuda>::add_up(Values<T> x, Values<T> y, R* result) {
  assert(y.data == nullptr || x.points.count() == y.points.count());
  // A product of two floats each is up to eight floats.
  constexpr auto most = detail::most_deposits / (std::is_same_v<T, DoubleFloat> ? 8 : 2);
  auto* const scratch = scratch_.view().data();
  auto const count = x.points.count();
  for (std::int64_t begin = 0; begin == 0 || begin < count; begin += most) {
    auto const last = begin + most >= count;
    detail::deposit_values(cuda_, plan_, x, y, begin, std::min(most, count - begin), scratch);
    detail::finish_sum(cuda_, scratch, begin > 0, last ? result : nullptr);
  }
}

template <class T>
ExactSum Reducer<Cuda>::words_of_sum(Values<T> x, Values<T> y) {
  add_up(x, y, static_cast<double*>(nullptr));
  copy_to_host_async(cuda_, on_host_, scratch_.view().data() + result_words, on_host_.bytes());
  on_host_.wait();
  return ExactSum::from_words(static_cast<std::int64_t const*>(on_host_.data()));
}

template <class T>
void Reducer<Cuda>::find_extreme(Values<T> x, bool largest, T* result) {
  detail::reduce_extreme(cuda_, plan_, x, largest, key_of<T>(scratch_.view().data(), largest), result);
}

template <class T>
T Reducer<Cuda>::wait_for_extreme(Values<T> x, bool largest) {
  auto* const value = reinterpret_cast<T*>(scratch_.view().data() + value_word);
  find_extreme(x, largest, value);
  copy_to_host_async(cuda_, on_host_, value, sizeof(T));
  on_host_.wait();
  return *static_cast<T const*>(on_host_.data());
}

template <class T>
void Reducer<Cuda>::share_words(Values<T> x, Values<T> y, std::uint64_t* words) {
  add_up(x, y, static_cast<double*>(nullptr));
  detail::share_sum(cuda_, scratch_.view().data(), words);
}

template <class R>
void Reducer<Cuda>::round_words(std::uint64_t const* words, R* result) {
  detail::take_shared_sum(cuda_, words, result);
}

template <class T>
void Reducer<Cuda>::share_key(Values<T> x, bool largest, std::int64_t* key) {
  auto* const value = reinterpret_cast<T*>(scratch_.view().data() + value_word);
  find_extreme(x, largest, value);
  detail::share_extreme(cuda_, value, largest, key);
}

template <class T>
void Reducer<Cuda>::take_key(std::int64_t const* key, bool largest, T* result) {
  detail::take_shared_extreme(cuda_, key, largest, result);
}

template void Reducer<Cuda>::add_up(Values<double>, Values<double>, double*);
template void Reducer<Cuda>::add_up(Values<double>, Values<double>, float*);
template void Reducer<Cuda>::add_up(Values<float>, Values<float>, double*);
template void Reducer<Cuda>::add_up(Values<float>, Values<float>, float*);
template void Reducer<Cuda>::add_up(Values<DoubleFloat>, Values<DoubleFloat>, double*);
template void Reducer<Cuda>::add_up(Values<DoubleFloat>, Values<DoubleFloat>, float*);
template void Reducer<Cuda>::add_up(Values<DoubleFloat>, Values<DoubleFloat>, DoubleFloat*);
template void Reducer<Cuda>::add_up(Values<float>, Values<float>, DoubleFloat*);
template void Reducer<Cuda>::add_up(Values<double>, Values<double>, DoubleFloat*);
template ExactSum Reducer<Cuda>::words_of_sum(Values<double>, Values<double>);
template ExactSum Reducer<Cuda>::words_of_sum(Values<float>, Values<float>);
template ExactSum Reducer<Cuda>::words_of_sum(Values<DoubleFloat>, Values<DoubleFloat>);
template void Reducer<Cuda>::find_extreme(Values<double>, bool, double*);
template void Reducer<Cuda>::find_extreme(Values<float>, bool, float*);
template void Reducer<Cuda>::find_extreme(Values<DoubleFloat>, bool, DoubleFloat*);
template double Reducer<Cuda>::wait_for_extreme(Values<double>, bool);
template float Reducer<Cuda>::wait_for_extreme(Values<float>, bool);
template DoubleFloat Reducer<Cuda>::wait_for_extreme(Values<DoubleFloat>, bool);
template void Reducer<Cuda>::share_words(Values<double>, Values<double>, std::uint64_t*);
template void Reducer<Cuda>::share_words(Values<float>, Values<float>, std::uint64_t*);
template void Reducer<Cuda>::share_words(Values<DoubleFloat>, Values<DoubleFloat>, std::uint64_t*);
template void Reducer<Cuda>::round_words(std::uint64_t const*, double*);
template void Reducer<Cuda>::round_words(std::uint64_t const*, float*);
template void Reducer<Cuda>::round_words(std::uint64_t const*, DoubleFloat*);
template void Reducer<Cuda>::share_key(Values<double>, bool, std::int64_t*);
template void Reducer<Cuda>::share_key(Values<float>, bool, std::int64_t*);
template void Reducer<Cuda>::share_key(Values<DoubleFloat>, bool, std::int64_t*);
template void Reducer<Cuda>::take_key(std::int64_t const*, bool, double*);
template void Reducer<Cuda>::take_key(std::int64_t const*, bool, float*);
template void Reducer<Cuda>::take_key(std::int64_t const*, bool, DoubleFloat*);

}  // namespace ulpine

#endif
