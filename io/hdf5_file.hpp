// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "io/netcdf_catalogue.hpp"

namespace ulpine::io {

/// Facts about a NetCDF-4 file that HDF5 tells and netCDF-C does not: datasets of types that netCDF-C ignores
/// (booleans and complex numbers of h5py, long doubles), values of types without numbers, values never
/// written, filters that are missing. HDF5 is the one that netCDF-C has loaded, found at run time. To be
/// made, used and destroyed with lock_netcdf() held.
class Hdf5File {
 public:
  /// Null where `path` is no HDF5 file, or netCDF-C was built without HDF5.
  static std::unique_ptr<Hdf5File> open(std::string const& path);
  Hdf5File(Hdf5File const&) = delete;
  Hdf5File& operator=(Hdf5File const&) = delete;
  ~Hdf5File();

  /// Whether all that closing it writes could be written. Nothing else may be called then.
  [[nodiscard]] bool close();

  /// Adds the datasets that netCDF-C has not listed, but for those that are mere `dimensions` to it, and to
  /// the others what netCDF-C does not tell of them.
  void complete(NetcdfCatalogue& catalogue, std::set<std::string> const& dimensions) const;
  /// Values of a variable of `label_type`: of each element 64 bits that are equal where its content is (its
  /// XXH3 hash); what was never written is as no text, no row or zeros. NetcdfFailure.
  void read_labels(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                   std::vector<std::size_t> const& count, std::uint64_t* labels) const;
  /// Puts the value of absent points (absence.hpp) where a variable that is not prefilled was never written:
  /// beyond what its dataset has of an unlimited dimension, and in chunks that are not there. `values` are
  /// those of read_hyperslab(), as doubles.
  void mark_unwritten(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                      std::vector<std::size_t> const& count, double* values) const;

 private:
  explicit Hdf5File(std::int64_t file) : file_{file} {}
  std::int64_t file_;  ///< negative: closed
};

}  // namespace ulpine::io
