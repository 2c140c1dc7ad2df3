// SPDX-License-Identifier: Apache-2.0
#include "verification/lkf/detector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "io/error.hpp"
#include "verification/lkf/geometry.hpp"
#include "verification/lkf/parameters.hpp"
#include "verification/lkf/stages.hpp"

namespace ulpine::lkf {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

/// Joining neighbours after tracing, before the gaps of Parameters: hard-wired in lkf_tools. The distance is
/// a little more than a cell's diagonal.
constexpr double first_distance = 1.5;
constexpr double first_ellipse_factor = 1;
constexpr double first_angle = 50;

void check(std::span<Field const> days) {
  if (days.empty()) throw InputError{"no field to detect features in (the list of days is empty)"};
  for (auto const& day : days) {
    if (day.rows < 0 || day.columns < 0 ||
        (day.columns > 0 && day.rows > (std::int64_t{1} << 30) / day.columns)) {
      throw InputError{"the field's size is out of range (at most 2^30 cells) take a part of it"};
    }
    if (static_cast<std::int64_t>(day.eps.size()) != day.rows * day.columns) {
      throw InputError{"the field has " + std::to_string(day.eps.size()) + " values (expected " +
                       std::to_string(day.rows) + " x " + std::to_string(day.columns) + ")"};
    }
    if (day.rows != days[0].rows || day.columns != days[0].columns) {
      throw InputError{"the days differ in size (" + std::to_string(day.rows) + " x " +
                       std::to_string(day.columns) + " against " + std::to_string(days[0].rows) + " x " +
                       std::to_string(days[0].columns) + ")"};
    }
    for (auto const spacing : {day.spacing.rows, day.spacing.columns}) {
      if (!(spacing > 0) || std::isinf(spacing)) {
        throw InputError{"the spacing of the field's cells is not positive (" + std::to_string(spacing) +
                         ") check the coordinates"};
      }
    }
    if (day.spacing != days[0].spacing) {
      throw InputError{"the days differ in their grid spacing (features are found on one grid)"};
    }
  }
}

/// The largest magnitude of the valid values; nothing where these are all equal or there is none.
std::optional<double> scale_of(std::vector<double> const& field) {
  auto lo = std::numeric_limits<double>::infinity();
  auto hi = -lo;
  for (auto const x : field) {
    if (std::isnan(x)) continue;
    lo = std::min(lo, x);
    hi = std::max(hi, x);
  }
  if (!(lo < hi)) return {};
  return std::max(std::abs(lo), std::abs(hi));
}

/// Adds the cells that one day sets; those where its field is NaN are marked in `lost`.
void add_day(Field const& day, Parameters const& p, Rules rules, Stages& stages,
             std::vector<std::uint8_t>& lost) {
  std::vector<double> processed;
  if (p.use_eps) {
    processed.assign(day.eps.begin(), day.eps.end());
    for (auto& x : processed) x = std::isfinite(x) ? x : nan;
  } else {
    processed = detail::equalise(day.eps);
  }
  auto const scale = scale_of(processed);
  // The means of a constant differ by rounding errors only.
  auto const dog =
      scale ? detail::difference_of_gaussians(processed, day.rows, day.columns, p.min_kernel, p.max_kernel)
            : std::vector<double>(processed.size(), 0);
  auto const rounding = scale && rules == Rules::repaired ? 1e-10 * *scale : 0;
  for (std::size_t k = 0; k < dog.size(); ++k) {
    if (scale && dog[k] > p.dog_thres + rounding) stages.binary[k] = 1;
    if (std::isnan(processed[k])) lost[k] = 1;
  }
  stages.processed.insert(stages.processed.end(), processed.begin(), processed.end());
  stages.dog.insert(stages.dog.end(), dog.begin(), dog.end());
}

/// Mean over the days, NaN left out.
std::vector<double> mean_of(std::span<Field const> days) {
  std::vector<double> mean(days[0].eps.begin(), days[0].eps.end());
  if (days.size() == 1) return mean;
  for (std::size_t k = 0; k < mean.size(); ++k) {
    double sum = 0;
    int count = 0;
    for (auto const& day : days) {
      if (std::isnan(day.eps[k])) continue;
      sum += day.eps[k];
      ++count;
    }
    mean[k] = sum / count;
  }
  return mean;
}

/// Notes that a reader of the features has to know: limits of the method on these fields.
std::vector<std::string> notes_of(std::span<Field const> days, Parameters const& parameters, Rules rules) {
  std::vector<std::string> notes;
  auto const& cell = days[0].spacing;
  if (!cell.square()) {
    std::ostringstream text;
    text << "the cells are not square (the rows are " << cell.rows / cell.columns
         << " times as far apart as the columns): ";
    text << (rules == Rules::lkf_tools
                 ? "lkf_tools knows square cells only and detects by counting cells; lengths in km, "
                   "directions and curvatures go by distances"
                 : "lengths in km, directions, curvatures, joining and the least length go by distances, the "
                   "last two in units of the mean spacing; filter, thinning and tracing count cells");
    notes.push_back(text.str());
  }
  std::int64_t valid = 0, without = 0;
  for (auto const& day : days) {
    valid += std::ranges::count_if(day.eps, [](double x) { return !std::isnan(x); });
    without += std::ranges::count_if(day.eps, [](double x) { return x <= 0; });
  }
  if (!parameters.use_eps && without > 0) {
    notes.push_back(std::to_string(without) + " of " + std::to_string(valid) +
                    " values are zero or negative, have no logarithm and count as missing");
  }
  return notes;
}

}  // namespace

