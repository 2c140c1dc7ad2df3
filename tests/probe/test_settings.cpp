// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>
#include <gtest/gtest.h>
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "probe/source/settings.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::probe {
namespace {

using ulpine::test::message_of;
using ulpine::test::TemporaryFolder;

constexpr char const* every_key = R"(trace = "out/trace.bin"
every = 10
steps = "1000-1100"
only = ["convection.*", "*.t"]
blocks = false
times = true
zeros = "equal"
fields = "/elsewhere/values.bin"
seconds = "out/times.csv"
[[record]]
what = "convection.tt_cnv"
steps = 17
[[record]]
what = ["*.q", "*.r"]
[compare]
with = "ref/trace.bin"
values = "ref/values.bin"
stop = false
[[round]]
what = "leapfrog.*"
to = "e8m7-sr5"
[perturb]
what = "leapfrog.t"
amplitude = 1e-10
seed = 9
member = 3
step = 2
[[reset]]
what = "*"
from = "ref/values.bin"
[[plant]]
what = "convection.tt_cnv"
step = 17
element = 5
[[plant]]
what = "*.t"
at = [5, 7, 1]
[[poison]]
what = "*.tt"
)";

std::string refusal(std::string const& text) {
  return message_of<InputError>([&] { static_cast<void>(parse_settings(text, "probe.toml")); });
}

std::optional<Settings> from_environment(std::vector<std::string> variables) {
  std::vector<char const*> entries;
  for (auto const& one : variables) entries.push_back(one.c_str());
  entries.push_back(nullptr);
  return read_settings(entries.data());
}
std::string environment_refusal(std::vector<std::string> const& variables) {
  return message_of<InputError>([&] { static_cast<void>(from_environment(variables)); });
}

std::string here(std::string const& name) { return (std::filesystem::current_path() / name).string(); }

TEST(ProbeSettings, TakeEveryKey) {
  auto const s = parse_settings(every_key, "probe.toml");
  EXPECT_EQ(s.trace, here("out/trace.bin"));
  EXPECT_EQ(s.every, 10);
  EXPECT_EQ(s.steps.first, 1000);
  EXPECT_EQ(s.steps.last, 1100);
  EXPECT_EQ(s.only.text(), "convection.*, *.t");
  EXPECT_FALSE(s.blocks);
  EXPECT_TRUE(s.times);
  EXPECT_TRUE(s.zeros_equal);
  EXPECT_EQ(s.fields, "/elsewhere/values.bin");
  EXPECT_EQ(s.seconds, here("out/times.csv"));
  ASSERT_EQ(s.record.size(), 2u);
  EXPECT_EQ(s.record[0].steps.first, 17);
  EXPECT_EQ(s.record[0].steps.last, 17);
  EXPECT_EQ(s.record[1].what.text(), "*.q, *.r");
  EXPECT_EQ(s.record[1].steps.first, 1000) << "those of `steps`";
  ASSERT_TRUE(s.compare);
  EXPECT_EQ(s.compare->with, here("ref/trace.bin"));
  EXPECT_EQ(s.compare->values, here("ref/values.bin"));
  EXPECT_FALSE(s.compare->stop);
  ASSERT_EQ(s.round.size(), 1u);
  EXPECT_EQ(s.round[0].format.format.precision, 8);
  EXPECT_EQ(s.round[0].format.seed, 5u);
  ASSERT_TRUE(s.perturb);
  EXPECT_EQ(s.perturb->amplitude, 1e-10);
  EXPECT_EQ(s.perturb->seed, 9u);
  EXPECT_EQ(s.perturb->member, 3u);
  EXPECT_EQ(s.perturb->step, 2);
  ASSERT_EQ(s.reset.size(), 1u);
  EXPECT_EQ(s.reset[0].from, here("ref/values.bin"));
  ASSERT_EQ(s.plant.size(), 2u);
  EXPECT_EQ(s.plant[0].step, 17);
  EXPECT_EQ(s.plant[0].element, 5);
  EXPECT_EQ(s.plant[1].at, (std::vector<std::int64_t>{5, 7, 1}));
  EXPECT_FALSE(s.plant[1].step);
  ASSERT_EQ(s.poison.size(), 1u);
  EXPECT_TRUE(s.hashes());
}

