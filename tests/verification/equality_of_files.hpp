// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"
#include "verification/comparison/compare.hpp"

/// Files for compare(), written with netCDF itself.
namespace ulpine::verification::equality_of_files {

using test::NetcdfWriting;
using Values = std::vector<double>;

class EqualityOfFiles : public ::testing::Test {
 protected:
  io::InputFile write(std::function<void(NetcdfWriting&)> const& content, int mode = NC_NETCDF4) {
    auto const path = folder_ / (std::to_string(count_++) + ".nc");
    {
      NetcdfWriting file{path, mode};
      content(file);
    }
    return io::InputFile(path);
  }
  /// h(x) of a type, with attributes of numbers.
  io::InputFile field(Values const& values, nc_type type = NC_DOUBLE,
                      std::vector<std::pair<char const*, Values>> const& attributes = {}) {
    return write([&](NetcdfWriting& file) {
      auto const h = file.variable("h", type, {file.dimension("x", values.size())});
      for (auto const& [name, numbers] : attributes) file.number(h, name, type, numbers);
      file.values(h, values);
    });
  }
  static VariableComparison const& of(Comparison const& comparison, std::string const& name) {
    return *std::ranges::find(comparison.variables, name, &VariableComparison::name);
  }
  static PlaceAgreement const& place(Comparison const& comparison, std::string const& name) {
    return std::ranges::find(comparison.places, name, &std::pair<std::string, PlaceAgreement>::first)->second;
  }
  static bool tells(std::vector<std::string> const& lines, std::string const& words) {
    return std::ranges::any_of(lines,
                               [&](auto const& line) { return line.find(words) != std::string::npos; });
  }
  static bool tells(std::vector<NotCompared> const& things, std::string const& words) {
    return std::ranges::any_of(
        things, [&](auto const& thing) { return thing.line.find(words) != std::string::npos; });
  }

 private:
  test::TemporaryFolder folder_;
  int count_ = 0;
};

}  // namespace ulpine::verification::equality_of_files
