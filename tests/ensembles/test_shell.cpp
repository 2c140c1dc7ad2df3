// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/shell.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::ensembles {
namespace {

/// What bash makes of `word`, given to printf.
std::string read_by_bash(std::string const& word, std::string const& folder) {
  auto const script = folder + "/script";
  if (auto* const file = std::fopen(script.c_str(), "w")) {
    std::fprintf(file, "printf %%s %s", word.c_str());
    std::fclose(file);
  }
  auto* const pipe = ::popen(("LC_ALL=C bash '" + script + "'").c_str(), "r");
  std::string text;
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) text += static_cast<char>(letter);
  return ::pclose(pipe) == 0 ? text : "bash failed";
}

TEST(Shell, LeavesPlainWordsAsTheyAre) {
  EXPECT_EQ(shell_quoted("out/a-b_c.toml"), "out/a-b_c.toml");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a\nb'\\"), "$'a\\012b\\'\\\\'");
}

TEST(Shell, TakesNoPathForAnOption) {
  EXPECT_EQ(shell_quoted_path("-o"), "./-o");
  EXPECT_EQ(shell_quoted_path("--x y"), "'./--x y'");
  EXPECT_EQ(shell_quoted_path("a/-o"), "a/-o");
}

TEST(Shell, ReadsAnyTextAsItIsFromOneLine) {
  test::TemporaryFolder folder;
  std::mt19937 random(41);
  std::string const odd = "'\"\\`$!*?~#&;|<>(){}[] \t\n\x01\x1b\x7f\xc2\x9b\xe2\x80\xae-=%^ab1é";
  for (auto i = 0; i < 300; ++i) {
    std::string text;
    for (auto left = 1 + random() % 12; left > 0; --left) text += odd[random() % odd.size()];
    auto const word = shell_quoted(text);
    ASSERT_EQ(one_line(word), word);
    ASSERT_EQ(read_by_bash(word, folder.path().string()), text) << word;
  }
}

}  // namespace
}  // namespace ulpine::ensembles
