// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace ulpine::io {

/// "x" or "y" where the name of a dimension tells that it runs along that axis, as models call them (x, xc,
/// lon, rlon, west_east; y, yc, lat, ...); else the name itself in small letters.
std::string axis_of(std::string const& dimension);

/// The certainty of an axis that a dimension's name alone tells, from low to high.
enum class NameTells {
  in_pairs,  ///< a name of lists, too, which tells nothing but beside the other axis (column with row)
  an_index,  ///< a name of any array's index, which gives way to a name of a place (i to lon)
  a_place
};

/// The axis that a dimension of a usual name runs along.
struct UsualAxis {
  std::string axis;  ///< "x", "y" or "z"
  NameTells tells = NameTells::a_place;
};

/// The axis of a dimension by its usual names: x (xi_rho, west_east_stag, grid_xt, nlon, ni, columns),
/// y, z (lev, depth, bottom_top, s_rho, k): the name or its beginning as a word, in upper or lower case.
/// Nothing for other names.
std::optional<UsualAxis> usual_axis(std::string const& dimension);

/// Whether models call dimensions so that count the nodes, edges or cells of an unstructured grid (nod2,
/// nEdges, ncells_2, ncol_d, nSCHISM_hgrid_node, nMesh2_face, lndgrid).
bool is_usual_of_cells(std::string const& dimension);

/// Metres of a unit of length (io::lengths); 0 of others, and where there is none.
double metres_of(std::string const& units);

/// Whether two positive spacings are the same but for the rounding of coordinates: 1/1000 of the larger.
/// Coordinates in float are rounded to 6e-8 of their distance from the origin, often many domains away.
bool same_spacing(double a, double b);

/// Gives two positive spacings that are the same_spacing() their mean, and leaves others.
void even_out(double& a, double& b);

/// The index of the first value that is not finite, or is not beyond the one before it in the direction of
/// the first two: an axis that has one tells no places. Nothing where all follow each other. `turn` is what a
/// circle has (360 of longitudes in degrees), round which values may go on the short way; 0: none.
std::optional<std::size_t> first_out_of_order(std::span<double const> values, double turn = 0);

}  // namespace ulpine::io
