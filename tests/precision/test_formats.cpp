// SPDX-License-Identifier: Apache-2.0
#include "precision/formats.hpp"

#include <gtest/gtest.h>
#if defined(__F16C__)
#include <immintrin.h>
#endif
#if defined(ULPINE_HAS_CUDA)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

#include <Random123/philox.h>

#include <cmath>
#include <limits>
#include <random>

#include "precision/quad.hpp"

namespace ulpine {
namespace {

float const inf = std::numeric_limits<float>::infinity();

bool same(float a, float b) { return (std::isnan(a) && std::isnan(b)) || to_bits(a) == to_bits(b); }

/// visit(x) over floats: every sign and exponent with all of the upper 12 fraction bits, and lower bits that
/// make ties, their neighbours and arbitrary values; 15 million of the 4.3 thousand million floats.
template <class Visit>
void dense_sample(Visit visit) {
  for (std::uint32_t upper = 0; upper < (1u << 21); ++upper) {
    std::uint32_t const arbitrary = (upper * 2654435761u) & 0x7ffu;
    for (std::uint32_t const lower : {0x000u, 0x001u, 0x3ffu, 0x400u, 0x401u, 0x7ffu, arbitrary}) {
      visit(from_bits((upper << 11) | lower));
    }
  }
}

template <class Ours, class Theirs>
void expect_same_rounding(Ours ours, Theirs theirs) {
  std::int64_t wrong = 0;
  float first = 0;
  dense_sample([&](float x) {
    if (!same(ours(x), theirs(x)) && wrong++ == 0) {
      first = x;
    }
  });
  EXPECT_EQ(wrong, 0) << "first at " << std::hexfloat << first << ": " << ours(first) << " and "
                      << theirs(first);
}

/// Independent of all bit manipulation: x / unit in 113-bit arithmetic, rounded to an integer.
double by_division(FloatFormat const& format, double x) {
  if (x == 0 || std::isnan(x)) {
    return x;
  }
  int const exponent = std::isinf(x) ? 5000 : std::ilogb(x);
  double const largest = std::ldexp(std::ldexp(1.0, format.precision) - 1 - format.missing_at_top,
                                    format.emax - format.precision + 1);
  double magnitude = std::numeric_limits<double>::infinity();
  if (!std::isinf(x)) {
    int const unit = std::max(exponent, format.emin) - format.precision + 1;
    bool const flat = exponent < format.emin && !format.subnormals;
    float128 const scaled = ldexp(float128(std::abs(x)), -(flat ? format.emin : unit));
    float128 const below = floor(scaled), rest = scaled - below;
    bool const odd = fmod(below, float128(2)) != 0;
    bool const up = format.rounding == Rounding::nearest_even   ? rest > 0.5 || (rest == 0.5 && odd)
                    : format.rounding == Rounding::nearest_away ? rest >= 0.5
                                                                : false;
    magnitude = static_cast<double>(ldexp(float128(below + (up ? 1 : 0)), flat ? format.emin : unit));
  }
  if (magnitude > largest) {
    bool const clipped =
        format.overflow == Overflow::saturate || (format.rounding == Rounding::toward_zero && !std::isinf(x));
    magnitude = clipped                                 ? largest
                : format.overflow == Overflow::infinity ? std::numeric_limits<double>::infinity()
                                                        : std::numeric_limits<double>::quiet_NaN();
  }
  return std::copysign(magnitude, x);
}

TEST(Formats, GeneralFormatAgreesWithTheFastRoundings) {
  expect_same_rounding(Tf32::round, [](float x) { return round_to(tf32_format, x); });
  expect_same_rounding(Bfloat16::round, [](float x) { return round_to(bf16_format, x); });
  expect_same_rounding(Binary16::round, [](float x) { return round_to(fp16_format, x); });
}

#if defined(__F16C__)
TEST(Formats, Binary16AgreesWithTheProcessor) {
  expect_same_rounding(Binary16::round,
                       [](float x) { return _cvtsh_ss(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT)); });
  FloatFormat format = fp16_format;
  format.rounding = Rounding::toward_zero;
  expect_same_rounding([&](float x) { return round_to(format, x); },
                       [](float x) { return _cvtsh_ss(_cvtss_sh(x, _MM_FROUND_TO_ZERO)); });
}
#endif

#if defined(__FLT16_MANT_DIG__)
TEST(Formats, Binary16OfDoubleAgreesWithTheCompilersType) {
  std::mt19937_64 generator(1);
  for (int i = 0; i < 200000; ++i) {
    double const x = std::ldexp(std::uniform_real_distribution<double>(-1, 1)(generator),
                                static_cast<int>(generator() % 48) - 28);
    ASSERT_EQ(round_to(fp16_format, x), static_cast<double>(static_cast<_Float16>(x))) << std::hexfloat << x;
  }
}
#endif

#if defined(ULPINE_HAS_CUDA)
TEST(Formats, AgreeWithCudasHostConversions) {
  expect_same_rounding(Binary16::round, [](float x) { return __half2float(__float2half_rn(x)); });
  expect_same_rounding(Bfloat16::round, [](float x) { return __bfloat162float(__float2bfloat16_rn(x)); });
  auto const fp8 = [](__nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
    return [=](float x) {
      return __half2float(__half(__nv_cvt_fp8_to_halfraw(__nv_cvt_float_to_fp8(x, saturation, kind), kind)));
    };
  };
  expect_same_rounding(Fp8E4m3::round<float>, fp8(__NV_NOSAT, __NV_E4M3));
  expect_same_rounding(Fp8E5m2::round<float>, fp8(__NV_NOSAT, __NV_E5M2));
  FloatFormat e4m3 = fp8_e4m3_format, e5m2 = fp8_e5m2_format;
  e4m3.overflow = e5m2.overflow = Overflow::saturate;
  expect_same_rounding([&](float x) { return round_to(e4m3, x); }, fp8(__NV_SATFINITE, __NV_E4M3));
  expect_same_rounding([&](float x) { return round_to(e5m2, x); }, fp8(__NV_SATFINITE, __NV_E5M2));
}
#endif

TEST(Formats, NanStaysNanInTheBitsThatTheFormatKeeps) {
  auto const all_nans = [](auto round, std::uint32_t kept) {
    std::int64_t lost = 0;
    for (std::uint32_t payload = 1; payload < 0x00800000u; ++payload) {
      for (std::uint32_t const special : {0x7f800000u, 0xff800000u}) {
        lost += std::isnan(from_bits(to_bits(round(from_bits(special | payload))) & kept)) ? 0 : 1;
      }
    }
    return lost;
  };
  EXPECT_EQ(all_nans(Tf32::round, 0xffffe000u), 0);
  EXPECT_EQ(all_nans(Bfloat16::round, 0xffff0000u), 0);
  EXPECT_EQ(all_nans(Binary16::round, 0xffffe000u), 0);
  EXPECT_EQ(all_nans(Fp8E5m2::round<float>, 0xffe00000u), 0);
  EXPECT_EQ(Tf32::round(-inf), -inf);
  EXPECT_EQ(Bfloat16::round(inf), inf);
  EXPECT_EQ(Binary16::round(-inf), -inf);
  EXPECT_TRUE(
      std::isnan(static_cast<float>(round_to(tf32_format, from_bits(std::uint64_t{0x7ff0000000000001})))));
}

TEST(Formats, AgreeWithRoundingByDivisionForEveryOption) {
  std::mt19937_64 generator(2);
  for (Rounding const rounding : {Rounding::nearest_even, Rounding::nearest_away, Rounding::toward_zero}) {
    for (Overflow const overflow : {Overflow::infinity, Overflow::saturate, Overflow::not_a_number}) {
      for (bool const subnormals : {true, false}) {
        for (auto const& [precision, emin, emax, missing] : {std::tuple{2, -2, 3, 0},
                                                             {4, -6, 8, 1},
                                                             {8, -126, 127, 0},
                                                             {11, -14, 15, 0},
                                                             {24, -126, 127, 0},
                                                             {53, -1022, 1023, 0}}) {
          FloatFormat const format{precision, emin, emax, subnormals, overflow, rounding, missing};
          std::vector<double> values = {0.0,
                                        -0.0,
                                        HUGE_VAL,
                                        -HUGE_VAL,
                                        std::numeric_limits<double>::max(),
                                        std::numeric_limits<double>::denorm_min(),
                                        0x1.8p-1074,
                                        std::numeric_limits<double>::quiet_NaN()};
          for (int i = 0; i < 3000; ++i) {
            int const range = emax - emin + precision + 6;
            int const exponent =
                emin - precision - 2 + static_cast<int>(generator() % static_cast<unsigned>(range));
            // Few significant bits: ties and exact values are frequent.
            double const significand = static_cast<double>((generator() >> (i % 40 + 11)) | 1);
            values.push_back(
                std::ldexp((i & 1) != 0 ? -significand : significand, exponent - std::ilogb(significand)));
          }
          for (double const x : values) {
            double const got = round_to(format, x), expected = by_division(format, x);
            ASSERT_TRUE((std::isnan(got) && std::isnan(expected)) || to_bits(got) == to_bits(expected))
                << std::hexfloat << x << " -> " << got << ", not " << expected << "; p " << std::dec
                << precision;
            if (static_cast<double>(static_cast<float>(x)) == x && precision <= 24) {
              ASSERT_TRUE(same(round_to(format, static_cast<float>(x)), static_cast<float>(expected)));
            }
          }
        }
      }
    }
  }
}

TEST(Formats, RoundingTwiceIsRoundingOnce) {
  std::mt19937 generator(3);
  for (int i = 0; i < 100000; ++i) {
    float const x = from_bits(static_cast<std::uint32_t>(generator()));
    for (auto const& format : {tf32_format, bf16_format, fp16_format, fp8_e4m3_format, fp8_e5m2_format}) {
      float const once = round_to(format, x);
      ASSERT_TRUE(same(round_to(format, once), once)) << std::hexfloat << x;
    }
  }
}

TEST(Formats, NamedValuesOfTheEightBitFormats) {  // OFP8 specification, table 2
  EXPECT_EQ(Fp8E4m3::round(447.0f), 448.0f);
  EXPECT_EQ(Fp8E4m3::round(464.0f), 448.0f);
  EXPECT_TRUE(std::isnan(Fp8E4m3::round(464.1f)));
  EXPECT_EQ(Fp8E4m3::round(0x1.8p-10f), 0x1p-9f);
  EXPECT_EQ(Fp8E4m3::round(0x1p-10f), 0.0f);
  EXPECT_EQ(Fp8E5m2::round(60000.0f), 57344.0f);
  EXPECT_EQ(Fp8E5m2::round(61440.0f), inf);
  EXPECT_EQ(Fp8E5m2::round(-0x1.8p-17f), -0x1p-16f);
}

TEST(Formats, StochasticRoundingIsUnbiasedAndKeepsNeighbours) {
  FloatFormat format = bf16_format;
  format.rounding = Rounding::stochastic;
  for (float const x : {1.0f + 0x1p-9f, -(1.0f + 0x1.8p-8f), 0x1.00fp+90f, 0x1.234567p-20f}) {
    FloatFormat down = bf16_format;
    down.rounding = Rounding::toward_zero;
    float const low = round_to(down, x);
    float const unit = std::copysign(std::ldexp(1.0f, std::ilogb(x) - 7), x);
    double const expected = (static_cast<double>(x) - low) / unit;
    int const draws = 100000;
    int ups = 0;
    for (int i = 0; i < draws; ++i) {
      float const rounded = round_stochastically(bf16_format, x, 17, static_cast<std::uint64_t>(i));
      ASSERT_TRUE(rounded == low || rounded == low + unit);
      ups += rounded == low ? 0 : 1;
    }
    EXPECT_NEAR(ups, draws * expected, 5 * std::sqrt(draws * expected * (1 - expected)));
  }
  EXPECT_EQ(round_stochastically(bf16_format, 1.5f, 1, 1), 1.5f);
  EXPECT_EQ(round_to(format, -0.0f, ~0ull), 0.0f);
  EXPECT_TRUE(std::signbit(round_to(format, -0x1p-149f, ~0ull)));
  // A double far below the smallest value rounds up with its own small probability.
  EXPECT_EQ(round_to(format, 0x1p-140, 0), 0x1p-133);
  EXPECT_EQ(round_to(format, 0x1p-140, std::uint64_t{1} << 57), 0.0);
}

TEST(Formats, RandomBitsAreThoseOfRandom123) {
  for (std::uint64_t const counter : {0ull, 1ull, 0x123456789abcdefull, ~0ull}) {
    for (std::uint32_t const key : {0u, 42u, ~0u}) {
      r123::Philox2x32 const philox;
      auto const words =
          philox({{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32)}}, {{key}});
      EXPECT_EQ(philox_2x32(counter, key), words[0] | (static_cast<std::uint64_t>(words[1]) << 32));
    }
  }
}

}  // namespace
}  // namespace ulpine
