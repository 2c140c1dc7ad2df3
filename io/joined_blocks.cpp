// SPDX-License-Identifier: Apache-2.0
#include "io/joined_blocks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/netcdf_contents.hpp"

namespace ulpine::io {
namespace {

std::string plural(std::size_t count, std::string const& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

JoinedBlockMaker::JoinedBlockMaker(std::vector<Part> const& parts, std::vector<int> const& tiles,
                                   JoinedDimensions const& dimensions, std::vector<std::string>& misfits,
                                   std::vector<std::string>& notes)
    : parts_{parts}, tiles_{tiles}, dimensions_{dimensions}, misfits_{misfits}, notes_{notes} {
  for (std::size_t p = 0; p < parts.size(); ++p) parts_of_[parts[p].schema.get()].push_back(p);
  for (auto const& [schema, with] : parts_of_) {
    for (auto const time : schema->is_time) has_times_ = has_times_ || time;
    for (std::size_t v = 0; v < schema->spanned.size(); ++v) {
      std::vector<std::size_t> places;
      for (auto const d : schema->spanned[v]) {
        if (!schema->is_time[d]) places.push_back(d);
      }
      if (schema->is_place[v] || places.size() < 2) continue;
      for (auto const d : {places.back(), places[places.size() - 2]})
        horizontal_.insert(schema->dimensions[d]);
    }
  }
}

/// Fields and places of two dimensions of the horizontal are of each tile; so is what differs from tile to
/// tile.
bool JoinedBlockMaker::is_stacked(std::string const& name, std::vector<VariableUse> const& uses) const {
  if (tiles_.empty()) return false;
  auto const& [schema, part, v] = uses[0];
  auto const& spanned = schema->spanned[v];
  auto const of_horizontal = std::ranges::count_if(
      spanned, [&](std::size_t d) { return horizontal_.contains(schema->dimensions[d]); });
  if (of_horizontal >= 2 || (of_horizontal == 1 && !schema->is_place[v])) return true;
  std::map<std::vector<Span>, std::uint64_t> hashes;
  for (auto const& use : uses) {
    for (auto const p : parts_of_.at(use.schema)) {
      auto const found = parts_[p].fixed.find(name);
      if (found == parts_[p].fixed.end()) continue;
      std::vector<Span> spans;
      for (auto const d : use.schema->spanned[use.variable]) spans.push_back(dimensions_.span(p, d));
      if (hashes.try_emplace(spans, found->second).first->second != found->second) return true;
    }
  }
  return false;
}

JoinedBlockMaker::Made JoinedBlockMaker::make(std::string const& name, std::vector<VariableUse> const& uses,
                                              bool unpacked) {
  Key key;
  auto const& first = uses[0];
  for (auto const d : first.schema->spanned[first.variable])
    key.dimensions.push_back(first.schema->dimensions[d]);
  for (auto const& use : uses) key.schemas.push_back(use.schema);
  key.stacked = is_stacked(name, uses);
  auto found = made_.find(key);
  if (found == made_.end()) found = made_.emplace(key, lay_out(name, uses, key)).first;
  if (!unpacked) compare_fixed(name, uses, *found->second.blocks);
  return found->second;
}

JoinedBlockMaker::Made JoinedBlockMaker::lay_out(std::string const& name,
                                                 std::vector<VariableUse> const& uses, Key const& key) {
  Made made;
  made.stacked = key.stacked;
  for (std::size_t d = 0; d < key.dimensions.size(); ++d) {
    if (dimensions_[key.dimensions[d]].kind == JoinedDimension::Kind::time) made.time = made.time.value_or(d);
  }
  auto const has_place = std::ranges::any_of(key.dimensions, [&](std::string const& dimension) {
    return dimensions_[dimension].kind == JoinedDimension::Kind::place;
  });
  // Parts of one domain and tiles all have what does not depend on the place, as the times.
  auto const is_repeated =
      (!has_place && dimensions_.has_places()) || (!key.stacked && !tiles_.empty()) ||
      std::ranges::all_of(uses, [](VariableUse const& use) { return use.schema->is_place[use.variable]; });
  auto const times = made.time ? std::size_t(dimensions_[key.dimensions[*made.time]].length) : std::size_t{1};
  std::map<std::vector<Span>, std::size_t> places;
  auto blocks = std::make_shared<JoinedBlocks>();
  std::map<std::size_t, std::size_t> variable_of;
  std::vector<std::size_t> parts;
  for (auto const& use : uses) {
    for (auto const p : parts_of_.at(use.schema)) {
      variable_of[p] = use.variable;
      parts.push_back(p);
    }
  }
  std::ranges::sort(parts);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> shared;  // times that two parts have
  std::size_t twice = 0;
  for (auto const p : parts) {
    auto const& schema = *parts_[p].schema;
    auto const& spanned = schema.spanned[variable_of[p]];
    std::vector<Span> spans;
    for (std::size_t d = 0; d < spanned.size(); ++d) {
      spans.push_back(made.time == d ? Span{0, 0, std::int64_t(times)} : dimensions_.span(p, spanned[d]));
    }
    if (key.stacked) {
      auto const tile = std::ranges::find(tiles_, *parts_[p].tile) - tiles_.begin();
      spans.insert(spans.begin() + (made.time == std::optional<std::size_t>(0) ? 1 : 0), Span{tile, 0, 1});
    }
    auto const [place, is_new] = places.try_emplace(spans, blocks->size());
    if (is_new) blocks->push_back({spans, std::vector<Record>(times)});
    auto& records = (*blocks)[place->second].records;
    if (!made.time) {
      if (records[0].part < 0) records[0] = {std::int32_t(p), 0};
      continue;
    }
    auto const& at = dimensions_.records(p, spanned[*made.time]);
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] < 0) continue;
      auto& record = records[std::size_t(at[i])];
      if (record.part >= 0) {
        ++twice;
        ++shared[{std::size_t(record.part), p}];
      }
      record = {std::int32_t(p), std::int64_t(i)};
    }
  }
  made.blocks = blocks;
  if (made.time && !is_repeated) {
    for (auto const& [pair, count] : shared) {
      auto const size_of = [&](std::size_t p) {
        return dimensions_.records(p, parts_[p].schema->spanned[variable_of[p]][*made.time]).size();
      };
      if (count < size_of(pair.first) || count < size_of(pair.second) || !same_.insert(pair).second) continue;
      misfits_.push_back(file(pair.second) + ": " + name + ": the same times as in " + file(pair.first) +
                         " (they are two data sets, or a copy) name one of both; whole runs are held against "
                         "each other one by one");
    }
    if (twice > twice_) {
      twice_ = twice;
      twice_in_ = file(shared.begin()->first.second);
    }
  }
  cover(name, key.dimensions, made);
  if (made.time) require_times(name, key.dimensions, made);
  return made;
}

