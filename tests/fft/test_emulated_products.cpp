// SPDX-License-Identifier: Apache-2.0
// Butterflies whose products have operands of a format that is known only when the program runs, against
// those of a policy compiled for it.
#include <gtest/gtest.h>

#include <string>

#include "precision/emulated_number.hpp"
#include "precision/format_name.hpp"
#include "precision/policy.hpp"

#include "core/fft/butterflies.hpp"
#include "support/random_values.hpp"

namespace ulpine::fft {
namespace {

template <class Policy, int R>
void expect_equal_butterflies() {
  using Narrow = Products<float, typename Policy::Multiplicand>;
  using Emulated = Products<EmulatedNumber, EmulatedMultiplicand>;
  emulation = Emulation(*format_of_policy(Policy::name));
  test::RandomValues random(R);
  auto const number = [&] { return static_cast<float>(random.between(-1, 1)); };
  for (int trial = 0; trial < 50; ++trial) {
    Complex<float> narrow[R];
    Complex<EmulatedNumber> emulated[R];
    Constants<float> constants;
    Constants<EmulatedNumber> wide;  // as tables hold them
    auto const constant = [&](float& rounded, EmulatedNumber& stored) {
      auto const value = number();
      rounded = Policy::Multiplicand::round(value);
      stored = EmulatedNumber(value);
    };
    auto const roots = [&](auto& rounded, auto& stored) {
      for (std::size_t k = 0; k < std::size(rounded.cosine); ++k) {
        constant(rounded.cosine[k], stored.cosine[k]);
        constant(rounded.sine[k], stored.sine[k]);
      }
    };
    constant(constants.sqrt_half, wide.sqrt_half);
    roots(constants.of3, wide.of3);
    roots(constants.of5, wide.of5);
    roots(constants.of7, wide.of7);
    for (int r = 0; r < R; ++r) {
      narrow[r] = {number(), number()};
      emulated[r] = {EmulatedNumber(narrow[r].re), EmulatedNumber(narrow[r].im)};
    }
    Butterfly<Narrow, R>::apply(narrow, constants);
    Butterfly<Emulated, R>::apply(emulated, wide);
    for (int r = 0; r < R; ++r) {
      EXPECT_EQ(emulated[r].re.value(), narrow[r].re) << Policy::name << ' ' << R << ' ' << r;
      EXPECT_EQ(emulated[r].im.value(), narrow[r].im) << Policy::name << ' ' << R << ' ' << r;
    }
  }
}

TEST(EmulatedProducts, OfButterfliesAreThoseOfThePolicy) {
  expect_equal_butterflies<Tf32Products, 3>();
  expect_equal_butterflies<Tf32Products, 5>();
  expect_equal_butterflies<Tf32Products, 7>();
  expect_equal_butterflies<Tf32Products, 8>();
  expect_equal_butterflies<Bf16Products, 3>();
  expect_equal_butterflies<Bf16Products, 8>();
}

}  // namespace
}  // namespace ulpine::fft
