// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "io/netcdf_catalogue.hpp"
#include "io/netcdf_classic.hpp"
#include "io/netcdf_library.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

namespace fs = std::filesystem;

class Classic : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::mt19937 random_{7};

  std::size_t below(std::size_t limit) { return random_() % limit; }

  /// Variables of every type that the format has, with records and without, of random bytes.
  fs::path write(int format, std::size_t with_records, std::size_t records, std::size_t length = 30011) {
    auto const path = folder_.path() / ("f" + std::to_string(format) + std::to_string(with_records) + ".nc");
    int file = -1;
    EXPECT_EQ(nc_create(path.c_str(), NC_CLOBBER | format, &file), NC_NOERR);
    int dimensions[4] = {};
    nc_def_dim(file, "x", 7, &dimensions[1]);
    nc_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]);
    nc_def_dim(file, "y", 3, &dimensions[2]);
    nc_def_dim(file, "long", length, &dimensions[3]);
    nc_put_att_text(file, NC_GLOBAL, "title", 5, "a\0bcd");
    auto const types = format == NC_64BIT_DATA ? NC_UINT64 : NC_DOUBLE;
    std::vector<std::vector<int>> const shapes = {
        {}, {dimensions[1]}, {dimensions[2], dimensions[1]}, {dimensions[3]}, {dimensions[2], dimensions[3]}};
    for (int type = NC_BYTE; type <= types; ++type) {
      for (std::size_t s = 0; s < shapes.size(); ++s) {
        auto shape = shapes[s];
        auto const number = std::size_t(type) * shapes.size() + s;
        if (number % 2 == 1 && number / 2 < with_records) shape.insert(shape.begin(), dimensions[0]);
        int variable = -1;
        nc_def_var(file, ("v" + std::to_string(number)).c_str(), type, int(shape.size()), shape.data(),
                   &variable);
        nc_put_att_text(file, variable, "units", 1, "K");
        double const numbers[] = {1, 2, 3};
        if (type != NC_CHAR) nc_put_att_double(file, variable, "odd", type, 3, numbers);
        if (type != NC_CHAR && s == 1) nc_put_att_double(file, variable, "_FillValue", type, 1, numbers);
      }
    }
    nc_enddef(file);
    int variables = 0;
    nc_inq_nvars(file, &variables);
    for (int variable = 0; variable < variables; ++variable) {
      int rank = 0, ids[NC_MAX_VAR_DIMS] = {};
      nc_type type = NC_NAT;
      nc_inq_var(file, variable, nullptr, &type, &rank, ids, nullptr);
      std::vector<std::size_t> start(std::size_t(rank), 0), count;
      for (int d = 0; d < rank; ++d) {
        std::size_t length = 0;
        nc_inq_dimlen(file, ids[d], &length);
        count.push_back(ids[d] == dimensions[0] ? records : length);
      }
      auto const size = std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>{});
      if (size == 0) continue;
      std::vector<std::uint64_t> bits(size);
      for (auto& word : bits) word = (std::uint64_t{random_()} << 32) | random_();
      EXPECT_EQ(nc_put_vara(file, variable, start.data(), count.data(), bits.data()), NC_NOERR);
    }
    EXPECT_EQ(nc_close(file), NC_NOERR);
    return path;
  }

  /// Holds what is read of a file to what netCDF reads.
  void hold_to_netcdf(fs::path const& path) {
    auto const classic = ClassicNetcdf::open(path);
    ASSERT_NE(classic, nullptr) << path;
    auto const lock = lock_netcdf();
    OpenNetcdf const file(path.string());
    auto expected = file.catalogue();
    auto const variables = expected.variables;
    for (auto& variable : expected.variables) variable.group = 0;  // a number of the open file
    EXPECT_EQ(encode(classic->catalogue()), encode(expected)) << path;
    for (std::size_t v = 0; v < variables.size(); ++v) {
      auto const& variable = variables[v];
      for (int trial = 0; trial < 12; ++trial) {
        std::vector<std::size_t> start, count;
        for (auto const& dimension : variable.dimensions) {
          auto const whole = trial == 0 || below(3) == 0;
          start.push_back(whole || dimension.length == 0 ? 0 : below(dimension.length));
          auto const left = dimension.length - start.back();
          count.push_back(whole || left == 0 ? left : 1 + below(left));
        }
        auto const size = std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>{});
        std::vector<std::uint64_t> found(size, 1), wanted(size, 2);
        if (size == 0) continue;
        read_hyperslab(variable, start, count, wanted.data());
        classic->read(v, start, count, [&](std::size_t values) {
          EXPECT_EQ(values, size);
          return found.data();
        });
        ASSERT_EQ(found, wanted) << path << " " << variable.name << " trial " << trial;
      }
    }
  }
};

TEST_F(Classic, IsReadAsNetcdfDoes) {
  for (auto const format : {0, NC_64BIT_OFFSET, NC_64BIT_DATA}) {
    for (auto const with_records : {0u, 1u, 2u, 100u}) hold_to_netcdf(write(format, with_records, 5));
    hold_to_netcdf(write(format, 3, 0));
  }
}

TEST_F(Classic, NoOtherFormatAndNoUnusualHeaderIsTakenForOne) {
  auto const path = write(NC_64BIT_DATA, 2, 3, 11);
  std::ifstream stream(path, std::ios::binary);
  std::string const whole{std::istreambuf_iterator<char>(stream), {}};
  auto const opens = [&](std::string const& bytes) {
    auto const changed = folder_.path() / "changed.nc";
    std::ofstream(changed, std::ios::binary) << bytes;
    return ClassicNetcdf::open(changed) != nullptr;
  };
  EXPECT_TRUE(opens(whole));
  EXPECT_FALSE(opens(""));
  EXPECT_FALSE(opens("CDF"));
  EXPECT_FALSE(opens("\x89HDF\r\n\x1a\n" + std::string(1000, '\0')));
  EXPECT_FALSE(opens(whole.substr(0, 200)));
  EXPECT_FALSE(opens(whole.substr(0, whole.size() - 100)));  // values are missing
  auto twice = whole;
  twice[twice.find("v6") + 1] = '7';  // a name that is there already
  EXPECT_FALSE(opens(twice));
  // Whatever byte of the header is another one: no crash, and no values from beyond the file.
  for (std::size_t i = 0; i < 2500; i += 3) {
    auto changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ (1 << below(8)));
    auto const file = folder_.path() / "changed.nc";
    std::ofstream(file, std::ios::binary) << changed;
    auto const classic = ClassicNetcdf::open(file);
    if (classic == nullptr) continue;
    for (std::size_t v = 0; v < classic->catalogue().variables.size(); ++v) {
      std::vector<std::size_t> start, count;
      for (auto const& dimension : classic->catalogue().variables[v].dimensions) {
        start.push_back(0);
        count.push_back(dimension.length);
      }
      std::vector<std::uint64_t> values;
      EXPECT_NO_THROW(classic->read(v, start, count, [&](std::size_t size) {
        EXPECT_LE(size, whole.size());
        values.resize(size);
        return values.data();
      }));
    }
  }
}

}  // namespace
}  // namespace ulpine::io
