// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstring>
#include <random>
#include <sstream>
#include <thread>

#include "io/error.hpp"
#include "support/cf_check.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;
using test::TemporaryFolder;

constexpr std::int64_t nx = 7, ny = 5;

std::vector<Coordinate> coordinates() {
  Coordinate x{"x", "projection_x_coordinate", "x", "m", "X", {}},
      y{"y", "projection_y_coordinate", "y", "m", "Y", {}};
  Coordinate z{"z", "height", "height", "m", "Z", {1, 3, 9}};
  for (int i = 0; i < nx; ++i) x.values.push_back(2000. * i + 1000);
  for (int j = 0; j < ny; ++j) y.values.push_back(2000. * j + 1000);
  return {x, y, z};
}

FieldInfo const concentration{
    "siconc", "sea_ice_area_fraction", "sea-ice concentration", "1", {"y", "x"}, {ny, nx}, ""};
FieldInfo const modes{"siconc_dg", "", "coefficients of concentration", "1", {"y", "x", "mode"},
                      {ny, nx, 3}, ""};
FieldInfo const area{"cell_area", "cell_area", "area of the cell", "m2", {"y", "x"}, {ny, nx}, ""};

OutputFile create(std::filesystem::path const& path,
                  std::vector<FieldInfo> const& fields = {concentration, modes}) {
  auto provenance = build_provenance();
  provenance.policy = "fp32";
  provenance.case_hash = hex(0xabc);
  return OutputFile{path,   "A test",   coordinates(),    fields,
                    {area}, provenance, "core = \"x\"\n", {{"attribution", "nobody"}}};
}

