// SPDX-License-Identifier: Apache-2.0
#include "core/fft/roots.hpp"

#include <bit>
#include <boost/math/constants/constants.hpp>
#include <utility>

#include "precision/formats.hpp"

namespace ulpine::fft {

Complex<float128> root(std::int64_t k, std::int64_t order) {
  // The angle is -2 pi a / (4 order), brought into the first eighth of the circle in integers.
  auto const turn = 4 * order;
  auto a = 4 * (k % order);
  bool const lower = 2 * a > turn;
  if (lower) a = turn - a;
  bool const left = 4 * a > turn;
  if (left) a = turn / 2 - a;
  bool const steep = 8 * a > turn;
  if (steep) a = turn / 4 - a;
  float128 const angle = boost::math::constants::two_pi<float128>() * float128(a) / float128(turn);
  float128 cosine = math::cos(angle), sine = math::sin(angle);
  if (8 * a == turn) cosine = sine = boost::math::constants::one_div_root_two<float128>();
  if (steep) std::swap(cosine, sine);
  return {left ? -cosine : cosine, lower ? sine : -sine};
}

Complex<float128> chirp(std::int64_t j, std::int32_t n) {
  return root(j * j % (2 * std::int64_t{n}), 2 * std::int64_t{n});
}

std::vector<Complex<float128>> chirp_filter(std::int32_t n, std::int32_t length) {
  std::vector<Complex<float128>> x(static_cast<std::size_t>(length)), next(x.size());
  auto const per_length = float128(1) / float128(length);
  for (std::int32_t j = 0; j < n; ++j) {
    auto const w = chirp(j, n);
    Complex<float128> const value{w.re * per_length, -w.im * per_length};
    x[static_cast<std::size_t>(j)] = x[static_cast<std::size_t>(j == 0 ? 0 : length - j)] = value;
  }
  auto const half = x.size() / 2;
  for (std::size_t stride = 1; stride < x.size(); stride *= 2) {
    for (std::size_t p = 0; p < stride; ++p) {
      auto const w = root(static_cast<std::int64_t>(p), static_cast<std::int64_t>(2 * stride));
      for (std::size_t j = p; j < half; j += stride) {
        auto const y = Products<float128, Exact>::times(w, x[j + half]);
        next[2 * j - p] = x[j] + y;
        next[2 * j - p + stride] = x[j] - y;
      }
    }
    x.swap(next);
  }
  return x;
}

}  // namespace ulpine::fft
