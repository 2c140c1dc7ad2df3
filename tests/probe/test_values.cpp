// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "io/error.hpp"
#include "probe/source/fields_file.hpp"
#include "probe/source/rank_name.hpp"
#include "probe/source/whole_fields.hpp"
#include "probe/told_array.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::probe {
namespace {

using test::array_of;
using test::at_step;
using test::Where;
using ulpine::test::message_of;
using ulpine::test::read_file;
using ulpine::test::TemporaryFolder;
using ulpine::test::write_file;

Settings recording(std::filesystem::path const& file, std::string const& what = "*", Steps steps = {}) {
  Settings settings;
  settings.fields = file.string();
  settings.record.push_back({What{{Pattern{what}}}, steps});
  return settings;
}

std::vector<double> counted(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.5);
  return values;
}

template <class T>
std::vector<T> as(std::vector<std::byte> const& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<double> whole_of(std::filesystem::path const& file, Where const& where) {
  WholeFields fields{file.string()};
  auto const found = fields.find(where.place());
  return found == nullptr ? std::vector<double>{} : as<double>(found->values);
}

TEST(RecordedValues, ComeBackWithTheirPlaceTypeAndShape) {
  TemporaryFolder const folder;
  auto const file = folder / "fields.bin";
  auto values = counted(24);
  std::vector<std::int16_t> small = {-3, 2};
  float scalar = 2.5f;
  {
    FieldsWriter writer{recording(file), 0, 1, {{"ranks", "1"}}};
    auto array = array_of(values, {2, 3, 4});
    Where const nested{{{"step", 3}, {"sub", -2}, {"call", 2}}, "dynamics", "t"};
    writer.add(nested.place(), test::part_of(array), 900, "K");
    auto of_integers = array_of(small, {2});
    of_integers.flags = ULPINE_FASTEST_FIRST;
    writer.add(at_step(4).place(), test::part_of(of_integers), std::numeric_limits<double>::quiet_NaN(), "");
    ulpine_array alone{};
    alone.data = &scalar;
    alone.type = ULPINE_F32;
    writer.add(at_step(5).place(), test::part_of(alone), 0, "");
    auto complex = array_of(values, {3});
    complex.type = ULPINE_C64;
    writer.add(at_step(6).place(), test::part_of(complex), 0, "");
    writer.close();
  }
  FieldsFile const read{file.string()};
  EXPECT_TRUE(read.whole());
  EXPECT_EQ(read.attributes(), (io::TraceAttributes{{"ranks", "1"}}));
  ASSERT_EQ(read.parts().size(), 4u);
  auto const& first = read.parts()[0];
  EXPECT_EQ(first.position, (std::vector<io::LoopIndex>{{"step", 3}, {"sub", -2}, {"call", 2}}));
  EXPECT_EQ(first.stage + " " + first.field + " " + first.unit + " " + first.type, "dynamics t K float64");
  EXPECT_EQ(first.seconds, 900);
  ASSERT_EQ(first.axes.size(), 3u);
  EXPECT_EQ(first.axes[1].whole, 3);
  EXPECT_FALSE(first.fastest_first);
  EXPECT_EQ(as<double>(read.values(first)), values);
  auto const& second = read.parts()[1];
  EXPECT_EQ(second.type, "int16");
  EXPECT_TRUE(second.fastest_first);
  EXPECT_TRUE(std::isnan(second.seconds));
  EXPECT_EQ(as<std::int16_t>(read.values(second)), small);
  EXPECT_EQ(as<float>(read.values(read.parts()[2])), std::vector<float>{2.5f});
  EXPECT_TRUE(read.parts()[2].axes.empty());
  EXPECT_EQ(read.parts()[3].type, "complex64");
  EXPECT_EQ(as<double>(read.values(read.parts()[3])), counted(6));
}

/// Whatever the strides and pieces, the whole field is that of the plain array.
TEST(RecordedValues, GoTogetherFromSlicesBlocksAndThreads) {
  TemporaryFolder const folder;
  auto const file = folder / "fields.bin";
  // The domain is 6 by 5; memory is padded, rows upside down and every second value is garbage.
  std::vector<double> memory(6 * 20, -1e300), expected(30);
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < 5; ++i)
      expected[static_cast<std::size_t>(j * 5 + i)] = memory[static_cast<std::size_t>((5 - j) * 20 + 2 * i)] =
          j * 10 + i;
  }
  std::vector<std::int64_t> const rows[2] = {{4, 0}, {1, 5, 3, 2}};
  {
    FieldsWriter writer{recording(file), 0, 1, {}};
    auto const where = at_step(1);
    auto const tell = [&](std::vector<std::int64_t> const& numbers, int first, int columns) {
      // Rows in any order in memory of their own: blocks of a mesh.
      std::vector<double> block(numbers.size() * 5);
      for (std::size_t r = 0; r < numbers.size(); ++r) {
        for (int i = 0; i < 5; ++i)
          block[r * 5 + static_cast<std::size_t>(i)] = expected[static_cast<std::size_t>(numbers[r] * 5 + i)];
      }
      auto array = array_of(block, {static_cast<std::int64_t>(numbers.size()), columns});
      array.data = block.data() + first;
      array.stride[0] = 5 * 8, array.stride[1] = 8;
      array.whole[0] = 6, array.whole[1] = 5;
      array.first[1] = first;
      array.numbers = numbers.data();
      array.numbered = 0;
      writer.add(where.place(), test::part_of(array), 0, "");
    };
    std::thread one{[&] { tell(rows[0], 0, 5); }}, other{[&] { tell(rows[1], 0, 2); }};
    tell(rows[1], 2, 3);
    one.join(), other.join();
    ulpine_array slice{};
    slice.data = memory.data() + 5 * 20;
    slice.type = ULPINE_F64;
    slice.rank = 2;
    slice.extent[0] = 6, slice.extent[1] = 5;
    slice.stride[0] = -20 * 8, slice.stride[1] = 16;
    writer.add(at_step(2).place(), test::part_of(slice), 0, "");
    writer.close();
  }
  EXPECT_EQ(whole_of(file, at_step(1)), expected);
  EXPECT_EQ(whole_of(file, at_step(2)), expected);
  EXPECT_TRUE(whole_of(file, at_step(3)).empty());
}

