// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ulpine::lkf::test {

/// A row-major two-dimensional array of numpy's: float64, bool or uint8, as double.
struct Array {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;
};

/// Reads a `.npy` file. std::runtime_error on anything else.
Array read_npy(std::string const& path);

/// Reads the arrays of a `.npz` file, stored or deflated, by name without `.npy`.
std::map<std::string, Array> read_npz(std::string const& path);

}  // namespace ulpine::lkf::test
