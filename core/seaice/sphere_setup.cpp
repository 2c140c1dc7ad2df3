// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/sphere_setup.hpp"

#include <memory>
#include <numbers>

#include "core/model/common_keys.hpp"
#include "core/seaice/keys.hpp"
#include "precision/elementary.hpp"

namespace ulpine::seaice {
namespace {

constexpr double degree = std::numbers::pi / 180;

void read_cyclone(io::KeyReader const& keys, sphere::Rotation const& rotation, QuadMesh const& mesh,
                  Parameters& p) {
  p.wind.kind = Wind<double>::Kind::cyclone;
  auto const middle = mesh.corners(mesh.nx / 2, mesh.ny / 2);
  auto const at = rotation.to_globe(sphere::LonLat{middle.x[0], middle.y[0]});
  sphere::LonLat const centre{degree * keys.number("forcing.cyclone_longitude", at.longitude / degree),
                              degree * keys.number("forcing.cyclone_latitude", at.latitude / degree)};
  double const to_east = keys.number("forcing.cyclone_drift_x", 0);
  double const to_north = keys.number("forcing.cyclone_drift_y", 0);
  double const speed = math::hypot(to_east, to_north);
  p.wind_centre = rotation.to_mesh(sphere::to_vector(centre));
  p.wind_turning = speed / sphere::radius;
  if (speed > 0) {
    auto const east = sphere::east(centre), north = sphere::north(centre);
    sphere::Vector heading{};
    for (std::size_t d = 0; d < 3; ++d) heading[d] = (to_east * east[d] + to_north * north[d]) / speed;
    p.wind_heading = rotation.to_mesh(heading);
  }
  p.wind.rate = keys.number("forcing.cyclone_rate");
  p.wind.reach = keys.number("forcing.cyclone_reach");
  double const angle = degree * keys.number("forcing.cyclone_angle");
  p.wind.inflow_cos = math::cos(angle);
  p.wind.inflow_sin = math::sin(angle);
}

}  // namespace

void require_spherical_maps(io::CaseFile const& case_file, Parameters const& p) {
  if (p.maps == MapsKind::constant) {
    throw case_file.error(
        "discretisation.maps",
        "constant (no two cells of the sphere have the same matrices in general) use auto or "
        "precomputed");
  }
}

void read_sphere_wind(io::CaseFile const& case_file, sphere::Rotation const& rotation, Setup& setup) {
  auto const keys = reader_of(case_file);
  auto& p = setup.parameters;
  auto const wind = keys.choice("forcing.wind", "cyclone", {"calm", "uniform", "cyclone", "file"});
  if (wind == "uniform") {
    p.wind.kind = Wind<double>::Kind::uniform;
    p.wind.u = keys.number("forcing.wind_u");
    p.wind.v = keys.number("forcing.wind_v");
  } else if (wind == "cyclone") {
    read_cyclone(keys, rotation, setup.mesh, p);
  } else if (wind == "file") {
    io::KeyReader const common(case_file, common_case_keys());
    auto const duration = common.has("time.end") ? common.duration("time.end", "0 s") : 0;
    setup.wind_file = std::make_shared<WindFile>(case_file, rotation, duration);
  }
}

void set_places(sphere::Rotation const& rotation, Setup& setup) {
  auto const& mesh = setup.mesh;
  auto const cg = setup.parameters.cg;
  for (std::int32_t j = 0; j < mesh.ny; ++j) {
    for (std::int32_t i = 0; i < mesh.nx; ++i) {
      auto const [x, y] = node_place(mesh, 2, 2 * i + 1, 2 * j + 1);
      auto const centre = rotation.to_globe(sphere::LonLat{x, y});
      setup.longitude.push_back(centre.longitude / degree);
      setup.latitude.push_back(centre.latitude / degree);
    }
  }
  for (std::int32_t j = 0; j <= cg * mesh.ny; ++j) {
    for (std::int32_t i = 0; i <= cg * mesh.nx; ++i) {
      auto const [x, y] = node_place(mesh, cg, i, j);
      sphere::LonLat const place{x, y};
      auto const globe = rotation.to_globe(place);
      setup.node_longitude.push_back(globe.longitude / degree);
      setup.node_latitude.push_back(globe.latitude / degree);
      setup.east_angle.push_back(rotation.angle_of_east(place) / degree);
    }
  }
}

}  // namespace ulpine::seaice
