// SPDX-License-Identifier: Apache-2.0
#include "io/case_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <thread>
#include <utility>

#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;

CaseFile parse(std::string const& text, std::vector<std::string> const& overrides = {}) {
  return CaseFile::parse(text, "a.toml", ".", overrides);
}

std::string indexed(std::string word, int i) { return word.append(std::to_string(i)); }

/// The one-line message of the InputError that `action` throws on the case `text`.
template <class Action>
std::string refusal(std::string const& text, Action action, std::vector<std::string> const& overrides = {}) {
  auto const message = message_of<InputError>([&] { action(parse(text, overrides)); });
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

auto const just_parse = [](CaseFile const&) {};

TEST(CaseFile, ReadsEveryTypeAndFallsBack) {
  auto const file = parse(R"(
core = "seaice"
[grid]
nx = 64
dx = 2
[seaice]
limiter = "nextsim"
healing = true
[time]
step = "1.5 min"
)");
  EXPECT_EQ(file.core(), "seaice");
  EXPECT_EQ(file.name(), "a");
  EXPECT_EQ(file.integer("grid.nx", 1), 64);
  EXPECT_EQ(file.number("grid.dx", 1), 2.0);
  EXPECT_EQ(file.number("grid.dy", 0.25), 0.25);
  EXPECT_TRUE(file.flag("seaice.healing", false));
  EXPECT_EQ(file.choice("seaice.limiter", "none", {"none", "nextsim"}), "nextsim");
  EXPECT_EQ(file.duration("time.step", "1 s"), 90.0);
  EXPECT_EQ(file.duration("time.end", "2 d"), 172800.0);
  EXPECT_TRUE(file.has("grid"));
  EXPECT_TRUE(file.has("grid.nx"));
  EXPECT_FALSE(file.has("gri"));
  EXPECT_NO_THROW(file.reject_unknown());
}

TEST(CaseFile, AMessageNamesFileLineKeyAndRemedy) {
  std::string const text = "core = \"x\"\n[grid]\nnx = \"many\"\nny = 2.5\ndx = nan\ndy = -3\nflag = 1\n";
  EXPECT_EQ(refusal(text, [](auto const& file) { file.integer("grid.nx", 64); }),
            "a.toml:3: grid.nx: must be an integer (it is the text \"many\") write e.g. 64");
  EXPECT_EQ(refusal(text, [](auto const& file) { file.integer("grid.ny", 64); }),
            "a.toml:4: grid.ny: must be an integer (it is the number 2.5) write e.g. 64");
  EXPECT_EQ(refusal(text, [](auto const& file) { file.number("grid.dx", 1e3); }),
            "a.toml:5: grid.dx: must be finite (it is nan) write e.g. 1000.0");
  EXPECT_EQ(refusal(text, [](auto const& file) { file.number("grid.dy", 1, 0.5, 10); }),
            "a.toml:6: grid.dy: out of range (it is -3) choose between 0.5 and 10");
  EXPECT_EQ(refusal(text, [](auto const& file) { file.number("grid.dy", 1, 0.5); }),
            "a.toml:6: grid.dy: out of range (it is -3) choose at least 0.5");
  EXPECT_EQ(refusal(text, [](auto const& file) { file.integer("grid.dy", 1, -9, -4); }),
            "a.toml:6: grid.dy: out of range (it is -3) choose between -9 and -4");
  EXPECT_EQ(refusal(text, [](auto const& file) { file.flag("grid.flag", true); }),
            "a.toml:7: grid.flag: must be true or false (it is the integer 1) write one of them");
  EXPECT_EQ(refusal(text, [](auto const& file) { file.text("grid.dy", ""); }),
            "a.toml:6: grid.dy: must be text (it is the integer -3) write it in quotes");
  EXPECT_EQ(refusal(text, [](auto const& file) { file.number("grid", 1); }),
            "a.toml:3: grid: must be a number (it is a table) write e.g. 1.0");
  EXPECT_EQ(refusal(text, [](auto const& file) { throw file.error("grid.dy", "no"); }),
            "a.toml:6: grid.dy: no");
  EXPECT_EQ(refusal(text, [](auto const& file) { throw file.error("grid.none", "no"); }),
            "a.toml: grid.none: no");
  EXPECT_EQ(refusal("a = [1]\nd = 2000-01-01\ninf = -inf", [](auto const& file) { file.number("a", 1); }),
            "a.toml:1: a: must be a number (it is an array) write e.g. 1.0");
  EXPECT_EQ(refusal("a = [1]\nd = 2000-01-01", [](auto const& file) { file.text("d", ""); }),
            "a.toml:2: d: must be text (it is a date or time) write it in quotes");
  EXPECT_EQ(refusal("x = -inf", [](auto const& file) { file.number("x", 1); }),
            "a.toml:1: x: must be finite (it is -inf) write e.g. 1.0");
  EXPECT_EQ(refusal("x = 1", [](auto const& file) { file.core(); }),
            "a.toml: core: required (it names the equations to solve) write e.g. core = \"seaice\"");
}

TEST(CaseFile, AChoiceNamesTheNearest) {
  EXPECT_EQ(refusal("limiter = \"nexstim\"",
                    [](auto const& file) {
                      file.choice("limiter", "none", {"none", "nextsim"});
                    }),
            "a.toml:1: limiter: unknown choice (it is \"nexstim\") choose one of none, nextsim (did you mean "
            "'nextsim'?)");
}

TEST(CaseFile, TheFirstUnknownKeyIsRefusedWithTheNearest) {
  auto const read = [](CaseFile const& file) {
    file.core();
    file.integer("grid.nx", 1);
    file.integer("seaice.substeps", 1);
    file.reject_unknown();
  };
  EXPECT_EQ(refusal("core = \"x\"\n[grid]\nnx = 3\n[seaice]\nsubstep = 7\n[zzz]\nq = 1\n", read),
            "a.toml:5: seaice.substep: unknown key (nothing in this case reads it) correct or remove it "
            "(did you mean 'seaice.substeps'?)");
  EXPECT_EQ(
      refusal("core = \"x\"\n[discretisation]\nsubsteps = 7\n", read),
      "a.toml:3: discretisation.substeps: unknown key (nothing in this case reads it) correct or remove it "
      "(did you mean 'seaice.substeps'?)");
  EXPECT_EQ(refusal("core = \"x\"\nwhatever_this_is = 7\n", read),
            "a.toml:2: whatever_this_is: unknown key (nothing in this case reads it) correct or remove it");
  // A number where a table belongs, and empty tables.
  EXPECT_NE(refusal("core = \"x\"\ngrid = 7\n", read).find("a.toml:2: grid: unknown key"), std::string::npos);
  EXPECT_NE(refusal("core = \"x\"\n[griid]\n", read).find("a.toml:2: griid: unknown key"), std::string::npos);
  EXPECT_EQ(refusal("core = \"x\"\n[grid]\n", read), "(nothing thrown)");
}

TEST(CaseFile, AcceptedTablesPassAndAreNotEchoed) {
  auto const file = parse("core = \"x\"\n[verify.gate]\nlimit = 1\n");
  file.core();
  EXPECT_THROW(file.reject_unknown(), InputError);
  file.accept("verify");
  EXPECT_NO_THROW(file.reject_unknown());
  EXPECT_EQ(file.resolved(), "core = \"x\"\n");
}

TEST(CaseFile, SyntaxErrorsAndDuplicatesNameTheLine) {
  EXPECT_NE(refusal("a = 1\nb = \n", just_parse).find("a.toml:2: not valid TOML ("), std::string::npos);
  EXPECT_NE(refusal("a = 1\nb = 2\na = 3\n", just_parse).find("a.toml:3: not valid TOML ("),
            std::string::npos);
  EXPECT_NE(refusal("a = 1\nb = \"\xff\xfe\"\n", just_parse).find("a.toml:2: not valid TOML ("),
            std::string::npos);
  EXPECT_NE(refusal("a = 99999999999999999999\n", just_parse).find("a.toml:1: not valid TOML ("),
            std::string::npos);
  EXPECT_NE(refusal("a = 1\n\"b.c\" = 1", just_parse).find("a.toml:2: b.c: not a usable key"),
            std::string::npos);
  EXPECT_NE(refusal("", just_parse).find("a.toml: no keys in it"), std::string::npos);
  EXPECT_NE(refusal("# nothing\n\n", just_parse).find("a.toml: no keys in it"), std::string::npos);
}

std::string repeated(std::string const& text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

TEST(CaseFile, NestingBeyondSixtyFourLevelsIsRefusedByLine) {
  // A million levels overflow the stack of anything that recurses; one more than the bound is refused alike.
  for (int const levels : {65, 1'000'000}) {
    auto const dots = repeated("a.", levels) + "a", arrays = repeated("[", levels) + repeated("]", levels),
               tables = repeated("{a=", levels) + "1" + repeated("}", levels);
    for (auto const& line : {dots + " = 1", "[" + dots + "]", "[[" + dots + "]]", "x = " + arrays,
                             "x = " + tables, "x = " + repeated("[", levels),
                             repeated("a . \"b\" .", levels) + "c = 1", "x = {" + dots + " = 1}"}) {
      EXPECT_EQ(
          refusal("core = \"x\"\n" + line + "\n", just_parse),
          "a.toml:2: nested too deeply (more than 64 levels of tables, arrays or dots) write it flatter");
    }
    for (auto const& override : {dots + "=1", "x=" + arrays, "x=" + tables}) {
      EXPECT_NE(refusal("core = \"x\"\n", just_parse, {override}).find("nested too deeply"),
                std::string::npos);
    }
  }
}

TEST(CaseFile, NestingUpToTheBoundAndBracketsInTextAreNoMatter) {
  auto const deep = repeated("[", 1000), dotted = repeated("a.", 1000);
  std::string const lines[] = {
      "core = \"" + deep + "\\\"" + deep + "\" # " + deep,
      "b = '" + dotted + "'",
      "c = \"\"\"" + deep + "\n\"" + dotted + "\"\"\"",
      "d = '''" + deep + "'\n" + dotted + "'''",
      "e = \"\"",
      "f = ''",
      "g = [" + repeated("1.5, ", 1000) + "]",
      "h = [\n" + repeated("[1.5],\n", 1000) + "]",
      "x = " + repeated("[", 60) + repeated("]", 60),
      repeated("k.", 60) + "k = 7",
  };
  std::string text;
  for (auto const& line : lines) text += line + "\n";

  auto const file = parse(text);

  EXPECT_EQ(file.text("core", ""), deep + "\"" + deep);
  EXPECT_EQ(file.text("b", ""), dotted);
  EXPECT_EQ(file.text("c", ""), deep + "\n\"" + dotted);
  EXPECT_EQ(file.text("d", ""), deep + "'\n" + dotted);
  EXPECT_EQ(file.integer(repeated("k.", 60) + "k", 0), 7);
}

TEST(CaseFile, AnIntegerNeverExceedsTheTypeItIsReadAs) {
  auto const file = parse(
      "over = 4294967297\nunder = -4294967295\nmost = 2147483647\nleast = -2147483648\n"
      "big = 9223372036854775807\n");
  auto const refused = [&](char const* key, char const* words) {
    auto const message = message_of<InputError>([&] { file.integer<std::int32_t>(key, 1); });
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  refused("over", "out of range (it is 4294967297) choose between -2147483648 and 2147483647");
  refused("under", "out of range (it is -4294967295)");
  refused("big", "out of range (it is 9223372036854775807)");
  EXPECT_EQ(file.integer<std::int32_t>("most", 1), 2147483647);
  EXPECT_EQ(file.integer<std::int32_t>("least", 1), -2147483647 - 1);
  EXPECT_EQ(file.integer<std::int64_t>("big", 1), 9223372036854775807);
  EXPECT_THROW(file.integer<std::int16_t>("most", 1), InputError);
  static_assert(std::is_same_v<decltype(file.integer("most", 1)), int>);
  static_assert(std::is_same_v<decltype(file.integer("most", std::int64_t{1})), std::int64_t>);
}

TEST(CaseFile, AnExampleLiesWithinTheLimits) {
  auto const wants_number = [](auto const& file) {
    file.number("x", 0, 1, std::numeric_limits<double>::max());
  };
  EXPECT_EQ(refusal("x = \"a\"", wants_number),
            "a.toml:1: x: must be a number (it is the text \"a\") write e.g. 1.0");
  EXPECT_EQ(refusal("x = 0", wants_number), "a.toml:1: x: out of range (it is 0) choose at least 1");
  EXPECT_EQ(refusal("x = true", [](auto const& file) { file.integer("x", 0, 5, 9); }),
            "a.toml:1: x: must be an integer (it is true) write e.g. 5");
}

TEST(CaseFile, ALongOverrideIsCutInMessages) {
  // An odd number of bytes ahead of characters of two bytes each, so that a cut at 100 would halve one.
  auto const message = refusal("core = \"x\"", [](auto const& file) { file.integer("x", 1); },
                               {"x=\"" + std::string(96, 'a') + repeated("\xc3\xa9", 500) + "\""});
  EXPECT_TRUE(message.starts_with("--set x=\"" + std::string(96, 'a') +
                                  "...: x: must be an integer (it is a text of"))
      << message;
}

TEST(CaseFile, ANameIsOneLineOfText) {
  EXPECT_EQ(parse("name = \"caf\xc3\xa9 1\"").name(), "caf\xc3\xa9 1");
  for (auto const* bad : {"\"\"", "\" \\t\"", "\"a\\nb\"", "\"a\\u007fb\"", "5", "[\"a\"]"}) {
    EXPECT_NE(refusal(std::string("name = ") + bad, [](auto const& file) { file.name(); })
                  .find("a.toml:1: name: must"),
              std::string::npos)
        << bad;
  }
  auto const named_by_file = CaseFile::parse("core = \"x\"", "\xff.toml");
  EXPECT_NE(message_of<InputError>([&] { named_by_file.name(); }).find("must be UTF-8"), std::string::npos);
}

TEST(ChoicesHint, NamesAllWhereTheyAreFewAndTheNearest) {
  EXPECT_EQ(choices_hint("tow", {"one", "two"}),
            " (known are one, two) choose one of them (did you mean 'two'?)");
  EXPECT_EQ(choices_hint("frobnicate", {"one", "two"}), " (known are one, two) choose one of them");
  EXPECT_EQ(choices_hint("x", {}), " (there is none) check the name");
  std::vector<std::string> many;
  for (int k = 0; k < 21; ++k) many.push_back(indexed("name", k));
  EXPECT_EQ(choices_hint("nam7", many), " (there are 21 others) choose one of them (did you mean 'name7'?)");
}

TEST(CaseFile, FilesThatAreNoCaseFilesAreRefused) {
  test::TemporaryFolder const folder;
  auto const load = [](std::filesystem::path const& path) {
    return message_of<InputError>([&] { CaseFile::load(path); });
  };
  EXPECT_EQ(load(folder / "none.toml"),
            (folder / "none.toml").string() +
                ": no such case file (nothing of that name can be read) check the path");
  std::filesystem::create_directory(folder / "sub");
  EXPECT_NE(load(folder / "sub").find("(it is a folder)"), std::string::npos);
  EXPECT_NE(load(folder / "sub/x/y").find("no such case file"), std::string::npos);
  test::write_file(folder / "empty.toml", "");
  EXPECT_NE(load(folder / "empty.toml").find("no keys in it"), std::string::npos);
  test::write_file(folder / "utf16.toml", std::string{"\xff\xfe\x61\x00=\x00\x31\x00", 8});
  EXPECT_NE(load(folder / "utf16.toml").find("not valid TOML"), std::string::npos);
  test::write_file(folder / "large.toml", std::string((16u << 20) + 1, '#'));
  EXPECT_NE(load(folder / "large.toml").find("larger than 16 MiB"), std::string::npos);
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (auto const& path : {std::filesystem::path("/dev/zero"), folder / "pipe"}) {
    EXPECT_NE(load(path).find("it is a device, pipe or socket"), std::string::npos) << path;
  }
}

TEST(CaseFile, OverridesReplaceAndAddAndTakeBareWords) {
  auto const file =
      parse("core = \"x\"\n[grid]\nnx = 3\n[seaice]\nlimiter = \"none\"\n[empty]\n",
            {"grid.nx=5", "grid.nx = 7", "grid.dx=\"2\"", "seaice.limiter=nextsim", "time.end=2 h",
             "empty.word=a=b", "date=2000-01-01", "verify={z=1, a=\"2^3\"}", "on=true"});
  EXPECT_EQ(file.integer("grid.nx", 1), 7);
  EXPECT_EQ(file.text("grid.dx", ""), "2");
  EXPECT_EQ(file.text("seaice.limiter", ""), "nextsim");
  EXPECT_EQ(file.duration("time.end", "1 s"), 7200.0);
  EXPECT_EQ(file.text("empty.word", ""), "a=b");
  EXPECT_EQ(file.text("date", ""), "2000-01-01");
  EXPECT_TRUE(file.flag("on", false));
  EXPECT_EQ(file.integer("verify.z", 0), 1);
  EXPECT_EQ(file.text("verify.a", ""), "2^3");
  file.core();
  EXPECT_NO_THROW(file.reject_unknown());
}

TEST(CaseFile, BadOverridesAreRefusedWithTheirText) {
  std::string const text = "core = \"x\"\n[grid]\nnx = 3\n";
  auto const bad = [&](std::string const& override) { return refusal(text, just_parse, {override}); };
  EXPECT_EQ(bad("grid.nx"), "--set grid.nx: not an override (no '=' in it) write key.path=value");
  EXPECT_NE(bad("grid.nx=").find("no value after '='"), std::string::npos);
  EXPECT_NE(bad("=5").find("--set =5: not an override ("), std::string::npos);
  EXPECT_NE(bad("grid..nx=5").find("not an override ("), std::string::npos);
  EXPECT_NE(bad("a=1\nb=2").find("more than one line"), std::string::npos);
  EXPECT_NE(bad("a=[1,2").find("not a TOML value"), std::string::npos);
  EXPECT_NE(bad("a=\"b").find("not a TOML value"), std::string::npos);
  EXPECT_NE(bad("grid=5").find("--set grid=5: grid: clashes with grid.nx of a.toml:3"), std::string::npos);
  EXPECT_NE(bad("grid.nx.a=5").find("clashes with grid.nx of a.toml:3"), std::string::npos);
  EXPECT_EQ(refusal(text, [](auto const& file) { file.integer("grid.nx", 64); }, {"grid.nx=12x"}),
            "--set grid.nx=12x: grid.nx: must be an integer (it is the text \"12x\") write e.g. 64");
  EXPECT_NE(refusal(text, [](auto const& file) { file.number("grid.dx", 64); }, {"grid.dx=nan"})
                .find("must be finite"),
            std::string::npos);
}

TEST(CaseFile, FilesAreFoundFromTheCaseFilesFolder) {
  test::TemporaryFolder const folder;
  test::write_file(folder / "grid.nc", "x");
  test::write_file(folder / "case.toml",
                   "core = \"x\"\n[seaice]\nforcing = \"./grid.nc\"\nnone = \"no.nc\"\ndir = \".\"\n"
                   "nul = \"grid.nc\\u0000x\"\n");
  auto const file = CaseFile::load(folder / "case.toml");
  EXPECT_EQ(file.name(), "case");
  EXPECT_EQ(file.file("seaice.forcing", true), folder / "grid.nc");
  EXPECT_EQ(file.file("seaice.absent", false), "");
  EXPECT_NE(file.resolved().find("seaice.forcing = \"" + (folder / "grid.nc").string() + "\"\n"),
            std::string::npos);
  auto const where = (folder / "case.toml").string();
  EXPECT_NE(message_of<InputError>([&] {
              file.file("seaice.none", true);
            }).find(where + ":4: seaice.none: no such file"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { file.file("seaice.nul", true); }).find("holds a NUL"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { file.file("seaice.dir", true); }).find("is a folder"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { file.file("seaice.need", true); }).find("seaice.need: required"),
            std::string::npos);
}

TEST(CaseFile, KeysUnderATableComeInTheOrderOfTheFile) {
  auto const file = parse(
      "core = \"x\"\n[verify.zeta]\nlimit = 1\nkind = \"a\"\n[verify.alpha]\nlimit = 2\n[verify]\nmid = 1\n"
      "[verify-not]\nx = 1\n",
      {"verify.beta.limit=3", "verify.alpha.limit=4"});
  EXPECT_EQ(file.keys_under("verify"), (std::vector<std::string>{"zeta", "mid", "beta", "alpha"}));
  EXPECT_TRUE(file.keys_under("none").empty());
}

/// Reads `count` numbers and some of everything else.
void read_all(CaseFile const& file, int count) {
  file.core();
  for (int i = 0; i < count; ++i) file.number(indexed("n", i), 0.1);
  file.integer("grid.nx", 12);
  file.flag("grid.on", true);
  file.text("a.text", "tab\t quote\" back\\slash\x01 \xc3\xa9 \x7f");
  file.duration("a.length", "0.1 h");
  file.text("quoted key.x y", "z");
}

TEST(CaseFile, TheEchoParsesBackToTheSameEchoAndHash) {
  constexpr int count = 2000;
  std::mt19937_64 random{7};
  std::string text = "core = \"x\"\n";
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    auto value = std::bit_cast<double>(random());
    if (!std::isnormal(value)) value = std::numeric_limits<double>::min();
    if (i == 0) value = -0.0;
    if (i == 1) value = std::numeric_limits<double>::max();
    if (i == 2) value = 1e22;
    values.push_back(value);
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "n%d = %.17e\n", i, value);
    text += buffer;
  }
  auto const first = parse(text);
  read_all(first, count);
  auto const second = parse(first.resolved());
  read_all(second, count);
  EXPECT_EQ(second.resolved(), first.resolved());
  for (auto const* file : {&first, &second}) file->reject_unknown();
  EXPECT_EQ(second.hash(), first.hash());
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(second.number(indexed("n", i), 0.1)),
              std::bit_cast<std::uint64_t>(values[i]));
  }
}

