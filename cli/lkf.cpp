// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/console.hpp"
#include "cli/earlier_parts.hpp"
#include "cli/planes.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/comparison/grid_spacing.hpp"
#include "verification/lkf/deformation.hpp"
#include "verification/lkf/detector.hpp"
#include "verification/lkf/geometry.hpp"
#include "verification/lkf/orientations.hpp"

namespace ulpine::cli {
namespace {

ulpine::lkf::Rules parse_rules(std::string const& name) {
  if (name.empty()) {
    return ulpine::lkf::default_rules;
  }
  if (name == "repaired") {
    return ulpine::lkf::Rules::repaired;
  }
  if (name == "lkf_tools") {
    return ulpine::lkf::Rules::lkf_tools;
  }
  throw InputError("--rules: unknown rules '" + name + "'" + choices_hint(name, {"repaired", "lkf_tools"}));
}

/// Factor from a deformation's units to day-1.
double per_day(std::string const& units, std::string const& where) {
  if (auto const factor = ulpine::lkf::to_per_day(units)) {
    return *factor;
  }
  throw InputError(where + (units.empty() ? ": it has no units" : ": its units are '" + units + "'") +
                   " (a deformation is in s-1 or day-1) choose another --variable" +
                   (units.empty() ? ", or write its units into the file" : ""));
}

/// Multiplies by `factor`. An infinite deformation is no missing value, which files mark as such, but what an
/// overflow or a run that blew up leaves behind: to find no features there would hide it.
void scale(std::vector<double>& values, double factor, std::int64_t columns, std::string const& where) {
  std::size_t missing = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] *= factor;
    if (std::isinf(values[k])) {
      throw InputError(
          fmt::format("{} is infinite at ({}, {}) (features are found in finite deformations) "
                      "find out where the run broke, or mark missing values with _FillValue",
                      where, k / static_cast<std::size_t>(columns), k % static_cast<std::size_t>(columns)));
    }
    missing += std::isnan(values[k]) ? 1 : 0;
  }
  if (missing == values.size()) {
    throw InputError(where + " has no values (all are missing) choose another --variable or --time");
  }
}

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
  auto const rules = parse_rules(options.rules);
  auto const set = options.parameters.empty() ? std::string(ulpine::lkf::default_set) : options.parameters;
  ulpine::lkf::parse_parameters(set);  // refused before the file is read
  auto const variable = options.variable.empty() ? std::string("shear") : options.variable;
  auto const where = options.file.string() + ": " + variable;
  io::InputFile const file(options.file);
  tell_of_earlier_parts({options.file});

  auto const planes =
      verification::planes_of(file, variable, plane_choice(options.planes), where, "features want");
  if (planes.count > 1) {
    throw InputError(
        fmt::format("{} has {} planes, {} (features are found in one) choose one by --level or --at", where,
                    planes.count, planes.along));
  }
  auto const factor = per_day(file.info(variable).units, where);
  auto const rows = planes.row_count;
  auto const columns = planes.column_count;
  auto values = file.read(variable, options.time, planes.box(0));
  scale(values, factor, columns, where);
  ulpine::lkf::frame_with_nan(values, rows, columns);
  auto const grid = verification::grid_spacing(file, variable, planes.rows, planes.columns);
  auto const spacing_km = grid.known()
                              ? std::optional<ulpine::lkf::Spacing>({grid.rows * 1e-3, grid.columns * 1e-3})
                              : std::nullopt;
  auto const parameters = ulpine::lkf::parameters_on(set, spacing_km);
  ulpine::lkf::Field const field{rows, columns, values, spacing_km.value_or(1)};
  auto detection = ulpine::lkf::detect(field, parameters, rules);
  auto const over = ulpine::lkf::over_orientations(field, parameters, rules, spacing_km);
  detection.notes.insert(detection.notes.begin(), grid.notes.begin(), grid.notes.end());
  if (options.json) {
    print_json(options.common, ulpine::lkf::to_json(detection, parameters, rules, spacing_km, &over));
    return exit_code::done;
  }
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
