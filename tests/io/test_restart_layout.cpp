// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <netcdf.h>
#include <xxhash.h>

#include <cstring>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/restart.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::TemporaryFolder;

constexpr std::size_t seal_size = 16;

StoredState state() {
  float const numbers[] = {0.1f, -2, 1e30f, 4, 5, 6};
  StoredState state{StateHeader{"seaice", "fp32", 0, 0, 0, {{"H", ValueType::float32, {2, 3}}}}};
  std::memcpy(state.bytes(0).data(), numbers, sizeof numbers);
  return state;
}

TEST(Restart, HoldsFloatsThatOthersRead) {
  TemporaryFolder const folder;
  write_restart(folder / "restart.nc", state(), build_provenance());
  auto const field = InputFile{folder / "restart.nc"}.read("H");
  EXPECT_EQ(field.info.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(field.values, (std::vector<double>{0.1f, -2, 1e30f, 4, 5, 6}));
}

/// The file with another shape in the array's own description, and a seal that fits.
void describe_otherwise(std::filesystem::path const& path, std::vector<long long> const& shape) {
  auto const whole = test::read_file(path);
  test::write_file(path, whole.substr(0, whole.size() - seal_size));
  int file = -1, variable = -1;
  ASSERT_EQ(nc_open(path.c_str(), NC_WRITE, &file), NC_NOERR);
  ASSERT_EQ(nc_inq_varid(file, "H", &variable), NC_NOERR);
  ASSERT_EQ(nc_put_att_longlong(file, variable, "shape", NC_INT64, shape.size(), shape.data()), NC_NOERR);
  ASSERT_EQ(nc_close(file), NC_NOERR);
  auto bytes = test::read_file(path);
  auto const hash = XXH64(bytes.data(), bytes.size(), 0);
  test::write_file(path, bytes.append("ULPSEAL1").append(reinterpret_cast<char const*>(&hash), sizeof hash));
}

TEST(Restart, RefusesAnArrayOfAnotherShapeThanItSays) {
  TemporaryFolder const folder;
  auto const path = folder / "restart.nc";
  for (auto const& shape : std::vector<std::vector<long long>>{{2, 4}, {3, 2}, {2, 3, 1}, {6}}) {
    write_restart(path, state(), build_provenance());
    describe_otherwise(path, shape);
    EXPECT_NE(test::message_of<InputError>([&] { RestartFile{path}; }).find("another shape"),
              std::string::npos);
  }
  write_restart(path, state(), build_provenance());
  describe_otherwise(path, {2, 3});
  EXPECT_EQ(RestartFile{path}.header().arrays[0].shape, (std::vector<std::int64_t>{2, 3}));
}

}  // namespace
}  // namespace ulpine::io
