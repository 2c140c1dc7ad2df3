// SPDX-License-Identifier: Apache-2.0
// The evaluation of a study whose files are written by hand, against numbers worked out here: three policies
// in two assemblies, two amplitudes, eight members.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "ensembles/study/controls.hpp"
#include "ensembles/study/manifest.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/written_run.hpp"
#include "io/netcdf.hpp"
#include "support/temporary_folder.hpp"
#include "verification/lkf/detector.hpp"
#include "verification/metrics/spectrum.hpp"

namespace ulpine::ensembles {
namespace {

using verification::Answer;
using verification::Evidence;

constexpr int ny = 44, nx = 40, cells = ny * nx, members = 8;
constexpr double spacing = 4000;
std::vector<double> const times = {0, 3600, 7200};

/// What a run is told apart by.
struct Key {
  std::string policy, assembly;
  std::string epsilon;  ///< empty: unperturbed
  int member = -1;
};

/// Thickness and cell measure of the reference, of no symmetry.
double thickness(int cell) { return 1 + 0.01 * ((cell * 7) % 31); }
double area(int cell) { return 1e6 * (1 + (cell * 5) % 13); }

/// What a run's thickness is off the reference at the last time, the same in every cell.
double offset(Key const& key) {
  double const own = key.policy == "fp64"   ? (key.assembly == "atomic" ? 1e-9 : 0)
                     : key.policy == "fp32" ? (key.assembly == "atomic" ? 2e-6 : 3e-6)
                                            : 4e-3;
  if (key.epsilon.empty()) {
    return own;
  }
  // At 2^-20 members stay beside the unperturbed run; at 2^-3 they diverge.
  return own + (key.epsilon == "2^-20" ? 1e-6 : 1e-1) * (key.member + 1) * (key.member % 2 == 0 ? 1 : -1);
}

/// Lines of strong shear in a run's later outputs: features.
int lines(Key const& key) {
  if (key.epsilon != "2^-3") {
    return key.policy == "fp32" && key.assembly == "atomic" ? 3 : 2;
  }
  static constexpr std::array of_fp64 = {1, 4, 2, 3, 1, 2, 4, 3};
  auto const reference = of_fp64.at(static_cast<std::size_t>(key.member));
  return key.policy == "tf32" ? 5 - reference : reference;
}

/// Equalises the histogram, so that noise shows.
constexpr char const* detector = "dog15";
/// km; the detector finds 27 cells of a line of 28, one end of them in the next row: 25 steps
/// of 4 km and one diagonal.
constexpr double line_length = 4 * (25 + std::numbers::sqrt2);

/// A smooth slope with level lines 28 cells long and 8 rows apart; none at the first time.
std::vector<double> shear(Key const& key, std::size_t time) {
  std::vector<double> field(cells);
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      auto& value = field[static_cast<std::size_t>(j * nx + i)];
      value = 1e-7 * (1 + (j + 0.1 * i) / 100);
      for (int line = 0; time > 0 && line < lines(key) && i >= 6 && i < 34; ++line) {
        value += 2e-5 * std::exp(-std::pow((j - (6 + 8 * line)) / 0.6, 2));
      }
    }
  }
  return field;
}

/// Of a field in s-1, by the detector itself.
lkf::Summary features(std::vector<double> field) {
  for (auto& value : field) value *= 86400;
  lkf::frame_with_nan(field, ny, nx);
  return lkf::summarise(lkf::detect({ny, nx, field}, lkf::parse_parameters(detector), lkf::Rules::repaired),
                        spacing / 1000);
}

/// Half a unit in the last place of a thickness of some metres, and what sums of some 2000 cells in plain
/// double may leave.
double rounding(double expected) { return 3e-16 + 1e-13 * std::abs(expected); }

