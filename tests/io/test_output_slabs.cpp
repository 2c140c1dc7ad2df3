// SPDX-License-Identifier: Apache-2.0
// What is written in slabs, and what is left of a record that does not come to its end; read with netCDF
// itself.
#include <gtest/gtest.h>
#include <netcdf.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "io/netcdf.hpp"
#include "io/outputs.hpp"
#include "io/restart.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::TemporaryFolder;

constexpr double never = NC_FILL_DOUBLE;

/// An open NetCDF file.
struct Netcdf {
  int id = -1;
  explicit Netcdf(std::filesystem::path const& path) {
    EXPECT_EQ(nc_open(path.c_str(), NC_NOWRITE, &id), NC_NOERR) << path;
  }
  ~Netcdf() { nc_close(id); }
  int variable(char const* name) const {
    int found = -1;
    EXPECT_EQ(nc_inq_varid(id, name, &found), NC_NOERR) << name;
    return found;
  }
  std::vector<double> times() const {
    std::size_t length = 0;
    EXPECT_EQ(nc_inq_dimlen(id, 0, &length), NC_NOERR);  // the first that an output defines
    std::vector<double> values(length);
    EXPECT_EQ(nc_get_var_double(id, variable("time"), values.data()), NC_NOERR);
    return values;
  }
  template <class T>
  std::vector<T> values(FieldInfo const& info, std::size_t record) const {
    std::vector<std::size_t> start{record}, count{1};
    for (auto const extent : info.shape) {
      start.push_back(0);
      count.push_back(static_cast<std::size_t>(extent));
    }
    std::vector<T> values(static_cast<std::size_t>(info.size()));
    EXPECT_EQ(nc_get_vara(id, variable(info.name.c_str()), start.data(), count.data(), values.data()),
              NC_NOERR);
    return values;
  }
};

FieldInfo field(std::string const& name, std::vector<std::int64_t> const& shape,
                ValueType type = ValueType::float64) {
  FieldInfo info{name, "", name, "1", {}, shape, ""};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    info.dimensions.push_back(std::string{name}.append("_").append(std::to_string(d)));
  }
  info.type = type;
  return info;
}

FieldInfo flags(std::string const& name, std::vector<std::int64_t> const& shape,
                std::string const& meanings) {
  auto info = field(name, shape, ValueType::uint8);
  info.flag_meanings = meanings;
  return info;
}

OutputFile output(std::filesystem::path const& path, std::vector<FieldInfo> const& fields) {
  return OutputFile{path, "A test", {}, fields, {}, build_provenance(), ""};
}

/// Values that are known by their number and do not pack: the mix of SplitMix64 as a number in [1, 2).
double value_at(std::int64_t number, std::uint64_t seed) {
  auto bits = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u + seed;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return 1 + static_cast<double>(bits >> 12) * 0x1p-52;
}

SlabSource numbered(std::uint64_t seed) {
  return [seed](std::int64_t first, std::int64_t count, void* values) {
    for (std::int64_t i = 0; i < count; ++i) static_cast<double*>(values)[i] = value_at(first + i, seed);
  };
}

void expect_numbered(std::vector<double> const& values, std::uint64_t seed) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], value_at(static_cast<std::int64_t>(i), seed)) << i;
  }
}