TEST(CaseFile, TheHashSeesWhatTheSolutionDependsOnAndNothingElse) {
  auto const hash = [](std::string const& text, std::vector<std::string> const& overrides = {}) {
    auto const file = parse(text, overrides);
    file.core();
    file.name();
    file.number("grid.dx", 2);
    file.duration("time.step", "1 min");
    file.duration("time.end", "1 h");
    file.duration("output.interval", "1 h");
    file.number("verify.limit", 1);
    file.set_aside("judge");
    file.number("judge.threshold", 1);
    file.reject_unknown();
    return file.hash();
  };
  auto const base = hash("core = \"x\"");
  EXPECT_EQ(hash("core = \"x\"\nname = \"n\"\n[grid]\ndx = 2.0\n[time]\nstep = \"60 s\"\nend = \"9 h\""),
            base);
  EXPECT_EQ(hash("core = \"x\"", {"output.interval=1 s", "verify.limit=2", "judge.threshold=3"}), base);
  EXPECT_NE(hash("core = \"y\""), base);
  EXPECT_NE(hash("core = \"x\"", {"grid.dx=2.0000000000000004"}), base);
  EXPECT_NE(hash("core = \"x\"", {"time.step=59 s"}), base);
}

TEST(CaseFile, ReadsFromManyThreadsAreSafeAndAllEchoed) {
  auto const file = parse("core = \"x\"\na = 1\n");
  file.core();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&file] {
      for (int i = 0; i < 500; ++i) {
        file.number(indexed("k", i), i);
        file.has("a");
        file.resolved();
      }
      file.reject_unknown();
      for (int i = 0; i < 500; ++i) file.number(indexed("k", i), i);
      file.hash();
    });
  }
  for (auto& thread : threads) thread.join();
  auto const echo = file.resolved();
  EXPECT_EQ(std::count(echo.begin(), echo.end(), '\n'), 501);
}