TEST(ProbeSettings, HaveTheDefaultsOfTheirPage) {
  auto const s = parse_settings(
      "trace = \"out/t.bin\"\n[perturb]\nwhat = \"*.t\"\namplitude = 1\n[compare]\nwith = \"r/t.bin\"\n",
      "p");
  EXPECT_EQ(s.every, 1);
  EXPECT_TRUE(s.steps.holds(std::numeric_limits<std::int64_t>::max()));
  EXPECT_TRUE(s.steps.holds(0));
  EXPECT_TRUE(s.traced("any", "thing"));
  EXPECT_TRUE(s.blocks);
  EXPECT_FALSE(s.times);
  EXPECT_FALSE(s.zeros_equal);
  EXPECT_EQ(s.fields, here("out/fields.bin"));
  EXPECT_EQ(s.seconds, here("out/seconds.csv"));
  EXPECT_EQ(s.perturb->seed, 1u);
  EXPECT_EQ(s.perturb->member, 0u);
  EXPECT_FALSE(s.perturb->step);
  EXPECT_TRUE(s.compare->stop);
}

TEST(ProbeSettings, TraceStepsThatAreMultiplesWithinTheRange) {
  auto const s = parse_settings("trace = \"t.bin\"\nevery = 3\nsteps = \"5-12\"\n", "p");
  std::vector<std::int64_t> traced;
  for (std::int64_t step = 0; step < 20; ++step) {
    if (s.traced(step)) traced.push_back(step);
  }
  EXPECT_EQ(traced, (std::vector<std::int64_t>{6, 9, 12}));
  EXPECT_EQ(parse_settings("trace = \"t.bin\"\nsteps = \"17\"\n", "p").steps.last, 17);
  EXPECT_EQ(parse_settings("trace = \"t.bin\"\nsteps = \"5-\"\n", "p").steps.last,
            std::numeric_limits<std::int64_t>::max());
}

TEST(ProbeSettings, MatchNamesAsTheShellDoes) {
  std::mt19937 random{7};
  auto const word = [&random](std::string const& letters, std::size_t most) {
    std::string text;
    for (auto size = random() % (most + 1); size > 0; --size) text += letters[random() % letters.size()];
    return text;
  };
  int matches = 0;
  for (int i = 0; i < 20000; ++i) {
    auto const pattern = word("ab.*?", 7), stage = word("ab.", 4), field = word("ab", 3);
    auto const expected = fnmatch(pattern.c_str(), (stage + "." + field).c_str(), FNM_NOESCAPE) == 0;
    ASSERT_EQ(Pattern{pattern}.matches(stage, field), expected) << pattern << " " << stage << " " << field;
    matches += expected ? 1 : 0;
  }
  EXPECT_GT(matches, 500);
  EXPECT_TRUE(Pattern{"*.t?"}.matches_field("t1"));
  EXPECT_FALSE(Pattern{"*.t?"}.matches_field("t"));
  EXPECT_TRUE(Pattern{"*"}.matches_field("t"));
}

