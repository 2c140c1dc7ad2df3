// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/gmsh.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/mesh/tetra_box.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

/// Format 4.1 by its description in gmsh's manual, with gaps between the numbers of nodes.
class Writer {
 public:
  explicit Writer(bool binary) : binary_{binary} {}

  std::string write(TetraMesh const& mesh) {
    out_ << "$MeshFormat\n4.1 " << binary_ << " 8\n";
    if (binary_) put(std::int32_t{1}), out_ << '\n';
    out_ << "$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"the ground\"\n3 1 "
            "\"air\"\n$EndPhysicalNames\n$Entities\n";
    put(std::int64_t{1}, std::int64_t{1}, std::int64_t{6}, std::int64_t{1});
    put(std::int32_t{4}, 0.0, 0.0, 0.0, std::int64_t{0});
    put(std::int32_t{2}, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, std::int64_t{0}, std::int64_t{2}, std::int32_t{4},
        std::int32_t{-4});
    for (std::int32_t s = 1; s < 7; ++s) {
      put(s + 100, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, std::int64_t{1}, s, std::int64_t{1}, std::int32_t{2});
    }
    put(std::int32_t{1}, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, std::int64_t{1}, std::int32_t{1}, std::int64_t{0});
    out_ << "\n$EndEntities\n$Nodes\n";
    auto const nodes = std::int64_t{mesh.nodes()};
    put(std::int64_t{2}, nodes, std::int64_t{10}, 10 + 3 * nodes);
    put(std::int32_t{2}, std::int32_t{101}, std::int32_t{1}, std::int64_t{1},
        std::int64_t{10});  // with parameters
    for (std::size_t d = 0; d < 3; ++d) put(mesh.position[d]);
    put(0.25, 0.75);
    put(std::int32_t{3}, std::int32_t{1}, std::int32_t{0}, nodes - 1);
    for (std::int64_t n = 1; n < nodes; ++n) put(10 + 3 * n);
    for (std::size_t i = 3; i < mesh.position.size(); ++i) put(mesh.position[i]);
    out_ << "\n$EndNodes\n$Elements\n";
    auto const tetrahedra = std::int64_t{mesh.elements()};
    put(std::int64_t{mesh.faces()} + 2, tetrahedra + mesh.faces() + 1, std::int64_t{1},
        tetrahedra + mesh.faces() + 1);
    put(std::int32_t{0}, std::int32_t{4}, std::int32_t{15}, std::int64_t{1}, std::int64_t{900000},
        std::int64_t{10});
    for (std::size_t f = 0; f < mesh.face_id.size(); ++f) {
      put(std::int32_t{2}, 100 + mesh.face_id[f], std::int32_t{2}, std::int64_t{1},
          std::int64_t{1} + static_cast<std::int64_t>(f));
      for (std::size_t i = 0; i < 3; ++i) put(10 + std::int64_t{3} * mesh.face[3 * f + i]);
    }
    put(std::int32_t{3}, std::int32_t{1}, std::int32_t{4}, tetrahedra);
    for (std::size_t e = 0; e < mesh.element_number.size(); ++e) {
      put(mesh.element_number[e] + 1000);
      for (std::size_t i = 0; i < 4; ++i) put(10 + std::int64_t{3} * mesh.element[4 * e + i]);
    }
    out_ << "\n$EndElements\n";
    return out_.str();
  }

 private:
  template <class... T>
  void put(T... values) {
    (put_one(values), ...);
  }
  template <class T>
  void put_one(T value) {
    if (binary_) {
      out_.write(reinterpret_cast<char const*>(&value), sizeof value);
    } else {
      out_.precision(17);
      out_ << value << ' ';
    }
  }

  bool binary_;
  std::ostringstream out_;
};

