// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netcdf.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace ulpine::test {

/// A NetCDF-4 file without groups as netCDF itself has it; for checks. Not thread-safe.
class NetcdfFile {
 public:
  struct Variable {
    int id = -1;
    nc_type type = NC_NAT;
    std::string name;
    std::vector<int> dimensions;
  };

  explicit NetcdfFile(std::filesystem::path const& path) {
    if (nc_open(path.c_str(), NC_NOWRITE, &id_) != NC_NOERR) id_ = -1;
  }
  NetcdfFile(NetcdfFile const&) = delete;
  NetcdfFile& operator=(NetcdfFile const&) = delete;
  ~NetcdfFile() {
    if (id_ >= 0) nc_close(id_);
  }
  int id() const { return id_; }
  bool is_open() const { return id_ >= 0; }

  std::vector<Variable> variables() const {
    int count = 0;
    nc_inq_nvars(id_, &count);
    std::vector<Variable> all;
    for (int v = 0; v < count; ++v) {
      char name[NC_MAX_NAME + 1] = {};
      int rank = 0;
      Variable variable;
      variable.id = v;
      nc_inq_var(id_, v, name, &variable.type, &rank, nullptr, nullptr);
      variable.name = name;
      variable.dimensions.resize(static_cast<std::size_t>(rank));
      nc_inq_vardimid(id_, v, variable.dimensions.data());
      all.push_back(variable);
    }
    return all;
  }
  /// id -1 where there is none of that name.
  Variable variable(std::string const& name) const {
    for (auto const& found : variables()) {
      if (found.name == name) return found;
    }
    return {};
  }
  /// Empty where there is none, or no text.
  std::string text(int variable, char const* name) const {
    std::size_t length = 0;
    if (nc_inq_attlen(id_, variable, name, &length) != NC_NOERR) return {};
    std::string value(length, '\0');
    return nc_get_att_text(id_, variable, name, value.data()) == NC_NOERR ? value : std::string{};
  }
  std::vector<std::string> words(int variable, char const* name) const {
    std::istringstream stream{text(variable, name)};
    std::vector<std::string> all;
    for (std::string word; stream >> word;) all.push_back(word);
    return all;
  }
  /// NC_NAT where there is none.
  nc_type attribute_type(int variable, char const* name) const {
    nc_type type = NC_NAT;
    return nc_inq_atttype(id_, variable, name, &type) == NC_NOERR ? type : NC_NAT;
  }
  std::vector<double> numbers(int variable, char const* name) const {
    std::size_t length = 0;
    if (nc_inq_attlen(id_, variable, name, &length) != NC_NOERR) return {};
    std::vector<double> values(length);
    return nc_get_att_double(id_, variable, name, values.data()) == NC_NOERR ? values : std::vector<double>{};
  }
  std::string dimension(int id) const {
    char name[NC_MAX_NAME + 1] = {};
    nc_inq_dimname(id_, id, name);
    return name;
  }
  std::size_t length(int dimension) const {
    std::size_t length = 0;
    nc_inq_dimlen(id_, dimension, &length);
    return length;
  }
  std::vector<double> values(Variable const& variable) const {
    std::size_t size = 1;
    for (auto const id : variable.dimensions) size *= length(id);
    std::vector<double> values(size);
    nc_get_var_double(id_, variable.id, values.data());
    return values;
  }

 private:
  int id_ = -1;
};

}  // namespace ulpine::test
