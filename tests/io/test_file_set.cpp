// SPDX-License-Identifier: Apache-2.0
// Names of files that are parts of one, and reading any box of their whole.
#include "io/file_set.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "io/joined_plan.hpp"
#include "io/joined_source.hpp"
#include "io/netcdf.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::NetcdfWriting;
using test::TemporaryFolder;

TEST(FileSet, NumbersInNamesCountAsNumbers) {
  EXPECT_TRUE(naturally_before("run-9.nc", "run-10.nc"));
  EXPECT_FALSE(naturally_before("run-10.nc", "run-9.nc"));
  EXPECT_TRUE(naturally_before("output-12.nc", "output.nc"));
  EXPECT_TRUE(naturally_before("a", "a1"));
  EXPECT_TRUE(naturally_before("t099_2", "t100_1"));
  EXPECT_FALSE(naturally_before("x7", "x7"));
  EXPECT_NE(naturally_before("x07", "x7"), naturally_before("x7", "x07"));
}

TEST(FileSet, TilesAndRanksAreReadFromNames) {
  EXPECT_EQ(tile_in_name("a/atmos.tile6.nc")->number, 6);
  EXPECT_EQ(tile_in_name("C96_grid_tile12_x.nc")->number, 12);
  EXPECT_EQ(tile_in_name("sfc_data.tile3.nc.0004")->number, 3);
  for (auto const* name : {"tile.nc", "textile3.nc", "tile3x.nc", "tiles3.nc"})
    EXPECT_FALSE(tile_in_name(name)) << name;
  EXPECT_EQ(rank_in_name("ocean.nc.0012")->number, 12);
  EXPECT_EQ(rank_in_name("ORCA_1d_grid_T_0003.nc")->number, 3);
  EXPECT_EQ(rank_in_name("his.7.nc")->number, 7);
  for (auto const* name : {"m01.nc", "0001", "ocean.nc", "day-01.nc"})
    EXPECT_FALSE(rank_in_name(name)) << name;
}

TEST(FileSet, PatternsOfPartsFitTheirNamesAlone) {
  TemporaryFolder const folder;
  auto const inner = folder.path() / "of [x] {y}*";
  std::filesystem::create_directory(inner);
  for (auto const* name :
       {"a.tile1.nc.0000", "a.tile1.nc.0001", "a.tile2.nc.0000", "b.tile1.nc.0000", "a.tilex.nc.0000"}) {
    std::ofstream(inner / name) << "CDF\1";
  }
  auto const names_of = [](std::string const& pattern) {
    std::vector<std::string> names;
    for (auto const& file : files_of_set(pattern)) names.push_back(file.filename().string());
    return names;
  };
  EXPECT_EQ(names_of(pattern_of_parts(inner / "a.tile1.nc.0000", true, true)),
            (std::vector<std::string>{"a.tile1.nc.0000", "a.tile1.nc.0001", "a.tile2.nc.0000"}));
  EXPECT_EQ(names_of(pattern_of_parts(inner / "a.tile1.nc.0000", true, false)),
            (std::vector<std::string>{"a.tile1.nc.0000", "a.tile2.nc.0000"}));
}

TEST(FileSet, WhatExistsIsNoPattern) {
  TemporaryFolder const folder;
  std::ofstream(folder.path() / "a[1].nc") << "x";
  EXPECT_FALSE(names_set(folder.path() / "a[1].nc"));
  EXPECT_TRUE(names_set(folder.path() / "a[2].nc"));
  EXPECT_TRUE(names_set(folder.path()));
  EXPECT_FALSE(names_set(folder.path() / "absent.nc"));
  EXPECT_THROW(files_of_set(folder.path() / "b*.nc"), InputError);
}

