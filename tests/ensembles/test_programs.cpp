// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "ensembles/programs/program_case.hpp"
#include "ensembles/programs/program_keys.hpp"
#include "ensembles/programs/program_run.hpp"
#include "ensembles/runs/process.hpp"
#include "ensembles/study/plan.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_change.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::NetcdfWriting;
using test::TemporaryFolder;
using Values = std::vector<double>;

TEST(ProgramValues, StandForNamesBetweenBraces) {
  ProgramValues const values = {{"seed", "7"}, {"end_s", "3600"}, {"a", "{seed}"}};
  for (auto const& [text, filled] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {"none", "none"},
           {"{seed}", "7"},
           {"-e {end_s}s,{seed}{seed}", "-e 3600s,77"},
           // No names: what stands between braces begins with a letter and is letters, digits and _ alone.
           {"{}", "{}"},
           {"{ seed }", "{ seed }"},
           {"{1}", "{1}"},
           {"{_a}", "{_a}"},
           {"a{", "a{"},
           {"}{", "}{"},
           {"{\"x\": 1}", "{\"x\": 1}"},
           {"{a-b}", "{a-b}"},
           {"{{seed}}", "{7}"},
           {"${seed}", "$7"},
           // What is put in is not looked at again.
           {"{a}", "{seed}"}}) {
    EXPECT_EQ(filled_in(text, values, "here"), filled) << text;
    EXPECT_EQ(filled_where_known(text, values), filled) << text;
  }
  EXPECT_EQ(filled_where_known("{sed} {seed}", values), "{sed} 7");
  auto const refusal = message_of<InputError>([&] { filled_in("-s {sed}", values, "program.run"); });
  EXPECT_EQ(refusal.find("program.run: {sed} in '-s {sed}' has no value"), 0u) << refusal;
  EXPECT_NE(refusal.find("seed"), std::string::npos) << refusal;
  EXPECT_EQ(names_in("{a} {b_1} { c } {2} {{d}} {a}"), (std::set<std::string>{"a", "b_1", "d"}));
}

/// A folder with a program that does nothing, a file to fill and one to place.
struct Folder : TemporaryFolder {
  Folder() {
    fs::copy_file("/bin/true", *this / "model");
    write("settings.txt", "{seed} {amplitude} {end_h}");
    write("grid_1.dat", "1");
    write("grid_2.dat", "2");
    write("gridded", "3");
    register_programs();
  }
  ProgramCase read(std::string const& more, std::string const& variants = "a = \"model\"") const {
    auto const path = write(
        "case.toml", "core = \"program\"\n[program]\n" + more + "\n[program.variants]\n" + variants + "\n");
    return read_program(io::CaseFile::load(path));
  }
  std::string refusal(std::string const& more, std::string const& variants = "a = \"model\"") const {
    return message_of<InputError>([&] { read(more, variants); });
  }
};

TEST(ProgramCases, HaveWhatTheirKeysSay) {
  Folder const folder;
  auto const program = folder.read(
      "place = [\"grid_?.dat\"]\nfill = [\"settings.txt\"]\noutput = [\"out/*.nc\"]\ntimeout = \"2 min\"\n"
      "environment = [\"A=1\"]\nvalues.x = 0.5\nlimits.T = [-1, 2e300]\nranks = 2\nkeep = true",
      "b = \"model\"\nc.program = \"model\"\na.program = \"model\"\na.precision = \"fp32\"\na.ranks = "
      "3\na.values.x = \"text\"\n"
      "a.environment = [\"B={x}\"]\na.run = [\"{program}\", \"-n\", \"{ranks}\"]");
  EXPECT_EQ(program.place, (std::vector<fs::path>{folder / "grid_1.dat", folder / "grid_2.dat"}));
  EXPECT_EQ(program.fill, (std::vector<fs::path>{folder / "settings.txt"}));
  EXPECT_EQ(program.timeout_s, 120);
  EXPECT_TRUE(program.keep);
  EXPECT_EQ(program.limits.at("T"), (std::array<double, 2>{-1, 2e300}));
  EXPECT_EQ(program.launcher, (std::vector<std::string>{"mpirun", "-n", "{ranks}"}));
  ASSERT_EQ(program.variants.size(), 3u);
  auto const &a = program.variant("a"), &b = program.variant("b");
  EXPECT_EQ(a.program, folder / "model");
  EXPECT_EQ(b.program, folder / "model");
  EXPECT_EQ(a.precision, "fp32");
  EXPECT_EQ(b.precision, "fp64");
  EXPECT_EQ(a.ranks, 3);
  EXPECT_EQ(b.ranks, 2);
  EXPECT_EQ(program.variant("c").ranks, 2);
  EXPECT_EQ(a.environment, (std::vector<std::string>{"A=1", "B={x}"}));
  EXPECT_EQ(b.run, (std::vector<std::string>{"{program}"}));
  EXPECT_EQ(a.values.at("x"), "text");
  EXPECT_EQ(b.values.at("x"), "0.5");
  EXPECT_EQ(program.filled_names, (std::set<std::string>{"amplitude", "end_h", "seed"}));
  auto const refusal = message_of<InputError>([&] { program.variant("d"); });
  EXPECT_NE(refusal.find("unknown variant 'd'"), std::string::npos) << refusal;
}

