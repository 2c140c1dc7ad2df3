// SPDX-License-Identifier: Apache-2.0
#include "io/restart.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <sys/mount.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;
using test::TemporaryFolder;

template <class Bits>
void put(StoredState& state, std::size_t array, std::size_t index, Bits bits) {
  std::memcpy(state.bytes(array).data() + index * sizeof bits, &bits, sizeof bits);
}

/// Random bits of all types, among them signalling NaNs, subnormals and negative zeros; odd, empty and
/// scalar shapes.
StoredState random_state(std::vector<StateArray> const& more = {}) {
  StateHeader header{"seaice", "fp32", 0xfedcba9876543210, (std::int64_t{1} << 53) + 1, 0.1 + 0.2, {}};
  header.arrays = {{"u", ValueType::float32, {3, 5, 7}}, {"v", ValueType::float64, {11, 13}},
                   {"wide", ValueType::binary128, {5}},  {"empty", ValueType::float64, {0, 4}},
                   {"scalar", ValueType::float64, {}},   {"group/with odd: name", ValueType::float32, {2}},
                   {"u", ValueType::uint8, {3}},         {"wide0", ValueType::binary128, {}},
                   {"array_5", ValueType::float64, {1}}, {"pairs", ValueType::float32_pair, {3, 2}},
                   {"pair", ValueType::float32_pair, {}}};
  header.arrays.insert(header.arrays.end(), more.begin(), more.end());
  StoredState state{header};
  std::mt19937_64 random{1};
  for (std::size_t array = 0; array < header.arrays.size(); ++array) {
    for (auto& byte : state.bytes(array)) byte = static_cast<std::byte>(random());
  }
  put(state, 0, 0, std::uint32_t{0x7f800001});  // signalling NaN
  put(state, 0, 1, std::uint32_t{0xffc12345});
  put(state, 0, 2, std::uint32_t{0x80000000});
  put(state, 0, 3, std::uint32_t{1});
  put(state, 1, 0, std::uint64_t{0x7ff0000000000001});
  put(state, 1, 1, std::uint64_t{0xfff8deadbeef1234});
  put(state, 1, 2, std::uint64_t{0x8000000000000000});
  return state;
}

void expect_same(StateReader const& found, StoredState const& wanted) {
  StoredState const copy{found};
  auto const &a = copy.header(), &b = wanted.header();
  EXPECT_EQ(a.core, b.core);
  EXPECT_EQ(a.policy, b.policy);
  EXPECT_EQ(a.case_hash, b.case_hash);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.time), std::bit_cast<std::uint64_t>(b.time));
  ASSERT_EQ(a.arrays, b.arrays);
  for (std::size_t i = 0; i < a.arrays.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(copy.bytes(i), wanted.bytes(i))) << a.arrays[i].name;
  }
}

std::size_t files_in(std::filesystem::path const& folder) {
  auto const entries = std::filesystem::directory_iterator{folder};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

TEST(Restart, ReturnsEveryBit) {
  TemporaryFolder const folder;
  auto const path = folder / "restart.nc";
  write_restart(path, random_state(), build_provenance());
  expect_same(RestartFile{path}, random_state());
  EXPECT_EQ(files_in(folder / ""), 1u) << "a temporary file is left";
  // Again over the first, and with nothing in it.
  StoredState const nothing{StateHeader{}};
  write_restart(path, nothing, {});
  expect_same(RestartFile{path}, nothing);
}

TEST(Restart, GivesAnyPartOfAnArray) {
  TemporaryFolder const folder;
  auto const state = random_state();
  write_restart(folder / "restart.nc", state, {});
  RestartFile const file{folder / "restart.nc"};
  std::mt19937_64 random{2};
  for (int trial = 0; trial < 300; ++trial) {
    auto const number = random() % state.header().arrays.size();
    auto const& array = state.header().arrays[number];
    auto const size = static_cast<std::uint64_t>(array.size());
    auto const first = random() % (size + 1), count = random() % (size - first + 1);
    auto const width = static_cast<std::size_t>(bytes_of(array.type));
    std::vector<std::byte> part(count * width);
    file.read(number, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count), part.data());
    EXPECT_TRUE(std::ranges::equal(part, state.bytes(number).subspan(first * width, count * width)))
        << array.name << " " << first << " " << count;
  }
  std::byte none{};
  EXPECT_THROW(file.read(0, 100, 6, &none), std::out_of_range);
  EXPECT_THROW(file.read(99, 0, 1, &none), std::out_of_range);
}

/// A state that notes how it is read.
class Watched : public StateReader {
 public:
  explicit Watched(StoredState state) : state_{std::move(state)} {}
  StateHeader const& header() const override { return state_.header(); }
  void read(std::size_t array, std::int64_t first, std::int64_t count, std::byte* values) const override {
    state_.read(array, first, count, values);
    auto const bytes = count * bytes_of(header().arrays[array].type);
    largest = std::max(largest, bytes);
    all += bytes;
  }
  mutable std::int64_t largest = 0, all = 0;

 private:
  StoredState state_;
};

