// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/gmsh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/mesh/tetra_box.hpp"
#include "io/error.hpp"
#include "support/gmsh_writing.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine {
namespace {

using test::gmsh_model;
using test::GmshForm;
using test::GmshModel;
using test::write_gmsh;

std::string complaint(std::string const& text) {
  try {
    parse_gmsh(text, "a.msh");
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

std::string refusal_of(GmshModel const& model, GmshForm const& form = {}) {
  return complaint(write_gmsh(model, form));
}

std::string replaced(std::string text, std::string const& from, std::string const& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::vector<GmshForm> const forms = {{"2.2"},     {"2.2", true}, {"2.2", true, true}, {"4"},
                                     {"4", true}, {"4.1"},       {"4.1", true},       {"4.1", true, true}};

GmshModel box_model(BoxMesh const& box = {1, 1, 1}) { return gmsh_model(box_mesh(box)); }

TEST(Gmsh, AllFormsGiveTheMeshBack) {
  auto const mesh = box_mesh({3, 4, 2, {1, 2, 3}, 1.3, 0.1});
  auto expected = mesh;
  renumber(expected);
  for (auto form : forms) {
    for (bool const parametric : {false, true}) {
      form.parametric = parametric;
      auto const got = parse_gmsh(write_gmsh(gmsh_model(mesh), form), "box.msh");
      SCOPED_TRACE(form.version);
      EXPECT_EQ(got.position, expected.position);
      EXPECT_EQ(got.element, expected.element);
      EXPECT_EQ(got.face, expected.face);
      EXPECT_EQ(got.face_id, expected.face_id);
      EXPECT_TRUE(got.more_groups.empty());
      EXPECT_EQ(got.group, expected.group);
      for (std::size_t n = 0; n < got.node_number.size(); ++n) {
        ASSERT_EQ(got.node_number[n], 10 + 3 * expected.node_number[n]);
      }
      for (std::size_t e = 0; e < got.element_number.size(); ++e) {
        ASSERT_EQ(got.element_number[e], 1000 + expected.element_number[e]);
      }
    }
  }
}

using Corners = std::set<std::array<std::int64_t, 3>>;

Corners corners_of(TetraMesh const& mesh, std::vector<std::int32_t> const& faces) {
  Corners all;
  for (auto const face : faces) {
    std::array<std::int64_t, 3> one{};
    for (std::size_t k = 0; k < 3; ++k) {
      auto const node = mesh.face[3 * static_cast<std::size_t>(face) + k];
      one[k] = mesh.node_number[static_cast<std::size_t>(node)];
    }
    std::ranges::sort(one);
    all.insert(one);
  }
  return all;
}

double volume_of(TetraMesh const& mesh) {
  double volume = 0;
  for (std::int32_t e = 0; e < mesh.elements(); ++e) volume += six_volumes(mesh, e) / 6;
  return volume;
}

/// A box under a random linear map, its sides in random groups, nodes and elements in random order, with
/// nodes that no element has; and what all that has to give.
struct RandomMesh {
  GmshModel model;
  double volume;
  std::map<std::string, Corners> side;  ///< by name

  explicit RandomMesh(unsigned seed) : random_{seed} {
    auto const n = [&] { return 1 + static_cast<std::int32_t>(random_() % 4); };
    auto mesh = box_mesh({n(), n(), n(), {1.25, 2.5, 0.75}, 1.2, 0.1, seed});
    volume = 1.25 * 2.5 * 0.75 * map(mesh);
    for (std::size_t e = 0; e < mesh.element.size(); e += 4) {
      if (random_() % 2 == 0) std::swap(mesh.element[e], mesh.element[e + 1]);
    }
    model = gmsh_model(mesh);
    group();
    add_loose_nodes();
    std::ranges::shuffle(model.triangles, random_);
    std::ranges::shuffle(model.tetrahedra, random_);
    shuffle_nodes();
    for (auto const& one : model.triangles) {
      std::array<std::int64_t, 3> corner{};
      for (std::size_t k = 0; k < 3; ++k) corner[k] = model.node_number[one.node[k]];
      std::ranges::sort(corner);
      for (auto const group : model.groups_of_surface[one.entity]) {
        for (auto const& name : names_[std::abs(group)]) side[name].insert(corner);
      }
    }
  }

 private:
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 8) / static_cast<double>(1 << 24);
  }
  /// A unit upper triangle after a diagonal and a lower one: the determinant is the diagonal's product.
  double map(TetraMesh& mesh) {
    double const a[3] = {between(0.5, 2), between(0.5, 2), -between(0.5, 2)};
    double const lower[3] = {between(-1, 1), between(-1, 1), between(-1, 1)}, upper = between(-1, 1);
    for (std::size_t i = 0; i < mesh.position.size(); i += 3) {
      auto* x = &mesh.position[i];
      x[0] += upper * x[2];
      for (std::size_t d = 0; d < 3; ++d) x[d] *= a[d];
      x[1] += lower[0] * x[0];
      x[2] += lower[1] * x[0] + lower[2] * x[1];
    }
    return std::abs(a[0] * a[1] * a[2]);
  }
  /// 3 and 7 have one name, 5 has two, 9 has none; the number of a volume is a surface's too.
  void group() {
    names_ = {{2, {"walls"}}, {3, {"in flow"}}, {5, {"Ausla\u00df", "outlet"}}, {7, {"in flow"}}, {9, {"9"}}};
    model.names.clear();
    for (auto const& [number, names] : names_) {
      for (auto const& name : names) {
        if (number != 9) model.names.push_back({2, number, name});
      }
    }
    model.names.push_back({3, 2, "air"});
    for (auto& [surface, in] : model.groups_of_surface) {
      in.clear();
      for (auto const group : {2, 3, 5, 7, 9}) {
        if (random_() % 3 == 0) in.push_back(random_() % 4 == 0 ? -group : group);
      }
      std::ranges::shuffle(in, random_);
    }
    model.groups_of_surface[101] = {2, 9};  // one at least is in a group
    model.groups_of_volume[1] = random_() % 2 == 0 ? std::vector{2} : std::vector{2, 8, 4};
  }
  void add_loose_nodes() {
    for (auto loose = random_() % 3; loose > 0; --loose) {
      model.position.insert(model.position.end(), {between(-9, 9), between(-9, 9), 0});
      model.node_number.push_back(1 + static_cast<std::int64_t>(loose));
    }
  }
  void shuffle_nodes() {
    std::vector<std::size_t> order(model.node_number.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random_);
    auto const before = model;
    std::vector<std::size_t> now(order.size());
    for (std::size_t n = 0; n < order.size(); ++n) {
      now[order[n]] = n;
      model.node_number[n] = 1 + 1000003 * before.node_number[order[n]];
      for (std::size_t d = 0; d < 3; ++d) model.position[3 * n + d] = before.position[3 * order[n] + d];
    }
    for (auto* all : {&model.triangles, &model.tetrahedra}) {
      for (auto& one : *all) {
        for (auto& node : one.node) node = now[node];
      }
    }
  }

  std::mt19937 random_;
  std::map<std::int32_t, std::vector<std::string>> names_;
};

TEST(Gmsh, TwentyFiveMeshesHaveTheirVolumeAndTheTrianglesOfEverySideInAllForms) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    RandomMesh const expected(seed);
    for (auto form : forms) {
      if (form.version != "2.2") form.parts = static_cast<int>(seed % 4);
      SCOPED_TRACE(form.version + (form.binary ? " binary, seed " : ", seed ") + std::to_string(seed));
      auto const got = parse_gmsh(write_gmsh(expected.model, form), "random.msh");
      EXPECT_NEAR(volume_of(got), expected.volume, 1e-13 * expected.volume);
      EXPECT_EQ(static_cast<std::size_t>(got.elements()), expected.model.tetrahedra.size());
      EXPECT_EQ(static_cast<std::size_t>(got.faces()), expected.model.triangles.size());
      for (auto const& [name, corners] : expected.side) {
        EXPECT_EQ(corners_of(got, faces_of(got, name)), corners) << name;
      }
      for (auto const& [number, name] : named_groups(got)) {
        EXPECT_EQ(!faces_of(got, name).empty(), expected.side.contains(name)) << name;
      }
    }
  }
}

