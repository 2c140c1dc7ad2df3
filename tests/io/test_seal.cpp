// SPDX-License-Identifier: Apache-2.0
#include "io/seal.hpp"

#include <gtest/gtest.h>

#include <random>

#include "io/case_file.hpp"
#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;
using test::TemporaryFolder;

TEST(StreamHash, IsXxh64HoweverTheBytesCome) {
  // The published values for the empty text and for "abc" (seed 0).
  EXPECT_EQ(StreamHash{}.value(), 0xef46db3751d8e999u);
  StreamHash abc;
  abc.add("a");
  abc.add("");
  abc.add("bc");
  EXPECT_EQ(abc.value(), 0x44bc2cf5ad770999u);
}

TEST(ContentOf, SeesEveryByteOfLargeFilesAndRefusesWhatIsNoFile) {
  TemporaryFolder const folder;
  std::string bytes((std::size_t{5} << 20) + 3, 'x');
  test::write_file(folder / "a", bytes);
  auto const before = content_of(folder / "a");
  EXPECT_EQ(before.bytes, bytes.size());
  StreamHash hash;
  hash.add(bytes);
  EXPECT_EQ(before.hash, hash.value());
  for (auto const place : {std::size_t{0}, std::size_t{1} << 20, bytes.size() - 1}) {
    auto altered = bytes;
    altered[place] ^= 1;
    test::write_file(folder / "a", altered);
    EXPECT_NE(content_of(folder / "a"), before) << place;
  }
  EXPECT_THROW(content_of(folder / "none"), InputError);
  EXPECT_THROW(content_of(folder / ""), InputError);
  EXPECT_THROW(content_of("/dev/zero"), InputError);
}

TEST(SealedJson, EveryAlteredByteIsNoticed) {
  auto const sealed = sealed_json("{\n \"schema\": \"x/1\",\n \"values\": [1, 2.5, null]\n}\n");
  EXPECT_EQ(sealed.find("{\n \"schema\": \"x/1\",\n \"values\": [1, 2.5, null],\n\"seal\": \""), 0u);
  auto const accepted = [](std::string const& text) {
    auto const message = message_of<InputError>([&] { require_json_seal(text, "a.json", "do this"); });
    if (message == "(nothing thrown)") return true;
    EXPECT_EQ(message.find("a.json: was altered or cut short ("), 0u);
    EXPECT_TRUE(message.ends_with(" do this"));
    return false;
  };
  EXPECT_TRUE(accepted(sealed));
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      auto altered = sealed;
      altered[i] ^= static_cast<char>(1 << bit);
      EXPECT_FALSE(accepted(altered)) << i;
    }
    EXPECT_FALSE(accepted(sealed.substr(0, i)));
    EXPECT_FALSE(accepted(sealed.substr(0, i) + " " + sealed.substr(i)));
  }
  EXPECT_FALSE(accepted(sealed + "\n"));
}

TEST(Seal, TellsWholeFromBrokenAndAbsent) {
  TemporaryFolder const folder;
  auto const path = folder / "a";
  test::write_file(path, "some bytes");
  EXPECT_EQ(seal_of(path), Seal::absent);
  append_seal(path, path);
  EXPECT_EQ(seal_of(path), Seal::whole);
  auto const whole = test::read_file(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto altered = whole;
    altered[i] ^= 4;
    test::write_file(path, altered);
    EXPECT_NE(seal_of(path), Seal::whole) << i;
  }
}

/// A case that reads `grid.mesh` from a file of that content.
struct MeshCase {
  explicit MeshCase(std::filesystem::path const& folder, std::string const& more = "")
      : file{CaseFile::parse("core = \"x\"\n" + more, "case.toml", folder)} {
    file.core();
    file.file("grid.mesh", true);
  }
  CaseFile file;
};