/// Written once; the tests only read.
class WrittenStudy : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new test::TemporaryFolder;
    StudyOptions options;
    options.policies = {"fp64", "fp32", "tf32"};
    options.epsilons = {"2^-20", "2^-3"};
    options.members = members;
    options.members_for = {"deterministic"};
    options.perturb = {"sivol"};
    manifest.plan = make_plan(options);
    manifest.core = "written";
    manifest.case_name = "lines";
    manifest.case_text =
        "core = \"written\"\nname = \"lines\"\ntime.end = \"7200 s\"\n[verify.sivol]\nl2_relative = "
        "1e-3\n[verify.lkf]\n"
        "count_relative = 0.6\n[evaluate.lkf]\nkind = \"lkf\"\nfield = \"shear\"\nparameters = \"" +
        std::string(detector) +
        "\"\n[evaluate.ridges]\nkind = "
        "\"spectrum\"\nfield = \"shear\"\ntransform = \"log10\"\nfloor = 1e-10\n";
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

  static Key key_of(PlannedRun const& run) {
    return {run.configuration.policy, name_of(run.configuration.assembly),
            run.epsilon ? run.epsilon->text : "", run.member.value_or(-1)};
  }

  static void write(PlannedRun const& run) {
    auto const key = key_of(run);
    auto const path = folder->path() / run.path;
    std::filesystem::create_directories(path);
    auto const info = [](char const* name, char const* units) {
      io::FieldInfo field;
      field.name = name, field.units = units, field.dimensions = {"y", "x"}, field.shape = {ny, nx};
      return field;
    };
    io::Coordinate y, x;
    y.name = "y", y.units = "m", y.axis = "Y";
    x.name = "x", x.units = "m", x.axis = "X";
    for (int j = 0; j < ny; ++j) y.values.push_back(spacing * (j + 0.5));
    for (int i = 0; i < nx; ++i) x.values.push_back(spacing * (i + 0.5));
    io::OutputFile output(path / "output.nc", "written", {y, x}, {info("sivol", "m"), info("shear", "s-1")},
                          {info("cell_area", "m2")}, io::build_provenance(), "");
    std::vector<double> field(cells);
    for (int cell = 0; cell < cells; ++cell) field[std::size_t(cell)] = area(cell);
    output.write_static("cell_area", io::slabs_of(field));
    for (std::size_t time = 0; time < times.size(); ++time) {
      output.begin_time(times[time]);
      // A quarter of the offset at the second time, none at the first.
      auto const share = std::array{0.0, 0.25, 1.0}.at(time);
      for (int cell = 0; cell < cells; ++cell)
        field[std::size_t(cell)] = thickness(cell) + share * offset(key);
      output.write("sivol", io::slabs_of(field));
      output.write("shear", io::slabs_of(shear(key, time)));
      output.finish_time();
    }
    output.close();
    // fp32 and its atomic run differ; tf32 in atomic assembly has the bits of the deterministic run.
    auto const hash = key.policy == "tf32" ? std::string("3333333333333333")
                      : key.policy == "fp32"
                          ? (key.assembly == "atomic" ? "2222222222222222" : "1111111111111111")
                      : key.assembly == "atomic" ? "4444444444444444"
                                                 : "0000000000000000";
    test::write_run_record(folder->path(), manifest, run, hash, 7200, 8);
  }

  /// Relative L2 of a constant offset: abs(offset) times this.
  static double norm() {
    double of_one = 0, of_field = 0;
    for (int cell = 0; cell < cells; ++cell) {
      of_one += area(cell);
      of_field += area(cell) * thickness(cell) * thickness(cell);
    }
    return std::sqrt(of_one / of_field);
  }

  struct Expected {
    double mean = 0, sd = 0;
  };
  static Expected over(std::vector<double> const& values) {
    Expected result;
    auto const count = double(values.size());
    for (auto const value : values) result.mean += value / count;
    for (auto const value : values) result.sd += std::pow(value - result.mean, 2) / (count - 1);
    result.sd = std::sqrt(result.sd);
    return result;
  }
  template <class Function>
  static Expected over_members(Function value) {
    std::vector<double> values;
    for (int m = 0; m < members; ++m) values.push_back(value(m));
    return over(values);
  }

  static verification::EnsembleResult const& ensemble(std::string const& policy, std::string const& epsilon) {
    return *std::find_if(results->ensembles.begin(), results->ensembles.end(), [&](auto const& candidate) {
      return candidate.policy == policy && candidate.epsilon_text == epsilon;
    });
  }

  static verification::Verdict const& verdict(std::string const& configuration) {
    return *std::find_if(results->verdicts.begin(), results->verdicts.end(),
                         [&](auto const& candidate) { return candidate.configuration == configuration; });
  }

  static Evidence const& evidence(std::string const& configuration, std::string const& subject,
                                  std::string const& epsilon = "") {
    auto const& list = verdict(configuration).evidence;
    return *std::find_if(list.begin(), list.end(), [&](Evidence const& candidate) {
      return candidate.subject == subject && candidate.epsilon_text == epsilon;
    });
  }

  static double length(Key const& key) { return line_length * lines(key); }

  inline static test::TemporaryFolder* folder = nullptr;
  inline static Manifest manifest;
  inline static verification::StudyResults* results = nullptr;
};

