// SPDX-License-Identifier: Apache-2.0
#include "io/grib_grouping.hpp"

#include <map>
#include <set>

namespace ulpine::io {
namespace {

/// A word of each group that may tell it from others of its shortName, in the order in which they are tried.
using Words = std::vector<std::string>;

class Grouping {
 public:
  Grouping(GribFile const& file, GribFields const& fields) : file_{file}, fields_{fields} {}

  std::vector<GribGroup> groups() {
    std::map<Words, std::size_t> known;
    for (std::size_t i = 0; i < fields_.all.size(); ++i) {
      auto const& field = fields_.all[i];
      auto const key = Words{field.name, field.level_type, field.step_type, field.grid};
      auto const [entry, is_new] = known.try_emplace(key, groups_.size());
      if (is_new) groups_.push_back({field.name, {}, {}}), words_.push_back({});
      groups_[entry->second].fields.push_back(static_cast<std::int32_t>(i));
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) separate(g);
    name();
    return std::move(groups_);
  }

 private:
  GribField const& field(std::int32_t number) const { return fields_.all[static_cast<std::size_t>(number)]; }

  /// Leaves out fields that are in the file twice; gives whether different ones are at one position.
  bool has_conflicts(GribGroup& group) const {
    std::map<std::array<double, 6>, std::int32_t> first;
    auto conflicts = false;
    std::erase_if(group.fields, [&](std::int32_t number) {
      auto const [entry, is_new] = first.try_emplace(position_of(field(number)), number);
      if (is_new) return false;
      std::string a, b;
      auto const same = file_.message(field(number).place, a) == file_.message(field(entry->second).place, b);
      conflicts = conflicts || !same;
      return same;
    });
    return conflicts;
  }

  /// Divides a group by what else tells its fields apart, as far as it takes; new ones come at the end.
  void separate(std::size_t g) {
    if (!has_conflicts(groups_[g])) return;
    for (auto const& [key, unused] : field(groups_[g].fields.front()).further) {
      std::map<std::string, std::vector<std::int32_t>> parts;
      for (auto const number : groups_[g].fields) {
        auto const& further = field(number).further;
        auto const found = further.find(key);
        parts[found == further.end() ? "" : found->second].push_back(number);
      }
      if (parts.size() < 2) continue;
      auto const before = groups_[g];
      auto const words = words_[g];
      auto begun = false;
      for (auto& [value, numbers] : parts) {
        GribGroup part{before.name, std::move(numbers), {}};
        auto const word = key + value;
        if (!begun) {
          groups_[g] = std::move(part);
          words_[g].push_back(word);
        } else {
          groups_.push_back(std::move(part));
          words_.push_back(words);
          words_.back().push_back(word);
        }
        begun = true;
      }
      if (!has_conflicts(groups_[g])) return;
    }
    groups_[g].unreadable = "several different messages are of one time, level and member";
  }

  /// Gives each group its variable's name: what all of a shortName share is left out.
  void name() {
    std::map<std::string, std::vector<std::size_t>> of_name;
    for (std::size_t g = 0; g < groups_.size(); ++g) of_name[groups_[g].name].push_back(g);
    for (auto const& [unused, members] : of_name) {
      if (members.size() == 1) continue;
      std::map<std::string, std::size_t> grids;
      std::vector<std::array<std::string, 3>> parts;
      for (auto const g : members) {
        auto const& first = field(groups_[g].fields.front());
        auto const grid = grids.try_emplace(first.grid, grids.size() + 1).first->second;
        parts.push_back({first.level_type, first.step_type, "grid" + std::to_string(grid)});
      }
      for (std::size_t p = 0; p < 3; ++p) {
        std::set<std::string> different;
        for (auto const& part : parts) different.insert(part[p]);
        if (different.size() < 2) continue;
        for (std::size_t m = 0; m < members.size(); ++m) groups_[members[m]].name += "_" + parts[m][p];
      }
      for (auto const g : members) {
        for (auto const& word : words_[g]) groups_[g].name += "_" + word;
      }
    }
  }

  GribFile const& file_;
  GribFields const& fields_;
  std::vector<GribGroup> groups_;
  std::vector<Words> words_;  ///< by which a group was separated from others
};

}  // namespace

std::array<double, 6> position_of(GribField const& field) {
  return {field.reference_time, field.valid_time, static_cast<double>(field.number),
          field.level,          field.top,        field.bottom};
}

std::vector<GribGroup> groups_of(GribFile const& file, GribFields const& fields) {
  return Grouping{file, fields}.groups();
}

}  // namespace ulpine::io