TEST(Gmsh, WhatStandsAroundTheMeshChangesNothing) {
  auto const text = write_gmsh(box_model());
  auto const same = [&](std::string const& other) {
    auto const mesh = parse_gmsh(text, "a.msh"), got = parse_gmsh(other, "b.msh");
    EXPECT_EQ(got.position, mesh.position);
    EXPECT_EQ(got.element, mesh.element);
    EXPECT_EQ(got.face_id, mesh.face_id);
    EXPECT_EQ(got.group, mesh.group);
  };
  same("$Comments\nmade by hand, $Nodes and all\n$EndComments\n" + text);
  same("\xEF\xBB\xBF" + text);
  same(text + "$Periodic\n1\n2 2 1\n0\n0\n$EndPeriodic\n$NodeData\n1\n\"T\"\n$EndNodeData\n  \n");
  same(replaced(text, "$Nodes", "$Parametrizations\n0 0\n$EndParametrizations\n$Nodes"));
  same(replaced(text, "2 1 \"ground\"", "2 1 ground  "));
  std::string lines;
  for (auto const c : text) lines += c == '\n' ? std::string("  \r\n") : std::string(1, c);
  same(lines);
}

TEST(Gmsh, NumbersAreReadAsCAndFortranWriteThem) {
  auto const text = write_gmsh(box_model({1, 1, 1, {1000, 1000, 1000}}));
  auto const mesh = parse_gmsh(text, "a.msh");
  for (auto const* same : {"1e+003", "1.0D+03", "+1000.", "1E3", "0.1d4"}) {
    auto other = text;
    auto at = other.find("$Nodes");
    for (at = other.find("1000 ", at); at < other.find("$EndNodes"); at = other.find("1000 ", at)) {
      other.replace(at, 4, same);
      at += std::string(same).size();
    }
    EXPECT_EQ(parse_gmsh(other, "b.msh").position, mesh.position) << same;
  }
  auto const at_zero = text.find("0 0 0", text.find("$Nodes"));
  auto tiny = text;
  EXPECT_EQ(parse_gmsh(tiny.replace(at_zero, 1, "1e-400"), "b.msh").position, mesh.position);
  auto huge = text;
  EXPECT_NE(complaint(huge.replace(at_zero, 1, "1e400")).find("'1e400' in line"), std::string::npos);
}

