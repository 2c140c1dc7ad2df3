// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/comparison/planes.hpp"
#include "verification/lkf/detector.hpp"
#include "verification/lkf/orientations.hpp"

namespace ulpine::verification {

/// Which plane of a deformation field features are looked for in, and how.
struct FeatureOptions {
  std::string variable = "shear";  ///< a deformation in s-1 or day-1
  std::int64_t time = -1;          ///< index, negative from the end
  PlaneChoice planes = {};
  std::string rules = {};       ///< "repaired" or "lkf_tools"; empty: lkf::default_rules
  std::string parameters = {};  ///< as lkf::parse_parameters() takes them; empty: lkf::default_set
  bool orientations = true;     ///< also in the grid's eight orientations, which takes eight times as long
};

struct FileFeatures {
  lkf::Detection detection;
  lkf::Parameters parameters;
  lkf::Rules rules = lkf::default_rules;
  std::optional<lkf::Spacing> spacing_km;
  std::optional<lkf::Orientations> over;  ///< where they were asked for
};

/// InputError for rules and parameters that there are not; before any file is read.
void require_known(FeatureOptions const& options);

/// What `rules` and `parameters` name; InputError where there is no such.
lkf::Rules rules_of(FeatureOptions const& options);
std::string parameters_of(FeatureOptions const& options);

/// InputError, which begins with `where`, unless `units` are those of a rate of deformation.
void require_rate(std::string const& units, std::string const& where);
/// Row-major values in `units` as day-1, the outermost two rows and columns missing. InputError for other
/// units and infinite values: an infinite deformation is no missing value, which files mark as such, but what
/// an overflow or a run that blew up leaves behind, and to find no features there would hide it.
std::vector<double> rates_of(std::vector<double> values, std::int64_t rows, std::int64_t columns,
                             std::string const& units, std::string const& where);

/// The plane of rows and columns that is chosen; InputError where there are several.
Planes one_plane_of(io::InputFile const& file, std::string const& variable, PlaneChoice const& choice,
                    std::string const& where);

/// Features of one plane, without its outermost two rows and columns. InputError as planes_of() and
/// grid_spacing(), for other units, infinite values, and where there is no value or more than one plane.
FileFeatures features_of(io::InputFile const& file, FeatureOptions const& options);

/// As above, of row-major values in `units` and distances that are known or not; `where` begins messages.
/// Of the options, `rules`, `parameters` and `orientations` count.
FileFeatures features_of(std::vector<double> values, std::int64_t rows, std::int64_t columns,
                         std::string const& units, std::optional<lkf::Spacing> const& spacing_km,
                         FeatureOptions const& options, std::string const& where);

/// The document of `ulpine lkf --json`.
nlohmann::ordered_json to_json(FileFeatures const& features);

}  // namespace ulpine::verification
