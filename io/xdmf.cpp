// SPDX-License-Identifier: Apache-2.0
#include "io/xdmf.hpp"

#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "io/case_file.hpp"
#include "io/error.hpp"
#include "io/netcdf_arrays.hpp"
#include "io/own_files.hpp"
#include "io/temporary.hpp"
#include "io/text.hpp"

namespace ulpine::io {
namespace {

constexpr char const* end_of_xdmf = "  </Grid></Domain>\n</Xdmf>\n";

std::string escaped(std::string const& text) {
  std::string result;
  for (auto const c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

/// The name by which the text refers to an array of an output.
std::string array_of(std::filesystem::path const& output, std::string const& name) {
  return escaped(final_name(output).filename().string()) + ":/" + name;
}

std::string topology_of(UnstructuredMesh const& mesh) {
  if (mesh.dimension == 3) {
    switch (mesh.nodes_per_element) {
      case 4:
        return "Tetrahedron";
      case 5:
        return "Pyramid";
      case 6:
        return "Wedge";
      default:
        return "Hexahedron";
    }
  }
  if (mesh.nodes_per_element == 3) return "Triangle";
  return mesh.nodes_per_element == 4 ? "Quadrilateral" : "Polygon";
}

/// NumberType and Precision of values as the output stores them.
std::string type_of(FieldInfo const& info) {
  if (info.type == ValueType::uint8) {
    return info.flag_meanings.empty() ? R"(NumberType="Int" Precision="2")"
                                      : R"(NumberType="Char" Precision="1")";
  }
  return info.type == ValueType::float32 ? R"(NumberType="Float" Precision="4")"
                                         : R"(NumberType="Float" Precision="8")";
}

std::string data_item(std::string const& dimensions, std::string const& type, std::string const& array) {
  return "<DataItem Format=\"HDF\" Dimensions=\"" + dimensions + "\" " + type + ">" + array + "</DataItem>";
}

std::string opening_of(FieldInfo const& info) {
  return "<Attribute Name=\"" + info.name + "\" AttributeType=\"Scalar\" Center=\"" +
         (info.location == "node" ? "Node" : "Cell") + "\">";
}

bool lies_on(FieldInfo const& info, UnstructuredMesh const& mesh) {
  return info.mesh == mesh.name && info.dimensions.size() == 1;
}

}  // namespace

std::filesystem::path xdmf_path(std::filesystem::path const& output) {
  // The output's folder may be a temporary one, too.
  auto path = output.parent_path() / final_name(output.filename()).replace_extension(".xdmf");
  return is_temporary(output.filename()) ? temporary_name(path) : path;
}

void rename_output(std::filesystem::path const& from, std::filesystem::path const& to) {
  auto const text_path = xdmf_path(from);
  std::filesystem::rename(from, to);
  std::ifstream stream{text_path, std::ios::binary};
  if (!stream) return;
  std::string const text{std::istreambuf_iterator<char>{stream}, {}};
  auto const old_name = array_of(from, ""), new_name = array_of(to, "");
  std::string renamed;
  for (std::size_t at = 0;;) {
    auto const next = text.find(old_name, at);
    renamed.append(text, at, next - at);
    if (next == std::string::npos) break;
    renamed += new_name;
    at = next + old_name.size();
  }
  write_atomically(xdmf_path(to), renamed);
  std::filesystem::remove(text_path);
}

XdmfFile::XdmfFile(std::filesystem::path const& output, std::vector<UnstructuredMesh> const& meshes,
                   std::vector<FieldInfo> const& fields, std::vector<FieldInfo> const& static_fields)
    : path_{final_name(xdmf_path(output)).string()},
      stream_{xdmf_path(output), std::ios::binary | std::ios::trunc} {
  constexpr auto doubles = R"(NumberType="Float" Precision="8")";
  for (auto const& mesh : meshes) {
    Grid grid{mesh.name, {}, {}};
    auto const nodes = std::to_string(mesh.nodes), elements = std::to_string(mesh.elements),
               each = std::to_string(mesh.nodes_per_element);
    grid.constant = "<Topology TopologyType=\"" + topology_of(mesh) + "\" NumberOfElements=\"" + elements +
                    "\" NodesPerElement=\"" + each + "\">" +
                    data_item(elements + " " + each, R"(NumberType="Int" Precision="4")",
                              array_of(output, mesh_connectivity(mesh))) +
                    "</Topology>\n<Geometry GeometryType=\"" +
                    (mesh.node_coordinates.size() == 3 ? "X_Y_Z" : "X_Y") + "\">";
    for (auto const& name : words_of(mesh_coordinates(mesh, "node"))) {
      grid.constant += data_item(nodes, doubles, array_of(output, name));
    }
    grid.constant += "</Geometry>\n";
    for (auto const& info : static_fields) {
      if (!lies_on(info, mesh)) continue;
      grid.constant += opening_of(info) +
                       data_item(std::to_string(info.size()), type_of(info), array_of(output, info.name)) +
                       "</Attribute>\n";
    }
    for (auto const& info : fields) {
      if (!lies_on(info, mesh)) continue;
      auto const size = std::to_string(info.size());
      grid.fields.push_back({opening_of(info) + "<DataItem ItemType=\"HyperSlab\" Dimensions=\"" + size +
                                 "\"><DataItem Dimensions=\"3 2\" NumberType=\"Int\" Format=\"XML\">",
                             " 0 1 1 1 " + size + "</DataItem><DataItem Format=\"HDF\" Dimensions=\"",
                             " " + size + "\" " + type_of(info) + ">" + array_of(output, info.name) +
                                 "</DataItem></DataItem></Attribute>\n"});
    }
    grids_.push_back(std::move(grid));
  }
  write(
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n  <Domain><Grid Name=\"times\" "
      "GridType=\"Collection\" CollectionType=\"Temporal\">\n");
}

void XdmfFile::add_time(std::size_t record, double seconds) {
  auto const time = "<Time Value=\"" + number_text(seconds) + "\"/>\n";
  bool const several = grids_.size() > 1;
  std::string text;
  if (several) text += "<Grid Name=\"meshes\" GridType=\"Collection\" CollectionType=\"Spatial\">" + time;
  for (auto const& grid : grids_) {
    text += "<Grid Name=\"" + grid.name + "\" GridType=\"Uniform\">" + time + grid.constant;
    for (auto const& [before, between, after] : grid.fields) {
      text += before + std::to_string(record) + between + std::to_string(record + 1) + after;
    }
    text += "</Grid>\n";
  }
  if (several) text += "</Grid>\n";
  write(text);
}

void XdmfFile::write(std::string const& text) {
  errno = 0;
  stream_.seekp(end_);
  stream_ << text;
  end_ += static_cast<std::streamoff>(text.size());
  stream_ << end_of_xdmf << std::flush;
  if (!stream_) {
    throw EnvironmentError(path_ + ": cannot be written (" +
                           (errno != 0 ? std::strerror(errno) : "the disk or the folder does not take it") +
                           ") check the folder, its permissions and the free space");
  }
}

}  // namespace ulpine::io
