// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::io {

inline constexpr std::int64_t nx = 7, ny = 5;

inline std::vector<Coordinate> coordinates() {
  Coordinate x{"x", "projection_x_coordinate", "x", "m", "X", {}},
      y{"y", "projection_y_coordinate", "y", "m", "Y", {}};
  Coordinate z{"z", "height", "height", "m", "Z", {1, 3, 9}};
  for (int i = 0; i < nx; ++i) x.values.push_back(2000. * i + 1000);
  for (int j = 0; j < ny; ++j) y.values.push_back(2000. * j + 1000);
  return {x, y, z};
}

inline FieldInfo const concentration{
    "siconc", "sea_ice_area_fraction", "sea-ice concentration", "1", {"y", "x"}, {ny, nx}, ""};
inline FieldInfo const modes{"siconc_dg", "", "coefficients of concentration", "1", {"y", "x", "mode"},
                             {ny, nx, 3}, ""};
inline FieldInfo const area{"cell_area", "cell_area", "area of the cell", "m2", {"y", "x"}, {ny, nx}, ""};

inline OutputFile create(std::filesystem::path const& path,
                         std::vector<FieldInfo> const& fields = {concentration, modes}) {
  auto provenance = build_provenance();
  provenance.policy = "fp32";
  provenance.case_hash = hex(0xabc);
  return OutputFile{path,   "A test",   coordinates(),    fields,
                    {area}, provenance, "core = \"x\"\n", {{"attribution", "nobody"}}};
}

inline std::vector<double> noise(std::int64_t size, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<double> values;
  while (static_cast<std::int64_t>(values.size()) < size) {
    auto const value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

inline void write_record(OutputFile& file, int record) {
  file.begin_time(3600. * record);
  file.write("siconc", slabs_of(noise(concentration.size(), record)));
  file.write("siconc_dg", slabs_of(noise(modes.size(), 100 + record)));
  file.finish_time();
}

}  // namespace ulpine::io
