// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/exec/memory.hpp"
#include "fft/transforms.hpp"
#include "io/error.hpp"

namespace {

using namespace fft_test;

Shape const shapes[] = {{1, 1, 1},  {2, 1, 2},   {3, 2, 1},    {2, 12, 10},  {3, 9, 15},  {2, 7, 22},
                        {1, 26, 8}, {2, 33, 64}, {1, 121, 45}, {2, 100, 48}, {1, 64, 49}, {1, 40, 97}};

/// The sum of squares over the whole spectrum.
double energy(Shape shape, std::vector<double> const& y) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    auto const kx = std::int32_t(i / 2 % std::size_t(shape.pairs()));
    sum += (kx == 0 || 2 * kx == shape.nx ? 1 : 2) * y[i] * y[i];
  }
  return sum;
}

double norm(std::vector<double> const& y) {
  double sum = 0;
  for (double const value : y) sum += value * value;
  return std::sqrt(sum);
}

double distance(std::vector<double> const& a, std::vector<double> const& b) {
  std::vector<double> difference(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return norm(difference) / norm(b);
}

/// Of two transforms of n points each: the bound of test_accuracy.cpp, taken generously for Bluestein's way.
double tolerance(Shape shape) { return 0x1p-53 * 2 * 60 * std::log2(2.0 * shape.nx * shape.ny + 2); }

/// By so many points to the east and north, cyclic.
std::vector<double> shifted(Shape shape, std::vector<double> const& x, std::int32_t east,
                            std::int32_t north) {
  std::vector<double> result(x.size());
  for (std::int32_t k = 0; k < shape.planes; ++k) {
    for (std::int32_t y = 0; y < shape.ny; ++y) {
      for (std::int32_t i = 0; i < shape.nx; ++i) {
        result[shape.at(k, (y + north) % shape.ny, (i + east) % shape.nx)] = x[shape.at(k, y, i)];
      }
    }
  }
  return result;
}

/// As ranks do it: rows of some of a plane's rows at a time, then columns of some wavenumbers at a time.
template <class Make>
std::vector<double> by_lines(Shape shape, std::vector<double> x, Make const& make, bool forward) {
  auto const rows = [&] {
    for (std::int32_t begin = 0, count = 0; begin < shape.ny; begin += count) {
      count = std::min<std::int32_t>(begin + 1, shape.ny - begin);
      auto const transform = make(1, count, shape.nx, PlaneLines::rows);
      for (std::int32_t k = 0; k < shape.planes; ++k) {
        auto* const first = &x[shape.at(k, begin, 0)];
        forward ? transform->forward(first) : transform->inverse(first);
      }
    }
  };
  auto const columns = [&] {
    for (std::int32_t begin = 0, count = 0; begin < shape.pairs(); begin += count) {
      count = std::min<std::int32_t>(begin + 1, shape.pairs() - begin);
      auto const row = 2 * std::size_t(count);
      std::vector<double> part(std::size_t(shape.planes) * std::size_t(shape.ny) * row);
      auto const copy = [&](bool there) {
        for (std::int32_t line = 0; line < shape.planes * shape.ny; ++line) {
          for (std::size_t i = 0; i < row; ++i) {
            auto& inside = part[std::size_t(line) * row + i];
            auto& whole = x[shape.at(0, line, 2 * begin + std::int32_t(i))];
            there ? inside = whole : whole = inside;
          }
        }
      };
      copy(true);
      auto const transform = make(shape.planes, shape.ny, count, PlaneLines::columns);
      forward ? transform->forward(part.data()) : transform->inverse(part.data());
      copy(false);
    }
  };
  forward ? (rows(), columns()) : (columns(), rows());
  return x;
}

/// The same columns where the rows of all planes lie together.
template <class Make>
void expect_bits_of_columns_of_rows_together(Make const& make) {
  for (auto const& shape : shapes) {
    auto const x = random_planes<double>(shape, 23);
    auto const row = 2 * std::size_t(shape.pairs());
    auto const turned = [&](std::vector<double> const& planes, bool there) {
      auto result = planes;
      for (std::int32_t k = 0; k < shape.planes; ++k) {
        for (std::int32_t j = 0; j < shape.ny; ++j) {
          auto const apart = shape.at(k, j, 0), together = std::size_t(j * shape.planes + k) * row;
          for (std::size_t i = 0; i < row; ++i) {
            result[(there ? together : apart) + i] = planes[(there ? apart : together) + i];
          }
        }
      }
      return result;
    };
    auto const plain = make(shape.planes, shape.ny, shape.pairs(), PlaneLines::columns),
               together = make(shape.planes, shape.ny, shape.pairs(), PlaneLines::columns_of_rows_together);
    auto apart = x, by_row = turned(x, true);
    plain->forward(apart.data());
    together->forward(by_row.data());
    EXPECT_EQ(turned(by_row, false), apart) << shape.ny << " x " << shape.nx;
    plain->inverse(apart.data());
    together->inverse(by_row.data());
    EXPECT_EQ(turned(by_row, false), apart) << shape.ny << " x " << shape.nx;
  }
}
TEST(PortableTransform, HasTheSameBitsInRowsTogether) {
  expect_bits_of_columns_of_rows_together(
      [](auto... sizes) { return make_portable_transform<double>(Host{2}, sizes...); });
}
TEST(VendorTransform, TakesRowsTogether) {
  expect_bits_of_columns_of_rows_together(
      [](auto... sizes) { return make_vendor_transform<double>(Host{2}, sizes...); });
}

TEST(PortableTransform, HasTheSameBitsLineByLine) {
  auto const make = [](std::int32_t planes, std::int32_t ny, std::int32_t nx, PlaneLines lines) {
    return make_portable_transform<double>(Host{2}, planes, ny, nx, lines);
  };
  for (auto const& shape : shapes) {
    auto const x = random_planes<double>(shape, 23);
    auto const there = forward(Host{2}, shape, x), back = inverse(Host{2}, shape, there);
    EXPECT_EQ(by_lines(shape, x, make, true), there) << shape.ny << " x " << shape.nx;
    EXPECT_EQ(by_lines(shape, there, make, false), back) << shape.ny << " x " << shape.nx;
  }
}
TEST(VendorTransform, IsThatOfPlanesLineByLine) {
  auto const make = [](std::int32_t planes, std::int32_t ny, std::int32_t nx, PlaneLines lines) {
    return make_vendor_transform<double>(Host{2}, planes, ny, nx, lines);
  };
  for (auto const& shape : shapes) {
    auto const x = random_planes<double>(shape, 23);
    auto const there = forward(Host{2}, shape, x), back = inverse(Host{2}, shape, there);
    EXPECT_LT(distance(by_lines(shape, x, make, true), there), tolerance(shape));
    auto result = by_lines(shape, there, make, false);
    // What a row's padding holds is nobody's.
    for (std::int32_t line = 0; line < shape.planes * shape.ny; ++line) {
      for (std::int32_t i = shape.nx; i < 2 * shape.pairs(); ++i) {
        result[shape.at(0, line, i)] = back[shape.at(0, line, i)];
      }
    }
    EXPECT_LT(distance(result, back), tolerance(shape));
  }
}

TEST(PortableTransform, KeepsTheSumOfSquares) {
  for (auto const& shape : shapes) {
    auto const x = random_planes<double>(shape, 11);
    auto const before = norm(x) * norm(x) * shape.nx * shape.ny;
    EXPECT_NEAR(energy(shape, forward(Host{1}, shape, x)) / before, 1, 2 * tolerance(shape));
  }
}

TEST(PortableTransform, IsLinear) {
  for (auto const& shape : shapes) {
    auto const a = random_planes<double>(shape, 1), b = random_planes<double>(shape, 2);
    auto sum = a;
    for (std::size_t i = 0; i < a.size(); ++i) sum[i] = 3 * a[i] - 0.5 * b[i];
    auto expected = forward(Host{1}, shape, a);
    auto const of_b = forward(Host{1}, shape, b);
    for (std::size_t i = 0; i < a.size(); ++i) expected[i] = 3 * expected[i] - 0.5 * of_b[i];
    EXPECT_LE(distance(forward(Host{1}, shape, sum), expected), 4 * tolerance(shape));
  }
}

TEST(PortableTransform, TurnsAShiftIntoPhases) {
  for (auto const& shape : shapes) {
    auto const x = random_planes<double>(shape, 3);
    std::int32_t const east = 3 % shape.nx, north = 5 % shape.ny;
    auto expected = forward(Host{1}, shape, x);
    for (std::size_t i = 0; i < expected.size(); i += 2) {
      auto const kx = std::int64_t(i / 2 % std::size_t(shape.pairs()));
      auto const ky = std::int64_t(i / 2 / std::size_t(shape.pairs()) % std::size_t(shape.ny));
      auto const turn = double(kx * east % shape.nx) / shape.nx + double(ky * north % shape.ny) / shape.ny;
      double const c = std::cos(2 * std::numbers::pi * turn), s = -std::sin(2 * std::numbers::pi * turn);
      double const re = expected[i], im = expected[i + 1];
      expected[i] = re * c - im * s;
      expected[i + 1] = re * s + im * c;
    }
    EXPECT_LE(distance(forward(Host{1}, shape, shifted(shape, x, east, north)), expected), tolerance(shape))
        << shape.ny << " x " << shape.nx;
  }
}

/// All of the Poisson solver's sizes are even; a lone wave says more than noise about single wavenumbers.
TEST(PortableTransform, OfAWaveIsASingleNumber) {
  for (auto const n : {8, 12, 30, 64, 98, 22}) {
    Shape const shape{1, 5, n};
    for (std::int32_t k = 1; 2 * k < n; ++k) {
      std::vector<double> x(shape.values());
      for (std::int32_t y = 0; y < 5; ++y) {
        for (std::int32_t i = 0; i < n; ++i) {
          x[shape.at(0, y, i)] = std::cos(2 * std::numbers::pi * (double(k * i % n) / n + 2 * y / 5.0));
        }
      }
      auto const y = forward(Host{1}, shape, x);
      for (std::int32_t j = 0; j < 5; ++j) {
        for (std::int32_t i = 0; i < shape.pairs(); ++i) {
          auto const expected = j == 2 && i == k ? 2.5 * n : 0.0;
          EXPECT_NEAR(y[shape.at(0, j, 2 * i)], expected, tolerance(shape) * 5 * n) << n << ": " << k;
          EXPECT_NEAR(y[shape.at(0, j, 2 * i + 1)], 0, tolerance(shape) * 5 * n) << n << ": " << k;
        }
      }
    }
  }
}

/// Without rounding: all factors of the only number are 1 but where Bluestein's convolution spreads it.
TEST(PortableTransform, OfAnImpulseIsOneEverywhere) {
  for (auto const n : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 45, 64, 98, 100, 360}) {
    Shape const shape{1, n, n};
    std::vector<double> x(shape.values());
    x[0] = 1;
    auto const y = forward(Host{1}, shape, x);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i % 2 == 0 ? 1 : 0) << n << ", value " << i;
  }
}

