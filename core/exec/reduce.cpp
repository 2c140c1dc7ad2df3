// SPDX-License-Identifier: Apache-2.0
#include "core/exec/reduce.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

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
ExactSum sum_on_host(Host host, Values<T> x) {
  auto const contiguous = x.points.contiguous();
  return sum_terms<T>(host, x.points.count(), [&](std::int64_t begin, std::int64_t size, T* buffer) {
    if (auto const* const from = in_order(x, contiguous, begin, size, buffer); from != buffer) {
      std::copy_n(from, size, buffer);
    }
  });
}

/// Each product as its rounded value and its rounding error, which are exact together unless the error is
/// subnormal.
template <class T>
ExactSum dot_on_host(Host host, Values<T> x, Values<T> y) {
  assert(x.points.count() == y.points.count());
  auto const x_contiguous = x.points.contiguous(), y_contiguous = y.points.contiguous();
  constexpr auto most = Lanes<double>::count / 2;
  return sum_terms<double>(
      host, 2 * x.points.count(), [&](std::int64_t begin, std::int64_t size, double* buffer) {
        T gathered_x[most], gathered_y[most];
        auto const* const a = in_order(x, x_contiguous, begin / 2, size / 2, gathered_x);
        auto const* const b = in_order(y, y_contiguous, begin / 2, size / 2, gathered_y);
        for (std::int64_t i = 0; i < size / 2; ++i) {
          auto const factor = static_cast<double>(a[i]), other = static_cast<double>(b[i]);
          auto const product = factor * other;
          buffer[2 * i] = product;
          buffer[2 * i + 1] = math::abs(product) <= std::numeric_limits<double>::max()
                                  ? math::fma(factor, other, -product)
                                  : 0;
        }
      });
}

/// The floats of each number.
ExactSum sum_on_host(Host host, Values<DoubleFloat> x) {
  return sum_terms<float>(host, 2 * x.points.count(),
                          [&](std::int64_t begin, std::int64_t size, float* buffer) {
                            for (std::int64_t i = 0; i < size / 2; ++i) {
                              auto const value = x.data[x.points.at(begin / 2 + i)];
                              buffer[2 * i] = value.hi();
                              buffer[2 * i + 1] = value.lo();
                            }
                          });
}

ExactSum dot_on_host(Host host, Values<DoubleFloat> x, Values<DoubleFloat> y) {
  assert(x.points.count() == y.points.count());
  return sum_terms<double>(
      host, 4 * x.points.count(), [&](std::int64_t begin, std::int64_t size, double* buffer) {
        for (std::int64_t i = 0; i < size / 4; ++i) {
          auto* term = buffer + 4 * i;
          std::fill_n(term, 4, 0.0);
          detail::for_terms_of_product(x.data[x.points.at(begin / 4 + i)], y.data[y.points.at(begin / 4 + i)],
                                       [&](double value) { *term++ = value; });
        }
      });
}

template <class T>
T extreme_on_host(Host host, Values<T> x, bool largest) {
  detail::Extreme<T> const extreme{largest};
  auto const* const data = x.data + (x.points.contiguous() ? x.points.first : 0);
  auto const count = x.points.count();
  auto key = extreme.start();
  auto const nan = extreme.nan();
  if (!x.points.contiguous()) {
#pragma omp parallel num_threads(host.threads) if (host.threads > 1)
    {
      auto own = extreme.start();
#pragma omp for schedule(static) nowait
      for (std::int64_t i = 0; i < count; ++i) {
        own = extreme.better(own, extreme.key(data[x.points.at(i)]));
      }
#pragma omp critical(ulpine_reduce)
      key = extreme.better(key, own);
    }
  } else if (largest) {
#pragma omp parallel for simd schedule(static) num_threads(host.threads) if (parallel            \
                                                                             : host.threads > 1) \
    reduction(max                                                                                \
              : key)
    for (std::int64_t i = 0; i < count; ++i) {
      key = std::max(key, detail::OrderKey<T>::to_key(data[i], nan));
    }
  } else {
#pragma omp parallel for simd schedule(static) num_threads(host.threads) if (parallel            \
                                                                             : host.threads > 1) \
    reduction(min                                                                                \
              : key)
    for (std::int64_t i = 0; i < count; ++i) {
      key = std::min(key, detail::OrderKey<T>::to_key(data[i], nan));
    }
  }
  return extreme.value(key);
}

}  // namespace

ExactSum Reducer<Host>::sum_of(Values<double> x) const { return sum_on_host(host_, x); }
ExactSum Reducer<Host>::sum_of(Values<float> x) const { return sum_on_host(host_, x); }
ExactSum Reducer<Host>::sum_of(Values<DoubleFloat> x) const { return sum_on_host(host_, x); }
ExactSum Reducer<Host>::dot_of(Values<DoubleFloat> x, Values<DoubleFloat> y) const {
  return dot_on_host(host_, x, y);
}
DoubleFloat Reducer<Host>::extreme_of(Values<DoubleFloat> x, bool largest) const {
  return extreme_on_host(host_, x, largest);
}
ExactSum Reducer<Host>::dot_of(Values<double> x, Values<double> y) const { return dot_on_host(host_, x, y); }
ExactSum Reducer<Host>::dot_of(Values<float> x, Values<float> y) const { return dot_on_host(host_, x, y); }
double Reducer<Host>::extreme_of(Values<double> x, bool largest) const {
  return extreme_on_host(host_, x, largest);
}
float Reducer<Host>::extreme_of(Values<float> x, bool largest) const {
  return extreme_on_host(host_, x, largest);
}

}  // namespace ulpine
