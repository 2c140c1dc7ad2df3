// SPDX-License-Identifier: Apache-2.0
#include "verification/digits/digits.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "io/seal.hpp"
#include "support/netcdf_writing.hpp"
#include "support/random_values.hpp"
#include "support/temporary_folder.hpp"
#include "verification/digits/significant_digits.hpp"

namespace ulpine::verification {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::NetcdfWriting;
using test::RandomValues;
using test::TemporaryFolder;
using Values = std::vector<double>;

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

/// A field of `points` at each of the times; without times one that has none.
void write_field(fs::path const& path, std::string const& name, Values const& times, std::size_t points,
                 Values const& values) {
  NetcdfWriting file{path};
  auto const x = file.dimension("x", points);
  if (times.empty()) {
    auto const timeless = file.variable(name.c_str(), NC_DOUBLE, {x});
    return file.values(timeless, values);
  }
  auto const time = file.dimension("time", times.size());
  auto const axis = file.variable("time", NC_DOUBLE, {time});
  file.text(axis, "units", "seconds since 2000-01-01");
  auto const field = file.variable(name.c_str(), NC_DOUBLE, {time, x});
  file.text(field, "units", "m s-1");
  file.number(field, "_FillValue", NC_DOUBLE, {-999});
  file.values(axis, times);
  file.values(field, values);
}

/// Files of samples of one field.
struct Folder : TemporaryFolder {
  std::vector<fs::path> samples;
  void add(std::string const& name, Values const& times, std::size_t points, Values const& values) {
    samples.push_back(*this / ("s" + std::to_string(samples.size()) + ".nc"));
    write_field(samples.back(), name, times, points, values);
  }
  Digits digits(DigitsOptions const& options = {}, fs::path const& baseline = {},
                fs::path const& wider = {}) const {
    return digits_of(samples, baseline, wider, options);
  }
};

/// As numpy.quantile has it, from all values in order.
double quantile(Values values, double share) {
  std::sort(values.begin(), values.end());
  auto const place = share * double(values.size() - 1);
  auto const low = std::size_t(std::floor(place)), high = std::size_t(std::ceil(place));
  return values[low] + (place - double(low)) * (values[high] - values[low]);
}

void expect_shares(BitShares const& shares, Values const& bits) {
  EXPECT_NEAR(shares.p05.front(), quantile(bits, 0.05), 1e-6);
  EXPECT_NEAR(shares.p50.front(), quantile(bits, 0.5), 1e-6);
  EXPECT_NEAR(shares.p95.front(), quantile(bits, 0.95), 1e-6);
  EXPECT_NEAR(shares.least.front(), *std::min_element(bits.begin(), bits.end()), 1e-6);
}

// What is counted field by field is what the published formulas give point by point.
TEST(Digits, AreThePublishedFormulasAtEveryPoint) {
  RandomValues random(5);
  constexpr std::size_t points = 257, count = 12;
  Folder folder;
  std::vector<Values> samples(count);
  for (std::size_t p = 0; p < points; ++p) {
    auto const centre = random.ugly(-3, 3), spread = std::exp2(random.between(-40, -5));
    for (auto& sample : samples) sample.push_back(centre + spread * random.normal());
  }
  for (auto const& sample : samples) folder.add("u", {0}, points, sample);
  for (auto const kind : {ErrorKind::absolute, ErrorKind::relative}) {
    DigitsOptions options;
    options.probability = 0.9;
    options.contributing_probability = 0.6;
    options.confidence = 0.99;
    auto const relative = kind == ErrorKind::relative;
    if (relative) options.scale = DigitsOptions::Scale::mean;
    if (!relative) options.scales["u"] = 4;
    options.most_bytes = 8 * 100 * (count + 2);  // in three parts
    auto const digits = folder.digits(options);
    Values significant, contributing, general, parker;
    double squares = 0;
    for (std::size_t p = 0; p < points; ++p) {
      Values at(count), offset(count);
      double shift = 0;
      for (std::size_t i = 0; i < count; ++i) shift += (samples[i][p] - samples[0][p]) / count;
      auto const mean = samples[0][p] + shift;
      auto const scale = relative ? std::abs(mean) : 4.0;
      for (std::size_t i = 0; i < count; ++i) {
        at[i] = (samples[i][p] - samples[0][p] - shift) / scale;
        offset[i] = samples[i][p];
        squares += at[i] * at[i] / count;
      }
      significant.push_back(normal_hypothesis_bits(at, 0, ErrorKind::absolute, 0.9, 0.99).number());
      contributing.push_back(contributing_bits(at, 0, ErrorKind::absolute, 0.6, 0.99).number());
      general.push_back(bernoulli_bits(at, 0, ErrorKind::absolute).number());
      parker.push_back(parker_bits(offset).number());
    }
    auto const& field = digits.fields.at(0);
    expect_shares(field.significant, significant);
    expect_shares(field.contributing, contributing);
    expect_shares(field.general, general);
    expect_shares(field.parker, parker);
    EXPECT_NEAR(field.significant.norm.front(),
                -std::log2(std::sqrt(squares / points)) - normal_hypothesis_penalty(count, 0.9, 0.99), 1e-6);
    EXPECT_EQ(field.differing.front(), 1);
    EXPECT_EQ(field.units, "m s-1");
    EXPECT_EQ(digits.samples, std::int64_t(count));
  }
}

// Of each column alone significantdigits 0.5.0 (numpy 1.24, Python 3.11; 2026-11-28) has these with
// error=Error.Absolute and the mean as reference: significant and contributing by Method.CNH, significant by
// Method.General.
TEST(Digits, AreTheAbsoluteOnesOfSignificantdigits) {
  std::vector<Values> const columns = {{5.0, 5.25, 4.75, 5.125, 5.0},
                                       {-0.3, -0.31, -0.28, -0.3, -0.29},
                                       {0.001, -0.002, 0.003, -0.001, -0.001},
                                       {3.0, 3.0, 3.125, 2.875, 3.0}};
  Values const significant = {2.098548160287245, 2.121900300310074, 6.633084206824299, 2.1672999221622122},
               contributing = {7.387483429562798, 7.410835569585627, 11.922019476099852, 7.456235191437766},
               general = {3, 3, 8, 4};
  DigitsOptions options;
  options.scale = DigitsOptions::Scale::leading;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    Folder folder;
    for (auto const value : columns[c]) folder.add("u", {0}, 1, {value});
    auto const field = folder.digits(options).fields.at(0);
    EXPECT_NEAR(field.significant.p50.front(), significant[c], 1e-9);
    EXPECT_NEAR(field.contributing.p50.front(), contributing[c], 1e-9);
    EXPECT_EQ(field.general.p50.front(), general[c]);
    EXPECT_TRUE(std::isnan(field.scale.front())) << "each point has its own";
    EXPECT_TRUE(field.note.empty()) << "a mean of 0 has one, too";
  }
}