TEST(Seal, IsKnownToBeLostUnlessSomethingElseWasBegunThere) {
  TemporaryFolder const folder;
  auto const path = folder.write("a", "content");
  constexpr std::uint64_t end = 7;
  EXPECT_FALSE(has_lost_its_seal(path, end));
  append_seal(path, path);
  auto const sealed = test::read_file(path);
  auto const lost = [&](std::string const& bytes) {
    return has_lost_its_seal(folder.write("b", bytes), end);
  };
  EXPECT_TRUE(lost("conten"));
  for (auto length = end + 1; length < sealed.size(); ++length) EXPECT_TRUE(lost(sealed.substr(0, length)));
  auto altered = sealed;
  altered[end] ^= 1;
  EXPECT_TRUE(lost(altered));
  EXPECT_TRUE(lost(sealed + "x"));
  for (std::size_t at = 0; at <= 16; ++at) {
    altered = sealed;
    EXPECT_TRUE(lost(altered.insert(end + at, "abcdefghij"))) << at;
  }
  EXPECT_FALSE(lost("content" + std::string(65, 'x')));
}

TEST(InputFilesOfACase, CountByTheirContentAndNotByTheirName) {
  TemporaryFolder const folder;
  test::write_file(folder / "a.smesh", "one");
  test::write_file(folder / "b.smesh", "one");
  test::write_file(folder / "c.smesh", "two");
  auto const hash = [&](std::string const& name) {
    MeshCase const mesh{folder / "", "grid.mesh = \"" + name + "\"\n"};
    mesh.file.reject_unknown();
    return mesh.file.hash();
  };
  EXPECT_EQ(hash("a.smesh"), hash("b.smesh"));
  EXPECT_NE(hash("a.smesh"), hash("c.smesh"));
}

TEST(InputFilesOfACase, AreKnownByTheEchoWhichRefusesAnotherContent) {
  TemporaryFolder const folder;
  test::write_file(folder / "a.smesh", "one");
  auto const first = MeshCase{folder / "", "grid.mesh = \"a.smesh\"\n"}.file.resolved();
  auto const reread = [&] {
    auto file = CaseFile::parse(first, "study/case.toml");
    file.core();
    file.file("grid.mesh", true);
    file.reject_unknown();
    return file.resolved();
  };
  EXPECT_EQ(reread(), first);
  test::write_file(folder / "a.smesh", "onE");
  auto const message = message_of<InputError>(reread);
  EXPECT_EQ(
      message.find("study/case.toml:2: grid.mesh: its content has changed (" + (folder / "a.smesh").string()),
      0u)
      << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Difference, NamesTheFirstKeyThatIsNotAsBefore) {
  auto const parse = [](std::string const& text) { return CaseFile::parse(text, "c.toml"); };
  auto const before = parse("a = 1\nb = \"x\"\nverify.u.rmse = 1.0\n");
  auto const difference = [&](std::string const& text) { return parse(text).difference(before, {"verify"}); };
  EXPECT_EQ(difference("# note\nb = \"x\"\na = 1\nverify.v.rmse = 2.0\n"), "");
  EXPECT_EQ(difference("a = 2\nb = \"x\"\n"), "c.toml:1: a: is the integer 2, was the integer 1");
  EXPECT_EQ(difference("a = 1\n"), "c.toml: b: is missing, was the text \"x\"");
  EXPECT_EQ(difference("a = 1\nb = \"x\"\nverified = 3\n"),
            "c.toml:3: verified: is the integer 3, was not there");
}

TEST(Difference, SeesWhatMessagesCutShort) {
  auto const parse = [](std::string const& text) { return CaseFile::parse(text, "c.toml"); };
  auto const difference = [&](std::string const& is, std::string const& was) {
    return parse("a = " + is + "\n").difference(parse("a = " + was + "\n"), {});
  };
  std::string const letters(100, 'x');
  EXPECT_EQ(difference("\"" + letters + "y\"", "\"" + letters + "z\""),
            "c.toml:1: a: is a text of 101 bytes, was a text of 101 bytes");
  EXPECT_EQ(difference("\"" + letters + "\"", "\"" + letters + "\""), "");
  EXPECT_EQ(difference("[1, 2]", "[1, 3]"), "c.toml:1: a: is [1, 2], was [1, 3]");
  EXPECT_EQ(difference("[1, 2]", "[ 1,2 ]"), "");
  EXPECT_EQ(difference("[1, 2]", "[1.0, 2]"), "c.toml:1: a: is [1, 2], was [1.0, 2]");
  auto const many = "[\"" + letters + "\", ";
  EXPECT_EQ(difference(many + "1]", many + "2]"),
            "c.toml:1: a: is an array of 2 elements, was an array of 2 elements");
}

}  // namespace
}  // namespace ulpine::io