std::vector<double> noise(std::int64_t size, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<double> values;
  while (static_cast<std::int64_t>(values.size()) < size) {
    auto const value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

void write_record(OutputFile& file, int record) {
  file.begin_time(3600. * record);
  file.write("siconc", noise(concentration.size(), record));
  file.write("siconc_dg", noise(modes.size(), 100 + record));
  file.finish_time();
}

TEST(OutputFile, ReadsBackBitForBitWithItsDescription) {
  TemporaryFolder const folder;
  auto file = create(folder / "a.nc");
  file.write_static("cell_area", std::vector<double>(ny * nx, 4e6));
  for (int record = 0; record < 3; ++record) write_record(file, record);
  file.close();

  InputFile const input{folder / "a.nc"};
  EXPECT_EQ(input.variables(), (std::vector<std::string>{"cell_area", "siconc", "siconc_dg"}));
  EXPECT_EQ(input.times("siconc"), (std::vector<double>{0, 3600, 7200}));
  EXPECT_EQ(input.first_time("siconc"), 946684800);  // Unix time of 2000-01-01, date -u +%s
  EXPECT_TRUE(input.times("cell_area").empty());
  for (int record = 0; record < 3; ++record) {
    EXPECT_EQ(input.read("siconc", record).values, noise(concentration.size(), record));
    EXPECT_EQ(input.read("siconc_dg", record - 3).values, noise(modes.size(), 100 + record));
  }
  auto const info = input.read("siconc").info;
  EXPECT_EQ(info.shape, concentration.shape);
  EXPECT_EQ(info.dimensions, concentration.dimensions);
  EXPECT_EQ(info.standard_name, concentration.standard_name);
  EXPECT_EQ(info.units, "1");
  EXPECT_EQ(input.weights("siconc"), std::vector<double>(ny * nx, 4e6));
  EXPECT_EQ(input.weights("siconc_dg"), std::vector<double>(ny * nx * 3, 4e6));  // one for all modes
  EXPECT_EQ(input.spacing("siconc"), 2000);
  EXPECT_EQ(input.attribute("Conventions"), "CF-1.11");
  EXPECT_EQ(input.attribute("ulpine_case"), "core = \"x\"\n");
  EXPECT_EQ(input.attribute("ulpine_policy"), "fp32");
  EXPECT_EQ(input.attribute("ulpine_case_hash"), "0000000000000abc");
  EXPECT_EQ(input.attribute("attribution"), "nobody");
  EXPECT_EQ(input.attribute("none"), "");
  EXPECT_THROW(input.read("siconc", 3), InputError);
  EXPECT_THROW(input.read("siconc", -4), InputError);
  EXPECT_NE(message_of<InputError>([&] { input.read("sicon"); }).find("(did you mean 'siconc'?)"),
            std::string::npos);
}

TEST(OutputFile, IsCfAndTheCheckSeesPlantedFaults) {
  TemporaryFolder const folder;
  {
    auto file = create(folder / "a.nc");
    for (int record = 0; record < 2; ++record) write_record(file, record);
  }
  EXPECT_EQ(test::cf_problems(folder / "a.nc"), std::vector<std::string>{});

  auto bad = concentration;
  bad.standard_name = "sea_ice_konzentration";
  auto unitless = modes;
  unitless.units = "";
  unitless.coordinates = "lon";
  { create(folder / "b.nc", {bad, unitless}); }
  EXPECT_EQ(
      test::cf_problems(folder / "b.nc"),
      (std::vector<std::string>{"siconc: not a standard name: sea_ice_konzentration", "siconc_dg: no units",
                                "siconc_dg: coordinates names no variable: lon"}));
}

TEST(OutputFile, MissingFieldsAreMissingAndTheSameTimeReplaces) {
  TemporaryFolder const folder;
  auto file = create(folder / "a.nc");
  file.begin_time(0);
  file.write("siconc", noise(concentration.size(), 1));
  file.finish_time();
  write_record(file, 1);
  file.begin_time(3600);
  file.write("siconc", noise(concentration.size(), 9));
  file.finish_time();
  EXPECT_THROW(file.begin_time(3599), std::invalid_argument);
  EXPECT_THROW(file.begin_time(NAN), std::invalid_argument);
  EXPECT_THROW(file.write("none", std::vector<double>(3)), std::invalid_argument);
  EXPECT_THROW(file.write_static("siconc", std::vector<double>(ny * nx)), std::invalid_argument);
  file.close();
  InputFile const input{folder / "a.nc"};
  EXPECT_EQ(input.times("siconc"), (std::vector<double>{0, 3600}));
  EXPECT_EQ(input.read("siconc", 1).values, noise(concentration.size(), 9));
  for (auto const value : input.read("siconc_dg", 0).values) EXPECT_TRUE(std::isnan(value));
}

TEST(OutputFile, BadPathsAndDatesAreRefusedByName) {
  TemporaryFolder const folder;
  auto const path = folder / "none/a.nc";
  EXPECT_EQ(message_of<EnvironmentError>([&] { create(path); }).find(path.string() + ": cannot be written ("),
            0u);
  EXPECT_THROW(create(folder / ""), EnvironmentError);
  EXPECT_THROW((OutputFile{folder / "b.nc", "t", {}, {}, {}, {}, "", {}, "yesterday"}), InputError);
}

/// Runs `action` in a child process and returns its wait status; `after` runs here while the child lives.
template <class Action, class After>
int in_child(Action action, After after) {
  auto const child = fork();
  if (child == 0) {
    int code = 99;
    try {
      code = action();
    } catch (...) {
    }
    std::exit(code);  // with the libraries' own exit handlers
  }
  after(child);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(OutputFile, AFileOfAKilledProcessHasItsWholeRecords) {
  TemporaryFolder const folder;
  auto const path = folder / "a.nc";
  for (int records = 0; records < 4; ++records) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    auto const status = in_child(
        [&] {
          auto file = create(path);
          for (int record = 0; record < records; ++record) write_record(file, record);
          file.begin_time(1e6);
          file.write("siconc", noise(concentration.size(), 3));
          if (write(ready[1], "x", 1) != 1) return 1;
          pause();
          return 0;
        },
        [&](pid_t child) {
          char byte = 0;
          ASSERT_EQ(read(ready[0], &byte, 1), 1);
          kill(child, SIGKILL);
        });
    close(ready[0]);
    close(ready[1]);
    ASSERT_TRUE(WIFSIGNALED(status));
    InputFile const input{path};
    ASSERT_EQ(input.times("siconc").size(), static_cast<std::size_t>(records));
    for (int record = 0; record < records; ++record) {
      EXPECT_EQ(input.read("siconc", record).values, noise(concentration.size(), record));
    }
  }
}

/// Writes records until an EnvironmentError names the file and `reason`: 0, or another number for what went
/// wrong.
int write_until_full(std::filesystem::path const& path, std::string const& reason) {
  try {
    auto file = create(path);
    for (int record = 0; record < 2000; ++record) write_record(file, record);
    return 1;
  } catch (EnvironmentError const& error) {
    return std::string{error.what()}.find(path.string() + ": cannot be written (" + reason) == 0 ? 0 : 2;
  }
}

void expect_whole_records(std::filesystem::path const& path) {
  InputFile const input{path};
  auto const records = static_cast<int>(input.times("siconc").size());
  EXPECT_GT(records, 10);
  EXPECT_LT(records, 2000);
  for (int record = 0; record < records; ++record) {
    EXPECT_EQ(input.read("siconc", record).values, noise(concentration.size(), record));
    EXPECT_EQ(input.read("siconc_dg", record).values, noise(modes.size(), 100 + record));
  }
}

TEST(OutputFile, AFullQuotaIsAnEnvironmentErrorAndLeavesTheRecords) {
  TemporaryFolder const folder;
  auto const path = folder / "full.nc";
  auto const status = in_child(
      [&] {
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit const limit{300000, 300000};
        setrlimit(RLIMIT_FSIZE, &limit);
        return write_until_full(path, "File too large");
      },
      [](pid_t) {});
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  expect_whole_records(path);
}

TEST(OutputFile, AFullDiskIsAnEnvironmentErrorAndLeavesTheRecords) {
  TemporaryFolder const folder;
  std::filesystem::create_directory(folder / "disk");
  if (mount("tmpfs", (folder / "disk").c_str(), "tmpfs", 0, "size=320k") != 0) {
    GTEST_SKIP() << "no right to mount a small file system";
  }
  EXPECT_EQ(write_until_full(folder / "disk/full.nc", "No space left on device"), 0);
  expect_whole_records(folder / "disk/full.nc");
  // Full before the start.
  test::write_file(folder / "disk/filler", std::string(400000, 'x'));
  EXPECT_EQ(write_until_full(folder / "disk/none.nc", "No space left on device"), 0);
  EXPECT_EQ(umount((folder / "disk").c_str()), 0);
}

TEST(OutputFile, FilesOfManyThreadsDoNotDisturbEachOther) {
  TemporaryFolder const folder;
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      auto const path = folder / (std::to_string(t) + ".nc");
      auto file = create(path);
      for (int record = 0; record < 20; ++record) write_record(file, record);
      file.close();
      InputFile const input{path};
      for (int record = 0; record < 20; ++record) {
        good += input.read("siconc", record).values == noise(concentration.size(), record);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 6 * 20);
}

TEST(OutputFile, XarrayDecodesItsTimesAndAttributes) {
  if (!std::filesystem::exists("/usr/bin/python3") ||
      std::system("/usr/bin/python3 -c 'import xarray, netCDF4' 2>/dev/null") != 0) {
    GTEST_SKIP() << "no /usr/bin/python3 with xarray and netCDF4";
  }
  TemporaryFolder const folder;
  {
    auto file = create(folder / "a.nc");
    for (int record = 0; record < 2; ++record) {
      file.begin_time(5400. * record);
      file.write("siconc", std::vector<double>(ny * nx, 0.5 + record));
      file.finish_time();
    }
  }
  test::write_file(folder / "check.py", R"(
import sys, numpy, xarray
d = xarray.open_dataset(sys.argv[1])
assert d.time.values[1] == numpy.datetime64("2000-01-01T01:30:00"), d.time
assert d.siconc.dims == ("time", "y", "x") and d.siconc.shape == (2, 5, 7), d.siconc
assert (d.siconc.values[1] == 1.5).all()
assert numpy.isnan(d.siconc_dg.values).all()
assert d.siconc.attrs["cell_measures"] == "area: cell_area"
assert d.x.attrs["axis"] == "X" and d.z.attrs["positive"] == "up"
)");
  auto const command =
      "/usr/bin/python3 " + (folder / "check.py").string() + " " + (folder / "a.nc").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

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
  write_foreign(folder / "a.nc", NC_CLOBBER, "months since 1970-01-02");
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
    auto const message = message_of<InputError>([&] { input.read("s", 0); });
    EXPECT_NE(message.find(signal == SIGXCPU ? "reading it does not come to an end"
                                             : "reading it crashes the NetCDF library: "),
              std::string::npos)
        << message;
    EXPECT_THROW(input.read("s", 0), InputError);
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
