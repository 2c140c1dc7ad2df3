// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/open_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;

/// Open files and sockets of this process: a classic file is one, a process that reads for it another.
std::ptrdiff_t descriptors() {
  return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

class FilesKeptOpen : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::vector<fs::path> write(std::size_t count, int mode) const {
    std::vector<fs::path> paths;
    for (std::size_t i = 0; i < count; ++i) {
      paths.push_back(folder_.path() / (std::to_string(mode) + "_" + std::to_string(i) + ".nc"));
      test::NetcdfWriting file(paths.back(), mode);
      file.values(file.variable("a", NC_DOUBLE, {file.dimension("x", 1)}), {double(i)});
    }
    return paths;
  }
};

TEST_F(FilesKeptOpen, AreNoMoreThanSaidHoweverManyThereAre) {
  auto const before = descriptors();
  for (auto const mode : {NC_NETCDF4, NC_64BIT_OFFSET}) {
    auto const most = std::ptrdiff_t(mode == NC_NETCDF4 ? 3 : OpenFiles::most_classic);
    auto const paths = write(std::size_t(most) + 7, mode);
    OpenFiles open(3);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < paths.size(); ++i) {
        EXPECT_EQ(open(paths[i])->read("a").values.front(), double(i));
        EXPECT_LE(descriptors() - before, most);
      }
    }
    EXPECT_EQ(descriptors() - before, most);
  }
  EXPECT_EQ(descriptors(), before);
}

TEST_F(FilesKeptOpen, WaitForTheirTurnWhereThereIsRoom) {
  auto const before = descriptors();
  auto const most = std::ptrdiff_t(OpenFiles::most_waiting);
  auto const paths = write(std::size_t(most) + 9, NC_NETCDF4);
  OpenFiles open(3);
  std::vector<io::InputFile const*> first;
  for (auto const& path : paths) {
    first.push_back(open(path).get());
    open.wait(path);
  }
  EXPECT_EQ(descriptors() - before, most + 3);
  // Those that waited are the same ones still, and wait no more once they were used.
  for (std::size_t i = 0; i < std::size_t(most); ++i) EXPECT_EQ(open(paths[i]).get(), first[i]);
  EXPECT_EQ(descriptors() - before, 3);
}

}  // namespace
}  // namespace ulpine::verification::consistency