TEST(Digits, AreOfTheFieldsRootMeanSquareUnlessAScaleIsGiven) {
  Folder folder;
  RandomValues random(6);
  for (int sample = 0; sample < 10; ++sample) {
    Values values;
    for (int p = 0; p < 64; ++p) values.push_back((p % 2 == 0 ? 8.0 : -8.0) + 0x1p-20 * random.normal());
    folder.add("u", {0}, 64, values);
  }
  DigitsOptions options;
  auto const root_mean_square = folder.digits(options).fields.at(0);
  options.scales["u"] = 1;
  auto const one = folder.digits(options).fields.at(0);
  EXPECT_NEAR(root_mean_square.scale.front(), 8, 1e-5);
  EXPECT_EQ(one.scale.front(), 1);
  EXPECT_NEAR(root_mean_square.significant.p50.front() - one.significant.p50.front(), 3, 1e-5);
  EXPECT_NEAR(root_mean_square.significant.norm.front() - one.significant.norm.front(), 3, 1e-5);
}

TEST(Digits, SayWhereErrorsAreNotNormal) {
  for (auto const normal : {true, false}) {
    Folder folder;
    RandomValues random(8);
    for (int sample = 0; sample < 30; ++sample) {
      Values values;
      // Two branches far apart, of which few samples take the other one.
      auto const branch = !normal && sample < 3 ? 1.0 : 0.0;
      for (int p = 0; p < 100; ++p) values.push_back(5 + 0x1p-10 * (branch + 0x1p-10 * random.normal()));
      folder.add("u", {0}, 100, values);
    }
    auto const field = folder.digits().fields.at(0);
    EXPECT_EQ(field.note.find("not normal at 100 %") != std::string::npos, !normal) << field.note;
    EXPECT_EQ(field.not_normal.front() < 0.1, normal);
  }
}

