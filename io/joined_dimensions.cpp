// SPDX-License-Identifier: Apache-2.0
#include "io/joined_dimensions.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "io/calendar.hpp"
#include "io/case_file.hpp"
#include "io/instants.hpp"

namespace ulpine::io {
namespace {

/// Rounding error of an instant as a double, s: a millisecond for dates of today.
double rounding_of(double instant) { return 1e-12 * std::abs(instant); }

/// Why the times of two parts are not on one scale; empty where they are.
std::string misfit_of_times(TimeAxis const& first, TimeAxis const& other) {
  auto const described = [](TimeAxis const& axis) {
    return axis.has_coordinate ? "'" + axis.units + "', calendar '" + axis.calendar + "'"
                               : std::string("without a coordinate");
  };
  auto const same = first.has_coordinate == other.has_coordinate && has_dates(first) == has_dates(other) &&
                    (has_dates(first) ? first.known_calendar == other.known_calendar
                                      : first.units == other.units && first.calendar == other.calendar);
  return same ? "" : described(other) + ", and " + described(first) + " in ";
}

/// The type of the numbers along a dimension; 0 where it has no coordinate.
std::int32_t type_along(Part const& part, std::size_t dimension) {
  auto const& schema = *part.schema;
  for (std::size_t v = 0; v < schema.spanned.size(); ++v) {
    if (schema.is_coordinate[v] && schema.spanned[v][0] == dimension)
      return schema.catalogue.variables[v].type;
  }
  return 0;
}

constexpr char const* keep_apart = ") name parts of one grid alone, by a pattern";

}  // namespace

std::string told_time(TimeAxis const& axis, double instant) {
  if (has_dates(axis)) return date_text(axis.known_calendar, instant);
  return number_text(instant) + (axis.unit > 0 ? " s" : "");
}

JoinedDimensions::JoinedDimensions(std::vector<Part> const& parts, std::vector<std::string>& misfits,
                                   std::vector<std::string>& notes)
    : parts_{parts}, misfits_{misfits}, notes_{notes}, spans_(parts.size()), records_(parts.size()) {
  std::map<std::string, Uses> uses;
  std::map<std::string, bool> is_time;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    auto const& schema = *parts[p].schema;
    spans_[p].resize(schema.dimensions.size());
    for (std::size_t d = 0; d < schema.dimensions.size(); ++d) {
      uses[schema.dimensions[d]].push_back({p, d});
      auto& time = is_time[schema.dimensions[d]];
      time = time || schema.is_time[d];
    }
  }
  for (auto const& [name, used] : uses) {
    if (is_time[name]) {
      lay_out_time(name, used);
    } else {
      lay_out_place(name, used);
    }
  }
}

void JoinedDimensions::lay_out_time(std::string const& name, Uses const& uses) {
  auto& whole = dimensions_[name];
  whole.kind = JoinedDimension::Kind::time;
  auto const& first = parts_[uses[0].part].times.at(uses[0].dimension);
  whole.axis = first;
  whole.axis.stored.clear();
  std::vector<double> instants;
  for (auto const& [part, dimension] : uses) {
    auto const found = parts_[part].times.find(dimension);
    if (found == parts_[part].times.end()) {
      misfits_.push_back(file(part) + ": " + name + ": is no time (it is in " + file(uses[0].part) +
                         ") name the files apart, by patterns");
      return;
    }
    auto const& axis = found->second;
    if (auto const misfit = misfit_of_times(first, axis); !misfit.empty()) {
      misfits_.push_back(file(part) + ": " + name + ": other times (they are " + misfit + file(uses[0].part) +
                         ") give both one calendar and unit, or name them apart");
      continue;
    }
    whole.same_units =
        whole.same_units && axis.units == first.units && axis.calendar == first.calendar &&
        type_along(parts_[part], dimension) == type_along(parts_[uses[0].part], uses[0].dimension);
    for (auto const instant : axis.stored) {
      if (std::isfinite(instant)) instants.push_back(instant);
    }
  }
  if (!first.has_coordinate) {
    lay_out_numbered(name, uses);
    return;
  }
  std::ranges::sort(instants);
  for (auto const instant : instants) {
    if (whole.instants.empty() || instant - whole.instants.back() > rounding_of(instant)) {
      whole.instants.push_back(instant);
    }
  }
  whole.length = static_cast<std::int64_t>(whole.instants.size());
  std::size_t without = 0;
  for (auto const& [part, dimension] : uses) {
    auto& records = records_[part][dimension];
    for (auto const instant : parts_[part].times.at(dimension).stored) {
      if (!std::isfinite(instant)) {
        records.push_back(-1);
        ++without;
        continue;
      }
      auto const at =
          std::ranges::upper_bound(whole.instants, instant + rounding_of(instant)) - whole.instants.begin();
      records.push_back(at - 1);
    }
  }
  if (without > 0) {
    notes_.push_back(std::to_string(without) + " records of parts have no time, and are left out");
  }
  tell_holes(name);
}

