// SPDX-License-Identifier: Apache-2.0
#include "io/part_scan.hpp"

#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/file_set.hpp"
#include "io/instants.hpp"
#include "io/netcdf_contents.hpp"

namespace ulpine::io {
namespace {

using Variable = NetcdfVariable;

constexpr std::uint64_t most_hashed = std::uint64_t{1} << 20;  // values of a variable that are held together
constexpr std::uint64_t most_in_a_record = 64;                 // values of a time that are kept in memory

bool has_values(Variable const& variable) {
  return variable.unreadable.empty() && (variable.numeric() || variable.labels());
}

std::uint64_t size_of(Variable const& variable) {
  std::vector<std::uint64_t> extents;
  for (auto const& dimension : variable.dimensions) extents.push_back(dimension.length);
  return product(extents);
}

std::pair<std::vector<std::size_t>, std::vector<std::size_t>> whole(Variable const& variable) {
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> box;
  for (auto const& dimension : variable.dimensions) {
    box.first.push_back(0);
    box.second.push_back(dimension.length);
  }
  return box;
}

}  // namespace

std::shared_ptr<PartSchema const> PartScanner::schema_of(NetcdfContents const& contents) {
  NetcdfCatalogue alike{contents.variables, {}};
  for (auto& variable : alike.variables) {
    variable.group = variable.id = 0;
    for (auto& extent : variable.chunk) extent = 1;
    for (auto& dimension : variable.dimensions) dimension.length = 0;
    std::erase_if(variable.attributes, [](auto const& entry) { return is_of_part(entry.first); });
  }
  auto& schema = schemas_[encode(alike)];
  if (schema != nullptr) return schema;
  auto made = std::make_shared<PartSchema>();
  made->catalogue = contents.source.catalogue();
  std::vector<NetcdfDimension> known;
  for (std::size_t v = 0; v < contents.variables.size(); ++v) {
    auto const& variable = contents.variables[v];
    made->is_place.push_back(contents.roles[v] == NetcdfContents::Role::place);
    made->is_coordinate.push_back(is_coordinate(variable));
    auto& spanned = made->spanned.emplace_back();
    auto const time = contents.time_dimension(variable);
    for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
      auto const& dimension = variable.dimensions[d];
      auto const found = std::ranges::find_if(known, [&](auto const& other) { return other.is(dimension); });
      auto const place = static_cast<std::size_t>(found - known.begin());
      if (found == known.end()) {
        auto const named = std::ranges::count(known, dimension.name, &NetcdfDimension::name);
        known.push_back(dimension);
        made->dimensions.push_back(dimension.name + (named > 0 ? "#" + std::to_string(named + 1) : ""));
        made->is_time.push_back(false);
      }
      spanned.push_back(place);
      if (time == d) made->is_time[place] = true;
    }
  }
  return schema = std::move(made);
}

void PartScanner::scan_dimensions(NetcdfContents const& contents, Part& part) {
  auto const& schema = *part.schema;
  part.lengths.assign(schema.dimensions.size(), 0);
  for (std::size_t v = 0; v < contents.variables.size(); ++v) {
    auto const& variable = contents.variables[v];
    for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
      auto const place = schema.spanned[v][d];
      part.lengths[place] = static_cast<std::int64_t>(variable.dimensions[d].length);
      if (schema.is_time[place]) {
        if (part.times.contains(place) || contents.time_dimension(variable) != d) continue;
        auto axis = contents.time_axis(variable);
        axis.stored = instants_of(axis);
        part.times.emplace(place, std::move(axis));
        continue;
      }
      auto const* coordinate = contents.coordinate_of(variable, d);
      if (coordinate == nullptr || part.coordinates.contains(place) || !has_values(*coordinate)) continue;
      auto values = contents.values(*coordinate);
      auto& shared = coordinates_[values];
      if (shared == nullptr) shared = std::make_shared<std::vector<double> const>(std::move(values));
      part.coordinates.emplace(place, shared);
    }
  }
}

void PartScanner::scan_variables(NetcdfContents const& contents, Part& part) {
  auto const& schema = *part.schema;
  for (std::size_t v = 0; v < contents.variables.size(); ++v) {
    auto const& variable = contents.variables[v];
    if (!has_values(variable)) continue;
    auto const in_time =
        std::ranges::any_of(schema.spanned[v], [&](std::size_t d) { return schema.is_time[d]; });
    auto const size = size_of(variable);
    auto const [start, count] = whole(variable);
    if (!in_time) {
      if (size > most_hashed) {
        part.not_hashed.push_back(variable.name);
        continue;
      }
      std::vector<double> values(size);
      part.fixed[variable.name] = size == 0 ? 0 : contents.source.read(variable, start, count, values, {});
      continue;
    }
    auto const leads = !schema.spanned[v].empty() && schema.is_time[schema.spanned[v][0]];
    auto const records = leads ? variable.dimensions[0].length : 0;
    if (!leads || !schema.is_place[v] || size > records * most_in_a_record) continue;
    auto const dated = is_time_unit(text(contents.carrier_of_units(variable), "units"));
    if (!dated && !schema.is_coordinate[v] && variable.type != NC_CHAR) continue;
    auto& kept = part.kept[variable.name];
    if (size > 0) kept.stored = contents.source.read_raw(variable, start, count);
    if (dated) kept.instants = contents.instants(variable);
  }
}

Part PartScanner::operator()(std::filesystem::path const& path) {
  NetcdfContents const contents(path);
  Part part;
  part.path = path;
  part.bytes = contents.source.bytes();
  part.schema = schema_of(contents);
  part.place = place_of_part(contents.source.catalogue(), path);
  if (auto const tile = tile_in_name(path)) part.tile = tile->number;
  scan_dimensions(contents, part);
  scan_variables(contents, part);
  return part;
}

}  // namespace ulpine::io
