// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_library.hpp"

#include <dlfcn.h>
#include <netcdf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "io/error.hpp"

namespace ulpine::io {

namespace {

/// A handle of dlsym() that finds symbols of netCDF and of the libraries it was linked with.
void* netcdf_and_below() {
  Dl_info netcdf{};
  if (dladdr(dlsym(RTLD_DEFAULT, "nc_strerror"), &netcdf) == 0) return RTLD_DEFAULT;
  auto* const handle = dlopen(netcdf.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return handle == nullptr ? RTLD_DEFAULT : handle;
}

template <class Function>
Function* hdf5_function(char const* name) {
  return reinterpret_cast<Function*>(hdf5_symbol(name));
}

/// HDF5 prints its error stack on every thread but the one on which netCDF silenced it.
void silence_hdf5_on_this_thread() {
  static auto* const set_auto =
      hdf5_function<int(std::int64_t stack, void* print, void* data)>("H5Eset_auto2");
  thread_local bool silent = false;
  if (!silent && set_auto != nullptr) set_auto(0, nullptr, nullptr);
  silent = true;
}

/// At exit HDF5 closes what is open, and crashes on a file whose last write failed. Ours are closed by their
/// objects.
bool keep_hdf5_from_closing_at_exit() {
  auto* const dont_atexit = hdf5_function<int()>("H5dont_atexit");
  return dont_atexit != nullptr && dont_atexit() >= 0;
}

}  // namespace

void* hdf5_symbol(char const* name) {
  static auto* const place = netcdf_and_below();
  return dlsym(place, name);
}

std::unique_lock<std::mutex> lock_netcdf() {
  static std::mutex mutex;
  std::unique_lock lock{mutex};
  [[maybe_unused]] static bool const kept = keep_hdf5_from_closing_at_exit();
  silence_hdf5_on_this_thread();
  return lock;
}

void prepare_netcdf() {
  static auto* const open_hdf5 = hdf5_function<int()>("H5open");
  [[maybe_unused]] static bool const prepared =
      nc_initialize() == NC_NOERR && open_hdf5 != nullptr && open_hdf5() >= 0;
}

std::string netcdf_reason(int status) {
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) return std::strerror(errno);
  return nc_strerror(status);
}

namespace {

class ClassicHeader {
 public:
  explicit ClassicHeader(std::filesystem::path const& path)
      : path_{path.string()}, stream_{path, std::ios::binary} {}

  std::uint64_t needed_bytes() {
    char magic[4] = {};
    stream_.read(magic, sizeof magic);
    if (!stream_ || std::memcmp(magic, "CDF", 3) != 0) return 0;
    version_ = magic[3];
    if (version_ != 1 && version_ != 2 && version_ != 5) return 0;
    auto const records = count();
    auto const streaming = version_ == 5 ? ~std::uint64_t{0} : std::uint64_t{0xffffffff};
    std::vector<std::uint64_t> lengths;
    integer(4);
    for (auto left = count(); left > 0; --left) {
      skip_name();
      lengths.push_back(count());
    }
    skip_attributes();

    std::uint64_t needed = static_cast<std::uint64_t>(stream_.tellg());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> of_records;  // begin and bytes
    integer(4);
    for (auto left = count(); left > 0; --left) {
      skip_name();
      std::uint64_t values = 1;
      bool has_records = false;
      for (auto dimensions = count(); dimensions > 0; --dimensions) {
        auto const dimension = count();
        if (dimension >= lengths.size()) throw damaged();
        if (lengths[dimension] == 0) {
          has_records = true;
        } else {
          values = times(values, lengths[dimension]);
        }
      }
      skip_attributes();
      auto const bytes = times(values, type_size());
      count();  // vsize, which overflows in large files: recomputed
      auto const begin = integer(version_ == 1 ? 4 : 8);
      if (has_records) {
        of_records.emplace_back(begin, bytes);
      } else {
        needed = std::max(needed, plus(begin, bytes));
      }
    }
    if (records == 0 || records == streaming) return needed;
    // Records are padded to 4 bytes, except where there is a single record variable.
    std::uint64_t record = 0;
    for (auto const& [begin, bytes] : of_records) record = plus(record, plus(bytes, (4 - bytes % 4) % 4));
    if (of_records.size() == 1) record = of_records.front().second;
    for (auto const& [begin, bytes] : of_records) {
      needed = std::max(needed, plus(plus(begin, times(records - 1, record)), bytes));
    }
    return needed;
  }

 private:
  InputError damaged() const {
    return InputError(path_ + ": not a whole NetCDF file (its header is cut short or damaged) copy it again");
  }
  std::uint64_t times(std::uint64_t a, std::uint64_t b) const {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) throw damaged();
    return product;
  }
  std::uint64_t plus(std::uint64_t a, std::uint64_t b) const {
    std::uint64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw damaged();
    return sum;
  }
  std::uint64_t integer(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
      auto const byte = stream_.get();
      if (!stream_) throw damaged();
      value = value << 8 | static_cast<std::uint64_t>(byte);
    }
    return value;
  }
  std::uint64_t count() { return integer(version_ == 5 ? 8 : 4); }
  std::uint64_t type_size() {
    static constexpr std::uint64_t sizes[] = {1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    auto const type = integer(4);
    if (type < 1 || type > std::size(sizes)) throw damaged();
    return sizes[type - 1];
  }
  void skip(std::uint64_t bytes) {
    auto const padded = plus(bytes, (4 - bytes % 4) % 4);
    if (padded > std::uint64_t{1} << 40) throw damaged();
    stream_.seekg(static_cast<std::streamoff>(padded), std::ios::cur);
    if (!stream_) throw damaged();
  }
  void skip_name() { skip(count()); }
  void skip_attributes() {
    integer(4);
    for (auto left = count(); left > 0; --left) {
      skip_name();
      auto const size = type_size();
      skip(times(count(), size));
    }
  }

  std::string path_;
  std::ifstream stream_;
  int version_ = 0;
};

}  // namespace

std::uint64_t netcdf_classic_size(std::filesystem::path const& path) {
  return ClassicHeader{path}.needed_bytes();
}

void require_netcdf_name(std::filesystem::path const& path) {
  auto const& name = path.native();
  if (name.find("://") != std::string::npos) {
    throw InputError(
        name +
        ": is no name of a NetCDF file (netCDF would take it for an address in the network) give "
        "the path without ://");
  }
  if (name.find('\\') != std::string::npos) {
    throw InputError(name +
                     ": is no name of a NetCDF file (netCDF would take the backslash in it for a slash) "
                     "choose a path without one");
  }
}

}  // namespace ulpine::io