/// Records without times follow each other in the order of the files; those of parts of one time are the
/// same.
void JoinedDimensions::lay_out_numbered(std::string const& name, Uses const& uses) {
  auto& whole = dimensions_[name];
  std::map<std::pair<std::map<std::string, PlacedExtent>, std::pair<std::int64_t, int>>, std::int64_t> ends;
  for (auto const& [part, dimension] : uses) {
    auto const& place = parts_[part].place;
    auto& end =
        ends[{place.along, {place.in_row.empty() ? -1 : place.number, parts_[part].tile.value_or(-1)}}];
    auto& records = records_[part][dimension];
    for (std::int64_t i = 0; i < parts_[part].lengths[dimension]; ++i) records.push_back(end++);
    whole.length = std::max(whole.length, end);
  }
  if (uses.size() > ends.size()) {
    notes_.push_back(name + ": the files give no times; their records follow in the order of the names");
  }
}

/// A step that is longer than the usual one by more than months differ.
void JoinedDimensions::tell_holes(std::string const& name) {
  auto const& whole = dimensions_[name];
  auto const& instants = whole.instants;
  if (instants.size() < 4) return;
  std::vector<double> steps;
  for (std::size_t i = 1; i < instants.size(); ++i) steps.push_back(instants[i] - instants[i - 1]);
  auto ordered = steps;
  std::ranges::nth_element(ordered, ordered.begin() + std::ptrdiff_t(ordered.size() / 2));
  auto const usual = ordered[ordered.size() / 2];
  constexpr std::size_t most_told = 3;
  std::size_t holes = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] <= 1.5 * usual || ++holes > most_told) continue;
    notes_.push_back("no file has times between " + told_time(whole.axis, instants[i]) + " and " +
                     told_time(whole.axis, instants[i + 1]) + ", where others follow by " +
                     number_text(usual) + (whole.axis.unit > 0 ? " s" : ""));
  }
  if (holes > most_told) notes_.push_back(std::to_string(holes - most_told) + " more holes in time");
}

void JoinedDimensions::lay_out_place(std::string const& name, Uses const& uses) {
  if (lay_out_said(name, uses) || lay_out_rows(name, uses) || lay_out_coordinates(name, uses)) {
    has_places_ = true;
    dimensions_[name].kind = JoinedDimension::Kind::place;
    return;
  }
  auto& whole = dimensions_[name];
  whole.length = parts_[uses[0].part].lengths[uses[0].dimension];
  for (auto const& [part, dimension] : uses) {
    auto const length = parts_[part].lengths[dimension];
    spans_[part][dimension] = {0, 0, length};
    if (length == whole.length) continue;
    misfits_.push_back(file(part) + ": " + name + ": of another length (" + std::to_string(length) +
                       ", and " + std::to_string(whole.length) + " in " + file(uses[0].part) + keep_apart);
  }
}

bool JoinedDimensions::lay_out_said(std::string const& name, Uses const& uses) {
  std::int64_t length = -1;
  std::size_t said_by = 0;
  for (auto const& [part, dimension] : uses) {
    if (auto const found = parts_[part].place.along.find(name);
        found != parts_[part].place.along.end() && length < 0) {
      length = found->second.whole;
      said_by = part;
    }
  }
  if (length < 0) return false;
  dimensions_[name].length = length;
  for (auto const& [part, dimension] : uses) {
    auto const& along = parts_[part].place.along;
    auto const found = along.find(name);
    if (found == along.end() && parts_[part].lengths[dimension] == length) {
      spans_[part][dimension] = {0, 0, length};
    } else if (found == along.end() || found->second.whole != length) {
      auto const other = found == along.end() ? "it does not say where it lies"
                                              : std::to_string(found->second.whole) + " in all";
      misfits_.push_back(file(part) + ": " + name + ": is no part of the same whole (" + other + ", and " +
                         std::to_string(length) + " in all in " + file(said_by) + keep_apart);
    } else {
      spans_[part][dimension] = {found->second.first, found->second.skip, found->second.count};
    }
  }
  return true;
}