TEST(OutputFile, HasFieldsInTheirTypesAndTellsMissingFromNaN) {
  TemporaryFolder const folder;
  std::vector<FieldInfo> const fields = {field("a", {3}, ValueType::float32), field("b", {3}),
                                         field("c", {3}, ValueType::binary128),
                                         field("d", {3}, ValueType::uint8), flags("e", {3}, "land sea")};
  constexpr auto nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const a = {0.1f, nan, fill_value<float>()};
  std::vector<double> const b = {0.1, nan, fill_value<double>()};
  std::vector<std::uint8_t> const d = {0, 200, 255}, e = {0, 1, 255};
  auto file = output(folder / "a.nc", fields);
  file.begin_time(0);
  file.write("a", slabs_of(a));
  file.write("b", slabs_of(b));
  file.write("c", slabs_of(b));
  file.write("d", slabs_of(d));
  file.write("e", slabs_of(e));
  file.finish_time();
  file.begin_time(1);
  file.finish_time();
  file.close();

  Netcdf const read{folder / "a.nc"};
  auto const same = [](auto const& x, auto const& y) {
    return std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
  };
  EXPECT_TRUE(same(read.values<float>(fields[0], 0), a));
  EXPECT_TRUE(same(read.values<double>(fields[1], 0), b));
  EXPECT_TRUE(same(read.values<double>(fields[2], 0), b));
  EXPECT_EQ(read.values<std::int16_t>(fields[3], 0), (std::vector<std::int16_t>{0, 200, 255}));
  EXPECT_EQ(read.values<std::int8_t>(fields[4], 0), (std::vector<std::int8_t>{0, 1, -1}));
  EXPECT_TRUE(same(read.values<float>(fields[0], 1), std::vector<float>(3, NC_FILL_FLOAT)));
  EXPECT_TRUE(same(read.values<double>(fields[1], 1), std::vector<double>(3, NC_FILL_DOUBLE)));
  EXPECT_EQ(read.values<std::int16_t>(fields[3], 1), std::vector<std::int16_t>(3, 255));
  EXPECT_EQ(read.values<std::int8_t>(fields[4], 1), std::vector<std::int8_t>(3, -1));
  // VTK 9.1 reads no variable behind one of an unsigned type.
  nc_type const types[] = {NC_FLOAT, NC_DOUBLE, NC_DOUBLE, NC_SHORT, NC_BYTE};
  double const fills[] = {NC_FILL_FLOAT, NC_FILL_DOUBLE, NC_FILL_DOUBLE, 255, -1};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    nc_type type = NC_NAT;
    auto const variable = read.variable(fields[i].name.c_str());
    EXPECT_EQ(nc_inq_vartype(read.id, variable, &type), NC_NOERR);
    EXPECT_EQ(type, types[i]);
    double fill = 0;
    EXPECT_EQ(nc_get_att_double(read.id, variable, "_FillValue", &fill), NC_NOERR);
    EXPECT_EQ(fill, fills[i]);
  }
}

TEST(OutputFile, HasAMaskOfBytesWithoutMissingValuesThatSayWhatTheyMean) {
  TemporaryFolder const folder;
  auto const mask = flags("mask", {3}, "land sea ice");
  OutputFile file{folder / "a.nc", "A test", {}, {}, {mask}, build_provenance(), ""};
  file.write_static("mask", slabs_of(std::vector<std::uint8_t>{2, 0, 1}));
  file.close();

  Netcdf const read{folder / "a.nc"};
  auto const variable = read.variable("mask");
  std::vector<std::int8_t> values(3), known(3);
  EXPECT_EQ(nc_get_var(read.id, variable, values.data()), NC_NOERR);
  EXPECT_EQ(values, (std::vector<std::int8_t>{2, 0, 1}));
  nc_type type = NC_NAT, type_of_flags = NC_NAT;
  std::size_t count = 0;
  EXPECT_EQ(nc_inq_vartype(read.id, variable, &type), NC_NOERR);
  EXPECT_EQ(nc_inq_att(read.id, variable, "flag_values", &type_of_flags, &count), NC_NOERR);
  EXPECT_EQ(type, NC_BYTE);
  ASSERT_EQ((std::pair{type_of_flags, count}), (std::pair<nc_type, std::size_t>{NC_BYTE, 3}));
  EXPECT_EQ(nc_get_att(read.id, variable, "flag_values", known.data()), NC_NOERR);
  EXPECT_EQ(known, (std::vector<std::int8_t>{0, 1, 2}));
  EXPECT_NE(nc_inq_attid(read.id, variable, "_FillValue", nullptr), NC_NOERR);
}

TEST(OutputFile, AsksForSlabsInOrderAndPacksEachChunkOnce) {
  TemporaryFolder const folder;
  auto const info = field("a", {9, 1030, 510});  // 36 MiB, of which a slab holds 8 of 9
  auto file = output(folder / "a.nc", {info});
  std::int64_t next = 0;
  std::vector<std::int64_t> counts;
  file.begin_time(0);
  file.write("a", [&](std::int64_t first, std::int64_t count, void* values) {
    EXPECT_EQ(first, next);
    next += count;
    counts.push_back(count);
    numbered(1)(first, count, values);
  });
  file.finish_time();
  file.close();
  EXPECT_EQ(next, info.size());
  EXPECT_GT(counts.size(), 1u);
  EXPECT_LE(*std::max_element(counts.begin(), counts.end()) * 8, slab_bytes);
  expect_numbered(Netcdf{folder / "a.nc"}.values<double>(info, 0), 1);
  // A chunk of noise that is packed again goes to a new place, and its first one is lost. Of 8 bytes of a
  // double deflate saves less than the sign and exponent.
  EXPECT_LT(std::filesystem::file_size(folder / "a.nc"), static_cast<std::uintmax_t>(info.size()) * 8);
}

