// SPDX-License-Identifier: Apache-2.0
#include "core/exec/reduce.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/exec/device.hpp"

namespace ulpine {
namespace {

/// Expansions side by side, so that the additions are vector instructions.
template <class T>
class Lanes {
 public:
  static constexpr std::int64_t count = 64 / sizeof(T);

  /// Adds values[0..count). What is too large or falls out goes to `rest`.
  void add(T const* values, ExactSum& rest) {
    T lost[count];
    T most_lost = 0;  // NaN and what is too large count as lost
#pragma omp simd reduction(max : most_lost)
    for (std::int64_t i = 0; i < count; ++i) {
      bool const small = math::abs(values[i]) < detail::most_in_expansion<T>;
      T residue = detail::two_sum(high_[i], small ? values[i] : T(0));
      residue = detail::two_sum(middle_[i], residue);
      lost[i] = detail::two_sum(low_[i], residue);
      T const amount = small ? math::abs(lost[i]) : T(1);
      most_lost = amount > most_lost ? amount : most_lost;
    }
    if (most_lost != 0) {
      for (std::int64_t i = 0; i < count; ++i) {
        rest.add(static_cast<double>(lost[i]));
        if (!(math::abs(values[i]) < detail::most_in_expansion<T>)) {
          rest.add(static_cast<double>(values[i]));
        }
      }
    }
  }

  void finish(ExactSum& sum) const {
    for (std::int64_t i = 0; i < count; ++i) {
      sum.add(static_cast<double>(high_[i]));
      sum.add(static_cast<double>(middle_[i]));
      sum.add(static_cast<double>(low_[i]));
    }
  }

 private:
  T high_[count] = {}, middle_[count] = {}, low_[count] = {};
};

/// The exact sum of count terms; fill(i, n, buffer) writes terms i to i + n, n at most Lanes<T>::count.
template <class T, class Fill>
ExactSum sum_terms(Host host, std::int64_t count, Fill const& fill) {
  ExactSum total;
  constexpr auto width = Lanes<T>::count;
  auto const packs = (count + width - 1) / width;
#pragma omp parallel num_threads(host.threads) if (host.threads > 1)
  {
    ExactSum own;
    Lanes<T> lanes;
    T buffer[width];
#pragma omp for schedule(static) nowait
    for (std::int64_t pack = 0; pack < packs; ++pack) {
      auto const begin = pack * width;
      auto const size = std::min(width, count - begin);
      std::fill(buffer + size, buffer + width, T(0));
      fill(begin, size, buffer);
      lanes.add(buffer, own);
    }
    lanes.finish(own);
#pragma omp critical(ulpine_reduce)
    total.merge(own);
  }
  return total;
}

template <class T>
ExactSum sum_on_host(Host host, View<T const> x) {
  return sum_terms<T>(host, x.size(), [&](std::int64_t begin, std::int64_t size, T* buffer) {
    std::copy_n(x.data() + begin, size, buffer);
  });
}

/// Each product as its rounded value and its rounding error, which are exact together unless the error is
/// subnormal.
template <class T>
ExactSum dot_on_host(Host host, View<T const> x, View<T const> y) {
  assert(x.size() == y.size());
  return sum_terms<double>(host, 2 * x.size(), [&](std::int64_t begin, std::int64_t size, double* buffer) {
    for (std::int64_t i = 0; i < size / 2; ++i) {
      auto const a = static_cast<double>(x[begin / 2 + i]), b = static_cast<double>(y[begin / 2 + i]);
      auto const product = a * b;
      buffer[2 * i] = product;
      buffer[2 * i + 1] =
          math::abs(product) <= std::numeric_limits<double>::max() ? math::fma(a, b, -product) : 0;
    }
  });
}

/// Keys as the largest (smallest) is found: NaN beats everything, everything beats an empty view.
template <class T>
struct Extremes {
  using Order = detail::OrderKey<T>;
  using Key = typename Order::Key;
  using Limits = std::numeric_limits<T>;

