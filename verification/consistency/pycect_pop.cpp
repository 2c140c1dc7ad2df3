// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/pycect_pop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "io/absence.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/plain_netcdf.hpp"
#include "verification/consistency/pycect_summary.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;
using PlainVariable = io::PlainNetcdf::Variable;

constexpr double least_deviation = 1e-12;  // below it PyCECT takes a point's deviation for infinite
constexpr std::size_t pop_bins = 40;       // of the histograms in a summary
constexpr double largest_score = 4;        // where these end

/// Months since the first of year 1 by a file's name, as PyCECT cuts it: seven characters before ".nc".
std::int64_t pop_month(fs::path const& path) {
  auto const name = path.filename().string();
  auto const end = name.find(".nc");
  auto const digits = [&](std::size_t from, std::size_t count) -> std::optional<std::int64_t> {
    std::int64_t number = 0;
    for (auto i = from; i < from + count; ++i) {
      if (name[i] < '0' || name[i] > '9') return std::nullopt;
      number = 10 * number + (name[i] - '0');
    }
    return number;
  };
  if (end != std::string::npos && end >= 7) {
    auto const year = digits(end - 7, 4), month = digits(end - 2, 2);
    if (year && month && *month >= 1 && *month <= 12) return (*year - 1) * 12 + *month - 1;
  }
  throw InputError(
      path.string() +
      ": its name ends in no year and month (PyCECT takes them from \"...0001-12.nc\") rename it so");
}

/// Whether each point of a level is open ocean.
std::vector<bool> open_ocean(io::InputFile const& file) {
  std::vector<bool> open;
  for (auto const region : file.read_all("REGION_MASK")) open.push_back(region >= 1 && region <= 6);
  return open;
}

io::FieldData pop_field(io::InputFile const& file, std::string const& name, std::vector<bool> const& open) {
  if (!file.has(name)) {
    throw InputError(file.path() + ": no variable '" + name +
                     "' (it is compared) name files that have it, or write a summary without it");
  }
  auto field = file.read(name, 0);
  if (open.empty() || field.values.size() % open.size() != 0) {
    throw InputError(
        file.path() + ": " + name +
        ": is not on the grid of REGION_MASK (points are chosen by it) name POP's history files");
  }
  return field;
}

/// Deviations of the points of open oceans that are no land, in standard deviations of the ensemble.
std::vector<double> pop_scores(std::vector<double> const& values, std::vector<double> const& mean,
                               std::vector<double> const& deviation, std::vector<bool> const& open) {
  constexpr double fill = 9.969209968386869e36;
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!open[i % open.size()]) continue;
    auto const why = io::absence_of(values[i]);
    if (why != io::Absence::none && why != io::Absence::nan) continue;
    auto const by = deviation[i] <= least_deviation ? fill : deviation[i];
    result.push_back(std::abs((values[i] - mean[i]) / by));
  }
  return result;
}

/// A summary of pyEnsSumPop.py.
class PopSummary {
 public:
  explicit PopSummary(fs::path const& path)
      : file_{path}, names_{character_rows(file_, "var3d"), character_rows(file_, "var2d")} {
    for (auto const* name : {"3d", "2d"}) {
      for (auto const* part : {"ens_avg", "ens_stddev"}) {
        if (!file_.has(std::string(part) + name)) {
          throw InputError(path.string() + ": has no " + part + name +
                           " (a summary of POP has) write it anew with PyCECT or --write-summary");
        }
      }
    }
    months_ = std::int64_t(file_.time_axis("ens_avg3d").stored.size());
  }
  std::int64_t months() const { return months_; }
  /// Variables with and without levels.
  std::vector<std::string> const& names(std::size_t part) const { return names_[part]; }
  /// All variables of a part at a month, one after the other.
  std::vector<double> read(char const* what, std::size_t part, std::int64_t month) const {
    return file_.read(std::string(what) + (part == 0 ? "3d" : "2d"), month).values;
  }

 private:
  io::InputFile file_;
  std::vector<std::string> names_[2];
  std::int64_t months_ = 0;
};

/// Mean and standard deviation (of all, not of a sample) of one variable over files, point by point, as NumPy
/// has them of masked single-precision values: sums are rounded to single precision in the order of files.
struct PointMoments {
  std::vector<double> mean, deviation;
};
PointMoments pop_moments(std::vector<std::vector<float>> const& members) {
  auto const points = members.front().size();
  PointMoments moments{std::vector<double>(points), std::vector<double>(points)};
  for (std::size_t i = 0; i < points; ++i) {
    float sum = 0, squares = 0;
    double count = 0;
    for (auto const& values : members) {
      if (std::isnan(values[i])) continue;
      sum += values[i];
      ++count;
    }
    if (count == 0) continue;
    auto const mean = double(sum) / count;
    for (auto const& values : members) {
      if (std::isnan(values[i])) continue;
      auto const difference = double(values[i]) - mean;
      squares += float(difference * difference);
    }
    moments.mean[i] = double(float(mean));
    moments.deviation[i] = double(float(std::sqrt(double(squares) / count)));
  }
  return moments;
}

