// SPDX-License-Identifier: Apache-2.0
#include "io/part_place.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "io/file_set.hpp"
#include "io/netcdf_source.hpp"

namespace ulpine::io {
namespace {

using Numbers = std::vector<std::int64_t>;

/// The integers of an attribute; empty where it has none.
Numbers numbers(NetcdfAttributes const& attributes, std::string const& name) {
  auto const found = attributes.find(name);
  auto const* values = found == attributes.end() ? nullptr : std::get_if<Numbers>(&found->second);
  return values == nullptr ? Numbers{} : *values;
}

std::optional<std::int64_t> number(NetcdfAttributes const& attributes, std::string const& name) {
  auto const values = numbers(attributes, name);
  return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
}

/// The dimensions that variables have, each once.
std::vector<NetcdfDimension> dimensions_of(NetcdfCatalogue const& catalogue) {
  std::vector<NetcdfDimension> dimensions;
  for (auto const& variable : catalogue.variables) {
    for (auto const& dimension : variable.dimensions) {
      auto const is_it = [&](NetcdfDimension const& known) { return known.is(dimension); };
      if (std::ranges::none_of(dimensions, is_it)) dimensions.push_back(dimension);
    }
  }
  return dimensions;
}

bool fits(PlacedExtent const& extent, std::uint64_t length) {
  return extent.skip >= 0 && extent.count >= 0 && extent.first >= 0 &&
         extent.first + extent.count <= extent.whole &&
         extent.skip + extent.count <= static_cast<std::int64_t>(length);
}

/// rebuild_nemo: places from 1, dimensions by their numbers in the file from 1, halos at both ends.
void place_by_domain(NetcdfCatalogue const& catalogue, PartPlace& place) {
  auto const& attributes = catalogue.attributes;
  auto const of = [&](char const* name) { return numbers(attributes, std::string("DOMAIN_") + name); };
  auto const ids = of("dimensions_ids"), whole = of("size_global"), local = of("size_local"),
             first = of("position_first"), before = of("halo_size_start"), after = of("halo_size_end");
  if (whole.empty() || local.size() != whole.size() || first.size() != whole.size()) return;
  auto const dimensions = dimensions_of(catalogue);
  constexpr std::array letters = {'x', 'y', 'z'};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    PlacedExtent extent;
    extent.skip = i < before.size() ? before[i] : 0;
    extent.count = local[i] - extent.skip - (i < after.size() ? after[i] : 0);
    extent.first = first[i] - 1 + extent.skip;
    extent.whole = whole[i];
    auto const serves = [&](NetcdfDimension const& dimension) {
      return static_cast<std::int64_t>(dimension.length) == local[i] && fits(extent, dimension.length) &&
             !place.along.contains(dimension.name);
    };
    auto found = std::ranges::find_if(dimensions, [&](NetcdfDimension const& dimension) {
      return i < ids.size() && dimension.id == ids[i] - 1 && serves(dimension);
    });
    if (found == dimensions.end()) {
      found = std::ranges::find_if(dimensions, [&](NetcdfDimension const& dimension) {
        return i < letters.size() && dimension.name[0] == letters[i] && serves(dimension);
      });
    }
    if (found != dimensions.end()) place.along[found->name] = extent;
  }
  if (place.along.empty()) return;
  place.said_by = "DOMAIN_position_first";
  place.number = number(attributes, "DOMAIN_number").value_or(-1);
  place.total = number(attributes, "DOMAIN_number_total").value_or(0);
}

/// mppnccombine: first and last place in the whole, then of this part.
void place_by_decomposition(NetcdfCatalogue const& catalogue, std::filesystem::path const& path,
                            PartPlace& place) {
  for (auto const& variable : catalogue.variables) {
    auto const places = numbers(variable.attributes, "domain_decomposition");
    if (places.size() != 4 || variable.dimensions.size() != 1) continue;
    PlacedExtent const extent{0, places[3] - places[2] + 1, places[2] - places[0], places[1] - places[0] + 1};
    auto const& dimension = variable.dimensions[0];
    if (!fits(extent, dimension.length) || extent.count != static_cast<std::int64_t>(dimension.length)) {
      continue;
    }
    place.along[dimension.name] = extent;
  }
  auto const total = number(catalogue.attributes, "NumFilesInSet").value_or(0);
  auto const is_whole = std::ranges::all_of(
      place.along, [](auto const& entry) { return entry.second.count == entry.second.whole; });
  if (is_whole && total < 2) place.along.clear();
  if (place.along.empty()) return;
  place.said_by = "domain_decomposition";
  place.total = total;
  if (auto const name = rank_in_name(path)) place.number = name->number;
}

/// WRF's patches: places from 1; grids end at their staggered points, of which there is one more.
void place_by_patch(NetcdfCatalogue const& catalogue, std::filesystem::path const& path, PartPlace& place) {
  constexpr std::array axes = {std::pair("WEST-EAST", "west_east"), std::pair("SOUTH-NORTH", "south_north")};
  auto const dimensions = dimensions_of(catalogue);
  auto is_whole = true;
  for (auto const& [axis, name] : axes) {
    for (auto const staggered : {false, true}) {
      auto const of = [&](std::string const& what) {
        return number(catalogue.attributes, axis + ("_PATCH_" + what + (staggered ? "_STAG" : "_UNSTAG")));
      };
      auto const first = of("START"), last = of("END"),
                 grid = number(catalogue.attributes, axis + std::string("_GRID_DIMENSION"));
      if (!first || !last || !grid) continue;
      PlacedExtent const extent{0, *last - *first + 1, *first - 1, staggered ? *grid : *grid - 1};
      auto const called = name + std::string(staggered ? "_stag" : "");
      for (auto const& dimension : dimensions) {
        if (dimension.name != called || !fits(extent, dimension.length) ||
            extent.count != static_cast<std::int64_t>(dimension.length)) {
          continue;
        }
        is_whole = is_whole && extent.count == extent.whole;
        place.along[called] = extent;
      }
    }
  }
  if (is_whole) place.along.clear();
  if (place.along.empty()) return;
  place.said_by = "WEST-EAST_PATCH_START_UNSTAG";
  if (auto const rank = rank_in_name(path)) place.number = rank->number;
}

/// ncjoin: column and row of the part among those of the grid; the lengths of the others tell its place.
void place_by_partition(NetcdfCatalogue const& catalogue, PartPlace& place) {
  auto const partition = numbers(catalogue.attributes, "partition");
  if (partition.size() != 4 || partition[2] < 1 || partition[3] < 1 || partition[2] * partition[3] < 2)
    return;
  if (partition[0] < 0 || partition[0] >= partition[2] || partition[1] < 0 || partition[1] >= partition[3]) {
    return;
  }
  for (auto const& dimension : dimensions_of(catalogue)) {
    auto const is_row = dimension.name.starts_with("eta_");
    if (is_row || dimension.name.starts_with("xi_")) place.in_row[dimension.name] = partition[is_row ? 1 : 0];
  }
  if (place.in_row.empty()) return;
  place.said_by = "partition";
  place.number = partition[0] + partition[1] * partition[2];
  place.total = partition[2] * partition[3];
}

}  // namespace

