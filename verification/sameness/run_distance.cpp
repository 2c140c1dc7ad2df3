// SPDX-License-Identifier: Apache-2.0
#include "verification/sameness/run_distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "io/error.hpp"
#include "io/file_set.hpp"
#include "io/foreign_format.hpp"
#include "verification/metrics/nan.hpp"

namespace ulpine::verification::sameness {
namespace {

namespace fs = std::filesystem;

double value_or(Metrics const& metrics, char const* name, double otherwise) {
  auto const& value = metrics[name];
  return value.defined() ? value.number() : otherwise;
}

io::StoredType coarser(io::StoredType const& a, io::StoredType const& b) {
  if (a.step != b.step) return a.step > b.step ? a : b;
  return a.relative_rounding >= b.relative_rounding ? a : b;
}

/// The variables of one pair of files.
class PairReader {
 public:
  PairReader(fs::path const& reference, fs::path const& test, std::vector<std::string> const& variables,
             Weighting const& weighting)
      : reference_(reference), test_(test) {
    how_.weighting = weighting;
    how_.each_time = [this](VariableComparison const& variable, TimeComparison const& time) {
      see(variable, time);
    };
    for (auto const& name : variables) {
      if (reference_.has_values(name) || test_.has_values(name)) how_.variables.push_back(name);
    }
    has_any_ = variables.empty() || !how_.variables.empty();
  }
  /// Whether one of the variables asked for is in the files.
  bool has_any() const { return has_any_; }

  /// Adds what the files say to that of the run; series of this pair of files come last.
  std::vector<Series> read(RunDistance& run) {
    auto const comparison = compare(reference_, test_, how_);
    ++run.files;
    run.coordinates += std::int64_t(comparison.places.size());
    for (auto const& variable : comparison.variables) {
      if (variable.derived) continue;
      if (!variable.labels) {
        auto& series = series_of(variable.name);
        if (variable.compared_times == 0) series.refusal = variable.failure();
      } else if (variable.differing > 0) {
        run.not_compared.push_back(variable.name + ": its texts differ, which have no size to compare");
      }
      note_sameness(variable.name, variable.same, run);
    }
    for (auto const& [name, agreement] : comparison.places) {
      // Runs of other lengths have other times and may be of one model.
      auto& differing = is_time(name) ? run.not_compared : run.other_places;
      if (agreement.same == Sameness::no) differing.push_back(name + ": " + agreement.difference);
      note_sameness(name, agreement.same, run);
    }
    for (auto const* names : {&comparison.only_in_reference, &comparison.only_in_test}) {
      auto const* const path = names == &comparison.only_in_test ? &test_.path() : &reference_.path();
      for (auto const& name : *names) run.not_compared.push_back(name + " is only in " + *path);
    }
    for (auto const& [subject, line, by_request] : comparison.not_compared) {
      if (!by_request) run.not_compared.push_back(line);
    }
    for (auto const& series : series_) {
      if (!series.refusal.empty()) run.not_compared.push_back(series.name + ": " + series.refusal);
    }
    run.notes.insert(run.notes.end(), comparison.notes.begin(), comparison.notes.end());
    return std::move(series_);
  }

 private:
  static void note_sameness(std::string const& name, Sameness same, RunDistance& run) {
    run.same_bits = run.same_bits && same == Sameness::bits;
    if (same == Sameness::values) run.stored_otherwise.push_back(name);
  }

  bool is_time(std::string const& place) const {
    return reference_.has(place) && reference_.time_axis(place).exists &&
           reference_.info(place).shape.empty();
  }

  Series& series_of(std::string const& name) {
    auto const found = std::ranges::find(series_, name, &Series::name);
    if (found != series_.end()) return *found;
    Series series;
    series.name = name;
    series.type = coarser(reference_.stored_type(name), test_.stored_type(name));
    auto const axis = reference_.time_axis(name);
    series.in_seconds = axis.unit > 0;
    epoch_ = axis.dated && std::isfinite(axis.epoch) ? axis.epoch : 0;
    series_.push_back(std::move(series));
    return series_.back();
  }

  void see(VariableComparison const& variable, TimeComparison const& time) {
    if (variable.derived || variable.labels) return;
    auto& series = series_of(variable.name);
    auto const& metrics = time.metrics;
    Distance distance;
    distance.time = epoch_ + time.time_s;
    distance.text = time.time_text();
    distance.differing = metrics.differing;
    distance.one_sided = metrics.one_sided.all();
    distance.failure = metrics.failure;
    if (metrics.differing > 0) {
      distance.rms = value_or(metrics, "rmse", 0);
      auto const relative = value_or(metrics, "l2_relative", 0);
      distance.rms_reference = relative > 0 ? distance.rms / relative : 0;
      distance.largest = value_or(metrics, "linf", 0);
      distance.ulps = value_or(metrics, "max_ulp", nan);
      distance.one_minus_r = value_or(metrics, "one_minus_r", nan);
    }
    series.times.push_back(std::move(distance));
  }