TEST(PortableTransform, OfRealsIsHermitianAlongY) {
  for (auto const& shape : shapes) {
    auto const y = forward(Host{1}, shape, random_planes<double>(shape, 4));
    auto const scale = tolerance(shape) * norm(y);
    for (std::int32_t const kx : {0, shape.nx / 2}) {
      if (kx != 0 && shape.nx % 2 != 0) continue;
      for (std::int32_t k = 0; k < shape.planes; ++k) {
        for (std::int32_t ky = 0; ky < shape.ny; ++ky) {
          auto const there = shape.at(k, ky == 0 ? 0 : shape.ny - ky, 2 * kx);
          auto const here = shape.at(k, ky, 2 * kx);
          EXPECT_NEAR(y[here], y[there], scale);
          EXPECT_NEAR(y[here + 1], -y[there + 1], scale);
        }
      }
    }
  }
}

TEST(PortableTransform, TakesNoNoticeOfWhatRealsCannotHave) {
  for (auto const nx : {1, 2, 5, 6, 8, 22, 13}) {
    Shape const shape{1, 1, nx};
    auto y = forward(Host{1}, shape, random_planes<double>(shape, 7));
    auto const expected = inverse(Host{1}, shape, y);
    y[1] = 17;
    if (nx % 2 == 0) y[std::size_t(nx) + 1] = -3;
    auto const result = inverse(Host{1}, shape, y);
    for (std::int32_t i = 0; i < nx; ++i) EXPECT_EQ(result[std::size_t(i)], expected[std::size_t(i)]) << nx;
    if (nx % 2 != 0) {
      EXPECT_EQ(result[std::size_t(nx)], 0) << nx;
    }
  }
}

