// SPDX-License-Identifier: Apache-2.0
#include "core/fem/setup.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "core/fem/base_column.hpp"
#include "core/fem/keys.hpp"
#include "core/fem/start_file.hpp"
#include "core/mesh/gmsh.hpp"
#include "core/mesh/ugrid.hpp"
#include "core/model/least_felt.hpp"

namespace ulpine::fem {
namespace {

/// Draws columns to the middle: x = l sinh(b s) / sinh(b) with s from -1 to 1, whose slope at the ends is
/// cosh(b) times that in the middle.
void grade(TetraMesh& mesh, Parameters const& p) {
  auto const b = std::acosh(p.grading);
  if (b == 0) return;
  for (std::size_t i = 0; i < mesh.position.size(); ++i) {
    if (i % 3 == 2) continue;
    auto const half = p.box.length[i % 3] / 2;
    mesh.position[i] = half + half * std::sinh(b * (mesh.position[i] / half - 1)) / std::sinh(b);
  }
}

TetraMesh mesh_of(Parameters const& p) {
  if (!p.file.empty()) {
    auto mesh = p.mesh_kind == "ugrid" ? read_ugrid(p.file) : read_gmsh(p.file.string());
    for (auto& x : mesh.position) x *= p.metres;
    if (p.mountain) {
      auto mountain = *p.mountain;
      mountain.top = 0;
      for (std::size_t i = 2; i < mesh.position.size(); i += 3) {
        mountain.top = std::max(mountain.top, mesh.position[i]);
      }
      raise_terrain(mesh, mountain);
    }
    return mesh;
  }
  auto mesh = box_mesh(p.box);
  grade(mesh, p);
  if (p.mountain) raise_terrain(mesh, *p.mountain);
  settle(mesh, "the box of the case");
  renumber(mesh);
  return mesh;
}

/// InputError for a mountain that lifts the ground by a tenth of its height at fewer than two places, or by
/// half of it where its centre is beside the mesh: it lies outside, or between the nodes.
void require_mountain_on_mesh(io::CaseFile const& c, Setup const& setup) {
  auto const& mountain = setup.parameters.mountain;
  if (!mountain) return;
  auto const &low = setup.parameters.sponge.low, &high = setup.parameters.sponge.high;
  auto const least = least_felt(mountain->x0 >= low[0] && mountain->x0 <= high[0] && mountain->y0 >= low[1] &&
                                mountain->y0 <= high[1]);
  std::optional<std::array<double, 2>> first;
  for (std::int32_t n = 0; n < setup.nodes(); ++n) {
    auto const point = setup.point(n);
    auto const x = (point[0] - mountain->x0) / mountain->radius,
               y = (point[1] - mountain->y0) / mountain->radius;
    if (std::pow(1 + x * x + y * y, -1.5) < least) continue;
    if (!first) first = {point[0], point[1]};
    if (*first != std::array{point[0], point[1]}) return;
  }
  throw c.error(
      "mountain.radius",
      "makes a mountain that hardly stands on the mesh (it is around x = " + io::number_text(mountain->x0) +
          " m, y = " + io::number_text(mountain->y0) + " m, " + io::number_text(mountain->radius) +
          " m wide to each side; the mesh spans " + io::number_text(low[0]) + " to " +
          io::number_text(high[0]) + " m along x, " + io::number_text(low[1]) + " to " +
          io::number_text(high[1]) + " m along y) move it onto the mesh, or make it two cells wide");
}

/// InputError for a bubble of the start, or its water, that reaches no node: it lies outside or between them.
void require_bubble_on_mesh(io::CaseFile const& c, Setup const& setup, double lid) {
  auto const& p = setup.parameters;
  auto const wet = p.vapour > 0 || p.cloud > 0 || p.rain > 0;
  if (!p.bubble) {
    if (!wet || p.start) return;
    throw c.error(p.vapour > 0  ? "water.vapour"
                  : p.cloud > 0 ? "water.cloud"
                                : "water.rain",
                  "is of the bubble (start.amplitude is not given, so there is none) give one; an "
                  "amplitude of 0 makes it of water alone");
  }
  auto shape = *p.bubble;
  if (shape.amplitude == 0 && !wet) return;
  shape.amplitude = 1;
  auto inside = true;
  for (std::size_t d = 0; d < (shape.shape == Bubble::Shape::wave ? 1u : 3u); ++d) {
    inside = inside && (shape.radius[d] == 0 ||
                        (shape.centre[d] >= p.sponge.low[d] && shape.centre[d] <= p.sponge.high[d]));
  }
  for (std::int32_t n = 0; n < setup.nodes(); ++n) {
    if (std::abs(shape.at(setup.point(n), lid)) >= least_felt(inside)) return;
  }
  auto const triple = [](std::array<double, 3> const& values) {
    return io::number_text(values[0]) + ", " + io::number_text(values[1]) + ", " + io::number_text(values[2]);
  };
  throw c.error("start.centre_x", "makes a bubble that hardly lies on the mesh (around " +
                                      triple(shape.centre) + " m with the radii " + triple(shape.radius) +
                                      " m; the mesh spans " + triple(p.sponge.low) + " to " +
                                      triple(p.sponge.high) +
                                      " m) move it onto the mesh, or make it two cells wide");
}

/// Where `name` is that of a group: another group that has triangles and `name` for its number.
std::optional<std::int32_t> other_group_of_number(TetraMesh const& mesh, std::string const& name) {
  std::set<std::int32_t> called, numbered;
  for (auto const& [number, known] : mesh.group) {
    if (known == name) called.insert(number);
  }
  auto const look_at = [&](std::int32_t group) {
    if (!called.contains(group) && std::to_string(group) == name) numbered.insert(group);
  };
  for (auto const group : mesh.face_id) look_at(group);
  for (auto const& [face, group] : mesh.more_groups) look_at(group);
  return called.empty() || numbered.empty() ? std::nullopt : std::optional(*numbered.begin());
}

/// The boundary triangles of the side that the n-th element of `key` names. InputError where it has none.
std::vector<std::int32_t> faces_of_side(io::CaseFile const& c, TetraMesh const& mesh, std::string const& key,
                                        std::size_t n, std::string const& name) {
  auto faces = faces_of(mesh, name);
  auto const element = key + "[" + std::to_string(n) + "]";
  if (auto const other = other_group_of_number(mesh, name)) {
    throw c.error(element, "'" + name + "' is the name of one group and the number of another (" +
                               label_of_group(mesh, *other) + ") give one of them another name in the mesh");
  }
  if (!faces.empty()) return faces;
  auto const groups = named_groups(mesh);
  std::vector<std::string> others;
  bool known = false;
  for (auto const& [number, other] : groups) {
    known = known || other == name;
    if (std::ranges::find(others, other) == others.end() && !faces_of(mesh, other).empty()) {
      others.push_back(other);
    }
  }
  auto const remedy = others.empty()
                          ? " (none of its triangles is in a group; gmsh leaves groups out of format 2 with "
                            "-save_all) put the surfaces into physical groups, or write format 4.1"
                          : choices_hint(name, others);
  throw c.error(element, known ? "no triangle of the mesh's boundary is on the side '" + name +
                                     "'; it is empty, or lies within the domain" + remedy
                               : "no side of the mesh is called '" + name + "'" + remedy);
}

/// Area of a face as a vector that points outward, m2.
std::array<double, 3> area_of(Setup const& setup, std::size_t face) {
  std::array<double, 3> corner[3];
  for (std::size_t k = 0; k < 3; ++k) corner[k] = setup.point(setup.mesh.face[3 * face + k]);
  auto const along = [&](std::size_t k, std::size_t d) { return corner[k][d % 3] - corner[0][d % 3]; };
  std::array<double, 3> area{};
  for (std::size_t d = 0; d < 3; ++d) {
    area[d] = (along(1, d + 1) * along(2, d + 2) - along(1, d + 2) * along(2, d + 1)) / 2;
  }
  return area;
}

/// Sides that are not among these and not open are walls, on which air slips. By triangle, the number of the
/// fixed side that it is on, from 1; else 0.
std::vector<std::size_t> fix_sides(io::CaseFile const& c, Setup& setup) {
  auto const& mesh = setup.mesh;
  setup.fixed.assign(static_cast<std::size_t>(mesh.nodes()), 0);
  std::vector<std::size_t> fixed_by(mesh.face_id.size(), 0);
  auto const& sides = setup.parameters.fixed_sides;
  for (std::size_t n = 0; n < sides.size(); ++n) {
    for (auto const face : faces_of_side(c, mesh, "boundary.fixed", n, sides[n])) {
      auto const f = static_cast<std::size_t>(face);
      fixed_by[f] = n + 1;
      for (std::size_t k = 0; k < 3; ++k) setup.fixed[static_cast<std::size_t>(mesh.face[3 * f + k])] = 1;
    }
  }
  return fixed_by;
}

/// The nodes of open sides have a third of their triangles' areas, each counted once.
void open_sides(io::CaseFile const& c, std::vector<std::size_t> const& fixed_by, Setup& setup) {
  auto const& p = setup.parameters;
  auto const& mesh = setup.mesh;
  setup.open_area.assign(3 * static_cast<std::size_t>(mesh.nodes()), 0);
  std::vector<bool> open(mesh.face_id.size(), false);
  for (std::size_t n = 0; n < p.open_sides.size(); ++n) {
    auto const faces = faces_of_side(c, mesh, "boundary.open", n, p.open_sides[n]);
    for (auto const face : faces) {
      auto const f = static_cast<std::size_t>(face);
      if (fixed_by[f] == 0) continue;
      throw c.error("boundary.open[" + std::to_string(n) + "]",
                    "'" + p.open_sides[n] + "' has triangles of '" + p.fixed_sides[fixed_by[f] - 1] +
                        "', which is among boundary.fixed (air cannot both be given and leave) take one of "
                        "them out, or name sides that share no triangle");
    }
    for (auto const face : faces) {
      auto const f = static_cast<std::size_t>(face);
      if (open[f]) continue;
      open[f] = true;
      auto const area = area_of(setup, f);
      for (std::size_t k = 0; k < 3; ++k) {
        auto const node = static_cast<std::size_t>(mesh.face[3 * f + k]);
        for (std::size_t d = 0; d < 3; ++d) setup.open_area[3 * node + d] += area[d] / 3;
      }
    }
  }
}

/// Reads sponge.from, the height where the sponge below the lid begins, once its corners are the mesh's.
void read_top_of_sponge(io::CaseFile const& c, Sponge& sponge) {
  io::KeyReader const keys(c, case_keys());
  if (!keys.has("sponge.from")) return;
  auto const from = keys.number("sponge.from", sponge.high[2]);
  if (sponge.thickness[2] > 0) {
    throw c.error("sponge.depth",
                  "does not go with sponge.from (each says where the sponge begins) leave one out");
  }
  if (sponge.rate > 0) sponge.thickness[2] = std::max(sponge.high[2] - from, 0.0);
}

/// InputError where rain that falls through the lowest element takes more sub-steps of a step than can be
/// waited for: about as many as elements that it falls through in one, twice.
void require_few_sub_steps(io::CaseFile const& c, Setup const& setup) {
  constexpr double most_elements = 1e4;
  auto const& p = setup.parameters;
  if (!p.humid) return;
  auto least = p.sponge.high[2] - p.sponge.low[2];
  for (std::int32_t e = 0; e < setup.mesh.elements(); ++e) {
    auto low = p.sponge.high[2], high = p.sponge.low[2];
    for (std::size_t k = 0; k < 4; ++k) {
      auto const z = setup.point(setup.mesh.element[4 * static_cast<std::size_t>(e) + k])[2];
      low = std::min(low, z), high = std::max(high, z);
    }
    least = std::min(least, high - low);
  }
  if (auto const elements = p.step * p.fastest_fall / least; elements > most_elements) {
    throw c.error("water.fastest_fall",
                  "takes rain through " + io::number_text(std::ceil(elements)) + " elements of " +
                      io::number_text(least) + " m in a step of " + io::number_text(p.step) + " s (" +
                      io::number_text(most_elements) +
                      " are the most: each is a sub-step) make time.step shorter, or this slower");
  }
}

/// InputError where the base state does not reach the lid, with air there.
void require_air_up_to(io::CaseFile const& c, BaseColumn const& column, double lid, bool sounding) {
  auto const top = io::number_text(column.top()), mesh = io::number_text(lid);
  if (sounding && lid > column.top()) {
    throw c.error("base.file", "ends at " + top + " m over the ground (the lid is at " + mesh +
                                   " m) lower the lid, or take a higher sounding");
  }
  if (column.exner(lid) > 0) return;
  throw c.error(sounding ? "base.file" : "base.theta",
                "leaves no air at the lid (the column ends " + (sounding ? "below it" : "at " + top + " m") +
                    ", the mesh at " + mesh + " m) lower the lid or warm the air");
}

void measure(Setup& setup) {
  auto const& mesh = setup.mesh;
  setup.volume.assign(static_cast<std::size_t>(mesh.nodes()), 0);
  setup.ground.assign(setup.volume.size(), 0);
  setup.rain_ground.assign(setup.volume.size(), 0);
  for (std::int32_t e = 0; e < mesh.elements(); ++e) {
    for (std::size_t k = 0; k < 4; ++k) {
      setup.volume[static_cast<std::size_t>(mesh.element[4 * static_cast<std::size_t>(e) + k])] +=
          six_volumes(mesh, e) / 24;
    }
  }
  for (std::size_t f = 0; f < mesh.face_id.size(); ++f) {
    auto const down = std::max(-area_of(setup, f)[2], 0.0);
    for (std::size_t k = 0; k < 3; ++k) {
      setup.rain_ground[static_cast<std::size_t>(mesh.face[3 * f + k])] += down / 3;
    }
  }
  for (auto const face : faces_of(mesh, "ground")) {
    auto const f = static_cast<std::size_t>(face);
    auto const area = area_of(setup, f);
    for (std::size_t k = 0; k < 3; ++k) {
      setup.ground[static_cast<std::size_t>(mesh.face[3 * f + k])] += area[0] / 3;
    }
  }
}

/// Where what counts as n-th outside lies.
std::vector<std::int64_t> places(std::vector<std::int64_t> const& number) {
  std::vector<std::int64_t> place(number.size(), -1);
  // Numbers without gaps say it themselves.
  auto const least = number.empty() ? 0 : *std::ranges::min_element(number);
  std::size_t known = 0;
  for (; known < number.size(); ++known) {
    auto const at = static_cast<std::size_t>(number[known] - least);
    if (at >= place.size() || place[at] >= 0) break;
    place[at] = static_cast<std::int64_t>(known);
  }
  if (known == number.size()) return place;
  std::iota(place.begin(), place.end(), std::int64_t{0});
  std::ranges::sort(place, {}, [&](std::int64_t n) { return number[static_cast<std::size_t>(n)]; });
  return place;
}

/// Values that the source keeps.
template <class T>
io::SlabSource kept(std::vector<T> values) {
  return [values = std::move(values)](std::int64_t first, std::int64_t count, void* slab) {
    std::copy_n(values.begin() + first, count, static_cast<T*>(slab));
  };
}

}  // namespace

std::array<double, 3> Setup::point(std::int32_t node) const {
  auto const at = 3 * static_cast<std::size_t>(node);
  return {mesh.position[at], mesh.position[at + 1], mesh.position[at + 2]};
}

io::UnstructuredMesh output_mesh(Setup const& setup) {
  auto const& mesh = setup.mesh;
  io::UnstructuredMesh out;
  out.long_name = "tetrahedra";
  out.nodes = mesh.nodes();
  out.elements = mesh.elements();
  std::vector<double> coordinate[3];
  for (auto& axis : coordinate) axis.reserve(setup.place.size());
  std::vector<std::int32_t> outside(setup.place.size()), connectivity;
  connectivity.reserve(mesh.element.size());
  for (std::size_t n = 0; n < setup.place.size(); ++n) {
    auto const place = static_cast<std::int32_t>(setup.place[n]);
    outside[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(n);
    auto const point = setup.point(place);
    for (std::size_t d = 0; d < 3; ++d) coordinate[d].push_back(point[d]);
  }
  for (auto const e : places(mesh.element_number)) {
    for (std::size_t k = 0; k < 4; ++k) {
      auto const node = mesh.element[4 * static_cast<std::size_t>(e) + k];
      connectivity.push_back(outside[static_cast<std::size_t>(node)]);
    }
  }
  out.node_coordinates = {
      {"projection_x_coordinate", "distance along x", "m", kept(std::move(coordinate[0]))},
      {"projection_y_coordinate", "distance along y", "m", kept(std::move(coordinate[1]))},
      {"height", "height", "m", kept(std::move(coordinate[2]))}};
  out.connectivity = kept(std::move(connectivity));
  std::vector<std::int32_t> boundary;
  for (auto const node : mesh.face) boundary.push_back(outside[static_cast<std::size_t>(node)]);
  out.boundary_connectivity = kept(std::move(boundary));
  describe_boundary(mesh, out);
  return out;
}

Setup read_case(io::CaseFile const& c) {
  Setup setup{.parameters = Parameters(c)};
  auto& p = setup.parameters;
  setup.mesh = mesh_of(p);
  auto const fixed_by = fix_sides(c, setup);
  open_sides(c, fixed_by, setup);
  measure(setup);
  setup.place = places(setup.mesh.node_number);
  p.sponge.low = p.sponge.high = setup.point(0);
  for (std::int32_t n = 0; n < setup.nodes(); ++n) {
    for (std::size_t d = 0; d < 3; ++d) {
      p.sponge.low[d] = std::min(p.sponge.low[d], setup.point(n)[d]);
      p.sponge.high[d] = std::max(p.sponge.high[d], setup.point(n)[d]);
    }
  }
  read_top_of_sponge(c, p.sponge);
  require_few_sub_steps(c, setup);
  auto const lid = p.sponge.high[2];
  auto const column = base_column_of(p, lid);
  require_air_up_to(c, *column, lid, p.sounding.has_value());
  // Below the pole of the saturation pressure's formula (32 K) there is none.
  if (p.humid && !(column->temperature(lid) > 100)) {
    throw c.error("air.humid", "does not go with air of " + io::number_text(column->temperature(lid)) +
                                   " K at the lid (water's saturation pressure is not known there) lower "
                                   "the lid or warm the air");
  }
  for (std::int32_t n = 0; n < setup.nodes(); ++n) {
    auto const point = setup.point(n);
    auto const theta = column->theta(point[2]), sponge = p.sponge.at(point);
    setup.theta.push_back(theta);
    setup.pressure.push_back(column->pressure(point[2]));
    for (auto const wind : column->wind(point[2])) setup.wind.push_back(wind);
    setup.absorption.push_back(sponge);
    setup.theta_absorption.push_back(p.sponge.rate > 0 ? sponge / p.sponge.rate * p.sponge_theta_rate : 0);
    auto const warmth = p.bubble ? p.bubble->at(point, lid) : 0;
    auto const of_theta = p.bubble && p.bubble->of_temperature ? warmth / column->exner(point[2]) : warmth;
    setup.start_theta.push_back(theta + of_theta);
    auto const share = p.bubble ? p.bubble->share(point) : 0;
    setup.humidity.push_back(column->vapour(point[2]));
    setup.vapour.push_back(setup.humidity.back() + p.vapour * share);
    setup.cloud.push_back(p.cloud * share);
    setup.rain.push_back(p.rain * share);
  }
  require_mountain_on_mesh(c, setup);
  require_bubble_on_mesh(c, setup, lid);
  if (p.sponge.rate > 0 && std::ranges::max(setup.absorption) == 0) {
    throw c.error(c.has("sponge.from")    ? "sponge.from"
                  : c.has("sponge.depth") ? "sponge.depth"
                                          : "sponge.rate",
                  "leaves the sponge without a node (a rate damps nothing without a layer) let sponge.from "
                  "be a cell or more below the lid, or sponge.width_x wider than a cell");
  }
  if (p.start) start_from(c, *column, setup);
  return setup;
}

}  // namespace ulpine::fem