/// Values in double precision; those that are NaN are missing.
std::vector<double> with_missing(std::vector<float> const& values) {
  std::vector<double> result;
  for (auto const value : values)
    result.push_back(std::isnan(value) ? io::absent(io::Absence::fill) : double(value));
  return result;
}

/// Shares of scores in bins of equal width.
std::vector<double> histogram(std::vector<double> const& values) {
  std::vector<double> counts(pop_bins);
  for (auto const value : values) {
    if (!(value >= 0 && value <= largest_score)) continue;
    ++counts[std::min(pop_bins - 1, std::size_t(value / largest_score * double(pop_bins)))];
  }
  for (auto& count : counts) count /= double(std::max<std::size_t>(values.size(), 1));
  return counts;
}

}  // namespace

Outcome pop_test(fs::path const& path, std::vector<fs::path> const& files, Parameters& parameters,
                 ReadingProgress const& progress, std::vector<std::string>& notes) {
  auto const tolerance = parameters.number("pop_tol", 3, 0, 1e6);
  auto const threshold = parameters.number("pop_threshold", 0.9, 0, 1);
  auto const base_year = parameters.integer("base_year", 1, 0, 9999);
  parameters.reject_unknown();
  PopSummary const summary(path);
  Outcome outcome;
  outcome.method = "pycect";
  outcome.nominal_rate = not_a_number;
  std::size_t judged = 0, failing_files = 0;
  for (std::size_t number = 0; number < files.size(); ++number) {
    progress(double(number) / double(files.size()), files[number].filename().string());
    auto const month = pop_month(files[number]) - (base_year - 1) * 12;
    auto const run = files[number].filename().string();
    if (month < 0 || month >= summary.months()) {
      notes.push_back(fmt::format("{}: not judged: the summary has {} months, and its name says month {}",
                                  run, summary.months(), month + 1));
      continue;
    }
    ++judged;
    io::InputFile const file(files[number]);
    auto const open = open_ocean(file);
    bool fails = false;
    for (std::size_t part = 0; part < 2; ++part) {
      auto const& names = summary.names(part);
      auto const means = summary.read("ens_avg", part, month);
      auto const deviations = summary.read("ens_stddev", part, month);
      for (std::size_t v = 0; v < names.size(); ++v) {
        auto const field = pop_field(file, names[v], open);
        auto const points = field.values.size();
        if (points * names.size() != means.size() || means.size() != deviations.size()) {
          throw InputError(files[number].string() + ": " + names[v] + ": has other points than " +
                           path.string() + " (points are compared) name runs on the grid of the summary");
        }
        auto const of = [&](std::vector<double> const& all) {
          return std::vector<double>(all.begin() + std::ptrdiff_t(v * points),
                                     all.begin() + std::ptrdiff_t((v + 1) * points));
        };
        auto const all = pop_scores(field.values, of(means), of(deviations), open);
        auto const near = std::ranges::count_if(all, [&](double score) { return score <= tolerance; });
        Finding finding;
        finding.subject = names[v] + ", " + run;
        finding.value = double(near) / double(all.size());
        finding.limit = threshold;
        // PyCECT compares in single precision.
        finding.rejected = float(*finding.value) < float(threshold);
        finding.note = fmt::format("share of points within {} standard deviations, at least", tolerance);
        fails = fails || finding.rejected;
        outcome.findings.push_back(std::move(finding));
      }
    }
    failing_files += fails ? 1 : 0;
  }
  if (judged == 0) {
    throw InputError(path.string() +
                     ": has the month of no new run (there is nothing to judge) name files of its months, or "
                     "pycect.base_year");
  }
  std::ranges::stable_sort(outcome.findings, {}, [](Finding const& finding) { return *finding.value; });
  outcome.answer = failing_files > 0 ? Answer::different : Answer::consistent;
  outcome.statement = fmt::format(
      "PyCECT's rule for POP {}: in {} of {} files a variable has fewer than {:.3g} % of its points within "
      "{} "
      "standard deviations of the ensemble's mean; no false-alarm rate in theory (neighbouring points are "
      "correlated)",
      failing_files > 0 ? "fails" : "passes", failing_files, judged, 100 * threshold, tolerance);
  outcome.parameters = parameters.used();
  return outcome;
}

