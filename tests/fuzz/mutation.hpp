// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/exec/random.hpp"

namespace ulpine::fuzz {

/// Random numbers of one file: a pure function of seed, kind and number of the file, so that any of them can
/// be made again without those before it.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view kind, std::int64_t number);
  std::uint64_t bits();
  /// Uniform in [0, limit) up to a bias of limit / 2^64; 0 where limit is 0.
  std::size_t below(std::size_t limit);
  bool one_in(std::size_t times) { return below(times) == 0; }

 private:
  std::uint64_t seed_;
  std::uint32_t kind_;
  std::uint64_t number_;
  std::uint32_t block_ = 0;
  PhiloxCounter values_{};
  std::size_t left_ = 0;
};

/// `base` with bits flipped, bytes and integers set, cut, stuffed, blocks doubled, swapped, blanked or taken
/// from `other`, another valid file of the kind. Never one of the two itself.
std::string mutate_bytes(std::string const& base, std::string const& other, Draws& draws);

/// As mutate_bytes, and with numbers, texts and lines of a text format made huge, negative, not finite,
/// empty, double, deeply nested or no UTF-8. Never one of the two itself.
std::string mutate_text(std::string const& base, std::string const& other, Draws& draws);

}  // namespace ulpine::fuzz
