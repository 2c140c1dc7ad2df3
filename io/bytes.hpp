// SPDX-License-Identifier: Apache-2.0
// Integers and texts in the binary files of our own: as memory has them, texts behind 4 bytes of their
// length.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ulpine::io {

static_assert(std::endian::native == std::endian::little, "files are written as memory has them");

template <class Integer>
void put(std::string& bytes, Integer value) {
  static_assert(std::is_integral_v<Integer>);
  bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
}

inline void put_text(std::string& bytes, std::string const& text) {
  put(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
}

using TextPairs = std::vector<std::pair<std::string, std::string>>;

/// Appends the number of pairs, then key and value of each.
inline void put_pairs(std::string& bytes, TextPairs const& pairs) {
  put(bytes, static_cast<std::uint32_t>(pairs.size()));
  for (auto const& [key, value] : pairs) {
    put_text(bytes, key);
    put_text(bytes, value);
  }
}

/// Takes values off the front of bytes that outlive it; false, and nothing more, once they do not hold them.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_{bytes} {}

  template <class Integer>
  bool take(Integer& value) {
    static_assert(std::is_integral_v<Integer>);
    if (rest_.size() < sizeof value) return false;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return true;
  }
  bool take_text(std::string_view& text) {
    std::uint32_t size = 0;
    if (!take(size) || rest_.size() < size) return false;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool take_text(std::string& text) {
    std::string_view view;
    if (!take_text(view)) return false;
    text = view;
    return true;
  }
  bool take_pairs(TextPairs& pairs) {
    std::uint32_t count = 0;
    if (!take(count)) return false;
    for (; count > 0; --count) {
      auto& [key, value] = pairs.emplace_back();
      if (!take_text(key) || !take_text(value)) return false;
    }
    return true;
  }
  std::size_t left() const { return rest_.size(); }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace ulpine::io
