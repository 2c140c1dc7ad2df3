// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/tetra_mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "core/mesh/tetra_box.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

BoxMesh const uneven{5, 4, 3, {5, 6, 7}, 1.25, 0.125, 3};

/// What settle() says of the mesh after `damage`.
std::string complaint(std::function<void(TetraMesh&)> const& damage, BoxMesh const& box = {2, 2, 2}) {
  auto mesh = box_mesh(box);
  damage(mesh);
  try {
    settle(mesh, "a.msh");
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}
bool says(std::string const& text, std::string const& part) {
  return text.rfind("a.msh: ", 0) == 0 && text.find(part) != std::string::npos &&
         text.find('\n') == std::string::npos;
}

TEST(BoxMesh, HasTheBoxesVolumeAndSidesOfTheRightArea) {
  auto const mesh = box_mesh(uneven);
  EXPECT_EQ(mesh.elements(), 6 * 5 * 4 * 3);
  EXPECT_EQ(mesh.nodes(), 6 * 5 * 4);
  EXPECT_EQ(mesh.faces(), 4 * (5 * 4 + 5 * 3 + 4 * 3));
  // Each volume has less than 40 roundings of numbers up to 210; 360 are added.
  EXPECT_NEAR(measures(mesh).volume, 210, 400 * 210 * 0x1p-52);
  double outward[7][3] = {};
  for (std::size_t f = 0; f < mesh.face_id.size(); ++f) {
    double const *a = &mesh.position[3 * static_cast<std::size_t>(mesh.face[3 * f])],
                 *b = &mesh.position[3 * static_cast<std::size_t>(mesh.face[3 * f + 1])],
                 *c = &mesh.position[3 * static_cast<std::size_t>(mesh.face[3 * f + 2])];
    for (int d = 0; d < 3; ++d) {
      int const e = (d + 1) % 3, g = (d + 2) % 3;
      outward[mesh.face_id[f]][d] += ((b[e] - a[e]) * (c[g] - a[g]) - (b[g] - a[g]) * (c[e] - a[e])) / 2;
    }
  }
  double const expected[7][3] = {{},         {0, 0, -30}, {0, 0, 30}, {-42, 0, 0},
                                 {42, 0, 0}, {0, -35, 0}, {0, 35, 0}};
  for (int id = 1; id < 7; ++id) {
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(outward[id][d], expected[id][d], 1e-12) << id << ' ' << d;
  }
}

TEST(BoxMesh, IsAMeshAndStaysAsItIs) {
  for (auto const& box : {uneven, BoxMesh{}, BoxMesh{1, 1, 4}, BoxMesh{7, 2, 3, {1, 1, 1}, 0.5, 0.1, 9}}) {
    auto const mesh = box_mesh(box);
    auto settled = mesh;
    settle(settled, "box");
    EXPECT_EQ(settled.element, mesh.element);
    EXPECT_EQ(settled.face, mesh.face);
  }
}

TEST(BoxMesh, LayersGrowByTheStretch) {
  auto const mesh = box_mesh({1, 1, 3, {1, 1, 7}, 2});
  std::vector<double> z;
  for (std::size_t n = 0; n < 4; ++n) z.push_back(mesh.position[12 * n + 2]);
  EXPECT_EQ(z, (std::vector<double>{0, 1, 3, 7}));
}

TEST(BoxMesh, OnlyInnerNodesMove) {
  auto still = uneven;
  still.jitter = 0;
  auto const a = box_mesh(uneven), b = box_mesh(still);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < a.position.size(); ++i) moved += a.position[i] != b.position[i] ? 1 : 0;
  EXPECT_EQ(moved, 3U * 4 * 3 * 2);
  auto other = uneven;
  other.seed = 4;
  EXPECT_NE(box_mesh(other).position, a.position);
}

TEST(BoxMesh, ImpossibleBoxesAreRefused) {
  for (auto const& box :
       {BoxMesh{0, 1, 1}, BoxMesh{1, -1, 1}, BoxMesh{2000, 2000, 2000}, BoxMesh{1, 1, 1, {1, 0, 1}},
        BoxMesh{1, 1, 1, {1, 1, NAN}}, BoxMesh{1, 1, 1, {1, 1, 1}, 0}, BoxMesh{1, 1, 1, {1, 1, 1}, 1, 0.2},
        BoxMesh{2, 2, 2, {1, 1, 1}, 1, 0.1, 1 << 24}}) {
    EXPECT_THROW(box_mesh(box), InputError);
  }
}

