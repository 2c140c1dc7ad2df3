// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

/// Places on the sphere. Longitude and latitude are in rad throughout.
namespace ulpine::sphere {

inline constexpr double radius = 6371000;  ///< of the Earth, m

using Vector = std::array<double, 3>;
struct LonLat {
  double longitude, latitude;
};

/// Unit vector of a place: z through the north pole, x through (0, 0).
Vector to_vector(LonLat place);
/// The inverse of to_vector(); longitude in (-pi, pi].
LonLat to_place(Vector const& vector);
/// Unit vectors towards the east and the north at a place.
Vector east(LonLat place);
Vector north(LonLat place);
double dot(Vector const& a, Vector const& b);
/// Distance along the great circle, m.
double distance(LonLat a, LonLat b);

/// A turn of the sphere that takes geographic to the mesh's coordinates: about the Earth's axis eastward by
/// `about_z`, then about the y axis by `about_y`, which tips (0, 0) towards the north pole. With 40 and 15
/// degrees the mesh's poles lie in Greenland (75 N, 40 W) and Antarctica, as in neXtSIM-DG.
class Rotation {
 public:
  Rotation(double about_z, double about_y);
  Vector to_mesh(Vector const& geographic) const;
  Vector to_globe(Vector const& of_mesh) const;
  LonLat to_mesh(LonLat geographic) const { return to_place(to_mesh(to_vector(geographic))); }
  LonLat to_globe(LonLat of_mesh) const { return to_place(to_globe(to_vector(of_mesh))); }
  /// The angle from the mesh's x axis to the geographic east at a place of the mesh: a vector (e, n) to east
  /// and north is (e cos - n sin, e sin + n cos) along the mesh's axes.
  double angle_of_east(LonLat of_mesh) const;

 private:
  double cos_z_, sin_z_, cos_y_, sin_y_;
};

}  // namespace ulpine::sphere
