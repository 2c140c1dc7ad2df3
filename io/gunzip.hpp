// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/foreign_reader.hpp"

namespace ulpine::io {

/// The content of a file that gzip has packed (RFC 1952, with all its members), in a file of the folder for
/// temporary files (TMPDIR, else /tmp), which is removed with the object.
class Gunzipped {
 public:
  /// NetcdfFailure where it is cut short, damaged or does not hold NetCDF or GRIB; LackingMeans where half of
  /// the free space of the folder does not suffice.
  Gunzipped(std::string const& path, Allowance const& allow);
  Gunzipped(Gunzipped const&) = delete;
  Gunzipped& operator=(Gunzipped const&) = delete;
  ~Gunzipped() { remove(); }
  std::string const& path() const { return path_; }
  /// Takes its name away. Whoever has it open goes on, and nothing is left however this process ends. HDF5
  /// opens no file without a name.
  void remove();

 private:
  void unpack(std::string const& path, int file, Allowance const& allow);
  std::string path_;
};

/// Inflates `packed` (zlib's or gzip's form) into exactly `size` bytes. NetcdfFailure.
std::string inflated(std::string const& packed, std::size_t size);

}  // namespace ulpine::io