TEST(RecordedValues, AreThoseThatWereChosen) {
  TemporaryFolder const folder;
  auto values = counted(4);
  auto const part = test::part_of(values, {4});
  auto settings = recording(folder / "fields.bin", "a.*", {2, 3});
  settings.record.push_back({What{{Pattern{"none.*"}}}, {}});
  FieldsWriter writer{settings, 0, 1, {}};
  EXPECT_EQ(writer.unused().size(), 2u);
  for (std::int64_t step = 1; step <= 5; ++step) {
    for (auto const* stage : {"a", "b"}) writer.add(at_step(step, stage).place(), part, 0, "");
  }
  writer.close();
  EXPECT_EQ(writer.unused(),
            (std::vector<std::string>{"[[record]] what = \"none.*\" chose no field that was told"}));
  std::string found;
  FieldsFile const read{(folder / "fields.bin").string()};
  for (auto const& one : read.parts()) found += io::text_of(one.position) + one.stage + ";";
  EXPECT_EQ(found, "step 2a;step 3a;");
}

TEST(RecordedValues, OfRanksGoTogetherAndReplicatedOnesAreThereOnce) {
  TemporaryFolder const folder;
  auto const file = folder / "fields.bin";
  auto values = counted(10);
  for (int rank = 0; rank < 3; ++rank) {
    FieldsWriter writer{recording(file), rank, 3, {{"run", "a"}}};
    auto const first = rank * 3, count = rank == 2 ? 4 : 3;
    auto array = array_of(values, {count});
    array.data = values.data() + first;
    array.first[0] = first, array.whole[0] = 10;
    writer.add(at_step(1).place(), test::part_of(array), 0, "");
    auto same = array_of(values, {2});
    same.flags = ULPINE_REPLICATED;
    writer.add(at_step(1, "stage", "same").place(), test::part_of(same), 0, "");
    writer.close();
  }
  EXPECT_EQ(whole_of(file, at_step(1)), values);
  EXPECT_EQ(whole_of(file, at_step(1, "stage", "same")), counted(2));
  EXPECT_EQ(FieldsFile{file.string()}.parts().size(), 4u);
  // A rank of another run does not go with them.
  { FieldsWriter{recording(file), 1, 3, {{"run", "b"}}}.close(); }
  auto const second = rank_name(file.string(), 1, 3);
  EXPECT_EQ(message_of<InputError>([&] {
              FieldsFile{file.string()};
            }).find(second + ": values of another run than "),
            0u);
}

