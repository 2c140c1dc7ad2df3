// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/netcdf_catalogue.hpp"
#include "io/zarr_codecs.hpp"

namespace ulpine::io {

/// An array of a Zarr store, as its .zarray describes it (Zarr specification, version 2).
struct ZarrArray {
  std::filesystem::path folder;
  std::string name;  ///< with its groups
  std::vector<std::size_t> shape, chunk;
  char kind = 'f';             ///< of its numbers: 'f', 'i' or 'u'
  std::size_t bytes = 4;       ///< of each
  bool swapped = false;        ///< most significant byte first
  bool columns_first = false;  ///< order "F" within chunks
  char separator = '.';        ///< in the names of chunks
  ZarrCodec codec = ZarrCodec::none;
  std::size_t shuffled = 0;    ///< bytes of the elements that a filter has shuffled; 0 of no filter
  std::optional<double> fill;  ///< of chunks that are not there
  std::size_t chunk_bytes() const;
};

struct ZarrStore {
  std::vector<ZarrArray> arrays;  ///< in the order of the catalogue
  NetcdfCatalogue catalogue;
};

/// All arrays of a store, those of a group by their names, inner groups after them. Dimensions are those that
/// xarray (`_ARRAY_DIMENSIONS`) or netCDF-C name. NetcdfFailure.
ZarrStore zarr_store(std::filesystem::path const& folder);

}  // namespace ulpine::io