TEST(Digits, SayWhereSamplesAreEqualMissingOrNotFinite) {
  Folder folder;
  RandomValues random(7);
  for (int sample = 0; sample < 9; ++sample) {
    auto const bad = sample == 4 ? nan : 1.0;
    // Missing, equal, not finite in one sample, zero in all, and four that differ.
    Values values = {-999, 3, bad, 0};
    for (int p = 0; p < 4; ++p) values.push_back(2 + 0x1p-30 * random.normal());
    folder.add("u", {0}, 8, values);
  }
  auto const digits = folder.digits();
  auto const& field = digits.fields.at(0);
  EXPECT_EQ(field.differing.front(), 4 / 7.0);
  EXPECT_EQ(field.not_finite.front(), 1 / 7.0);
  EXPECT_FALSE(digits.finite);
  DigitsOptions relative;
  relative.scale = DigitsOptions::Scale::mean;
  EXPECT_NE(folder.digits(relative).fields.at(0).note.find("1 values of mean zero"), std::string::npos);

  Folder equal;
  for (int sample = 0; sample < 3; ++sample) equal.add("u", {0}, 2, {1, 2});
  EXPECT_TRUE(equal.digits().fields.empty());
  EXPECT_EQ(equal.digits().notes, std::vector<std::string>{"equal in all samples: u"});
  EXPECT_TRUE(equal.digits().finite);
}

TEST(Digits, TakeTheTimesThatAllSamplesHave) {
  Folder folder;
  folder.add("u", {0, 60, 120}, 1, {1, 2, 3});
  folder.add("u", {60, 120, 180}, 1, {2 + 0x1p-10, 3 + 0x1p-20, 9});
  write_field(folder / "nearest.nc", "u", {0, 60, 120}, 1, {1, 2, 3});
  write_field(folder / "wider.nc", "u", {0, 60}, 1, {1, 2 - 0x1p-9});
  DigitsOptions options;
  options.scales["u"] = 1;
  auto const field = folder.digits(options, folder / "nearest.nc", folder / "wider.nc").fields.at(0);
  EXPECT_EQ(field.time_s, (Values{60, 120}));
  // Half the difference is the spread.
  auto const penalty = normal_hypothesis_penalty(2);
  EXPECT_NEAR(field.significant.p50.at(0), 11 - penalty, 1e-12);
  EXPECT_NEAR(field.significant.p50.at(1), 21 - penalty, 1e-12);
  EXPECT_NEAR(field.wider->p50.at(0), 9, 1e-12);
  EXPECT_TRUE(std::isnan(field.wider->p50.at(1)));
  EXPECT_TRUE(std::isnan(field.baseline_within.at(1)));
}

TEST(Digits, CountWhatAgreesWithTheWiderRun) {
  // Spread 1/2 at both points: one deviates by less than 2^-bits, one by more.
  Folder folder;
  folder.add("u", {0}, 2, {-0.5, 9.5});
  folder.add("u", {0}, 2, {0.5, 10.5});
  auto const bound = 0.5 * std::exp2(normal_hypothesis_penalty(2));
  write_field(folder / "nearest.nc", "u", {0}, 2, {0, 10});
  write_field(folder / "wider.nc", "u", {0}, 2, {0.99 * bound, 10 + 1.01 * bound});
  for (auto const scale : {1.0, 4.0}) {  // bits are of the scale, what they bound is not
    DigitsOptions options;
    options.scales["u"] = scale;
    auto const field = folder.digits(options, folder / "nearest.nc", folder / "wider.nc").fields.at(0);
    EXPECT_EQ(field.baseline_within.front(), 0.5);
    // Of the four samples only the two nearer to the first point's wider value and that of the second.
    EXPECT_EQ(field.samples_within.front(), 0.5);
    EXPECT_NEAR(field.wider->norm.front(),
                -std::log2(bound / scale * std::sqrt((0.99 * 0.99 + 1.01 * 1.01) / 2)), 1e-12);
  }
}

