// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ulpine::detail {

/// Numbers and texts as bytes, from one rank to another of the same program.
class Packet {
 public:
  Packet() = default;
  explicit Packet(std::vector<std::byte> bytes) : bytes_{std::move(bytes)} {}
  std::span<std::byte const> bytes() const { return bytes_; }

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> Packet& put(T value) {
    append(&value, sizeof(value));
    return *this;
  }
  Packet& put(std::string const& text) {
    put(text.size());
    append(text.data(), text.size());
    return *this;
  }
  Packet& put(std::vector<std::string> const& texts) {
    put(texts.size());
    for (auto const& text : texts) put(text);
    return *this;
  }

  /// In the order in which they were put.
  template <class T>
  T take() {
    if constexpr (std::is_same_v<T, std::string>) {
      std::string text(take<std::size_t>(), ' ');
      copy(text.data(), text.size());
      return text;
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      std::vector<std::string> texts(take<std::size_t>());
      for (auto& text : texts) text = take<std::string>();
      return texts;
    } else {
      T value;
      copy(&value, sizeof(value));
      return value;
    }
  }

 private:
  void append(void const* data, std::size_t size) {
    if (size == 0) return;
    auto const before = bytes_.size();
    bytes_.resize(before + size);
    std::memcpy(bytes_.data() + before, data, size);
  }
  void copy(void* target, std::size_t size) {
    std::memcpy(target, bytes_.data() + next_, size);
    next_ += size;
  }
  std::vector<std::byte> bytes_;
  std::size_t next_ = 0;
};

}  // namespace ulpine::detail
