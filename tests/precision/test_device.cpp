// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

#include "core/exec/host.hpp"
#include "precision/device_kernels.hpp"
#include "precision/formats.hpp"
#include "precision/tf32_mma.hpp"
#include "precision/ulp.hpp"
#include "support/device_test.hpp"

namespace precision_test {
namespace {

using namespace ulpine;

class OnDevice : public test::DeviceTest {
 protected:
  template <class T>
  void expect_same_bits_of_all_functions();
};

bool same(auto a, auto b) { return (std::isnan(a) && std::isnan(b)) || to_bits(a) == to_bits(b); }

template <class T>
void OnDevice::expect_same_bits_of_all_functions() {
  constexpr std::size_t count = std::size_t{1} << 24;
  Arguments<T> arguments(99);
  std::vector<T> x(count), y(count), expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (i % 4) {
      case 0:
        x[i] = arguments.any_bits(), y[i] = arguments.any_bits();
        break;
      case 1:
        x[i] = arguments.uniform(-100, 100), y[i] = arguments.uniform(-10, 10);
        break;
      case 2:  // next to multiples of pi / 2; y makes pow span its range
        x[i] = static_cast<T>(static_cast<double>(arguments.integer(1, 1 << 30)) * 1.5707963267948966);
        y[i] = arguments.uniform(-40, 40);
        break;
      default:
        x[i] = arguments.uniform(0, 3), y[i] = arguments.any_exponent(-8, 8);
        break;
    }
  }
  auto const dx = upload(x), dy = upload(y);
  Array<T, Cuda> device_result(cuda, static_cast<std::int64_t>(count));
  int const threads = static_cast<int>(std::thread::hardware_concurrency());
  auto const size = static_cast<std::int64_t>(count);
  for (int f = 0; f < function_count; ++f) {
    auto const function = static_cast<Function>(f);
    run(cuda, Evaluation<T>{function, dx.view(), dy.view(), device_result.view()});
    for_each(Host{threads}, size,
             Evaluation<T>{function, {x.data(), size}, {y.data(), size}, {expected.data(), size}});
    auto const got = download(device_result);
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!same(got[i], expected[i]) && wrong++ == 0) {
        first = i;
      }
    }
    EXPECT_EQ(wrong, 0u) << function_names[f] << "(" << std::hexfloat << x[first] << ", " << y[first]
                         << "): device " << got[first] << ", host " << expected[first];
  }
}

TEST_F(OnDevice, EveryElementaryFunctionOfFloatHasTheBitsOfTheHost) {
  expect_same_bits_of_all_functions<float>();
}
TEST_F(OnDevice, EveryElementaryFunctionOfDoubleHasTheBitsOfTheHost) {
  expect_same_bits_of_all_functions<double>();
}

/// Every argument on the device against CUDA's double function; what a double cannot decide, on the host in
/// 113-bit arithmetic.
TEST_F(OnDevice, FloatFunctionsKeepTheirBoundsOverAllArguments) {
  struct Bounds {
    Function function;
    float128 (*reference)(float128 const&);
    double largest_error;
    std::int64_t not_nearest;  ///< log, sin, tanh: as ulp_exhaustive counts with glibc; all: H200, 2026-11-21
  };
  for (auto const& [function, reference, largest_error, not_nearest] :
       {Bounds{Function::exp, math::exp, 0.76, 2033348}, Bounds{Function::exp2, math::exp2, 0.76, 2053161},
        Bounds{Function::log, math::log, 0.50000001, 5}, Bounds{Function::log2, math::log2, 0.50000001, 0},
        Bounds{Function::sin, math::sin, 0.50000001, 2}, Bounds{Function::cos, math::cos, 0.50000001, 4},
        Bounds{Function::tan, math::tan, 0.50000001, 0}, Bounds{Function::sinh, math::sinh, 0.50000001, 2},
        Bounds{Function::cosh, math::cosh, 0.50000001, 0}, Bounds{Function::tanh, math::tanh, 0.50000001, 0},
        Bounds{Function::cbrt, math::cbrt, 0.50000001, 0}}) {
    auto const* name = function_names[static_cast<int>(function)];
    Array<UlpScan, Cuda> result(cuda, 1);
    Array<std::uint32_t, Cuda> undecided_list(cuda, 1 << 20);
    scan_ulp(cuda, function, result.view(), undecided_list.view());
    auto const scan = download(result)[0];
    auto undecided = download(undecided_list);
    ASSERT_LE(scan.undecided, undecided.size()) << name;
    undecided.resize(scan.undecided);

    auto const error = [&, function = function, reference = reference](std::uint32_t bits) {
      float const x = from_bits(bits);
      return error_in_ulp(evaluate(function, x, x), reference(float128(x)));
    };
    auto at = static_cast<std::uint32_t>(scan.worst);
    double worst = error(at);
    EXPECT_NEAR(worst, from_bits(static_cast<std::uint32_t>(scan.worst >> 32)), 1e-6)
        << name << "(" << std::hexfloat << from_bits(at) << ") in 113 bits and on the device";
    auto wrong = static_cast<std::int64_t>(scan.not_nearest);
    for (std::uint32_t const bits : undecided) {
      double const one = error(bits);
      wrong += one > 0.5 ? 1 : 0;
      if (one > worst) {
        worst = one, at = bits;
      }
    }
    std::cout << name << "(float): 4294967296 arguments, " << wrong
              << " not rounded to nearest, largest error " << std::fixed << std::setprecision(8) << worst
              << std::defaultfloat << " ulp at " << std::hexfloat << from_bits(at) << std::defaultfloat
              << "; " << undecided.size() << " by 113 bits" << std::endl;
    EXPECT_LT(worst, largest_error) << name;
    EXPECT_EQ(wrong, not_nearest) << name;
  }
}

