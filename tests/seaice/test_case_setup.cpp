// SPDX-License-Identifier: Apache-2.0
// What a case may say: bad values are refused by name, and their remedies work.
#include "core/seaice/case_setup.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "core/field/operations.hpp"
#include "core/seaice/register.hpp"
#include "ensembles/runs/run.hpp"
#include "io/error.hpp"
#include "seaice/offered_values.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine {
namespace {

using test::message_of, test::offered, test::Words;

/// A run of one step on 4 x 4 cells. Extents are given, so that a change of grid.nx or grid.ny alone fits.
constexpr char const* small_case =
    "core = \"seaice\"\nname = \"small\"\n"
    "[grid]\nnx = 4\nny = 4\nlength = 512e3\nlength_y = 512e3\n"
    "[time]\nstep = \"120 s\"\nend = \"120 s\"\nsubsteps = 1\n";

struct CaseFault : testing::Test {
  test::TemporaryFolder folder;

  CaseFault() {
    seaice::register_core();
    test::write_file(folder / "small.toml", small_case);
  }
  /// Reads everything, as a run does before its first step.
  void read(Words const& overrides) const {
    auto const case_file = ensembles::CaseSource{folder / "small.toml", overrides}.load();
    make_model(case_file, {});
  }
  /// Runs one step; times that are no multiples of the step come out here.
  void run(Words const& overrides) const {
    std::atomic<bool> const stop = true;
    ensembles::RunRequest request;
    request.source = {folder / "small.toml", overrides};
    request.folder = folder / "out";
    request.cancel = &stop;
    ensembles::run(request);
  }
  template <class Action>
  static std::string refusal(Action const& action) {
    auto const message = message_of<InputError>(action);
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 500u) << message;
    return message;
  }
};

struct BadValue {
  std::string key, value;
  Words said;          ///< beside the key
  Words with = {};     ///< other overrides that bring the key into play
  bool remedy = true;  ///< the line ends in values to type instead
};

