// SPDX-License-Identifier: Apache-2.0
#include "io/plain_netcdf.hpp"

#include "io/netcdf_writer.hpp"
#include "io/temporary.hpp"

namespace ulpine::io {

struct PlainNetcdf::File {
  std::filesystem::path path;
  NetcdfWriter writer;

  explicit File(std::filesystem::path const& to)
      : path{to},
        writer{to, final_name(to).string() + ": cannot be written (", ") free the disk or name another place",
               NetcdfWriter::AfterFailure::close} {}
  netCDF::NcVar variable(std::string const& name) {
    return writer.run([&](netCDF::NcFile& file) { return file.getVar(name); });
  }
  std::vector<std::size_t> shape(netCDF::NcVar const& variable) {
    return writer.run([&](netCDF::NcFile&) {
      std::vector<std::size_t> lengths;
      for (auto const& dimension : variable.getDims()) lengths.push_back(dimension.getSize());
      return lengths;
    });
  }
};

PlainNetcdf::PlainNetcdf(std::filesystem::path const& path,
                         std::vector<std::pair<std::string, std::int64_t>> const& dimensions,
                         std::vector<Variable> const& variables,
                         std::vector<std::pair<std::string, std::string>> const& attributes)
    : file_{std::make_unique<File>(path)} {
  auto& writer = file_->writer;
  for (auto const& [name, length] : dimensions) {
    writer.run([&, n = name, l = length](netCDF::NcFile& file) {
      return l == 0 ? file.addDim(n) : file.addDim(n, std::size_t(l));
    });
  }
  for (auto const& [name, text] : attributes) writer.put_text(name, text);
  for (auto const& variable : variables) {
    writer.run([&](netCDF::NcFile& file) {
      auto const& type = variable.type == Variable::Type::character ? netCDF::NcType(netCDF::ncChar)
                         : variable.type == Variable::Type::float32 ? netCDF::NcType(netCDF::ncFloat)
                                                                    : netCDF::NcType(netCDF::ncDouble);
      return file.addVar(variable.name, type.getName(), variable.dimensions);
    });
  }
}

PlainNetcdf::~PlainNetcdf() = default;

void PlainNetcdf::put(std::string const& name, std::string_view characters) {
  if (characters.empty()) return;
  auto const variable = file_->variable(name);
  auto const count = file_->shape(variable);
  file_->writer.put(variable, {std::vector<std::size_t>(count.size()), count, 0}, characters.data());
}

void PlainNetcdf::put(std::string const& name, std::vector<std::size_t> const& start,
                      std::vector<std::size_t> const& count, std::span<double const> values) {
  if (values.empty()) return;
  auto const variable = file_->variable(name);
  auto const single =
      file_->writer.run([&](netCDF::NcFile&) { return variable.getType() == netCDF::ncFloat; });
  if (!single) {
    file_->writer.put(variable, {start, count, 0}, values.data());
    return;
  }
  std::vector<float> const rounded(values.begin(), values.end());
  file_->writer.put(variable, {start, count, 0}, rounded.data());
}

void PlainNetcdf::put(std::string const& name, std::span<double const> values) {
  auto const count = file_->shape(file_->variable(name));
  put(name, std::vector<std::size_t>(count.size()), count, values);
}

void PlainNetcdf::close() { file_->writer.close(file_->path); }

}  // namespace ulpine::io