TEST(Terrain, RaisesTheGroundAndLeavesTheLid) {
  auto mesh = box_mesh({4, 4, 4, {4000, 4000, 16000}});
  auto const flat = mesh;
  raise_terrain(mesh, {400, 1000, 2000, 2000, 16000});
  settle(mesh, "mountain");
  // Node (2, 2, k) is on the axis; (4, 2, 0) two radii away: h = 400 / 5^(3/2).
  auto const z = [&](std::size_t i, std::size_t j, std::size_t k) {
    return mesh.position[3 * ((k * 5 + j) * 5 + i) + 2];
  };
  EXPECT_EQ(z(2, 2, 0), 400);
  EXPECT_EQ(z(2, 2, 2), 8200);
  EXPECT_EQ(z(2, 2, 4), 16000);
  EXPECT_NEAR(z(4, 2, 0), 35.77708763999664, 1e-12);
  EXPECT_THROW(raise_terrain(mesh, {15201, 1000, 0, 0, 16000}), InputError);
}

TEST(TetraMesh, MeasuresOfARegularAndARightTetrahedron) {
  TetraMesh mesh;
  mesh.position = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
  mesh.element = {0, 1, 2, 3};
  if (six_volumes(mesh, 0) < 0) mesh.element = {0, 1, 3, 2};
  auto const regular = measures(mesh);
  EXPECT_NEAR(regular.volume, 8.0 / 3, 1e-14);
  EXPECT_NEAR(regular.shortest_edge, std::sqrt(8.0), 1e-14);
  EXPECT_NEAR(regular.worst_quality, 1, 1e-14);
  mesh.position = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  mesh.element = {0, 1, 2, 3};
  auto const right = measures(mesh);
  EXPECT_NEAR(right.volume, 1.0 / 6, 1e-15);
  EXPECT_EQ(right.longest_edge, std::sqrt(2.0));
  // Inscribed radius 1 / (3 + sqrt 3), circumscribed sqrt(3) / 2.
  EXPECT_NEAR(right.mean_quality, 6 / (3 + std::sqrt(3.0)) / std::sqrt(3.0), 1e-14);
}

TEST(TetraMesh, WrongOrderIsMended) {
  auto mesh = box_mesh(uneven);
  auto const volume = measures(mesh).volume;
  std::swap(mesh.element[4], mesh.element[7]);
  std::swap(mesh.face[3], mesh.face[4]);
  settle(mesh, "a.msh");
  EXPECT_GT(six_volumes(mesh, 1), 0);
  EXPECT_EQ(measures(mesh).volume, volume);
  auto twice = mesh;
  settle(twice, "a.msh");
  EXPECT_EQ(twice.face, mesh.face);
}