TEST(ProbeSettings, RefuseWhatTheyCannotUseInALineWithPlaceAndRemedy) {
  struct Bad {
    char const *text, *says;
  };
  constexpr Bad cases[] = {
      {"trace = 3\n",
       "probe.toml:1: trace: must be a text (it is the integer 3) write e.g. trace = \"trace.bin\""},
      {"trace = \"\"\n", "probe.toml:1: trace: not the name of a file"},
      {"trace = \"a\\u0000b\"\n", "probe.toml:1: trace: not the name of a file"},
      {"trace = \"t\"\nevery = 0\n", "probe.toml:2: every: must be at least 1 (it is 0) write e.g. 1"},
      {"trace = \"t\"\nevery = 1.5\n",
       "probe.toml:2: every: must be a whole number (it is a number with a fraction)"},
      {"trace = \"t\"\nsteps = \"9-5\"\n", "probe.toml:2: steps: \"9-5\" is no range of steps"},
      {"trace = \"t\"\nsteps = \"5-9x\"\n", "is no range of steps"},
      {"trace = \"t\"\nsteps = \"-5\"\n", "is no range of steps"},
      {"trace = \"t\"\nsteps = \"\"\n", "is no range of steps"},
      {"trace = \"t\"\nsteps = true\n", "probe.toml:2: steps: must be steps (it is true)"},
      {"trace = \"t\"\nonly = []\n", "probe.toml:2: only: must choose fields (it is empty)"},
      {"trace = \"t\"\nonly = [1]\n", "probe.toml:2: only: must be texts (one is the integer 1)"},
      {"trace = \"t\"\nonly = \"t\"\n", "probe.toml:2: only: \"t\" chooses no field (it is no STAGE.FIELD)"},
      {"trace = \"t\"\nblocks = 1\n",
       "probe.toml:2: blocks: must be true or false (it is the integer 1) write blocks = false"},
      {"trace = \"t\"\nzeros = \"same\"\n",
       "probe.toml:2: zeros: unknown choice (known are differ, equal) choose one of them"},
      {"trace = \"t\"\nevry = 2\n", "probe.toml:2: evry: unknown key"},
      {"trace = \"t\"\nevry = 2\n", "(did you mean 'every'?)"},
      {"trace = \"t\"\n[compare]\nwiht = \"r\"\nwith = \"r\"\n",
       "probe.toml:3: compare.wiht: unknown key (known are with, values, stop) choose one of them (did you "
       "mean 'with'?)"},
      {"[compare]\nstop = true\n", "compare.with: required"},
      {"[[round]]\nwhat = \"*\"\n", "probe.toml:1: round[0].to: required"},
      {"[[round]]\nwhat = \"*\"\nto = \"e8m7\"\n[[round]]\nwhat = \"*\"\nto = \"bf16\"\n",
       "probe.toml:6: round[1].to: \"bf16\" is no format"},
      {"[round]\nwhat = \"*\"\nto = \"e8m7\"\n",
       "probe.toml:1: round: must be tables (it is a table) write [[round]]"},
      {"[[perturb]]\nwhat = \"*\"\namplitude = 1\n",
       "probe.toml:1: perturb: must be one table (it is an array of tables) write [perturb]"},
      {"[perturb]\nwhat = \"*\"\n", "perturb.amplitude: required"},
      {"[perturb]\nwhat = \"*\"\namplitude = 0\n",
       "probe.toml:3: perturb.amplitude: must be finite and larger than 0"},
      {"[perturb]\nwhat = \"*\"\namplitude = nan\n",
       "probe.toml:3: perturb.amplitude: must be finite and larger than 0"},
      {"[perturb]\nwhat = \"*\"\namplitude = inf\n",
       "probe.toml:3: perturb.amplitude: must be finite and larger than 0"},
      {"[perturb]\nwhat = \"*\"\namplitude = 1e-320\n",
       "probe.toml:3: perturb.amplitude: must be finite and larger than 0"},
      {"[perturb]\nwhat = \"*\"\namplitude = 1\nmember = 4294967296\n",
       "perturb.member: must be between 0 and 4294967295 (it is 4294967296)"},
      {"[perturb]\nwhat = \"*\"\namplitude = 1\nseed = -1\n", "perturb.seed: must be at least 0 (it is -1)"},
      {"[perturb]\namplitude = 1\n", "perturb.what: required"},
      {"[[reset]]\nwhat = \"*\"\n", "reset[0].from: required"},
      {"[[plant]]\nwhat = \"*\"\n", "plant[0].what: needs either `element` or `at`"},
      {"[[plant]]\nwhat = \"*\"\nelement = 1\nat = [1]\n", "plant[0].what: needs either `element` or `at`"},
      {"[[plant]]\nwhat = \"*\"\nat = [1, 2, 3, 4, 5, 6, 7, 8]\n",
       "plant[0].at: must be 1 to 7 whole numbers"},
      {"[[plant]]\nwhat = \"*\"\nat = [-1]\n", "plant[0].at: must be at least 0 (it is -1)"},
      {"[[poison]]\nwhat = \"a.t\"\n", "poison[0].what: \"a.t\" names a stage"},
      {"every = 2\n", "probe.toml: asks for nothing"},
      {"", "probe.toml: asks for nothing"},
      {"trace = \"a/t\"\nfields = \"a/../a/t\"\n[[record]]\nwhat = \"*\"\n",
       "probe.toml: trace and fields are the same file"},
      {"trace = \"a/t\"\ntimes = true\nseconds = \"a/t\"\n",
       "probe.toml: trace and seconds are the same file"},
      {"trace = \"r/trace.bin\"\n[compare]\nwith = \"./r/trace.bin\"\n",
       "probe.toml: trace would be written over compare.with"},
      {"trace = \"r/t.bin\"\n[compare]\nwith = \"r/t.2-of-4.bin\"\n",
       "probe.toml: trace would be written over compare.with"},
      {"trace = \"r/a.bin\"\n[compare]\nwith = \"r/b.bin\"\n[[record]]\nwhat = \"*\"\n",
       "probe.toml: fields would be written over compare.values"},
      {"[[record]]\nwhat = \"*\"\n[[reset]]\nwhat = \"*\"\nfrom = \"fields.bin\"\n",
       "probe.toml: fields would be written over reset.from"},
      {"trace = \"t\"\n[*.t]\n", "probe.toml:2: not valid TOML"},
      {"trace = \"t\"\n[[", "probe.toml:2: not valid TOML"},
  };
  for (auto const& [text, says] : cases) {
    auto const message = refusal(text);
    EXPECT_NE(message.find(says), std::string::npos) << text << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  std::string deep = "x = ";
  for (int i = 0; i < 100000; ++i) deep += "[";
  EXPECT_NE(refusal(deep).find("probe.toml:1: nested too deeply"), std::string::npos);
}

/// toml++ says what is TOML and what is not; beyond that nothing but a line, or settings, may come of any
/// text.
TEST(ProbeSettings, TakeAThousandMutantsWithALineEachAtMost) {
  std::mt19937 random{42};
  std::string const letters = "[]{}=\"'.,#\n\\-_ 0123456789abcexyz*?\0\x7f\xc3\xff\r\t";
  int valid = 0, refused = 0, no_toml = 0;
  std::set<std::string> messages;
  for (int i = 0; i < 1000; ++i) {
    std::string text = every_key;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      auto const at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.insert(at, 1, letters[random() % letters.size()]);
          break;
        case 2:
          text.erase(at, 1 + random() % 12);
          break;
        default:
          text.insert(random() % text.size(), text.substr(at, random() % 40));
      }
    }
    auto is_toml = true;
    try {
      static_cast<void>(toml::parse(text));
    } catch (toml::parse_error const&) {
      is_toml = false;
    }
    try {
      static_cast<void>(parse_settings(text, "probe.toml"));
      ++valid;
      EXPECT_TRUE(is_toml) << text;
    } catch (InputError const& error) {
      std::string const message = error.what();
      EXPECT_EQ(message.find("probe.toml:"), 0u) << message;
      EXPECT_EQ(one_line(message), message);
      EXPECT_LT(message.size(), 600u) << message;
      messages.insert(message);
      ++(is_toml ? refused : no_toml);
    }
  }
  EXPECT_GT(valid, 50);
  EXPECT_GT(refused, 100);
  EXPECT_GT(no_toml, 100);
  EXPECT_GT(messages.size(), 200u);
}

