// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/netcdf_catalogue.hpp"

namespace ulpine::io {

/// Nothing is wrong with the file: this machine lacks what it takes to read it. what() is "(<why>) <remedy>".
class LackingMeans : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An open file of any format, seen as NetCDF has it: variables with dimensions and attributes. For a process
/// of one thread, which may die of a damaged file (ForeignNetcdf).
class ForeignReader {
 public:
  virtual ~ForeignReader() = default;
  virtual NetcdfCatalogue const& catalogue() const = 0;
  /// A hyperslab of variable number `variable` of the catalogue, row-major, eight bytes a value: as
  /// read_hyperslab() and, of labels, Hdf5File::read_labels(). NetcdfFailure.
  virtual void read(std::size_t variable, std::vector<std::size_t> const& start,
                    std::vector<std::size_t> const& count, void* values) = 0;
};

/// Allows the process the time and the memory to deal with so many bytes more.
using Allowance = std::function<void(std::size_t bytes)>;

/// Opens a file or a folder as format_of() says. NetcdfFailure; LackingMeans.
std::unique_ptr<ForeignReader> open_reader(std::string const& path, Allowance const& allow);

std::unique_ptr<ForeignReader> open_netcdf_reader(std::string const& path);
std::unique_ptr<ForeignReader> open_grib_reader(std::string const& path, Allowance const& allow);
std::unique_ptr<ForeignReader> open_zarr_reader(std::string const& path, Allowance const& allow);

}  // namespace ulpine::io
