// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/mesh/sphere.hpp"
#include "io/case_file.hpp"
#include "io/grid_variable.hpp"
#include "io/netcdf.hpp"

namespace ulpine::seaice {

/// Winds of a NetCDF file on a grid of longitudes and latitudes, linear between its times and bilinear
/// between its points, along the axes of a mesh on the sphere.
///
/// All longitudes at a pole are one point, and the components of its one wind turn with them. Where a row at
/// a pole does not hold such a wind (one number, zeros, missing values), and where a grid around the globe
/// ends within a row of the pole, the pole has the mean of the winds of the row beside it, each carried along
/// its meridian.
class WindFile {
 public:
  /// Reads the keys `forcing.wind_*` of a run of `duration` s; InputError where the file does not hold
  /// eastward and northward wind in a unit of speed for all of it.
  WindFile(io::CaseFile const& case_file, sphere::Rotation const& rotation, double duration);
  WindFile(WindFile const&) = delete;
  WindFile& operator=(WindFile const&) = delete;

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
  struct Bracket {
    std::int64_t first, second;
    double weight;  ///< of the second
  };
  struct Component {
    io::GridVariable variable;
    double divisor;  ///< to m s-1
  };
  /// Eastward and northward wind, m s-1, on latitude_ and longitude_.
  struct Winds {
    std::vector<double> east, north;
  };
  Component open(io::CaseFile const& case_file, char const* key, char const* other,
                 std::span<char const* const> names);
  void find_axes(io::CaseFile const& case_file);
  void require_degrees(io::CaseFile const& case_file, io::GridAxis const& axis, char const* what) const;
  /// InputError for longitudes that go further than round the globe, and latitudes beyond the poles.
  void require_one_turn(io::CaseFile const& case_file, double step) const;
  /// Throws the InputError about an implausible wind (m s-1) at a row and column of rising latitudes and
  /// longitudes.
  [[noreturn]] void refuse(Component const& component, double value, std::int64_t index, std::size_t row,
                           std::size_t column) const;
  Winds winds(std::int64_t index) const;
  void mend_pole(Winds& winds, std::size_t row, std::size_t beside) const;
  void place_in_time(io::CaseFile const& case_file, double duration);
  static Bracket bracket(std::vector<double> const& values, double at, bool around);
  bool covers(sphere::LonLat place) const;
  double near_axis(double longitude) const;  ///< degrees, from the first of the axis up

  sphere::Rotation rotation_;
  io::InputFile file_;
  Component u_, v_;
  std::vector<double> longitude_, latitude_;  ///< degrees, rising; with rows at the poles that the file lacks
  bool adds_south_ = false, adds_north_ = false;
  bool periodic_ = false;
  std::vector<double> times_;  ///< s since the start of the run; empty where steady
  std::int64_t steady_ = 0;    ///< the one time then
};

}  // namespace ulpine::seaice
