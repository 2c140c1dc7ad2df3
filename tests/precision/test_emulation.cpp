// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "precision/emulated_number.hpp"

// Arithmetic in formats chosen at run time, against 4600 bits, in which sums, products and fused operations
// of doubles are exact, and 400 bits, in which a quotient or root that is no value with 54 bits is none
// either.

namespace {

using namespace ulpine;
using Big =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<4600>, boost::multiprecision::et_off>;
using Long =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<400>, boost::multiprecision::et_off>;

enum class Operation { sum, difference, product, quotient, root, fused };
constexpr Operation operations[] = {Operation::sum,      Operation::difference, Operation::product,
                                    Operation::quotient, Operation::root,       Operation::fused};

struct Operands {
  double a, b, c;
};

double compute(Operation operation, Operands const& of) {
  auto const a = EmulatedNumber::of(of.a), b = EmulatedNumber::of(of.b), c = EmulatedNumber::of(of.c);
  switch (operation) {
    case Operation::sum:
      return (a + b).value();
    case Operation::difference:
      return (a - b).value();
    case Operation::product:
      return (a * b).value();
    case Operation::quotient:
      return (a / b).value();
    case Operation::root:
      return math::sqrt(a).value();
    default:
      return math::fma(a, b, c).value();
  }
}

/// What doubles make of it: for NaN, infinities and signs of zeros.
double plainly(Operation operation, Operands const& of) {
  switch (operation) {
    case Operation::sum:
      return of.a + of.b;
    case Operation::difference:
      return of.a - of.b;
    case Operation::product:
      return of.a * of.b;
    case Operation::quotient:
      return of.a / of.b;
    case Operation::root:
      return std::sqrt(of.a);
    default:
      return std::fma(of.a, of.b, of.c);
  }
}

Big exactly(Operation operation, Operands const& of) {
  Big const a = of.a, b = of.b, c = of.c;
  switch (operation) {
    case Operation::sum:
      return a + b;
    case Operation::difference:
      return a - b;
    case Operation::product:
      return a * b;
    case Operation::quotient:
      return Big(Long(of.a) / Long(of.b));
    case Operation::root:
      return Big(sqrt(Long(of.a)));
    default:
      return a * b + c;
  }
}

bool defined(Operation operation, Operands const& of) {
  if (operation == Operation::root) return std::isfinite(of.a) && of.a >= 0;
  if (operation == Operation::fused && !std::isfinite(of.c)) return false;
  if (operation == Operation::quotient && of.b == 0) return false;
  return std::isfinite(of.a) && std::isfinite(of.b);
}

/// The format's values at and next below `exact` (by magnitude), the next above, and how far between it is.
struct Neighbours {
  double below, above;
  Big share;
};

Neighbours neighbours(FloatFormat const& format, Big const& exact) {
  Big const magnitude = abs(exact);
  if (magnitude == 0) return {0, 0, 0};
  int exponent = 0;
  frexp(magnitude, &exponent);
  auto const unit = std::max(exponent - 1, format.emin) - (format.precision - 1);
  Big const scaled = ldexp(magnitude, -unit), kept = floor(scaled);
  auto const largest = std::ldexp(2 - std::ldexp(1.0, 1 - format.precision), format.emax);
  auto const value = [&](Big const& significand) {
    Big const result = ldexp(significand, unit);
    return result > largest ? std::numeric_limits<double>::infinity() : result.convert_to<double>();
  };
  return {value(kept), value(kept + 1), scaled - kept};
}

double nearest(FloatFormat const& format, Big const& exact) {
  auto const [below, above, share] = neighbours(format, exact);
  if (share == 0) return below;
  Big const half = 0.5;
  if (share != half) return share < half ? below : above;
  // Even: the neighbour that is a value of a format with a bit less.
  auto coarser = format;
  --coarser.precision;
  ++coarser.emin;  // keeps the spacing of subnormals twice that of the format's
  if (std::isinf(above)) return above;
  auto const unit = std::max(std::ilogb(above), format.emin) - (format.precision - 1);
  auto const even = [&](double x) { return std::fmod(std::ldexp(x, -unit), 2) == 0; };
  return below != 0 && std::ilogb(below) != std::ilogb(above) ? above : even(below) ? below : above;
}

std::vector<Operands> operands(FloatFormat const& format, int count) {
  std::mt19937_64 engine(7);
  auto const ugly = [&]() -> double {
    auto const exponent = [&](int least, int most) {
      return least + static_cast<int>(engine() % static_cast<unsigned>(most - least + 1));
    };
    auto const sign = (engine() & 1) != 0 ? -1.0 : 1.0;
    auto const fraction = 1 + static_cast<double>(engine() >> 12) * 0x1p-52;
    switch (engine() % 8) {
      case 0:
        return sign * std::ldexp(fraction, exponent(format.emin - format.precision, format.emax));
      case 1:
        return sign * std::ldexp(1, exponent(-60, 60));
      case 2:
        return sign * std::ldexp(2 - std::ldexp(1, 1 - format.precision), exponent(-3, 3));
      case 3:
        return sign * std::ldexp(fraction, exponent(format.emin - format.precision - 1, format.emin));
      case 4:
        return sign * std::ldexp(fraction, exponent(format.emax - 1, format.emax));
      case 5: {
        constexpr double special[] = {0.0,
                                      -0.0,
                                      1.0,
                                      -1.0,
                                      3.0,
                                      std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN()};
        return special[engine() % std::size(special)];
      }
      default:
        return sign * std::ldexp(fraction, exponent(-4, 4));
    }
  };
  auto to_nearest = format;
  to_nearest.rounding = Rounding::nearest_even;
  std::vector<Operands> all;
  for (int i = 0; i < count; ++i) {
    Operands of{round_to(to_nearest, ugly()), round_to(to_nearest, ugly()), round_to(to_nearest, ugly())};
    if (engine() % 4 == 0) of.c = round_to(to_nearest, -of.a * of.b);  // cancels
    if (engine() % 8 == 0) of.b = round_to(to_nearest, of.a * (1 + std::ldexp(1, 2 - format.precision)));
    all.push_back(of);
  }
  return all;
}

FloatFormat format_of(int precision, int exponent_bits, Rounding rounding = Rounding::nearest_even) {
  auto const emax = (1 << (exponent_bits - 1)) - 1;
  return {.precision = precision, .emin = 1 - emax, .emax = emax, .rounding = rounding};
}

void expect_same(double result, double expected, Operands const& of, std::string const& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(result)) << what;
  } else {
    EXPECT_EQ(result, expected) << what << " of " << std::hexfloat << of.a << ' ' << of.b << ' ' << of.c;
    EXPECT_EQ(std::signbit(result), std::signbit(expected)) << what;
  }
}

