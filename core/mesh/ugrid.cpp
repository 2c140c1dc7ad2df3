// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/ugrid.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "io/axis.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_source.hpp"

namespace ulpine {
namespace {

std::vector<std::string> words(std::string const& text) {
  std::istringstream stream{text};
  std::vector<std::string> all;
  for (std::string one; stream >> one;) all.push_back(one);
  return all;
}

std::string text(io::NetcdfAttributes const& attributes, std::string const& name) {
  auto const found = attributes.find(name);
  auto const* value = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return value == nullptr ? "" : *value;
}

std::vector<double> numbers(io::NetcdfAttributes const& attributes, std::string const& name) {
  std::vector<double> all;
  auto const found = attributes.find(name);
  if (found == attributes.end()) return all;
  std::visit(
      [&](auto const& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::string>) {
          for (auto const value : values) all.push_back(static_cast<double>(value));
        }
      },
      found->second);
  return all;
}

/// Numbers of nodes of elements or triangles, from 0.
struct Corners {
  std::vector<std::int32_t> node;
  std::int32_t start = 0;  ///< what the file counts from
};

class Reader {
 public:
  explicit Reader(std::filesystem::path const& path) : file_{path} {}

  /// Reads the mesh and settles it.
  TetraMesh read() {
    auto const& topology = find_topology();
    TetraMesh mesh;
    mesh.position = read_positions(topology);
    auto const nodes = mesh.nodes();
    auto const& volumes = named(topology, "volume_node_connectivity");
    auto elements = read_corners(volumes, topology, "volume_dimension", 4, nodes);
    check_shapes(topology, elements.node.size() / 4);
    bool const bounded = topology.attributes.contains("boundary_node_connectivity");
    if (bounded) {
      auto const& boundary = named(topology, "boundary_node_connectivity");
      mesh.face = read_corners(boundary, topology, "boundary_dimension", 3, nodes).node;
      read_ids(named(topology, "boundary_id"), mesh);
      for (auto const& name : words(text(topology.attributes, "boundary_groups"))) {
        read_groups(variable(name, topology.name + ":boundary_groups"), mesh);
      }
      std::ranges::sort(mesh.more_groups);
    }
    mesh.element = std::move(elements.node);
    for (std::int64_t n = 0; n < nodes; ++n) mesh.node_number.push_back(n + elements.start);
    for (std::int64_t e = 0; e < mesh.elements(); ++e) mesh.element_number.push_back(e + elements.start);
    if (bounded) {
      settle(mesh, file_.path());
    } else {
      settle_enclosed(mesh, file_.path(), "boundary");
    }
    return mesh;
  }

 private:
  [[noreturn]] void refuse(std::string const& variable, std::string const& problem, std::string const& why,
                           std::string const& remedy) const {
    throw InputError(file_.path() + ": " + one_line(variable) + one_line(problem) + " (" + one_line(why) +
                     ") " + remedy);
  }

  io::NetcdfVariable const& find_topology() const {
    io::NetcdfVariable const* topology = nullptr;
    for (auto const& variable : file_.catalogue().variables) {
      if (text(variable.attributes, "cf_role") != "mesh_topology") continue;
      if (numbers(variable.attributes, "topology_dimension") != std::vector<double>{3}) continue;
      if (topology != nullptr) {
        refuse(variable.name, ": a second mesh", topology->name + " is one already", "leave one in the file");
      }
      topology = &variable;
    }
    if (topology == nullptr) {
      refuse("", "no mesh of volumes", "no variable has cf_role mesh_topology and topology_dimension 3",
             "give a file by UGRID-1.0");
    }
    return *topology;
  }

  io::NetcdfVariable const& variable(std::string const& name, std::string const& user) const {
    for (auto const& one : file_.catalogue().variables) {
      if (one.name != name) continue;
      if (!one.numeric()) refuse(name, " has no numbers", user + " names it", "write it as numbers");
      return one;
    }
    refuse(name, ": no such variable", user + " names it", "write the file again, by UGRID-1.0");
  }
  io::NetcdfVariable const& named(io::NetcdfVariable const& topology, std::string const& attribute) const {
    auto const name = text(topology.attributes, attribute);
    if (name.empty()) {
      refuse(topology.name, " has no " + attribute, "it names a variable that is needed",
             "write the file again with it");
    }
    return variable(name, topology.name + ":" + attribute);
  }