TEST(ParseDuration, TakesUnitsAndRefusesTheRest) {
  EXPECT_EQ(parse_duration("90 s"), 90);
  EXPECT_EQ(parse_duration("30 min"), 1800);
  EXPECT_EQ(parse_duration(" 1.5h "), 5400);
  EXPECT_EQ(parse_duration("4 d"), 345600);
  EXPECT_EQ(parse_duration("-1e3 s"), -1000);
  for (auto const* bad :
       {"", "s", "90", "90 m", "90 sec", "nan s", "inf h", "1e308 d", "1,5 h", "2 h 3 min", "0x10 s"}) {
    EXPECT_THROW(parse_duration(bad), InputError) << bad;
  }
}

TEST(ParseDuration, IsTheDoubleNearestToTheDecimalTimesItsUnit) {
  EXPECT_EQ(parse_duration("1.1 h"), 3960) << "1.1 * 3600 is more in double";
  EXPECT_EQ(parse_duration("0.1 s"), 0.1);
  EXPECT_EQ(parse_duration("-.07 min"), -4.2);
  EXPECT_EQ(parse_duration("5. min"), 300);
  EXPECT_EQ(parse_duration("12.5E-1 d"), 108000);
  EXPECT_EQ(parse_duration("0 h"), 0);
  std::mt19937_64 random{11};
  for (int trial = 0; trial < 10000; ++trial) {
    auto const digits = std::uniform_int_distribution<std::int64_t>{1, 999'999'999'999}(random);
    auto const exponent = "e" + std::to_string(std::uniform_int_distribution<int>{-14, 3}(random));
    for (auto const& [unit, seconds] : {std::pair{" min", 60}, {" h", 3600}, {" d", 86400}}) {
      // The product of whole numbers is exact, and the C library reads it to nearest.
      auto const wanted = std::strtod((std::to_string(digits * seconds) + exponent).c_str(), nullptr);
      ASSERT_EQ(parse_duration(std::to_string(digits) + exponent + unit), wanted)
          << digits << exponent << unit;
    }
  }
}

TEST(CaseFile, NumbersBeyondDoubleAreRefusedWithTheirKey) {
  std::string const small =
                        " is too small (double holds all digits from 2.3e-308 up) write 0 or a larger number",
                    large = " is too large (double holds numbers to 1.7e308) write a smaller number";
  for (auto const* number :
       {"1e-400", "-1e-400", "1e-320", "2.2e-308", "1_0.5E-4_00", "+3e-310", "1e-99999"}) {
    std::string word(number);
    std::erase(word, '_');
    std::erase(word, '+');
    EXPECT_EQ(refusal(std::string("[t]\nx = 1.0\ny = ") + number + "  # 1", just_parse),
              "a.toml:3: t.y: " + word + small);
    EXPECT_EQ(refusal("core = 'x'", just_parse, {std::string("t.y= ") + number}),
              "--set t.y= " + std::string(number) + ": t.y: " + word + small);
  }
  EXPECT_EQ(refusal("x = [1.0, 1e-400]", just_parse), "a.toml:1: x[1]: 1e-400" + small);
  EXPECT_EQ(refusal("\"\u00e4\u00f6\" = 1.0\n\"\u00fc\" = {a = 1.0, b = 1e-400}", just_parse),
            "a.toml:2: \u00fc.b: 1e-400" + small);
  for (auto const* number : {"1e400", "-1e400", "1e99999"}) {
    EXPECT_EQ(refusal(std::string("x = ") + number + " # large", just_parse),
              "a.toml:1: x: " + (number + large));
    EXPECT_EQ(refusal("core = 'x'", just_parse, {std::string("t.y=") + number}),
              "--set t.y=" + std::string(number) + ": t.y: " + number + large);
  }
  for (auto const* number :
       {"0.0", "-0.0", "0e-400", "0.000e400", "2.2250738585072014e-308", "1.7976931348623157e308"}) {
    EXPECT_EQ(parse(std::string("x = ") + number).number("x", 1), std::strtod(number, nullptr)) << number;
  }
  for (auto const* time : {"1e-400 s", "1e-320 h", "-2e-310min"}) {
    EXPECT_NE(message_of<InputError>([&] { parse_duration(time); }).find(small), std::string::npos) << time;
  }
  EXPECT_NE(message_of<InputError>([&] { parse_duration("1e400 s"); }).find(large), std::string::npos);
  for (auto const* power : {"1e-400", "1e-320"}) {
    EXPECT_EQ(message_of<InputError>([&] { parse_power(power); }), power + small);
  }
  EXPECT_THROW(parse_power("2^-1050"), InputError) << "its neighbours are far";
  EXPECT_EQ(parse_power("2^-1022"), 0x1p-1022);
}

TEST(ParsePower, TakesNumbersAndPowersAndRefusesTheRest) {
  EXPECT_EQ(parse_power("2^-23"), 0x1p-23);
  EXPECT_EQ(parse_power("2^-53"), 0x1p-53);
  EXPECT_EQ(parse_power("1e-7"), 1e-7);
  EXPECT_EQ(parse_power("10^3"), 1000);
  for (auto const* bad : {"", "2^", "^3", "2^-2000", "2^2000", "nan", "2^nan", "2^3x", "two"}) {
    EXPECT_THROW(parse_power(bad), InputError) << bad;
  }
}

}  // namespace
}  // namespace ulpine::io