TEST(Emulation, RoundsTheExactResultOnceInEveryFormat) {
  for (int const bits : {5, 8, 11}) {
    for (int precision = 2; precision <= 53; ++precision) {
      for (auto const rounding : {Rounding::nearest_even, Rounding::toward_zero}) {
        auto const format = format_of(precision, bits, rounding);
        emulation = Emulation(NamedFormat{format});
        for (auto const& of : operands(format, 25)) {
          for (auto const operation : operations) {
            auto const what = "e" + std::to_string(bits) + "m" + std::to_string(precision - 1) +
                              " operation " + std::to_string(static_cast<int>(operation));
            auto const plain = plainly(operation, of), result = compute(operation, of);
            if (!defined(operation, of)) {
              expect_same(result, plain, of, what);
              continue;
            }
            auto const exact = exactly(operation, of);
            auto magnitude = nearest(format, exact);
            if (rounding == Rounding::toward_zero) magnitude = neighbours(format, exact).below;
            if (rounding == Rounding::toward_zero && std::isinf(magnitude)) {
              magnitude = std::ldexp(2 - std::ldexp(1.0, 1 - precision), format.emax);
            }
            expect_same(result,
                        std::copysign(magnitude, exact == 0  ? plain
                                                 : exact < 0 ? -1.0
                                                             : 1.0),
                        of, what);
          }
        }
      }
    }
  }
}

// (1 + x)(1 - x + x^2) = 1 + x^3: a result all but halfway between neighbours, by less than 2^-64 of their
// distance.
TEST(Emulation, TellsWhatIsNearlyATieFromATie) {
  constexpr double x = 0x1p-25;
  for (auto const& [precision, bits] : {std::pair{52, 11}, {53, 8}}) {
    auto const format = format_of(precision, bits);
    auto const unit = std::ldexp(2.0, -precision);
    emulation = Emulation(NamedFormat{format});
    for (auto const sign : {1.0, -1.0}) {
      for (auto const toward : {1.0, -1.0}) {
        for (auto const even : {0, 1}) {
          Operands const of{1 + sign * x, toward * unit / 2 * (1 - sign * x + x * x), 1 + (4 + even) * unit};
          auto const exact = exactly(Operation::fused, of);
          EXPECT_NE(neighbours(format, exact).share, Big(0.5));
          EXPECT_EQ(compute(Operation::fused, of), nearest(format, exact))
              << precision << ' ' << sign << ' ' << toward << ' ' << even;
        }
      }
    }
  }
}

