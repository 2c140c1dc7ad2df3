// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <random>
#include <sstream>
#include <thread>

#include "io/error.hpp"
#include "io/netcdf_library.hpp"
#include "io/outputs.hpp"
#include "support/cf_check.hpp"
#include "support/reference_data.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;
using test::TemporaryFolder;

/// A classic or NetCDF-4 file with a float and a short variable, written with netCDF-C.
void write_foreign(std::filesystem::path const& path, int mode, char const* time_units,
                   bool record_dimension = true) {
  int file = -1, time = -1, x = -1, t = -1, f = -1, s = -1;
  ASSERT_EQ(nc_create(path.c_str(), mode | NC_CLOBBER, &file), NC_NOERR);
  nc_def_dim(file, "when", record_dimension ? NC_UNLIMITED : 2, &time);
  nc_def_dim(file, "x", 3, &x);
  int const dimensions[] = {time, x};
  nc_def_var(file, "when", NC_INT, 1, &time, &t);
  nc_put_att_text(file, t, "units", std::strlen(time_units), time_units);
  nc_def_var(file, "f", NC_FLOAT, 2, dimensions, &f);
  double const missing = 1e20;
  nc_put_att_double(file, f, "missing_value", NC_DOUBLE, 1, &missing);
  nc_def_var(file, "s", NC_SHORT, 2, dimensions, &s);
  double const scale = 0.5, offset = 10;
  nc_put_att_double(file, s, "scale_factor", NC_DOUBLE, 1, &scale);
  nc_put_att_double(file, s, "add_offset", NC_DOUBLE, 1, &offset);
  short const fill = -9;
  nc_put_att_short(file, s, "_FillValue", NC_SHORT, 1, &fill);
  ASSERT_EQ(nc_enddef(file), NC_NOERR);
  std::size_t const start[] = {0, 0}, count[] = {2, 3};
  int const times[] = {6, 18};
  float const floats[] = {1, 1e20f, 3, 4, NC_FILL_FLOAT, 6};
  short const shorts[] = {0, 1, -9, 3, 4, 5};
  nc_put_vara_int(file, t, start, count, times);
  nc_put_vara_float(file, f, start, count, floats);
  nc_put_vara_short(file, s, start, count, shorts);
  ASSERT_EQ(nc_close(file), NC_NOERR);
}

TEST(InputFile, DecodesTimesPackingAndMissingValuesOfAnyFormat) {
  TemporaryFolder const folder;
  for (auto const mode :
       {NC_CLOBBER, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4, NC_NETCDF4 | NC_CLASSIC_MODEL}) {
    for (auto const has_records : {true, false}) {
      write_foreign(folder / "a.nc", mode, "hours since 1970-01-02 00:00:00", has_records);
      InputFile const input{folder / "a.nc"};
      EXPECT_EQ(input.variables(), (std::vector<std::string>{"f", "s"}));
      EXPECT_EQ(input.times("f"), (std::vector<double>{0, 43200}));
      EXPECT_EQ(input.first_time("f"), 86400 + 6 * 3600);
      auto const first = input.read("f", 0).values;
      EXPECT_EQ(first[0], 1);
      EXPECT_TRUE(std::isnan(first[1]));
      EXPECT_EQ(first[2], 3);
      EXPECT_TRUE(std::isnan(input.read("f", 1).values[1]));
      auto const packed = input.read("s", 0).values;
      EXPECT_EQ(packed[0], 10);
      EXPECT_EQ(packed[1], 10.5);
      EXPECT_TRUE(std::isnan(packed[2]));
    }
  }
  // 6 and 18 months later: the 2nd of July of 1970 and 1971.
  write_foreign(folder / "a.nc", NC_CLOBBER, "months since 1970-01-02");
  EXPECT_EQ(InputFile{folder / "a.nc"}.times("f"), (std::vector<double>{0, 365 * 86400.}));
  EXPECT_EQ(InputFile{folder / "a.nc"}.first_time("f"), 182 * 86400.);
  write_foreign(folder / "a.nc", NC_CLOBBER, "fortnights since 1970-01-02");
  EXPECT_EQ(InputFile{folder / "a.nc"}.times("f"), (std::vector<double>{0, 12}));
  EXPECT_TRUE(std::isnan(InputFile{folder / "a.nc"}.first_time("f")));
}

