// SPDX-License-Identifier: Apache-2.0
// Errors by level of a study whose files are written by hand: fp32 is off the reference in one level alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "ensembles/runs/errors.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/written_run.hpp"
#include "io/netcdf.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::ensembles {
namespace {

constexpr int nz = 4, ny = 6, nx = 5, cells = ny * nx;
constexpr std::size_t points = std::size_t{nz} * cells, off = 2;  ///< off: the level that differs
constexpr std::array shares = {0.0, 0.5, 1.0};                    ///< of the error, by output time

/// What is written, slowest dimension first; `levels` as is to be found.
struct WrittenField {
  char const* name;
  std::vector<std::string> dimensions;
  std::int64_t levels;
};
std::vector<WrittenField> const fields = {
    {"theta", {"z", "y", "x"}, nz},   // an axis Z
    {"pressure", {"plev", "n"}, nz},  // by its standard name, of two dimensions
    {"tracer", {"a", "b", "c"}, nz},  // of which nothing is said
    {"modes", {"y4", "x", "m"}, 0},   // three dimensions, the first along y
    {"rows", {"lat", "b", "c"}, 0},   // likewise, as its name lets think
    {"profile", {"z"}, 0},            // a level has one value
    {"surface", {"y", "x"}, 0},      {"sheet", {"one", "y", "x"}, 0},  // a single level
};

std::int64_t length(std::string const& dimension) {
  static std::map<std::string, std::int64_t> const lengths = {
      {"z", nz}, {"plev", nz}, {"a", nz}, {"y4", nz},   {"y", ny},  {"x", nx},
      {"b", ny}, {"c", nx},    {"m", 3},  {"n", cells}, {"one", 1}, {"lat", nz}};
  return lengths.at(dimension);
}

io::FieldInfo info_of(WrittenField const& field) {
  io::FieldInfo info;
  info.name = field.name, info.units = "1", info.dimensions = field.dimensions;
  for (auto const& dimension : field.dimensions) info.shape.push_back(length(dimension));
  return info;
}

/// Level 0 of the reference is zero; the values of the others are of no symmetry.
double value(std::size_t point, std::size_t count) {
  return point < count / nz ? 0 : 1 + 0.01 * static_cast<double>((point * 7) % 31);
}
double volume(std::size_t point) { return 1 + static_cast<double>((point * 5) % 13); }

class Levels : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new test::TemporaryFolder;
    StudyOptions options;
    options.policies = {"fp64", "fp32"};
    options.assemblies = {"deterministic"};
    options.epsilons = {"2^-7"};
    options.members = 1;
    options.perturb = {"theta"};
    manifest.plan = make_plan(options);
    manifest.core = "written";
    manifest.case_name = "levels";
    manifest.case_text = "core = \"written\"\nname = \"levels\"\ntime.end = \"7200 s\"\n";
    manifest.case_hash = "00000000000000aa";
    for (auto const& run : manifest.plan.runs) manifest.entries.push_back({run});
    write_manifest(folder->path(), manifest);
    folder->write("case.toml", manifest.case_text);
    for (auto const& run : manifest.plan.runs) write(run);
    results = new verification::StudyResults(compute_results(folder->path(), {.threads = 2}));
  }
  static void TearDownTestSuite() {
    delete results;
    delete folder;
  }

  static void write(PlannedRun const& run) {
    auto const path = folder->path() / run.path;
    std::filesystem::create_directories(path);
    std::vector<io::Coordinate> coordinates;
    for (auto const& [name, standard_name, axis] :
         std::vector<std::array<char const*, 3>>{{"z", "", "Z"},
                                                 {"plev", "air_pressure", ""},
                                                 {"y4", "projection_y_coordinate", "Y"},
                                                 {"y", "projection_y_coordinate", "Y"},
                                                 {"x", "projection_x_coordinate", "X"}}) {
      io::Coordinate coordinate;
      coordinate.name = name, coordinate.standard_name = standard_name, coordinate.axis = axis;
      coordinate.units = "m";
      for (int i = 0; i < length(name); ++i) coordinate.values.push_back(100. * (i + 1));
      coordinates.push_back(coordinate);
    }
    std::vector<io::FieldInfo> infos;
    for (auto const& field : fields) infos.push_back(info_of(field));
    io::FieldInfo measure = infos.front();
    measure.name = "cell_volume", measure.units = "m3", measure.standard_name = "cell_volume";
    io::OutputFile output(path / "output.nc", "written", coordinates, infos, {measure},
                          io::build_provenance(), "");
    std::vector<double> volumes(points);
    for (std::size_t i = 0; i < points; ++i) volumes[i] = volume(i);
    output.write_static("cell_volume", io::slabs_of(volumes));
    for (std::size_t time = 0; time < shares.size(); ++time) {
      output.begin_time(3600. * static_cast<double>(time));
      for (auto const& info : infos) {
        std::vector<double> values(static_cast<std::size_t>(info.size()));
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] = value(i, values.size());
          if (i * nz / values.size() == off) values[i] += shares.at(time) * error_of(run);
        }
        output.write(info.name, io::slabs_of(values));
      }
      output.finish_time();
    }
    output.close();
    test::write_run_record(folder->path(), manifest, run, std::string(16, run.member ? '1' : '2'), 7200, 8);
  }

  static double error_of(PlannedRun const& run) {
    return (run.configuration.policy == "fp32" ? 1e-3 : 0) + (run.member ? 1e-2 : 0);
  }

  inline static test::TemporaryFolder* folder = nullptr;
  inline static Manifest manifest;
  inline static verification::StudyResults* results = nullptr;
};