Detection detect(std::span<Field const> days, Parameters const& parameters, Rules rules, bool keep_stages) {
  check(days);
  detail::validate(parameters);
  auto const rows = days[0].rows;
  auto const columns = days[0].columns;
  // As lkf_tools has it, or by distances.
  auto const cell = rules == Rules::lkf_tools ? Spacing{1} : days[0].spacing.relative();
  Detection detection;
  detection.notes = notes_of(days, parameters, rules);
  auto& stages = detection.stages;
  stages.binary.assign(days[0].eps.size(), 0);
  std::vector<std::uint8_t> lost(days[0].eps.size(), 0);
  for (auto const& day : days) add_day(day, parameters, rules, stages, lost);
  for (std::size_t k = 0; k < lost.size(); ++k) {
    if (lost[k] != 0) stages.binary[k] = 0;
  }

  auto const eps = mean_of(days);
  stages.thin = detail::thin(stages.binary, rows, columns);
  stages.initial = detail::trace(stages.thin, rows, columns, parameters.max_ind, rules);
  stages.after_pass_1 =
      detail::join(stages.initial, eps, columns,
                   {first_distance * std::sqrt((cell.rows * cell.rows + cell.columns * cell.columns) / 2),
                    first_ellipse_factor, first_angle, parameters.eps_thres, cell},
                   rules);
  stages.after_pass_2 = detail::join(
      stages.after_pass_1, eps, columns,
      {parameters.dis_thres, parameters.ellp_fac, parameters.angle_thres, parameters.eps_thres, cell}, rules);
  for (auto const& segment : stages.after_pass_2) {
    if (chord(segment, cell) >= parameters.lmin) {
      detection.features.push_back(describe(segment, eps, columns, days[0].spacing.relative()));
    }
  }
  if (!keep_stages) stages = {};
  return detection;
}

Detection detect(Field const& field, Parameters const& parameters, Rules rules, bool keep_stages) {
  return detect(std::span{&field, 1}, parameters, rules, keep_stages);
}

void frame_with_nan(std::span<double> field, std::int64_t rows, std::int64_t columns, std::int64_t width) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      if (i < width || j < width || i >= rows - width || j >= columns - width) field[i * columns + j] = nan;
    }
  }
}

Summary summarise(Detection const& detection, std::optional<Spacing> const& spacing_km) {
  Summary summary;
  summary.notes = detection.notes;
  auto const unit = spacing_km ? spacing_km->smaller() : 1;
  auto const cell = spacing_km ? spacing_km->in(unit) : Spacing{1};
  double length = 0;
  for (auto const& feature : detection.features) {
    ++summary.count;
    summary.total_length_cells += feature.length_cells;
    length += polyline_length(feature.cells, cell);
  }
  if (spacing_km && std::isfinite(length * unit)) {
    summary.total_length_km = length * unit;
  } else if (spacing_km) {
    summary.notes.push_back("the total length in km is beyond the range of double (null in JSON)");
  } else {
    summary.notes.push_back("no grid spacing is known, so no length in km (null in JSON)");
  }
  return summary;
}

}  // namespace ulpine::lkf
