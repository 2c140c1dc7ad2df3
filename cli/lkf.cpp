// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/console.hpp"
#include "cli/lkf_series.hpp"
#include "cli/planes.hpp"
#include "cli/told_parts.hpp"
#include "io/netcdf.hpp"
#include "verification/files/feature_series.hpp"
#include "verification/files/features_of_file.hpp"
#include "verification/lkf/geometry.hpp"

namespace ulpine::cli {
namespace {

std::string feature_table(ulpine::lkf::Detection const& detection,
                          std::optional<ulpine::lkf::Spacing> const& spacing_km) {
  auto text = fmt::format("{:>5} {:>10} {:>10} {:>10}  {}\n", "", "cells", spacing_km ? "km" : "", "chord",
                          "from (row, column) to");
  for (std::size_t i = 0; i < detection.features.size(); ++i) {
    auto const& feature = detection.features[i];
    auto const& from = feature.cells.front();
    auto const& to = feature.cells.back();
    text += fmt::format(
        "{:>5} {:>10.2f} {:>10} {:>10.2f}  ({}, {}) ({}, {})\n", i + 1, feature.length_cells,
        spacing_km ? fmt::format("{:.2f}", ulpine::lkf::polyline_length(feature.cells, *spacing_km)) : "",
        feature.chord_cells, from[0], from[1], to[0], to[1]);
  }
  return text;
}

}  // namespace

int lkf(LkfOptions const& options) {
  if (is_series(options)) return lkf_series(options);
  verification::FeatureOptions how;
  if (!options.variable.empty()) how.variable = options.variable;
  how.time = options.time;
  how.rules = options.rules;
  how.parameters = options.parameters;
  verification::require_known(how);  // refused before the file is read
  io::InputFile const file(options.files.front());
  tell_of_parts({options.files.front()});
  how.planes = plane_choice(options.planes);
  auto const found = verification::features_of(file, how);
  if (options.csv) {
    verification::FeatureWindow window;
    auto const times = static_cast<std::int64_t>(file.times(how.variable).size());
    window.first = window.last = how.time < 0 ? std::max<std::int64_t>(times + how.time, 0) : how.time;
    window.detection = found.detection;
    verification::SeriesMethod const method{found.rules, found.parameters, found.spacing_km, 1, false, 1, {}};
    print(options.common, verification::csv_head() + verification::to_csv(method, window, 0));
    return exit_code::done;
  }
  if (options.json) {
    print_json(options.common, verification::to_json(found));
    return exit_code::done;
  }
  auto const& [detection, parameters, rules, spacing_km, orientations] = found;
  auto const& over = *orientations;
  auto const summary = ulpine::lkf::summarise(detection, spacing_km);
  for (auto const& note : summary.notes) print(options.common, "# " + note + "\n");
  print(options.common,
        fmt::format("{} features, total length {:.2f} cells{} ({})\n", summary.count,
                    summary.total_length_cells,
                    summary.total_length_km ? fmt::format(", {:.1f} km", *summary.total_length_km) : "",
                    rules == ulpine::lkf::Rules::lkf_tools ? "lkf_tools" : "repaired"));
  print(options.common,
        fmt::format("over the grid's {} orientations {} to {} features, {:.2f} to {:.2f} cells{}\n",
                    ulpine::lkf::Orientations::number, over.count.least, over.count.greatest,
                    over.total_length_cells.least, over.total_length_cells.greatest,
                    over.total_length_km ? fmt::format(", {:.1f} to {:.1f} km", over.total_length_km->least,
                                                       over.total_length_km->greatest)
                                         : ""));
  if (summary.count > 0) {
    print(options.common, feature_table(detection, spacing_km));
  }
  return exit_code::done;
}

}  // namespace ulpine::cli