TEST(Gmsh, NamesAreKept) {
  auto model = box_model();
  std::get<2>(model.names[0]) = "Sol n\u00ba 1";
  std::get<2>(model.names[1]) = "Ausla\xDF";  // ISO 8859-1
  auto const got = parse_gmsh(write_gmsh(model), "a.msh");
  EXPECT_EQ(got.group[0].second, "Sol n\u00ba 1");
  EXPECT_EQ(got.group[1].second, "Ausla\u00df");
}

TEST(Gmsh, TrianglesInNoGroupBoundTheDomainToo) {
  auto model = box_model({2, 1, 1});
  model.groups_of_surface[102].clear();
  for (auto const& form : forms) {
    auto const got = parse_gmsh(write_gmsh(model, form), "a.msh");
    EXPECT_EQ(got.faces(), 20);
    EXPECT_EQ(faces_of(got, "0").size(), 4U);
    EXPECT_TRUE(faces_of(got, "lid").empty());
    EXPECT_EQ(faces_of(got, "ground").size(), 4U);
  }
  model.groups_of_surface.clear();
  model.names.clear();
  for (auto const& form : forms) {
    auto const got = parse_gmsh(write_gmsh(model, form), "a.msh");
    EXPECT_EQ(got.group, (decltype(got.group){{1, "boundary"}}));
    EXPECT_EQ(faces_of(got, "boundary").size(), 20U);
  }
}