std::vector<BadValue> bad_values() {
  Words const uniform_wind{"forcing.wind=uniform"}, uniform_ocean{"forcing.ocean=uniform"},
      uniform_ice{"initial.source=uniform"};
  return {
      {"grid.nx", "1", {"it is 1", "between 2 and 16384"}},
      {"grid.nx", "0", {"it is 0", "between 2 and 16384"}},
      {"grid.nx", "-5", {"it is -5", "between 2 and 16384"}},
      {"grid.nx", "16385", {"it is 16385", "between 2 and 16384"}},
      {"grid.nx", "4294967300", {"it is 4294967300", "between 2 and 16384"}},
      {"grid.nx", "9223372036854775807", {"it is 9223372036854775807", "between 2 and 16384"}},
      {"grid.nx", "99999999999999999999", {"must be an integer", "99999999999999999999"}},
      {"grid.nx", "2.5", {"must be an integer", "2.5"}},
      {"grid.nx", "1e3", {"must be an integer", "1000"}},
      {"grid.nx", "8x", {"must be an integer", "8x"}},
      {"grid.nx", "\"8\"", {"must be an integer", "the text \"8\""}},
      {"grid.nx", "nan", {"must be an integer", "nan"}},
      {"grid.nx", "true", {"must be an integer", "true"}},
      {"grid.nx", "[8]", {"must be an integer", "an array"}},
      {"grid.nx", "0x10000", {"it is 65536", "between 2 and 16384"}},
      {"grid.nx", std::string(5000, '7'), {"is too large", "write a smaller number"}, {}, false},
      {"grid.ny", "4294967298", {"it is 4294967298", "between 2 and 16384"}},
      {"grid.ny", "-4294967292", {"it is -4294967292", "between 2 and 16384"}},
      {"grid.length", "0", {"it is 0", "between 1 and 1e+08"}},
      {"grid.length", "-1", {"it is -1", "between 1 and 1e+08"}},
      {"grid.length", "inf", {"must be finite", "inf"}},
      {"grid.length", "1e300", {"it is 1e+300", "between 1 and 1e+08"}},
      {"grid.length_y", "0.5", {"it is 0.5", "between 1 and 1e+08"}},
      {"grid.length_y", "\"512 km\"", {"must be a number", "512 km"}},
      {"grid.distortion", "0.2", {"it is 0.2", "between -0.1 and 0.1"}},
      {"grid.length",
       "1",
       {"too short for so many cells"},
       {"grid.nx=16384", "grid.ny=200", "grid.length_y=1"},
       false},
      {"grid.distortion",
       "0.1",
       {"is degenerate", "smaller distortion"},
       {"grid.length=1", "grid.length_y=1e8"},
       false},
      {"grid.distortion", "nan", {"must be finite", "nan"}},
      {"grid.mesh", "nowhere.smesh", {"no such file", "nowhere.smesh"}, {}, false},
      {"grid.mesh", "5", {"must be the path", "the integer 5"}, {}, false},
      {"grid.nz", "3", {"unknown key", "did you mean 'grid.n"}, {}, false},
      {"gird.nx", "3", {"unknown key", "did you mean 'grid.nx'"}, {}, false},
      {"discretisation.cg", "3", {"3", "use 1 or 2"}},
      {"discretisation.cg", "0", {"0", "use 1 or 2"}},
      {"discretisation.cg", "4294967297", {"4294967297"}},
      {"discretisation.dg", "4294967297", {"4294967297"}},
      {"discretisation.dg", "4294967299", {"4294967299"}},
      {"discretisation.dg", "-4294967293", {"-4294967293"}},
      {"discretisation.dg", "2", {"2", "use 1, 3 or 6"}},
      {"discretisation.coordinates", "sphere", {"sphere", "cartesian, spherical"}},
      {"discretisation.maps", "const", {"const", "auto, constant, precomputed, on_the_fly"}},
      {"discretisation.maps",
       "constant",
       {"parallelograms", "auto or precomputed"},
       {"grid.distortion=0.05"},
       false},
      {"time.step", "0 s", {"it is 0 s", "between 0.001 s and 86400 s"}},
      {"time.step", "-1 s", {"it is -1 s", "between 0.001 s and 86400 s"}},
      {"time.step", "1e-9 s", {"it is 1e-09 s", "between 0.001 s and 86400 s"}},
      {"time.step", "2 d", {"it is 172800 s", "between 0.001 s and 86400 s"}},
      {"time.step", "120", {"time with its unit", "the integer 120"}},
      {"time.step", "2 days", {"2 days", "is not a time"}},
      {"time.substeps", "0", {"it is 0", "between 1 and 100000"}},
      {"time.substeps", "4294967396", {"it is 4294967396", "between 1 and 100000"}},
      {"time.substeps", "1e2", {"must be an integer"}},
      {"time.end", "-1 s", {"it is -1 s", "between 0 s and 8.64e+11 s"}},
      {"time.end", "1e20 d", {"between 0 s and 8.64e+11 s"}},
      {"time.end", "100 s", {"100 s", "no multiple of the time step (120 s)", "use e.g. 120 s"}},
      {"time.end", "1e-9 s", {"1e-09 s", "no multiple of the time step (120 s)", "use e.g. 120 s"}},
      {"time.end", "359.9 s", {"359.9 s", "use e.g. 360 s"}},
      {"output.interval", "1e-9 s", {"1e-09 s", "no multiple of the time step (120 s)", "use e.g. 120 s"}},
      {"output.interval", "59 s", {"59 s", "use e.g. 120 s"}},
      {"output.interval", "-120 s", {"it is -120 s", "between 0 s and"}},
      {"output.interval", "3600", {"time with its unit", "the integer 3600"}},
      {"output.coefficients", "1", {"true or false", "the integer 1"}, {}, false},
      {"seaice.alpha", "0", {"it is 0", "between 1 and 1e+09"}},
      {"seaice.alpha", "1e300", {"it is 1e+300", "between 1 and 1e+09"}},
      {"seaice.beta", "-1", {"it is -1", "between 0 and 1e+09"}},
      {"seaice.coriolis", "2", {"it is 2", "between -1 and 1"}},
      {"seaice.runge_kutta", "4", {"it is 4", "between 1 and 3"}},
      {"seaice.runge_kutta", "4294967298", {"it is 4294967298", "between 1 and 3"}},
      {"seaice.limiter", "exakt", {"exakt", "exact, nextsim", "did you mean 'exact'"}},
      {"seaice.rheology", "bbm", {"bbm", "vp"}},
      {"seaice.assembly", "rowise", {"rowise", "gather, rowwise, checkerboard", "did you mean 'rowwise'"}},
      {"seaice.limitter", "exact", {"unknown key", "did you mean 'seaice.limiter'"}, {}, false},
      {"forcing.wind", "storm", {"storm", "calm, uniform, cyclone"}},
      {"forcing.wind_u", "201", {"it is 201", "between -200 and 200"}, uniform_wind},
      {"forcing.wind_v", "-1e9", {"it is -1e+09", "between -200 and 200"}, uniform_wind},
      {"forcing.wind_u", "5", {"has no effect (it needs forcing.wind = \"uniform\")"}, {}, false},
      {"forcing.cyclone_x", "1e300", {"it is 1e+300", "between -1e+09 and 1e+09"}},
      {"forcing.cyclone_y", "-inf", {"must be finite", "-inf"}},
      {"forcing.cyclone_drift_x", "1e3", {"it is 1000", "between -200 and 200"}},
      {"forcing.cyclone_rate", "2", {"it is 2", "between -0.01 and 0.01"}},
      {"forcing.cyclone_reach", "0", {"it is 0", "between 1 and 1e+08"}},
      {"forcing.cyclone_angle", "400", {"it is 400", "between -360 and 360"}},
      {"forcing.ocean", "tides", {"tides", "still, uniform, gyre"}},
      {"forcing.ocean_speed", "11", {"it is 11", "between -10 and 10"}},
      {"forcing.ocean_u", "-11", {"it is -11", "between -10 and 10"}, uniform_ocean},
      {"initial.source", "files", {"files", "benchmark, uniform, file"}},
      {"initial.height", "-1", {"it is -1", "between 0 and 100"}, uniform_ice},
      {"initial.height", "101", {"it is 101", "between 0 and 100"}, uniform_ice},
      {"initial.concentration", "1.5", {"it is 1.5", "between 0 and 1"}, uniform_ice},
      {"initial.concentration", "nan", {"must be finite"}, uniform_ice},
      {"initial.file", "\"\"", {"must be the path"}, {"initial.source=file"}, false},
      {"initial.file", "none.nc", {"no such file", "none.nc"}, {"initial.source=file"}, false},
      {"core", "seice", {"unknown core 'seice'", "known are", "seaice", "did you mean 'seaice'"}, {}, false},
      {"core", "\"\"", {"required", "e.g. core = \"seaice\""}},
      {"core", "5", {"must be text", "the integer 5"}, {}, false},
      {"name", "\"\"", {"must not be blank", "e.g. name = \"case\""}},
      {"name", "\"  \"", {"must not be blank"}},
      {"name", "\"a\\nb\"", {"control characters"}},
      {"name", std::string(300, 'n'), {"too long", "200"}},
      {"name", "5", {"must be text", "the integer 5"}, {}, false},
      {"description", "5", {"must be text", "the integer 5"}, {}, false},
      {"lkf.rules", "repair", {"repair", "repaired, lkf_tools"}},
      {"lkf.parameters", "dog51", {"dog51", "dog15"}, {}, false},
      {"verify.sivol.l2_relative", "-1", {"it is -1", "at least 0"}},
      {"verify.sivol.l2_relative", "\"small\"", {"must be a number", "small"}},
      {"verify.sivol.fac3", "1", {"fac3"}, {}, false},
  };
}

