// SPDX-License-Identifier: Apache-2.0
#include "verification/digits/digits.hpp"
#include "verification/metrics/nan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "io/error.hpp"
#include "verification/comparison/matching.hpp"
#include "verification/digits/significant_digits.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification {
namespace {

/// Share of points that fail the test of normality above which the normal hypothesis is called into question.
constexpr double often_not_normal = 0.1;

/// By linear interpolation between neighbours (Hyndman and Fan 1996, number 7); reorders the values.
double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return nan;
  auto const place = share * double(values.size() - 1);
  auto const below = std::size_t(place);
  auto const first = values.begin() + std::ptrdiff_t(below);
  std::nth_element(values.begin(), first, values.end());
  auto const low = *first;
  auto const part = place - double(below);
  if (part == 0) return low;
  auto const high = *std::min_element(first + 1, values.end());
  return low == high ? low : low + part * (high - low);
}

void append(BitShares& shares, std::vector<double>& bits, double norm) {
  shares.p05.push_back(quantile(bits, 0.05));
  shares.p50.push_back(quantile(bits, 0.5));
  shares.p95.push_back(quantile(bits, 0.95));
  shares.least.push_back(quantile(bits, 0));
  shares.norm.push_back(norm);
}

double share(std::int64_t part, std::int64_t all) { return all > 0 ? double(part) / double(all) : nan; }

/// Bits subtracted from -log2 of a spread for the confidence asked for, by kind of digit.
struct Penalties {
  double significant, contributing;
};

/// A time of a field, as its points come in.
class Points {
 public:
  Points(DigitsOptions const& options, Penalties const& penalties, double scale, std::size_t samples)
      : options_{options}, penalties_{penalties}, scale_{scale}, squares_(samples), offset_(samples) {}

  /// `baseline` and `wider` are NaN where there are none.
  void add(std::span<double const> samples, double baseline, double wider) {
    if (std::all_of(samples.begin(), samples.end(), [](double value) { return std::isnan(value); })) {
      return;  // outside of the domain
    }
    ++points_;
    if (!std::all_of(samples.begin(), samples.end(), [](double value) { return std::isfinite(value); })) {
      ++not_finite_;
      return;
    }
    // Differences of neighbours are exact where sums of them are not.
    for (std::size_t i = 0; i < samples.size(); ++i) offset_[i] = samples[i] - samples[0];
    auto const [shift, sd, count] = moments(offset_);
    auto const mean = samples[0] + shift;
    auto const scale = scale_of(mean);
    if (!(scale > 0)) {
      ++unscaled_;
      return;
    }
    ++scaled_;
    auto const differs = sd > 0;
    auto largest = 0.0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      auto const error = std::abs(offset_[i] - shift) / scale;
      squares_[i] += differs ? error * error : 0;
      largest = std::max(largest, error);
    }
    auto bits = std::numeric_limits<double>::infinity();
    if (differs) {
      auto const n = double(count);
      auto const spread = std::log2(scale) - std::log2(sd * std::sqrt((n - 1) / n));
      bits = spread - penalties_.significant;
      significant_.push_back(bits);
      contributing_.push_back(spread - penalties_.contributing);
      general_.push_back(bits_of_error(largest, options_.mantissa));
      if (mean != 0) parker_.push_back(std::log2(std::abs(mean)) - std::log2(sd));
      if (auto const p = normality(offset_)) {
        ++tested_;
        not_normal_ += *p < normality_level ? 1 : 0;
      }
    }
    if (std::isfinite(wider)) compare(samples, baseline, wider, scale, differs, bits);
  }

  void finish(FieldDigits& field) {
    auto const n = double(squares_.size());
    auto const norm = [&](double square) { return std::sqrt(square / double(scaled_)); };
    double sum = 0, largest = 0;
    for (auto const square : squares_) {
      sum += square;
      largest = std::max(largest, square);
    }
    auto const spread = scaled_ > 0 ? -std::log2(norm(sum / n)) : nan;
    append(field.significant, significant_, spread - penalties_.significant);
    append(field.contributing, contributing_, spread - penalties_.contributing);
    append(field.general, general_,
           largest > 0 ? double(bits_of_error(norm(largest), options_.mantissa)) : spread);
    append(field.parker, parker_, nan);
    field.scale.push_back(scale_);
    field.differing.push_back(share(std::int64_t(significant_.size()), points_));
    field.not_finite.push_back(share(not_finite_, points_));
    field.not_normal.push_back(share(not_normal_, tested_));
    if (!field.wider) return;
    append(*field.wider, deviation_,
           compared_ > 0 ? -std::log2(std::sqrt(deviation_squares_ / double(compared_))) : nan);
    field.baseline_within.push_back(share(baseline_within_, baselines_judged_));
    field.samples_within.push_back(share(samples_within_, samples_judged_));
  }

  std::int64_t not_finite() const { return not_finite_; }
  std::int64_t unscaled() const { return unscaled_; }

 private:
  double scale_of(double mean) const {
    if (options_.scale == DigitsOptions::Scale::mean) return std::abs(mean);
    if (options_.scale == DigitsOptions::Scale::field) return scale_;
    return mean == 0 ? 1 : std::scalbn(1.0, std::ilogb(mean));
  }

  void compare(std::span<double const> samples, double baseline, double wider, double scale, bool differs,
               double bits) {
    auto const bound = std::exp2(-bits) * scale;
    if (std::isfinite(baseline)) {
      auto const error = std::abs(baseline - wider);
      ++compared_;
      deviation_squares_ += (error / scale) * (error / scale);
      if (differs) {
        deviation_.push_back(-std::log2(error / scale));
        ++baselines_judged_;
        baseline_within_ += error <= bound ? 1 : 0;
      }
    }
    if (!differs) return;
    for (auto const sample : samples) {
      ++samples_judged_;
      samples_within_ += std::abs(sample - wider) <= bound ? 1 : 0;
    }
  }

  DigitsOptions const& options_;
  Penalties const& penalties_;
  double scale_;
  std::vector<double> squares_;  ///< [sample] sum over the points of its squared scaled errors
  std::vector<double> offset_;
  std::int64_t points_ = 0, scaled_ = 0, unscaled_ = 0, not_finite_ = 0, not_normal_ = 0, tested_ = 0;
  std::vector<double> significant_, contributing_, general_, parker_, deviation_;
  double deviation_squares_ = 0;
  std::int64_t compared_ = 0, baselines_judged_ = 0, baseline_within_ = 0, samples_judged_ = 0,
               samples_within_ = 0;
};