TEST_F(WrittenStudy, ErrorsOfEveryRunAreThoseOfItsOffset) {
  ASSERT_EQ(results->runs.size(), 6u + 3 * 2 * members);
  for (auto const& planned : manifest.plan.runs) {
    auto const& run = *results->find_run(planned.id);
    auto const expected = std::abs(offset(key_of(planned)));
    ASSERT_FALSE(run.failed) << *run.failed;
    auto const& metrics = run.metrics.at("sivol");
    EXPECT_NEAR(metrics.at("l2_relative").number(), expected * norm(), rounding(expected * norm()))
        << planned.id;
    EXPECT_NEAR(metrics.at("linf").number(), expected, rounding(expected));
    EXPECT_NEAR(metrics.at("bias").number(), offset(key_of(planned)), rounding(offset(key_of(planned))));
    EXPECT_EQ(run.series->time_s, times);
    auto const& errors = run.series->fields.at("sivol").l2_relative;
    EXPECT_EQ(errors.at(0), 0);
    EXPECT_NEAR(errors.at(1), expected * norm() / 4, rounding(expected * norm() / 4));
    EXPECT_NEAR(errors.at(2), expected * norm(), rounding(expected * norm()));
    auto const count = run.statistics.at("lkf_count");
    EXPECT_EQ(count, lines(key_of(planned))) << planned.id;
    EXPECT_NEAR(run.statistics.at("lkf_total_length_km"), length(key_of(planned)), 1e-11);
    if (planned.member) {
      EXPECT_TRUE(run.series->statistics.empty());
    } else {
      EXPECT_EQ(run.series->statistics.at("lkf_count"), (std::vector<double>{0, count, count}));
    }
  }
}

TEST_F(WrittenStudy, SpreadIsAgainstTheReferenceAndGrowthAgainstTheOwnRun) {
  for (auto const* policy : {"fp64", "fp32", "tf32"}) {
    for (auto const* epsilon : {"2^-20", "2^-3"}) {
      auto const& found = ensemble(policy, epsilon);
      EXPECT_EQ(found.members, members);
      EXPECT_EQ(found.assembly, "deterministic");
      auto const at = [&](int m) { return Key{policy, "deterministic", epsilon, m}; };
      auto const own = offset({policy, "deterministic", "", -1});
      auto const spread = over_members([&](int m) { return std::abs(offset(at(m))) * norm(); });
      EXPECT_NEAR(found.spread.at("sivol").l2_relative_mean, spread.mean, rounding(spread.mean))
          << policy << epsilon;
      EXPECT_NEAR(found.spread.at("sivol").l2_relative_sd, spread.sd, rounding(spread.sd));
      double of_own = 0, of_one = 0;
      for (int cell = 0; cell < cells; ++cell) {
        of_one += area(cell);
        of_own += area(cell) * std::pow(thickness(cell) + own, 2);
      }
      auto const growth =
          over_members([&](int m) { return std::abs(offset(at(m)) - own) * std::sqrt(of_one / of_own); });
      EXPECT_EQ(found.growth->time_s, times);
      EXPECT_EQ(found.growth->fields.at("sivol").mean.at(0), 0);
      EXPECT_NEAR(found.growth->fields.at("sivol").mean.at(2), growth.mean, rounding(growth.mean));
      EXPECT_NEAR(found.growth->fields.at("sivol").sd.at(2), growth.sd, rounding(growth.sd));
    }
  }
}

