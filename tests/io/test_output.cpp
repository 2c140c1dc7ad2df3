// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "io/error.hpp"
#include "io/file_lock.hpp"
#include "io/netcdf.hpp"
#include "io/outputs.hpp"
#include "io/seal.hpp"
#include "io/temporary.hpp"
#include "support/cf_check.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;
using test::TemporaryFolder;

TEST(OutputFile, ReadsBackBitForBitWithItsDescription) {
  TemporaryFolder const folder;
  auto file = create(folder / "a.nc");
  file.write_static("cell_area", slabs_of(std::vector<double>(ny * nx, 4e6)));
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
  file.write("siconc", slabs_of(noise(concentration.size(), 1)));
  file.finish_time();
  write_record(file, 1);
  file.begin_time(3600);
  file.write("siconc", slabs_of(noise(concentration.size(), 9)));
  file.finish_time();
  EXPECT_THROW(file.begin_time(3599), std::invalid_argument);
  EXPECT_THROW(file.begin_time(NAN), std::invalid_argument);
  EXPECT_THROW(file.write("none", slabs_of(std::vector<double>(3))), std::invalid_argument);
  EXPECT_THROW(file.write_static("siconc", slabs_of(std::vector<double>(ny * nx))), std::invalid_argument);
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

// HDF5 would empty the file before it finds the lock taken.
TEST(OutputFile, IsRefusedWhereAnotherHasTheFileOpenAndLeavesIt) {
  TemporaryFolder const folder;
  auto const path = folder.write("a.nc", "as it was");
  for (auto const how : {LOCK_SH, LOCK_EX}) {
    auto const other = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(::flock(other, how), 0);
    auto const refusal = message_of<EnvironmentError>([&] { create(path); });
    EXPECT_TRUE(refusal.starts_with(path.string() +
                                    ": cannot be written (another program has it open and holds "
                                    "HDF5's lock on it) close it there"))
        << refusal;
    EXPECT_EQ(test::read_file(path), "as it was");
    EXPECT_EQ(lock_problem(path, LockFor::reading).empty(), how == LOCK_SH) << "readers share it";
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    EXPECT_EQ(lock_problem(path, LockFor::writing), "");
    unsetenv("HDF5_USE_FILE_LOCKING");
    ::close(other);
  }
  EXPECT_EQ(lock_problem(path, LockFor::writing), "") << "it is free again";
  EXPECT_EQ(lock_problem(folder / "absent.nc", LockFor::writing), "");
}

TEST(OutputFile, ChangesItsNameWhileItIsWritten) {
  TemporaryFolder const folder;
  auto const begun = temporary_name(folder / "a.nc");
  auto file = create(begun);
  write_record(file, 0);
  std::filesystem::rename(begun, folder / "a.nc");
  file.moved_to(folder / "a.nc");
  write_record(file, 1);
  file.close();
  EXPECT_EQ(InputFile(folder / "a.nc").times("siconc"), (std::vector<double>{0, 3600}));
  EXPECT_EQ(seal_of(folder / "a.nc"), Seal::whole);
  EXPECT_EQ(final_name(begun), folder / "a.nc");
  EXPECT_EQ(final_name("a.part"), "a.part");
  EXPECT_EQ(final_name(temporary_name("/a/b") / "c.nc"), "/a/b/c.nc");
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
          file.write("siconc", slabs_of(noise(concentration.size(), 3)));
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
  // A file that could not be written to its end stays open until the process ends.
  auto const fill = [&](char const* name) {
    auto const status = in_child(
        [&] { return write_until_full(folder / "disk" / name, "No space left on device"); }, [](pid_t) {});
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  };
  fill("full.nc");
  expect_whole_records(folder / "disk/full.nc");
  // Full before the start.
  test::write_file(folder / "disk/filler", std::string(400000, 'x'));
  fill("none.nc");
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
      file.write("siconc", slabs_of(std::vector<double>(ny * nx, 0.5 + record)));
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
assert d.x.attrs["standard_name"] == "projection_x_coordinate" and d.z.attrs["positive"] == "up"
)");
  auto const command =
      "/usr/bin/python3 " + (folder / "check.py").string() + " " + (folder / "a.nc").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace ulpine::io
