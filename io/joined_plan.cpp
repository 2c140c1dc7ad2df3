// SPDX-License-Identifier: Apache-2.0
#include "io/joined_plan.hpp"

#include <netcdf.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "io/file_set.hpp"
#include "io/joined_blocks.hpp"
#include "io/joined_dimensions.hpp"
#include "io/netcdf_contents.hpp"
#include "io/part_scan.hpp"

namespace ulpine::io {

Misfits::Misfits(std::vector<std::string> lines)
    : InputError([&] {
        std::string all;
        for (auto const& line : lines) all += (all.empty() ? "" : "\n") + line;
        return all;
      }()),
      lines_{std::move(lines)} {}

namespace {

/// Attributes that say how numbers are stored.
constexpr char const* packing[] = {"scale_factor", "add_offset", "_FillValue",  "missing_value",
                                   "valid_min",    "valid_max",  "valid_range", "_Unsigned"};

bool packed_alike(NetcdfVariable const& a, NetcdfVariable const& b) {
  return a.prefilled == b.prefilled && std::ranges::all_of(packing, [&](char const* name) {
           auto const x = a.attributes.find(name), y = b.attributes.find(name);
           if (x == a.attributes.end() || y == b.attributes.end())
             return (x == a.attributes.end()) == (y == b.attributes.end());
           return x->second == y->second;
         });
}

/// The files of a set joined; see join().
class Joiner {
 public:
  Joiner(std::filesystem::path const& name, std::vector<std::filesystem::path> const& files) : name_{name} {
    PartScanner scan;
    for (auto const& file : files) {
      auto part = scan(file);
      if (lists_tiles(part)) {
        plan_.notes.push_back(file.string() + ": lists tiles and their grids, and is left out");
        continue;
      }
      plan_.bytes += part.bytes;
      plan_.files.push_back(file);
      parts_.push_back(std::move(part));
    }
    if (parts_.empty()) {
      throw InputError(name.string() + ": no part of a data set (only lists of tiles are there) check it");
    }
  }

  JoinedPlan plan() {
    find_tiles();
    find_missing_ranks();
    JoinedDimensions const dimensions(parts_, misfits_, plan_.notes);
    require_fit();
    JoinedBlockMaker blocks(parts_, tiles_, dimensions, misfits_, plan_.notes);
    for (auto const& name : names_in_order()) add(name, dimensions, blocks);
    blocks.tell();
    if (!tiles_.empty()) add_tile_numbers();
    require_fit();
    add_attributes();
    return std::move(plan_);
  }

 private:
  /// FMS's file of a mosaic: `gridtiles` and `gridfiles`.
  static bool lists_tiles(Part const& part) {
    auto const has = [&](std::string_view wanted) {
      return std::ranges::any_of(part.schema->catalogue.variables,
                                 [&](auto const& variable) { return variable.name == wanted; });
    };
    return has("gridtiles") && has("gridfiles");
  }

  void require_fit() {
    if (!misfits_.empty()) throw Misfits(misfits_);
  }

  void find_tiles() {
    std::set<int> found;
    for (auto const& part : parts_) {
      if (part.tile) found.insert(*part.tile);
    }
    if (found.size() < 2) return;
    for (auto const& part : parts_) {
      if (part.tile) continue;
      misfits_.push_back(part.path.string() +
                         ": is of no tile (other files of the set are of one) name the tiles alone");
    }
    tiles_.assign(found.begin(), found.end());
    for (int tile = 1; tile < tiles_.back(); ++tile) {
      if (found.contains(tile)) continue;
      misfits_.push_back(name_.string() + ": tile " + std::to_string(tile) +
                         " is missing (the last is tile " + std::to_string(tiles_.back()) +
                         ") copy it there, or name one tile alone");
    }
  }