TEST(InputFile, CutFilesAreRefusedAtEveryLength) {
  TemporaryFolder const folder;
  for (auto const mode : {NC_CLOBBER, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4}) {
    for (auto const has_records : {true, false}) {
      write_foreign(folder / "a.nc", mode, "hours since 1970-01-02", has_records);
      auto const whole = test::read_file(folder / "a.nc");
      // The last variable's padding to four bytes carries nothing; here it has none or two bytes.
      auto const step = mode == NC_NETCDF4 ? 37u : 1u;
      for (std::size_t length = 0; length + 4 < whole.size(); length += step) {
        test::write_file(folder / "cut.nc", whole.substr(0, length));
        auto const message = message_of<InputError>([&] { InputFile{folder / "cut.nc"}; });
        EXPECT_EQ(message.find((folder / "cut.nc").string() + ": "), 0u)
            << mode << ' ' << length << ' ' << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
      }
      EXPECT_NO_THROW(InputFile{folder / "a.nc"}.read("s"));
    }
  }
}

TEST(InputFile, WhatIsNoNetcdfIsRefusedInOneLine) {
  TemporaryFolder const folder;
  test::write_file(folder / "text.nc",
                   "hello, this is no NetCDF file at all, only text that goes on and on\n");
  EXPECT_THROW(InputFile{folder / "none.nc"}, InputError);
  EXPECT_THROW(InputFile{folder / ""}, InputError);
  EXPECT_NE(
      message_of<InputError>([&] { InputFile{folder / "text.nc"}; }).find("cannot be opened as NetCDF ("),
      std::string::npos);
}

/// The bytes of an output with a record, closed or as a kill leaves it.
std::string output_bytes(std::filesystem::path const& path, bool closed) {
  auto file = create(path);
  write_record(file, 0);
  if (closed) {
    file.close();
    return test::read_file(path);
  }
  return test::read_file(path);
}

/// Reads all of a file; the message of its refusal.
std::string refusal(std::filesystem::path const& path) {
  return test::refusal_of<InputError>(path, [&] {
    InputFile const input{path};
    for (auto const& name : input.variables()) {
      input.times(name);
      input.read(name);
      input.weights(name);
      input.spacing(name);
    }
  });
}

TEST(InputFile, FlippedBytesOfForeignFilesTakeNothingDown) {
  TemporaryFolder const folder;
  // Without its seal an output is a file like any other. Of 2000 such mutants some ten crash netCDF-C 4.9.0
  // with HDF5 1.10.8 or never end.
  auto const netcdf4 = output_bytes(folder / "a.nc", false);
  write_foreign(folder / "classic.nc", NC_64BIT_OFFSET, "hours since 1970-01-02");
  auto const classic = test::read_file(folder / "classic.nc");
  std::mt19937_64 random{5};
  auto refused = 0;
  for (int trial = 0; trial < 400; ++trial) {
    auto bytes = trial % 4 == 3 ? classic : netcdf4;
    for (auto flips = 1 + random() % 4; flips > 0; --flips)
      bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    test::write_file(folder / "b.nc", bytes);
    refused += !refusal(folder / "b.nc").empty();
  }
  EXPECT_GT(refused, 40);
  EXPECT_LT(refused, 360);
}

TEST(InputFile, AlteredOutputsOfOursAreRefusedBeforeHdf5SeesThem) {
  TemporaryFolder const folder;
  auto const whole = output_bytes(folder / "a.nc", true);
  EXPECT_EQ(refusal(folder / "a.nc"), "");
  std::mt19937_64 random{6};
  auto const expect_refused = [&](std::string const& bytes, std::string const& what) {
    test::write_file(folder / "b.nc", bytes);
    EXPECT_NE(refusal(folder / "b.nc"), "") << what;
  };
  for (int trial = 0; trial < 300; ++trial) {
    auto flipped = whole;
    auto const place = random() % whole.size();
    flipped[place] ^= static_cast<char>(1 << random() % 8);
    expect_refused(flipped, "byte " + std::to_string(place));
  }
  for (std::size_t i = 1; i <= 16; ++i) {
    auto flipped = whole;
    flipped[whole.size() - i] ^= 1;
    expect_refused(flipped, "byte -" + std::to_string(i));
    if (i < 16) expect_refused(whole.substr(0, whole.size() - i), "without the last " + std::to_string(i));
    expect_refused(whole + whole.substr(0, i), "longer by " + std::to_string(i));
    expect_refused(whole.substr(0, i * whole.size() / 17), "cut");
    expect_refused(whole.substr(0, 1000) + 'x' + whole.substr(1000), "longer within");
  }
  // The answer of an earlier opening must not outlive the content.
  test::write_file(folder / "a.nc", whole);
  EXPECT_EQ(refusal(folder / "a.nc"), "");
  auto flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  test::write_file(folder / "a.nc", flipped);
  EXPECT_NE(refusal(folder / "a.nc"), "");
}

