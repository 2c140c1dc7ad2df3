// SPDX-License-Identifier: Apache-2.0
// The probe: time of a call where nothing is asked for, hashing on each path of this processor by turns with
// a copy, and savepoints at the begin and end of a long run. Least of several turns in time of this thread's
// processor, which other programs lengthen by less than that of the clock.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "probe/source/hash.hpp"
#include "probe/source/run.hpp"

namespace {

using namespace ulpine::probe;

template <class Work>
double seconds(Work&& work) {
  auto const now = [] {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  auto const begin = now();
  work();
  return now() - begin;
}

template <class T>
void bench_hash(char const* type_name, int type, std::size_t bytes) {
  std::vector<T> values(bytes / sizeof(T)), copy(values.size());
  for (std::size_t n = 0; n < values.size(); ++n)
    values[n] = static_cast<T>(1.0 + 1e-3 * static_cast<double>(n % 977));
  ulpine_array array{};
  array.data = values.data();
  array.type = type;
  array.rank = 1;
  array.extent[0] = static_cast<std::int64_t>(values.size());
  auto const part = part_of("x", 1, array);
  auto const repetitions = std::max<std::size_t>(1, (std::size_t{1} << 26) / bytes);
  char const* const names[] = {"scalar", "avx2", "avx512"};
  double least[4] = {1e9, 1e9, 1e9, 1e9};
  std::uint64_t volatile kept = 0;
  for (int turn = 0; turn < 9; ++turn) {
    for (int path = 0; path < 3; ++path) {
      if (!has(static_cast<HashPath>(path))) continue;
      least[path] = std::min(least[path], seconds([&] {
                               for (std::size_t n = 0; n < repetitions; ++n) {
                                 BlockSums sums(part.whole_count());
                                 add_hashes(part, sums, false, static_cast<HashPath>(path));
                                 std::vector<std::uint64_t> blocks(static_cast<std::size_t>(sums.blocks()));
                                 sums.add_to(blocks);
                                 kept = kept + blocks[0];
                               }
                             }));
    }
    least[3] = std::min(least[3], seconds([&] {
                          for (std::size_t n = 0; n < repetitions; ++n) {
                            std::memcpy(copy.data(), values.data(), bytes);
                            kept = kept + static_cast<std::uint64_t>(copy[n % copy.size()]);
                          }
                        }));
  }
  auto const speed = [&](double time) { return 1e-9 * static_cast<double>(bytes * repetitions) / time; };
  std::printf("%-8s %9zu kB: copy %6.1f GB/s (read)", type_name, bytes / 1024, speed(least[3]));
  for (int path = 0; path < 3; ++path) {
    if (has(static_cast<HashPath>(path))) std::printf(", %s %5.1f GB/s", names[path], speed(least[path]));
  }
  std::printf("\n");
}

/// Time of a savepoint of 1 kB in each tenth of a run.
void bench_savepoints() {
  auto const path = std::filesystem::temp_directory_path() / "ulpine-bench-probe.bin";
  Settings settings;
  settings.trace = path.string();
  std::vector<double> const values(128, 1.5);
  ulpine_array array{};
  array.data = const_cast<double*>(values.data());
  array.type = ULPINE_F64;
  array.rank = 1;
  array.extent[0] = 128;
  {
    Run run(settings, {}, [](std::string const&) {});
    constexpr int all = 10000;
    std::printf("savepoints of 1 kB, microseconds each:");
    for (int tenth = 0; tenth < 10; ++tenth) {
      auto const time = seconds([&] {
        for (int n = 1; n <= all / 10; ++n) {
          run.step(tenth * all / 10 + n);
          run.stage("stage");
          run.field("field", part_of("field", 5, array), false);
        }
      });
      std::printf(" %.2f", 1e6 * time / (all / 10));
    }
    run.close();
  }
  std::printf("; trace of %ju bytes\n", static_cast<std::uintmax_t>(std::filesystem::file_size(path)));
  std::filesystem::remove(path);
}

void bench_off() {
  double value = 1;
  ulpine_array array{};
  array.data = &value;
  array.type = ULPINE_F64;
  constexpr int calls = 10'000'000;
  double field = 1e9, stage = 1e9;
  for (int turn = 0; turn < 5; ++turn) {
    field = std::min(field, seconds([&] {
                       for (int n = 0; n < calls; ++n) ulpine_field("field", &array);
                     }));
    stage = std::min(stage, seconds([&] {
                       for (int n = 0; n < calls; ++n) ulpine_stage("stage");
                     }));
  }
  std::printf("off: a field %.2f ns, a stage %.2f ns\n", 1e9 * field / calls, 1e9 * stage / calls);
}

}  // namespace

int main() {
  bench_off();
  for (auto const kilobytes : {std::size_t{64}, std::size_t{2560}, std::size_t{65536}}) {
    bench_hash<double>("float64", ULPINE_F64, kilobytes * 1024);
    bench_hash<float>("float32", ULPINE_F32, kilobytes * 1024);
    bench_hash<std::int64_t>("int64", ULPINE_I64, kilobytes * 1024);
  }
  bench_savepoints();
}