/// Marks which of the cells between all ends of blocks are covered.
void JoinedBlockMaker::cover(std::string const& name, std::vector<std::string> const& dimensions,
                             Made& made) {
  auto const& blocks = *made.blocks;
  if (blocks.size() < 2 && !dimensions_.has_places()) return;
  auto const leads = made.time == std::optional<std::size_t>(0);
  auto const tile = made.stacked ? std::size_t{leads} : blocks[0].spans.size();
  struct Axis {
    std::string name;
    std::size_t place = 0;
    std::vector<std::int64_t> ends;
  };
  std::vector<Axis> axes;
  for (std::size_t d = 0, own = 0; d < blocks[0].spans.size(); ++d) {
    auto const is_tile = tile == d;
    auto const dimension = is_tile ? "tile" : dimensions[own++];
    if (!is_tile && dimensions_[dimension].kind != JoinedDimension::Kind::place) continue;
    std::set<std::int64_t> ends = {0, is_tile ? std::int64_t(tiles_.size()) : dimensions_[dimension].length};
    for (auto const& block : blocks) {
      ends.insert(block.spans[d].first);
      ends.insert(block.spans[d].first + block.spans[d].count);
    }
    axes.push_back({dimension, d, {ends.begin(), ends.end()}});
  }
  if (axes.empty()) return;
  std::size_t cells = 1;
  for (auto const& axis : axes) cells *= axis.ends.size() - 1;
  std::vector<unsigned char> covered(cells, 0);
  for (auto const& block : blocks) {
    std::vector<std::pair<std::size_t, std::size_t>> range;
    for (auto const& axis : axes) {
      auto const at = [&](std::int64_t end) {
        return std::size_t(std::ranges::lower_bound(axis.ends, end) - axis.ends.begin());
      };
      auto const& span = block.spans[axis.place];
      range.emplace_back(at(span.first), at(span.first + span.count));
    }
    if (std::ranges::any_of(range, [](auto const& r) { return r.first >= r.second; })) continue;
    std::vector<std::size_t> cell;
    for (auto const& r : range) cell.push_back(r.first);
    for (;;) {
      std::size_t index = 0;
      for (std::size_t a = 0; a < axes.size(); ++a) index = index * (axes[a].ends.size() - 1) + cell[a];
      made.overlaps = made.overlaps || covered[index] > 0;
      covered[index] = 1;
      auto a = axes.size();
      while (a > 0 && ++cell[a - 1] == range[a - 1].second) --a, cell[a] = range[a].first;
      if (a == 0) break;
    }
  }
  auto const gap = std::size_t(std::ranges::find(covered, 0) - covered.begin());
  if (gap == cells) return;
  made.gaps = true;
  auto const is_said = std::ranges::any_of(parts_, [](Part const& part) { return part.place.total > 1; });
  if (is_said) {
    if (!std::exchange(tells_gaps_, true)) {
      notes_.push_back(
          "some places are in no part, though all parts are there: ranks without work, as of "
          "land, write none; they are read as missing");
    }
    return;
  }
  std::string where;
  auto rest = gap;
  for (auto a = axes.size(); a-- > 0;) {
    auto const at = rest % (axes[a].ends.size() - 1);
    rest /= axes[a].ends.size() - 1;
    where = axes[a].name + " " + std::to_string(axes[a].ends[at]) + " to " +
            std::to_string(axes[a].ends[at + 1] - 1) + (where.empty() ? "" : ", ") + where;
  }
  misfits_.push_back(file(0) + ": " + name + ": no file has its values at " + where +
                     " (a part is missing, or the files are of several grids) copy it there, or name others");
}