TEST(Digits, OfTheNormAreOverPointsThatAgreeToo) {
  Folder all, half;
  for (int sample = 0; sample < 2; ++sample) {
    auto const differs = 1 + sample * 0x1p-10;
    all.add("u", {0}, 4, {differs, differs, differs, differs});
    half.add("u", {0}, 4, {differs, 1, differs, 1});
  }
  DigitsOptions options;
  options.scales["u"] = 1;
  auto const norm = [&](Folder const& folder) {
    return folder.digits(options).fields.at(0).significant.norm.front();
  };
  EXPECT_NEAR(norm(half) - norm(all), 0.5, 1e-12);
}

TEST(Digits, WeakestFieldHasTheFewestBitsInTheMiddleAtTheLastTime) {
  EXPECT_EQ(weakest({}), nullptr);
  Digits digits;
  for (auto const& bits : {Values{3, 30}, Values{40, 20}, Values{9, nan}, Values{50, 25}}) {
    digits.fields.emplace_back().significant.p50 = bits;
  }
  EXPECT_EQ(weakest(digits), &digits.fields[1]);
}

TEST(Digits, RefuseFilesThatDoNotFit) {
  Folder folder;
  folder.add("u", {0}, 2, {1, 2});
  EXPECT_NE(message_of<InputError>([&] { folder.digits(); }).find("1 samples"), std::string::npos);
  folder.add("u", {0}, 2, {1, 3});
  DigitsOptions unknown;
  unknown.variables = {"w"};
  EXPECT_NE(message_of<InputError>([&] { folder.digits(unknown); }).find("no variable 'w'"),
            std::string::npos);
  write_field(folder / "wide.nc", "u", {0}, 3, {1, 2, 3});
  write_field(folder / "other.nc", "v", {0}, 2, {1, 2});
  write_field(folder / "once.nc", "u", {}, 2, {1, 2});
  for (auto const& [file, words] : {std::pair{"wide.nc", "wide.nc: 'u' does not fit"},
                                    {"other.nc", "no variable 'u'"},
                                    {"once.nc", "only one of them has a time axis"}}) {
    auto const kept = folder.samples;
    folder.samples.push_back(folder / file);
    auto const message = message_of<InputError>([&] { folder.digits(); });
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    folder.samples = kept;
  }
  Folder apart;
  apart.add("u", {0, 60}, 1, {1, 2});
  apart.add("u", {0}, 1, {1});
  apart.add("u", {60}, 1, {2});
  EXPECT_NE(message_of<InputError>([&] { apart.digits(); }).find("no time that all samples have"),
            std::string::npos);
}

/// Other units and places are refused, and what is not known of places is told.
TEST(Digits, HoldSamplesToTheUnitsAndPlacesOfTheFirst) {
  Folder folder;
  struct Said {
    std::string units = "K", coordinates = "low";
  };
  auto const add = [&](double value, Said const& said) {
    folder.samples.push_back(folder / ("p" + std::to_string(folder.samples.size()) + ".nc"));
    NetcdfWriting file{folder.samples.back()};
    auto const u = file.variable("u", NC_DOUBLE, {file.dimension("x", 2)});
    auto const low = file.variable("low", NC_DOUBLE, {}), high = file.variable("high", NC_DOUBLE, {});
    file.text(u, "units", said.units);
    if (!said.coordinates.empty()) file.text(u, "coordinates", said.coordinates);
    file.values(u, {1, value});
    file.values(low, {2});
    file.values(high, {10});
  };
  add(2, {});
  add(2.5, {});
  DigitsOptions of_u;
  of_u.variables = {"u"};
  EXPECT_TRUE(folder.digits(of_u).notes.empty());
  auto const problem_with = [&](Said const& said) {
    add(2.25, said);
    auto const message = message_of<InputError>([&] { folder.digits(of_u); });
    folder.samples.pop_back();
    return message;
  };
  EXPECT_NE(problem_with({"m", "low"}).find("its units are 'm' against 'K'"), std::string::npos);
  EXPECT_NE(problem_with({"K", "high"}).find("its coordinates are 'high' against 'low'"), std::string::npos);
  add(2.25, {"K", ""});
  auto const notes = folder.digits(of_u).notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "u: its coordinates are named in the reference only");
}

