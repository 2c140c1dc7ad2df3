// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "functions.hpp"

namespace ulpine::atlas {

/// What C++ leaves to the processor: results as bits, in the order of `conversion_names`.
struct Odd {
  double nan, zero, minus_zero, large,
      negative;          ///< NaN, 0, -0, 3e9, -1.5; values that the compiler does not know
  double payload;        ///< the NaN 7ff8000012345678
  float narrow_payload;  ///< the NaN 7fc12345
};
constexpr char const* conversion_names[] = {"(int) of a float's NaN",
                                            "(int) of a double's NaN",
                                            "(long long) of a float's NaN",
                                            "(unsigned) of a double's NaN",
                                            "(int) of 3e9f",
                                            "(unsigned) of -1.5f",
                                            "(int) of -3e9",
                                            "fmin(-0, +0)",
                                            "fmin(+0, -0)",
                                            "fmax(-0, +0)",
                                            "fmax(+0, -0)",
                                            "0.0f / 0.0f",
                                            "0.0 / 0.0",
                                            "a float's NaN 7fc12345 + 1",
                                            "a double's NaN 7ff8000012345678 + 1"};
constexpr int conversion_count = sizeof conversion_names / sizeof conversion_names[0];

template <class To, class From>
ATLAS_BOTH To bits_of(From from) {
  static_assert(sizeof(To) == sizeof(From));
  union {
    From from;
    To to;
  } both;
  both.from = from;
  return both.to;
}

ATLAS_BOTH inline void convert(Odd const& x, std::int64_t* to) {
  auto const narrow = static_cast<float>(x.nan), zero = static_cast<float>(x.zero);
  to[0] = static_cast<int>(narrow);
  to[1] = static_cast<int>(x.nan);
  to[2] = static_cast<long long>(narrow);
  to[3] = static_cast<unsigned>(x.nan);
  to[4] = static_cast<int>(static_cast<float>(x.large));
  to[5] = static_cast<unsigned>(static_cast<float>(x.negative));
  to[6] = static_cast<int>(-x.large);
  to[7] = bits_of<std::int64_t>(fmin(x.minus_zero, x.zero));
  to[8] = bits_of<std::int64_t>(fmin(x.zero, x.minus_zero));
  to[9] = bits_of<std::int64_t>(fmax(x.minus_zero, x.zero));
  to[10] = bits_of<std::int64_t>(fmax(x.zero, x.minus_zero));
  to[11] = bits_of<std::uint32_t>(zero / zero);
  to[12] = bits_of<std::int64_t>(x.zero / x.zero);
  to[13] = bits_of<std::uint32_t>(x.narrow_payload + 1);
  to[14] = bits_of<std::int64_t>(x.payload + 1);
}

/// The same on the card.
std::vector<std::int64_t> converted_on_card(Odd const& x);

/// Doubles made halves by __double2half and through float, as bits: on the card, and on the host.
void halves_on_card(std::vector<double> const& x, std::vector<std::uint16_t>& direct,
                    std::vector<std::uint16_t>& through_float);
void halves_on_host(std::vector<double> const& x, std::vector<std::uint16_t>& direct,
                    std::vector<std::uint16_t>& through_float);

/// z conj(z) of complex numbers by thrust::complex on the card: imaginary parts.
std::vector<double> imaginary_of_squares(std::vector<double> const& z);

}  // namespace ulpine::atlas
