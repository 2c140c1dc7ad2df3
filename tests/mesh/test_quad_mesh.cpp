// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/quad_mesh.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "core/mesh/case_mesh.hpp"

namespace ulpine {
namespace {

struct Point {
  std::int64_t x, y;
};
using Quad = std::array<Point, 4>;  ///< LL, LR, UL, UR, as vertices are stored

QuadMesh mesh_of(Quad const& quad, double scale = 1) {
  QuadMesh mesh{1, 1, {}, {}, {1}};
  for (auto const& point : quad) {
    mesh.x.push_back(scale * static_cast<double>(point.x));
    mesh.y.push_back(scale * static_cast<double>(point.y));
  }
  return mesh;
}

std::string fault(QuadMesh const& mesh) { return find_bad_cells(mesh).value_or(MeshFault{}).problem; }

/// Convex and anticlockwise: every corner lies strictly to the left of both sides that do not touch it. In
/// integers, so without rounding, and without the Jacobian.
bool is_convex_anticlockwise(Quad const& quad) {
  std::array const ring{quad[0], quad[1], quad[3], quad[2]};
  for (std::size_t side = 0; side < 4; ++side) {
    auto const a = ring[side], b = ring[(side + 1) % 4];
    for (auto const other : {ring[(side + 2) % 4], ring[(side + 3) % 4]}) {
      if ((b.x - a.x) * (other.y - a.y) - (b.y - a.y) * (other.x - a.x) <= 0) return false;
    }
  }
  return true;
}

TEST(BadCells, AreAllThatAreNotConvexAndAnticlockwise) {
  std::mt19937 random{11};
  std::uniform_int_distribution<std::int64_t> coordinate{-4, 4};
  constexpr int count = 40000;
  int good = 0;
  for (int trial = 0; trial < count; ++trial) {
    Quad quad;
    for (auto& point : quad) point = {coordinate(random), coordinate(random)};
    auto const expected = is_convex_anticlockwise(quad);
    good += expected ? 1 : 0;
    EXPECT_EQ(fault(mesh_of(quad, 1000)).empty(), expected) << testing::PrintToString(trial);
  }
  EXPECT_GT(good, 1000);  // both kinds are there
  EXPECT_LT(good, count - 1000);
}

TEST(BadCells, AreNamedByTheirFault) {
  auto const said = [](Quad const& quad, char const* words, double scale = 1000) {
    auto const text = fault(mesh_of(quad, scale));
    if (*words == '\0') {
      EXPECT_EQ(text, "");
    }
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  };
  said({{{0, 0}, {1, 0}, {0, 1}, {1, 1}}}, "");
  said({{{0, 0}, {2, -1}, {-1, 2}, {1, 1}}}, "");                      // a rhombus
  said({{{0, 0}, {1, 0}, {1, 1}, {0, 1}}}, "folded or not convex");    // a bow-tie
  said({{{0, 0}, {4, 0}, {0, 4}, {1, 1}}}, "folded or not convex");    // an arrow head
  said({{{0, 0}, {2, 0}, {0, 2}, {1, 1}}}, "degenerate");              // a triangle: three on a line
  said({{{0, 0}, {1, 0}, {0, 0}, {1, 1}}}, "degenerate");              // two corners coincide
  said({{{5, 5}, {5, 5}, {5, 5}, {5, 5}}}, "degenerate");              // a point
  said({{{1, 0}, {0, 0}, {1, 1}, {0, 1}}}, "all cells are mirrored");  // clockwise
  said({{{0, 0}, {1, 0}, {0, 1}, {1, 1}}}, "too small", 1e-4);         // a tenth of a millimetre
  said({{{0, 0}, {1, 0}, {0, 1}, {1, 1}}}, "out of reach", 1e9);
  said({{{0, 0}, {1, 0}, {0, 1}, {1, 1}}}, "out of reach", 1e300);       // areas would be infinite
  said({{{0, 0}, {1000000000, 0}, {0, 1}, {1000000000, 1}}}, "", 1e-2);  // long and thin but a rectangle
  said({{{0, 0}, {10000000, 0}, {10000000, 1}, {20000000, 1}}}, "degenerate", 1);  // a sine of 1e-7
}

TEST(BadCells, AreGivenByRowAndColumn) {
  auto mesh = rectangle_mesh(4, 3, 4000, 3000);
  EXPECT_FALSE(find_bad_cells(mesh));

  mesh.x[2 * 5 + 3] = 500;  // the vertex right of cell (row 2, column 2) now lies left of it

  // The first cell at that vertex is its lower left, row 1, column 2.
  EXPECT_NE(fault(mesh).find("cell 6 (row 1, column 2) is folded"), std::string::npos) << fault(mesh);
  mesh.x[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(fault(mesh).find("vertex 7 is out of reach"), std::string::npos) << fault(mesh);
}

TEST(BadCells, OneTurnedCellIsNotCalledAMirroredMesh) {
  // Two cells, of which the second is turned over along the common side.
  QuadMesh const mesh{2, 1, {0, 1000, 0, 0, 1000, 0}, {0, 0, 0, 1000, 1000, 1000}, {1, 1}};
  EXPECT_NE(fault(mesh).find("cell 1 (row 0, column 1) is turned over"), std::string::npos) << fault(mesh);
}

TEST(BadCells, AMeshOfEitherAxisReversedIsMirroredAndOfBothSound) {
  auto const reversed = [](double x, double y) {
    auto mesh = rectangle_mesh(3, 2, 3000, 2000, 0.05);
    for (auto& value : mesh.x) value *= x;
    for (auto& value : mesh.y) value *= y;
    return fault(mesh);
  };
  EXPECT_EQ(reversed(1, 1), "");
  EXPECT_EQ(reversed(-1, -1), "");
  EXPECT_NE(reversed(-1, 1).find("mirrored"), std::string::npos);
  EXPECT_NE(reversed(1, -1).find("mirrored"), std::string::npos);
}

TEST(RectangleMesh, FoldsWhereItsDistortionIsMoreThanOneOverThreePi) {
  // dx/ds = lx (1 + 3 pi d cos(3 pi s) sin(pi t)) is negative at s = 1/3, t = 1/2 from d = 1 / (3 pi) = 0.106
  // on; d = 0.1 is the most that a case may ask for.
  for (auto const size : {2, 3, 7, 16, 61, 128}) {
    EXPECT_EQ(fault(rectangle_mesh(size, size + 1, 512e3, 300e3, 0.1)), "") << size;
    EXPECT_EQ(fault(rectangle_mesh(size, size + 1, 512e3, 300e3, -0.1)), "") << size;
  }
  EXPECT_NE(fault(rectangle_mesh(128, 128, 512e3, 512e3, 0.12)).find("folded"), std::string::npos);
  EXPECT_NE(fault(rectangle_mesh(128, 128, 512e3, 512e3, -0.12)).find("folded"), std::string::npos);
}

TEST(QuadMesh, IsUniformToTheRoundingOfItsCoordinatesAndNoFurther) {
  // i / 49 is rounded, and so is i times 1 / 49: vertices lie some ulp of the extent off a lattice.
  auto const rounded = rectangle_mesh(49, 61, 512e3, 300e3);
  EXPECT_TRUE(rounded.uniform());
  auto off = 0.0;
  for (int i = 0; i <= 49; ++i) {
    off = std::max(off, std::abs(rounded.x[static_cast<std::size_t>(i)] - i * rounded.x[1]));
  }
  EXPECT_GT(off, 0) << "else the mesh shows nothing of the tolerance";
  EXPECT_FALSE(rectangle_mesh(7, 3, 512e3, 300e3, 0.01).uniform());
  auto sheared = rectangle_mesh(7, 3, 512e3, 300e3);
  for (std::size_t k = 0; k < sheared.x.size(); ++k) sheared.x[k] += sheared.y[k] / 3;
  EXPECT_TRUE(sheared.uniform()) << "parallelograms are translates of one another too";
  // A millimetre in 512 km is 2e-9 of it: far above rounding.
  for (std::size_t const vertex : {std::size_t{9}, std::size_t{17}, sheared.x.size() - 1}) {
    auto moved = sheared;
    moved.x[vertex] += 1e-3;
    EXPECT_FALSE(moved.uniform()) << vertex;
    moved = sheared;
    moved.y[vertex] -= 1e-3;
    EXPECT_FALSE(moved.uniform()) << vertex;
  }
}

TEST(QuadMesh, OfACaseIsSquareWithSquareCellsUnlessItSaysOtherwise) {
  auto const mesh_of_case = [](std::string const& keys) {
    std::int64_t asked = 0;
    auto mesh = read_quad_mesh(io::CaseFile::parse("core = 'seaice'\n[grid]\n" + keys, "case.toml"),
                               [&](std::int64_t nx, std::int64_t ny) { asked = nx * ny; });
    EXPECT_EQ(asked, mesh.cells());
    return mesh;
  };
  auto const square = mesh_of_case("nx = 5\nlength = 1000\n");
  EXPECT_EQ(square.nx, 5);
  EXPECT_EQ(square.ny, 5);
  EXPECT_EQ(square.areas(), std::vector<double>(25, 200 * 200));
  auto const flat = mesh_of_case("nx = 5\nny = 2\nlength = 1000\n");
  EXPECT_EQ(flat.ny, 2);
  EXPECT_EQ(flat.areas(), std::vector<double>(10, 200 * 200));
  EXPECT_EQ(mesh_of_case("nx = 5\nlength = 1000\nlength_y = 500\n").areas(),
            std::vector<double>(25, 200 * 100));
}

TEST(QuadMesh, AreasFollowTheShoelaceFormula) {
  // By hand: the trapezium (0,0) (4,0) (3,2) (1,2) has area (4 + 2) / 2 * 2 = 6.
  QuadMesh const mesh{1, 1, {0, 4, 1, 3}, {0, 0, 2, 2}, {1}};
  EXPECT_EQ(mesh.areas(), std::vector<double>{6});
}

}  // namespace
}  // namespace ulpine
