// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/netcdf_catalogue.hpp"

namespace ulpine::io {

/// Where the values of a part lie along one dimension of the whole.
struct PlacedExtent {
  std::int64_t skip = 0;   ///< values of the halo, which are another part's, before the first
  std::int64_t count = 0;  ///< values of its own
  std::int64_t first = 0;  ///< place of the first in the whole, from 0
  std::int64_t whole = 0;  ///< length of the whole
  bool operator==(PlacedExtent const&) const = default;
  auto operator<=>(PlacedExtent const&) const = default;
};

/// What a file says of itself as a part of a domain that a model's ranks share.
struct PartPlace {
  std::map<std::string, PlacedExtent> along;  ///< by the dimensions' names
  /// Columns and rows of parts, where a file says which of them it is and not where it lies.
  std::map<std::string, std::int64_t> in_row;
  std::int64_t number = -1;  ///< of this part, from 0; -1 where it is not said
  std::int64_t total = 0;    ///< number of parts; 0 where it is not said
  std::string said_by;       ///< the attribute that says it
  bool is_part() const { return !along.empty() || !in_row.empty(); }
};

/// By the attributes of IOIPSL, NEMO and XIOS (DOMAIN_*: rebuild_nemo), FMS (domain_decomposition,
/// NumFilesInSet: mppnccombine), WRF (*_PATCH_START_*, of io_form 102) and the ROMS of UCLA and CROCO
/// (partition: ncjoin). A file of the whole domain is no part.
PartPlace place_of_part(NetcdfCatalogue const& catalogue, std::filesystem::path const& path);

/// Whether an attribute of a file or a variable is of its place as a part, and not of the whole.
bool is_of_part(std::string const& attribute);

/// What to say of a file that is read alone and is a part of several; empty where it is whole.
std::string told_of_part(NetcdfCatalogue const& catalogue, std::filesystem::path const& path);

/// The files, in whose places those that are the tiles or the ranks' parts of one are a pattern for all of
/// them. Opens the first of those whose names end in numbers. InputError.
std::vector<std::filesystem::path> sets_among(std::vector<std::filesystem::path> const& files);

}  // namespace ulpine::io
