// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/keys.hpp"

#include <cstdint>
#include <iterator>
#include <limits>

#include "core/mesh/case_mesh.hpp"
#include "core/seaice/constants.hpp"

namespace ulpine::seaice {
namespace {

constexpr auto lowest_integer = std::numeric_limits<std::int64_t>::min(),
               highest_integer = std::numeric_limits<std::int64_t>::max();
constexpr auto any_number = std::numeric_limits<std::size_t>::max();
constexpr char const *cyclone = "forcing.wind = \"cyclone\"",
                     *cyclone_on_plane =
                         "forcing.wind = \"cyclone\" and discretisation.coordinates = \"cartesian\"",
                     *cyclone_on_sphere =
                         "forcing.wind = \"cyclone\" and discretisation.coordinates = \"spherical\"",
                     *winds_of_file = "forcing.wind = \"file\"", *ice_of_file = "initial.source = \"file\"";

std::vector<io::CaseKey> keys_of_numerics() {
  return {
      io::choice_key("discretisation.coordinates",
                     {{"cartesian", "a plane, in metres"},
                      {"spherical",
                       "a sphere of 6371 km, in longitude and latitude that are turned so that "
                       "their poles lie on land"}},
                     "what the ice lies on"),
      io::integer_key("discretisation.cg", 1, lowest_integer, highest_integer,
                      "order of the continuous finite elements of the ice velocity")
          .among({{"1", "bilinear on a cell"}, {"2", "biquadratic on a cell"}}),
      io::integer_key("discretisation.dg", 3, lowest_integer, highest_integer,
                      "number of unknowns a cell of the discontinuous elements of ice thickness and "
                      "concentration")
          .among({{"1", "constant on a cell"}, {"3", "linear on a cell"}, {"6", "quadratic on a cell"}}),
      io::choice_key("discretisation.maps",
                     {{"auto", "constant where all cells are the same parallelogram, else precomputed"},
                      {"constant", "one set shared by all cells, which have to be the same parallelogram"},
                      {"precomputed", "a set stored for each cell"},
                      {"on_the_fly", "made of the cell's shape wherever they are needed: less memory"}},
                     "how the element matrices of the momentum equation are kept"),
      io::duration_key("time.step", "120 s", 1e-3, 86400,
                       "model step: thickness and concentration are advected once a step"),
      io::integer_key("time.substeps", 100, 1, 100000,
                      "number of iterations of the modified elastic-viscous-plastic (mEVP) solver of the "
                      "momentum equation in each model step"),
      io::number_key("seaice.alpha", 1500, 1, 1e9,
                     "mEVP parameter of the stress: each iteration moves it by 1 / alpha of the way to the "
                     "viscous-plastic law; larger is stabler and slower"),
      io::number_key("seaice.beta", 1500, 0, 1e9,
                     "mEVP parameter of the velocity: how much it is held back in each iteration; larger is "
                     "stabler and slower"),
      io::quantity_key("seaice.coriolis", "s-1", constants::coriolis, -1, 1,
                       "Coriolis parameter, one number for the whole domain, also on the sphere"),
      io::integer_key("seaice.runge_kutta", 2, 1, 3,
                      "order in time, and number of stages, of the Runge-Kutta method of the advection"),
      io::choice_key("seaice.limiter",
                     {{"exact", "slopes are scaled by the largest value that the polynomial has on the cell"},
                      {"nextsim", "the slope limiter of neXtSIM-DG"}},
                     "how concentration is kept within 0 and 1 and thickness above 0 after the advection"),
      io::choice_key("seaice.assembly",
                     {{"gather", "every node and cell sums its own contributions one after the other"},
                      {"rowwise", "cells add theirs row by row, rows of one parity at once"},
                      {"checkerboard", "cells add theirs in four passes, every second one along x and y"}},
                     "order in which deterministic assembly sums what cells contribute to a node; each "
                     "gives the same bits everywhere, but each its own")
          .needing("deterministic assembly"),
      io::choice_key("seaice.rheology",
                     {{"vp", "viscous-plastic with an elliptic yield curve (Hibler 1979)"},
                      {"vp_replacement", "the same with a replacement pressure: ice at rest has no stress"}},
                     "law by which the ice's internal stress follows from its strain rate"),
  };
}

std::vector<io::CaseKey> keys_of_forcing() {
  return {
      io::choice_key("forcing.wind",
                     {{"cyclone", "a vortex of given reach that drifts"},
                      {"calm", "no wind"},
                      {"uniform", "one wind everywhere, along the mesh's axes"},
                      {"file", "winds of a NetCDF file on longitudes and latitudes; on the sphere only"}},
                     "wind that drives the ice"),
      io::quantity_key("forcing.wind_u", "m s-1", 0, -200, 200, "uniform wind along the mesh's x axis")
          .needing("forcing.wind = \"uniform\""),
      io::quantity_key("forcing.wind_v", "m s-1", 0, -200, 200, "uniform wind along the mesh's y axis")
          .needing("forcing.wind = \"uniform\""),
      // A centre may lie far outside the mesh, but not where metres are lost.
      io::quantity_key("forcing.cyclone_x", "m", 256e3, -1e9, 1e9, "x of the cyclone's centre at the start")
          .needing(cyclone_on_plane),
      io::quantity_key("forcing.cyclone_y", "m", 256e3, -1e9, 1e9, "y of the cyclone's centre at the start")
          .needing(cyclone_on_plane),
      io::quantity_key("forcing.cyclone_longitude", "degrees", 0, -360, 360,
                       "longitude on the globe of the cyclone's centre at the start")
          .follows("the middle of the mesh")
          .needing(cyclone_on_sphere),
      io::quantity_key("forcing.cyclone_latitude", "degrees", 0, -90, 90,
                       "latitude on the globe of the cyclone's centre at the start")
          .follows("the middle of the mesh")
          .needing(cyclone_on_sphere),
      io::quantity_key("forcing.cyclone_drift_x", "m s-1", 0, -200, 200,
                       "speed of the centre along x; on the sphere to the east at the start, then along the "
                       "great circle of that heading")
          .follows("on the plane 51200 m a day, on the sphere 0")
          .needing(cyclone),
      io::quantity_key("forcing.cyclone_drift_y", "m s-1", 0, -200, 200,
                       "speed of the centre along y; on the sphere to the north at the start")
          .follows("on the plane 51200 m a day, on the sphere 0")
          .needing(cyclone),
      io::quantity_key("forcing.cyclone_rate", "s-1", 3e-4, -0.01, 0.01,
                       "wind speed over the distance from the centre, where that is short; the speed is "
                       "rate r exp(-r / reach)")
          .needing(cyclone),
      io::quantity_key("forcing.cyclone_reach", "m", 100e3, 1, 1e8,
                       "distance from the centre at which the wind is strongest")
          .needing(cyclone),
      io::quantity_key("forcing.cyclone_angle", "degrees", 72, -360, 360,
                       "angle between the wind and the way to the centre: 0 blows into it, 90 around it")
          .needing(cyclone),
      io::file_key("forcing.wind_file",
                   "NetCDF file of eastward and northward winds on longitudes and "
                   "latitudes; it has to cover the mesh and the run")
          .needing(winds_of_file),
      io::text_key("forcing.wind_u_variable", "u10", "variable of the eastward wind in that file")
          .needing(winds_of_file),
      io::text_key("forcing.wind_v_variable", "v10", "variable of the northward wind in that file")
          .needing(winds_of_file),
      io::numbers_key("forcing.wind_indices", "", "[]", 0, 1e9, 0, any_number,
                      "index, from 0, along each dimension of the winds with several places that is no time, "
                      "latitude or longitude, such as a level")
          .needing(winds_of_file),
      io::integer_key("forcing.wind_time", 0, lowest_integer, highest_integer,
                      "index of the one time of the file whose wind blows throughout the run, from 0, or "
                      "negative from the end")
          .follows("none: the wind changes as the file's times do")
          .needing(winds_of_file),
      io::text_key("forcing.wind_start", "",
                   "date in the file's calendar at which the run starts, "
                   "YYYY-MM-DD hh:mm:ss")
          .follows("the file's first time")
          .needing(winds_of_file),
      io::choice_key("forcing.ocean",
                     {{"gyre", "a current around the middle of the domain; on the plane only"},
                      {"still", "no current"},
                      {"uniform", "one current everywhere, along the mesh's axes"}},
                     "current that drags at the ice from below")
          .follows("on the plane \"gyre\", on the sphere \"still\""),
      io::quantity_key("forcing.ocean_speed", "m s-1", 0.01, -10, 10,
                       "speed of the gyre at the middle of the domain's sides")
          .needing("forcing.ocean = \"gyre\""),
      io::quantity_key("forcing.ocean_u", "m s-1", 0, -10, 10, "uniform current along the mesh's x axis")
          .needing("forcing.ocean = \"uniform\""),
      io::quantity_key("forcing.ocean_v", "m s-1", 0, -10, 10, "uniform current along the mesh's y axis")
          .needing("forcing.ocean = \"uniform\""),
  };
}

std::vector<io::CaseKey> keys_of_start() {
  return {
      io::choice_key("initial.source",
                     {{"benchmark",
                       "0.3 m of ice with waves of 5 mm, concentration 1 (Mehlmann et al. 2021); "
                       "on the plane only"},
                      {"uniform", "one thickness and concentration everywhere"},
                      {"file", "fields of a NetCDF file"}},
                     "ice at the start")
          .follows("on the plane \"benchmark\", on the sphere \"uniform\""),
      io::quantity_key("initial.height", "m", 1, 0, 100,
                       "ice thickness at the start, as the mean over a cell's whole area")
          .needing("initial.source = \"uniform\""),
      io::number_key("initial.concentration", 1, 0, 1, "share of a cell's area that ice covers at the start")
          .needing("initial.source = \"uniform\""),
      io::file_key("initial.file",
                   "NetCDF file of ice thickness and concentration, on rows and columns of "
                   "the mesh's cells")
          .needing(ice_of_file),
      io::integer_key("initial.time", -1, lowest_integer, highest_integer,
                      "index of the time that is read of the file, from 0, or negative from the end")
          .follows("the only time; a file of several needs the key")
          .needing(ice_of_file),
      io::text_key("initial.height_variable", "data/hice", "variable of the ice thickness in that file")
          .needing(ice_of_file),
      io::text_key("initial.concentration_variable", "data/cice",
                   "variable of the ice concentration in that file")
          .needing(ice_of_file),
      io::text_key("initial.mask", "data/mask",
                   "variable in that file that tells sea (1) from land (0); "
                   "empty: the mesh's own land alone")
          .needing(ice_of_file),
      io::choice_key("initial.height_mean",
                     {{"file", "as the variable's cell_methods or name say"},
                      {"cell", "over the cell: volume by area, CMIP's sivol"},
                      {"ice", "over the ice alone, CMIP's sithick: multiplied by the concentration"}},
                     "area over which the file's thickness is the mean")
          .needing(ice_of_file),
      io::choice_key("initial.missing",
                     {{"error", "the case is refused"},
                      {"land", "a cell without a concentration is land"},
                      {"water", "a cell without thickness or concentration is open water"}},
                     "what a missing value of ice in the sea means")
          .needing(ice_of_file),
      io::text_key("initial.longitude_variable", "data/longitude",
                   "variable of the cells' longitudes in that file, for the output; empty: none")
          .needing("initial.source = \"file\" and discretisation.coordinates = \"cartesian\""),
      io::text_key("initial.latitude_variable", "data/latitude",
                   "variable of the cells' latitudes in that file, for the output; empty: none")
          .needing("initial.source = \"file\" and discretisation.coordinates = \"cartesian\""),
      io::text_key("initial.attribution", "",
                   "credit that the data of the file ask for, written into the "
                   "output")
          .needing(ice_of_file),
      io::flag_key("output.coefficients", false,
                   "whether all coefficients of the discontinuous fields are written too, not their means "
                   "alone"),
      io::flag_key("output.convergence", false,
                   "whether the residuals of the mEVP iteration are written too: how far it is from the "
                   "viscous-plastic solution"),
  };
}

}  // namespace

std::vector<io::CaseKey> const& case_keys() {
  static auto const keys = [] {
    auto all = quad_mesh_keys();
    for (auto part : {keys_of_numerics(), keys_of_forcing(), keys_of_start()}) {
      all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    }
    return all;
  }();
  return keys;
}

}  // namespace ulpine::seaice