TEST_F(WrittenStudy, FeaturesAndSpectraAreMeansOverMembers) {
  for (auto const* policy : {"fp64", "fp32", "tf32"}) {
    auto const& found = ensemble(policy, "2^-3");
    auto const at = [&](int m) { return Key{policy, "deterministic", "2^-3", m}; };
    auto const count = over_members([&](int m) { return double(lines(at(m))); });
    auto const& of_count = found.statistics.at("lkf_count");
    EXPECT_NEAR(of_count.mean, 2.5, 1e-14);  // 1 to 4, twice each
    EXPECT_NEAR(of_count.sd, std::sqrt(10.0 / 7), 1e-14);
    EXPECT_NEAR(of_count.sd, count.sd, 1e-14);
    auto const lengths = over_members([&](int m) { return length(at(m)); });
    EXPECT_NEAR(found.statistics.at("lkf_total_length_km").mean, lengths.mean, 1e-11);
    EXPECT_NEAR(found.statistics.at("lkf_total_length_km").sd, lengths.sd, 1e-11);
    auto const& spectrum = found.curves.at("ridges");
    std::vector<verification::Spectrum> spectra;
    for (int m = 0; m < members; ++m) {
      auto logs = shear(at(m), 2);
      for (auto& value : logs) value = std::log10(value);
      spectra.push_back(verification::radial_spectrum(logs, ny, nx, spacing, spacing));
    }
    auto const& wavenumber = spectra[0].wavenumber;
    ASSERT_EQ(spectrum.x, std::vector(wavenumber.begin() + 1, wavenumber.end())) << "waves, not the mean";
    for (std::size_t ring = 0; ring < spectrum.x.size(); ++ring) {
      auto const power = over_members([&](int m) { return spectra[std::size_t(m)].power[ring + 1]; });
      EXPECT_NEAR(spectrum.mean[ring], power.mean, 1e-12 * power.mean);
      EXPECT_NEAR(spectrum.sd[ring], power.sd, 1e-12 * power.mean);
    }
  }
}

TEST_F(WrittenStudy, StatisticsAreComparedInPairsWithTheReferencesPolicy) {
  // Student's t of 7 degrees of freedom: 2.364624 at 0.975, 0.896030 at 0.8 (printed tables).
  constexpr double t_975 = 2.364624, t_80 = 0.896030;
  for (auto const* policy : {"fp32", "tf32"}) {
    auto const configuration = std::string(policy) + "/deterministic";
    for (auto const* subject : {"lkf_count", "lkf_total_length_km"}) {
      auto const is_count = std::string(subject) == "lkf_count";
      auto const value = [&](std::string const& of, int m) {
        Key const key{of, "deterministic", "2^-3", m};
        return is_count ? double(lines(key)) : length(key);
      };
      auto const differences = over_members([&](int m) { return value(policy, m) - value("fp64", m); });
      auto const reference = over_members([&](int m) { return value("fp64", m); });
      auto const resolution = is_count ? 1.0 : 4.0;
      auto const error =
          std::sqrt((differences.sd * differences.sd + resolution * resolution / 12) / members);
      auto const& found = evidence(configuration, subject, "2^-3");
      EXPECT_EQ(found.pairs, members);
      EXPECT_NEAR(*found.value, differences.mean, 1e-10);
      EXPECT_NEAR(*found.margin, reference.sd / 2, 1e-10);
      EXPECT_NEAR((*found.interval)[0], differences.mean - t_975 * error, 1e-6 * error);
      EXPECT_NEAR((*found.interval)[1], differences.mean + t_975 * error, 1e-6 * error);
      EXPECT_NEAR(*found.detectable, (t_975 + t_80) * error, 2e-6 * error);
      // fp32 has the reference's features; tf32 has as many on average, but other members have them.
      EXPECT_EQ(*found.answer, policy == std::string("fp32") ? Answer::equivalent : Answer::undecided);
    }
  }
  auto const& unjudged = evidence("tf32/deterministic", "");
  EXPECT_FALSE(unjudged.answer);
  EXPECT_NE(unjudged.reason.find("members at 2^-20 are shown and not judged"), std::string::npos)
      << unjudged.reason;
}

TEST_F(WrittenStudy, GatesAreJudgedByTheNumbersOfTheirRun) {
  ASSERT_EQ(results->gates.size(), 10u);  // two for each of five configurations
  for (auto const& gate : results->gates) {
    auto const& run = *results->find_run(gate.run);
    Key const key{run.policy, run.assembly, "", -1};
    if (gate.name == "sivol.l2_relative") {
      EXPECT_NEAR(*gate.value, std::abs(offset(key)) * norm(), rounding(std::abs(offset(key)) * norm()));
      EXPECT_EQ(gate.passed, run.policy != "tf32") << gate.run;
    } else {
      EXPECT_DOUBLE_EQ(*gate.value, gate.run == "fp32/atomic" ? 0.5 : 0);  // 3 against 2
      EXPECT_TRUE(gate.passed);
    }
  }
}