TEST(ProbeSettings, ComeFromVariablesOverTheFile) {
  TemporaryFolder const folder;
  auto const file = folder
                        .write("p.toml",
                               "trace = \"a.bin\"\nevery = 4\n[compare]\nwith = \"r/t.bin\"\nvalues = "
                               "\"r/v.bin\"\nstop = false\n")
                        .string();
  EXPECT_FALSE(from_environment({}));
  EXPECT_FALSE(from_environment({"ULPINE=", "ULPINE_TRACE=", "PATH=/bin"}));
  EXPECT_FALSE(read_settings(nullptr));
  auto const alone = from_environment({"ULPINE_TRACE=t.bin"});
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->trace, here("t.bin"));
  EXPECT_FALSE(alone->compare);
  auto const from_file = from_environment({"ULPINE=" + file});
  ASSERT_TRUE(from_file);
  EXPECT_EQ(from_file->trace, here("a.bin"));
  auto const both =
      from_environment({"ULPINE=" + file, "ULPINE_TRACE=b.bin", "ULPINE_COMPARE=q/t.bin", "ULPINE_EVERY= 7 ",
                        "ULPINE_ONLY=*.u, b.*", "ULPINE_STEPS=3-4", "ULPINE_RECORD=*.u"});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->trace, here("b.bin"));
  EXPECT_EQ(both->compare->with, here("q/t.bin"));
  EXPECT_EQ(both->compare->values, "");
  EXPECT_FALSE(both->compare->stop);
  EXPECT_EQ(both->every, 7);
  EXPECT_EQ(both->only.text(), "*.u, b.*");
  EXPECT_EQ(both->steps.first, 3);
  ASSERT_EQ(both->record.size(), 1u);
  EXPECT_EQ(both->record[0].what.text(), "*.u");
  EXPECT_EQ(both->record[0].steps.last, 4);
}

