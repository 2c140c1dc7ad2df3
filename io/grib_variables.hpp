// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/grib_fields.hpp"
#include "io/netcdf_catalogue.hpp"

namespace ulpine::io {

/// Where the values of a variable of a GRIB file come from.
struct GribSource {
  enum class Kind {
    numbers,  ///< they are here
    places,   ///< places of a grid's points: all, or those of the first row or column where it is regular
    fields    ///< a message for each index along all but the dimensions of its grid
  };
  Kind kind = Kind::numbers;
  std::vector<double> numbers;
  std::string grid;                  ///< key of GribFields::grids
  char const* place = nullptr;       ///< key of places_of()
  std::vector<std::int32_t> fields;  ///< numbers in GribFields::all, row-major; negative where there is none
  std::size_t grid_rank = 0;         ///< dimensions of the grid, which are the last ones
};

struct GribVariables {
  NetcdfCatalogue catalogue;
  std::vector<GribSource> sources;  ///< in the order of the catalogue
};

/// The fields of a file as variables: those of one shortName, type of level, kind of time range and grid are
/// one, along `time` (of validity; of reference where several forecasts reach one time, with `step` beside
/// it), `number` (ensemble), the type of level and the grid, each where there are several. A variable is
/// called shortName, with what tells it from others behind it. Fields that are not there are missing values,
/// counted in the attribute `absent_messages`.
GribVariables variables_of(GribFile const& file, GribFields const& fields);

}  // namespace ulpine::io
