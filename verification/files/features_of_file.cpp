// SPDX-License-Identifier: Apache-2.0
#include "verification/files/features_of_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/error.hpp"
#include "verification/comparison/grid_spacing.hpp"
#include "verification/lkf/deformation.hpp"

namespace ulpine::verification {
namespace {

/// Factor from a deformation's units to day-1.
double per_day(std::string const& units, std::string const& where) {
  if (auto const factor = lkf::to_per_day(units)) {
    return *factor;
  }
  throw InputError(where + (units.empty() ? ": it has no units" : ": its units are '" + units + "'") +
                   " (a deformation is in s-1 or day-1) choose another --variable" +
                   (units.empty() ? ", or write its units into the file" : ""));
}

}  // namespace

lkf::Rules rules_of(FeatureOptions const& options) {
  auto const& name = options.rules;
  if (name.empty()) {
    return lkf::default_rules;
  }
  if (name == "repaired") {
    return lkf::Rules::repaired;
  }
  if (name == "lkf_tools") {
    return lkf::Rules::lkf_tools;
  }
  throw InputError("--rules: unknown rules '" + name + "'" + choices_hint(name, {"repaired", "lkf_tools"}));
}

std::string parameters_of(FeatureOptions const& options) {
  return options.parameters.empty() ? std::string(lkf::default_set) : options.parameters;
}

void require_rate(std::string const& units, std::string const& where) { per_day(units, where); }

std::vector<double> rates_of(std::vector<double> values, std::int64_t rows, std::int64_t columns,
                             std::string const& units, std::string const& where) {
  auto const factor = per_day(units, where);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] *= factor;
    if (std::isinf(values[k])) {
      throw InputError(
          fmt::format("{} is infinite at ({}, {}) (features are found in finite deformations) "
                      "find out where the run broke, or mark missing values with _FillValue",
                      where, k / static_cast<std::size_t>(columns), k % static_cast<std::size_t>(columns)));
    }
  }
  lkf::frame_with_nan(values, rows, columns);
  return values;
}

Planes one_plane_of(io::InputFile const& file, std::string const& variable, PlaneChoice const& choice,
                    std::string const& where) {
  auto const planes = planes_of(file, variable, choice, where, "features want");
  if (planes.count > 1) {
    throw InputError(
        fmt::format("{} has {} planes, {} (features are found in one) choose one by --level or --at", where,
                    planes.count, planes.along));
  }
  return planes;
}

void require_known(FeatureOptions const& options) {
  rules_of(options);
  lkf::parse_parameters(parameters_of(options));
}

FileFeatures features_of(std::vector<double> values, std::int64_t rows, std::int64_t columns,
                         std::string const& units, std::optional<lkf::Spacing> const& spacing_km,
                         FeatureOptions const& options, std::string const& where) {
  require_rate(units, where);
  if (std::ranges::all_of(values, [](double value) { return std::isnan(value); })) {
    throw InputError(where + " has no values (all are missing) choose another --variable or --time");
  }
  values = rates_of(std::move(values), rows, columns, units, where);
  FileFeatures found;
  found.rules = rules_of(options);
  found.parameters = lkf::parameters_on(parameters_of(options), spacing_km);
  found.spacing_km = spacing_km;
  lkf::Field const field{rows, columns, values, spacing_km.value_or(1)};
  found.detection = lkf::detect(field, found.parameters, found.rules);
  if (options.orientations) {
    found.over = lkf::over_orientations(field, found.parameters, found.rules, spacing_km);
  }
  return found;
}

FileFeatures features_of(io::InputFile const& file, FeatureOptions const& options) {
  auto const& variable = options.variable;
  auto const where = file.path() + ": " + variable;
  auto const planes = one_plane_of(file, variable, options.planes, where);
  auto const units = file.info(variable).units;
  require_rate(units, where);  // refused before the values are read
  auto values = file.read(variable, options.time, planes.box(0));
  auto const grid = grid_spacing(file, variable, planes.rows, planes.columns);
  auto const spacing_km =
      grid.known() ? std::optional<lkf::Spacing>({grid.rows * 1e-3, grid.columns * 1e-3}) : std::nullopt;
  auto found = features_of(std::move(values), planes.row_count, planes.column_count, units, spacing_km,
                           options, where);
  found.detection.notes.insert(found.detection.notes.begin(), grid.notes.begin(), grid.notes.end());
  return found;
}

nlohmann::ordered_json to_json(FileFeatures const& features) {
  return lkf::to_json(features.detection, features.parameters, features.rules, features.spacing_km,
                      features.over ? &*features.over : nullptr);
}

}  // namespace ulpine::verification
