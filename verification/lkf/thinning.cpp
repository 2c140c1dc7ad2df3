// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "verification/lkf/stages.hpp"

namespace ulpine::lkf::detail {
namespace {

/// The action on a pixel by the code of its neighbours (NW 1, N 2, NE 4, E 8, SE 16, S 32, SW 64, W 128):
/// bit 0 set: remove in the first sub-pass, bit 1: in the second.
using Table = std::array<std::uint8_t, 256>;

/// Zhang and Suen, Commun. ACM 27 (1984) 236: a pixel with two to six neighbours in one run goes if it is on
/// the south-east (first sub-pass) or north-west (second) side. Then the entries in which scikit-image's
/// skeletonize, which lkf_tools calls, differs from it: they take off the corners of stairs, at which traces
/// would break and slanted lines fall into pieces.
Table thinning_table() {
  Table table{};
  for (unsigned code = 0; code < 256; ++code) {
    auto const neighbours = std::popcount(code);
    auto const previous = ((code << 1) | (code >> 7)) & 255u;
    auto const runs = std::popcount(code & ~previous);
    if (neighbours < 2 || neighbours > 6 || runs != 1) continue;
    bool const n = code & 2, e = code & 8, s = code & 32, w = code & 128;
    auto const first = !(n && e && s) && !(e && s && w);
    auto const second = !(n && e && w) && !(n && s && w);
    table[code] = static_cast<std::uint8_t>((first ? 1 : 0) | (second ? 2 : 0));
  }
  constexpr std::pair<std::uint8_t, std::uint8_t> differences[] = {
      {3, 1},   {6, 1},   {10, 3},  {11, 1},  {12, 1},  {14, 1},  {24, 2},  {26, 2},  {40, 3},
      {48, 0},  {56, 2},  {96, 2},  {104, 2}, {108, 2}, {129, 0}, {130, 3}, {131, 1}, {134, 1},
      {160, 3}, {161, 1}, {176, 2}, {192, 2}, {194, 1}, {198, 1}, {224, 2}};
  for (auto const& [code, value] : differences) table[code] = value;
  return table;
}

}  // namespace

std::vector<std::uint8_t> thin(std::span<std::uint8_t const> binary, std::int64_t rows,
                               std::int64_t columns) {
  auto const table = thinning_table();
  auto const stride = columns + 2;
  std::vector<std::uint8_t> image((rows + 2) * stride, 0);
  std::vector<std::int64_t> pixels;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      if (binary[i * columns + j] == 0) continue;
      pixels.push_back((i + 1) * stride + j + 1);
      image[pixels.back()] = 1;
    }
  }
  auto const code = [&](std::int64_t p) {
    auto const* c = &image[p];
    return c[-stride - 1] | c[-stride] << 1 | c[-stride + 1] << 2 | c[1] << 3 | c[stride + 1] << 4 |
           c[stride] << 5 | c[stride - 1] << 6 | c[-1] << 7;
  };

  std::vector<std::int64_t> removed;
  bool changed = true;
  while (changed) {
    changed = false;
    for (int const pass : {1, 2}) {
      removed.clear();
      std::copy_if(pixels.begin(), pixels.end(), std::back_inserter(removed),
                   [&](std::int64_t p) { return (table[code(p)] & pass) != 0; });
      for (auto const p : removed) image[p] = 0;
      std::erase_if(pixels, [&](std::int64_t p) { return image[p] == 0; });
      changed = changed || !removed.empty();
    }
  }

  std::vector<std::uint8_t> skeleton(binary.size(), 0);
  for (auto const p : pixels) skeleton[(p / stride - 1) * columns + p % stride - 1] = 1;
  return skeleton;
}

}  // namespace ulpine::lkf::detail
