// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/mesh/sphere.hpp"
#include "core/seaice/setup.hpp"
#include "io/case_file.hpp"

/// Parts of a case's set-up that only the sphere or refined meshes have.
namespace ulpine::seaice {

/// InputError for maps that there are none of on the sphere.
void require_spherical_maps(io::CaseFile const& case_file, Parameters const& parameters);

/// The wind of a case on the sphere: none, uniform along the mesh's axes, a cyclone or a file's.
void read_sphere_wind(io::CaseFile const& case_file, sphere::Rotation const& rotation, Setup& setup);

/// Longitude and latitude of cells and nodes on the globe, and where the east is at the nodes.
void set_places(sphere::Rotation const& rotation, Setup& setup);

/// The cells of a file on the nx x ny cells of a mesh of which n x n make one.
struct CoarseCells {
  std::int32_t nx, ny, n;

  std::int32_t columns() const { return nx / n; }
  std::int32_t rows() const { return ny / n; }
  /// Gives each fine cell the value of its coarse one.
  template <class T>
  std::vector<T> spread(std::vector<T> const& values) const {
    if (n == 1) return values;
    std::vector<T> fine;
    fine.reserve(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny));
    for (std::int32_t j = 0; j < ny; ++j) {
      for (std::int32_t i = 0; i < nx; ++i) fine.push_back(values[coarse_of(i, j)]);
    }
    return fine;
  }
  /// Gives each coarse cell the value of its first fine one.
  template <class T>
  std::vector<T> first_of(std::vector<T> const& fine) const {
    std::vector<T> values;
    for (std::int32_t j = 0; j < ny; j += n) {
      for (std::int32_t i = 0; i < nx; i += n) values.push_back(fine[static_cast<std::size_t>(j) * nx + i]);
    }
    return values;
  }

 private:
  std::size_t coarse_of(std::int32_t i, std::int32_t j) const {
    return static_cast<std::size_t>(j / n) * columns() + i / n;
  }
};

}  // namespace ulpine::seaice