TEST_F(CaseFault, OfAPolicyThatAnOrderLacksNamesThoseItHas) {
  for (auto const& [cg, dg] : {std::pair{"1", "6"}, {"2", "1"}, {"2", "3"}, {"2", "6"}}) {
    auto const case_file = ensembles::CaseSource{
        folder / "small.toml",
        {std::string("discretisation.cg=") + cg,
         std::string("discretisation.dg=") +
             dg}}.load();
    auto const message = message_of<InputError>([&] { make_model(case_file, {.policy = "bf16"}); });
    EXPECT_NE(message.find("bf16"), std::string::npos) << message;
    EXPECT_NE(message.find("fp64, fp32, mixed or tf32"), std::string::npos) << message;
    EXPECT_NO_THROW(make_model(case_file, {.policy = "tf32"}));
  }
}

TEST_F(CaseFault, EveryBadValueIsRefusedByKeyValueAndRemedy) {
  auto const table = bad_values();
  ASSERT_GE(table.size(), 60u);
  for (auto const& bad : table) {
    auto overrides = bad.with;
    overrides.push_back(bad.key + "=" + bad.value);
    auto const message = refusal([&] { run(overrides); });
    EXPECT_NE(message.find(bad.key), std::string::npos) << bad.key << "=" << bad.value << ": " << message;
    for (auto const& word : bad.said) {
      EXPECT_NE(message.find(word), std::string::npos) << bad.key << "=" << bad.value << ": " << message;
    }

    auto const remedies = offered(message);
    EXPECT_EQ(remedies.empty(), !bad.remedy) << message;
    for (auto const& remedy : remedies) {
      overrides.back() = bad.key + "=" + remedy;
      EXPECT_NO_THROW(read(overrides)) << remedy << ", offered by: " << message;
      // Other steps than that of the case fit other ends.
      if (bad.key != "time.step" && bad.key != "time.substeps") {
        EXPECT_NO_THROW(run(overrides)) << remedy << ", offered by: " << message;
      }
    }
  }
}

TEST_F(CaseFault, ADerivedExtentIsCheckedToo) {
  test::write_file(folder / "small.toml", "core = \"seaice\"\n[grid]\nnx = 2\nny = 16384\nlength = 1e5\n");
  // 1e5 m * 16384 / 2 is 819,200 km.
  auto const message = refusal([&] { read({}); });
  EXPECT_NE(message.find("grid.length_y: out of range (it is 819200000 m) choose between 1 and 1e+08 m"),
            std::string::npos)
      << message;
}

TEST_F(CaseFault, AMeshFileWithBadCellsIsRefusedByCellAndFile) {
  test::write_file(folder / "bad.smesh",
                   "ParametricMesh 2.0\n2 1\n0 0\n2 0\n1 0\n0 1\n2 1\n1 1\nlandmask 0\n"
                   "dirichlet 6\n0 0\n0 2\n0 3\n1 0\n1 1\n1 2\nperiodic 0\n");
  auto const message = refusal([&] { read({"grid.mesh=bad.smesh", "grid.nx=4"}); });
  EXPECT_NE(message.find("bad.smesh: cell 1 (row 0, column 1) is turned over"), std::string::npos) << message;
}

}  // namespace
}  // namespace ulpine