PartPlace place_of_part(NetcdfCatalogue const& catalogue, std::filesystem::path const& path) {
  PartPlace place;
  place_by_domain(catalogue, place);
  if (!place.is_part()) place_by_decomposition(catalogue, path, place);
  if (!place.is_part()) place_by_patch(catalogue, path, place);
  if (!place.is_part()) place_by_partition(catalogue, place);
  return place;
}

bool is_of_part(std::string const& attribute) {
  return attribute.starts_with("DOMAIN_") || attribute == "NumFilesInSet" || attribute == "partition" ||
         attribute == "domain_decomposition" || attribute.find("_PATCH_START_") != std::string::npos ||
         attribute.find("_PATCH_END_") != std::string::npos;
}

std::vector<std::filesystem::path> sets_among(std::vector<std::filesystem::path> const& files) {
  std::map<std::string, std::vector<std::filesystem::path>> of_pattern;
  std::vector<std::string> patterns;  // in the order of the files
  for (auto const& file : files) {
    auto const pattern = pattern_of_parts(file, true, true);
    auto& alike = of_pattern[pattern];
    if (alike.empty()) patterns.push_back(pattern);
    alike.push_back(file);
  }
  std::vector<std::filesystem::path> sets;
  for (auto const& pattern : patterns) {
    auto const& alike = of_pattern[pattern];
    auto const are_one = alike.size() > 1 && (tile_in_name(alike[0]) || [&] {
                           NetcdfSource const first(alike[0]);
                           return place_of_part(first.catalogue(), alike[0]).is_part();
                         }());
    if (are_one) {
      sets.emplace_back(pattern);
    } else {
      sets.insert(sets.end(), alike.begin(), alike.end());
    }
  }
  return sets;
}

std::string told_of_part(NetcdfCatalogue const& catalogue, std::filesystem::path const& path) {
  auto const told = [&](std::string const& which, std::string const& all) {
    return path.string() + ": is " + which + ", the others are left out; name all of them: '" + all + "'";
  };
  if (auto const place = place_of_part(catalogue, path); place.is_part()) {
    auto const whole = std::ranges::all_of(
        place.along, [](auto const& entry) { return entry.second.count == entry.second.whole; });
    if (place.total == 1 || (whole && place.in_row.empty())) return {};
    auto const of = place.total > 1 ? "one of " + std::to_string(place.total) + " parts" : "a part";
    return told(of + " of a domain (" + place.said_by + ")", pattern_of_parts(path, true, true));
  }
  if (tile_in_name(path)) {
    auto const pattern = pattern_of_parts(path, true, false);
    auto const all = files_of_set(pattern).size();
    if (all > 1) return told("one of " + std::to_string(all) + " tiles", pattern);
  }
  return {};
}

}  // namespace ulpine::io