TEST(Emulation, AtRandomGivesOneOfTheNeighboursAndLeavesExactResults) {
  for (bool const even_odds : {false, true}) {
    for (int const bits : {5, 8, 11}) {
      for (int const precision : {2, 8, 11, 24, 25, 26, 40, 51, 52, 53}) {
        auto const format = format_of(precision, bits, Rounding::stochastic);
        emulation = Emulation(NamedFormat{.format = format, .even_odds = even_odds});
        emulation.begin_launch(1);
        for (auto const& of : operands(format, 25)) {
          for (auto const operation : operations) {
            if (!defined(operation, of)) continue;
            auto const [below, above, share] = neighbours(format, exactly(operation, of));
            auto const result = std::fabs(compute(operation, of));
            EXPECT_TRUE(result == below || (share != 0 && result == above))
                << result << " is neither " << below << " nor " << above << ", precision " << precision
                << ", operation " << static_cast<int>(operation);
          }
        }
      }
    }
  }
}

TEST(Emulation, GoesUpAsOftenAsTheDistanceSaysOrHalfTheTimes) {
  constexpr int tries = 4000;
  for (bool const even_odds : {false, true}) {
    for (int const precision : {8, 24, 26, 40, 52, 53}) {
      auto const format = format_of(precision, 11, Rounding::stochastic);
      emulation = Emulation(NamedFormat{.format = format, .seed = 3, .even_odds = even_odds});
      auto to_nearest = format;
      to_nearest.rounding = Rounding::nearest_even;
      auto const near = [&](double x) { return round_to(to_nearest, x); };
      // Also just below a power of two, where the spacing changes.
      for (auto const& of : {Operands{near(1.1), near(1.7), near(2.9)},
                             Operands{1, near(-0.3) * std::ldexp(1, 1 - precision), near(-0.77)},
                             Operands{1, near(0.3) * std::ldexp(1, 1 - precision), 3}}) {
        for (auto const operation : operations) {
          auto const [below, above, share] = neighbours(format, exactly(operation, of));
          auto const chance = share == 0 ? 0 : even_odds ? 0.5 : share.convert_to<double>();
          emulation.begin_launch(static_cast<std::uint64_t>(operation));
          int up = 0;
          for (int i = 0; i < tries; ++i) up += std::fabs(compute(operation, of)) == above ? 1 : 0;
          if (share == 0) up = 0;
          // Five standard deviations of a binomial; 2^-24 of it is what 32 bits and few bits leave.
          auto const deviation = std::sqrt(tries * chance * (1 - chance));
          EXPECT_NEAR(up, tries * chance, 5 * deviation + 1)
              << "precision " << precision << ", operation " << static_cast<int>(operation) << ", even "
              << even_odds;
        }
      }
    }
  }
}

TEST(Emulation, RoundsEveryResultByRandomNumbersOfItsOwn) {
  constexpr int tries = 4000;
  for (auto const* name : {"e8m10-sr1", "e8m23-sr1", "e8m23-rr1", "e11m52-sr1", "e11m52-rr1"}) {
    auto const named = *parse_format(name);
    emulation = Emulation(named);
    emulation.begin_launch(1);
    // Halfway between neighbours: both are as likely.
    auto const half = std::ldexp(1.0, -named.format.precision);
    std::vector<bool> up;
    for (int i = 0; i < tries; ++i) up.push_back((EmulatedNumber(1) + EmulatedNumber(half)).value() > 1);
    for (int lag = 1; lag <= 4; ++lag) {
      for (int phase = 0; phase < 2; ++phase) {
        int same = 0, pairs = 0;
        for (int i = phase; i + lag < tries; i += 2) ++pairs, same += up[i] == up[i + lag] ? 1 : 0;
        EXPECT_NEAR(same, pairs / 2, 5 * std::sqrt(pairs * 0.25)) << name << ", lag " << lag << ' ' << phase;
      }
    }
  }
}

TEST(Emulation, InBinary64ToNearestIsWhatDoublesDo) {
  emulation = Emulation(*parse_format("e11m52"));
  for (auto const& of : operands(format_of(53, 11), 3000)) {
    for (auto const operation : operations)
      expect_same(compute(operation, of), plainly(operation, of), of, "");
  }
  EXPECT_EQ(math::exp(EmulatedNumber(0.3)).value(), math::exp(0.3));
}

std::vector<double> sums(std::string const& name, std::uint64_t launch, std::uint64_t point) {
  emulation = Emulation(*parse_format(name));
  emulation.begin_launch(launch);
  emulation.begin_point(point);
  std::vector<double> all;
  EmulatedNumber sum = 0;
  for (int i = 1; i <= 64; ++i) all.push_back((sum += EmulatedNumber(1) / EmulatedNumber(i)).value());
  return all;
}

