// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <netcdf.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ulpine::test {

/// A file that is written piece by piece and closed at the end of its life.
class NetcdfWriting {
 public:
  explicit NetcdfWriting(std::filesystem::path const& path, int mode = NC_NETCDF4) {
    EXPECT_EQ(nc_create(path.c_str(), mode | NC_CLOBBER, &file_), NC_NOERR);
  }
  ~NetcdfWriting() { EXPECT_EQ(nc_close(file_), NC_NOERR); }
  int dimension(char const* name, std::size_t length) {
    int id = -1;
    EXPECT_EQ(nc_def_dim(file_, name, length, &id), NC_NOERR);
    return id;
  }
  int variable(char const* name, nc_type type, std::vector<int> const& dimensions) {
    int id = -1;
    EXPECT_EQ(nc_def_var(file_, name, type, static_cast<int>(dimensions.size()), dimensions.data(), &id),
              NC_NOERR);
    return id;
  }
  void text(int variable, char const* name, std::string const& value) {
    EXPECT_EQ(nc_put_att_text(file_, variable, name, value.size(), value.c_str()), NC_NOERR);
  }
  void number(int variable, char const* name, nc_type type, std::vector<double> const& values) {
    EXPECT_EQ(nc_put_att_double(file_, variable, name, type, values.size(), values.data()), NC_NOERR);
  }
  /// The bits of a 64-bit integer, signed or not.
  void integer(int variable, char const* name, nc_type type, long long value) {
    EXPECT_EQ(nc_put_att(file_, variable, name, type, 1, &value), NC_NOERR);
  }
  void values(int variable, std::vector<double> const& values) {
    nc_enddef(file_);
    EXPECT_EQ(nc_put_var_double(file_, variable, values.data()), NC_NOERR);
  }
  int file() const { return file_; }

 private:
  int file_ = -1;
};

}  // namespace ulpine::test
