// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "io/joined_dimensions.hpp"
#include "io/joined_plan.hpp"
#include "io/part_scan.hpp"

namespace ulpine::io {

/// A variable among those of the parts that have one schema.
struct VariableUse {
  PartSchema const* schema = nullptr;
  std::size_t part = 0;      ///< the first that has the schema
  std::size_t variable = 0;  ///< in the schema
};

/// Finds out which parts have the values of a variable, and whether all are there.
class JoinedBlockMaker {
 public:
  struct Made {
    std::shared_ptr<JoinedBlocks const> blocks;
    std::optional<std::size_t> time;  ///< which of the dimensions of the parts' variable it is
    bool stacked = false;             ///< along the tiles: its spans have one more, behind a leading time
    bool overlaps = false, gaps = false;
  };
  /// Adds lines to `misfits` and `notes`.
  JoinedBlockMaker(std::vector<Part> const& parts, std::vector<int> const& tiles,
                   JoinedDimensions const& dimensions, std::vector<std::string>& misfits,
                   std::vector<std::string>& notes);
  /// Of one variable as all schemas that have it have it.
  Made make(std::string const& name, std::vector<VariableUse> const& uses, bool unpacked);
  /// Adds notes on what was found of several variables.
  void tell();

 private:
  struct Key {
    std::vector<std::string> dimensions;
    std::vector<PartSchema const*> schemas;
    bool stacked = false;
    bool operator<(Key const& other) const {
      return std::tie(dimensions, schemas, stacked) <
             std::tie(other.dimensions, other.schemas, other.stacked);
    }
  };
  bool is_stacked(std::string const& name, std::vector<VariableUse> const& uses) const;
  Made lay_out(std::string const& name, std::vector<VariableUse> const& uses, Key const& key);
  void cover(std::string const& name, std::vector<std::string> const& dimensions, Made& made);
  void require_times(std::string const& name, std::vector<std::string> const& dimensions, Made const& made);
  void compare_fixed(std::string const& name, std::vector<VariableUse> const& uses,
                     JoinedBlocks const& blocks);
  std::string file(std::size_t part) const { return parts_[part].path.string(); }

  std::vector<Part> const& parts_;
  std::vector<int> const& tiles_;
  JoinedDimensions const& dimensions_;
  std::vector<std::string>& misfits_;
  std::vector<std::string>& notes_;
  std::map<PartSchema const*, std::vector<std::size_t>> parts_of_;  ///< parts by their schemas
  std::set<std::string> horizontal_;                                ///< the two fastest dimensions of fields
  bool has_times_ = false;
  std::map<Key, Made> made_;
  std::set<std::pair<std::size_t, std::size_t>> same_;  ///< parts that hold the same times
  std::size_t twice_ = 0;                               ///< most records that stand twice, of a variable
  std::string twice_in_;
  bool tells_gaps_ = false;
};

}  // namespace ulpine::io
