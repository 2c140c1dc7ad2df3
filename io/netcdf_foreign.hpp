// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/child_process.hpp"
#include "io/foreign_format.hpp"
#include "io/netcdf_catalogue.hpp"

namespace ulpine::io {

/// A file of NetCDF, GRIB or Zarr, or one packed by gzip, that nobody vouches for, read by a child process: a
/// flipped byte in such a file can crash netCDF-C, HDF5 or ecCodes, send them into endless loops or make them
/// ask for terabytes. The child has limits of
/// processor time and memory; whatever happens to it is an InputError that names the file, here and at once.
/// It lives as long as this object and sends values through a socket (costs: docs/results/performance.md).
/// Safe on several threads; the child sees neither the terminal nor this process' files and signals.
class ForeignNetcdf {
 public:
  /// Starts the child and opens the file there. InputError; EnvironmentError where no process can be
  /// started, a library is missing or there is no room to unpack the file.
  explicit ForeignNetcdf(std::filesystem::path const& path);

  NetcdfCatalogue const& catalogue() const { return catalogue_; }
  /// Says where the next values go, of eight bytes each.
  using Sink = std::function<void*(std::size_t values)>;
  /// Reads variable `variable` of the catalogue, as read_hyperslab(), in pieces as they arrive: a damaged
  /// header may promise what never comes. UnreadableVariable where that one alone cannot be read, InputError
  /// where the file cannot be.
  void read(std::size_t variable, std::vector<std::size_t> const& start,
            std::vector<std::size_t> const& count, Sink const& sink);

 private:
  /// Waits for the first byte of an answer, and gives the reason where it is a refusal.
  std::optional<std::string> refusal();
  void receive(void* target, std::size_t bytes);
  /// InputError with what became of the child.
  [[noreturn]] void fail(bool silent);

  std::string const path_;
  ForeignFormat const format_;
  std::mutex mutex_;  ///< one question at a time
  ChildProcess child_;
  NetcdfCatalogue catalogue_;
};

}  // namespace ulpine::io