bool JoinedDimensions::lay_out_rows(std::string const& name, Uses const& uses) {
  std::map<std::int64_t, std::pair<std::int64_t, std::size_t>> lengths;  // of columns or rows, with a part
  for (auto const& [part, dimension] : uses) {
    auto const found = parts_[part].place.in_row.find(name);
    if (found == parts_[part].place.in_row.end()) return false;
    auto const length = parts_[part].lengths[dimension];
    auto const& row = lengths.try_emplace(found->second, length, part).first->second;
    if (row.first != length) {
      misfits_.push_back(file(part) + ": " + name + ": of another length (" + std::to_string(length) +
                         ", and " + std::to_string(row.first) + " in " + file(row.second) + ", beside it" +
                         keep_apart);
      return true;
    }
  }
  std::map<std::int64_t, std::int64_t> starts;
  auto& whole = dimensions_[name];
  for (auto const& [row, length] : lengths) {
    starts[row] = whole.length;
    whole.length += length.first;
  }
  for (auto const& [part, dimension] : uses) {
    spans_[part][dimension] = {starts.at(parts_[part].place.in_row.at(name)), 0,
                               parts_[part].lengths[dimension]};
  }
  return true;
}

/// Parts whose coordinates are pieces of one row of values.
bool JoinedDimensions::lay_out_coordinates(std::string const& name, Uses const& uses) {
  std::set<std::vector<double> const*> kinds;
  std::vector<double> const* reference = nullptr;
  for (auto const& [part, dimension] : uses) {
    auto const found = parts_[part].coordinates.find(dimension);
    if (found == parts_[part].coordinates.end()) continue;
    auto const* values = found->second.get();
    if (std::ranges::any_of(*values, [](double value) { return !std::isfinite(value); })) return false;
    if (reference == nullptr) reference = values;
    kinds.insert(values);
  }
  if (kinds.size() < 2) return false;
  std::set<double> all;
  auto falls = true;
  for (auto const* values : kinds) {
    all.insert(values->begin(), values->end());
    falls = falls && (values->size() < 2 || values->front() > values->back());
  }
  falls = falls && std::ranges::any_of(kinds, [](auto const* values) { return values->size() > 1; });
  std::vector<double> row(all.begin(), all.end());
  if (falls) std::ranges::reverse(row);
  std::map<double, std::int64_t> places;
  for (std::size_t i = 0; i < row.size(); ++i) places.emplace(row[i], std::int64_t(i));
  std::map<std::vector<double> const*, Span> spans;
  for (auto const* values : kinds) {
    Span const span{values->empty() ? 0 : places.at(values->front()), 0, std::int64_t(values->size())};
    auto const end = std::size_t(span.first + span.count);
    if (end > row.size() || !std::equal(values->begin(), values->end(), row.begin() + span.first)) {
      auto const other = std::ranges::find_if(uses, [&](Use const& use) {
        auto const found = parts_[use.part].coordinates.find(use.dimension);
        return found != parts_[use.part].coordinates.end() && found->second.get() != reference;
      });
      misfits_.push_back(file(other->part) + ": " + name + ": other places (neither those of " +
                         file(uses[0].part) + " nor beside them" + keep_apart);
      return true;
    }
    spans.emplace(values, span);
  }
  dimensions_[name].length = std::int64_t(row.size());
  for (auto const& [part, dimension] : uses) {
    auto const found = parts_[part].coordinates.find(dimension);
    if (found != parts_[part].coordinates.end()) {
      spans_[part][dimension] = spans.at(found->second.get());
    } else if (auto const length = parts_[part].lengths[dimension]; length == std::int64_t(row.size())) {
      spans_[part][dimension] = {0, 0, length};
    } else {
      misfits_.push_back(file(part) + ": " + name +
                         ": no coordinate (which of the places its values have "
                         "is not known) give it one, or name the others alone");
    }
  }
  return true;
}

}  // namespace ulpine::io
