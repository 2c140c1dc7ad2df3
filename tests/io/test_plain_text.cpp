// SPDX-License-Identifier: Apache-2.0
#include "io/plain_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/error.hpp"

namespace {

using namespace ulpine;

/// UTF-8 of a character below U+10000, as RFC 3629 has it.
std::string utf8(unsigned character) {
  auto const byte = [](unsigned value) { return static_cast<char>(value); };
  if (character < 0x80) return {byte(character)};
  if (character < 0x800) return {byte(0xc0 | character >> 6), byte(0x80 | (character & 0x3f))};
  return {byte(0xe0 | character >> 12), byte(0x80 | (character >> 6 & 0x3f)),
          byte(0x80 | (character & 0x3f))};
}

/// Unicode's general category Cc, its bidirectional embeddings, overrides and isolates, and the separators of
/// lines and paragraphs (Unicode 15, UnicodeData.txt and PropList.txt).
bool gives_orders(unsigned character) {
  return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
         (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

TEST(PlainText, HasNoCharacterThatGivesOrdersAndAllOthers) {
  for (unsigned character = 0; character < 0x10000; ++character) {
    if (character >= 0xd800 && character < 0xe000) continue;  // no characters of their own
    auto const text = "a" + utf8(character) + "b";
    auto const kept = !gives_orders(character) || character == '\n' || character == '\t';
    ASSERT_EQ(io::plain_text(text), kept ? text : "a b") << std::hex << character;
    ASSERT_EQ(one_line(text), gives_orders(character) ? "a b" : text) << std::hex << character;
  }
}

TEST(PlainText, KeepsWhatIsNoWholeCharacter) {
  for (std::string const text : {"\xc2", "a\xe2\x80", "\xe2", "\x9b\xff"})
    EXPECT_EQ(io::plain_text(text), text);
}

TEST(PlainText, OfJsonSaysTheSame) {
  std::string text;
  for (unsigned character = 0; character < 0x10000; ++character) {
    if (character < 0xd800 || character >= 0xe000) text += utf8(character);
  }
  nlohmann::json const document = {{"name", text}};
  auto const plain = io::plain_json(document.dump(1));
  EXPECT_EQ(nlohmann::json::parse(plain), document);
  EXPECT_EQ(io::plain_text(plain), plain);
}

}  // namespace