  std::vector<double> values(io::NetcdfVariable const& of) const {
    std::uint64_t count = 1;
    std::vector<std::size_t> extents;
    for (auto const& dimension : of.dimensions) {
      if (dimension.length > std::numeric_limits<std::int32_t>::max()) {
        refuse(of.name, " is too long", "numbers of nodes and elements have 32 bits", "use a smaller mesh");
      }
      count *= dimension.length;
      extents.push_back(dimension.length);
    }
    file_.require_plausible(of, count);
    return file_.read(of, std::vector<std::size_t>(extents.size(), 0), extents);
  }

  void require_rank(io::NetcdfVariable const& of, std::size_t rank) const {
    if (of.dimensions.size() == rank) return;
    refuse(of.name, " has " + std::to_string(of.dimensions.size()) + " dimensions",
           std::to_string(rank) + " are wanted", "write it by UGRID-1.0");
  }

  /// "x", "y", "z"; empty where the variable does not say.
  /// The axis that a coordinate is of by its attributes, or by a name that is a letter; empty where none
  /// tells.
  static std::string axis(io::NetcdfVariable const& of) {
    auto const name = text(of.attributes, "standard_name"), said = text(of.attributes, "axis");
    if (name == "projection_x_coordinate" || said == "X") return "x";
    if (name == "projection_y_coordinate" || said == "Y") return "y";
    if (name == "height" || name == "altitude" || said == "Z") return "z";
    return of.name == "x" || of.name == "y" || of.name == "z" ? of.name : "";
  }

  double metres(io::NetcdfVariable const& of) const {
    auto const units = text(of.attributes, "units");
    if (auto const unit = io::metres_of(units); unit > 0) return unit;
    refuse(of.name, " has units '" + units + "'", "the mesh is in m, km or another length",
           "project it to lengths");
  }

  std::vector<double> read_positions(io::NetcdfVariable const& topology) const {
    auto const names = words(text(topology.attributes, "node_coordinates"));
    if (names.size() != 3) {
      refuse(topology.name, ":node_coordinates names " + std::to_string(names.size()) + " variables",
             "x, y and z are wanted", "write the file again with them");
    }
    std::vector<double> position;
    std::array<bool, 3> known{};
    for (std::size_t i = 0; i < 3; ++i) {
      auto const& coordinate = variable(names[i], topology.name + ":node_coordinates");
      require_rank(coordinate, 1);
      auto const said = axis(coordinate);
      auto const d = said.empty() ? i : static_cast<std::size_t>(said[0] - 'x');
      if (known[d]) {
        refuse(coordinate.name, " is along the axis of another", "x, y and z are wanted, in this order",
               "correct its standard_name or axis");
      }
      known[d] = true;
      if (text(coordinate.attributes, "positive") == "down") {
        refuse(coordinate.name, " counts downwards", "the mesh has heights", "write heights");
      }
      auto const unit = metres(coordinate);
      auto const all = values(coordinate);
      if (i == 0) position.resize(3 * all.size());
      if (3 * all.size() != position.size()) {
        refuse(coordinate.name, " has " + std::to_string(all.size()) + " values",
               names[0] + " has " + std::to_string(position.size() / 3), "write the file again");
      }
      for (std::size_t n = 0; n < all.size(); ++n) position[3 * n + d] = unit * all[n];
    }
    return position;
  }