TEST(TetraMesh, WhatIsNoMeshIsRefusedInOneLine) {
  EXPECT_TRUE(says(complaint([](auto& m) { m.element.clear(), m.element_number.clear(); }), "no tetrahedra"));
  EXPECT_TRUE(
      says(complaint([](auto& m) { m.element[5] = 27; }), "element 1 has a node that does not exist"));
  EXPECT_TRUE(
      says(complaint([](auto& m) { m.element[5] = -1; }), "element 1 has a node that does not exist"));
  EXPECT_TRUE(says(complaint([](auto& m) { m.element[9] = m.element[11]; }), "twice"));
  EXPECT_TRUE(says(complaint([](auto& m) { m.position[41] = 0.0; }),
                   "has no volume"));  // the middle, onto the ground
  EXPECT_TRUE(says(complaint([](auto& m) { m.position[4] = NAN; }), "node 1 is nowhere"));
  for (double const far : {9.96920996838687e36, -9.96920996838687e36}) {  // NetCDF's value for none
    EXPECT_TRUE(says(complaint([far](auto& m) { m.position[4] = far; }), "node 1 has the coordinate"));
  }
  EXPECT_TRUE(says(complaint([](auto& m) {
                     m.position.insert(m.position.end(), {9, 9, 9}), m.node_number.push_back(77);
                   }),
                   "node 77 has no element"));
  EXPECT_TRUE(
      says(complaint([](auto& m) { m.face_id.pop_back(), m.face.resize(m.face.size() - 3); }), "is missing"));
  EXPECT_TRUE(says(complaint([](auto& m) {
                     m.face.insert(m.face.end(), m.face.begin(), m.face.begin() + 3), m.face_id.push_back(1);
                   }),
                   "is there twice"));
  EXPECT_TRUE(says(complaint([](auto& m) {
                     m.face.insert(m.face.end(), {0, 1, 13}), m.face_id.push_back(1);
                   }),
                   "on no element's outside"));
  EXPECT_TRUE(says(complaint([](auto& m) {
                     m.element.insert(m.element.end(), m.element.begin(), m.element.begin() + 4);
                     m.element_number.push_back(48);
                   }),
                   "48"));
  EXPECT_TRUE(says(complaint([](auto& m) {
                     auto const nodes = m.nodes();
                     auto const copy = m;
                     for (auto const x : copy.position) m.position.push_back(x + 5);
                     for (auto const n : copy.element) m.element.push_back(n + nodes);
                     for (auto const n : copy.face) m.face.push_back(n + nodes);
                     m.face_id.insert(m.face_id.end(), copy.face_id.begin(), copy.face_id.end());
                     m.node_number.resize(m.position.size() / 3);
                     m.element_number.resize(m.element.size() / 4);
                   }),
                   "parts that do not touch"));
  EXPECT_TRUE(says(complaint([](auto& m) { m.face_id.pop_back(); }), "do not fit together"));
}

TEST(TetraMesh, ThreeElementsOnATriangleAreRefused) {
  TetraMesh mesh;
  mesh.position = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 1, 1, 2};
  mesh.element = {0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 5};
  mesh.node_number = {0, 1, 2, 3, 4, 5};
  mesh.element_number = {0, 1, 2};
  try {
    settle(mesh, "a.msh");
    FAIL();
  } catch (InputError const& error) {
    EXPECT_TRUE(says(error.what(), "nodes 0, 1 and 2 belongs to 3 elements")) << error.what();
  }
}

/// A box and its mirror image at the planes of the first `planes` axes, whose nodes at one place are one: for
/// one plane they share a side, for two an edge, for three a node.
TetraMesh mirrored_boxes(BoxMesh const& box, std::size_t planes) {
  auto mesh = box_mesh(box);
  auto const nodes = mesh.nodes(), elements = mesh.elements();
  std::vector<std::int32_t> image;
  for (std::int32_t n = 0; n < nodes; ++n) {
    auto place = std::vector<double>(mesh.position.begin() + 3 * n, mesh.position.begin() + 3 * n + 3);
    bool const stays = std::all_of(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(planes),
                                   [](double x) { return x == 0; });
    image.push_back(stays ? n : mesh.nodes());
    if (stays) continue;
    for (std::size_t d = 0; d < planes; ++d) place[d] = -place[d];
    mesh.position.insert(mesh.position.end(), place.begin(), place.end());
    mesh.node_number.push_back(mesh.nodes() - 1);
  }
  for (std::int32_t e = 0; e < elements; ++e) {
    for (std::size_t k = 0; k < 4; ++k) {
      mesh.element.push_back(
          image[static_cast<std::size_t>(mesh.element[4 * static_cast<std::size_t>(e) + k])]);
    }
    mesh.element_number.push_back(elements + e);
  }
  return mesh;
}

TEST(TetraMesh, PartsThatTouchInANodeOrAnEdgeAreRefused) {
  for (std::int32_t n = 1; n < 5; ++n) {
    BoxMesh const box{n, 1 + n % 3, 1 + n % 2, {1, 2, 3}};
    auto joined = mirrored_boxes(box, 1);
    settle_enclosed(joined, "a.msh", "boundary");
    EXPECT_NEAR(measures(joined).volume, 12, 1e-12);
    for (std::size_t const planes : {2U, 3U}) {
      auto mesh = mirrored_boxes(box, planes);
      std::string got;
      try {
        settle_enclosed(mesh, "a.msh", "boundary");
      } catch (InputError const& error) {
        got = error.what();
      }
      EXPECT_TRUE(says(got, "are in parts that share node 0 and no triangle")) << planes << got;
    }
  }
}

