// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_writer.hpp"

#include <netcdf.h>

#include <utility>

#include "io/file_lock.hpp"
#include "io/hdf5_file.hpp"

namespace ulpine::io {

NetcdfWriter::NetcdfWriter(std::filesystem::path const& path, std::string before, std::string after,
                           AfterFailure after_failure)
    : before_{std::move(before)}, after_{std::move(after)}, after_failure_{after_failure} {
  require_netcdf_name(path);
  if (auto const problem = lock_problem(path, LockFor::writing); !problem.empty()) {
    throw EnvironmentError(before_ + problem);
  }
  run([&](netCDF::NcFile& file) { file.create(path.string(), NC_NETCDF4 | NC_CLOBBER); });
}

NetcdfWriter::~NetcdfWriter() {
  if (file_.isNull()) return;
  auto const lock = lock_netcdf();
  auto const id = file_.getId();
  file_.forget();
  if (!failed_ || after_failure_ == AfterFailure::close) nc_close(id);
}

void NetcdfWriter::put_text(std::string const& name, std::string const& value) {
  run([&](netCDF::NcFile& file) { file.putAtt(name, value); });
}

void NetcdfWriter::put_text(netCDF::NcVar const& variable, std::string const& name,
                            std::string const& value) {
  run([&](netCDF::NcFile&) { variable.putAtt(name, value); });
}

namespace {

template <class T>
void put_values(netCDF::NcVar const& variable, Hyperslab const& slab, T const* values) {
  if (slab.start.empty()) {
    variable.putVar(values);
  } else {
    variable.putVar(slab.start, slab.count, values);
  }
}

}  // namespace

void NetcdfWriter::put(netCDF::NcVar const& variable, Hyperslab const& slab, void const* values) {
  run([&](netCDF::NcFile&) { put_values(variable, slab, values); });
}

void NetcdfWriter::put_widened(netCDF::NcVar const& variable, Hyperslab const& slab,
                               unsigned char const* values) {
  run([&](netCDF::NcFile&) { put_values(variable, slab, values); });
}

void NetcdfWriter::close(std::filesystem::path const& path) {
  // Where HDF5 cannot write what closing writes, netCDF-C 4.9 crashes, as it names what is open in a file
  // that is there no more. So the file is open once more meanwhile, and what is left to write is written
  // last, here.
  auto const written = run([&](netCDF::NcFile& file) {
    file.sync();
    auto const last = Hdf5File::open(path.string());
    file.close();
    return last == nullptr || last->close();
  });
  if (!written) fail(NC_EHDFERR);
}

EnvironmentError NetcdfWriter::error(std::string const& reason) const {
  return EnvironmentError(before_ + reason + after_);
}

void NetcdfWriter::fail(int status) {
  failed_ = true;
  throw error(netcdf_reason(status));
}

}  // namespace ulpine::io