TEST(InputFile, SealedOutputsStayNetcdfThatOthersReadAndAppendTo) {
  TemporaryFolder const folder;
  output_bytes(folder / "a.nc", true);
  int file = -1;
  ASSERT_EQ(nc_open((folder / "a.nc").c_str(), NC_WRITE, &file), NC_NOERR);
  ASSERT_EQ(nc_put_att_text(file, NC_GLOBAL, "note", 2, "me"), NC_NOERR);
  ASSERT_EQ(nc_close(file), NC_NOERR);
  EXPECT_EQ(refusal(folder / "a.nc"), "") << "without its seal it is read as others' files are";
  ASSERT_EQ(nc_open((folder / "a.nc").c_str(), NC_NOWRITE, &file), NC_NOERR);
  EXPECT_EQ(nc_close(file), NC_NOERR);
}

/// The processes that this one has started and not yet waited for.
std::vector<pid_t> children() {
  std::vector<pid_t> list;
  for (auto const& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::istringstream words{test::read_file(thread.path() / "children")};
    for (pid_t child = 0; words >> child;) list.push_back(child);
  }
  return list;
}

TEST(InputFile, ACrashOfTheReadingProcessIsAnInputError) {
  TemporaryFolder const folder;
  write_foreign(folder / "a.nc", NC_NETCDF4, "hours since 1970-01-02");
  auto const here = "/proc/self/task/" + std::to_string(getpid()) + "/children";
  if (!std::filesystem::exists(here)) GTEST_SKIP() << "no list of child processes in /proc";
  for (auto const signal : {SIGSEGV, SIGABRT, SIGXCPU}) {
    InputFile const input{folder / "a.nc"};
    auto const found = children();
    ASSERT_EQ(found.size(), 1u) << "foreign files are read by a child process";
    EXPECT_EQ(input.read("s", 0).values[0], 10);
    kill(found[0], signal);
    auto const message = message_of<InputError>([&] { input.read("f", 0); });
    EXPECT_NE(message.find(signal == SIGXCPU ? "reading it does not come to an end"
                                             : "reading it crashes the NetCDF library: "),
              std::string::npos)
        << message;
    EXPECT_THROW(input.read("f", 0), InputError);
  }
  EXPECT_TRUE(children().empty()) << "no process is left";
}

TEST(InputFile, TheReadingProcessLetsGoOfEverythingAndEndsWithItsParent) {
  TemporaryFolder const folder;
  write_foreign(folder / "a.nc", NC_NETCDF4, "hours since 1970-01-02");
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  auto const parent = fork();
  if (parent == 0) {
    InputFile const first{folder / "a.nc"}, second{folder / "a.nc"};
    kill(getpid(), SIGKILL);
  }
  close(pipe_ends[1]);
  int status = 0;
  ASSERT_EQ(waitpid(parent, &status, 0), parent);
  char byte = 0;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 0) << "the end of the pipe, which no child holds open";
  close(pipe_ends[0]);
}

TEST(InputFile, ForeignFilesAreReadInPiecesToTheSameValues) {
  TemporaryFolder const folder;
  // 60 MB of values in chunks that do not divide the extents.
  constexpr std::size_t rows = 2501, columns = 3000;
  std::vector<double> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  for (auto const mode : {NC_NETCDF4, NC_64BIT_DATA}) {
    int file = -1, dimensions[2], variable = -1;
    ASSERT_EQ(nc_create((folder / "a.nc").c_str(), mode | NC_CLOBBER, &file), NC_NOERR);
    nc_def_dim(file, "y", rows, dimensions);
    nc_def_dim(file, "x", columns, dimensions + 1);
    nc_def_var(file, "v", NC_DOUBLE, 2, dimensions, &variable);
    std::size_t const chunk[] = {97, 1024};
    if (mode == NC_NETCDF4) nc_def_var_chunking(file, variable, NC_CHUNKED, chunk);
    nc_enddef(file);
    ASSERT_EQ(nc_put_var_double(file, variable, values.data()), NC_NOERR);
    ASSERT_EQ(nc_close(file), NC_NOERR);
    EXPECT_TRUE(InputFile{folder / "a.nc"}.read("v").values == values);
  }
}

TEST(InputFile, HeadersThatPromiseMoreThanAFileCanHoldAreRefused) {
  TemporaryFolder const folder;
  int file = -1, dimension = -1, variable = -1;
  ASSERT_EQ(nc_create((folder / "a.nc").c_str(), NC_NETCDF4 | NC_CLOBBER, &file), NC_NOERR);
  nc_def_dim(file, "x", std::size_t{1} << 35, &dimension);
  nc_def_var(file, "v", NC_DOUBLE, 1, &dimension, &variable);
  std::size_t const chunk = 1024;
  nc_def_var_chunking(file, variable, NC_CHUNKED, &chunk);
  ASSERT_EQ(nc_close(file), NC_NOERR);
  EXPECT_NE(refusal(folder / "a.nc").find("values cannot be in a file of"), std::string::npos);
  EXPECT_NE(refusal("/dev/zero").find("no ordinary file"), std::string::npos);
}

}  // namespace
}  // namespace ulpine::io
