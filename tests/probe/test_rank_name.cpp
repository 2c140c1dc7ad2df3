// SPDX-License-Identifier: Apache-2.0
#include "probe/source/rank_name.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::probe {
namespace {

using ulpine::test::message_of;
using ulpine::test::TemporaryFolder;

constexpr char const* magic = "ULPFIELD";

std::vector<std::string> names_in(std::filesystem::path const& folder) {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator{folder})
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(RankNames, TellRankAndNumberOfRanks) {
  EXPECT_EQ(rank_name("out/trace.bin", 0, 1), "out/trace.bin");
  EXPECT_EQ(rank_name("out/trace.bin", 3, 8), "out/trace.3-of-8.bin");
  EXPECT_EQ(rank_name("trace", 10, 11), "trace.10-of-11");
  EXPECT_EQ(rank_name("out/t{rank}.bin", 3, 8), "out/t3.bin");
  EXPECT_EQ(rank_name("out/t{rank}.bin", 0, 1), "out/t0.bin");
  EXPECT_EQ(rank_name("a.{rank}/trace.bin", 0, 1), "a.{rank}/trace.bin") << "of the file's name alone";
  EXPECT_EQ(without_rank("out/trace.3-of-8.bin"), "out/trace.bin");
  EXPECT_EQ(without_rank("out/trace.8-of-8.bin"), "out/trace.8-of-8.bin");
  EXPECT_EQ(without_rank("out/trace.bin"), "out/trace.bin");
}

TEST(RankNames, FindTheFilesOfAllRanksInOrder) {
  TemporaryFolder const folder;
  auto const name = (folder / "t.bin").string();
  EXPECT_TRUE(rank_files(name).empty());
  EXPECT_TRUE(rank_files((folder / "none/t.bin").string()).empty());
  std::vector<std::string> expected;
  for (int rank = 0; rank < 12; ++rank) {
    expected.push_back(rank_name(name, rank, 12));
    folder.write(std::filesystem::path{expected.back()}.filename(), "x");
  }
  folder.write("t.x-of-12.bin", "x");
  folder.write("t.3-of-12.txt", "x");
  EXPECT_EQ(rank_files(name), expected);
  std::filesystem::remove(expected[7]);
  EXPECT_EQ(
      message_of<InputError>([&] { static_cast<void>(rank_files(name)); }),
      name + ": the file of rank 7 of 12 is missing (parts of fields would be) copy the files of all ranks");
  folder.write("t.7-of-12.bin", "x");
  folder.write("t.bin", "x");
  EXPECT_EQ(message_of<InputError>([&] { static_cast<void>(rank_files(name)); }),
            name + ": files of several runs (of different numbers of ranks) remove those of the others");
  for (int rank = 0; rank < 3; ++rank) folder.write("u" + std::to_string(rank) + ".bin", "x");
  EXPECT_EQ(rank_files((folder / "u{rank}.bin").string()).size(), 3u);
}

TEST(RankNames, LeaveNothingOfEarlierRunsThatCouldPassForThisOne) {
  TemporaryFolder const folder;
  auto const name = (folder / "f.bin").string();
  auto const ours = std::string{magic} + "more";
  for (auto const* one : {"f.bin", "f.0-of-2.bin", "f.1-of-2.bin", "f.0-of-4.bin", "f.3-of-4.bin"})
    folder.write(one, ours);
  folder.write("f.0-of-3.bin", "somebody's notes");
  folder.write("other.bin", ours);
  remove_earlier(name, 1, 2, magic);
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"f.0-of-2.bin", "f.0-of-3.bin", "f.0-of-4.bin",
                                                               "f.3-of-4.bin", "f.bin", "other.bin"}));
  remove_earlier(name, 0, 2, magic);
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"f.0-of-3.bin", "other.bin"}));
  auto const notes = (folder / "f.0-of-3.bin").string();
  EXPECT_EQ(
      message_of<InputError>([&] { remove_earlier(name, 0, 3, magic); }),
      notes +
          ": would be written over (it is no such file of an earlier run) name another file, or remove it");
  EXPECT_TRUE(std::filesystem::exists(notes));
  folder.write("f.bin", "");
  EXPECT_NO_THROW(remove_earlier(name, 0, 1, magic));
  std::filesystem::create_directory(name);
  EXPECT_THROW(remove_earlier(name, 0, 1, magic), InputError);
}

}  // namespace
}  // namespace ulpine::probe
