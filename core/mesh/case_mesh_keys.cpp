// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/case_mesh.hpp"

namespace ulpine {

std::vector<io::CaseKey> const& quad_mesh_keys() {
  constexpr char const *rectangle = "discretisation.coordinates = \"cartesian\" without grid.mesh",
                       *patch = "discretisation.coordinates = \"spherical\" without grid.mesh",
                       *sphere = "discretisation.coordinates = \"spherical\"";
  static std::vector<io::CaseKey> const keys = {
      io::file_key("grid.mesh",
                   "mesh in place of a rectangle or patch: on the plane a ParametricMesh 2.0 text file "
                   "(vertices in m, land mask, closed boundaries), on the sphere a NetCDF file of vertices"),
      io::text_key("grid.vertices_variable", "data/coords",
                   "variable of the mesh's file that holds the corners of its cells, rows x columns x 2: "
                   "longitude and latitude in degrees")
          .needing("discretisation.coordinates = \"spherical\" and grid.mesh"),
      io::integer_key("grid.nx", 128, 2, most_cells_a_side,
                      "number of cells along x, on the sphere along the mesh's longitude")
          .needing("a case without grid.mesh"),
      io::integer_key("grid.ny", 128, 2, most_cells_a_side,
                      "number of cells along y, on the sphere along the mesh's latitude")
          .follows("grid.nx")
          .needing("a case without grid.mesh"),
      io::quantity_key("grid.length", "m", 512e3, 1, 1e8, "extent of the domain along x").needing(rectangle),
      io::quantity_key("grid.length_y", "m", 512e3, 1, 1e8, "extent of the domain along y")
          .follows("grid.length * grid.ny / grid.nx: square cells")
          .needing(rectangle),
      // Above 0.1 the distortion folds cells over.
      io::number_key("grid.distortion", 0, -0.1, 0.1,
                     "amplitude, as a share of the domain's extent, of a smooth distortion that makes every "
                     "cell another quadrilateral")
          .needing(rectangle),
      io::integer_key("grid.refinement", 1, 1, 64,
                      "number of parts along each side into which every cell is divided; coasts and fields "
                      "from files stay those of the undivided cells"),
      io::quantity_key("grid.west", "degrees", -15, -360, 360,
                       "western side of a patch of the sphere, in the mesh's own longitude")
          .needing(patch),
      io::quantity_key("grid.east", "degrees", 15, -360, 360,
                       "eastern side of that patch, at most a turn east of the western one")
          .needing(patch),
      io::quantity_key("grid.south", "degrees", -15, -90, 90,
                       "southern side of that patch, in the mesh's own latitude")
          .needing(patch),
      io::quantity_key("grid.north", "degrees", 15, -90, 90, "northern side of that patch").needing(patch),
      io::quantity_key("grid.rotation_z", "degrees", 40, -360, 360,
                       "angle by which the globe is first turned eastward about the Earth's axis, so that "
                       "the poles of the mesh's longitude and latitude come to lie on land")
          .needing(sphere),
      io::quantity_key("grid.rotation_y", "degrees", 15, -360, 360,
                       "angle by which it is then turned about the y axis; 40 and 15 degrees put the mesh's "
                       "poles in Greenland and Antarctica")
          .needing(sphere),
  };
  return keys;
}

}  // namespace ulpine