TEST(RecordedValues, OfAnEarlierRunGoAtOnce) {
  TemporaryFolder const folder;
  auto const file = folder / "fields.bin";
  { FieldsWriter{recording(file), 0, 1, {}}.close(); }
  EXPECT_TRUE(std::filesystem::exists(file));
  FieldsWriter const writer{recording(file), 0, 1, {}};
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(RecordedValues, SayWhereNoneCanBeWritten) {
  auto values = counted(4);
  FieldsWriter writer{recording("/nowhere/fields.bin"), 0, 1, {}};
  auto const message = message_of<EnvironmentError>(
      [&] { writer.add(at_step(1).place(), test::part_of(values, {4}), 0, ""); });
  EXPECT_EQ(message,
            "/nowhere/fields.bin: values cannot be written (No such file or directory) check the folder, its "
            "permissions and the free space");
  // As on a full disk, a file may not grow beyond 64 kB.
  TemporaryFolder const folder;
  auto const file = folder / "fields.bin";
  auto const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto limit = before;
  limit.rlim_cur = 1 << 16;
  setrlimit(RLIMIT_FSIZE, &limit);
  auto many = counted(1 << 18);
  FieldsWriter full{recording(file), 0, 1, {}};
  auto const said = message_of<EnvironmentError>(
      [&] { full.add(at_step(1).place(), test::part_of(many, {1 << 18}), 0, ""); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(said.find(file.string() + ": values cannot be written (File too large)"), 0u) << said;
  FieldsFile const rest{file.string()};
  EXPECT_FALSE(rest.whole());
  EXPECT_TRUE(rest.parts().empty());
}

/// Every byte is covered: what is changed is noticed, and what is cut is told as such.
TEST(RecordedValues, DoNotSurviveDamageUnnoticed) {
  TemporaryFolder const folder;
  auto const file = folder / "fields.bin";
  auto values = counted(3);
  std::vector<std::int64_t> const numbers = {4, 0, 2};
  {
    FieldsWriter writer{recording(file), 0, 1, {{"ranks", "1"}}};
    auto array = array_of(values, {3});
    array.whole[0] = 5;
    array.numbers = numbers.data();
    writer.add(at_step(1).place(), test::part_of(array), 0, "m");
    writer.add(at_step(2).place(), test::part_of(array), 0, "m");
    writer.close();
  }
  auto const whole = read_file(file);
  auto const damaged = folder / "damaged.bin";
  // True where it was noticed; else all that is there is as it was.
  auto const noticed = [&] {
    try {
      FieldsFile const read{damaged.string()};
      for (auto const& part : read.parts()) {
        if (as<double>(read.values(part)) != values || part.unit != "m") ADD_FAILURE();
      }
      return !read.whole();
    } catch (InputError const& error) {
      std::string const message = error.what();
      EXPECT_EQ(message.find(damaged.string() + ": "), 0u) << message;
      EXPECT_EQ(one_line(message), message);
      return true;
    }
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1u << at % 8));
    write_file(damaged, bytes);
    EXPECT_TRUE(noticed()) << at;
    write_file(damaged, whole.substr(0, at));
    EXPECT_TRUE(noticed()) << at;
  }
  // A whole part is left out.
  {
    FieldsFile const read{file.string()};
    auto const end_of = [&read](std::size_t part) {
      return read.parts()[part].offset + 9 + 3 * sizeof(double) + 8;
    };
    write_file(damaged, whole.substr(0, end_of(0)) + whole.substr(end_of(1)));
    EXPECT_TRUE(noticed());
  }
  write_file(damaged, whole + "x");
  EXPECT_TRUE(noticed());
  write_file(damaged, whole);
  EXPECT_FALSE(noticed());
  std::mt19937 random{3};
  for (int i = 0; i < 100; ++i) {
    auto bytes = whole;
    for (auto changes = 1 + random() % 8; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (bytes == whole) continue;
    write_file(damaged, bytes);
    EXPECT_TRUE(noticed()) << i;
  }
}

TEST(RecordedValues, OfARunThatWasStoppedAreReadUpToThere) {
  TemporaryFolder const folder;
  auto const file = folder / "fields.bin";
  auto values = counted(3);
  FieldsWriter writer{recording(file), 0, 1, {}};
  writer.add(at_step(1).place(), test::part_of(values, {3}), 0, "");
  writer.flush();
  writer.add(at_step(2).place(), test::part_of(values, {3}), 0, "");
  FieldsFile const read{file.string()};
  EXPECT_FALSE(read.whole());
  EXPECT_EQ(read.parts().size(), 1u);
  EXPECT_EQ(as<double>(read.values(read.parts()[0])), values);
}

TEST(RecordedValues, AreNotTakenFromOtherFiles) {
  TemporaryFolder const folder;
  auto const say = [&](std::string const& name, std::string const& text) {
    auto const path = folder.write(name, text).string();
    auto const message = message_of<InputError>([&] { FieldsFile{path}; });
    EXPECT_EQ(message.find(path + ": "), 0u) << message;
    return message.substr(path.size() + 2);
  };
  EXPECT_EQ(say("a", "notes").find("no file of values"), 0u);
  EXPECT_EQ(say("b", "").find("no file of values"), 0u);
  EXPECT_EQ(say("c", std::string("ULPFIELD\2\0\0\0", 12)).find("values of another format (version 2, not 1)"),
            0u);
  EXPECT_NE(
      message_of<InputError>([&] { FieldsFile{(folder / "none").string()}; }).find("no such file of values"),
      std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { FieldsFile{folder.path().string()}; }).find("it is a folder"),
            std::string::npos);
}

TEST(RecordedValues, OfPartsThatContradictEachOtherAreRefused) {
  TemporaryFolder const folder;
  auto const file = folder / "fields.bin";
  auto values = counted(6);
  FieldsWriter writer{recording(file), 0, 1, {}};
  auto array = array_of(values, {3});
  array.whole[0] = 6;
  writer.add(at_step(1).place(), test::part_of(array), 0, "");
  array.first[0] = 3;
  array.whole[0] = 7;
  writer.add(at_step(1).place(), test::part_of(array), 0, "");
  writer.close();
  WholeFields fields{file.string()};
  EXPECT_EQ(message_of<InputError>([&] { static_cast<void>(fields.find(at_step(1).place())); }),
            file.string() +
                ": parts of step 1, stage stage, field x do not go together (their types, domains or sizes "
                "differ) record them again");
}

}  // namespace
}  // namespace ulpine::probe
