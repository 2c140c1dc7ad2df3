// SPDX-License-Identifier: Apache-2.0
#include "cli/lkf_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/console.hpp"
#include "cli/output_folder.hpp"
#include "cli/planes.hpp"
#include "cli/told_parts.hpp"
#include "ensembles/study/progress.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/plain_text.hpp"
#include "verification/files/feature_series.hpp"
#include "verification/files/lkf_tools_files.hpp"
#include "verification/lkf/json.hpp"

namespace ulpine::cli {
namespace {

namespace fs = std::filesystem;
namespace v = verification;

std::string json_text(nlohmann::ordered_json const& document) {
  return io::plain_json(document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// The files of lkf_tools' data set, a folder of its own.
class LkfToolsFolder {
 public:
  LkfToolsFolder(fs::path const& above, fs::path const& first_file)
      : name_{v::lkf_tools_name(first_file)}, path_{above / name_}, made_{path_}, tracked_made_{tracked()} {
    auto const entries = std::distance(fs::directory_iterator(path_), fs::directory_iterator());
    auto const pairs = std::distance(fs::directory_iterator(tracked()), fs::directory_iterator());
    if (entries > 1 || pairs > 0) {
      throw InputError("--write-lkf-tools: " + path_.string() +
                       " has files already (lkf_tools takes all files of a folder for one data set) name "
                       "another folder, or remove them");
    }
  }

  void write(v::SeriesMethod const& method, v::FeatureWindow const& window, v::FeatureGrid const& grid,
             v::DeformationRates const& rates) {
    auto const number = ++windows_;
    io::write_atomically(path_ / fmt::format("lkf_{}_{:03}.npy", name_, number),
                         v::npy_of(v::lkf_tools_tables(window, grid, rates)));
    if (!method.follow || number == 1) return;
    io::write_atomically(tracked() / fmt::format("lkf_tracked_pairs_{}_{:03}_to_{}_{:03}.npy", name_,
                                                 number - 1, name_, number),
                         v::lkf_tools_pairs(window.tracks));
  }
  fs::path const& path() const { return path_; }

 private:
  fs::path tracked() const { return path_ / "tracked_pairs"; }

  std::string name_;
  fs::path path_;
  OutputFolder made_, tracked_made_;
  std::int64_t windows_ = 0;
};

v::SeriesOptions series_options(LkfOptions const& options, v::FeatureOptions const& how) {
  v::SeriesOptions series;
  series.rules = v::rules_of(how);
  series.parameters = v::parameters_of(how);
  series.follow = !options.track.empty() || !options.as.empty();
  constexpr std::int64_t days_of_lkf_tools = 3;  // t_red of process_dataset
  series.combine = options.combine.value_or(options.as.empty() ? 1 : days_of_lkf_tools);
  return series;
}

v::FeatureOptions feature_options(LkfOptions const& options) {
  v::FeatureOptions how;
  if (!options.variable.empty()) how.variable = options.variable;
  how.rules = options.rules;
  how.parameters = options.parameters;
  if (!options.as.empty() && how.rules.empty()) how.rules = "lkf_tools";
  if (!options.as.empty() && how.parameters.empty()) how.parameters = "process_dataset";
  v::require_known(how);
  how.planes = plane_choice(options.planes);
  return how;
}

/// What has become of the features of the window before.
struct Changes {
  std::int64_t going_on = 0, begun = 0, ended = 0;
};

Changes changes_of(v::FeatureWindow const& window, std::size_t before) {
  Changes changes;
  std::vector<bool> goes_on(before, false);
  for (auto const& track : window.tracks) goes_on[track.from] = true;
  changes.ended = std::ranges::count(goes_on, false);
  for (auto const& descent : window.descents) ++(descent.from.empty() ? changes.begun : changes.going_on);
  return changes;
}

/// The lines that are printed.
class SeriesTable {
 public:
  void add(v::SeriesMethod const& method, v::FeatureWindow const& window) {
    auto const summary = ulpine::lkf::summarise(window.detection, method.spacing_km);
    for (auto const& note : window.detection.notes) {
      if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
    }
    auto const records = window.first == window.last ? fmt::format("{}", window.first)
                                                     : fmt::format("{} to {}", window.first, window.last);
    lines_ += fmt::format("{:>6} {:>12} {:>9} {:>12.2f} {:>12}", windows_++, records, summary.count,
                          summary.total_length_cells,
                          summary.total_length_km ? fmt::format("{:.1f}", *summary.total_length_km) : "");
    if (method.follow) {
      auto const changes = changes_of(window, before_);
      lines_ += fmt::format(" {:>9} {:>9} {:>9}", changes.going_on, changes.begun, changes.ended);
    }
    lines_ += '\n';
    before_ = window.detection.features.size();
    features_ += summary.count;
    for (auto const& descent : window.descents) {
      tracks_ = std::max(tracks_, descent.track + 1);
      longest_ = std::max(longest_, descent.age);
    }
  }

  std::string text(v::SeriesMethod const& method) const {
    std::string result;
    for (auto const& note : method.notes) result += "# " + note + "\n";
    for (auto const& note : notes_) result += "# " + note + "\n";
    result += fmt::format("{} features in {} windows of {} record{} ({})\n", features_, windows_,
                          method.combine, method.combine == 1 ? "" : "s", ulpine::lkf::name_of(method.rules));
    if (method.follow) {
      result += fmt::format("{} tracks, the longest through {} windows\n", tracks_, longest_);
    }
    result += fmt::format("{:>6} {:>12} {:>9} {:>12} {:>12}", "window", "records", "features", "cells",
                          method.spacing_km ? "km" : "");
    if (method.follow) result += fmt::format(" {:>9} {:>9} {:>9}", "going on", "begun", "ended");
    return result + '\n' + lines_;
  }

 private:
  std::string lines_;
  std::vector<std::string> notes_;
  std::int64_t windows_ = 0, features_ = 0, tracks_ = 0, longest_ = 0;
  std::size_t before_ = 0;
};

}  // namespace

bool is_series(LkfOptions const& options) {
  return options.all_times || options.combine || !options.track.empty() || !options.as.empty() ||
         options.files.size() > 1;
}

int lkf_series(LkfOptions const& options) {
  auto const how = feature_options(options);
  auto const series = series_options(options, how);
  std::optional<std::array<std::string, 2>> drift;
  if (!options.track.empty()) {
    if (options.track.size() != 2) {
      throw InputError(fmt::format(
          "--track: {} name{} of variables (a drift is along x and along y) write two, as --track siu,siv",
          options.track.size(), options.track.size() == 1 ? "" : "s"));
    }
    drift = {options.track[0], options.track[1]};
  }
  if (options.time != LkfOptions{}.time) {
    throw InputError("--time: has no effect (of several files all times are taken) leave it out");
  }
  tell_of_parts(options.files);
  auto const records = options.as.empty() ? v::records_of_field(options.files, how, drift)
                                          : v::records_of_dataset(options.files, series.rules);
  std::optional<LkfToolsFolder> folder;
  if (!options.write_lkf_tools.empty()) folder.emplace(options.write_lkf_tools, options.files.front());

  ensembles::ProgressReporter bar(stderr, options.common.quiet);
  SeriesTable lines;
  std::string csv = v::csv_head(), windows;
  std::int64_t done = 0;
  auto const method = v::detect_series(
      *records, series, [&](v::SeriesMethod const& with, v::FeatureWindow const& window, auto const& rates) {
        if (options.json) windows += (done == 0 ? "\n" : ",\n") + json_text(v::to_json(with, window));
        lines.add(with, window);
        if (options.csv) csv += v::to_csv(with, window, done);
        if (folder) folder->write(with, window, records->grid(), rates);
        ++done;
        bar.update(static_cast<double>(done) / static_cast<double>(with.windows),
                   std::numeric_limits<double>::infinity(), fmt::format("{}/{} windows", done, with.windows));
      });
  bar.finish();
  if (options.json) {
    // A window is a line, so that readers of long series may take them one by one.
    print(options.common,
          "{\"windows\": [" + windows + "\n],\n" + json_text(v::to_json(method)).substr(1) + "\n");
    return exit_code::done;
  }
  print(options.common, options.csv ? csv : lines.text(method));
  if (folder && !options.csv) print(options.common, folder->path().string() + "\n");
  return exit_code::done;
}

}  // namespace ulpine::cli