/// Runs `action` in a child process, which is killed when it writes a byte to the pipe that it is given.
template <class Action>
void kill_at_byte(Action action) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  auto const child = fork();
  if (child == 0) {
    try {
      action([&] {
        if (write(ready[1], "x", 1) == 1) pause();
      });
    } catch (...) {
    }
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(ready[0]);
  close(ready[1]);
  ASSERT_TRUE(WIFSIGNALED(status));
}

/// Three fields that no cache of HDF5 holds, so that a part of a record is in the file.
std::vector<FieldInfo> const large = {field("a", {300, 1000}), field("b", {6, 500, 400}),
                                      field("c", {500, 600})};

void write_large(OutputFile& file, std::uint64_t record) {
  file.begin_time(static_cast<double>(record));
  for (auto const& info : large) file.write(info.name, numbered(record));
  file.finish_time();
}

TEST(OutputFile, AKillWithinARecordLeavesTheWholeRecords) {
  TemporaryFolder const folder;
  {
    auto file = output(folder / "whole.nc", large);
    write_large(file, 0);
    write_large(file, 1);
  }
  for (auto const& stop_in : {"a", "b", "c"}) {
    auto const path = folder / (std::string{stop_in} + ".nc");
    kill_at_byte([&](auto const& ready) {
      auto file = output(path, large);
      write_large(file, 0);
      write_large(file, 1);
      file.begin_time(2);
      for (auto const& info : large) {
        file.write(info.name, numbered(2));
        if (info.name == stop_in) ready();
      }
    });
    constexpr std::uintmax_t part = 1 << 20;
    EXPECT_GT(std::filesystem::file_size(path), std::filesystem::file_size(folder / "whole.nc") + part)
        << "nothing of the record begun is in the file";
    Netcdf const read{path};
    EXPECT_EQ(read.times(), (std::vector<double>{0, 1})) << stop_in;
    for (auto const& info : large) {
      for (std::size_t record = 0; record < 2; ++record) {
        expect_numbered(read.values<double>(info, record), record);
      }
    }
  }
}

TEST(OutputFile, AKillWhileTheLastRecordIsReplacedTakesItAway) {
  TemporaryFolder const folder;
  auto const path = folder / "a.nc";
  kill_at_byte([&](auto const& ready) {
    auto file = output(path, large);
    write_large(file, 0);
    write_large(file, 1);
    file.begin_time(1);
    file.write("a", numbered(7));
    ready();
  });
  Netcdf const read{path};
  EXPECT_EQ(read.times(), (std::vector<double>{0, never}));
  for (auto const& info : large) expect_numbered(read.values<double>(info, 0), 0);
}

TEST(OutputFile, ASourceThatFailsLeavesTheWholeRecords) {
  TemporaryFolder const folder;
  // In a process of its own: HDF5 would show what it still holds in memory.
  kill_at_byte([&](auto const& ready) {
    {
      auto file = output(folder / "a.nc", large);
      write_large(file, 0);
      file.begin_time(1);
      file.write("a", numbered(1));
      try {
        file.write("b", [](std::int64_t, std::int64_t, void*) { throw std::runtime_error("no device"); });
        return;
      } catch (std::runtime_error const&) {
      }
    }
    ready();
  });
  Netcdf const read{folder / "a.nc"};
  EXPECT_EQ(read.times(), std::vector<double>{0});
  for (auto const& info : large) expect_numbered(read.values<double>(info, 0), 0);
}