  /// The first `corners` of each row; what a wider table has behind them must be missing. Rows are along the
  /// dimension that the topology's `attribute` names, or along the first.
  Corners read_corners(io::NetcdfVariable const& table, io::NetcdfVariable const& topology,
                       char const* attribute, std::size_t corners, std::int32_t nodes) const {
    require_rank(table, 2);
    auto const along = text(topology.attributes, attribute);
    if (!along.empty() && table.dimensions[0].name != along && table.dimensions[1].name != along) {
      refuse(table.name, " has no dimension '" + along + "'",
             topology.name + ":" + attribute + " says that its rows are along that one", "correct it");
    }
    auto const start = numbers(table.attributes, "start_index");
    if (!start.empty() && start != std::vector<double>{0} && start != std::vector<double>{1}) {
      refuse(table.name, " has another start_index", "it is 0 or 1", "correct it");
    }
    Corners result;
    result.start = start.empty() ? 0 : static_cast<std::int32_t>(start[0]);
    bool const across = table.dimensions[0].name != along && table.dimensions[1].name == along;
    auto const rows = table.dimensions[across ? 1 : 0].length,
               width = table.dimensions[across ? 0 : 1].length;
    auto const shape = corners == 4 ? "tetrahedra" : "triangles";
    auto const refuse_shape = [&](std::string const& row) {
      if (along.empty() && rows <= corners && width > corners) {
        refuse(table.name, " has " + std::to_string(rows) + " rows of " + std::to_string(width) + " nodes",
               topology.name + " has no " + attribute + ", so rows are along the first dimension, " +
                   table.dimensions[0].name,
               "give it the name of the dimension that counts " + std::string(shape));
      }
      refuse(table.name, row + " are no " + shape, "shapes cannot be mixed", "mesh with tetrahedra alone");
    };
    if (width < corners) refuse_shape(": its rows");
    auto const all = values(table);
    result.node.reserve(rows * corners);
    for (std::uint64_t row = 0; row < rows; ++row) {
      for (std::uint64_t i = 0; i < width; ++i) {
        auto const value = all[across ? i * rows + row : row * width + i];
        if (std::isnan(value) != (i >= corners)) refuse_shape(": nodes of row " + std::to_string(row));
        if (i >= corners) continue;
        auto const node = value - result.start;
        if (!(node >= 0 && node < nodes) || node != std::floor(node)) {
          std::ostringstream number;
          number << value;
          refuse(table.name, ": no node " + number.str() + " (row " + std::to_string(row) + ")",
                 std::to_string(nodes) + " nodes are counted from " + std::to_string(result.start),
                 "correct it or its start_index");
        }
        result.node.push_back(static_cast<std::int32_t>(node));
      }
    }
    return result;
  }

  void check_shapes(io::NetcdfVariable const& topology, std::size_t elements) const {
    if (text(topology.attributes, "volume_shape_type").empty()) return;
    auto const& types = named(topology, "volume_shape_type");
    auto const flags = numbers(types.attributes, "flag_values");
    auto const meanings = words(text(types.attributes, "flag_meanings"));
    auto const found = std::find(meanings.begin(), meanings.end(), "tetrahedron") - meanings.begin();
    auto const all = values(types);
    bool const fits = flags.size() == meanings.size() && all.size() == elements;
    if (!fits || found == static_cast<std::ptrdiff_t>(meanings.size()) ||
        !std::all_of(all.begin(), all.end(),
                     [&](double type) { return type == flags[static_cast<std::size_t>(found)]; })) {
      refuse(types.name, ": not all volumes are tetrahedra", "shapes cannot be mixed",
             "mesh with tetrahedra alone");
    }
  }

  void read_ids(io::NetcdfVariable const& ids, TetraMesh& mesh) const {
    auto const all = values(ids);
    if (3 * all.size() != mesh.face.size()) {
      refuse(ids.name, " has " + std::to_string(all.size()) + " values",
             "there are " + std::to_string(mesh.faces()) + " boundary triangles", "write the file again");
    }
    for (auto const id : all) {
      if (!(std::abs(id) < 0x1p31) || id != std::floor(id)) {
        refuse(ids.name, " is missing or no integer somewhere", "each boundary triangle has an id",
               "give all of them one");
      }
      mesh.face_id.push_back(static_cast<std::int32_t>(id));
    }
    auto const flags = numbers(ids.attributes, "flag_values");
    auto const names = names_of(ids, flags.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!(std::abs(flags[i]) < 0x1p31)) continue;
      auto const id = static_cast<std::int32_t>(flags[i]);
      if (names[i] != std::to_string(id)) mesh.group.push_back({id, names[i]});
    }
  }

