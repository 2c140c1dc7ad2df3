// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "io/netcdf_catalogue.hpp"
#include "io/part_place.hpp"

namespace ulpine::io {

struct NetcdfContents;

/// What the parts of a set that have the same variables share; the lengths are those of the first of them.
struct PartSchema {
  NetcdfCatalogue catalogue;
  std::vector<bool> is_place;           ///< of each variable: it says where values are (NetcdfContents::Role)
  std::vector<std::string> dimensions;  ///< names; the second of one name has "#2" behind it
  std::vector<bool> is_time;            ///< of each dimension
  std::vector<std::vector<std::size_t>> spanned;  ///< of each variable: its dimensions among `dimensions`
  std::vector<bool> is_coordinate;                ///< of each variable: the one of its dimension
};

/// Values that stay in memory: those of times, which all who ask for a variable ask for.
struct KeptValues {
  std::vector<std::uint64_t> stored;  ///< eight bytes each, as NetcdfSource reads them
  std::vector<double> instants;       ///< NetcdfContents::instants(); empty where they are no dates
};

/// One file of a set, without its values.
struct Part {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::shared_ptr<PartSchema const> schema;
  std::vector<std::int64_t> lengths;  ///< of the schema's dimensions
  PartPlace place;
  std::optional<int> tile;                ///< as its name has it
  std::map<std::size_t, TimeAxis> times;  ///< of dimensions that are time; instants in place of `stored`
  std::map<std::size_t, std::shared_ptr<std::vector<double> const>> coordinates;  ///< of other dimensions
  std::map<std::string, KeptValues> kept;      ///< by variables, which run along time
  std::map<std::string, std::uint64_t> fixed;  ///< hash of what is stored, of variables without time
  std::vector<std::string> not_hashed;         ///< variables without time that are too large for that
};

/// Looks at the files of a set, one after the other. What files share is kept once.
class PartScanner {
 public:
  /// InputError.
  Part operator()(std::filesystem::path const& path);

 private:
  std::shared_ptr<PartSchema const> schema_of(NetcdfContents const& contents);
  void scan_dimensions(NetcdfContents const& contents, Part& part);
  void scan_variables(NetcdfContents const& contents, Part& part);

  std::map<std::string, std::shared_ptr<PartSchema const>> schemas_;
  std::map<std::vector<double>, std::shared_ptr<std::vector<double> const>> coordinates_;
};

}  // namespace ulpine::io
