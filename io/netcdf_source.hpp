// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "io/joined_source.hpp"
#include "io/netcdf_catalogue.hpp"
#include "io/netcdf_classic.hpp"
#include "io/netcdf_foreign.hpp"

namespace ulpine::io {

/// The bytes behind an InputFile: a file with a whole seal of Ulpine's, or of a classic format, is read here,
/// any other by a child process, and a set of files (files_of_set()) as one. Safe on several threads.
class NetcdfSource {
 public:
  /// InputError where missing, truncated, not NetCDF, or Ulpine's own and altered since.
  explicit NetcdfSource(std::filesystem::path const& path);
  ~NetcdfSource();

  std::string const& path() const { return path_; }
  NetcdfCatalogue const& catalogue() const { return catalogue_; }
  std::uint64_t bytes() const { return bytes_; }
  /// UnreadableVariable where the file is too small for so many values of `variable`, as with a damaged
  /// header. Chunks that were never written and masks of one value take nearly no bytes, so that of sparse
  /// variables only what would not fit into memory is doubted.
  void require_plausible(NetcdfVariable const& variable, std::uint64_t values) const;
  /// The numbers of a hyperslab of `variable` (one of the catalogue), NaN where missing. InputError.
  std::vector<double> read(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                           std::vector<std::size_t> const& count) const;
  /// As read() above, into `values`; `low` as in Unpacking::apply(), zeros if not 64-bit integers or labels.
  /// Gives the XXH3 hash of the values as they were stored, widened to eight bytes each.
  std::uint64_t read(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                     std::vector<std::size_t> const& count, std::span<double> values,
                     std::span<double> low) const;
  /// As they are stored, of eight bytes each: doubles, or the bits of 64-bit integers and labels. InputError.
  std::vector<std::uint64_t> read_raw(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                                      std::vector<std::size_t> const& count) const;

 private:
  void open_sealed();
  void open_foreign();
  void read_stored(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                   std::vector<std::size_t> const& count, ForeignNetcdf::Sink const& sink) const;

  /// Small records that are read one after the other, of which each question to the other process would cost
  /// more than its values: some are asked for ahead.
  struct Records {
    NetcdfVariable const* variable = nullptr;
    std::size_t first = 0, count = 0;   ///< first and number of the records that are kept
    std::size_t next = 0;               ///< the record after the one that was read last
    std::vector<std::uint64_t> values;  ///< as stored, of eight bytes each
  };
  /// Takes a record from those that were read ahead, or reads some ahead; false where that does not serve.
  bool take_record(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                   std::vector<std::size_t> const& count, ForeignNetcdf::Sink const& sink) const;

  std::string const path_;
  std::uint64_t bytes_ = 0;
  mutable std::mutex records_mutex_;
  mutable Records records_;
  NetcdfCatalogue catalogue_;
  std::unique_ptr<ForeignNetcdf> foreign_;  ///< reads the file, where Ulpine did not seal it
  std::unique_ptr<ClassicNetcdf> classic_;  ///< reads a file of a classic format in its place
  std::unique_ptr<OpenNetcdf> sealed_;
  std::unique_ptr<JoinedSource> joined_;  ///< reads a set of files
};

}  // namespace ulpine::io
