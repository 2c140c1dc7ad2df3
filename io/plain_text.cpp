// SPDX-License-Identifier: Apache-2.0
#include "io/plain_text.hpp"

#include <cstddef>

namespace ulpine::io {
namespace {

/// The beginning of `text`: one byte, or all bytes of a character that may give orders to a terminal.
struct Start {
  std::size_t bytes = 1;
  bool is_order = false;
  unsigned character = 0;  ///< in that case
};

Start start_of(std::string_view text) {
  auto const byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0u;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return {1, true, byte(0)};
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return {2, true, byte(1)};
  if (byte(0) != 0xe2) return {};
  auto const last = byte(2) & 0x3f;
  if (byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) return {3, true, 0x2000 | last};
  if (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9) return {3, true, 0x2040 | last};
  return {};
}

}  // namespace

std::string plain_text(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    auto const start = start_of(text);
    auto const kept = !start.is_order || start.character == '\n' || start.character == '\t';
    plain += kept ? text.substr(0, start.bytes) : " ";
    text.remove_prefix(start.bytes);
  }
  return plain;
}

std::string plain_json(std::string_view document) {
  std::string plain;
  plain.reserve(document.size());
  while (!document.empty()) {
    auto const start = start_of(document);
    if (start.is_order && start.character >= 0x7f) {  // JSON's own writer has escaped the others
      plain += "\\u";
      for (auto const shift : {12u, 8u, 4u, 0u}) plain += "0123456789abcdef"[start.character >> shift & 0xf];
    } else {
      plain += document.substr(0, start.bytes);
    }
    document.remove_prefix(start.bytes);
  }
  return plain;
}

}  // namespace ulpine::io
