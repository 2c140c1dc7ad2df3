// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "fft/transforms.hpp"
// The arithmetic of 113 bits comes first.
#include "core/fft/row_pieces.hpp"

namespace fft_test {

/// Where the values of a test are that runs on the host.
struct OnHost {
  template <class T>
  struct Values {
    std::vector<T> values;
    T* data() { return values.data(); }
    std::vector<T> const& read() const { return values; }
  };
  template <class T>
  Values<T> operator()(std::vector<T> const& values) const {
    return {values};
  }
};

/// Rows of levels with gaps between them, and pieces of any size, some of them empty, are what the transform
/// of rows leaves and takes, to the bit; nothing else is written. `make(rows)` points to a RowsInPieces,
/// `place` brings values to its memory.
template <class T, class Format, class Make, class Placing>
void expect_pieces(std::int32_t levels, std::int32_t rows, std::int32_t nx, std::uint64_t seed,
                   Make const& make, Placing const& place) {
  SCOPED_TRACE(testing::Message() << levels << " x " << rows << " x " << nx);
  test::RandomValues random(seed);
  Shape const shape{levels, rows, nx};
  auto const x = random_planes<T>(shape, seed);
  auto const wavenumbers = shape.pairs();
  auto const transform = make_portable_transform<T, Format>(Host{1}, levels, rows, nx, PlaneLines::rows);
  auto there = x;
  transform->forward(there.data());
  auto back = there;
  transform->inverse(back.data());

  RowsOfLevels real{levels, rows, nx, 2 * wavenumbers + 2 * std::int32_t(random.below(2)), 0};
  real.level = real.row * (rows + std::int32_t(random.below(3)));
  auto const real_at = [&](std::int32_t k, std::int32_t j, std::int32_t i) {
    return std::size_t(k * real.level + j * real.row + i);
  };
  auto const unwritten = T(77);
  std::vector<T> memory(std::size_t(real.level * levels), unwritten);
  auto const visit = [&](auto const& visit) {
    for (std::int32_t k = 0; k < levels; ++k) {
      for (std::int32_t j = 0; j < rows; ++j) visit(k, j);
    }
  };
  visit([&](std::int32_t k, std::int32_t j) {
    std::copy_n(&x[shape.at(k, j, 0)], 2 * wavenumbers, &memory[real_at(k, j, 0)]);
  });

  std::vector<std::int32_t> ends;
  for (int n = 1; n < 5; ++n) ends.push_back(std::int32_t(random.below(std::size_t(wavenumbers) + 1)));
  std::ranges::sort(ends);
  RowPieces<T> pieces;
  std::copy(ends.begin(), ends.end(), pieces.begin + 1);
  std::fill(pieces.begin + 5, pieces.begin + RowPieces<T>::most + 1, wavenumbers);
  // A piece after the other, the last ones first, in one array.
  std::vector<T> expected;
  std::vector<std::size_t> first(RowPieces<T>::most);
  for (auto p = first.size(); p-- > 0;) {
    first[p] = expected.size();
    for (std::int32_t j = 0; j < rows; ++j) {
      for (std::int32_t k = 0; k < levels; ++k) {
        for (auto i = 2 * pieces.begin[p]; i < 2 * pieces.begin[p + 1]; ++i) {
          expected.push_back(there[shape.at(k, j, i)]);
        }
      }
    }
  }

  auto in_rows = place(memory);
  auto in_pieces = place(std::vector<T>(expected.size(), unwritten));
  for (std::size_t p = 0; p < first.size(); ++p) pieces.first[p] = in_pieces.data() + first[p];
  auto const rows_in_pieces = make(real);
  auto const same = [](std::vector<T> const& a, std::vector<T> const& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  };
  rows_in_pieces->forward(in_rows.data(), pieces);
  EXPECT_TRUE(same(in_pieces.read(), expected)) << "forward";
  EXPECT_TRUE(same(in_rows.read(), memory)) << "rows have changed";
  in_rows = place(std::vector<T>(memory.size(), unwritten));
  rows_in_pieces->inverse(pieces, in_rows.data());
  EXPECT_TRUE(same(in_pieces.read(), expected)) << "pieces have changed";
  auto found = in_rows.read();
  int wrong = 0;
  visit([&](std::int32_t k, std::int32_t j) {
    for (std::int32_t i = 0; i < nx; ++i) {
      auto& value = found[real_at(k, j, i)];
      wrong += std::memcmp(&value, &back[shape.at(k, j, i)], sizeof(T)) == 0 ? 0 : 1;
    }
    // Padding is whatever the transform leaves.
    std::fill_n(&found[real_at(k, j, 0)], 2 * wavenumbers, unwritten);
  });
  EXPECT_EQ(wrong, 0) << "inverse";
  EXPECT_TRUE(std::ranges::all_of(found, [&](T value) { return value == unwritten; })) << "between rows";
}

}  // namespace fft_test
