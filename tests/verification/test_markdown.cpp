// SPDX-License-Identifier: Apache-2.0
#include "verification/results/markdown.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "verification/results/junit.hpp"

namespace ulpine::verification {
namespace {

TEST(Markdown, LeavesPlainNamesAsTheyAre) {
  for (std::string const text : {"fp64/deterministic", "sivol.l2_relative", "eps=2^-53", "41.5 ± 2.25 (s-1)",
                                 "größe: 3 of 4; (1 - R)", "0.05 in [0.01, 0.1], margin 1"}) {
    EXPECT_EQ(cell(text), text);
  }
}

TEST(Markdown, TakesTheMeaningFromMarkup) {
  EXPECT_EQ(cell("a|b"), "a\\|b");
  EXPECT_EQ(cell("[x](y) *b* _i_ a_b"), "\\[x\\](y) \\*b\\* \\_i\\_ a_b");
  EXPECT_EQ(cell("<script>&lt;~~$x$`"), "\\<script\\>\\&lt;\\~\\~\\$x\\$\\`");
  EXPECT_EQ(cell("- a"), "\\- a");
  EXPECT_EQ(cell("12. a"), "12\\. a");
  EXPECT_EQ(cell("    four\nlines\t"), "four lines");
}

// What GitHub links is made of the text that is shown, so that a backslash does not help.
TEST(Markdown, LinksAndMentionsNobody) {
  for (std::string const text : {"by @everyone", "fixes #1", "see https://a.b/c", "WWW.a.b", "GH-12"}) {
    EXPECT_EQ(cell(text), "`" + text + "`");
  }
  EXPECT_EQ(cell("`@a``b|"), "``` `@a``b\\| ```");
  EXPECT_EQ(code("x"), "`x`");
  EXPECT_EQ(code("`"), "`` ` ``");
}

// As markdown-it-py reads them, which is another implementation of CommonMark and of GitHub's tables.
TEST(Markdown, ShowsAnyTextAsItIs) {
  // The system's own, which has the distribution's packages.
  std::string const python = ::access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
  if (std::system((python + " -c 'import markdown_it' 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no python3-markdown-it";
  }
  std::vector<std::string> const parts = {"a", "B",     "7",       " ",    "_", "*",  "`", "``", "\\",  "|",
                                          "<", ">",     "&",       "#",    "@", "[",  "]", "(",  ")",   "!",
                                          "~", "$",     "http://", "www.", "-", "+",  ".", "=",  "<b>", "é",
                                          "–", "&amp;", "  ",      ":",    "'", "\"", "{", "}",  "/"};
  std::mt19937 random(41);
  nlohmann::json cases = nlohmann::json::array();
  for (auto i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto left = 1 + random() % 9; left > 0; --left) text += parts[random() % parts.size()];
    cases.push_back({text, cell(text)});
  }
  test::TemporaryFolder folder;
  folder.write("cases.json", cases.dump());
  folder.write("check.py", R"(
import json, pathlib, sys
from markdown_it import MarkdownIt
reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
def shown(text):
    found = [token for token in reader.parse(text) if token.type == "inline"]
    assert all(child.type in ("text", "code_inline") for token in found for child in token.children), text
    for token in found:
        for child in token.children:
            if child.type == "text":
                assert not any(start in child.content.lower() for start in ("@", "#", "://", "www.")), text
    return ["".join(child.content for child in token.children) for token in found]
for text, cell in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    text = text.strip(" ")
    assert shown(f"| h | i |\n| --- | --- |\n| {cell} | x |\n") == ["h", "i", text, "x"], (text, cell)
    # Elsewhere a bar in a span of code keeps its backslash.
    assert "".join(shown(f"- {cell}\n")) in (text, text.replace("|", "\\|")), (text, cell)
)");
  auto const command =
      python + " '" + (folder / "check.py").string() + "' '" + (folder / "cases.json").string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

// XML 1.0, production 2 (Char).
TEST(Xml, HasNoCharactersThatItMayNotHold) {
  EXPECT_EQ(xml_escaped("a\x01\x1b\x1f b\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd"), "a??? b??\xef\xbf\xbd");
  EXPECT_EQ(xml_escaped("]]><!-- & \"x\" -->"), "]]&gt;&lt;!-- &amp; &quot;x&quot; --&gt;");
}

}  // namespace
}  // namespace ulpine::verification