TEST(Restart, ReadsTheStateOnceInPieces) {
  TemporaryFolder const folder;
  Watched const watched{StoredState{StateHeader{
      "seaice", "fp64", 0, 0, 0, {{"a", ValueType::binary128, {3, 1234567}}, {"m", ValueType::uint8, {9}}}}}};
  write_restart(folder / "restart.nc", watched, {});
  EXPECT_LE(watched.largest, slab_bytes);
  EXPECT_GT(watched.largest, slab_bytes / 4);
  EXPECT_EQ(watched.all, 3 * 1234567 * 16 + 9);
}

TEST(Restart, WhatTheStateFailsToGiveLeavesNoFile) {
  class Broken : public Watched {
   public:
    using Watched::Watched;
    void read(std::size_t array, std::int64_t, std::int64_t, std::byte*) const override {
      if (array > 2) throw std::runtime_error("no device");
    }
  };
  TemporaryFolder const folder;
  EXPECT_THROW(write_restart(folder / "restart.nc", Broken{random_state()}, {}), std::runtime_error);
  EXPECT_EQ(files_in(folder / ""), 0u);
  write_restart(folder / "restart.nc", random_state(), {});  // netCDF is free again
}

TEST(Restart, IsNetcdfThatOthersRead) {
  TemporaryFolder const folder;
  double const numbers[] = {1.5, -2, 1e300};
  StoredState state{StateHeader{"seaice", "fp64", 0, 0, 0, {{"H", ValueType::float64, {3}}}}};
  std::memcpy(state.bytes(0).data(), numbers, sizeof numbers);
  write_restart(folder / "restart.nc", state, build_provenance());
  InputFile const file{folder / "restart.nc"};
  EXPECT_EQ(file.read("H").values, (std::vector<double>{1.5, -2, 1e300}));
  EXPECT_EQ(file.attribute("restart_core"), "seaice");
  EXPECT_EQ(file.attribute("ulpine_version"), build_provenance().version);
}

TEST(Restart, EveryFlippedByteAndEveryCutIsRefused) {
  TemporaryFolder const folder;
  write_restart(folder / "restart.nc", random_state(), build_provenance());
  auto const whole = test::read_file(folder / "restart.nc");
  auto const refused = [&](std::string const& bytes) {
    test::write_file(folder / "bad.nc", bytes);
    auto const message = message_of<InputError>([&] { RestartFile{folder / "bad.nc"}; });
    return message.find((folder / "bad.nc").string() + ": ") == 0 && message.find('\n') == std::string::npos;
  };
  std::mt19937_64 random{3};
  for (std::size_t i = 0; i < whole.size(); i += 1 + random() % 61) {
    auto bytes = whole;
    bytes[i] ^= static_cast<char>(1 << random() % 8);
    EXPECT_TRUE(refused(bytes)) << "byte " << i;
  }
  for (std::size_t i = 0; i < 32; ++i) {
    auto bytes = whole;
    bytes[bytes.size() - 1 - i] ^= 1;
    EXPECT_TRUE(refused(bytes)) << "byte -" << i;
    EXPECT_TRUE(refused(whole.substr(0, whole.size() - 1 - i)));
    EXPECT_TRUE(refused(whole.substr(0, i)));
  }
  for (std::size_t length = 0; length < whole.size(); length += 1 + random() % 199) {
    EXPECT_TRUE(refused(whole.substr(0, length))) << length;
  }
  EXPECT_TRUE(refused(whole + "x"));
  EXPECT_TRUE(refused("x" + whole));
  EXPECT_TRUE(refused(whole + whole));
  EXPECT_FALSE(refused(whole));
}

/// `bytes` as the restart files are sealed, so that what lies behind the checksum is tested too.
std::string sealed(std::string bytes) {
  auto const hash = XXH64(bytes.data(), bytes.size(), 0);
  return bytes.append("ULPSEAL1").append(reinterpret_cast<char const*>(&hash), sizeof hash);
}

TEST(Restart, ForeignFilesAndOtherSchemasAreRefused) {
  TemporaryFolder const folder;
  auto const path = folder / "other.nc";
  auto const message = [&] { return message_of<InputError>([&] { RestartFile{path}; }); };
  EXPECT_NE(message().find("no such restart file"), std::string::npos);
  EXPECT_THROW(RestartFile{folder / ""}, InputError);
  test::write_file(path, "");
  EXPECT_NE(message().find("not a whole restart file"), std::string::npos);
  test::write_file(path, sealed("hello"));
  EXPECT_NE(message().find("restart cannot be read ("), std::string::npos);
  for (auto const schema : {0, 2}) {
    int file = -1;
    ASSERT_EQ(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &file), NC_NOERR);
    if (schema > 0) nc_put_att_int(file, NC_GLOBAL, "restart_schema", NC_INT, 1, &schema);
    ASSERT_EQ(nc_close(file), NC_NOERR);
    EXPECT_NE(message().find("not a whole restart file"), std::string::npos);
    test::write_file(path, sealed(test::read_file(path)));
    EXPECT_NE(message().find("of another format (schema " + std::to_string(schema) + ", not 1)"),
              std::string::npos);
  }
}

