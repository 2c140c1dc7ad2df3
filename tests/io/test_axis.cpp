// SPDX-License-Identifier: Apache-2.0
#include "io/axis.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ulpine::io {
namespace {

std::string axis(std::string const& name) {
  auto const found = usual_axis(name);
  return found ? found->axis : "";
}

TEST(UsualAxis, IsOfNamesAndTheirBeginningsAsWords) {
  for (auto const* name :
       {"x", "XC", "xi_rho", "lon", "west_east_stag", "grid_xt", "n_lon", "g0_lon_1", "ni_u", "columns"}) {
    EXPECT_EQ(axis(name), "x") << name;
  }
  for (auto const* name :
       {"y", "Yp1", "eta_rho", "latitude", "south_north", "grid_yt_sub01", "nav_lat", "jmt"}) {
    EXPECT_EQ(axis(name), "y") << name;
  }
  for (auto const* name : {"z", "lev", "depthu", "bottom_top_stag", "s_rho", "k", "nVertLevelsP1", "siglay",
                           "st_ocean", "zw_3d"}) {
    EXPECT_EQ(axis(name), "z") << name;
  }
  for (auto const* name : {"", "year", "xtime", "lonely", "latency", "ens", "nVertices", "zone", "kind",
                           "ncol", "n", "mesh_x"}) {
    EXPECT_EQ(axis(name), "") << name;
  }
  EXPECT_EQ(usual_axis("lon")->tells, NameTells::a_place);
  EXPECT_EQ(usual_axis("ni")->tells, NameTells::an_index);
  EXPECT_EQ(usual_axis("column")->tells, NameTells::in_pairs);
}

TEST(UsualOfCells, IsOfUnstructuredGrids) {
  for (auto const* name : {"nod2", "nod2d", "elem", "nEdges", "nVertices", "ncells_2", "ncol_d",
                           "nSCHISM_hgrid_node", "nMesh2_face", "n2d", "lndgrid", "nele", "mesh2d_nFaces"}) {
    EXPECT_TRUE(is_usual_of_cells(name)) << name;
  }
  for (auto const* name : {"x", "lat", "member", "country", "model", "nlon", "protocol"}) {
    EXPECT_FALSE(is_usual_of_cells(name)) << name;
  }
}

TEST(SameSpacing, IsToAThousandthOfTheLarger) {
  EXPECT_TRUE(same_spacing(1000, 1000.9));
  EXPECT_TRUE(same_spacing(1000.9, 1000));
  EXPECT_FALSE(same_spacing(1000, 1001.1));
  EXPECT_FALSE(same_spacing(1001.1, 1000));
  auto even = [](double a, double b) {
    even_out(a, b);
    return std::pair{a, b};
  };
  EXPECT_EQ(even(1000, 1000.5), (std::pair{1000.25, 1000.25}));
  EXPECT_EQ(even(1000, 1008), (std::pair{1000., 1008.}));
  EXPECT_EQ(even(0, 1e-9), (std::pair{0., 1e-9}));
  EXPECT_EQ(even(0, 0), (std::pair{0., 0.}));
}

TEST(FirstOutOfOrder, IsWhereAnAxisTellsNoPlaces) {
  using Values = std::vector<double>;
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
  auto const at = [](Values const& values, double turn = 0) { return first_out_of_order(values, turn); };
  for (auto const& values : {Values{}, {1}, {1, 2}, {2, 1}, {1, 2, 5}, {5, 2, 1}})
    EXPECT_EQ(at(values), std::nullopt);
  EXPECT_EQ(at({1, 1}), 1u);
  EXPECT_EQ(at({1, 2, 3, 3}), 3u);
  EXPECT_EQ(at({3, 2, 4}), 2u);
  EXPECT_EQ(at({nan}), 0u);
  EXPECT_EQ(at({1, nan, 3}), 1u);
  EXPECT_EQ(at({350, 355, 0, 5}), 2u);
  EXPECT_EQ(at({350, 355, 0, 5}, 360), std::nullopt);
  EXPECT_EQ(at({5, 0, 355}, 360), std::nullopt);
  EXPECT_EQ(at({350, 355, 0, 355}, 360), 3u);
}

}  // namespace
}  // namespace ulpine::io
