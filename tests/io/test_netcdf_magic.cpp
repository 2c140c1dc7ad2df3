// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_magic.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

TEST(NetcdfMagic, KnowsWhatTheLibraryWritesWhateverItsName) {
  test::TemporaryFolder const folder;
  for (auto const mode : {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4}) {
    auto const path = folder / "wrfout_d01_2000-01-01_00:00:00";
    { test::NetcdfWriting const file(path, mode); }
    EXPECT_TRUE(has_netcdf_magic(path)) << mode;
  }
}

TEST(NetcdfMagic, LooksBehindABlockOfTheUsers) {
  test::TemporaryFolder const folder;
  std::string const signature = "\x89HDF\r\n\x1a\n";
  for (auto const& [place, known] : {std::pair{0, true},
                                     {512, true},
                                     {1024, true},
                                     {2048, true},
                                     {1 << 20, true},
                                     {256, false},
                                     {1536, false},
                                     {511, false}}) {
    auto const path =
        folder.write("a", std::string(static_cast<std::size_t>(place), 'u') + signature + "more");
    EXPECT_EQ(has_netcdf_magic(path), known) << place;
  }
}

TEST(NetcdfMagic, IsNotThatOfOtherFiles) {
  test::TemporaryFolder const folder;
  for (auto const& bytes : {std::string{}, std::string{"CDF"}, std::string{"CDF\x03 of no version"},
                            std::string{"\x89HDF\r\n\x1a"}, std::string{"\x89PNG\r\n\x1a\n of an image"},
                            std::string(5000, ' ') + "CDF\x01"}) {
    EXPECT_FALSE(has_netcdf_magic(folder.write("a.nc", bytes))) << bytes.substr(0, 20);
  }
  EXPECT_FALSE(has_netcdf_magic(folder.path()));
  EXPECT_FALSE(has_netcdf_magic(folder / "nowhere"));
  auto const pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(has_netcdf_magic(pipe)) << "and does not wait";
}

}  // namespace
}  // namespace ulpine::io
