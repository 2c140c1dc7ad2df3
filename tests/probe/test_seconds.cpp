// SPDX-License-Identifier: Apache-2.0
#include "probe/source/seconds.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <string>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::probe {
namespace {

using ulpine::test::message_of;
using ulpine::test::read_file;
using ulpine::test::TemporaryFolder;

/// A clock that the test moves, in nanoseconds.
std::int64_t now = 0;
std::int64_t clock_of_test() { return now; }
constexpr std::int64_t second = 1000000000;

void model(double seconds) { now += static_cast<std::int64_t>(seconds * static_cast<double>(second)); }

/// A call of the probe that takes `seconds` itself after its mark.
template <class F>
void call(Seconds& seconds, double own, F const& mark) {
  Seconds::Call const within{&seconds};
  mark();
  model(own);
}

TEST(ProbeSeconds, AreThoseOfStagesWithoutTheProbes) {
  now = 5 * second;
  Seconds seconds{clock_of_test};
  model(4);  // before the first step
  call(seconds, 0.5, [&] { seconds.rest(); });
  for (int step = 0; step < 2; ++step) {
    model(1 + step);
    call(seconds, 0.25, [&] { seconds.stage("dynamics"); });
    call(seconds, 8, [] {});  // a field
    model(0.5);
    call(seconds, 8, [] {});
    model(0.125);
    call(seconds, 0.25, [&] { seconds.stage("a, \"b\""); });
    call(seconds, 0.25, [&] { seconds.rest(); });
  }
  // 4 + 3 + 1.25 seconds of the model, 0.5 + 2 (0.25 + 8 + 8 + 0.25 + 0.25) of the probe.
  EXPECT_EQ(seconds.table(),
            "stage,calls,seconds,least,most,share\n"
            "dynamics,2,3.000000000,1.000000000,2.000000000,0.0710\n"
            "\"a, \"\"b\"\"\",2,1.250000000,0.625000000,0.625000000,0.0296\n"
            "(no stage),3,4.000000000,0.000000000,4.000000000,0.0947\n"
            "(probe),11,34.000000000,0.250000000,8.000000000,0.8047\n");
}

TEST(ProbeSeconds, CountCallsOfThreadsAtOnceOnce) {
  now = 0;
  Seconds seconds{clock_of_test};
  model(1);
  {
    Seconds::Call const one{&seconds};
    model(2);
    Seconds::Call const other{&seconds};
    model(2);
  }
  model(1);
  call(seconds, 0, [&] { seconds.stage("s"); });
  EXPECT_NE(seconds.table().find("\ns,1,2.000000000,"), std::string::npos) << seconds.table();
  Seconds::Call const none{nullptr};
}

TEST(ProbeSeconds, AreWrittenWithAPointWhereverTheModelIsAtHome) {
  TemporaryFolder const folder;
  auto const path = (folder / "seconds.csv").string();
  now = 0;
  Seconds seconds{clock_of_test};
  model(1.5);
  call(seconds, 0, [&] { seconds.stage("s"); });
  seconds.write(path);
  EXPECT_EQ(read_file(path), seconds.table());
  seconds.write(path);
  EXPECT_EQ(read_file(path), seconds.table()) << "over that of an earlier run";
  auto const notes = folder.write("notes.csv", "my notes").string();
  EXPECT_EQ(message_of<EnvironmentError>([&] { seconds.write(notes); }),
            notes +
                ": seconds cannot be written (another file is there, which stays as it is) check the folder, "
                "its permissions and the free space");
  EXPECT_EQ(read_file(notes), "my notes");
  EXPECT_EQ(message_of<EnvironmentError>([&] {
              seconds.write("/nowhere/s.csv");
            }).find("/nowhere/s.csv: seconds cannot be written (No such file"),
            0u);
}

TEST(ProbeSeconds, ComeFromAClockThatNeverGoesBack) {
  Seconds seconds;
  {
    Seconds::Call const within{&seconds};
    seconds.stage("s");
  }
  EXPECT_EQ(seconds.table().find("-"), std::string::npos) << seconds.table();
  EXPECT_NE(seconds.table().find("\ns,1,0."), std::string::npos) << seconds.table();
}

}  // namespace
}  // namespace ulpine::probe
