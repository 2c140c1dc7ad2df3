// SPDX-License-Identifier: Apache-2.0
#include "io/same_file.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
namespace fs = std::filesystem;

TEST(SameFile, IsFoundUnderAnyName) {
  test::TemporaryFolder folder;
  auto const a = folder.write("a", "text"), b = folder.write("b", "text"), missing = folder / "none";
  fs::create_symlink(b, folder / "link");
  fs::create_hard_link(b, folder / "hard");
  fs::create_directory(folder / "in");
  for (auto const& other : {b, folder / "link", folder / "hard", folder / "in" / ".." / "b"}) {
    std::vector<fs::path> const files = {a, missing, b, missing, other};
    auto const found = io::same_file(files);
    ASSERT_TRUE(found) << other;
    EXPECT_EQ(found->first, 2u);
    EXPECT_EQ(found->second, 4u);
  }
}

TEST(SameFile, IsNoneOfThoseThatAreAlikeOrMissing) {
  test::TemporaryFolder folder;
  auto const a = folder.write("a", "text"), b = folder.write("b", "text");
  EXPECT_FALSE(io::same_file(std::vector<fs::path>{a, b, folder / "none", folder / "none"}));
  EXPECT_FALSE(io::same_file({}));
}

}  // namespace
