// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ulpine::lkf {

/// How features are detected. `lkf_tools` answers as lkf_tools 2.0 does, to the last cell, quirks included,
/// so that counts and lengths compare with published ones. `repaired` mends three of its quirks: traces that
/// meet stop each other, and no third one; exactly aligned segments join; no limit of 500 joins a pass. It
/// also asks the filtered field to exceed the threshold by more than rounding error (1e-10 of the largest
/// value), so that a plateau yields nothing.
enum class Rules { repaired, lkf_tools };

/// The rules that studies and `ulpine lkf` detect with by default: of all rules and named sets those with
/// the smallest error on features of known length (docs/results/lkf.md).
inline constexpr Rules default_rules = Rules::repaired;
inline constexpr char const* default_set = "cells";

/// Distances from one row to the next and from one column to the next, of any unit; one number for both where
/// cells are square.
struct Spacing {
  double rows;
  double columns;

  constexpr Spacing(double both) : Spacing(both, both) {}
  constexpr Spacing(double rows, double columns) : rows{rows}, columns{columns} {}
  bool operator==(Spacing const&) const = default;
  constexpr bool square() const { return rows == columns; }
  constexpr double mean() const { return std::midpoint(rows, columns); }
  constexpr double smaller() const { return rows < columns ? rows : columns; }
  constexpr Spacing in(double unit) const { return {rows / unit, columns / unit}; }
  /// The spacing in units of its mean: 1 and 1 where cells are square.
  constexpr Spacing relative() const { return in(mean()); }
};

/// Lengths in cells. The names are those of lkf_tools; the values here are those of its `lkf_detect_eps`.
/// Where cells are not square `dis_thres` and `lmin` are distances in units of the mean spacing under
/// repaired rules; all else counts cells along rows and columns alike, under lkf_tools' rules these two as
/// well.
struct Parameters {
  double min_kernel = 1;  ///< smallest feature width of the difference of Gaussians
  double max_kernel = 5;  ///< largest one
  double dog_thres = 0;   ///< threshold of the filtered field: grey levels of 0..255, or day^-1 with use_eps
  bool use_eps = false;   ///< filter the deformation itself instead of its equalised logarithm
  double dis_thres = 4;   ///< largest gap that reconnection bridges
  double ellp_fac = 3;    ///< weight of the squared sideways offset in that gap
  double angle_thres = 35;     ///< largest angle between joined segments, degrees
  double eps_thres = 0.5;      ///< largest difference of their mean log10 deformation
  double lmin = 4;             ///< least distance between a feature's end points
  std::int64_t max_ind = 500;  ///< most steps of tracing

  bool operator==(Parameters const&) const = default;
};

/// The named sets: `cells` (the values of `process_dataset` at 12.5 km, on any grid), `eps_default`
/// (lkf_detect_eps), `dog15`, `rgps` (the RGPS data set of 2019), `process_dataset` (model output; lkf_tools
/// combines three days with it) and `multday_use_eps` (the same for one day). `corfac` = 12.5 km / grid
/// spacing scales lengths and steps as lkf_tools' process_dataset does, whichever the set. InputError names
/// the nearest set.
Parameters named_parameters(std::string const& name, double corfac = 1);

/// `NAME`, `key=value,...` (on top of default_set) or `NAME,key=value,...`; values given are not scaled by
/// corfac. InputError on unknown names and keys and on values out of range.
Parameters parse_parameters(std::string const& text, double corfac = 1);

/// parse_parameters() on a grid of that mean spacing, if it is known: `process_dataset` and `multday_use_eps`
/// scale with it, as in lkf_tools; all other sets count cells.
Parameters parameters_on(std::string const& text, std::optional<Spacing> const& spacing_km);

/// Total deformation in day^-1, row-major, NaN where undefined.
struct Field {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::span<double const> eps;
  Spacing spacing = 1;  ///< only the ratio matters here
};

/// Row and column.
using Cell = std::array<std::int32_t, 2>;
using Segment = std::vector<Cell>;

struct Feature {
  Segment cells;            ///< from one end to the other; steps across a bridged gap are longer than a cell
  double length_cells = 0;  ///< along the polyline, cells counted as square
  double chord_cells = 0;   ///< between the ends, likewise
  double mean_deformation = 0;  ///< mean eps of its cells, day^-1
  double orientation_degrees =
      0;  ///< principal axis against the column axis by distances, [0, 180), growing towards higher rows
  double curvature = 0;  ///< mean spacing / radius of the fitted circle; 0 for a straight line
};

/// The stages in the order in which they are computed; indices as in the input field.
struct Stages {
  std::vector<double> processed;      ///< filtered input; one field after another for several days
  std::vector<double> dog;            ///< difference of Gaussians, likewise
  std::vector<std::uint8_t> binary;   ///< rows x columns
  std::vector<std::uint8_t> thin;     ///< rows x columns
  std::vector<Segment> initial;       ///< traced segments of at least two points
  std::vector<Segment> after_pass_1;  ///< after joining neighbours
  std::vector<Segment> after_pass_2;  ///< after bridging gaps
};

struct Detection {
  std::vector<Feature> features;   ///< in the order of detection
  Stages stages;                   ///< empty unless asked for
  std::vector<std::string> notes;  ///< e.g. cells without a logarithm
};

/// The features of one field. Cells on the border are allowed; lkf_tools itself needs two rows and columns of
/// NaN there (frame_with_nan). A field without valid or without varying cells has no features. InputError on
/// a size that does not match, on more than 2^30 cells, on a spacing that is not positive and on parameters
/// out of range.
Detection detect(Field const& field, Parameters const& parameters, Rules rules, bool keep_stages = false);

/// Several days combined into one set of features: a cell is set where any day's is, and lost where any day's
/// is NaN.
Detection detect(std::span<Field const> days, Parameters const& parameters, Rules rules,
                 bool keep_stages = false);

/// Sets the outermost `width` rows and columns to NaN.
void frame_with_nan(std::span<double> field, std::int64_t rows, std::int64_t columns, std::int64_t width = 2);

struct Summary {
  std::int64_t count = 0;
  double total_length_cells = 0;          ///< along the polylines
  std::optional<double> total_length_km;  ///< step by step, where the grid spacing is known
  std::vector<std::string> notes;         ///< the detection's, and why a length is missing
};

Summary summarise(Detection const& detection, std::optional<Spacing> const& spacing_km = {});

struct Orientations;

/// The JSON document of `ulpine lkf --json`; `orientations` is null where they were not compared.
nlohmann::ordered_json to_json(Detection const& detection, Parameters const& parameters, Rules rules,
                               std::optional<Spacing> const& spacing_km = {},
                               Orientations const* orientations = nullptr);

}  // namespace ulpine::lkf