TEST(OutputFile, ASourceMayUseNetcdfAndARecordComesToItsEnd) {
  TemporaryFolder const folder;
  auto const info = field("a", {5});
  auto file = output(folder / "a.nc", {info});
  file.begin_time(0);
  file.write("a", [&](std::int64_t first, std::int64_t count, void* values) {
    output(folder / "other.nc", {}).close();
    numbered(1)(first, count, values);
  });
  EXPECT_THROW(file.close(), std::invalid_argument);
  file.finish_time();
  file.close();
  expect_numbered(Netcdf{folder / "a.nc"}.values<double>(info, 0), 1);
}

/// Bytes by which the memory of a process grows at most while `action` runs.
template <class Action>
std::int64_t growth_of(Action action) {
  int result[2];
  EXPECT_EQ(pipe(result), 0);
  auto const child = fork();
  if (child == 0) {
    auto const peak = [] {
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      return std::int64_t{1024} * usage.ru_maxrss;
    };
    auto const before = peak();
    std::int64_t grown = -1;
    try {
      action();
      grown = peak() - before;
    } catch (...) {
    }
    _exit(write(result[1], &grown, sizeof grown) == sizeof grown ? 0 : 1);
  }
  std::int64_t grown = -1;
  EXPECT_EQ(read(result[0], &grown, sizeof grown), static_cast<ssize_t>(sizeof grown));
  int status = 0;
  waitpid(child, &status, 0);
  close(result[0]);
  close(result[1]);
  EXPECT_GE(grown, 0);
  return grown;
}

/// Beyond the slab: chunks, packing, hashing, HDF5's books and the allocator.
constexpr std::int64_t all_else = 16 << 20;
constexpr std::int64_t side = 320;  // 320^3 doubles are 250 MiB

TEST(OutputFile, HoldsASlabOfAFieldOf250MiB) {
  TemporaryFolder const folder;
  std::int64_t asked = 0;
  auto const grown = growth_of([&] {
    auto file = output(folder / "a.nc", {field("a", {side, side, side}), field("b", {side, side})});
    file.begin_time(0);
    file.write("a", [&](std::int64_t first, std::int64_t count, void* values) {
      for (std::int64_t i = 0; i < count; ++i) {
        static_cast<double*>(values)[i] = static_cast<double>((first + i) / side);
      }
      asked += count;
    });
    file.finish_time();
    file.close();
    if (asked != side * side * side) throw std::runtime_error("not all was asked for");
  });
  EXPECT_LE(grown, slab_bytes + all_else);
  RecordProperty("bytes", std::to_string(grown));
  Netcdf const read{folder / "a.nc"};
  std::size_t const last[] = {0, side - 1, side - 1, side - 1};
  double value = 0;
  EXPECT_EQ(nc_get_var1_double(read.id, read.variable("a"), last, &value), NC_NOERR);
  EXPECT_EQ(value, side * side - 1);
}

/// A state of 250 MiB whose values are their numbers.
class Numbered : public StateReader {
 public:
  StateHeader const& header() const override { return header_; }
  void read(std::size_t, std::int64_t first, std::int64_t count, std::byte* values) const override {
    for (std::int64_t i = 0; i < count; ++i) {
      auto const value = static_cast<double>(first + i);
      std::memcpy(values + 8 * i, &value, sizeof value);
    }
  }

 private:
  StateHeader header_{"x", "fp64", 0, 0, 0, {{"a", ValueType::float64, {side, side, side}}}};
};

TEST(Restart, HoldsASlabOfAnArrayOf250MiB) {
  TemporaryFolder const folder;
  auto const grown = growth_of([&] { write_restart(folder / "restart.nc", Numbered{}, {}); });
  EXPECT_LE(grown, slab_bytes + all_else);
  RecordProperty("bytes", std::to_string(grown));
  auto const read = growth_of([&] {
    RestartFile const file{folder / "restart.nc"};
    constexpr std::int64_t part = 1 << 20;
    std::vector<double> values(part);
    for (std::int64_t first = 0; first < side * side * side; first += part) {
      auto const count = std::min(part, side * side * side - first);
      file.read(0, first, count, reinterpret_cast<std::byte*>(values.data()));
      if (values[0] != static_cast<double>(first)) throw std::runtime_error("other values");
    }
  });
  EXPECT_LE(read, (std::int64_t{8} << 20) + all_else);
  RecordProperty("bytes_read", std::to_string(read));
}

}  // namespace
}  // namespace ulpine::io