TEST(Renumbering, ForgetsTheOrderOfTheFile) {
  auto const mesh = box_mesh(uneven);
  auto expected = mesh;
  renumber(expected);
  for (unsigned seed = 1; seed < 6; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::int32_t> node(static_cast<std::size_t>(mesh.nodes()));
    std::vector<std::size_t> element(mesh.element_number.size()), face(mesh.face_id.size());
    std::iota(node.begin(), node.end(), 0);
    std::iota(element.begin(), element.end(), 0);
    std::iota(face.begin(), face.end(), 0);
    std::shuffle(node.begin(), node.end(), random);
    std::shuffle(element.begin(), element.end(), random);
    std::shuffle(face.begin(), face.end(), random);
    auto shuffled = mesh;
    for (std::size_t n = 0; n < node.size(); ++n) {
      auto const to = static_cast<std::size_t>(node[n]);
      for (std::size_t d = 0; d < 3; ++d) shuffled.position[3 * to + d] = mesh.position[3 * n + d];
      shuffled.node_number[to] = static_cast<std::int64_t>(n);
    }
    for (std::size_t e = 0; e < element.size(); ++e) {
      for (std::size_t i = 0; i < 4; ++i) {
        shuffled.element[4 * element[e] + i] = node[static_cast<std::size_t>(mesh.element[4 * e + i])];
      }
      std::shuffle(&shuffled.element[4 * element[e]], &shuffled.element[4 * element[e]] + 4, random);
      shuffled.element_number[element[e]] = static_cast<std::int64_t>(e);
    }
    for (std::size_t f = 0; f < face.size(); ++f) {
      for (std::size_t i = 0; i < 3; ++i) {
        shuffled.face[3 * face[f] + i] = node[static_cast<std::size_t>(mesh.face[3 * f + i])];
      }
      shuffled.face_id[face[f]] = mesh.face_id[f];
    }
    settle(shuffled, "shuffled");
    renumber(shuffled);
    EXPECT_EQ(shuffled.position, expected.position);
    EXPECT_EQ(shuffled.element, expected.element);
    EXPECT_EQ(shuffled.face, expected.face);
    EXPECT_EQ(shuffled.face_id, expected.face_id);
    EXPECT_EQ(shuffled.node_number, expected.node_number);
    EXPECT_EQ(shuffled.element_number, expected.element_number);
  }
}

TEST(Renumbering, KeepsTheMeshAndTheWayBack) {
  auto const mesh = box_mesh(uneven);
  auto ordered = mesh;
  renumber(ordered);
  settle(ordered, "ordered");
  for (std::size_t n = 0; n < ordered.node_number.size(); ++n) {
    auto const old = static_cast<std::size_t>(ordered.node_number[n]);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(ordered.position[3 * n + d], mesh.position[3 * old + d]);
  }
  for (std::int32_t e = 0; e < ordered.elements(); ++e) {
    auto const old = static_cast<std::int32_t>(ordered.element_number[static_cast<std::size_t>(e)]);
    EXPECT_NEAR(six_volumes(ordered, e), six_volumes(mesh, old), 1e-13);
  }
}

TEST(Renumbering, FollowsTheCurveOnACube) {
  auto mesh = box_mesh({1, 1, 1});
  std::reverse(mesh.position.begin(), mesh.position.end());  // the same cube, its nodes the other way round
  settle(mesh, "cube");
  renumber(mesh);
  std::vector<double> expected;
  for (int n = 0; n < 8; ++n) {
    for (int d = 0; d < 3; ++d) expected.push_back(n >> d & 1);
  }
  EXPECT_EQ(mesh.position, expected);
}

TEST(Renumbering, NodesAtOnePlaceAreRefused) {
  auto mesh = box_mesh({2, 2, 2});
  std::copy(mesh.position.begin(), mesh.position.begin() + 3, mesh.position.begin() + 3);
  EXPECT_THROW(renumber(mesh), InputError);
}

}  // namespace
}  // namespace ulpine
