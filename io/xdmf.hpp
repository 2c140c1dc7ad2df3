// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::io {

/// Where the XDMF file of an output lies: beside it, with the ending .xdmf, and under a temporary name where
/// the output is (temporary.hpp).
std::filesystem::path xdmf_path(std::filesystem::path const& output);

/// Renames an output, and its XDMF file where it has one, whose text then names the output anew.
void rename_output(std::filesystem::path const& from, std::filesystem::path const& to);

/// A text beside an output with unstructured meshes that tells which of its arrays are nodes, elements and
/// fields, for readers of XDMF 2 (ParaView's "XDMF Reader", VisIt's): those of UGRID know faces alone. It
/// holds no values, grows with each time and is whole after each. All that fails is an EnvironmentError that
/// names the file. Format: https://www.xdmf.org/index.php/XDMF_Model_and_Format
class XdmfFile {
 public:
  /// Describes the output at `output`. Fields that lie on no mesh, or have more dimensions than its nodes or
  /// elements, are left out.
  XdmfFile(std::filesystem::path const& output, std::vector<UnstructuredMesh> const& meshes,
           std::vector<FieldInfo> const& fields, std::vector<FieldInfo> const& static_fields);
  /// Adds record number `record`, from 0, of `seconds` since the start.
  void add_time(std::size_t record, double seconds);

 private:
  /// Text for a field that changes: before the record's number, behind it up to the number of records, and
  /// behind that.
  struct Changing {
    std::string before, between, after;
  };
  struct Grid {
    std::string name, constant;  ///< elements, nodes and static fields
    std::vector<Changing> fields;
  };
  void write(std::string const& text);

  std::string path_;
  std::vector<Grid> grids_;
  std::ofstream stream_;
  std::streamoff end_ = 0;  ///< start of the last time in the file, where the next one begins
};

}  // namespace ulpine::io
