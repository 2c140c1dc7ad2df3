// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/exec/reduce.hpp"
#include "exec/number_zoo.hpp"

/// Inner products that are left in a result (dot_to, dots_to) against the exact sum of the same products.
namespace {

using namespace ulpine;
using exec_test::scattered;

template <class T>
View<T const> view(std::vector<T> const& values) {
  return {values.data(), static_cast<std::int64_t>(values.size())};
}

template <class T>
struct Factors {
  std::string name;
  std::vector<T> x, y;
};

template <class T>
ExactSum exact(Factors<T> const& of) {
  ExactSum sum;
  for (std::size_t i = 0; i < of.x.size(); ++i) {
    sum.add_product(static_cast<double>(of.x[i]), static_cast<double>(of.y[i]));
  }
  return sum;
}

template <class T>
void expect_exact(Factors<T> const& of) {
  SCOPED_TRACE(of.name + ", " + std::to_string(of.x.size()));
  auto const expected = exact(of);
  for (int const threads : {1, 3}) {
    Reducer<Host> const reducer(Host{threads});
    Scalar<double, Host> wide(Host{});
    Scalar<float, Host> narrow(Host{});
    reducer.dot_to(view(of.x), view(of.y), wide);
    reducer.dot_to(view(of.x), view(of.y), narrow);
    EXPECT_EQ(to_bits(wide.value()), to_bits(expected.to_double())) << wide.value();
    EXPECT_EQ(to_bits(narrow.value()), to_bits(expected.to_float())) << narrow.value();
  }
}

template <class T>
class RoundedDots : public testing::Test {
 public:
  using Limits = std::numeric_limits<T>;
  /// Of blocks and of machines' vectors, and one less and more; the last keeps sums on the way.
  std::vector<std::size_t> sizes{0, 1, 3, 4, 5, 15, 16, 17, 511, 512, 513, 1023, 1024, 1025, 5000, 270001};
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RoundedDots, Scalars);

TYPED_TEST(RoundedDots, AreExactForMagnitudesOfAllSorts) {
  using T = TypeParam;
  auto const most = TestFixture::Limits::max_exponent;
  for (auto const size : this->sizes) {
    auto const of = [&](char const* name, int spread, int other) {
      return Factors<T>{name, scattered<T>(size, spread, 1), scattered<T>(size, other, 2)};
    };
    expect_exact(of("like magnitudes", 1, 1));
    expect_exact(of("twelve decades", 20, 20));
    expect_exact(of("forty decades", 60, 60));
    expect_exact(of("all exponents", most / 2 - 2, most / 2 - 2));
    expect_exact(of("beyond all exponents", most - 2, most - 2));
    auto one_sign = of("one sign", 1, 1);
    one_sign.y = one_sign.x;
    expect_exact(one_sign);
    auto zeros = of("zeros", 1, 1);
    zeros.x.assign(size, T(0));
    expect_exact(zeros);
    std::fill(zeros.x.begin(), zeros.x.end(), T(-0.0));
    expect_exact(zeros);
    if (size == 0) continue;
    zeros.x.back() = TestFixture::Limits::denorm_min();
    expect_exact(zeros);
  }
}

TYPED_TEST(RoundedDots, AreExactWhereMagnitudesChangeOnTheWay) {
  using T = TypeParam;
  for (auto const size : this->sizes) {
    Factors<T> grows{"grows", scattered<T>(size, 1, 3), scattered<T>(size, 1, 4)};
    auto const last = static_cast<double>(size);
    for (std::size_t i = 0; i < size; ++i) {
      grows.x[i] *= static_cast<T>(std::exp2(std::round(100 * static_cast<double>(i) / last) - 50));
    }
    expect_exact(grows);
    auto shrinks = grows;
    shrinks.name = "shrinks";
    std::reverse(shrinks.x.begin(), shrinks.x.end());
    expect_exact(shrinks);
    auto vanishes = shrinks;
    vanishes.name = "zeros first";
    std::fill_n(vanishes.x.begin(), size / 2, T(0));
    expect_exact(vanishes);
  }
}

/// In the second block products are up to 16 times as large as the largest of the first: just what the unit
/// allows, a little less and a little more; all of one sign, so that sums of multiples are as large as can
/// be.
TYPED_TEST(RoundedDots, AreExactAtTheLargestProductsOfAUnit) {
  using T = TypeParam;
  auto const step = std::numeric_limits<T>::epsilon();
  for (T const large : {T(16), T(16) - 8 * step, T(16) + 16 * step, T(15), T(17), T(8)}) {
    for (T const sign : {T(1), T(-1)}) {
      Factors<T> of{"large " + std::to_string(large), {}, std::vector<T>(5000, T(1))};
      of.x.assign(5000, sign * large);
      of.x[3] = sign * (T(1) + step);
      for (std::size_t i = 4; i < 512; ++i) of.x[i] = sign * (T(1) + step * T(i % 7));
      std::fill_n(of.x.begin(), 3, step * step);
      of.x[4321] = step;
      expect_exact(of);
      auto const random = scattered<T>(5000, 0, 22);  // 1 to 2, of both signs
      for (std::size_t i = 512; i < 5000; ++i) of.x[i] = sign * (large - std::abs(random[i]) / 8);
      expect_exact(of);
    }
  }
}

/// More than 2^63 units.
TYPED_TEST(RoundedDots, AreExactForManyLargeProducts) {
  using T = TypeParam;
  for (T const sign : {T(1), T(-1)}) {
    Factors<T> of{"many", std::vector<T>(1200000, sign * T(15.9)), std::vector<T>(1200000, T(1))};
    std::fill_n(of.x.begin(), 512, sign);
    expect_exact(of);
  }
}

TYPED_TEST(RoundedDots, AreExactAfterCancellation) {
  using T = TypeParam;
  for (auto const size : this->sizes) {
    if (size < 3) continue;
    for (int const spread : {1, 30}) {
      Factors<T> of{"cancels", scattered<T>(size, spread, 5), scattered<T>(size, spread, 6)};
      for (std::size_t i = 0; i + 1 < size / 2; ++i) {
        of.x[size - 1 - i] = of.x[i];
        of.y[size - 1 - i] = -of.y[i];
      }
      expect_exact(of);  // but for three
      of.x[size / 2] = of.x[size / 2 - 1] = of.x[(size + 1) / 2] = T(0);
      expect_exact(of);  // to nothing
      for (int const exponent : {-20, -60, -100}) {
        of.x[size / 2] = static_cast<T>(std::exp2(exponent));
        of.y[size / 2] = T(1) + std::numeric_limits<T>::epsilon();
        expect_exact(of);
      }
    }
  }
}

/// What lies beside the middle between two numbers by less than a double can hold beside it.
TYPED_TEST(RoundedDots, RoundOnceBesideTies) {
  using T = TypeParam;
  std::mt19937_64 engine(8);
  for (int const digits : {24, 53}) {
    for (int const beside : {-70, -90, -106, -110, -118}) {
      for (int const sign : {-1, 0, 1}) {
        for (std::size_t const size : {3, 40, 1024, 3000}) {
          for (int const odd : {0, 1}) {
            Factors<T> of{"tie of " + std::to_string(digits), std::vector<T>(size, T(0)),
                          std::vector<T>(size, T(0))};
            of.x[0] = T(1), of.y[0] = T(1);
            of.x[1] = static_cast<T>(std::exp2(-digits)), of.y[1] = T(1 + 2 * odd);
            for (std::size_t i = 2; i < size; ++i) {
              of.x[i] = static_cast<T>(sign * std::exp2(beside / 2)), of.y[i] = of.x[i];
              if (sign < 0) of.y[i] = -of.x[i];
            }
            for (int shuffle = 0; shuffle < 3; ++shuffle) {
              expect_exact(of);
              for (std::size_t i = size; i-- > 1;) {
                auto const j = std::uniform_int_distribution<std::size_t>(0, i)(engine);
                std::swap(of.x[i], of.x[j]), std::swap(of.y[i], of.y[j]);
              }
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(RoundedDots, MeetInfinitiesNaNsAndOverflow) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  auto const infinity = Limits::infinity(), nan = Limits::quiet_NaN(), most = Limits::max();
  struct Planted {
    T x, y;
  };
  for (auto const& planted : std::vector<std::vector<Planted>>{{{infinity, 1}},
                                                               {{infinity, -1}, {most, most}},
                                                               {{infinity, 1}, {-infinity, 1}},
                                                               {{infinity, 0}},
                                                               {{nan, 0}},
                                                               {{-nan, 1}, {infinity, 1}},
                                                               {{most, most}},
                                                               {{most, -most}},
                                                               {{most, most}, {most, -most}},
                                                               {{most, 1}, {most, 1}},
                                                               {{most, 1}, {-most, 1}}}) {
    for (std::size_t const size : {2, 20, 1500, 5000}) {
      for (std::size_t const first : {std::size_t{0}, size / 2, size - 2}) {
        Factors<T> of{"planted at " + std::to_string(first), scattered<T>(size, 5, 7),
                      scattered<T>(size, 5, 8)};
        for (std::size_t n = 0; n < planted.size(); ++n) {
          of.x[first + n] = planted[n].x, of.y[first + n] = planted[n].y;
        }
        expect_exact(of);
      }
    }
  }
}

/// Products and their errors that are subnormal or vanish, and large ones that do not overflow.
TEST(RoundedDotsOfDoubles, AreExactAtBothEndsOfTheRange) {
  for (int const exponent : {-1070, -1022, -990, -960, -860, -845, -840, -830, 950, 960, 970, 1000, 1018}) {
    for (std::size_t const size : {1, 17, 1024, 3000}) {
      Factors<double> of{"around 2^" + std::to_string(exponent), scattered<double>(size, 2, 9),
                         scattered<double>(size, 2, 10)};
      for (auto& x : of.x) x = std::ldexp(x, exponent / 2);
      for (auto& y : of.y) y = std::ldexp(y, exponent - exponent / 2);
      expect_exact(of);
      for (std::size_t i = 0; i < size; i += 2) of.x[i] = std::ldexp(of.x[i], exponent < 0 ? 60 : -60);
      expect_exact(of);
    }
  }
}

TYPED_TEST(RoundedDots, ReadOnlyThePointsWhereverTheyLie) {
  using T = TypeParam;
  auto const nan = std::numeric_limits<T>::quiet_NaN();
  for (std::int64_t const rows : {1, 3, 700}) {
    for (std::int64_t const columns : {1, 5, 33}) {
      auto const size = static_cast<std::size_t>(rows * columns);
      Factors<T> of{"strided", scattered<T>(size, 20, 11), scattered<T>(size, 20, 12)};
      auto const expected = exact(of).to_double();
      for (std::int64_t const step : {1, 2}) {
        auto const pitch = step * columns + 3;
        std::vector<T> spread(static_cast<std::size_t>(rows * pitch + 8), nan);
        for (std::int64_t n = 0; n < rows * columns; ++n) {
          spread[static_cast<std::size_t>(7 + n / columns * pitch + n % columns * step)] =
              of.x[static_cast<std::size_t>(n)];
        }
        Values<T> const x{spread.data(),
                          {.extent = {1, 1, rows, columns}, .stride = {0, 0, pitch, step}, .first = 7}};
        for (int const threads : {1, 3}) {
          Scalar<double, Host> result(Host{});
          Reducer<Host> const reducer(Host{threads});
          reducer.dot_to(x, view(of.y), result);
          EXPECT_EQ(to_bits(result.value()), to_bits(expected));
          reducer.dot_to(view(of.y), x, result);
          EXPECT_EQ(to_bits(result.value()), to_bits(expected));
        }
      }
    }
  }
}

TYPED_TEST(RoundedDots, OfSeveralAtOnceAreThoseOfEach) {
  using T = TypeParam;
  auto const w = scattered<T>(3001, 20, 13);
  for (std::size_t const count : {0, 1, 2, 7, 8, 9, 31}) {
    std::vector<Factors<T>> factors;
    for (std::size_t n = 0; n < count; ++n) {
      auto const size = n % 7 == 6 ? 1000 * (n % 4) : w.size();
      factors.push_back({"", scattered<T>(size, static_cast<int>(7 * n % 50), 14 + static_cast<unsigned>(n)),
                         std::vector<T>(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(size))});
      if (n % 5 == 3) factors.back().y = scattered<T>(size, 20, 60 + static_cast<unsigned>(n));
    }
    for (int const threads : {1, 3}) {
      std::vector<double> results(count + 1, -7);
      std::vector<InnerProduct<T, double>> products;
      for (std::size_t n = 0; n < count; ++n) {
        auto const x = view(factors[n].x);
        auto const y = n % 5 == 3 ? view(factors[n].y) : View<T const>{w.data(), x.size()};
        products.push_back({x, y, &results[n]});
      }
      Reducer<Host>(Host{threads}).dots_to(std::span<InnerProduct<T, double> const>(products));
      for (std::size_t n = 0; n < count; ++n) {
        EXPECT_EQ(to_bits(results[n]), to_bits(exact(factors[n]).to_double())) << n << " of " << count;
      }
      EXPECT_EQ(results.back(), -7);
    }
  }
}

/// Four vectors whose products with one other are taken together, one of them of another kind at each place.
TYPED_TEST(RoundedDots, OfVectorsWithOneOtherAreThoseOfEach) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (std::size_t const size : {5, 512, 513, 2500}) {
    auto const y = scattered<T>(size, 3, 15);
    auto grows = scattered<T>(size, 1, 16), cancels = scattered<T>(size, 1, 17),
         planted = scattered<T>(size, 1, 18), infinite = planted, near_tie = std::vector<T>(size, T(0));
    for (std::size_t i = 0; i < size; ++i) {
      grows[i] *= static_cast<T>(std::exp2(40 * static_cast<double>(i) / static_cast<double>(size)));
      near_tie[i] = static_cast<T>(0x1p-40) / y[i];
    }
    for (std::size_t i = 0; i + 1 < size; i += 2) cancels[i] = y[i + 1], cancels[i + 1] = -y[i];
    planted[size / 2] = Limits::quiet_NaN(), infinite[size - 1] = -Limits::infinity();
    // Beyond all units in the first block, as the rest afterwards.
    auto large_first = scattered<T>(size, 1, 23);
    large_first[1] = static_cast<T>(Limits::max() / 16);
    for (auto const& other : {std::vector<T>(size, T(0)), scattered<T>(size, Limits::max_exponent - 10, 19),
                              grows, cancels, planted, infinite, near_tie, large_first,
                              scattered<T>(size, 30, 20), std::vector<T>(size, Limits::denorm_min())}) {
      for (std::size_t const count : {4, 5, 8, 11}) {
        for (std::size_t place = 0; place < count; ++place) {
          std::vector<std::vector<T>> x(count, scattered<T>(size, 1, 21));
          for (std::size_t n = 0; n < count; ++n) {
            for (auto& value : x[n]) value *= static_cast<T>(1 << n);  // units of their own
          }
          x[place] = other;
          std::vector<double> results(count, -7);
          std::vector<InnerProduct<T, double>> products;
          for (std::size_t n = 0; n < count; ++n) products.push_back({view(x[n]), view(y), &results[n]});
          for (int const threads : {1, 3}) {
            Reducer<Host>(Host{threads}).dots_to(std::span<InnerProduct<T, double> const>(products));
            for (std::size_t n = 0; n < count; ++n) {
              EXPECT_EQ(to_bits(results[n]), to_bits(exact(Factors<T>{"", x[n], y}).to_double()))
                  << n << " of " << count << ", another at " << place << ", " << size;
            }
          }
        }
      }
    }
  }
}

/// After four that cancel the others are begun by fine units: those that cancel too, and others.
TYPED_TEST(RoundedDots, AfterSeveralThatCancelAreThoseOfEach) {
  using T = TypeParam;
  constexpr std::size_t size = 2500, all = 11;
  auto const y = scattered<T>(size, 3, 24);
  auto const cancels = [&](std::size_t n) {
    auto x = scattered<T>(size, 1, 25);
    for (std::size_t i = 0; i + 1 < size; i += 2) x[i] = y[i + 1], x[i + 1] = -y[i];
    x[n] += static_cast<T>(std::exp2(-20));
    return x;
  };
  auto planted = scattered<T>(size, 1, 26);
  planted[size - 1] = std::numeric_limits<T>::quiet_NaN();
  for (auto const& other : {cancels(17), scattered<T>(size, 1, 27), scattered<T>(size, 40, 28), planted,
                            std::vector<T>(size, T(0))}) {
    std::vector<std::vector<T>> x;
    for (std::size_t n = 0; n < all; ++n) x.push_back(n % 8 < 4 ? cancels(n) : other);
    for (std::size_t const count : {std::size_t{5}, std::size_t{7}, std::size_t{8}, all}) {
      std::vector<double> results(count, -7);
      std::vector<InnerProduct<T, double>> products;
      for (std::size_t n = 0; n < count; ++n) products.push_back({view(x[n]), view(y), &results[n]});
      for (int const threads : {1, 3}) {
        Reducer<Host>(Host{threads}).dots_to(std::span<InnerProduct<T, double> const>(products));
        for (std::size_t n = 0; n < count; ++n) {
          EXPECT_EQ(to_bits(results[n]), to_bits(exact(Factors<T>{"", x[n], y}).to_double()))
              << n << " of " << count;
        }
      }
    }
  }
}

}  // namespace