TEST(Emulation, RepeatsItselfFromSeedLaunchAndPoint) {
  for (std::string const kind : {"e11m52-sr", "e11m52-rr", "e8m23-sr", "e8m23-rr", "e11m40-sr"}) {
    auto const first = sums(kind + "1", 5, 9);
    EXPECT_EQ(first, sums(kind + "1", 5, 9)) << kind;
    EXPECT_NE(first, sums(kind + "2", 5, 9)) << kind;
    EXPECT_NE(first, sums(kind + "1", 6, 9)) << kind;
    EXPECT_NE(first, sums(kind + "1", 5, 10)) << kind;
    EXPECT_NE(first, sums(kind.substr(0, kind.find('-')), 5, 9)) << kind;
  }
}

TEST(Emulation, TakesOperandsOfAWiderFormatToTheNearestOfItsOwn) {
  emulation = Emulation(*parse_format("e5m10"));
  auto const third = EmulatedNumber::of(1.0 / 3), much = EmulatedNumber::of(1e6);
  EXPECT_EQ((third - third).value(), 0);
  EXPECT_EQ((third + EmulatedNumber(0)).value(), round_to(fp16_format, 1.0 / 3));
  EXPECT_TRUE(third == EmulatedNumber(round_to(fp16_format, 1.0 / 3)));
  EXPECT_TRUE(std::isinf((much + EmulatedNumber(1)).value()));
  auto const copy = third;
  EXPECT_EQ(copy.value(), 1.0 / 3) << "what is only moved stays";
  emulation = Emulation(*parse_format("e5m10-sr1"));
  EXPECT_EQ((third - third).value(), 0) << "nor is the operand taken at random";
}

TEST(Emulation, MovesElementaryFunctionsOfBinary64ByAUnitHalfTheTimes) {
  emulation = Emulation(*parse_format("e11m52-sr1"));
  emulation.begin_launch(0);
  auto const plain = math::exp(0.3);
  int up = 0, down = 0;
  constexpr int tries = 4000;
  for (int i = 0; i < tries; ++i) {
    auto const value = math::exp(EmulatedNumber(0.3)).value();
    EXPECT_LE(std::fabs(value - plain), std::nextafter(plain, 2) - plain);
    up += value > plain ? 1 : 0;
    down += value < plain ? 1 : 0;
    EXPECT_EQ(math::cos(EmulatedNumber(0)).value(), 1);
  }
  auto const bound = 5 * std::sqrt(tries * 0.25 * 0.75);
  EXPECT_NEAR(up, tries / 4, bound);
  EXPECT_NEAR(down, tries / 4, bound);
}

TEST(FormatNames, SayTheFormat) {
  auto const bf16 = parse_format("e8m7");
  ASSERT_TRUE(bf16);
  EXPECT_EQ(bf16->format.precision, bf16_format.precision);
  EXPECT_EQ(bf16->format.emin, bf16_format.emin);
  EXPECT_EQ(bf16->format.emax, bf16_format.emax);
  EXPECT_EQ(parse_format("e5m10")->format.emin, fp16_format.emin);
  EXPECT_EQ(parse_format("e5m10-rz")->format.rounding, Rounding::toward_zero);
  EXPECT_EQ(parse_format("e5m10-sr9")->seed, 9u);
  EXPECT_FALSE(parse_format("e5m10-sr9")->even_odds);
  EXPECT_EQ(parse_format("e11m52-rr9")->seed, 9u);
  EXPECT_TRUE(parse_format("e11m52-rr")->even_odds);
  EXPECT_EQ(parse_format("e11m52-rr")->format.rounding, Rounding::stochastic);
  EXPECT_EQ(parse_format("e11m52")->format.precision, 53);
  for (auto const* bad : {"", "e8", "e8m", "m7", "e1m7", "e12m7", "e8m0", "e8m53", "e8m7-", "e8m7-up",
                          "e8m7-sr-1", "e8m7-rr-1", "e8m7 ", "E8m7", "e8m7-sr4294967296"}) {
    EXPECT_FALSE(parse_format(bad)) << bad;
  }
}

TEST(FormatNames, OfPoliciesAreTheirArithmetic) {
  EXPECT_EQ(format_of_policy("fp64")->format.precision, 53);
  for (auto const* single : {"fp32", "mixed", "tf32", "bf16", "fp16"}) {
    EXPECT_EQ(format_of_policy(single)->format.precision, 24) << single;
  }
  EXPECT_FALSE(format_of_policy("mixed")->multiplicand);
  EXPECT_EQ(format_of_policy("tf32")->multiplicand->rounding, Rounding::nearest_away);
  EXPECT_EQ(format_of_policy("bf16")->multiplicand->precision, 8);
  EXPECT_EQ(format_of_policy("fp16")->multiplicand->emax, 15);
  EXPECT_EQ(format_of_policy("e8m10")->format.precision, 11);
  EXPECT_FALSE(format_of_policy("quad"));
  EXPECT_FALSE(format_of_policy("fp33"));
}

}  // namespace