  /// Where parts say how many they are: those that are not there.
  void find_missing_ranks() {
    struct Set {
      std::set<std::int64_t> there;
      std::size_t part = 0;
    };
    std::map<std::pair<int, std::int64_t>, Set> sets;  // by tile and total
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      auto const& place = parts_[p].place;
      if (place.total < 2 || place.number < 0) continue;
      auto& set = sets[{parts_[p].tile.value_or(-1), place.total}];
      set.there.insert(place.number);
      set.part = p;
    }
    for (auto const& [key, set] : sets) {
      auto const total = key.second;
      if (std::int64_t(set.there.size()) >= total) continue;
      constexpr std::int64_t most_named = 8;
      std::string missing;
      std::int64_t named = 0, count = total - std::int64_t(set.there.size());
      for (std::int64_t rank = 0; rank < total && named < most_named; ++rank) {
        if (set.there.contains(rank)) continue;
        missing += (named++ == 0 ? "" : ", ") + std::to_string(rank);
      }
      if (count > named) missing += " and " + std::to_string(count - named) + " more";
      misfits_.push_back(name_.string() + ": " + (count == 1 ? "part " : "parts ") + missing + " of " +
                         std::to_string(total) + (count == 1 ? " is" : " are") + " missing (" +
                         parts_[set.part].path.string() + " says how many there are) copy " +
                         (count == 1 ? "it" : "them") + " there");
    }
  }

  std::vector<std::string> names_in_order() {
    std::vector<std::string> names;
    std::set<PartSchema const*> seen;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      auto const* schema = parts_[p].schema.get();
      if (!seen.insert(schema).second) continue;
      for (std::size_t v = 0; v < schema->catalogue.variables.size(); ++v) {
        auto const& variable = schema->catalogue.variables[v].name;
        auto& uses = variables_[variable];
        if (uses.empty()) names.push_back(variable);
        uses.push_back({schema, p, v});
      }
    }
    return names;
  }

  /// Adds a variable that at least one schema has.
  void add(std::string const& name, JoinedDimensions const& dimensions, JoinedBlockMaker& blocks) {
    auto const& uses = variables_[name];
    auto const& first = uses[0];
    auto const& model = first.schema->catalogue.variables[first.variable];
    auto const names = dimensions_of(first);
    auto alike = true;
    auto const misfit = [&](VariableUse const& use, std::string const& what) {
      misfits_.push_back(parts_[use.part].path.string() + ": " + name + ": " + what + " than in " +
                         parts_[first.part].path.string() +
                         " (they are parts of one variable) name files that agree, by a pattern");
    };
    VariableUse const* counts_otherwise = nullptr;
    for (auto const& use : uses) {
      auto const& other = use.schema->catalogue.variables[use.variable];
      auto const units = text(other, "units");
      if (dimensions_of(use) != names) return misfit(use, "has other dimensions");
      auto const other_type = other.type != model.type || other.type_text != model.type_text;
      auto const are_dates = is_time_unit(units) && is_time_unit(text(model, "units"));
      if (other_type && !(are_dates && other.numeric() && model.numeric())) {
        return misfit(use, "has another type");
      }
      if (units != text(model, "units") && !are_dates) {
        return misfit(use, "has other units ('" + units + "')");
      }
      if (other_type || units != text(model, "units")) counts_otherwise = &use;
      alike = alike && packed_alike(model, other);
    }
    auto variable = model;
    JoinedVariable joined;
    std::erase_if(variable.attributes, [](auto const& entry) { return is_of_part(entry.first); });
    for (auto const& use : uses) {
      auto const& other = use.schema->catalogue.variables[use.variable];
      variable.sparse = variable.sparse || other.sparse;
      variable.step = std::max(variable.step, other.step);
      if (!other.unreadable.empty()) variable.unreadable = other.unreadable;
    }
    joined.unpacked = !alike && variable.numeric();
    auto made = blocks.make(name, uses, joined.unpacked);
    joined.blocks = std::move(made.blocks);
    joined.overlaps = made.overlaps;
    joined.gaps = made.gaps;
    joined.time = made.time;
    set_extents(variable, joined, names, dimensions, made.stacked);
    auto const is_converted = keep_times(variable, joined, names, dimensions, counts_otherwise != nullptr);
    if (counts_otherwise != nullptr && !is_converted) {
      if (joined.time) return misfit(*counts_otherwise, "counts from another date or in another type");
      plan_.notes.push_back(name + ": counts from another date in " +
                            parts_[counts_otherwise->part].path.string() + "; that of " +
                            parts_[first.part].path.string() + " counts");
    }
    // What no part has reads as missing, which not all types can say.
    if (joined.gaps && variable.numeric() && !variable.attributes.contains("_FillValue"))
      joined.unpacked = true;
    if (joined.unpacked) {
      for (auto const* attribute : packing) variable.attributes.erase(attribute);
      variable.type = NC_DOUBLE;
    }
    plan_.catalogue.variables.push_back(std::move(variable));
    plan_.variables.push_back(std::move(joined));
  }