TEST_F(Levels, OfEveryRunHaveErrorsOfTheirOwn) {
  ASSERT_EQ(results->runs.size(), 4u);
  for (auto const& planned : manifest.plan.runs) {
    auto const& run = *results->find_run(planned.id);
    ASSERT_FALSE(run.failed) << *run.failed;
    for (auto const& field : fields) {
      auto const& levels = run.series->fields.at(field.name).levels;
      if (field.levels == 0) {
        EXPECT_TRUE(levels.empty()) << field.name;
        continue;
      }
      ASSERT_EQ(levels.size(), shares.size()) << field.name;
      // Weighted where the measure has the field's dimensions.
      auto const weighted = std::string(field.name) == "theta";
      double weights = 0, norm = 0;
      for (std::size_t i = off * cells; i < (off + 1) * cells; ++i) {
        weights += weighted ? volume(i) : 1;
        norm += (weighted ? volume(i) : 1) * value(i, points) * value(i, points);
      }
      for (std::size_t time = 0; time < shares.size(); ++time) {
        ASSERT_EQ(levels[time].size(), std::size_t{nz});
        EXPECT_TRUE(std::isnan(levels[time][0])) << "nothing to be relative to";
        EXPECT_EQ(levels[time][1], 0);
        EXPECT_EQ(levels[time][3], 0);
        // Half a unit in the last place of values of about 1 in each of the sums' terms.
        auto const expected = shares.at(time) * error_of(planned) * std::sqrt(weights / norm);
        EXPECT_NEAR(levels[time][off], expected, 1e-15 + 1e-13 * expected) << planned.id << field.name;
      }
    }
  }
}

/// Levels of "z" lie at 100, 200, 300 and 400 m, and level 2 differs. What has no coordinate stays.
TEST_F(Levels, ThatAreSetAsideCountInTheWholeFieldAlone) {
  auto const found = [&](char const* rule) {
    folder->write("case.toml", manifest.case_text + rule);
    return compute_results(folder->path(), {.threads = 2});
  };
  auto const aside = found("[verify.levels]\nto = 250.0\nreason = \"a lid\"\n");
  auto const kept = found("[verify.levels]\nfrom = 150.0\nto = 300.0\n");
  folder->write("case.toml", manifest.case_text);
  for (auto const& run : results->runs) {
    for (auto const& field : fields) {
      auto const& before = run.series->fields.at(field.name);
      auto const errors = [&](verification::StudyResults const& of) {
        return of.find_run(run.id)->series->fields.at(field.name);
      };
      EXPECT_EQ(errors(aside).l2_relative, before.l2_relative) << field.name;
      if (field.levels == 0) continue;
      auto const last = before.levels.back(), without = errors(aside).levels.back(),
                 within = errors(kept).levels.back();
      auto const heights = std::string(field.dimensions.front()) != "a";
      EXPECT_EQ(without[1], last[1]);
      EXPECT_EQ(std::isnan(without[2]), heights) << field.name;
      EXPECT_EQ(std::isnan(without[3]), heights) << field.name;
      EXPECT_EQ(within[1], last[1]);
      EXPECT_EQ(within[2], last[2]);
      EXPECT_EQ(std::isnan(within[3]), heights) << field.name;
    }
  }
  auto const noted = [](verification::StudyResults const& of) {
    return std::ranges::count_if(of.notes, [](std::string const& note) {
      return note.find("4 levels") != std::string::npos && note.find("(a lid)") != std::string::npos;
    });
  };
  EXPECT_EQ(noted(aside), 1);
  EXPECT_TRUE(std::ranges::any_of(aside.notes, [](std::string const& note) {
    return note.find("tolerance levels = -inf to 250 was added after the study was planned") == 0;
  }));
  EXPECT_EQ(noted(*results), 0);
}

/// Whatever the field: the squares of the levels' errors, each times the square of the level's norm, are the
/// square of the whole's.
TEST_F(Levels, MakeUpTheErrorOfTheField) {
  std::minstd_rand random(5);
  std::uniform_real_distribution<double> any(-3, 3), positive(0.1, 2);
  for (auto const levels : {2, 3, 7}) {
    auto const count = static_cast<std::size_t>(levels) * 11;
    std::vector<double> test(count), reference(count), weights(count);
    for (std::size_t i = 0; i < count; ++i) {
      reference[i] = any(random), test[i] = reference[i] + 0.01 * any(random), weights[i] = positive(random);
    }
    test[5] = reference[5] = std::numeric_limits<double>::quiet_NaN();  // land
    auto const errors = errors_by_level(test, reference, weights, levels);
    double error = 0, size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i == 5) continue;
      auto const square = weights[i] * reference[i] * reference[i];
      size += square;
      error += square * std::pow(errors.at(i / 11), 2);
    }
    auto const whole = errors_of(test, reference, weights).l2_relative;
    EXPECT_NEAR(std::sqrt(error / size), whole, 1e-13 * whole);

    test[12] = std::numeric_limits<double>::quiet_NaN();  // missing on one side: of its level alone
    auto const broken = errors_by_level(test, reference, weights, levels);
    EXPECT_TRUE(std::isnan(broken[1]));
    EXPECT_EQ(broken[0], errors[0]);
    EXPECT_TRUE(std::isnan(errors_by_level(test, std::span(reference).first(count - 1), {}, levels)[0]));
  }
}

}  // namespace
}  // namespace ulpine::ensembles