template <class T>
void expect_bits(std::vector<T> const& a, std::vector<T> const& b, Shape shape, char const* what) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)), 0)
      << what << ", " << shape.ny << " x " << shape.nx << ", " << sizeof(T) << " bytes";
}

template <class T, class Format>
void expect_independent(Shape shape) {
  auto const x = random_planes<T>(shape, 21);
  auto const expected = forward<T, Format>(Host{1}, shape, x);
  auto const back = inverse<T, Format>(Host{1}, shape, expected);
  for (int const threads : {2, 3}) {
    expect_bits(forward<T, Format>(Host{threads}, shape, x), expected, shape, "threads");
    expect_bits(inverse<T, Format>(Host{threads}, shape, expected), back, shape, "threads, back");
  }
  auto const plane = std::ptrdiff_t(shape.values()) / shape.planes;
  for (std::int32_t k = 0; k < shape.planes; ++k) {
    auto const of = [&](std::vector<T> const& all) {
      return std::vector<T>(all.begin() + k * plane, all.begin() + (k + 1) * plane);
    };
    expect_bits(forward<T, Format>(Host{1}, {1, shape.ny, shape.nx}, of(x)), of(expected), shape, "alone");
    expect_bits(inverse<T, Format>(Host{1}, {1, shape.ny, shape.nx}, of(expected)), of(back), shape,
                "alone, back");
  }
}

