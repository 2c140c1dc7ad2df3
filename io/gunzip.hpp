// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/descriptor.hpp"
#include "io/foreign_reader.hpp"

namespace ulpine::io {

/// The content of a file that gzip has packed (RFC 1952, with all its members), in a file of the folder for
/// temporary files (TMPDIR, else /tmp). It has no name, so that nothing is left of it however the process
/// ends.
class Gunzipped {
 public:
  /// NetcdfFailure where it is cut short, damaged or does not hold NetCDF or GRIB; LackingMeans where half of
  /// the free space of the folder does not suffice.
  Gunzipped(std::string const& path, Allowance const& allow);
  /// A path by which this process can open it.
  std::string path() const;

 private:
  Descriptor file_;
};

/// Inflates `packed` (zlib's or gzip's form) into exactly `size` bytes. NetcdfFailure.
std::string inflated(std::string const& packed, std::size_t size);

}  // namespace ulpine::io
