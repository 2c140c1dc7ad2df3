// SPDX-License-Identifier: Apache-2.0
#include "io/foreign_reader.hpp"

#include <filesystem>

#include "io/error.hpp"
#include "io/foreign_format.hpp"
#include "io/gunzip.hpp"
#include "io/hdf5_file.hpp"
#include "io/netcdf_library.hpp"

namespace ulpine::io {
namespace {

class NetcdfReader : public ForeignReader {
 public:
  explicit NetcdfReader(std::string const& path)
      : file_{path}, hdf5_{Hdf5File::open(path)}, catalogue_{file_.catalogue()} {
    if (hdf5_ != nullptr) hdf5_->complete(catalogue_, file_.dimensions());
  }
  NetcdfCatalogue const& catalogue() const override { return catalogue_; }
  void read(std::size_t number, std::vector<std::size_t> const& start, std::vector<std::size_t> const& count,
            void* values) override {
    auto const& variable = catalogue_.variables.at(number);
    if (variable.type == label_type) {
      if (hdf5_ == nullptr) throw NetcdfFailure(no_numbers);
      hdf5_->read_labels(variable, start, count, static_cast<std::uint64_t*>(values));
      return;
    }
    read_hyperslab(variable, start, count, values);
    if (hdf5_ != nullptr && !variable.prefilled && variable.numeric() && !variable.wide_integer()) {
      hdf5_->mark_unwritten(variable, start, count, static_cast<double*>(values));
    }
  }

 private:
  OpenNetcdf const file_;
  std::unique_ptr<Hdf5File> const hdf5_;
  NetcdfCatalogue catalogue_;
};

/// netCDF-C would read what a classic file lacks as zeros.
void require_whole(std::string const& path) {
  std::uint64_t needed = 0;
  try {
    needed = netcdf_classic_size(path);
  } catch (InputError const&) {
    throw NetcdfFailure("its header is cut short or damaged");
  }
  if (auto const bytes = std::filesystem::file_size(path); bytes < needed) {
    throw NetcdfFailure(std::to_string(bytes) + " of " + std::to_string(needed) + " bytes are there");
  }
}

/// What gzip had packed, in a temporary file.
class UnpackedReader : public ForeignReader {
 public:
  UnpackedReader(std::string const& path, Allowance const& allow) : unpacked_{path, allow} {
    auto const& inner = unpacked_.path();
    auto const format = format_of(inner);
    if (format == ForeignFormat::gzip) throw NetcdfFailure("it is packed by gzip twice");
    if (format == ForeignFormat::netcdf) require_whole(inner);
    reader_ = open_reader(inner, allow);
    unpacked_.remove();
  }
  NetcdfCatalogue const& catalogue() const override { return reader_->catalogue(); }
  void read(std::size_t variable, std::vector<std::size_t> const& start,
            std::vector<std::size_t> const& count, void* values) override {
    reader_->read(variable, start, count, values);
  }

 private:
  Gunzipped unpacked_;
  std::unique_ptr<ForeignReader> reader_;
};

}  // namespace

std::unique_ptr<ForeignReader> open_netcdf_reader(std::string const& path) {
  return std::make_unique<NetcdfReader>(path);
}

std::unique_ptr<ForeignReader> open_reader(std::string const& path, Allowance const& allow) {
  switch (format_of(path)) {
    case ForeignFormat::gzip:
      return std::make_unique<UnpackedReader>(path, allow);
    case ForeignFormat::grib:
      return open_grib_reader(path, allow);
    case ForeignFormat::zarr:
      return open_zarr_reader(path, allow);
    default:
      return open_netcdf_reader(path);
  }
}

}  // namespace ulpine::io
