// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/sphere.hpp"

#include <algorithm>
#include <cstddef>

#include "precision/elementary.hpp"

namespace ulpine::sphere {

Vector to_vector(LonLat place) {
  double const c = math::cos(place.latitude);
  return {c * math::cos(place.longitude), c * math::sin(place.longitude), math::sin(place.latitude)};
}

LonLat to_place(Vector const& v) {
  return {math::atan2(v[1], v[0]), math::atan2(v[2], math::hypot(v[0], v[1]))};
}

Vector east(LonLat place) { return {-math::sin(place.longitude), math::cos(place.longitude), 0}; }

Vector north(LonLat place) {
  double const s = math::sin(place.latitude);
  return {-s * math::cos(place.longitude), -s * math::sin(place.longitude), math::cos(place.latitude)};
}

double dot(Vector const& a, Vector const& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double distance(LonLat a, LonLat b) {
  auto const u = to_vector(a), v = to_vector(b);
  double square = 0;
  for (std::size_t d = 0; d < 3; ++d) square += (u[d] - v[d]) * (u[d] - v[d]);
  double const half_chord = math::sqrt(square) / 2;
  return 2 * radius * math::atan2(half_chord, math::sqrt(std::max(0.0, 1 - half_chord * half_chord)));
}

Rotation::Rotation(double about_z, double about_y)
    : cos_z_{math::cos(about_z)},
      sin_z_{math::sin(about_z)},
      cos_y_{math::cos(about_y)},
      sin_y_{math::sin(about_y)} {}

Vector Rotation::to_mesh(Vector const& v) const {
  double const x = cos_z_ * v[0] - sin_z_ * v[1], y = sin_z_ * v[0] + cos_z_ * v[1];
  return {cos_y_ * x - sin_y_ * v[2], y, sin_y_ * x + cos_y_ * v[2]};
}

Vector Rotation::to_globe(Vector const& v) const {
  double const x = cos_y_ * v[0] + sin_y_ * v[2], z = -sin_y_ * v[0] + cos_y_ * v[2];
  return {cos_z_ * x + sin_z_ * v[1], -sin_z_ * x + cos_z_ * v[1], z};
}

double Rotation::angle_of_east(LonLat of_mesh) const {
  auto const to_east = to_mesh(east(to_globe(of_mesh)));
  return math::atan2(dot(to_east, north(of_mesh)), dot(to_east, east(of_mesh)));
}

}  // namespace ulpine::sphere
