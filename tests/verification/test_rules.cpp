// SPDX-License-Identifier: Apache-2.0
#include "verification/gates/rules.hpp"

#include <gtest/gtest.h>

#include "io/error.hpp"
#include "verification/gates/gates.hpp"

namespace ulpine::verification {
namespace {

io::CaseFile case_of(std::string const& text) {
  return io::CaseFile::parse("core = \"toy\"\n" + text, "case.toml");
}

/// What is wrong with `text`, as one line; empty where nothing is.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
    return "";
  } catch (InputError const& error) {
    std::string const message = error.what();
    EXPECT_EQ(message.find("case.toml:"), 0u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
}
std::string refusal_of(std::string const& text) {
  return refusal([&] { read_rules(case_of(text)); });
}

TEST(Rules, AreTheUsualWhereNothingIsSaid) {
  auto const rules = read_rules(case_of(""));
  EXPECT_TRUE(rules.tolerated.empty());
  EXPECT_EQ(words_of(rules.of_statistic("any"), ""), "0.5 sd");
  EXPECT_EQ(words_of(rules.of_curve("any"), ""), "1 sd");
  EXPECT_EQ(rules.spread_ratio, 1.5);
}

TEST(Rules, OfACaseGoBeforeThoseOfItsCore) {
  std::string const core = R"([verify]
tolerated = "2^-7"
reason = "of the core"
[verify.statistics]
margin = "1 sd"
spread_ratio = 3
[verify.statistics.height]
margin = 2.5
reason = "two and a half metres"
[verify.statistics.speed]
margin = "2 %"
)";
  auto const rules = read_rules(case_of(R"([verify]
tolerated = "2^-10"
[verify.statistics.speed]
margin = "0.25 sd"
[verify.curves.spectrum]
margin = "10%"
[verify.h]
l2_relative = 1e-3
)"),
                                core);
  EXPECT_EQ(rules.tolerated, "2^-10");
  EXPECT_TRUE(rules.reason.empty()) << "another amplitude has another reason";
  EXPECT_EQ(rules.spread_ratio, 3);
  EXPECT_EQ(words_of(rules.of_statistic("other"), ""), "1 sd");
  EXPECT_EQ(words_of(rules.of_statistic("height"), "m"), "2.5 m");
  EXPECT_EQ(rules.of_statistic("height").reason, "two and a half metres");
  EXPECT_EQ(words_of(rules.of_statistic("speed"), "m s-1"), "0.25 sd");
  EXPECT_EQ(words_of(rules.of_curve("spectrum"), "1"), "10 %");
  EXPECT_EQ(rules.of_curve("spectrum").kind, Margin::Kind::relative);
  EXPECT_DOUBLE_EQ(rules.of_curve("spectrum").value, 0.1);
}

TEST(Rules, SetLevelsAside) {
  auto const none = read_rules(case_of(""));
  EXPECT_TRUE(none.levels.all());
  EXPECT_TRUE(none.levels.hold(1e9));
  auto const rules = read_rules(case_of("[verify.levels]\nto = 300.0\nreason = \"a sponge\"\n"),
                                "[verify.levels]\nfrom = 10.0\nto = 900.0\n");
  EXPECT_FALSE(rules.levels.all());
  EXPECT_TRUE(rules.levels.hold(300)) << "the ends are inside";
  EXPECT_FALSE(rules.levels.hold(300.1));
  EXPECT_TRUE(rules.levels.hold(5)) << "a case's levels stand in the place of its core's";
  EXPECT_EQ(rules.levels.reason, "a sponge");
  EXPECT_FALSE(read_rules(case_of("[verify.levels]\nfrom = 2.0\n")).levels.hold(1.9));
  EXPECT_TRUE(read_gates(case_of("[verify.levels]\nto = 300.0\n")).empty());
  EXPECT_NE(refusal_of("[verify.levels]\nup = 300.0\n").find("verify.levels.up"), std::string::npos);
  EXPECT_NE(refusal_of("[verify.levels]\nfrom = 3.0\nto = 2.0\n").find("verify.levels.to"),
            std::string::npos);
  EXPECT_NE(refusal_of("[verify]\nlevels = 3.0\n").find("verify.levels"), std::string::npos);
}

TEST(Rules, AreNoGates) {
  auto const gates =
      read_gates(case_of("[verify]\ntolerated = \"2^-10\"\n[verify.statistics]\nmargin = \"1 "
                         "sd\"\n[verify.h]\nl2_relative = 1e-3\n"));
  ASSERT_EQ(gates.size(), 1u);
  EXPECT_EQ(gates[0].name(), "h.l2_relative");
}

TEST(Rules, RefuseWhatTheyCannotUse) {
  EXPECT_EQ(
      refusal_of("[verify]\ntolerated = \"much\"\n").find("case.toml:3: verify.tolerated: is no amplitude"),
      0u)
      << refusal_of("[verify]\ntolerated = \"much\"\n");
  for (auto const* text : {"tolerated = \"0\"", "tolerated = \"-1\"", "tolerated = \"inf\"",
                           "tolerated = 0.5", "statistics = 3"}) {
    EXPECT_FALSE(refusal_of(std::string("[verify]\n") + text + "\n").empty()) << text;
  }
  for (auto const* margin :
       {"\"0 sd\"", "\"-1 %\"", "\"1 mm\"", "\"sd\"", "\"1 sd more\"", "0", "-1.0", "\"nan sd\"", "true"}) {
    EXPECT_NE(refusal_of(std::string("[verify.statistics]\nmargin = ") + margin + "\n")
                  .find("verify.statistics.margin"),
              std::string::npos)
        << margin;
    EXPECT_NE(refusal_of(std::string("[verify.curves.p]\nmargin = ") + margin + "\n")
                  .find("verify.curves.p.margin"),
              std::string::npos)
        << margin;
  }
  EXPECT_NE(refusal_of("[verify.statistics.h]\nreason = \"none\"\n").find("has no margin"),
            std::string::npos);
  EXPECT_NE(refusal_of("[verify.statistics.h]\nmargin = 1.0\nmargn = 2.0\n").find("unknown key"),
            std::string::npos);
  EXPECT_NE(refusal_of("[verify.statistics]\nmargn = \"1 sd\"\n").find("margin"), std::string::npos);
  EXPECT_FALSE(refusal_of("[verify.statistics]\nspread_ratio = 1.0\n").empty());
  EXPECT_FALSE(refusal_of("[verify.curves]\nspread_ratio = 2.0\n").empty()) << "curves have none";
}

TEST(Rules, NameThingsThatAreThere) {
  auto const file =
      case_of("[verify.statistics.hight]\nmargin = 1.0\n[verify.curves.spectrum]\nmargin = \"1 sd\"\n");
  EXPECT_NE(refusal([&] { require_margins(file, {"height"}, {"spectrum"}); }).find("height"),
            std::string::npos);
  EXPECT_NE(refusal([&] { require_margins(file, {"hight"}, {"spectra"}); }).find("verify.curves.spectrum"),
            std::string::npos);
  EXPECT_NO_THROW(require_margins(file, {"hight"}, {"spectrum"}));
}

}  // namespace
}  // namespace ulpine::verification