TEST_F(OnDevice, RoundingsAreTheHardwaresForAllFloats) {
  struct Named {
    Conversion conversion;
    char const* name;
  };
  for (auto const [conversion, name] :
       {Named{Conversion::tf32_rna, "tf32"}, Named{Conversion::bf16_rn, "bf16"},
        Named{Conversion::fp16_rn, "fp16"}, Named{Conversion::e4m3, "e4m3"},
        Named{Conversion::e4m3_saturating, "e4m3 saturating"}, Named{Conversion::e5m2, "e5m2"},
        Named{Conversion::e5m2_saturating, "e5m2 saturating"}}) {
    Array<ConversionMismatches, Cuda> result(cuda, 1);
    compare_conversion(cuda, conversion, result.view());
    auto const mismatches = download(result)[0];
    EXPECT_EQ(mismatches.count, 0u) << name << ", for instance at bits " << std::hex << mismatches.example;
    if (conversion == Conversion::tf32_rna) {  // NaNs whose payload lies in the 13 low bits alone, at most
      EXPECT_LE(mismatches.nan_lost_by_device, 2u * 0x1fffu);
      std::cout << "NaNs that cvt.rna.tf32 loses: " << mismatches.nan_lost_by_device << std::hex
                << ", for instance " << mismatches.lost_example << " becomes " << mismatches.lost_result
                << std::dec << std::endl;
    } else {
      EXPECT_EQ(mismatches.nan_lost_by_device, 0u) << name << " of " << std::hex << mismatches.lost_example;
    }
  }
}

/// One family of operands for the comparison of mma.sync with its model.
struct OperandClass {
  char const* name;
  int steps;  ///< chained products
  std::function<float()> a, b, c;
};

std::vector<OperandClass> operand_classes(Arguments<float>& random) {
  auto const uniform = [&] { return Tf32::round(random.uniform(-1, 1)); };
  auto const wide = [&random](int range) {
    return [&random, range] { return Tf32::round(random.any_exponent(-range, range)); };
  };
  auto const power = [&] {
    return std::copysign(std::ldexp(1.0f, static_cast<int>(random.integer(-14, 14))), random.uniform(-1, 1));
  };
  auto const often_zero = [&, w = wide(6)] {
    auto const kind = random.integer(0, 3);
    return kind == 0 ? 0.0f : kind == 1 ? -0.0f : w();
  };
  auto const zero = [&] { return random.integer(0, 1) == 0 ? 0.0f : -0.0f; };
  auto const subnormal = [&] { return Tf32::round(random.any_exponent(-149, -120)); };
  auto const near_top = [&] { return Tf32::round(random.any_exponent(60, 64)); };
  auto const special = [&, w = wide(3)] {
    switch (random.integer(0, 40)) {
      case 0:
        return HUGE_VALF;
      case 1:
        return -HUGE_VALF;
      case 2:
        return std::nanf("");
      case 3:
        return 0.0f;
      default:
        return w();
    }
  };
  auto const unrounded = [&] { return random.uniform(-1, 1); };
  auto const any = [&] { return random.any_bits(); };
  auto const any_lower = [&] { return from_bits(to_bits(random.any_bits()) & 0xbfffffffu); };
  auto const small_integer = [&] { return static_cast<float>(random.integer(-3, 3)); };
  return {
      {"uniform", 1, uniform, uniform, uniform},
      {"exponents within 2^12", 1, wide(12), wide(12), wide(12)},
      {"exponents within 2^60", 1, wide(60), wide(60), wide(60)},
      {"powers of two", 1, power, power, power},
      {"cancelling small integers", 1, small_integer, small_integer, small_integer},
      {"many zeros of both signs", 1, often_zero, often_zero, often_zero},
      {"a zero against large operands", 1, often_zero, wide(60), wide(60)},
      {"zeros only", 1, zero, zero, zero},
      {"subnormal operands", 1, subnormal, wide(8), subnormal},
      {"subnormal operands times large ones", 1, subnormal, wide(100), wide(20)},
      {"subnormal products and sums", 1, [=] { return 0x1p-70f * wide(4)(); },
       [=] { return 0x1p-70f * wide(4)(); }, subnormal},
      {"products beyond subnormal", 1, [=] { return 0x1p-90f * wide(10)(); },
       [=] { return 0x1p-60f * wide(10)(); }, subnormal},
      {"sums about the largest float", 1, near_top, near_top, [=] { return 0x1p63f * near_top(); }},
      {"infinities and NaN", 1, special, special, special},
      {"operands with bits beyond TF32", 1, unrounded, unrounded, unrounded},
      {"chains of 16, uniform", 16, uniform, uniform, uniform},
      {"chains of 16, exponents within 2^12", 16, wide(12), wide(12), wide(12)},
      {"chains of 16, many zeros", 16, often_zero, often_zero, often_zero},
      {"products of 2^-160 to 2^-120", 1, [=] { return 0x1p-70f * wide(10)(); },
       [=] { return 0x1p-70f * wide(10)(); }, zero},
      {"chains of 16, subnormal sums", 16, [=] { return 0x1p-68f * wide(8)(); },
       [=] { return 0x1p-70f * wide(8)(); }, subnormal},
      {"any bits", 1, any, any, any},
      {"any bits of the lower half", 1, any_lower, any_lower, any},
  };
}