TEST(ProbeSettings, RefuseVariablesByName) {
  EXPECT_EQ(environment_refusal({"ULPINE_TRACE=t", "ULPINE_EVERY=x"})
                .find("ULPINE_EVERY: \"x\" is no whole number"),
            0u);
  EXPECT_EQ(
      environment_refusal({"ULPINE_TRACE=t", "ULPINE_EVERY=0"}).find("ULPINE_EVERY: must be at least 1"), 0u);
  EXPECT_EQ(environment_refusal({"ULPINE_TRACE=t", "ULPINE_STEPS=a"}).find("ULPINE_STEPS: \"a\" is no range"),
            0u);
  EXPECT_EQ(
      environment_refusal({"ULPINE_TRACE=t", "ULPINE_ONLY=a.b,,"}).find("ULPINE_ONLY: \"\" chooses no field"),
      0u);
  EXPECT_EQ(environment_refusal({"ULPINE_EVERY=2"}).find("ULPINE_EVERY: asks for nothing"), 0u);
  EXPECT_EQ(environment_refusal({"ULPINE_STEP=2"}),
            "ULPINE_STEP: no such variable (did you mean 'STEPS'?) correct its name, or unset it");
  EXPECT_FALSE(from_environment(
      {"ULPINE_PYTHON=python3", "ULPINE_MUTANT=7", "ULPINE_TEST_DATA=x", "ULPINE_SOURCE_DIR=x"}));
  EXPECT_EQ(environment_refusal({"ULPINE=/nowhere/p.toml"})
                .find("/nowhere/p.toml: settings cannot be read (No such file"),
            0u);
  EXPECT_EQ(environment_refusal({"ULPINE=/tmp"}).find("/tmp: cannot be read (it is a folder"), 0u);
  TemporaryFolder const folder;
  auto const large = folder.write("large.toml", std::string((1 << 20) + 2, '#')).string();
  EXPECT_EQ(environment_refusal({"ULPINE=" + large}).find(large + ": cannot be read (it has more than"), 0u);
}