TEST_F(WrittenStudy, VerdictsFollow) {
  std::map<std::string, Answer> found;
  for (auto const& item : results->verdicts) found[item.configuration] = item.answer;
  EXPECT_EQ(found, (std::map<std::string, Answer>{{"fp64/atomic", Answer::equivalent},
                                                  {"fp32/deterministic", Answer::equivalent},
                                                  {"fp32/atomic", Answer::undecided},
                                                  {"tf32/deterministic", Answer::different},
                                                  {"tf32/atomic", Answer::different}}));
  EXPECT_EQ(results->answer, Answer::different);
  // By its errors and gates alone: members of the other assembly are not its own.
  EXPECT_EQ(evidence("fp32/atomic", "").reason, "it has no perturbed members");
  // Its own error is 1e-9 of a spread of 0.1: no other configuration has to vouch for it.
  EXPECT_EQ(*evidence("fp64/atomic", "sivol", "2^-3").answer, Answer::equivalent);
}

TEST_F(WrittenStudy, BitwiseGroupsAreEqualHashes) {
  std::map<std::string, std::vector<std::string>> found;
  for (auto const& group : results->bitwise) found[group.hash] = group.runs;
  EXPECT_EQ(found.size(), 5u);
  EXPECT_EQ(found.at("3333333333333333"), (std::vector<std::string>{"tf32/deterministic", "tf32/atomic"}));
  EXPECT_EQ(found.at("0000000000000000"), (std::vector<std::string>{"fp64/deterministic"}));
}

TEST_F(WrittenStudy, DetectorControlsAreOfTheReferencesOwnShear) {
  ASSERT_EQ(results->controls.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    auto const& control = results->controls[i];
    EXPECT_EQ(control.policy, (std::array{"fp64", "fp32", "tf32"}).at(i));
    EXPECT_EQ(control.noise, std::ldexp(1.0, (std::array{-53, -24, -11}).at(i)));
    EXPECT_EQ(control.draws, 16);
  }
  // Noise as small as fp32's rounding moves no line 200 times its background.
  auto const& of_fp32 = results->controls[1].statistics;
  EXPECT_EQ(of_fp32.at("lkf_count").mean, 2);
  EXPECT_EQ(of_fp32.at("lkf_count").sd, 0);
  EXPECT_NEAR(of_fp32.at("lkf_total_length_km").mean, length({"fp64", "deterministic", "", -1}), 1e-10);
  EXPECT_EQ(ensemble("fp32", "2^-20").controls.at("lkf_count").mean, 2);
}

TEST_F(WrittenStudy, DetectorControlsAreOverDrawsOfTheirOwn) {
  // Noise of an eighth makes features of the background, other ones in every draw.
  std::vector<double> count, length;
  for (std::uint32_t draw = 0; draw < 16; ++draw) {
    auto const field = noisy(shear({"fp64", "deterministic", "", -1}, 2), 0.125, results->seed, draw, "lkf");
    auto const totals = features(field);
    count.push_back(double(totals.count));
    length.push_back(totals.total_length_km.value());
  }
  auto const counts = over(count), lengths = over(length);
  ASSERT_GT(counts.sd, 1);
  for (auto const* policy : {"fp64", "fp32", "tf32"}) {
    auto const& control = ensemble(policy, "2^-3").controls;
    EXPECT_NEAR(control.at("lkf_count").mean, counts.mean, 1e-13 * counts.mean);
    EXPECT_NEAR(control.at("lkf_count").sd, counts.sd, 1e-13 * counts.mean);
    EXPECT_NEAR(control.at("lkf_total_length_km").mean, lengths.mean, 1e-13 * lengths.mean);
    EXPECT_NEAR(control.at("lkf_total_length_km").sd, lengths.sd, 1e-13 * lengths.mean);
  }
}

}  // namespace
}  // namespace ulpine::ensembles