std::string complaint(std::string const& text) {
  try {
    parse_gmsh(text, "a.msh");
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

TEST(Gmsh, BothFormsGiveTheMeshBack) {
  auto const mesh = box_mesh({3, 4, 2, {1, 2, 3}, 1.3, 0.1});
  auto expected = mesh;
  renumber(expected);
  for (bool const binary : {false, true}) {
    auto const got = parse_gmsh(Writer(binary).write(mesh), "box.msh");
    EXPECT_EQ(got.position, expected.position);
    EXPECT_EQ(got.element, expected.element);
    EXPECT_EQ(got.face, expected.face);
    EXPECT_EQ(got.face_id, expected.face_id);
    for (std::size_t n = 0; n < got.node_number.size(); ++n) {
      ASSERT_EQ(got.node_number[n], 10 + 3 * expected.node_number[n]);
    }
    for (std::size_t e = 0; e < got.element_number.size(); ++e) {
      ASSERT_EQ(got.element_number[e], 1000 + expected.element_number[e]);
    }
    ASSERT_EQ(got.group.size(), 1U);
    EXPECT_EQ(got.group[0], (std::pair<std::int32_t, std::string>{1, "the ground"}));
  }
}

TEST(Gmsh, WhatIsNoSuchFileIsRefusedInOneLine) {
  auto const text = Writer(false).write(box_mesh({1, 1, 1}));
  auto const changed = [&](std::string const& from, std::string const& to) {
    auto copy = text;
    return complaint(copy.replace(copy.find(from), from.size(), to));
  };
  EXPECT_NE(changed("4.1 ", "2.2 ").find("only 4.1 is read"), std::string::npos);
  EXPECT_NE(changed("$MeshFormat", "$Mesh").find("does not begin"), std::string::npos);
  EXPECT_NE(changed("3 1 4 6 ", "3 1 5 6 ").find("type 5"), std::string::npos);
  EXPECT_NE(changed("1000 10 ", "1000 11 ").find("no node 11"), std::string::npos);
  EXPECT_NE(changed("13 16 ", "13 13 ").find("node 13 is there twice"), std::string::npos);
  EXPECT_NE(complaint("").find("does not begin"), std::string::npos);
  EXPECT_THROW(read_gmsh("/no/such/file.msh"), InputError);
}

TEST(Gmsh, BrokenOffFilesAreRefused) {
  for (bool const binary : {false, true}) {
    auto const text = Writer(binary).write(box_mesh({1, 1, 1}));
    for (std::size_t size = 0; size + 1 < text.size(); size += 3) {
      auto const problem = complaint(text.substr(0, size));
      EXPECT_NE(problem, "") << size;
      EXPECT_EQ(problem.find('\n'), std::string::npos);
    }
  }
}

TEST(Gmsh, DamagedFilesAreReadOrRefused) {
  std::mt19937 random(7);
  for (bool const binary : {false, true}) {
    auto const text = Writer(binary).write(box_mesh({2, 1, 1}));
    int refused = 0;
    for (int trial = 0; trial < 3000; ++trial) {
      auto damaged = text;
      for (auto changes = 1 + random() % 4; changes > 0; --changes) {
        auto const at = random() % damaged.size();
        if (random() % 4 == 0) {
          damaged.erase(at, random() % 20);
        } else {
          damaged[at] = static_cast<char>(binary ? random() % 256 : "0123456789 -.e$\n"[random() % 16]);
        }
      }
      refused += complaint(damaged).empty() ? 0 : 1;
    }
    EXPECT_GT(refused, 1000);
  }
}

/// Written by gmsh 4.8.4 from box.geo beside them, a cube of 1 m.
TEST(Gmsh, FilesOfGmshItselfAreRead) {
  auto const folder = std::filesystem::path(std::getenv("ULPINE_SOURCE_DIR")) / "tests" / "mesh" / "data";
  auto text = read_gmsh((folder / "box_ascii.msh").string());
  auto binary = read_gmsh((folder / "box_binary.msh").string());
  EXPECT_EQ(text.element, binary.element);
  EXPECT_EQ(text.face, binary.face);
  EXPECT_EQ(text.face_id, binary.face_id);
  ASSERT_EQ(text.position.size(), binary.position.size());
  for (std::size_t i = 0; i < text.position.size(); ++i) {
    EXPECT_NEAR(text.position[i], binary.position[i], 0x1p-52);  // gmsh prints 16 digits
  }
  std::vector<std::pair<std::int32_t, std::string>> const groups{{1, "ground"}, {2, "lid"}, {3, "sides"}};
  EXPECT_EQ(text.group, groups);
  EXPECT_EQ(binary.group, groups);
  EXPECT_EQ(text.nodes(), 45);  // as gmsh says of itself
  double volume = 0;
  for (std::int32_t e = 0; e < text.elements(); ++e) volume += six_volumes(text, e) / 6;
  EXPECT_NEAR(volume, 1, 16 * text.elements() * 0x1p-53);
  // Every triangle lies on the side that its group names.
  for (std::size_t f = 0; f < text.face_id.size(); ++f) {
    for (std::size_t c = 0; c < 3; ++c) {
      auto const z = text.position[3 * static_cast<std::size_t>(text.face[3 * f + c]) + 2];
      if (text.face_id[f] == 1) {
        EXPECT_EQ(z, 0);
      }
      if (text.face_id[f] == 2) {
        EXPECT_EQ(z, 1);
      }
    }
  }
  renumber(text);
  renumber(binary);
  EXPECT_EQ(text.element, binary.element);
}

}  // namespace
}  // namespace ulpine