void write_pop_summary(fs::path const& path, std::vector<fs::path> const& files,
                       std::vector<std::string> const& wanted, ReadingProgress const& progress) {
  std::map<std::int64_t, std::vector<fs::path>> by_month;
  for (auto const& file : files) by_month[pop_month(file)].push_back(file);
  auto const members = by_month.begin()->second.size();
  auto expected = by_month.begin()->first;
  for (auto const& [month, of] : by_month) {
    if (of.size() != members || month != expected) {
      throw InputError(
          fmt::format("{}: {} members have month {} of the ensemble ({} have the first) name as many "
                      "files of each month, without a gap",
                      of.front().string(), of.size(), month + 1, members));
    }
    ++expected;
  }
  io::InputFile const first(files.front());
  auto const open = open_ocean(first);
  auto const horizontal = first.info("REGION_MASK");
  std::vector<std::string> parts[2];
  std::int64_t levels = 0;
  for (auto const& name : first.variables()) {
    auto const info = first.info(name);
    if (!first.time_axis(name).exists) continue;
    if (!wanted.empty() && std::ranges::count(wanted, name) == 0) continue;
    if (info.dimensions == horizontal.dimensions) parts[1].push_back(name);
    if (info.dimensions.size() == 3 && info.dimensions.front() == "z_t" &&
        horizontal.dimensions.size() == 2 && info.dimensions[1] == horizontal.dimensions[0] &&
        info.dimensions[2] == horizontal.dimensions[1]) {
      parts[0].push_back(name);
      levels = info.shape.front();
    }
  }
  for (auto const& name : wanted) {
    if (std::ranges::count(parts[0], name) + std::ranges::count(parts[1], name) == 0)
      throw InputError(files.front().string() + ": no variable '" + name +
                       "' on POP's grid (PyCECT takes such) check the name");
  }
  if (parts[0].empty() || parts[1].empty()) {
    throw InputError(
        files.front().string() +
        ": has no variable with levels, or none without (PyCECT asks for both) name POP's history "
        "files");
  }
  std::size_t width = 0;
  std::vector<std::string> all;
  for (auto& part : parts) {
    std::ranges::sort(part);
    for (auto const& name : part) {
      all.push_back(name);
      width = std::max(width, name.size());
    }
  }
  using enum PlainVariable::Type;
  io::BegunFile begun(path);
  std::vector<PlainVariable> variables = {{"z_t", float32, {"nlev"}},
                                          {"vars", character, {"nvars", "str_size"}},
                                          {"var3d", character, {"nvars3d", "str_size"}},
                                          {"var2d", character, {"nvars2d", "str_size"}},
                                          {"time", float64, {"time"}}};
  for (auto const* part : {"ens_avg", "ens_stddev"}) {
    variables.push_back({std::string(part) + "3d", float32, {"time", "nvars3d", "nlev", "nlat", "nlon"}});
    variables.push_back({std::string(part) + "2d", float32, {"time", "nvars2d", "nlat", "nlon"}});
  }
  variables.push_back({"RMSZ", float32, {"time", "nvars", "ens_size", "nbin"}});
  io::PlainNetcdf file(begun.begun(),
                       {{"nlat", horizontal.shape[0]},
                        {"nlon", horizontal.shape[1]},
                        {"nlev", levels},
                        {"time", 0},
                        {"ens_size", std::int64_t(members)},
                        {"nbin", std::int64_t(pop_bins)},
                        {"nvars", std::int64_t(all.size())},
                        {"nvars3d", std::int64_t(parts[0].size())},
                        {"nvars2d", std::int64_t(parts[1].size())},
                        {"str_size", std::int64_t(width)}},
                       variables,
                       {{"title", "POP verification ensemble summary file"},
                        {std::string(pycect_signature.text), "written by Ulpine"}});
  file.put("z_t", first.read_all("z_t"));
  file.put("vars", padded_rows(all, width));
  file.put("var3d", padded_rows(parts[0], width));
  file.put("var2d", padded_rows(parts[1], width));
  auto const rows = std::size_t(horizontal.shape[0]), columns = std::size_t(horizontal.shape[1]);
  std::size_t month = 0;
  for (auto const& [of_name, of] : by_month) {
    progress(double(month) / double(by_month.size()), of.front().filename().string());
    std::vector<double> const time = {double(of_name)};
    file.put("time", {month}, {1}, time);
    std::size_t number = 0;
    for (std::size_t part = 0; part < 2; ++part) {
      for (std::size_t v = 0; v < parts[part].size(); ++v, ++number) {
        std::vector<std::vector<float>> values;
        for (auto const& member : of) {
          auto const field = pop_field(io::InputFile(member), parts[part][v], open);
          values.emplace_back(field.values.begin(), field.values.end());
        }
        auto const moments = pop_moments(values);
        std::vector<std::size_t> start = {month, v}, count = {1, 1};
        if (part == 0) {
          start.push_back(0);
          count.push_back(std::size_t(levels));
        }
        start.insert(start.end(), {0, 0});
        count.insert(count.end(), {rows, columns});
        auto const dimension = part == 0 ? "3d" : "2d";
        file.put(std::string("ens_avg") + dimension, start, count, moments.mean);
        file.put(std::string("ens_stddev") + dimension, start, count, moments.deviation);
        for (std::size_t member = 0; member < members; ++member) {
          file.put(
              "RMSZ", {month, number, member, 0}, {1, 1, 1, pop_bins},
              histogram(pop_scores(with_missing(values[member]), moments.mean, moments.deviation, open)));
        }
      }
    }
    ++month;
  }
  file.close();
  begun.place();
}

}  // namespace ulpine::verification::consistency
