// SPDX-License-Identifier: Apache-2.0
#include "io/output_process.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "io/error.hpp"
#include "io/outputs.hpp"
#include "io/seal.hpp"
#include "support/few_files.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;
using test::TemporaryFolder;

std::vector<FieldInfo> const fields = {concentration, modes};

OutputProcess start(std::filesystem::path const& path) {
  return OutputProcess::start(
             path,
             [&] {
               auto file = create(path);
               file.write_static("cell_area", slabs_of(std::vector<double>(ny * nx, 4e6)));
               return file;
             },
             fields)
      .value();
}

std::vector<std::byte> bytes_of_values(std::vector<double> const& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(double));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void write(OutputProcess& output, int record) {
  output.write_time(3600. * record, {bytes_of_values(noise(concentration.size(), record)),
                                     bytes_of_values(noise(modes.size(), 100 + record))});
}

TEST(OutputProcess, WritesWhatTheFileWritesHere) {
  TemporaryFolder const folder;
  auto there = start(folder / "there.nc");
  auto here = create(folder / "here.nc");
  here.write_static("cell_area", slabs_of(std::vector<double>(ny * nx, 4e6)));
  for (int record = 0; record < 3; ++record) {
    write(there, record);
    write_record(here, record);
  }
  there.close();
  here.close();
  InputFile const a{folder / "here.nc"}, b{folder / "there.nc"};
  EXPECT_EQ(b.times("siconc"), (std::vector<double>{0, 3600, 7200}));
  EXPECT_EQ(b.attribute("ulpine_case"), a.attribute("ulpine_case"));
  EXPECT_EQ(b.read("cell_area").values, a.read("cell_area").values);
  for (int record = 0; record < 3; ++record) {
    EXPECT_EQ(b.read("siconc", record).values, a.read("siconc", record).values);
    EXPECT_EQ(b.read("siconc_dg", record).values, a.read("siconc_dg", record).values);
  }
  EXPECT_EQ(content_of(folder / "there.nc").bytes, content_of(folder / "here.nc").bytes);
}

TEST(OutputProcess, FieldsOfSeveralSlabsArriveWhole) {
  TemporaryFolder const folder;
  auto const path = folder / "wide.nc";
  FieldInfo const wide{"wide", "", "a wide field", "1", {"b", "a"}, {4500, 1100}, ""};
  std::vector<double> values(4500 * 1100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  auto output = OutputProcess::start(path, [&] { return create(path, {wide}); }, {wide});
  output->write_time(0, {bytes_of_values(values)});
  output->close();
  EXPECT_EQ(InputFile(path).read("wide").values, values);
}

TEST(OutputProcess, SeveralWriteAtTheSameTime) {
  TemporaryFolder const folder;
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      auto const path = folder / (std::to_string(t) + ".nc");
      auto output = start(path);
      for (int record = 0; record < 20; ++record) write(output, record);
      output.close();
      InputFile const input{path};
      for (int record = 0; record < 20; ++record) {
        good += input.read("siconc", record).values == noise(concentration.size(), record);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 4 * 20);
}

TEST(OutputProcess, WithoutCloseTheFileIsReadableAndHasNoSeal) {
  TemporaryFolder const folder;
  {
    auto output = start(folder / "open.nc");
    for (int record = 0; record < 5; ++record) write(output, record);
  }
  EXPECT_EQ(InputFile(folder / "open.nc").times("siconc").size(), 5u);
  EXPECT_EQ(seal_of(folder / "open.nc"), Seal::absent);
}

TEST(OutputProcess, WhatTheFileThrowsIsThrownHere) {
  TemporaryFolder const folder;
  EXPECT_EQ(message_of<EnvironmentError>([&] { start(folder / "none/a.nc"); }),
            message_of<EnvironmentError>([&] { create(folder / "none/a.nc"); }));
  EXPECT_EQ(message_of<std::runtime_error>([&] {
              OutputProcess::start(
                  "a.nc", []() -> OutputFile { throw std::runtime_error("planted"); }, fields);
            }),
            "planted");

  // A full quota, which children inherit.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto const limit = rlimit{300000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  auto output = start(folder / "full.nc");
  setrlimit(RLIMIT_FSIZE, &before);
  auto const problem = message_of<EnvironmentError>([&] {
    for (int record = 0; record < 1000; ++record) write(output, record);
    output.close();
  });
  EXPECT_NE(problem.find("full.nc"), std::string::npos) << problem;
  EXPECT_NE(problem.find("File too large"), std::string::npos) << problem;
}

TEST(OutputProcess, IsNotWhereNoneCanBeStarted) {
  TemporaryFolder const folder;
  test::FewFiles const few(1);  // a socket has two ends
  EXPECT_FALSE(OutputProcess::start(
      folder / "a.nc", [&] { return create(folder / "a.nc"); }, fields));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.nc"));
}

TEST(OutputProcess, ItsEndIsAnError) {
  TemporaryFolder const folder;
  auto const path = folder / "a.nc";
  EXPECT_NE(message_of<EnvironmentError>([&] {
              OutputProcess::start(
                  path, []() -> OutputFile { std::_Exit(0); }, fields);
            }).find("a.nc: cannot be written"),
            std::string::npos);
}

}  // namespace
}  // namespace ulpine::io