/// The rows `| key | ... | default | example |` of the page, whose example is a line of TOML.
TEST(ProbeSettings, AreAllOnTheirPageWithExamplesThatAreTaken) {
  char const* const root = std::getenv("ULPINE_SOURCE_DIR");
  ASSERT_NE(root, nullptr);
  std::istringstream page{
      ulpine::test::read_file(std::filesystem::path{root} / "docs/reference/probe-settings.md")};
  std::map<std::string, std::string> needs = {{"round", "to = \"e8m7\"\n"},
                                              {"perturb", "amplitude = 1\n"},
                                              {"reset", "from = \"r.bin\"\n"},
                                              {"plant", "element = 1\n"},
                                              {"compare", "with = \"r/t.bin\"\n"}};
  std::string table, line;
  std::set<std::string> keys;
  while (std::getline(page, line)) {
    if (line.starts_with("## ")) {
      auto const open = line.find('['), close = line.find_first_of("]", open == std::string::npos ? 0 : open);
      table = open == std::string::npos ? "" : line.substr(open, close - open);
      table.erase(0, table.find_first_not_of('['));
      continue;
    }
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> codes;
    for (auto at = line.find('`'); at != std::string::npos;) {
      auto const end = line.find('`', at + 1);
      codes.push_back(line.substr(at + 1, end - at - 1));
      at = line.find('`', end + 1);
    }
    auto const& key = codes.front();
    if (key.starts_with("ULPINE")) continue;
    auto const example = codes.back();
    keys.insert(table.empty() ? key : table + "." + key);
    std::string text;
    if (table.empty()) {
      text = (key == "trace" ? "" : "trace = \"x.bin\"\n") + example + "\n";
    } else {
      auto const is_one = table == "perturb" || table == "compare";
      text = "trace = \"x.bin\"\n" + std::string(is_one ? "[" : "[[") + table + (is_one ? "]\n" : "]]\n") +
             (key == "what" || table == "compare" ? "" : "what = \"*\"\n") + example + "\n";
      auto const need = needs[table];
      auto const other = table == "plant" && key == "at" ? "" : need.starts_with(key + " ") ? "" : need;
      text += other;
    }
    EXPECT_NO_THROW(static_cast<void>(parse_settings(text, "p"))) << text << refusal(text);
  }
  // A key that is not on the page is not known either: the messages name all.
  EXPECT_EQ(keys.size(), 9u + 2 + 3 + 2 + 5 + 2 + 4 + 1);
  for (auto const& one :
       {"x = 1", "[[record]]\nwhat = \"*\"\nx = 1", "[compare]\nwith = \"r\"\nx = 1",
        "[[round]]\nwhat = \"*\"\nto = \"e8m7\"\nx = 1", "[perturb]\nwhat = \"*\"\namplitude = 1\nx = 1",
        "[[reset]]\nwhat = \"*\"\nfrom = \"r\"\nx = 1", "[[plant]]\nwhat = \"*\"\nelement = 1\nx = 1",
        "[[poison]]\nwhat = \"*\"\nx = 1"}) {
    auto const message = refusal(one);
    auto const begin = message.find("known are ") + 10;
    std::istringstream names{message.substr(begin, message.find(')', begin) - begin)};
    std::string const text = one;
    auto const name_end = text.find(']');
    auto const name_begin = text.find_first_not_of('[');
    auto const prefix =
        name_end == std::string::npos ? "" : text.substr(name_begin, name_end - name_begin) + ".";
    for (std::string name; std::getline(names, name, ',');) {
      name.erase(0, name.find_first_not_of(' '));
      static std::set<std::string> const tables = {"record", "compare", "perturb", "round",
                                                   "plant",  "reset",   "poison"};
      if (prefix.empty() && tables.count(name) == 1) continue;
      EXPECT_EQ(keys.count(prefix + name), 1u) << prefix + name;
    }
  }
}

}  // namespace
}  // namespace ulpine::probe
