// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_change.hpp"

#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_library.hpp"

namespace ulpine::io {
namespace {

/// An open file; whoever calls holds lock_netcdf().
class OpenFile {
 public:
  explicit OpenFile(std::filesystem::path const& path) : path_{path.string()} {
    require_netcdf_name(path);
    if (auto const status = nc_open(path_.c_str(), NC_WRITE, &number_); status != NC_NOERR) {
      throw InputError(path_ + ": cannot be changed (" + netcdf_reason(status) + ") name a NetCDF file");
    }
  }
  OpenFile(OpenFile const&) = delete;
  OpenFile& operator=(OpenFile const&) = delete;
  ~OpenFile() {
    if (number_ >= 0) nc_close(number_);
  }
  void close() {
    auto const status = nc_close(number_);
    number_ = -1;
    require(status);
  }
  /// Throws for the status of a call that should have worked.
  void require(int status) const {
    if (status != NC_NOERR) {
      throw EnvironmentError(path_ + ": cannot be written (" + netcdf_reason(status) +
                             ") see whether the disk is full");
    }
  }
  int number() const { return number_; }
  std::string const& path() const { return path_; }

 private:
  std::string path_;
  int number_ = -1;
};

std::vector<double> fill_values(OpenFile const& file, int variable) {
  std::vector<double> fills;
  for (auto const* const name : {"_FillValue", "missing_value"}) {
    double value = 0;
    std::size_t length = 0;
    if (nc_inq_attlen(file.number(), variable, name, &length) == NC_NOERR && length == 1 &&
        nc_get_att_double(file.number(), variable, name, &value) == NC_NOERR) {
      fills.push_back(value);
    }
  }
  return fills;
}

int changeable(OpenFile const& file, std::string const& name) {
  auto variable = -1;
  if (nc_inq_varid(file.number(), name.c_str(), &variable) != NC_NOERR) {
    throw InputError(file.path() + ": no variable '" + name +
                     "' (it is to be changed) name one that is there");
  }
  nc_type type = NC_NAT;
  file.require(nc_inq_vartype(file.number(), variable, &type));
  std::size_t length = 0;
  auto const packed = nc_inq_attlen(file.number(), variable, "scale_factor", &length) == NC_NOERR;
  if (packed || (type != NC_FLOAT && type != NC_DOUBLE)) {
    throw InputError(file.path() + ": " + name + " is " + (packed ? "packed" : "neither float nor double") +
                     " (small changes would be lost in it) name another variable");
  }
  return variable;
}

}  // namespace

void change_variable(std::filesystem::path const& path, std::string const& name, ValueChange const& change) {
  // Read elsewhere first: a damaged file would take this process down.
  if (InputFile const looked_at(path); !looked_at.has_values(name)) {
    throw InputError(path.string() + ": no variable '" + name + "'" +
                     choices_hint(name, looked_at.variables()));
  }
  auto const lock = lock_netcdf();
  OpenFile file(path);
  auto const variable = changeable(file, name);
  auto const fills = fill_values(file, variable);
  int rank = 0;
  std::array<int, NC_MAX_VAR_DIMS> ids{};
  file.require(nc_inq_var(file.number(), variable, nullptr, nullptr, &rank, ids.data(), nullptr));
  std::vector<std::size_t> start(static_cast<std::size_t>(rank)), count(static_cast<std::size_t>(rank), 1);
  for (std::size_t d = 0; d < count.size(); ++d) {
    file.require(nc_inq_dimlen(file.number(), ids[d], &count[d]));
  }
  auto const row = std::accumulate(count.begin() + (count.empty() ? 0 : 1), count.end(), std::size_t{1},
                                   std::multiplies<>());
  auto const rows = count.empty() ? std::size_t{1} : count.front();
  constexpr std::size_t slab_values = std::size_t{4} << 20;
  auto const together = std::max<std::size_t>(slab_values / std::max<std::size_t>(row, 1), 1);
  for (std::size_t first = 0; first < rows; first += together) {
    if (!count.empty()) {
      start.front() = first;
      count.front() = std::min(together, rows - first);
    }
    std::vector<double> before((count.empty() ? 1 : count.front()) * row);
    if (before.empty()) break;
    file.require(nc_get_vara_double(file.number(), variable, start.data(), count.data(), before.data()));
    auto after = before;
    change(static_cast<std::int64_t>(first * row), after);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (std::isnan(before[i]) || std::ranges::count(fills, before[i]) > 0) after[i] = before[i];
    }
    file.require(nc_put_vara_double(file.number(), variable, start.data(), count.data(), after.data()));
  }
  file.close();
}

}  // namespace ulpine::io