/// A file, and which of its times belongs to each of the common ones (-1: none).
struct Source {
  std::unique_ptr<io::InputFile> file;
  std::unique_ptr<Matching> matching = {};  ///< with the first file
  std::vector<std::int64_t> times = {};

  std::vector<double> read(std::string const& variable, std::size_t time, io::Box const& box) const {
    return file->read(variable, times[time], box);
  }
};

class Reading {
 public:
  Reading(std::span<std::filesystem::path const> samples, std::filesystem::path const& baseline,
          std::filesystem::path const& wider, DigitsOptions const& options)
      : options_{options},
        penalties_{
            normal_hypothesis_penalty(std::int64_t(samples.size()), options.probability, options.confidence),
            contributing_penalty(std::int64_t(samples.size()), options.contributing_probability,
                                 options.confidence)} {
    for (auto const& path : samples) samples_.push_back({std::make_unique<io::InputFile>(path)});
    if (!baseline.empty()) baseline_.file = std::make_unique<io::InputFile>(baseline);
    if (!wider.empty()) wider_.file = std::make_unique<io::InputFile>(wider);
    for (auto* source : others()) {
      source->matching = std::make_unique<Matching>(first(), *source->file, options.most_bytes / 8);
    }
  }

  Digits read() {
    Digits digits;
    digits.options = options_;
    digits.samples = std::int64_t(samples_.size());
    auto const names = variables();
    for (auto const& [name, scale] : options_.scales) {
      if (std::ranges::find(names, name) != names.end()) continue;
      throw InputError(first().path() + ": has no bits of '" + name + "' to count (a scale is given for it)" +
                       choices_hint(name, names));
    }
    std::vector<std::string> same, empty;
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto field = read_field(names[i], double(i) / double(names.size()), 1 / double(names.size()));
      digits.finite = digits.finite && std::all_of(field.not_finite.begin(), field.not_finite.end(),
                                                   [](double part) { return !(part > 0); });
      auto const none = [](std::vector<double> const& shares) {
        return std::none_of(shares.begin(), shares.end(), [](double part) { return part > 0; });
      };
      // The share of no points is NaN.
      auto const without_points = std::all_of(field.differing.begin(), field.differing.end(),
                                              [](double part) { return std::isnan(part); });
      if (without_points) {
        empty.push_back(names[i]);
      } else if (none(field.differing) && none(field.not_finite)) {
        same.push_back(names[i]);
      } else {
        digits.fields.push_back(std::move(field));
      }
    }
    digits.notes = notes_;
    auto const note = [&](std::string const& what, std::vector<std::string> const& about) {
      if (!about.empty()) digits.notes.push_back(fmt::format("{}: {}", what, fmt::join(about, ", ")));
    };
    note("equal in all samples", same);
    note("without a value in any sample", empty);
    note("not looked at", left_out(names));
    return digits;
  }

 private:
  io::InputFile const& first() const { return *samples_.front().file; }

  /// The variables asked for; else those that change in time, and where there are none all.
  std::vector<std::string> variables() const {
    for (auto const& name : options_.variables) {
      if (!first().has(name)) {
        throw InputError(first().path() + ": no variable '" + name + "'" +
                         choices_hint(name, first().variables()));
      }
    }
    if (!options_.variables.empty()) return options_.variables;
    auto const all = first().variables();
    std::vector<std::string> changing;
    for (auto const& name : all) {
      if (!first().times(name).empty()) changing.push_back(name);
    }
    auto const& chosen = changing.empty() ? all : changing;
    if (chosen.empty()) {
      throw InputError(first().path() +
                       ": holds no field (its digits cannot be counted) name outputs of a model");
    }
    return chosen;
  }

  /// Names of variables that are not analysed, each with the reason; empty where the user chose variables.
  std::vector<std::string> left_out(std::vector<std::string> const& names) {
    std::vector<std::string> result;
    if (!options_.variables.empty()) return result;
    for (auto const& name : first().variables()) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        result.push_back(name + " (not in time)");
    }
    for (auto const& name : first().labels()) result.push_back(name + " (no numbers)");
    for (auto const& name : first().unreadable()) result.push_back(name + " (not readable)");
    for (auto const* source : others()) {
      for (auto const& name : source->file->variables()) {
        auto const said = name + " (not in all files)";
        if (first().has(name) || std::find(result.begin(), result.end(), said) != result.end()) continue;
        result.push_back(said);
      }
    }
    return result;
  }

  /// Sets the times of all files; those that all samples have, of the first file.
  std::vector<double> align(std::string const& variable) {
    auto const times = first().times(variable);
    if (times.empty()) {
      for (auto& sample : samples_) sample.times = {-1};
      baseline_.times = wider_.times = {-1};
      for (auto const* source : others()) require_alike(*source, variable);
      return {nan};
    }
    auto& own = samples_.front().times;
    own.resize(times.size());
    std::iota(own.begin(), own.end(), std::int64_t{0});
    for (auto* source : others()) {
      source->times.assign(times.size(), -1);
      for (auto const& time : require_alike(*source, variable)) {
        source->times[std::size_t(time.reference)] = time.test;
      }
    }
    std::vector<std::size_t> shared;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (std::all_of(samples_.begin(), samples_.end(),
                      [&](Source const& sample) { return sample.times[i] >= 0; })) {
        shared.push_back(i);
      }
    }
    if (shared.empty()) {
      throw InputError(first().path() + ": '" + variable +
                       "' has no time that all samples have (samples are outputs of the same run but for "
                       "rounding) name files of equal times");
    }
    auto const keep = [&](std::vector<std::int64_t>& of) {
      for (std::size_t i = 0; i < shared.size(); ++i) of[i] = of[shared[i]];
      of.resize(shared.size());
    };
    keep(own);
    for (auto* source : others()) keep(source->times);
    std::vector<double> common;
    for (auto const i : shared) common.push_back(times[i]);
    return common;
  }

  /// All files but the first.
  std::vector<Source*> others() {
    std::vector<Source*> sources;
    for (std::size_t i = 1; i < samples_.size(); ++i) sources.push_back(&samples_[i]);
    for (auto* source : {&baseline_, &wider_}) {
      if (source->file) sources.push_back(source);
    }
    return sources;
  }

  /// The times that it has in common with the first; InputError where the fields do not fit.
  std::vector<CommonTime> require_alike(Source const& source, std::string const& variable) {
    auto const& path = source.file->path();
    if (!source.file->has(variable)) {
      throw InputError(path + ": no variable '" + variable + "' (" + first().path() +
                       " has it) leave the file out or name --variables that all have");
    }
    std::vector<std::string> notes;
    auto problem = source.matching->grid_mismatch(variable, notes);
    if (problem.empty()) problem = source.matching->other_places(variable);
    auto common = source.matching->times(variable);
    if (problem.empty()) problem = common.refusal;
    if (problem.empty() && source.file->times(variable).empty() != first().times(variable).empty()) {
      problem = "only one of them has a time axis";
    }
    auto const units = source.file->info(variable).units, own = first().info(variable).units;
    if (problem.empty() && units != own) problem = fmt::format("its units are '{}' against '{}'", units, own);
    if (!problem.empty()) {
      throw InputError(path + ": '" + variable + "' does not fit that of " + first().path() + " (" + problem +
                       ") name outputs of the same run but for rounding");
    }
    if (auto const doubt = source.matching->doubt(variable); !doubt.empty()) {
      notes.push_back(variable + ": " + doubt);
    }
    notes.insert(notes.end(), common.notes.begin(), common.notes.end());
    for (auto const& note : notes) {
      if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    }
    return std::move(common.times);
  }

  static bool has(Source const& source, std::size_t time, bool timeless) {
    return source.file && (timeless || source.times[time] >= 0);
  }

  double root_mean_square(std::string const& variable, std::size_t time, std::vector<io::Box> const& boxes,
                          Source const& source) const {
    double sum = 0;
    std::int64_t count = 0;
    for (auto const& box : boxes) {
      for (auto const value : source.read(variable, time, box)) {
        if (!std::isfinite(value)) continue;
        sum += value * value;
        ++count;
      }
    }
    return count > 0 ? std::sqrt(sum / double(count)) : 0;
  }

  FieldDigits read_field(std::string const& variable, double done, double part) {
    FieldDigits field;
    field.name = variable;
    field.units = first().info(variable).units;
    field.time_s = align(variable);
    auto const timeless = std::isnan(field.time_s.front());
    if (wider_.file) field.wider.emplace();
    auto const files = std::int64_t(samples_.size()) + 2;
    auto const boxes = first().boxes(variable, std::max<std::int64_t>(1, options_.most_bytes / 8 / files));
    auto const given = options_.scales.find(variable);
    std::int64_t unscaled = 0;
    for (std::size_t time = 0; time < field.time_s.size(); ++time) {
      if (options_.progress) {
        options_.progress(done + part * double(time) / double(field.time_s.size()), variable);
      }
      auto const& nearest = has(baseline_, time, timeless) ? baseline_ : samples_.front();
      auto const scale = options_.scale != DigitsOptions::Scale::field ? nan
                         : given != options_.scales.end()              ? given->second
                                                          : root_mean_square(variable, time, boxes, nearest);
      Points points(options_, penalties_, scale, samples_.size());
      for (auto const& box : boxes) add_box(points, variable, time, box, timeless);
      points.finish(field);
      unscaled += points.unscaled();
    }
    if (field.not_normal.back() > often_not_normal) {
      field.note = fmt::format(
          "errors are not normal at {:.0f} % of the points: the general bits are the ones to trust",
          100 * field.not_normal.back());
    } else if (unscaled > 0) {
      field.note =
          options_.scale == DigitsOptions::Scale::mean
              ? fmt::format("{} values of mean zero have no relative error and do not count", unscaled)
              : "where the field is zero everywhere there is nothing to hold errors against";
    }
    return field;
  }

  void add_box(Points& points, std::string const& variable, std::size_t time, io::Box const& box,
               bool timeless) const {
    std::vector<std::vector<double>> values;
    for (auto const& sample : samples_) values.push_back(sample.read(variable, time, box));
    auto const other = [&](Source const& source) {
      return has(source, time, timeless) ? source.read(variable, time, box)
                                         : std::vector<double>(values.front().size(), nan);
    };
    auto const baseline = other(baseline_), wider = other(wider_);
    std::vector<double> samples(values.size());
    for (std::size_t point = 0; point < values.front().size(); ++point) {
      for (std::size_t i = 0; i < values.size(); ++i) samples[i] = values[i][point];
      points.add(samples, baseline[point], wider[point]);
    }
  }

  DigitsOptions const& options_;
  Penalties penalties_;
  std::vector<Source> samples_;
  Source baseline_, wider_;
  std::vector<std::string> notes_;  ///< from matching the files' times
};

}  // namespace

Digits digits_of(std::span<std::filesystem::path const> samples, std::filesystem::path const& baseline,
                 std::filesystem::path const& wider, DigitsOptions const& options) {
  if (samples.size() < 2) {
    throw InputError(
        fmt::format("{} samples (a spread needs two at least, and about 30 to say much) name more files",
                    samples.size()));
  }
  return Reading(samples, baseline, wider, options).read();
}

FieldDigits const* weakest(Digits const& digits) {
  FieldDigits const* found = nullptr;
  for (auto const& field : digits.fields) {
    auto const bits = field.significant.p50.back();
    if (std::isfinite(bits) && (found == nullptr || bits < found->significant.p50.back())) found = &field;
  }
  return found;
}

}  // namespace ulpine::verification