TEST(ProgramCases, KeepTheOrderOfTheirVariants) {
  Folder const folder;
  auto const program = folder.read("", "zeta = \"model\"\nalpha = \"model\"\nm.program = \"model\"");
  std::vector<std::string> names;
  for (auto const& variant : planned_variants(program)) names.push_back(variant.name);
  EXPECT_EQ(names, (std::vector<std::string>{"zeta", "alpha", "m"})) << "the first is the reference";
}

TEST(ProgramCases, DependOnTheContentOfWhatIsFilledAndCopied) {
  Folder const folder;
  auto const hash = [&] {
    auto const path = folder.write("case.toml",
                                   "core = \"program\"\nprogram.fill = [\"settings.txt\"]\nprogram.copy = "
                                   "[\"gridded\"]\nprogram.variants.a = \"model\"\n");
    auto const case_file = io::CaseFile::load(path);
    read_program(case_file);
    return case_file.hash();
  };
  auto const before = hash();
  EXPECT_EQ(hash(), before);
  folder.write("settings.txt", "{seed} {amplitude} {end_h} ");
  auto const filled = hash();
  EXPECT_NE(filled, before);
  folder.write("gridded", "4");
  auto const copied = hash();
  EXPECT_NE(copied, filled);
  std::ofstream(folder / "model", std::ios::app) << "changed";
  EXPECT_NE(hash(), copied);
}

TEST(ProgramValues, AreOfTheRunAndTheVariant) {
  ProgramVariant variant{.name = "v", .ranks = 4, .values = {{"x", "1"}}};
  variant.program = "/bin/model";
  ProgramRunValues run;
  run.folder = "/cases";
  run.threads = 3;
  run.end_s = 129600;
  run.amplitude = 0x1p-23;
  run.member = 5;
  run.seed = 77;
  auto const values = values_of(variant, run);
  EXPECT_EQ(values.at("variant"), "v");
  EXPECT_EQ(values.at("program"), "/bin/model");
  EXPECT_EQ(values.at("folder"), "/cases");
  EXPECT_EQ(values.at("ranks"), "4");
  EXPECT_EQ(values.at("threads"), "3");
  EXPECT_EQ(values.at("member"), "5");
  EXPECT_EQ(values.at("x"), "1");
  EXPECT_EQ(std::stod(values.at("amplitude")), 0x1p-23);
  // Whole numbers have neither point nor exponent: programs may read them as integers.
  EXPECT_EQ(values.at("end_s"), "129600");
  EXPECT_EQ(values.at("end_min"), "2160");
  EXPECT_EQ(values.at("end_h"), "36");
  EXPECT_EQ(values.at("end_d"), "1.5");
  run.end_s = 1e6;
  EXPECT_EQ(values_of(variant, run).at("end_s"), "1000000");
  run.end_s = 100 * 365 * 86400.0;
  EXPECT_EQ(values_of(variant, run).at("end_s"), "3153600000");
  run.end_s.reset();
  EXPECT_FALSE(values_of(variant, run).contains("end_s"));
}

TEST(ProgramValues, HaveASeedForEachMemberWhateverTheVariant) {
  std::set<std::string> seeds;
  for (auto seed : {1u, 2u}) {
    for (auto member = -1; member < 500; ++member) {
      ProgramRunValues run;
      run.seed = seed;
      if (member >= 0) run.member = member;
      auto const text = values_of(ProgramVariant{.name = "a"}, run).at("seed");
      EXPECT_EQ(values_of(ProgramVariant{.name = "b", .ranks = 8}, run).at("seed"), text);
      auto const value = std::stoll(text);
      EXPECT_GT(value, 0);
      EXPECT_LT(value, 1LL << 31);
      seeds.insert(text);
    }
  }
  EXPECT_EQ(seeds.size(), 1002u);
}

