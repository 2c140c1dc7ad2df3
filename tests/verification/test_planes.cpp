// SPDX-License-Identifier: Apache-2.0
#include "verification/planes.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <map>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::verification {
namespace {

using test::message_of;
using test::NetcdfWriting;
using test::TemporaryFolder;
using Shape = std::vector<std::int64_t>;

/// f of the named dimensions, and what their coordinates say ("axis" of CF), where they have some.
io::InputFile field(TemporaryFolder const& folder,
                    std::vector<std::pair<std::string, std::size_t>> const& dimensions,
                    std::map<std::string, std::string> const& axes = {},
                    std::string const& coordinates = "") {
  {
    NetcdfWriting file{folder / "a.nc"};
    std::vector<int> ids;
    for (auto const& [name, length] : dimensions) ids.push_back(file.dimension(name.c_str(), length));
    for (std::size_t d = 0; d < ids.size(); ++d) {
      auto const axis = axes.find(dimensions[d].first);
      if (axis == axes.end()) continue;
      file.text(file.variable(axis->first.c_str(), NC_DOUBLE, {ids[d]}), "axis", axis->second);
    }
    auto const f = file.variable("f", NC_FLOAT, ids);
    for (auto const& [name, standard] : {std::pair{"clon", "longitude"}, std::pair{"clat", "latitude"}}) {
      if (coordinates.empty()) continue;
      file.text(file.variable(name, NC_DOUBLE, {ids.back()}), "standard_name", standard);
      file.text(f, "coordinates", coordinates);
    }
  }
  return io::InputFile(folder / "a.nc");
}

Planes planes(io::InputFile const& file, PlaneChoice const& choice = {}) {
  return planes_of(file, "f", choice, "a.nc: f", "a test wants");
}

std::string refused(io::InputFile const& file, PlaneChoice const& choice = {}) {
  return message_of<InputError>([&] { planes(file, choice); });
}

TEST(Planes, AreOfRowsAndColumnsWhereverTheseStand) {
  TemporaryFolder const folder;
  struct Case {
    std::vector<std::pair<std::string, std::size_t>> dimensions;
    std::map<std::string, std::string> axes;
    std::size_t rows, columns;
    std::int64_t count;
  };
  std::vector<Case> const cases = {
      {{{"y", 4}, {"x", 5}}, {}, 0, 1, 1},
      {{{"time", 2}, {"lev", 3}, {"lat", 4}, {"lon", 5}}, {}, 1, 2, 3},
      {{{"lon", 5}, {"lat", 4}, {"lev", 3}}, {}, 0, 1, 3},
      {{{"ens", 2}, {"time", 3}, {"a", 4}, {"b", 5}}, {}, 1, 2, 2},
      {{{"a", 4}, {"b", 5}, {"c", 3}}, {{"a", "Y"}, {"b", "X"}}, 0, 1, 3},
      {{{"time", 2}, {"z", 3}, {"y", 1}, {"xh", 5}}, {}, 0, 2, 1},  // a section
      {{{"ens", 2}, {"z", 3}, {"y", 4}, {"x", 1}}, {}, 1, 2, 2},    // sections
      {{{"lev", 3}, {"member", 1}, {"lat", 4}, {"lon", 5}}, {}, 2, 3, 3},
      {{{"south_north", 4}, {"west_east_stag", 5}, {"bottom_top", 3}}, {}, 0, 1, 3},
      {{{"p", 1}, {"q", 1}, {"r", 1}}, {}, 1, 2, 1},
  };
  for (auto const& [dimensions, axes, rows, columns, count] : cases) {
    auto const file = field(folder, dimensions, axes);
    auto const found = planes(file);
    EXPECT_EQ(found.rows, rows) << dimensions[0].first;
    EXPECT_EQ(found.columns, columns) << dimensions[0].first;
    EXPECT_EQ(found.count, count) << dimensions[0].first;
    auto const shape = file.info("f").shape;
    EXPECT_EQ(found.row_count, shape[rows]);
    EXPECT_EQ(found.column_count, shape[columns]);
  }
}

TEST(Planes, AreChosenByLevelAndByName) {
  TemporaryFolder const folder;
  auto const file = field(folder, {{"ens", 2}, {"lev", 3}, {"lat", 4}, {"lon", 5}});
  auto const all = planes(file);
  EXPECT_EQ(all.along, "2 of ens and 3 of lev");
  EXPECT_EQ(all.count, 6);
  EXPECT_EQ(all.box(0).start, (Shape{0, 0, 0, 0}));
  EXPECT_EQ(all.box(1).start, (Shape{0, 1, 0, 0}));
  EXPECT_EQ(all.box(5).start, (Shape{1, 2, 0, 0}));
  EXPECT_EQ(all.box(5).count, (Shape{1, 1, 4, 5}));
  auto const level = planes(file, {-1, {}});
  EXPECT_EQ(level.along, "2 of ens");
  EXPECT_EQ(level.box(1).start, (Shape{1, 2, 0, 0}));
  auto const one = planes(file, {1, {{"ens", -2}}});
  EXPECT_EQ(one.count, 1);
  EXPECT_EQ(one.along, "");
  EXPECT_EQ(one.box(0).start, (Shape{0, 1, 0, 0}));
  // Across an axis: a section.
  auto const section = planes(file, {{}, {{"lat", 3}, {"ens", 1}}});
  EXPECT_EQ(section.rows, 1u);
  EXPECT_EQ(section.columns, 3u);
  EXPECT_EQ(section.box(0).start, (Shape{1, 0, 3, 0}));
  EXPECT_EQ(section.box(0).count, (Shape{1, 3, 1, 5}));
}

TEST(Planes, RefuseWhatIsNotThere) {
  TemporaryFolder const folder;
  {
    auto const file = field(folder, {{"ens", 2}, {"lev", 3}, {"lat", 4}, {"lon", 5}});
    EXPECT_NE(refused(file, {3, {}}).find("a.nc: f: no index 3 along lev (it has 3, counted from 0)"),
              std::string::npos);
    EXPECT_NE(refused(file, {-4, {}}).find("no index -4 along lev"), std::string::npos);
    EXPECT_NE(refused(file, {{}, {{"member", 0}}})
                  .find("no dimension 'member' (besides time it has ens, lev, lat, lon)"),
              std::string::npos);
    EXPECT_NE(refused(file, {1, {{"lev", 0}, {"ens", 0}}}).find("no levels"), std::string::npos);
  }
  {
    auto const file = field(folder, {{"y", 4}, {"x", 5}});
    EXPECT_NE(refused(file, {{}, {{"x", 0}}}).find("too little is left"), std::string::npos);
    EXPECT_NE(refused(file, {0, {}}).find("no levels"), std::string::npos);
  }
  EXPECT_NE(
      refused(field(folder, {{"time", 2}, {"x", 5}})).find("has 1 dimension besides time (a test wants two)"),
      std::string::npos);
  auto const why = "lies on cells without rows and columns along cell";
  EXPECT_NE(refused(field(folder, {{"lev", 4}, {"cell", 5}}, {}, "clat clon")).find(why), std::string::npos);
  EXPECT_EQ(refused(field(folder, {{"lev", 4}, {"cell", 5}})).find(why), std::string::npos);
  EXPECT_NE(refused(field(folder, {{"lev", 4}, {"ncol", 5}})).find("along ncol"), std::string::npos);
}

TEST(VerticalDimension, IsWhatACoordinateOrANameSays) {
  TemporaryFolder const folder;
  EXPECT_EQ(vertical_dimension(field(folder, {{"lev", 3}, {"lat", 4}}), "f"), 0u);
  EXPECT_EQ(vertical_dimension(field(folder, {{"lat", 4}, {"height_2", 3}}), "f"), 1u);
  EXPECT_EQ(vertical_dimension(field(folder, {{"k", 3}, {"lat", 4}}, {{"k", "Z"}}), "f"), 0u);
  EXPECT_EQ(vertical_dimension(field(folder, {{"ens", 3}, {"lat", 4}}), "f"), std::nullopt);
}

}  // namespace
}  // namespace ulpine::verification
