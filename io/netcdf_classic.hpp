// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/descriptor.hpp"
#include "io/netcdf_catalogue.hpp"

namespace ulpine::io {

/// A file of NetCDF's classic formats (CDF-1, -2 and -5), read without netCDF: their headers and values are
/// simple enough to be read safely here, whatever a damaged file holds, where a process for each file costs
/// more than most files' values. Gives what OpenNetcdf and read_hyperslab() do. Format: NetCDF User's Guide,
/// appendix "File Format Specifications". Safe on several threads.
class ClassicNetcdf {
 public:
  /// Null for a file of another format, and for one that is too short for its header's values or whose header
  /// is in any way unusual or damaged: netCDF has the word on that.
  static std::unique_ptr<ClassicNetcdf> open(std::filesystem::path const& path);

  NetcdfCatalogue const& catalogue() const { return catalogue_; }
  /// Says where values go, of eight bytes each.
  using Sink = std::function<void*(std::size_t values)>;
  /// As ForeignNetcdf::read(). InputError.
  void read(std::size_t variable, std::vector<std::size_t> const& start,
            std::vector<std::size_t> const& count, Sink const& sink) const;

  /// Where the values of a variable are.
  struct Place {
    std::uint64_t begin = 0;   ///< first byte
    std::uint64_t record = 0;  ///< bytes from one record to the next; 0 where it has none
  };

 private:
  ClassicNetcdf(std::string path, int file) : path_{std::move(path)}, file_{file} {}
  void read_bytes(std::uint64_t offset, void* bytes, std::size_t count) const;

  std::string path_;
  Descriptor file_;
  NetcdfCatalogue catalogue_;
  std::vector<Place> places_;  ///< of each variable of the catalogue
};

}  // namespace ulpine::io