/// Rounds a value of 106 bits at most to a neighbouring double, up with the probability of the distance: an
/// implementation of its own, by which samples of the case below are made.
double round_at_random(__float128 exact, RandomValues& random) {
  auto const nearest = double(exact);
  auto const rest = exact - nearest;
  if (rest == 0) return nearest;
  auto const other = std::nextafter(
      nearest, rest > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
  auto const share = double(rest / (__float128(other) - nearest));
  return random.uniform() < share ? other : nearest;
}

// The logistic map x -> 4 x (1 - x): x_k = sin(2^k t)^2, so that an error grows as 2^k |sin(2^(k+1) t)|, by
// one bit a step in the median whatever k is; 113 bits tell the answer.
TEST(Digits, OfTheLogisticMapFallByOneBitAStepAndHoldAgainstTheAnswer) {
  constexpr std::size_t points = 4000;
  constexpr int count = 30;
  Values const times = {10, 20, 30, 40};
  RandomValues random(11);
  Values starts(points);
  for (auto& start : starts) start = random.between(0.05, 0.95);
  auto const run = [&](auto const& rounded) {
    std::vector<Values> at(times.size(), Values(points));
    for (std::size_t p = 0; p < points; ++p) {
      __float128 x = starts[p];
      for (int step = 1; step <= 40; ++step) {
        x = 4 * rounded(x * rounded(1 - x));
        if (step % 10 == 0) at[std::size_t(step / 10 - 1)][p] = double(x);
      }
    }
    Values all;
    for (auto const& values : at) all.insert(all.end(), values.begin(), values.end());
    return all;
  };
  Folder folder;
  for (int sample = 0; sample < count; ++sample) {
    folder.add("x", times, points,
               run([&](__float128 exact) -> __float128 { return round_at_random(exact, random); }));
  }
  write_field(folder / "nearest.nc", "x", times, points,
              run([](__float128 exact) -> __float128 { return double(exact); }));
  write_field(folder / "exact.nc", "x", times, points, run([](__float128 exact) { return exact; }));
  DigitsOptions options;
  options.scales["x"] = 1;
  auto const field = folder.digits(options, folder / "nearest.nc", folder / "exact.nc").fields.at(0);
  for (std::size_t time = 0; time < times.size(); ++time) {
    EXPECT_GE(field.baseline_within[time], 0.95);
    EXPECT_GE(field.samples_within[time], 0.95);
    // No more modest than the penalty makes them: the median of |normal| is 0.6745 spreads, and rounding to
    // nearest has half the variance of rounding at random.
    auto const most = normal_hypothesis_penalty(count) - std::log2(0.6745) + 0.5;
    EXPECT_LT(field.wider->p50[time] - field.significant.p50[time], most + 0.3);
    if (time == 0) continue;
    // The median of 4000 points whose bits scatter by 1.5: four standard errors of a difference are 0.17.
    EXPECT_NEAR(field.significant.p50[time - 1] - field.significant.p50[time], 10, 0.17);
    EXPECT_NEAR(field.wider->p50[time - 1] - field.wider->p50[time], 10, 0.25);
  }
}

TEST(Digits, AreWrittenSealedAndWithoutNumbersThatAreNone) {
  Folder folder;
  folder.add("u", {0, 60}, 2, {1, 2, 3, 4});
  folder.add("u", {0, 60}, 2, {1, 2, 3, 4 + 0x1p-8});
  DigitsRecord record;
  record.case_name = "a case";
  record.arithmetic = "e11m52-sr";
  record.seed = 3;
  record.stages.push_back({"toy.step", folder.digits()});
  auto const text = to_json(folder.digits(), record);
  io::require_json_seal(text, "digits.json", "");
  auto const json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("schema"), "ulpine.digits/1");
  EXPECT_EQ(json.at("samples"), 2);
  auto const& field = json.at("fields").at(0);
  EXPECT_EQ(field.at("times_s"), (std::vector<double>{0, 60}));
  EXPECT_TRUE(field.at("bits").at("significant").at("p50").at(0).is_null());
  EXPECT_TRUE(field.at("bits").at("significant").at("norm").at(0).is_null());
  EXPECT_NEAR(field.at("bits").at("general").at("p50").at(1).get<double>(), 10, 0);
  EXPECT_TRUE(field.at("quad").is_null());
  EXPECT_EQ(json.at("stages").at(0).at("field"), "u");
  EXPECT_EQ(to_text(folder.digits(), record).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace ulpine::verification