TEST(ProgramStudies, ArePlannedByVariants) {
  StudyOptions options;
  options.variants = {{"slow", "fp64", 1}, {"fast", "fp64", 4}, {"single", "fp32", 2}};
  options.members = 3;
  options.epsilons = {"2^-23"};
  auto const plan = make_plan(options);
  EXPECT_EQ(plan.reference, "slow");
  std::vector<std::string> ids;
  for (auto const& run : plan.runs) ids.push_back(run.id);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 12u);
  EXPECT_EQ((std::vector<std::string>(ids.begin(), ids.begin() + 3)),
            (std::vector<std::string>{"slow", "fast", "single"}));
  for (auto const& run : plan.runs) {
    EXPECT_EQ(run.configuration.policy, run.configuration.variant == "single" ? "fp32" : "fp64");
    EXPECT_EQ(to_text(run.configuration), run.configuration.variant);
  }
  options.reference = "fast";
  options.configurations = {"single"};
  options.members_for = {"single"};
  auto const some = make_plan(options);
  EXPECT_EQ(some.reference, "fast");
  ids.clear();
  for (auto const& run : some.runs) ids.push_back(run.id);
  EXPECT_EQ(std::ranges::count_if(ids, [](auto const& id) { return id.starts_with("slow"); }), 0);
  EXPECT_EQ(ids.size(), 5u) << "two runs, three members";
  options.reference = "fats";
  auto const refusal = message_of<InputError>([&] { make_plan(options); });
  EXPECT_NE(refusal.find("unknown variant 'fats'"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("fast"), std::string::npos) << refusal;
}

TEST(ProgramProcesses, HaveTheirFolderOutputEnvironmentAndStack) {
  TemporaryFolder const folder;
  ::setenv("ULPINE_TEST_KEPT", "kept", 1);
  ::setenv("ULPINE_TEST_CHANGED", "before", 1);
  ProcessPlace place;
  place.folder = folder.path();
  place.output = folder / "said.txt";
  place.messages = folder / "messages.txt";
  place.environment = {"ULPINE_TEST_CHANGED=after =", "ULPINE_TEST_NEW=new"};
  place.whole_stack = true;
  auto const outcome = run_process({"/bin/sh", "-c",
                                    "pwd; echo $ULPINE_TEST_KEPT,$ULPINE_TEST_CHANGED,$ULPINE_TEST_NEW; "
                                    "ulimit -S -s; ulimit -H -s; echo told >&2"},
                                   {}, nullptr, place);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "told\n");
  EXPECT_GT(outcome.peak_bytes, 100 << 10);
  std::ifstream said(place.output);
  std::string where, variables, soft, hard;
  std::getline(said, where);
  std::getline(said, variables);
  std::getline(said, soft);
  std::getline(said, hard);
  EXPECT_EQ(fs::canonical(where), fs::canonical(folder.path()));
  EXPECT_EQ(variables, "kept,after =,new");
  EXPECT_EQ(soft, hard);
  std::ifstream messages(place.messages);
  std::string told;
  std::getline(messages, told);
  EXPECT_EQ(told, "told");
}

TEST(ProgramProcesses, AreFoundByTheirOwnPathAndWriteThroughNoLink) {
  TemporaryFolder const folder;
  fs::copy_file("/bin/true", folder / "only-here");
  ProcessPlace place;
  place.environment = {"PATH=" + folder.path().string()};
  place.output = folder / "said.txt";
  auto const absent = run_process({"only-nowhere"}, {}, nullptr, place);
  EXPECT_EQ(absent.status, -1);
  fs::create_symlink(folder.write("mine.txt", "mine"), folder / "linked.txt");
  place.output = folder / "linked.txt";
  EXPECT_EQ(run_process({"/bin/echo", "said"}, {}, nullptr, place).status, -1);
  std::ifstream mine(folder / "mine.txt");
  std::string text;
  std::getline(mine, text);
  EXPECT_EQ(text, "mine");
  place.output = folder / "absent/said.txt";
  EXPECT_EQ(run_process({"/bin/true"}, {}, nullptr, place).status, -1);
  place.output = folder / "said.txt";
  place.folder = folder / "absent";
  EXPECT_EQ(run_process({"/bin/true"}, {}, nullptr, place).status, -1);
}