/// A field of three dimensions, the last of which two ranks' parts share, each time range in files of its
/// own.
class Parts {
 public:
  static constexpr std::size_t nt = 7, ny = 5, nx = 11;
  explicit Parts(unsigned seed) : random_{seed} {
    auto cut = [&](std::size_t length, std::size_t parts) {
      std::vector<std::size_t> ends = {0, length};
      while (ends.size() < parts + 1) {
        auto const end = std::uniform_int_distribution<std::size_t>(1, length - 1)(random_);
        if (std::ranges::count(ends, end) == 0) ends.push_back(end);
      }
      std::ranges::sort(ends);
      return ends;
    };
    auto const times = cut(nt, 3), columns = cut(nx, 4);
    for (std::size_t t = 0; t + 1 < times.size(); ++t) {
      for (std::size_t c = 0; c + 1 < columns.size(); ++c)
        write(times[t], times[t + 1], columns[c], columns[c + 1]);
    }
  }
  static double value(std::size_t t, std::size_t y, std::size_t x) {
    return double((t * ny + y) * nx + x) + 0.25;
  }
  std::filesystem::path path() const { return folder_.path(); }
  std::mt19937& random() { return random_; }

 private:
  void write(std::size_t t0, std::size_t t1, std::size_t x0, std::size_t x1) {
    auto const name = "p" + std::to_string(99 - x0) + "_" + std::to_string(t0) + ".nc";
    NetcdfWriting file(folder_.path() / name, 0);
    auto const time = file.dimension("time", t1 - t0), row = file.dimension("y", ny),
               column = file.dimension("x", x1 - x0);
    auto const times = file.variable("time", NC_INT, {time}), x = file.variable("x", NC_SHORT, {column}),
               field = file.variable("f", NC_DOUBLE, {time, row, column});
    file.text(times, "units", "days since 2000-01-01");
    file.number(x, "domain_decomposition", NC_INT, {1, double(nx), double(x0 + 1), double(x1)});
    std::vector<double> of_time, of_x, values;
    for (auto t = t0; t < t1; ++t) of_time.push_back(double(t));
    for (auto i = x0; i < x1; ++i) of_x.push_back(double(i));
    for (auto t = t0; t < t1; ++t) {
      for (std::size_t j = 0; j < ny; ++j) {
        for (auto i = x0; i < x1; ++i) values.push_back(value(t, j, i));
      }
    }
    file.values(times, of_time);
    file.values(x, of_x);
    file.values(field, values);
  }
  TemporaryFolder folder_;
  std::mt19937 random_;
};

TEST(JoinedFiles, AnyBoxIsThatOfTheWhole) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Parts parts(seed);
    InputFile const whole(parts.path());
    EXPECT_TRUE(notes_of_parts(parts.path()).empty());
    EXPECT_EQ(whole.info("f").shape, (std::vector<std::int64_t>{Parts::ny, Parts::nx}));
    EXPECT_EQ(whole.times("f").size(), Parts::nt);
    for (int box = 0; box < 60; ++box) {
      Box part;
      auto const choose = [&](std::size_t length) {
        auto const first = std::uniform_int_distribution<std::size_t>(0, length - 1)(parts.random());
        part.start.push_back(std::int64_t(first));
        part.count.push_back(
            std::int64_t(std::uniform_int_distribution<std::size_t>(1, length - first)(parts.random())));
      };
      choose(Parts::ny);
      choose(Parts::nx);
      auto const t = std::uniform_int_distribution<std::size_t>(0, Parts::nt - 1)(parts.random());
      auto const values = whole.read("f", std::int64_t(t), part);
      std::vector<double> expected;
      for (auto y = part.start[0]; y < part.start[0] + part.count[0]; ++y) {
        for (auto x = part.start[1]; x < part.start[1] + part.count[1]; ++x) {
          expected.push_back(Parts::value(t, std::size_t(y), std::size_t(x)));
        }
      }
      EXPECT_EQ(values, expected);
    }
    std::vector<double> all;
    for (std::size_t t = 0; t < Parts::nt; ++t) {
      for (std::size_t y = 0; y < Parts::ny; ++y) {
        for (std::size_t x = 0; x < Parts::nx; ++x) all.push_back(Parts::value(t, y, x));
      }
    }
    EXPECT_EQ(whole.read_all("f"), all);
  }
}

TEST(JoinedFiles, EachFileThatDoesNotFitHasALine) {
  Parts parts(1);
  auto made = 0;
  for (auto const& entry : std::filesystem::directory_iterator(parts.path())) {
    if (made++ < 10) std::filesystem::remove(entry.path());
  }
  try {
    InputFile const whole(parts.path());
    ADD_FAILURE() << "parts are missing";
  } catch (Misfits const& misfits) {
    EXPECT_FALSE(misfits.lines().empty());
    for (auto const& line : misfits.lines()) EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace ulpine::io