TEST(Gmsh, TrianglesBetweenTetrahedraAreNoSide) {
  auto model = box_model({2, 1, 1, {2, 1, 1}});
  // Nodes at x = 1, counted along x first.
  model.triangles.push_back({{1, 4, 10}, 500, 300});
  model.triangles.push_back({{1, 7, 10}, 501, 300});
  model.groups_of_surface[300] = {8};
  model.names.push_back({2, 8, "interface"});
  for (auto const& form : forms) {
    auto const got = parse_gmsh(write_gmsh(model, form), "a.msh");
    EXPECT_EQ(got.faces(), 20);
    EXPECT_TRUE(faces_of(got, "interface").empty());
  }
}

TEST(Gmsh, PartsAreReadTogetherAndRefusedAlone) {
  for (auto form : forms) {
    form.parts = 2;
    auto const whole = parse_gmsh(write_gmsh(box_model(), form), "a.msh");
    EXPECT_EQ(whole.elements(), 6);
    form.only_part = 2;
    auto const got = refusal_of(box_model(), form);
    EXPECT_NE(got.find("part 2 of a partitioned mesh alone"), std::string::npos) << form.version << got;
  }
}

TEST(Gmsh, HeadsOfSectionsCountWhatTheirBlocksHold) {
  for (auto const& form : forms) {
    if (form.version.starts_with("2") || form.binary) continue;
    auto const text = write_gmsh(box_model(), form);
    for (auto const* section : {"$Nodes\n", "$Elements\n"}) {
      auto const begin = text.find(section) + std::string(section).size();
      auto const number = text.find(' ', begin) + 1, end = text.find_first_of(" \n", number);
      auto const total = std::stoll(text.substr(number, end - number));
      for (auto const other : {total - 1, total + 1, total + 1'000'000'000}) {
        auto const got = complaint(text.substr(0, number) + std::to_string(other) + text.substr(end));
        auto const wanted = std::to_string(total) + (section[1] == 'N' ? " nodes" : " elements") +
                            " where the head of their section has " + std::to_string(other);
        EXPECT_NE(got.find(wanted), std::string::npos) << form.version << wanted << "\n" << got;
      }
    }
  }
}

TEST(Gmsh, WhatIsNoSuchFileIsRefusedInOneLine) {
  auto const text = write_gmsh(box_model());
  auto const expect = [](std::string const& got, std::string const& wanted) {
    EXPECT_NE(got.find(wanted), std::string::npos) << wanted << "\n" << got;
    EXPECT_EQ(got.find("a.msh: "), 0U) << got;
    EXPECT_EQ(got.find('\n'), std::string::npos) << got;
  };
  auto const changed = [&](std::string const& from, std::string const& to) {
    return complaint(replaced(text, from, to));
  };
  expect(changed("4.1 ", "3.0 "), "format 3.0 of gmsh");
  expect(changed("$MeshFormat", "$Nodes"), "does not begin with $MeshFormat");
  expect(complaint("$NOD\n1\n1 0 0 0\n$ENDNOD\n"), "gmsh a.msh -save -format msh41 -o new.msh");
  expect(complaint("SetFactory(\"OpenCASCADE\");\n"), "gmsh -3 domain.geo -o domain.msh");
  expect(complaint(""), "does not begin");
  expect(changed("3 1 4 6 ", "3 1 5 6 "), "hexahedra (type 5");
  expect(changed("3 1 4 6 ", "3 1 6 6 "), "prisms");
  expect(changed("3 1 4 6 ", "3 1 7 6 "), "pyramids");
  expect(changed("3 1 4 6 ", "3 1 3 6 "), "quadrangles");
  expect(changed("3 1 4 6 ", "3 1 11 6 "), "gmsh -3 -order 1 domain.geo -o domain.msh");
  expect(changed("3 1 4 6 ", "3 1 99 6 "), "type 99");
  expect(changed("1000 10 ", "1000 11 "), "no node 11");
  expect(changed("$EndNodes", "10 0 0 0\n$EndNodes"), "'10' where $EndNodes is wanted");
  expect(changed("$EndElements\n", "$EndElements\nmore\n"), "'more' behind a section");
  expect(changed("$Nodes\n3 ", "$Nodes\n-3 "), "not negative");
  expect(changed("$Nodes\n3 ", "$Nodes\n3.5 "), "'3.5' in line");
  EXPECT_THROW(read_gmsh("/no/such/file.msh"), InputError);
}

TEST(Gmsh, WhatIsNoSuchMeshIsRefusedByNumberAndName) {
  auto const expect = [](GmshModel const& model, std::string const& wanted) {
    for (auto const& form : forms) {
      auto const got = refusal_of(model, form);
      EXPECT_NE(got.find(wanted), std::string::npos) << form.version << ": " << wanted << "\n" << got;
      EXPECT_EQ(got.find("a.msh: "), 0U) << got;
    }
  };
  auto const model = box_model();
  auto other = model;
  other.node_number[3] = other.node_number[2];
  expect(other, "node 16 is there twice");
  other = model;
  other.tetrahedra.clear();
  expect(other, "put the volumes into a Physical Volume");
  other = model;
  other.tetrahedra.push_back(other.tetrahedra[0]);
  other.tetrahedra.back().number = 77;
  expect(other, "elements 1000 and 77 overlap");
  other = model;
  other.position.insert(other.position.end(), {9, 9, 9});
  other.node_number.push_back(5);
  other.triangles.push_back({{0, 1, 8}, 600, 101});
  expect(other, "node 5 of a triangle of group \"ground\" is on no tetrahedron");
  other = model;
  other.triangles.push_back({{0, 1, 6}, 600, 101});
  expect(other, "the triangle of nodes 10, 13 and 28 of group \"ground\" is on no tetrahedron");
  // A second box on the first, with nodes of its own.
  auto const above = box_model();
  other = model;
  for (std::size_t i = 0; i < above.position.size(); ++i) {
    other.position.push_back(above.position[i] + (i % 3 == 2 ? 1 : 0));
  }
  for (auto const number : above.node_number) other.node_number.push_back(number + 1000);
  for (auto one : above.tetrahedra) {
    for (auto& node : one.node) node += above.node_number.size();
    one.number += 1000;
    other.tetrahedra.push_back(one);
  }
  expect(other, "nodes 22 and 1010 are at one place in two parts");
}

TEST(Gmsh, BrokenOffFilesAreRefused) {
  for (auto const& form : forms) {
    auto const text = write_gmsh(box_model(), form);
    for (std::size_t size = 0; size + 1 < text.size(); size += 3) {
      auto const problem = complaint(text.substr(0, size));
      EXPECT_NE(problem, "") << size;
      EXPECT_EQ(problem.find('\n'), std::string::npos);
    }
  }
}

TEST(Gmsh, DamagedFilesAreReadOrRefused) {
  std::mt19937 random(7);
  for (auto const& form : forms) {
    auto const text = write_gmsh(box_model({2, 1, 1}), form);
    int refused = 0;
    for (int trial = 0; trial < 1500; ++trial) {
      auto damaged = text;
      for (auto changes = 1 + random() % 4; changes > 0; --changes) {
        auto const at = random() % damaged.size();
        if (random() % 4 == 0) {
          damaged.erase(at, random() % 20);
        } else {
          damaged[at] = static_cast<char>(form.binary ? random() % 256 : "0123456789 -.e$\n"[random() % 16]);
        }
      }
      refused += complaint(damaged).empty() ? 0 : 1;
    }
    EXPECT_GT(refused, 400);
  }
}

/// Written by gmsh 4.8.4 from box.geo beside them, a cube of 1 m: `gmsh -3 -format msh22 -bin` and so on, the
/// last with `-part 2 -part_ghosts`.
TEST(Gmsh, FilesOfGmshItselfAreRead) {
  auto const folder = std::filesystem::path(std::getenv("ULPINE_SOURCE_DIR")) / "tests" / "mesh" / "data";
  auto const first = read_gmsh((folder / "box_ascii.msh").string());
  for (auto const* name :
       {"box_ascii", "box_binary", "box_22_ascii", "box_22_binary", "box_40_ascii", "box_partitioned"}) {
    SCOPED_TRACE(name);
    auto const mesh = read_gmsh((folder / (std::string(name) + ".msh")).string());
    EXPECT_EQ(mesh.element, first.element);
    EXPECT_EQ(mesh.face, first.face);
    EXPECT_EQ(mesh.face_id, first.face_id);
    ASSERT_EQ(mesh.position.size(), first.position.size());
    for (std::size_t i = 0; i < mesh.position.size(); ++i) {
      EXPECT_NEAR(mesh.position[i], first.position[i], 0x1p-52);  // gmsh prints 16 digits
    }
    std::vector<std::pair<std::int32_t, std::string>> const groups{{1, "ground"}, {2, "lid"}, {3, "sides"}};
    EXPECT_EQ(mesh.group, groups);
    EXPECT_EQ(mesh.nodes(), 45);  // as gmsh says of itself
    EXPECT_NEAR(volume_of(mesh), 1, 16 * mesh.elements() * 0x1p-53);
    // Every triangle lies on the side that its group names.
    for (std::size_t f = 0; f < mesh.face_id.size(); ++f) {
      for (std::size_t c = 0; c < 3; ++c) {
        auto const z = mesh.position[3 * static_cast<std::size_t>(mesh.face[3 * f + c]) + 2];
        if (mesh.face_id[f] == 1) {
          EXPECT_EQ(z, 0);
        }
        if (mesh.face_id[f] == 2) {
          EXPECT_EQ(z, 1);
        }
      }
    }
  }
}

/// Area of a side's triangles, m2, all of which must lie in the plane x[axis] = at.
double area_in_plane(TetraMesh const& mesh, std::string const& name, std::size_t axis, double at) {
  double area = 0;
  for (auto const face : faces_of(mesh, name)) {
    std::array<double, 3> corner[3];
    for (std::size_t k = 0; k < 3; ++k) {
      auto const node = static_cast<std::size_t>(mesh.face[3 * static_cast<std::size_t>(face) + k]);
      for (std::size_t d = 0; d < 3; ++d) corner[k][d] = mesh.position[3 * node + d];
      EXPECT_NEAR(corner[k][axis], at, 1e-9) << name;
    }
    auto const b = (axis + 1) % 3, c = (axis + 2) % 3;
    area += std::abs((corner[1][b] - corner[0][b]) * (corner[2][c] - corner[0][c]) -
                     (corner[1][c] - corner[0][c]) * (corner[2][b] - corner[0][b])) /
            2;
  }
  return area;
}

/// Boxes of one layer or two, with the interface in a group, sides in up to two groups, everything saved or
/// only what is in groups: volume and areas are known in closed form.
TEST(GmshProgram, WritesTwentyFiveMeshesThatAreReadInThreeFormats) {
  if (std::system("gmsh -version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gmsh is not installed";
  test::TemporaryFolder const folder;
  std::mt19937 random(40);
  auto const number = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int m = 0; m < 25; ++m) {
    double const x = number(-3, 3), y = number(-3, 3) / 4.0, lx = number(2, 5), ly = number(4, 9) / 2.0;
    double const low = number(3, 6) / 4.0, high = m % 2 == 0 ? 0 : number(3, 6) / 8.0, z = low + high;
    std::ostringstream geo;
    geo.precision(17);
    auto const surfaces = [&](std::string const& name, double x0, double y0, double z0, double x1, double y1,
                              double z1) {
      geo << name << "() = Surface In BoundingBox{" << x0 - 1e-6 << ',' << y0 - 1e-6 << ',' << z0 - 1e-6
          << ',' << x1 + 1e-6 << ',' << y1 + 1e-6 << ',' << z1 + 1e-6 << "};\n";
    };
    geo << "SetFactory(\"OpenCASCADE\");\nBox(1) = {" << x << ',' << y << ",0," << lx << ',' << ly << ','
        << low << "};\n";
    if (high > 0) {
      geo << "Box(2) = {" << x << ',' << y << ',' << low << ',' << lx << ',' << ly << ',' << high
          << "};\nBooleanFragments{Volume{1}; Delete;}{Volume{2}; Delete;}\n";
      surfaces("inner", x, y, low, x + lx, y + ly, low);
      geo << "Physical Surface(\"inner\") = inner();\n";
    }
    surfaces("west", x, y, 0, x, y + ly, z);
    surfaces("east", x + lx, y, 0, x + lx, y + ly, z);
    surfaces("south", x, y, 0, x + lx, y, z);
    surfaces("lid", x, y, z, x + lx, y + ly, z);
    surfaces("ground", x, y, 0, x + lx, y + ly, 0);
    geo << "Physical Surface(\"walls\", 40) = {west(), south(), ground()};\nPhysical Surface(\"in flow\", "
           "41) = "
           "west();\nPhysical Surface(\"east\", 42) = east();\nPhysical Surface(43) = {lid()};\nPhysical "
           "Surface(\"ground\", 44) = ground();\nPhysical Surface(\"b\u00f6den\", 39) = {lid(), ground()};\n"
           "Physical Volume(\"air\", 40) = Volume{:};\nMesh.MeshSizeMax = "
        << number(4, 9) / 6.0 << ";\nMesh.MeshSizeMin = Mesh.MeshSizeMax;\nMesh.SaveAll = " << m % 3 / 2
        << ";\nMesh 3;\n";
    auto const path = [&](char const* version) {
      return (folder.path() / ("mesh" + std::string(version) + ".msh")).string();
    };
    for (auto const* version : {"4.0", "2.2", "4.1"}) {
      bool const binary = std::string(version) != "4.0" && m % 4 > 1;   // gmsh writes 4.0 as ASCII alone
      if (std::string(version) == "2.2") geo << "Mesh.SaveAll = 0;\n";  // it would drop the groups
      geo << "Mesh.MshFileVersion = " << version << ";\nMesh.Binary = " << binary << ";\nSave \""
          << path(version) << "\";\n";
    }
    test::write_file(folder.path() / "mesh.geo", geo.str());
    ASSERT_EQ(std::system(("gmsh " + (folder.path() / "mesh.geo").string() + " - > /dev/null 2>&1").c_str()),
              0);
    std::vector<TetraMesh> meshes;
    for (auto const* version : {"4.0", "2.2", "4.1"}) {
      SCOPED_TRACE(std::string("format ") + version + " of\n" + geo.str());
      auto const& mesh = meshes.emplace_back(read_gmsh(path(version)));
      auto const near = [&](double got, double wanted) { EXPECT_NEAR(got, wanted, 1e-13 * wanted); };
      near(volume_of(mesh), lx * ly * z);
      near(area_in_plane(mesh, "in flow", 0, x), ly * z);
      near(area_in_plane(mesh, "east", 0, x + lx), ly * z);
      near(area_in_plane(mesh, "43", 2, z), lx * ly);
      near(area_in_plane(mesh, "ground", 2, 0), lx * ly);
      EXPECT_TRUE(faces_of(mesh, "inner").empty());
      auto const count = [&](std::string const& name) { return faces_of(mesh, name).size(); };
      EXPECT_EQ(count("b\u00f6den"), count("43") + count("ground"));
      EXPECT_GT(count("walls"), count("in flow") + count("ground"));
      EXPECT_EQ(count("0") + count("walls") + count("43") + count("east"),
                static_cast<std::size_t>(mesh.faces()));
    }
    for (auto const& mesh : meshes) {
      EXPECT_EQ(mesh.elements(), meshes[0].elements());
      EXPECT_EQ(mesh.faces(), meshes[0].faces());
      EXPECT_EQ(mesh.more_groups.size(), meshes[0].more_groups.size());
    }
  }
}

}  // namespace
}  // namespace ulpine