TEST_F(OnDevice, TensorCoreProductsAreThoseOfTheModel) {
  struct Variant {
    char const* name;
    MmaModel model;
  };
  // The first is the one that is claimed; the others, each with one rule changed, show which classes can
  // tell.
  std::vector<Variant> variants = {{"hopper", hopper_mma},
                                   {"zeros align", hopper_mma},
                                   {"overflow saturates", hopper_mma},
                                   {"-0 on underflow", hopper_mma}};
  variants[1].model.zeros_align = !hopper_mma.zeros_align;
  variants[2].model.overflow_saturates = !hopper_mma.overflow_saturates;
  variants[3].model.underflow_keeps_sign = !hopper_mma.underflow_keeps_sign;
  struct Floor {
    char const* name;
    int exponent;
  };
  for (auto const [name, exponent] : {Floor{"no least exponent", -1000}, Floor{"least -134", -134},
                                      Floor{"least -132", -132}, Floor{"least -126", -126}}) {
    variants.push_back({name, hopper_mma});
    variants.back().model.least_exponent = exponent;
  }
  std::cout << std::left << std::setw(40) << "mismatches of 524288 outputs";
  for (auto const& variant : variants) {
    std::cout << "  " << std::setw(18) << variant.name;
  }
  std::cout << std::endl;

  constexpr std::int64_t tiles = 4096;
  Arguments<float> random(3);
  for (auto const& operands : operand_classes(random)) {
    int const steps = operands.steps;
    auto const fill = [](std::int64_t size, std::function<float()> const& next) {
      std::vector<float> values(static_cast<std::size_t>(size));
      for (float& value : values) {
        value = next();
      }
      return values;
    };
    auto const a = fill(tiles * steps * 128, operands.a), b = fill(tiles * steps * 64, operands.b);
    auto const c = fill(tiles * 128, operands.c);
    auto const da = upload(a), db = upload(b), dc = upload(c);
    Array<float, Cuda> dd(cuda, tiles * 128);
    run_tf32_mma(cuda, tiles, steps, da.view(), db.view(), dc.view(), dd.view());
    auto const hardware = download(dd);

    std::cout << std::left << std::setw(40) << operands.name;
    for (auto const& variant : variants) {
      bool const claimed = &variant == &variants.front();
      if (!claimed && steps > 1) {
        continue;  // costs much and tells no more
      }
      std::int64_t wrong = 0;
      std::ostringstream example;
      for (std::int64_t tile = 0; tile < tiles; ++tile) {
        float sum[128], next[128];
        std::copy_n(&c[static_cast<std::size_t>(128 * tile)], 128, sum);
        for (int step = 0; step < steps; ++step) {
          mma_m16n8k8(variant.model, &a[static_cast<std::size_t>(128 * (tile * steps + step))],
                      &b[static_cast<std::size_t>(64 * (tile * steps + step))], sum, next);
          std::copy_n(next, 128, sum);
        }
        for (int i = 0; i < 128; ++i) {
          float const got = hardware[static_cast<std::size_t>(128 * tile + i)];
          if (!same(got, sum[i]) && wrong++ < 6 && claimed) {
            example << std::hexfloat << "\n    hardware " << got << ", model " << sum[i] << ", c "
                    << c[static_cast<std::size_t>(128 * tile + i)] << ", products of the first step";
            for (int k = 0; k < 8; ++k) {
              example << "\n    " << a[static_cast<std::size_t>(128 * tile * steps + 8 * (i / 8) + k)]
                      << " * " << b[static_cast<std::size_t>(64 * tile * steps + 8 * k + i % 8)];
            }
          }
        }
      }
      std::cout << "  " << std::setw(18) << wrong;
      if (claimed) {
        EXPECT_EQ(wrong, 0) << operands.name << " of " << tiles * 128 << example.str();
      }
    }
    std::cout << std::endl;
  }
}

}  // namespace
}  // namespace precision_test
