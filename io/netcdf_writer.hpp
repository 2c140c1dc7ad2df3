// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <filesystem>
#include <netcdf>
#include <string>
#include <utility>

#include "io/error.hpp"
#include "io/netcdf_library.hpp"
#include "io/slabs.hpp"

namespace ulpine::io {

/// A new NetCDF-4 file, written with NetCDF-C++4. Takes lock_netcdf() for each call, so that whoever makes
/// the values to write may use netCDF too.
class NetcdfWriter {
 public:
  /// How a file is left after a call on it failed.
  enum class AfterFailure {
    close,  ///< it is closed: whoever wrote it removes it
    leave   ///< it is left as it was last synced: closing would write again, and half
  };

  /// Replaces what is at `path`; EnvironmentError, and nothing is touched, where another program has HDF5's
  /// lock on it. `before` and `after` stand around the reason in all errors.
  NetcdfWriter(std::filesystem::path const& path, std::string before, std::string after,
               AfterFailure after_failure);
  NetcdfWriter(NetcdfWriter const&) = delete;
  NetcdfWriter& operator=(NetcdfWriter const&) = delete;
  ~NetcdfWriter();

  /// Calls of NetCDF-C++4 on the file; an EnvironmentError where one fails. Not to be nested.
  template <class Call>
  auto run(Call call) {
    auto const lock = lock_netcdf();
    errno = 0;
    try {
      return call(file_);
    } catch (netCDF::exceptions::NcException const& problem) {
      fail(problem.errorCode());
    }
  }
  void put_text(std::string const& name, std::string const& value);
  void put_text(netCDF::NcVar const& variable, std::string const& name, std::string const& value);
  /// Values of the variable's own type.
  void put(netCDF::NcVar const& variable, Hyperslab const& slab, void const* values);
  /// Values for a variable of a type that holds them all.
  void put_widened(netCDF::NcVar const& variable, Hyperslab const& slab, unsigned char const* values);

  /// Closes the file, which by now is called `path`.
  void close(std::filesystem::path const& path);
  /// The error to throw for that reason, with the path of the file.
  EnvironmentError error(std::string const& reason) const;
  /// Leaves the file as after a failed call.
  void leave() { failed_ = true; }
  /// Whether the file is neither closed nor failed.
  bool is_whole() const { return !file_.isNull() && !failed_; }

 private:
  /// NetCDF-C++4 closes files in their destructor, and prints what goes wrong there.
  struct File : netCDF::NcFile {
    void forget() { nullObject = true; }
  };
  [[noreturn]] void fail(int status);

  File file_;
  std::string before_, after_;
  AfterFailure after_failure_;
  bool failed_ = false;
};

}  // namespace ulpine::io
