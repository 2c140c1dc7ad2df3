// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "io/netcdf_catalogue.hpp"

namespace ulpine::io {

/// Files that are no one data set: a line for each that does not fit, in the form of an InputError.
class Misfits : public InputError {
 public:
  explicit Misfits(std::vector<std::string> lines);
  std::vector<std::string> const& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

/// Where values of a part lie along one dimension of the whole.
struct Span {
  std::int64_t first = 0;  ///< in the whole
  std::int64_t skip = 0;   ///< in the part
  std::int64_t count = 0;
  bool operator==(Span const&) const = default;
  auto operator<=>(Span const&) const = default;
};

/// A time of a part.
struct Record {
  std::int32_t part = -1;  ///< -1: none
  std::int64_t index = 0;
};

/// A place of a variable, and the parts that have its values there.
struct JoinedBlock {
  std::vector<Span> spans;      ///< of each dimension of the whole's variable; of time all
  std::vector<Record> records;  ///< one for each time; of a variable without time one
};
using JoinedBlocks = std::vector<JoinedBlock>;

struct JoinedVariable {
  std::shared_ptr<JoinedBlocks const> blocks;
  std::optional<std::size_t> time, tile;  ///< which of its dimensions they are; the parts have no tile
  bool kept = false;                      ///< all values are in `values`, eight bytes each
  std::vector<std::uint64_t> values;
  bool unpacked = false;  ///< its parts are packed each in another way: it has their numbers, as doubles
  bool overlaps = false;  ///< some places are in several blocks
  bool gaps = false;      ///< some places are in none, and have no values
};

/// How files are one data set.
struct JoinedPlan {
  NetcdfCatalogue catalogue;  ///< of the whole
  std::vector<JoinedVariable> variables;
  std::vector<std::filesystem::path> files;
  std::uint64_t bytes = 0;
  std::vector<std::string> notes;  ///< for people
};

/// Joins the files of the set `name`: along time by their dates, of which one that stands twice counts as the
/// last file has it; by variables; by place, as they say of themselves (place_of_part()) or as their
/// coordinates do; tiles, which their names tell, along a dimension `tile` of their own. Misfits where they
/// are not one data set.
JoinedPlan join(std::filesystem::path const& name, std::vector<std::filesystem::path> const& files);

}  // namespace ulpine::io