/// Applies `edit` to the NetCDF part of a restart file and seals it again.
template <class Edit>
void forge(std::filesystem::path const& path, Edit edit) {
  auto bytes = test::read_file(path);
  bytes.resize(bytes.size() - 16);
  test::write_file(path, bytes);
  int file = -1;
  ASSERT_EQ(nc_open(path.c_str(), NC_WRITE, &file), NC_NOERR);
  edit(file);
  ASSERT_EQ(nc_close(file), NC_NOERR);
  test::write_file(path, sealed(test::read_file(path)));
}

TEST(Restart, WhatMakesNoSenseIsRefusedThoughItsSealIsWhole) {
  TemporaryFolder const folder;
  auto const path = folder / "restart.nc";
  auto const message = [&](auto edit) {
    write_restart(path, random_state(), {});
    forge(path, edit);
    auto const text = message_of<InputError>([&] { RestartFile{path}; });
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text;
  };
  auto const begins = path.string() + ": restart cannot be read (";
  EXPECT_EQ(message([](int) {}), "(nothing thrown)");
  EXPECT_EQ(message([](int file) {
              long long const step = -5;
              nc_put_att_longlong(file, NC_GLOBAL, "restart_step", NC_INT64, 1, &step);
            }).find(begins + "its step is -5)"),
            0u);
  for (auto const time : {-1., std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(message([&](int file) {
                nc_put_att_double(file, NC_GLOBAL, "restart_time", NC_DOUBLE, 1, &time);
              }).find(begins + "its time is "),
              0u);
  }
  for (auto const extent : {-1ll, 1ll << 40, 1ll << 62}) {
    EXPECT_EQ(message([&](int file) {
                long long const shape[] = {extent, 8};
                nc_put_att_longlong(file, 0, "shape", NC_INT64, 2, shape);
              }).find(begins + "array "),
              0u)
        << extent;
  }
  for (auto const bytes : {-4, 0, 2, 17, 1 << 30}) {
    EXPECT_EQ(message([&](int file) {
                nc_put_att_int(file, 0, "bytes_per_value", NC_INT, 1, &bytes);
              }).find(begins + "array "),
              0u)
        << bytes;
  }
  for (auto const& [variable, name] :
       {std::pair{NC_GLOBAL, "restart_core"}, {NC_GLOBAL, "restart_policy"}, {0, "long_name"}}) {
    EXPECT_EQ(message([&](int file) {
                nc_put_att_text(file, variable, name, 5, "a\n\x1b[m");
              }).find(begins + name + " is no line of text)"),
              0u);
  }
  EXPECT_EQ(message([](int file) {
              // As large as NetCDF lets it be, and never written: the file stays small.
              int dimension = -1, variable = -1;
              std::size_t const length = std::size_t{1} << 40;
              nc_redef(file);
              nc_def_dim(file, "huge", length, &dimension);
              nc_def_var(file, "huge", NC_DOUBLE, 1, &dimension, &variable);
              nc_def_var_chunking(file, variable, NC_CHUNKED, std::array{std::size_t{1024}}.data());
              nc_put_att_text(file, variable, "long_name", 4, "huge");
              int const bytes = 8;
              nc_put_att_int(file, variable, "bytes_per_value", NC_INT, 1, &bytes);
              long long const shape = static_cast<long long>(length);
              nc_put_att_longlong(file, variable, "shape", NC_INT64, 1, &shape);
              EXPECT_EQ(nc_enddef(file), NC_NOERR);
            }).find(begins + "array huge would have more bytes than the file"),
            0u);
}

TEST(Restart, AFailedWriteKeepsTheOldFileAndLeavesNoOther) {
  TemporaryFolder const folder;
  auto const disk = folder / "disk";
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "no right to mount a small file system";
  }
  write_restart(disk / "restart.nc", random_state(), {});
  auto const large = random_state({{"large", ValueType::float64, {100000}}});
  auto const message = message_of<EnvironmentError>([&] { write_restart(disk / "restart.nc", large, {}); });
  EXPECT_EQ(
      message.find((disk / "restart.nc").string() + ": restart cannot be written (No space left on device)"),
      0u)
      << message;
  expect_same(RestartFile{disk / "restart.nc"}, random_state());
  EXPECT_EQ(files_in(disk), 1u);
  EXPECT_EQ(umount2(disk.c_str(), MNT_DETACH), 0);
  EXPECT_THROW(write_restart(folder / "none/restart.nc", random_state(), {}), EnvironmentError);
}

TEST(Restart, ManyThreadsWriteAndReadTheirOwn) {
  TemporaryFolder const folder;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      auto state = random_state();
      state.header().step = t;
      for (int i = 0; i < 10; ++i) write_restart(folder / (std::to_string(t) + ".nc"), state, {});
    });
  }
  for (auto& thread : threads) thread.join();
  for (int t = 0; t < 4; ++t) EXPECT_EQ(RestartFile{folder / (std::to_string(t) + ".nc")}.header().step, t);
}

}  // namespace
}  // namespace ulpine::io
