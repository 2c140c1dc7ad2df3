// SPDX-License-Identifier: Apache-2.0
#include "io/hash_log.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <random>

#include "io/error.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;
using test::read_file;
using test::refusal_of;
using test::TemporaryFolder;
using test::write_file;

/// `count` hashes from step 7 on.
HashLog log_of(std::size_t count) {
  HashLog log{{{"policy", "fp64"}, {"flags", ""}}, 7, {}};
  std::mt19937_64 random{count};
  for (std::size_t i = 0; i < count; ++i) log.hashes.push_back(random());
  return log;
}

void write(std::filesystem::path const& path, HashLog const& log, bool close = true) {
  HashLogWriter writer{path, {log.attributes, log.first, {}}};
  for (auto const hash : log.hashes) writer.append(hash);
  if (close) writer.close();
}

void expect_same(HashLog const& got, HashLog const& want) {
  EXPECT_EQ(got.attributes, want.attributes);
  EXPECT_EQ(got.first, want.first);
  EXPECT_EQ(got.hashes, want.hashes);
}

TEST(HashLog, ReadsBackWhatWasWritten) {
  TemporaryFolder const folder;
  for (std::size_t const count : {0, 1, 511, 512, 513, 1024, 3000}) {
    auto const log = log_of(count);
    write(folder / "hashes.bin", log);
    auto const read = read_hash_log(folder / "hashes.bin");
    expect_same(read, log);
    EXPECT_TRUE(read.whole);
    EXPECT_EQ(read.last(), 6 + static_cast<std::int64_t>(count));
  }
}

TEST(HashLog, FindsHashesByTheirStep) {
  auto const log = log_of(3);
  EXPECT_FALSE(log.has(6));
  EXPECT_TRUE(log.has(7) && log.has(9));
  EXPECT_FALSE(log.has(10));
  EXPECT_EQ(log.at(7), log.hashes[0]);
  EXPECT_EQ(log.at(9), log.hashes[2]);
  EXPECT_EQ(log.attribute("policy"), "fp64");
  EXPECT_EQ(log.attribute("absent"), "");
}

TEST(HashLog, GoesOnFromHashesThatItIsGiven) {
  TemporaryFolder const folder;
  auto const log = log_of(600);
  auto start = log;
  start.hashes.resize(550);
  HashLogWriter writer{folder / "hashes.bin", start};
  for (std::size_t i = 550; i < 600; ++i) writer.append(log.hashes[i]);
  writer.close();
  expect_same(read_hash_log(folder / "hashes.bin"), log);
}

TEST(HashLog, CostsEightBytesAStep) {
  TemporaryFolder const folder;
  write(folder / "a", log_of(512));
  write(folder / "b", log_of(512 + 51200));
  // And 12 a group of 512.
  EXPECT_EQ(std::filesystem::file_size(folder / "b") - std::filesystem::file_size(folder / "a"),
            51200u * 8 + 100 * 12);
}

TEST(HashLog, OfARunThatWasKilledKeepsWhatWasFlushed) {
  TemporaryFolder const folder;
  auto const log = log_of(600);
  HashLogWriter writer{folder / "hashes.bin", log_of(0)};
  for (auto const hash : log.hashes) writer.append(hash);
  auto read = read_hash_log(folder / "hashes.bin");
  EXPECT_FALSE(read.whole);
  EXPECT_EQ(read.hashes.size(), 512u);
  writer.flush();
  read = read_hash_log(folder / "hashes.bin");
  EXPECT_FALSE(read.whole);
  EXPECT_EQ(read.hashes, log.hashes);
}

// Wherever it is cut, what is left is refused, or unfinished and so far right.
TEST(HashLog, CutAnywhereIsNeverWholeAndNeverWrong) {
  TemporaryFolder const folder;
  auto const log = log_of(700);
  write(folder / "whole", log);
  auto const bytes = read_file(folder / "whole");
  std::mt19937 random{1};
  for (int trial = 0; trial < 300; ++trial) {
    write_file(folder / "cut", bytes.substr(0, random() % bytes.size()));
    try {
      auto const read = read_hash_log(folder / "cut");
      EXPECT_FALSE(read.whole);
      ASSERT_LE(read.hashes.size(), log.hashes.size());
      EXPECT_TRUE(std::equal(read.hashes.begin(), read.hashes.end(), log.hashes.begin()));
    } catch (InputError const& error) {
      EXPECT_NE(std::string(error.what()).find((folder / "cut").string()), std::string::npos);
    }
  }
}

TEST(HashLog, AlteredIsRefusedOrUnfinishedAndNeverWrong) {
  TemporaryFolder const folder;
  auto const log = log_of(700);
  write(folder / "whole", log);
  auto const bytes = read_file(folder / "whole");
  for (std::size_t at = 0; at < bytes.size(); at += at < 200 ? 1 : 29) {
    auto altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ (1 << at % 8));
    write_file(folder / "altered", altered);
    try {
      auto const read = read_hash_log(folder / "altered");
      EXPECT_FALSE(read.whole) << "byte " << at;
      EXPECT_TRUE(std::equal(read.hashes.begin(), read.hashes.end(), log.hashes.begin())) << "byte " << at;
    } catch (InputError const&) {  // as it should be
    }
  }
  write_file(folder / "longer", bytes + "x");
  EXPECT_NE(
      refusal_of<InputError>(folder / "longer", [&] { read_hash_log(folder / "longer"); }).find("damaged"),
      std::string::npos);
}

TEST(HashLog, RefusesWhatIsNone) {
  TemporaryFolder const folder;
  auto const refused = [&](char const* name) {
    auto const path = folder / name;
    return refusal_of<InputError>(path, [&] { read_hash_log(path); });
  };
  EXPECT_NE(refused("absent").find("--checkpoints"), std::string::npos);
  folder.write("text", "no log");
  EXPECT_NE(refused("text").find("not a log"), std::string::npos);
  folder.write("empty", "");
  EXPECT_NE(refused("empty").find("not a log"), std::string::npos);
  write(folder / "other", log_of(1));
  auto bytes = read_file(folder / "other");
  bytes[8] = 2;
  folder.write("other", bytes);
  EXPECT_NE(refused("other").find("version 2"), std::string::npos);
}

TEST(HashLog, TellsAFullDisk) {
  TemporaryFolder const folder;
  std::signal(SIGXFSZ, SIG_IGN);
  HashLogWriter writer{folder / "hashes.bin", log_of(0)};
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit const small{600, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  auto const message = message_of<EnvironmentError>([&] {
    for (auto const hash : log_of(600).hashes) writer.append(hash);
  });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(message.find("cannot be written"), std::string::npos) << message;
}

}  // namespace
}  // namespace ulpine::io