  /// The names of a variable's flags: those of its attribute `side_names`, else the words of flag_meanings.
  /// None where they are not `count`.
  static std::vector<std::string> names_of(io::NetcdfVariable const& flags, std::size_t count) {
    auto const lines = text(flags.attributes, "side_names");
    std::vector<std::string> names;
    for (std::size_t begin = 0; !lines.empty() && begin <= lines.size();) {
      auto const end = std::min(lines.find('\n', begin), lines.size());
      names.push_back(lines.substr(begin, end - begin));
      begin = end + 1;
    }
    if (names.size() != count) names = words(text(flags.attributes, "flag_meanings"));
    return names.size() == count ? names : std::vector<std::string>{};
  }

  /// Bits of groups that triangles are in besides that of their id.
  void read_groups(io::NetcdfVariable const& bits, TetraMesh& mesh) const {
    auto const all = values(bits);
    auto const masks = numbers(bits.attributes, "flag_masks"),
               ids = numbers(bits.attributes, "group_numbers");
    if (all.size() != mesh.face_id.size() || masks.size() != ids.size()) {
      refuse(bits.name, " does not fit the boundary",
             "it has bits of each boundary triangle, flag_masks and as many group_numbers",
             "write the file again");
    }
    for (std::size_t f = 0; f < all.size(); ++f) {
      if (!(all[f] >= 0 && all[f] < 0x1p31)) {
        refuse(bits.name, " is missing or negative somewhere", "it has bits of each boundary triangle",
               "write the file again");
      }
      for (std::size_t k = 0; k < masks.size(); ++k) {
        auto const id = static_cast<std::int32_t>(ids[k]);
        bool const within = (static_cast<std::int64_t>(all[f]) & static_cast<std::int64_t>(masks[k])) != 0;
        if (within && id != mesh.face_id[f]) mesh.more_groups.push_back({static_cast<std::int32_t>(f), id});
      }
    }
  }

  io::NetcdfSource file_;
};

}  // namespace

void describe_boundary(TetraMesh const& mesh, io::UnstructuredMesh& topology) {
  topology.boundaries = mesh.faces();
  topology.boundary_ids = [ids = mesh.face_id](std::int64_t first, std::int64_t count, void* slab) {
    std::copy_n(ids.begin() + first, count, static_cast<std::int32_t*>(slab));
  };
  topology.boundary_names = named_groups(mesh);
  topology.further_boundary_ids = mesh.more_groups;
}

void write_ugrid(std::filesystem::path const& path, TetraMesh const& mesh) {
  io::UnstructuredMesh topology;
  topology.nodes = mesh.nodes();
  topology.elements = mesh.elements();
  std::array<std::vector<double>, 3> coordinate;
  for (std::size_t i = 0; i < mesh.position.size(); ++i) coordinate[i % 3].push_back(mesh.position[i]);
  constexpr std::array names = {"projection_x_coordinate", "projection_y_coordinate", "height"};
  for (std::size_t d = 0; d < 3; ++d) {
    topology.node_coordinates.push_back(
        {names[d], std::string{"xyz"[d]} + " of nodes", "m", io::slabs_of(coordinate[d])});
  }
  topology.connectivity = io::slabs_of(mesh.element);
  topology.boundary_connectivity = io::slabs_of(mesh.face);
  describe_boundary(mesh, topology);
  io::OutputFile{path, "A mesh of tetrahedra",      {},        {}, {}, io::build_provenance(), "",
                 {},   io::OutputFile::usual_epoch, {topology}}
      .close();
}

TetraMesh read_ugrid(std::filesystem::path const& path) {
  auto mesh = Reader{path}.read();
  renumber(mesh, path.string());
  return mesh;
}

}  // namespace ulpine