TEST(ProgramProcesses, AreEndedWhereTheyWriteTooMuch) {
  TemporaryFolder const folder;
  ProcessPlace place;
  place.output = folder / "said.txt";
  auto const outcome = run_process(
      {"/bin/sh", "-c", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"},
      {.output_bytes = 100000}, nullptr, place);
  EXPECT_EQ(outcome.beyond, "wrote more than 100000 bytes on standard output");
  EXPECT_NE(outcome.status, 0);
  EXPECT_FALSE(outcome.late);
}

/// A file with a variable of each type over three rows, the last value missing.
fs::path write_changeable(TemporaryFolder const& folder) {
  auto const path = folder / "start.nc";
  NetcdfWriting file{path};
  auto const y = file.dimension("y", 3), x = file.dimension("x", 2);
  auto const narrow = file.variable("narrow", NC_FLOAT, {y, x}),
             wide = file.variable("wide", NC_DOUBLE, {y, x}), count = file.variable("count", NC_INT, {y, x}),
             packed = file.variable("packed", NC_FLOAT, {y, x}), one = file.variable("one", NC_DOUBLE, {});
  file.number(wide, "_FillValue", NC_DOUBLE, {-999});
  file.number(narrow, "missing_value", NC_FLOAT, {-998});
  file.number(packed, "scale_factor", NC_DOUBLE, {0.5});
  for (auto const variable : {narrow, wide, count, packed})
    file.values(variable, {1, 2, 3, 4, 5, variable == narrow ? -998.0 : -999.0});
  file.values(one, {7});
  return path;
}

TEST(VariableChange, ReachesAllValuesButMissingOnes) {
  TemporaryFolder const folder;
  auto const path = write_changeable(folder);
  std::vector<std::int64_t> seen;
  auto const change = [&](std::int64_t first, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      seen.push_back(first + static_cast<std::int64_t>(i));
      values[i] += 0.5 * static_cast<double>(seen.back());
    }
  };
  io::change_variable(path, "wide", change);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(io::InputFile(path).read_all("wide").at(4), 7);
  seen.clear();
  io::change_variable(path, "narrow", change);
  seen.clear();
  io::change_variable(path, "one", [](std::int64_t first, std::span<double> values) {
    EXPECT_EQ(first, 0);
    ASSERT_EQ(values.size(), 1u);
    values[0] = -7;
  });
  io::InputFile const file(path);
  for (auto const* const name : {"wide", "narrow"}) {
    auto const values = file.read_all(name);
    EXPECT_EQ((Values{values.begin(), values.begin() + 5}), (Values{1, 2.5, 4, 5.5, 7})) << name;
    EXPECT_TRUE(std::isnan(values[5])) << name;
  }
  EXPECT_EQ(file.read_all("one"), Values{-7});
  EXPECT_EQ(file.read_all("count").at(4), 5) << "the others are as they were";
}

TEST(VariableChange, IsRefusedWhereItWouldBeLost) {
  TemporaryFolder const folder;
  auto const path = write_changeable(folder);
  auto const before = test::read_file(path);
  auto const refusal = [&](std::string const& name) {
    return message_of<InputError>(
        [&] { io::change_variable(path, name, [](std::int64_t, std::span<double>) {}); });
  };
  EXPECT_NE(refusal("count").find("neither float nor double"), std::string::npos) << refusal("count");
  EXPECT_NE(refusal("packed").find("packed"), std::string::npos) << refusal("packed");
  EXPECT_NE(refusal("wid").find("no variable 'wid'"), std::string::npos) << refusal("wid");
  EXPECT_NE(refusal("wid").find("wide"), std::string::npos) << refusal("wid");
  EXPECT_EQ(test::read_file(path), before);
  auto const none = folder.write("none.nc", "no NetCDF file");
  EXPECT_NE(message_of<InputError>([&] {
              io::change_variable(none, "u", [](std::int64_t, std::span<double>) {});
            }).find("none.nc"),
            std::string::npos);
}

TEST(ProgramFolders, AreKnownByTheirMark) {
  TemporaryFolder const folder;
  EXPECT_NO_THROW(require_own_program_folder(folder.path()));
  fs::create_directory(folder / "program");
  EXPECT_THROW(require_own_program_folder(folder.path()), InputError);
  folder.write("program/" + std::string(program_mark), "");
  EXPECT_NO_THROW(require_own_program_folder(folder.path()));
  fs::rename(folder / "program", folder / "elsewhere");
  fs::create_directory_symlink(folder / "elsewhere", folder / "program");
  EXPECT_THROW(require_own_program_folder(folder.path()), InputError) << "what a link leads to is another's";
}

}  // namespace
}  // namespace ulpine::ensembles
