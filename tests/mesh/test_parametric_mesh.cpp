// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/parametric_mesh.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine {
namespace {

using test::message_of;

// Two rows of three cells of 100 m x 200 m; the cell of row 1, column 0 is land. All sides of sea cells
// that face land or the outside are closed.
std::string const head = "ParametricMesh 2.0\n3 2\n";
std::string const vertices =
    "0 0\n100 0\n200 0\n300 0\n"
    "0 200\n100 200\n200 200\n300 200\n"
    "0 400\n100 400\n200 400\n300 400\n";
std::string const landmask = "landmask 6\n1 1 1 0 1 1\n";
std::string const dirichlet = "dirichlet 11\n0 0\n0 3\n0 2\n1 0\n2 0\n2 1\n4 2\n4 3\n5 1\n5 2\n3 0\n";
std::string const sound = head + vertices + landmask + dirichlet + "periodic 0\n";

struct MeshFile : testing::Test {
  test::TemporaryFolder folder;

  QuadMesh read(std::string const& text) const {
    test::write_file(folder / "a.smesh", text);
    return read_parametric_mesh(folder / "a.smesh");
  }
  std::string refusal(std::string const& text) const {
    auto const message = message_of<InputError>([&] { read(text); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with((folder / "a.smesh").string())) << message;
    return message;
  }
  std::string refusal(std::string const& from, std::string const& to) const {
    auto text = sound;
    auto const at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return refusal(text.replace(at, from.size(), to));
  }
};

TEST_F(MeshFile, IsReadToTheLastCell) {
  auto const mesh = read(sound);
  EXPECT_EQ(mesh.nx, 3);
  EXPECT_EQ(mesh.ny, 2);
  EXPECT_EQ(mesh.mask, (std::vector<std::uint8_t>{1, 1, 1, 0, 1, 1}));
  EXPECT_EQ(mesh.x, (std::vector<double>{0, 100, 200, 300, 0, 100, 200, 300, 0, 100, 200, 300}));
  EXPECT_EQ(mesh.y, (std::vector<double>{0, 0, 0, 0, 200, 200, 200, 200, 400, 400, 400, 400}));
  auto const without_end = sound.substr(0, sound.size() - 1);
  EXPECT_EQ(read(without_end).x, mesh.x);
  EXPECT_EQ(read(sound + " \n\n\t\n").x, mesh.x);
}

TEST_F(MeshFile, WhatIsWrongInItIsNamed) {
  struct {
    std::string from, to, words;
  } const cases[] = {
      {"ParametricMesh", "Mesh", "not a ParametricMesh 2.0 file"},
      {"2.0", "3.0", "not a ParametricMesh 2.0 file"},
      {"3 2\n0 0", "0 2\n0 0", "numbers of cells"},
      {"3 2\n0 0", "-3 2\n0 0", "numbers of cells"},
      {"3 2\n0 0", "3 16385\n0 0", "numbers of cells"},
      {"3 2\n0 0", "4294967299 2\n0 0", "numbers of cells"},
      {"3 2\n0 0", "3 99999999999999999999\n0 0", "numbers of cells"},
      {"3 2\n0 0", "16384 16384\n0 0", "vertex 12 is missing"},
      {"100 200", "100 nan", "vertex 5 is missing or no number"},
      {"100 200", "inf 200", "vertex 5 is missing or no number"},
      {"100 200", "1e999 200", "vertex 5 is missing or no number"},
      {"100 200", "1e200 200", "vertex 5 is out of reach"},
      {"100 200", "-150 200", "cell 0 (row 0, column 0) is folded"},
      {"100 200", "0 200", "cell 0 (row 0, column 0) is degenerate"},
      {"100 200", "200 200", "is degenerate"},
      {"landmask 6", "landmask 5", "landmask expected"},
      {"landmask 6", "landmask 4294967302", "landmask expected"},
      {"landmask 6", "landmask 99999999999999999999", "landmask expected"},
      {"landmask 6", "landmask -6", "landmask expected"},
      {"1 1 1 0 1 1", "1 1 1 2 1 1", "landmask entry 3 is not 0 or 1"},
      {"1 1 1 0 1 1", "1 1 1 4294967296 1 1", "landmask entry 3 is not 0 or 1"},
      {"1 1 1 0 1 1", "0 0 0 0 0 0", "leaves no sea"},
      {"dirichlet 11", "dirichlet 25", "dirichlet"},
      {"dirichlet 11", "dirichlet -1", "dirichlet"},
      {"dirichlet 11", "dirichlet 99999999999999999999", "dirichlet"},
      {"0 3\n0 2", "0 3\n6 2", "dirichlet entry 2 is bad"},
      {"0 3\n0 2", "0 3\n0 4", "dirichlet entry 2 is bad"},
      {"0 3\n0 2", "0 3\n4294967296 2", "dirichlet entry 2 is bad"},
      {"0 3\n0 2", "0 3\n0 3", "open boundary at cell 0"},
      {"5 2\n", "5 0\n", "open boundary at cell 5"},
      {"periodic 0", "periodic 1\n0 2 0", "periodic boundaries"},
      {"periodic 0", "", "periodic boundaries"},
      {"periodic 0", "periodic 0\n0 1", "something follows the last section"},
      {"periodic 0", "periodic 0\nlandmask 6", "something follows the last section"},
  };
  for (auto const& item : cases) {
    auto const message = refusal(item.from, item.to);
    EXPECT_NE(message.find(item.words), std::string::npos) << item.to << ": " << message;
  }
}

TEST_F(MeshFile, OfMirroredRowsSaysHowToTurnThem) {
  auto mirrored = head +
                  "300 0\n200 0\n100 0\n0 0\n"
                  "300 200\n200 200\n100 200\n0 200\n"
                  "300 400\n200 400\n100 400\n0 400\n" +
                  "landmask 0\ndirichlet 10\n0 0\n0 3\n1 0\n2 0\n2 1\n3 2\n3 3\n4 2\n5 1\n5 2\nperiodic 0\n";
  EXPECT_NE(refusal(mirrored).find("all cells are mirrored"), std::string::npos);

  // The remedy, as told: rows in the other order. No land here, and the list of sides is symmetric.
  auto const remedied = head +
                        "300 400\n200 400\n100 400\n0 400\n"
                        "300 200\n200 200\n100 200\n0 200\n"
                        "300 0\n200 0\n100 0\n0 0\n" +
                        mirrored.substr(mirrored.find("landmask"));
  EXPECT_EQ(read(remedied).areas(), std::vector<double>(6, 100 * 200));
}

TEST_F(MeshFile, ThatIsNoRegularFileIsRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (auto const& path : {folder / "pipe", std::filesystem::path("/dev/zero"), folder / "."}) {
    auto const message = message_of<InputError>([&] { read_parametric_mesh(path); });
    EXPECT_NE(message.find("not a mesh file"), std::string::npos) << message;
  }
  EXPECT_NE(message_of<InputError>([&] { read_parametric_mesh(folder / "none"); }).find("no such mesh file"),
            std::string::npos);
}

TEST_F(MeshFile, OfTheFaultsFolderIsRefused) {
  auto const* data = std::getenv("ULPINE_TEST_DATA");
  auto const faults = std::filesystem::path(data == nullptr ? "" : data) / "faults";
  if (!std::filesystem::exists(faults / "inverted.smesh"))
    GTEST_SKIP() << "no faulty data (ULPINE_TEST_DATA)";
  auto const read_fault = [&](char const* name) {
    return message_of<InputError>([&] { read_parametric_mesh(faults / name); });
  };
  EXPECT_NE(read_fault("inverted.smesh").find("mirrored"), std::string::npos);
  EXPECT_NE(read_fault("folded.smesh").find("turned over"), std::string::npos) << read_fault("folded.smesh");
}

}  // namespace
}  // namespace ulpine