  static constexpr Key nan(bool largest) {
    return largest ? Order::largest : static_cast<Key>(-Order::largest - 1);
  }
  static Key empty(bool largest) {
    return Order::to_key(largest ? -Limits::infinity() : Limits::infinity(), 0);
  }
  static T from_key(Key key, bool largest) {
    return key == nan(largest) ? Limits::quiet_NaN()
                               : std::bit_cast<T>(key < 0 ? static_cast<Key>(key ^ Order::largest) : key);
  }
};

template <class T>
T extreme_on_host(Host host, View<T const> x, bool largest) {
  using Key = typename Extremes<T>::Key;
  auto const nan = Extremes<T>::nan(largest);
  Key key = Extremes<T>::empty(largest);
  if (largest) {
#pragma omp parallel for simd schedule(static) num_threads(host.threads) if (parallel            \
                                                                             : host.threads > 1) \
    reduction(max                                                                                \
              : key)
    for (std::int64_t i = 0; i < x.size(); ++i) {
      key = std::max(key, detail::OrderKey<T>::to_key(x[i], nan));
    }
  } else {
#pragma omp parallel for simd schedule(static) num_threads(host.threads) if (parallel            \
                                                                             : host.threads > 1) \
    reduction(min                                                                                \
              : key)
    for (std::int64_t i = 0; i < x.size(); ++i) {
      key = std::min(key, detail::OrderKey<T>::to_key(x[i], nan));
    }
  }
  return Extremes<T>::from_key(key, largest);
}

}  // namespace

ExactSum Reducer<Host>::sum(View<double const> x) const { return sum_on_host(host_, x); }
ExactSum Reducer<Host>::sum(View<float const> x) const { return sum_on_host(host_, x); }
ExactSum Reducer<Host>::dot(View<double const> x, View<double const> y) const {
  return dot_on_host(host_, x, y);
}
ExactSum Reducer<Host>::dot(View<float const> x, View<float const> y) const {
  return dot_on_host(host_, x, y);
}
double Reducer<Host>::max(View<double const> x) const { return extreme_on_host(host_, x, true); }
float Reducer<Host>::max(View<float const> x) const { return extreme_on_host(host_, x, true); }
double Reducer<Host>::min(View<double const> x) const { return extreme_on_host(host_, x, false); }
float Reducer<Host>::min(View<float const> x) const { return extreme_on_host(host_, x, false); }

#if defined(ULPINE_HAS_CUDA)
Reducer<Cuda>::Reducer(Cuda cuda)
    : cuda_{cuda},
      multiprocessors_{require_device(cuda.ordinal).multiprocessors},
      scratch_(cuda, detail::reduce_scratch_words),
      result_(cuda, detail::sum_words * static_cast<std::int64_t>(sizeof(std::int64_t))) {}

template <class T>
ExactSum Reducer<Cuda>::sum_parts(View<T const> x, T const* y) {
  ExactSum total;
  for (std::int64_t begin = 0; begin < x.size(); begin += detail::most_deposits / 2) {
    auto const size = std::min(detail::most_deposits / 2, x.size() - begin);
    auto* const scratch = scratch_.view().data();
    detail::reduce_sum(cuda_, multiprocessors_, View<T const>(x.data() + begin, size),
                       y == nullptr ? y : y + begin, scratch);
    copy_to_host_async(cuda_, result_, scratch + detail::sum_copies * detail::sum_words, result_.bytes());
    result_.wait();
    total.merge(ExactSum::from_words(static_cast<std::int64_t const*>(result_.data())));
  }
  return total;
}

template <class T>
T Reducer<Cuda>::extreme(View<T const> x, bool largest) {
  using Key = typename Extremes<T>::Key;
  auto* const key = reinterpret_cast<Key*>(scratch_.view().data() + detail::sum_copies * detail::sum_words);
  auto* const pinned = static_cast<Key*>(result_.data());
  *pinned = Extremes<T>::empty(largest);
  detail::to_executor(cuda_, key, pinned, sizeof(Key));
  detail::reduce_extreme(cuda_, multiprocessors_, x, largest, key);
  copy_to_host_async(cuda_, result_, key, sizeof(Key));
  result_.wait();
  return Extremes<T>::from_key(*pinned, largest);
}

ExactSum Reducer<Cuda>::sum(View<double const> x) { return sum_parts<double>(x, nullptr); }
ExactSum Reducer<Cuda>::sum(View<float const> x) { return sum_parts<float>(x, nullptr); }
ExactSum Reducer<Cuda>::dot(View<double const> x, View<double const> y) {
  assert(x.size() == y.size());
  return sum_parts(x, y.data());
}
ExactSum Reducer<Cuda>::dot(View<float const> x, View<float const> y) {
  assert(x.size() == y.size());
  return sum_parts(x, y.data());
}
double Reducer<Cuda>::max(View<double const> x) { return extreme(x, true); }
float Reducer<Cuda>::max(View<float const> x) { return extreme(x, true); }
double Reducer<Cuda>::min(View<double const> x) { return extreme(x, false); }
float Reducer<Cuda>::min(View<float const> x) { return extreme(x, false); }

#endif

}  // namespace ulpine