void JoinedBlockMaker::require_times(std::string const& name, std::vector<std::string> const& dimensions,
                                     Made const& made) {
  auto const& whole = dimensions_[dimensions[*made.time]];
  for (auto const& block : *made.blocks) {
    std::size_t missing = 0, first = 0;
    auto with = std::int32_t{-1};
    for (std::size_t t = 0; t < block.records.size(); ++t) {
      if (block.records[t].part >= 0) {
        with = block.records[t].part;
      } else if (missing++ == 0) {
        first = t;
      }
    }
    if (missing == 0) continue;
    auto const at = whole.instants.empty() ? "record " + std::to_string(first)
                                           : told_time(whole.axis, whole.instants[first]);
    misfits_.push_back((with < 0 ? name : file(std::size_t(with)) + ": " + name) + ": lacks " +
                       plural(missing, "time") + " that other files have (the first is " + at +
                       ") add the files of these times, or name those of other times apart");
    return;
  }
}

/// What has no time is to be the same in all parts that have it.
void JoinedBlockMaker::compare_fixed(std::string const& name, std::vector<VariableUse> const& uses,
                                     JoinedBlocks const& blocks) {
  auto const& first = uses[0];
  auto const& spanned = first.schema->spanned[first.variable];
  if (std::ranges::any_of(spanned, [&](std::size_t d) { return first.schema->is_time[d]; })) return;
  std::map<std::vector<Span>, std::size_t> holders;
  for (auto const& block : blocks) holders[block.spans] = std::size_t(block.records[0].part);
  auto const is_place = first.schema->is_place[first.variable];
  std::size_t others = 0, large = 0, last = 0;
  for (auto const& use : uses) {
    for (auto const p : parts_of_.at(use.schema)) {
      std::vector<Span> spans;
      auto on_place = false;
      for (auto const d : use.schema->spanned[use.variable]) {
        spans.push_back(dimensions_.span(p, d));
        on_place = on_place || dimensions_[use.schema->dimensions[d]].kind == JoinedDimension::Kind::place;
      }
      if (blocks[0].spans.size() > spans.size()) {
        spans.insert(spans.begin(), Span{std::ranges::find(tiles_, *parts_[p].tile) - tiles_.begin(), 0, 1});
      }
      auto const holder = holders.find(spans);
      if (holder == holders.end() || holder->second == p) continue;
      if (std::ranges::count(parts_[p].not_hashed, name) > 0) {
        ++large;
        continue;
      }
      auto const here = parts_[p].fixed.find(name), there = parts_[holder->second].fixed.find(name);
      if (here == parts_[p].fixed.end() || there == parts_[holder->second].fixed.end()) continue;
      if (here->second == there->second) continue;
      if (is_place && !spans.empty()) {
        misfits_.push_back(file(p) + ": " + name + ": other places than in " + file(holder->second) +
                           " (they are of several grids) name parts of one grid alone, by a pattern");
        return;
      }
      if (!is_place && !has_times_ && (on_place || (!dimensions_.has_places() && tiles_.empty()))) {
        misfits_.push_back(
            file(p) + ": " + name + ": other values than in " + file(holder->second) +
            ", at the same places (without times nothing tells which is meant) name one of both");
        return;
      }
      ++others;
      last = p;
    }
  }
  if (others > 0) {
    notes_.push_back(name + ": has no time, and other values in " + plural(others, "file") + " (as " +
                     file(last) + "); that of " + file(std::size_t(blocks[0].records[0].part)) + " counts");
  }
  if (large > 0) {
    notes_.push_back(name + ": is too large to be held against itself in " + plural(large, "other file") +
                     "; that of " + file(std::size_t(blocks[0].records[0].part)) + " counts");
  }
}

void JoinedBlockMaker::tell() {
  if (twice_ == 0) return;
  notes_.push_back(plural(twice_, "time") + " written twice, of which the last file's count (as in " +
                   twice_in_ + ")");
}

}  // namespace ulpine::io
