// SPDX-License-Identifier: Apache-2.0
#include "io/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "io/text.hpp"
#include "io/units.hpp"

namespace ulpine::io {
namespace {

/// Names along one axis, each of which may go on by anything but a letter (x_rho, lat_0, ni_u).
struct NamesOfAxis {
  char const* axis;
  NameTells tells;
  std::vector<std::string> names;
};

std::vector<NamesOfAxis> const& usual_names() {
  static std::vector<NamesOfAxis> const known = {
      {"x", NameTells::a_place,
       words_of("x xb xc xe xf xg xh xi xm xp xq xt xu xv xw xaxis xcoord xdim xdir xgrid xindex xpos "
                "xlon xlong lon lons lonb lonc lonf lonh lonq lont lonu lonv long longitude longitudes "
                "rlon rlonc rlons rlont rlonu rlonv slon srlon tlon tlong ulon ulong geolon glon gridlon "
                "gridlongitude nlon nlons nlong nlongitude west_east east_west easting eastings east")},
      {"y", NameTells::a_place,
       words_of("y yb yc ye yf yg yh ym yp yq yt yu yv yw yaxis ycoord ydim ydir ygrid yindex ypos ylat "
                "lat lats latb latc latf lath latq latt latu latv latitude latitudes rlat rlatc rlats "
                "rlatt rlatu rlatv slat srlat tlat ulat geolat glat gridlat gridlatitude nlat nlats "
                "nlatitude south_north north_south northing northings north eta_rho eta_u eta_v eta_psi")},
      {"x", NameTells::an_index, words_of("i ii im ix idm imax imt jx ni nip nx nxc nxp mx")},
      {"y", NameTells::an_index, words_of("j jj jm jy jdm jmax jmt iy nj njp ny nyc nyp my")},
      {"x", NameTells::in_pairs,
       words_of("column columns ncolumns col cols ncols pixel pixels npixel npixels ground_pixel "
                "across_track cross_track xtrack")},
      {"y", NameTells::in_pairs,
       words_of("row rows nrow nrows line lines nline nlines scan scans nscan nscans scanline scanlines "
                "along_track atrack eta")},
      {"z", NameTells::a_place,
       words_of("nlev nlevs nlevel nlevels lay layer layers nlay nlayer nlayers nz nzb nzp sigma sig "
                "siglay siglev s_rho s_w st_ocean sw_ocean presnivs plevel isopycnal hybrid olevel "
                "model_level vgrid rho2_l rho2_i soil_layers_stag")},
      {"z", NameTells::an_index, words_of("k kk km kdm kmax kz nk nkp")}};
  return known;
}

/// Beginnings of names along the vertical, whatever follows.
bool begins_as_vertical(std::string_view name) {
  constexpr std::array<std::string_view, 15> starts = {
      "z",      "lev",      "height", "alt",   "depth", "plev",     "ilev",    "bottom_top",
      "nvertl", "isobaric", "pfull",  "phalf", "level", "pressure", "soil_lay"};
  if (name.starts_with("zon") || name.starts_with("zen")) return false;
  return std::ranges::any_of(starts, [&](auto start) { return name.starts_with(start); });
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

bool begins_with_word(std::string_view name, std::string_view word) {
  return name.starts_with(word) && (name.size() == word.size() || !is_letter(name[word.size()]));
}

/// Without what only says that it is a number of points, or of a grid; NCL's g0_ too.
std::string_view without_count(std::string_view name) {
  constexpr std::array<std::string_view, 8> counts = {"number_of_", "num_", "nb_",   "n_",
                                                      "dim_",       "nav_", "grid_", "g0_"};
  for (auto const count : counts) {
    if (name.starts_with(count)) return name.substr(count.size());
  }
  return name;
}

/// The words of a name, without a number at their end, the d of 2d, and a first n of a number.
std::set<std::string> words_of_name(std::string const& dimension) {
  std::set<std::string> words;
  auto const add = [&](std::string word) {
    if (word.size() > 2 && word.back() == 'd' && !is_letter(word[word.size() - 2])) word.pop_back();
    while (!word.empty() && word.back() >= '0' && word.back() <= '9') word.pop_back();
    words.insert(word);
    if (word.starts_with('n')) words.insert(word.substr(1));
  };
  std::string word;
  for (auto const c : lower_case(dimension)) {
    if (is_letter(c) || (c >= '0' && c <= '9')) {
      word += c;
    } else {
      add(std::exchange(word, {}));
    }
  }
  add(word);
  return words;
}

double shorter_way(double difference, double turn) {
  return turn > 0 ? std::remainder(difference, turn) : difference;
}

}  // namespace

std::string axis_of(std::string const& dimension) {
  auto const name = lower_case(dimension);
  for (auto const& [axis, starts] : {std::pair{"x", std::array{"x", "lon", "rlon", "west_east"}},
                                     std::pair{"y", std::array{"y", "lat", "rlat", "south_north"}}}) {
    if (std::ranges::any_of(starts, [&](char const* start) { return name.starts_with(start); })) return axis;
  }
  return name;
}

std::optional<UsualAxis> usual_axis(std::string const& dimension) {
  auto const name = lower_case(dimension);
  std::array<std::string_view, 2> const forms = {name, without_count(name)};
  for (auto const& [axis, tells, names] : usual_names()) {
    for (auto const form : forms) {
      auto const is_form = [&](std::string_view word) { return begins_with_word(form, word); };
      if (std::ranges::any_of(names, is_form)) return UsualAxis{axis, tells};
    }
  }
  if (std::ranges::any_of(forms, begins_as_vertical)) return UsualAxis{"z"};
  return {};
}

bool is_usual_of_cells(std::string const& dimension) {
  static std::set<std::string> const whole = {"n2d", "n3d", "ncol", "column", "pft", "rgrid", "values"};
  static std::set<std::string> const parts = {
      "nod",      "node",      "nodes",     "npoin",      "elem",      "elems",      "element",
      "elements", "ele",       "face",      "faces",      "edge",      "edges",      "cell",
      "cells",    "vertex",    "vertices",  "triangle",   "triangles", "col",        "columns",
      "gridcell", "gridcells", "lndgrid",   "landunit",   "landpoint", "landpoints", "land",
      "point",    "points",    "gridpoint", "gridpoints", "station",   "stations",   "site",
      "sites",    "pixel",     "pixels",    "pix",        "hru",       "gru"};
  if (whole.contains(lower_case(dimension))) return true;
  auto const words = words_of_name(dimension);
  return std::ranges::any_of(words, [&](auto const& word) { return parts.contains(word); });
}

double metres_of(std::string const& units) {
  auto const divisor = units.empty() ? std::nullopt : divisor_of(lengths(), units);
  return divisor ? 1 / *divisor : 0;
}

bool same_spacing(double a, double b) {
  constexpr double rounding = 1e-3;
  return std::abs(a - b) <= rounding * std::max(a, b);
}

void even_out(double& a, double& b) {
  if (a > 0 && b > 0 && same_spacing(a, b)) a = b = std::midpoint(a, b);
}

std::optional<std::size_t> first_out_of_order(std::span<double const> values, double turn) {
  double direction = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) return i;
    if (i == 0) continue;
    auto const step = shorter_way(values[i] - values[i - 1], turn);
    if (i == 1) direction = step > 0 ? 1 : -1;
    if (!(step * direction > 0)) return i;
  }
  return {};
}

}  // namespace ulpine::io