  io::InputFile reference_, test_;
  ComparisonOptions how_;
  bool has_any_ = true;
  std::vector<Series> series_;
  double epoch_ = 0;  ///< of the variable that is read
};

/// Pairs of files, by name where there are several.
std::vector<std::pair<fs::path, fs::path>> pairs_of(consistency::RunFiles const& reference,
                                                    consistency::RunFiles const& run,
                                                    std::vector<std::string>& not_compared) {
  if (reference.files.size() == 1 && run.files.size() == 1) return {{reference.files[0], run.files[0]}};
  std::vector<std::pair<fs::path, fs::path>> pairs;
  auto const partner = [](fs::path const& path, consistency::RunFiles const& other) {
    return std::ranges::find(other.files, path.filename(), [](fs::path const& p) { return p.filename(); });
  };
  for (auto const& path : reference.files) {
    auto const found = partner(path, run);
    if (found != run.files.end()) {
      pairs.emplace_back(path, *found);
    } else {
      not_compared.push_back(fmt::format("{} has no file of that name in {}", path.string(), run.name));
    }
  }
  for (auto const& path : run.files) {
    if (partner(path, reference) == reference.files.end())
      not_compared.push_back(fmt::format("{} has no file of that name in {}", path.string(), reference.name));
  }
  if (pairs.empty()) {
    throw InputError(run.name + ": no file has the name of one in " + reference.name +
                     " (files of folders go together by their names) name folders of like content");
  }
  return pairs;
}

/// Whether the times of two series of one name follow each other, so that they are one.
bool follow(Series const& a, Series const& b) {
  std::set<double> times;
  for (auto const* series : {&a, &b}) {
    for (auto const& distance : series->times) {
      if (std::isnan(distance.time) || !times.insert(distance.time).second) return false;
    }
  }
  return a.refusal.empty() && b.refusal.empty() && !a.times.empty() && !b.times.empty();
}

void add_series(std::vector<Series>&& more, fs::path const& file, std::vector<Series>& all) {
  for (auto& series : more) {
    auto const found = std::ranges::find(all, series.name, &Series::name);
    if (found == all.end()) {
      all.push_back(std::move(series));
    } else if (follow(*found, series)) {
      found->type = coarser(found->type, series.type);
      std::ranges::move(series.times, std::back_inserter(found->times));
      std::ranges::stable_sort(found->times, {}, &Distance::time);
    } else {
      series.name = file.filename().string() + ":" + series.name;
      all.push_back(std::move(series));
    }
  }
}

}  // namespace

std::size_t Series::first_difference() const {
  return std::size_t(std::ranges::find_if(times, [](Distance const& d) { return d.differing > 0; }) -
                     times.begin());
}

bool RunDistance::differs() const {
  return !other_places.empty() || std::ranges::any_of(variables, [](Series const& series) {
    return series.first_difference() < series.times.size();
  });
}

Series const* RunDistance::find(std::string const& variable) const {
  auto const found = std::ranges::find(variables, variable, &Series::name);
  return found == variables.end() ? nullptr : &*found;
}

consistency::RunFiles outputs_of(fs::path const& path) {
  if (!fs::is_directory(path) || io::format_of(path) == io::ForeignFormat::zarr) {
    if (!fs::exists(path) && !io::names_set(path))
      throw InputError(path.string() +
                       ": no such file or folder (the output of a run is looked for) check the path");
    return {path.string(), {path}};
  }
  if (auto parts = io::output_of_run(path); !parts.empty()) return {path.string(), std::move(parts)};
  consistency::RunFiles all{path.string(), {}};
  for (auto const& run : consistency::runs_in(path)) {
    for (auto const& file : run.files) {
      if (!fs::equivalent(file.parent_path(), path)) {
        throw InputError(path.string() +
                         ": has folders of runs (which of them is meant?) name one of them, as " +
                         file.parent_path().string());
      }
      all.files.push_back(file);
    }
  }
  return all;
}

RunDistance distance_of(consistency::RunFiles const& reference, consistency::RunFiles const& run,
                        std::vector<std::string> const& variables, Weighting const& weighting) {
  RunDistance result;
  result.name = run.name;
  for (auto const& [first, second] : pairs_of(reference, run, result.not_compared)) {
    PairReader pair(first, second, variables, weighting);
    if (pair.has_any()) add_series(pair.read(result), second, result.variables);
  }
  for (auto const& name : variables) {
    if (result.find(name) == nullptr) {
      std::vector<std::string> known = io::InputFile(reference.files[0]).variables();
      throw InputError(reference.name + ": no variable '" + name + "'" + choices_hint(name, known));
    }
  }
  return result;
}

}  // namespace ulpine::verification::sameness
