// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/mesh/sphere.hpp"
#include "io/case_file.hpp"
#include "io/netcdf.hpp"

namespace ulpine::seaice {

/// Winds of a NetCDF file on a grid of longitudes and latitudes, linear between its times and bilinear
/// between its points, along the axes of a mesh on the sphere.
class WindFile {
 public:
  /// Reads the keys `forcing.wind_*` of a run of `duration` s; InputError where the file does not hold
  /// eastward and northward wind in m s-1 for all of it.
  WindFile(io::CaseFile const& case_file, sphere::Rotation const& rotation, double duration);

  /// A time of the run (s) lies between times `first` and first + 1 of the file.
  struct Location {
    std::int64_t first;
    double weight;  ///< of first + 1, in [0, 1); 0 where the wind is steady
  };
  Location locate(double time) const;
  /// Wind (m s-1) of time `index` along x and y at places of the mesh, from the file. InputError for a place
  /// that its grid does not reach.
  void read(std::int64_t index, std::vector<sphere::LonLat> const& places, std::vector<double>& u,
            std::vector<double>& v) const;

 private:
  struct Variable {
    std::string name;
    std::vector<std::int64_t> shape;
  };
  struct Bracket {
    std::int64_t first, second;
    double weight;  ///< of the second
  };
  Variable open(io::CaseFile const& case_file, char const* key, char const* fallback,
                char const* other) const;
  void read_indices(io::CaseFile const& case_file);
  std::vector<double> read_axis(io::CaseFile const& case_file, bool along_longitude) const;
  void place_in_time(io::CaseFile const& case_file, double duration);
  static Bracket bracket(std::vector<double> const& values, double at, bool around);
  bool covers(sphere::LonLat place) const;
  double near_axis(double longitude) const;  ///< degrees, from the first of the axis up

  sphere::Rotation rotation_;
  io::InputFile file_;
  std::vector<std::int64_t> indices_;  ///< of dimensions before latitude that are no time
  Variable u_, v_;
  std::vector<double> longitude_, latitude_;  ///< degrees
  bool periodic_ = false;
  std::vector<double> times_;  ///< s since the start of the run; empty where steady
  std::int64_t steady_ = 0;    ///< the one time then
};

}  // namespace ulpine::seaice
