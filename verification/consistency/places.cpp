// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "precision/exact_sum.hpp"
#include "verification/comparison/matching.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr std::int64_t most_kept_values = 4096;

/// Calls use(first, values) for the values of a coordinate in their order.
template <class Use>
void read_coordinate(io::InputFile const& file, std::string const& name, std::int64_t most_values,
                     Use const& use) {
  auto const shape = file.info(name).shape;
  auto const size = io::values_in(shape);
  if (shape.empty()) {
    use(0, file.read(name, -1, io::Box{}));
    return;
  }
  // A dimension without end makes its coordinate look like a time.
  auto const records = std::int64_t(file.times(name).size());
  std::vector<double> values;
  std::int64_t done = 0;
  for (std::int64_t record = records > 0 ? 0 : -1; record < records; ++record) {
    for (std::int64_t first = 0; first < size; first += most_values) {
      for (auto const& slab : io::hyperslabs(shape, first, std::min(most_values, size - first))) {
        io::Box const box{{slab.start.begin(), slab.start.end()}, {slab.count.begin(), slab.count.end()}};
        values.resize(std::size_t(slab.values));
        file.read(name, record, box, values);
        use(done, values);
        done += slab.values;
      }
    }
  }
}

KeptCoordinate kept_of(io::InputFile const& file, io::GridCoordinate const& description,
                       std::int64_t most_values) {
  KeptCoordinate kept;
  kept.description = description;
  kept.shape = file.info(description.name).shape;
  if (auto const records = file.times(description.name).size(); records > 0)
    kept.shape.insert(kept.shape.begin(), std::int64_t(records));
  kept.values.resize(std::size_t(std::min(kept.size(), most_kept_values)));
  std::size_t next = 0;
  std::int64_t count = 0;
  ExactSum sum;
  read_coordinate(file, description.name, most_values,
                  [&](std::int64_t first, std::vector<double> const& values) {
                    for (std::size_t i = 0; i < values.size(); ++i) {
                      auto const value = values[i];
                      if (next < kept.values.size() && kept.position(next) == first + std::int64_t(i))
                        kept.values[next++] = value;
                      if (!std::isfinite(value)) continue;
                      kept.smallest = count == 0 ? value : std::min(kept.smallest, value);
                      kept.largest = count == 0 ? value : std::max(kept.largest, value);
                      sum.add(value);
                      ++count;
                    }
                  });
  if (count > 0) kept.mean = sum.to_double() / double(count);
  return kept;
}

std::string text_of(std::vector<std::int64_t> const& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

std::string difference_of(KeptCoordinate const& kept, KeptCoordinate const& found) {
  if (kept.shape != found.shape)
    return fmt::format("is of another shape: {} against {}", text_of(found.shape), text_of(kept.shape));
  double scale = 0;
  for (auto const value : {kept.smallest, kept.largest, found.smallest, found.largest})
    scale = std::isfinite(value) ? std::max(scale, std::abs(value)) : scale;
  auto const tolerance = coordinate_tolerance(kept.description, found.description, scale);
  auto const near = [&](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= tolerance;
  };
  auto const& units = kept.description.units;
  for (std::size_t i = 0; i < kept.values.size(); ++i) {
    if (near(kept.values[i], found.values[i])) continue;
    if (kept.description.rank == 1 && near(kept.values.front(), found.values.back()) &&
        near(kept.values.back(), found.values.front())) {
      return fmt::format("runs the other way: from {:.10g} to {:.10g} against from {:.10g} to {:.10g}",
                         found.values.front(), found.values.back(), kept.values.front(), kept.values.back());
    }
    return fmt::format("differs: {:.10g} against {:.10g}{}{} at element {}", found.values[i], kept.values[i],
                       units.empty() ? "" : " ", units, kept.position(i));
  }
  for (auto const& [what, a, b] : {std::tuple{"smallest", kept.smallest, found.smallest},
                                   {"mean", kept.mean, found.mean},
                                   {"largest", kept.largest, found.largest}}) {
    if (!near(a, b)) return fmt::format("differs: its {} value is {:.10g} against {:.10g}", what, b, a);
  }
  return {};
}

}  // namespace

std::int64_t KeptCoordinate::position(std::size_t kept) const {
  auto const all = size();
  return all <= most_kept_values ? std::int64_t(kept)
                                 : std::int64_t(kept) * (all - 1) / (most_kept_values - 1);
}

GridPlaces places_of(std::vector<std::filesystem::path> const& files,
                     std::vector<VariableInfo> const& variables, std::int64_t most_values) {
  GridPlaces places;
  places.variables.resize(variables.size());
  std::vector<bool> known(variables.size());
  for (auto const& path : files) {
    io::InputFile const file(path);
    std::map<std::string, std::size_t> numbers;
    auto const number_of = [&](io::GridCoordinate const& coordinate) {
      auto const [entry, added] = numbers.try_emplace(coordinate.name, places.coordinates.size());
      if (added) places.coordinates.push_back(kept_of(file, coordinate, most_values));
      return entry->second;
    };
    for (std::size_t v = 0; v < variables.size(); ++v) {
      auto const& name = variables[v].name;
      if (known[v] || !file.has(name)) continue;
      known[v] = true;
      auto& of = places.variables[v];
      auto const info = file.info(name);
      auto const along = file.coordinates(name);
      of.dimensions = info.dimensions;
      of.axes = axes_of(info, along);
      for (auto const& coordinate : along)
        of.along.push_back(coordinate ? std::optional(number_of(*coordinate)) : std::nullopt);
      // Places that move in time are held against each other run by run.
      for (auto const& coordinate : file.further_places(name)) {
        if (!coordinate.in_time) of.auxiliary.push_back(number_of(coordinate));
      }
    }
  }
  return places;
}

std::string difference_of_places(GridPlaces const& kept, GridPlaces const& found, std::size_t variable) {
  auto const &of_kept = kept.variables.at(variable), &of_found = found.variables.at(variable);
  auto order = order_difference(of_kept.dimensions, of_kept.axes, of_found.dimensions, of_found.axes);
  if (!order.empty()) return order;
  auto const compare = [&](std::size_t a, std::size_t b) {
    auto const problem = difference_of(kept.coordinates.at(a), found.coordinates.at(b));
    return problem.empty() ? problem : "coordinate " + kept.coordinates[a].description.name + " " + problem;
  };
  for (std::size_t d = 0; d < std::min(of_kept.along.size(), of_found.along.size()); ++d) {
    if (!of_kept.along[d] || !of_found.along[d]) continue;
    if (auto problem = compare(*of_kept.along[d], *of_found.along[d]); !problem.empty()) return problem;
  }
  for (auto const a : of_kept.auxiliary) {
    for (auto const b : of_found.auxiliary) {
      if (kept.coordinates.at(a).description.name != found.coordinates.at(b).description.name) continue;
      if (auto problem = compare(a, b); !problem.empty()) return problem;
    }
  }
  return {};
}

}  // namespace ulpine::verification::consistency