  static std::vector<std::string> dimensions_of(VariableUse const& use) {
    std::vector<std::string> names;
    for (auto const d : use.schema->spanned[use.variable]) names.push_back(use.schema->dimensions[d]);
    return names;
  }

  std::int32_t id_of(std::string const& dimension) {
    return ids_.try_emplace(dimension, std::int32_t(ids_.size())).first->second;
  }

  void set_extents(NetcdfVariable& variable, JoinedVariable& joined, std::vector<std::string> const& names,
                   JoinedDimensions const& dimensions, bool stacked) {
    for (std::size_t d = 0; d < names.size(); ++d) {
      auto& dimension = variable.dimensions[d];
      dimension.length = std::uint64_t(dimensions[names[d]].length);
      dimension.id = id_of(names[d]);
      variable.chunk[d] = std::max<std::uint64_t>(1, std::min(variable.chunk[d], dimension.length));
    }
    if (!stacked) return;
    joined.tile = joined.time == std::optional<std::size_t>(0) ? 1 : 0;
    auto const at = std::ptrdiff_t(*joined.tile);
    variable.dimensions.insert(variable.dimensions.begin() + at,
                               {"tile", tiles_.size(), false, id_of("tile of a mosaic")});
    variable.chunk.insert(variable.chunk.begin() + at, 1);
  }

  /// Puts the values of times into memory where all parts that count have them. Gives whether they are now
  /// seconds since one date, where the parts count from several.
  bool keep_times(NetcdfVariable& variable, JoinedVariable& joined, std::vector<std::string> const& names,
                  JoinedDimensions const& dimensions, bool counts_otherwise) {
    if (joined.time != std::optional<std::size_t>(0) || joined.tile || joined.blocks->size() != 1) {
      return false;
    }
    auto const& whole = dimensions[names[0]];
    std::size_t a_record = 1;
    for (std::size_t d = 1; d < names.size(); ++d) a_record *= variable.dimensions[d].length;
    auto const as_instants = !whole.same_units || counts_otherwise;
    std::vector<std::uint64_t> values;
    for (auto const& record : joined.blocks->front().records) {
      if (record.part < 0) return false;
      auto const& kept_of_part = parts_[std::size_t(record.part)].kept;
      auto const found = kept_of_part.find(variable.name);
      if (found == kept_of_part.end()) return false;
      auto const& kept = found->second;
      auto const from = std::size_t(record.index) * a_record;
      if (as_instants && !kept.instants.empty()) {
        for (auto i = from; i < from + a_record; ++i)
          values.push_back(std::bit_cast<std::uint64_t>(kept.instants.at(i)));
      } else if (as_instants && variable.type != NC_CHAR) {
        return false;
      } else {
        for (auto i = from; i < from + a_record; ++i) values.push_back(kept.stored.at(i));
      }
    }
    joined.kept = true;
    joined.values = std::move(values);
    if (!as_instants || variable.type == NC_CHAR) return false;
    joined.unpacked = true;
    if (variable.attributes.contains("units")) {
      variable.attributes["units"] = std::string("seconds since 1970-01-01 00:00:00");
    }
    return true;
  }

  void add_tile_numbers() {
    NetcdfVariable numbers;
    numbers.name = "tile";
    numbers.type = NC_INT;
    numbers.dimensions = {{"tile", tiles_.size(), false, id_of("tile of a mosaic")}};
    numbers.chunk = {1};
    numbers.attributes["long_name"] = std::string("number of the tile");
    JoinedVariable kept;
    kept.kept = true;
    for (auto const tile : tiles_) kept.values.push_back(std::bit_cast<std::uint64_t>(double(tile)));
    plan_.catalogue.variables.push_back(std::move(numbers));
    plan_.variables.push_back(std::move(kept));
  }

  void add_attributes() {
    plan_.catalogue.attributes = parts_[0].schema->catalogue.attributes;
    std::erase_if(plan_.catalogue.attributes, [](auto const& entry) { return is_of_part(entry.first); });
  }

  std::filesystem::path const name_;
  JoinedPlan plan_;
  std::vector<Part> parts_;
  std::vector<int> tiles_;
  std::vector<std::string> misfits_;
  std::map<std::string, std::vector<VariableUse>> variables_;
  std::map<std::string, std::int32_t> ids_;
};

}  // namespace

JoinedPlan join(std::filesystem::path const& name, std::vector<std::filesystem::path> const& files) {
  return Joiner(name, files).plan();
}

}  // namespace ulpine::io