TEST(PortableTransform, HasTheSameBitsForAnyThreadsAndPlanes) {
  for (auto const& shape :
       {Shape{5, 12, 10}, {3, 21, 33}, {4, 7, 22}, {2, 64, 50}, {3, 1, 6}, {3, 6, 1}, {3, 300, 260}}) {
    expect_independent<float, Exact>(shape);
    expect_independent<double, Exact>(shape);
    expect_independent<float, Tf32>(shape);
    expect_independent<float, Bfloat16>(shape);
    expect_independent<float, Binary16>(shape);
  }
  expect_independent<float128, Exact>({5, 12, 10});
}

TEST(PortableTransform, AllocatesOnlyWhenMade) {
  Shape const shape{3, 22, 30};
  auto x = random_planes<float>(shape, 2);
  auto const transform = make_portable_transform<float>(Host{2}, shape.planes, shape.ny, shape.nx);
  EXPECT_GT(transform->work_bytes(), 0);
  auto const before = allocations();
  transform->forward(x.data());
  transform->inverse(x.data());
  EXPECT_EQ(allocations(), before);
}

TEST(PortableTransform, RefusesAnEmptyPlane) {
  EXPECT_THROW(make_portable_transform<double>(Host{1}, 1, 0, 4), InputError);
  EXPECT_THROW(make_portable_transform<double>(Host{1}, 1, 4, 0), InputError);
  EXPECT_THROW(make_portable_transform<double>(Host{1}, -1, 4, 4), InputError);
  double untouched = 3;
  make_portable_transform<double>(Host{1}, 0, 4, 4)->forward(&untouched);
  EXPECT_EQ(untouched, 3);
}

}  // namespace
