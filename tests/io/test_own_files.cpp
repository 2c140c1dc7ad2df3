// SPDX-License-Identifier: Apache-2.0
#include "io/own_files.hpp"

#include <gtest/gtest.h>

#include <array>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

namespace fs = std::filesystem;

std::string refusal(fs::path const& path, FileSignature const& signature,
                    Overwrite overwrite = Overwrite::never) {
  return test::message_of<InputError>([&] { require_replaceable(path, signature, overwrite); });
}
constexpr char const* accepted = "(nothing thrown)";

TEST(OwnFiles, BearTheMarkInItsPlace) {
  test::TemporaryFolder const folder;
  auto const bears_it = [&](std::string const& text, FileSignature const& signature) {
    return has_signature(folder.write("file", text), signature);
  };
  EXPECT_TRUE(bears_it("ULPTRACE...", signatures::trace));
  EXPECT_FALSE(bears_it(" ULPTRACE...", signatures::trace));
  EXPECT_FALSE(bears_it("ULPTRAC", signatures::trace));
  EXPECT_TRUE(bears_it(with_signature("a table\n", signatures::table), signatures::table));
  EXPECT_TRUE(bears_it("written by Ulpine", signatures::table));
  EXPECT_FALSE(bears_it("written by Ulpine\nand by me\n", signatures::table));
  EXPECT_TRUE(bears_it("<html>\n<meta name=\"generator\" content=\"Ulpine\">", signatures::page));
  EXPECT_FALSE(
      bears_it(std::string(5000, ' ') + "<meta name=\"generator\" content=\"Ulpine\">", signatures::page));
  EXPECT_TRUE(bears_it("{\n  \"schema\": \"ulpine.run/1\", \"a\": 1}", signatures::run));
  EXPECT_FALSE(bears_it("{\"schema\": \"ulpine.run-of-mine/1\"}", signatures::run));
  EXPECT_FALSE(bears_it("{\"schema\": \"ulpine.results/1\"}", signatures::run)) << "another kind";
  EXPECT_FALSE(bears_it("{\"a\": {\"schema\": \"ulpine.run/1\"}}", signatures::run));
  std::string const hdf5 = std::string("\x89HDF\r\n\x1a\n", 8);
  EXPECT_TRUE(bears_it(hdf5 + "ulpine_created", signatures::output));
  // Wherever pieces that are read end.
  for (auto const before : {65500u, 65536u, 65520u, 1u << 20}) {
    EXPECT_TRUE(bears_it(hdf5 + std::string(before, 'x') + "ulpine_created", signatures::output)) << before;
  }
  EXPECT_FALSE(bears_it(hdf5 + "created", signatures::output));
  EXPECT_FALSE(bears_it("ulpine_created", signatures::output));
  EXPECT_FALSE(bears_it("", signatures::output));
  EXPECT_FALSE(has_signature(folder / "absent", signatures::output));
  EXPECT_FALSE(has_signature(folder.path(), signatures::output));
}

TEST(OwnFiles, AloneAreReplaced) {
  test::TemporaryFolder const folder;
  auto const own = folder.write("own.bin", "ULPTRACE"), other = folder.write("other.bin", "mine");
  EXPECT_EQ(refusal(own, signatures::trace), accepted);
  EXPECT_EQ(refusal(folder / "absent", signatures::trace), accepted);
  auto const line = refusal(other, signatures::trace);
  EXPECT_NE(line.find("other.bin: would be replaced (it is no trace of a run"), std::string::npos) << line;
  EXPECT_EQ(line.find("--overwrite"), std::string::npos) << "of a command without the option";
  EXPECT_NE(refusal(other, signatures::trace, Overwrite::on_request).find("--overwrite"), std::string::npos);
  EXPECT_EQ(refusal(other, signatures::trace, Overwrite::requested), accepted);
  for (auto const& target : {own, folder / "absent"}) {
    auto const link = folder / ("link to " + target.filename().string());
    fs::create_symlink(target, link);
    EXPECT_NE(refusal(link, signatures::trace).find("symbolic link"), std::string::npos);
    EXPECT_EQ(refusal(link, signatures::trace, Overwrite::requested), accepted);
  }
  fs::create_directory(folder / "folder");
  EXPECT_NE(refusal(folder / "folder", signatures::trace, Overwrite::requested).find("it is a folder"),
            std::string::npos);
}

TEST(OwnFiles, NeverReplaceWhatIsRead) {
  test::TemporaryFolder const folder;
  auto const input = folder.write("input", "");
  fs::create_hard_link(input, folder / "hard");
  fs::create_symlink(input, folder / "soft");
  std::array<fs::path, 3> const inputs = {fs::path{}, folder / "absent", input};
  for (auto const* name : {"input", "hard", "soft"}) {
    auto const line = test::message_of<InputError>([&] { require_no_input(folder / name, inputs); });
    EXPECT_NE(line.find("it is the input"), std::string::npos) << name;
  }
  EXPECT_NO_THROW(require_no_input(folder.write("other", ""), inputs));
}

TEST(OwnFiles, AreWrittenBesideTheirPlaceAndNotThroughLinks) {
  test::TemporaryFolder const folder;
  auto const target = folder.write("target", "mine");
  fs::create_symlink(target, folder / "soft");
  fs::create_hard_link(target, folder / "hard");
  for (auto const* name : {"soft", "hard", "new"}) {
    write_atomically(folder / name, "text");
    EXPECT_EQ(test::read_file(folder / name), "text");
    EXPECT_FALSE(fs::is_symlink(folder / name));
  }
  EXPECT_EQ(test::read_file(target), "mine");
  {
    BegunFile const file(folder / "new");
    test::write_file(file.begun(), "half");
  }
  EXPECT_EQ(test::read_file(folder / "new"), "text");
  fs::create_directory(folder / "folder");
  folder.write("folder/notes", "mine");
  EXPECT_THROW(write_atomically(folder / "folder", "text"), EnvironmentError);
  EXPECT_EQ(test::read_file(folder / "folder/notes"), "mine");
  auto const count = std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{});
  EXPECT_EQ(count, 5) << "nothing is left of what was begun";
}

}  // namespace
}  // namespace ulpine::io
