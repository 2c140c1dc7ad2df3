// SPDX-License-Identifier: Apache-2.0
#include "core/model/grid_memory.hpp"

#include <cmath>

#include "core/exec/device.hpp"
#include "core/exec/memory.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

void require(io::CaseFile const& case_file, char const* key, std::string const& grid, double bytes,
             std::string const& where, std::int64_t left) {
  if (bytes <= static_cast<double>(left)) return;
  auto const mebibytes = [](double count) { return std::to_string(std::llround(count * 0x1p-20)) + " MiB"; };
  throw EnvironmentError(case_file
                             .error(key, "out of memory (" + grid + " needs " + mebibytes(bytes) +
                                             " or more, " + where + " has " +
                                             mebibytes(static_cast<double>(left)) +
                                             " left) choose a smaller grid, or more ranks")
                             .what());
}

}  // namespace

void require_memory_of_grid(io::CaseFile const& case_file, char const* key, std::string const& grid,
                            double bytes) {
  require(case_file, key, grid, bytes, "the host", available_host_memory());
}

void require_memory_of_grid(io::CaseFile const& case_file, char const* key, std::string const& grid,
                            double bytes, ModelOptions const& options) {
  auto const share = bytes / options.ranks;
  auto const ordinal = device_ordinal(options.device);
  if (ordinal < 0) {
    require_memory_of_grid(case_file, key, grid, share);
  } else {
    require(case_file, key, grid, share, "the GPU", require_device(ordinal).memory_bytes);
  }
}

void require_memory_of_grid(io::CaseFile const& case_file, GridSize const& size, double a_cell,
                            ModelOptions const& options) {
  auto const [nx, ny, nz] = size;
  require_memory_of_grid(
      case_file, "grid.nx",
      "a grid of " + std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz) + " cells",
      a_cell * nx * ny * nz, options);
}

}  // namespace ulpine
