// SPDX-License-Identifier: Apache-2.0
// loop_14 of ARPS alone on n^3 points, as its GPU paper measures it: on the host with 1, 2 and all threads,
// resident on a GPU (events, a cold L2 cache; `padded`: rows begin at lines of 128 bytes), and out of core
// with 1, 2 and 4 streams, copies included.
//
//   bench_loop14 [--sizes 100,200,...] [--precisions fp32,fp64] [--streams 1,2,4] [--threads N] [--runs 21]
//                [--tiles MIB] [--host-seconds S] [--csv FILE]
//
// Times are medians. Bytes are those of the levels that are read or written, 8 arrays, each once. A line's
// percentage is of the bandwidth that this program measured before: a copy within the GPU's memory for
// resident runs; for those out of core the link's, 100 % where the direction that takes longer is busy all
// the time at the rate that it has alone. All results are compared bit by bit (a sum of mixed bits) with
// those of the host.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "benchmarks/fdm/loop14.hpp"
#include "core/exec/device.hpp"
#include "core/exec/host.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "io/error.hpp"
#include "ulpine_version.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::bench;

struct Options {
  std::vector<std::string> sizes{"100", "200", "300", "400", "500", "600", "700", "800", "900"};
  std::vector<std::string> precisions{"fp32", "fp64"}, streams{"1", "2", "4"};
  int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  int runs = 21;
  double host_seconds = 2;                     ///< for each number of threads, but at least three runs
  std::int64_t tiles = std::int64_t{1} << 30;  ///< bytes of the GPU for all tiles
  std::string csv;
};

std::vector<std::string> words_of(std::string const& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int n = 1; n + 1 < argc; n += 2) {
    std::string_view const name = argv[n];
    std::string const value = argv[n + 1];
    if (name == "--sizes") {
      options.sizes = words_of(value);
    } else if (name == "--precisions") {
      options.precisions = words_of(value);
    } else if (name == "--streams") {
      options.streams = words_of(value);
    } else if (name == "--threads") {
      options.threads = std::atoi(value.c_str());
    } else if (name == "--runs") {
      options.runs = std::atoi(value.c_str());
    } else if (name == "--tiles") {
      options.tiles = std::int64_t{std::atoi(value.c_str())} << 20;
    } else if (name == "--host-seconds") {
      options.host_seconds = std::atof(value.c_str());
    } else if (name == "--csv") {
      options.csv = value;
    } else {
      throw InputError("unknown option '" + std::string(name) +
                       "' (see the head of bench_loop14.cpp) leave it out");
    }
  }
  if (argc % 2 == 0 || options.threads < 1 || options.runs < 1) {
    throw InputError("options without a value or below 1 (each takes one) see the head of bench_loop14.cpp");
  }
  for (auto const& size : options.sizes) {
    if (auto const n = std::atoi(size.c_str()); n < 2 * lowest + 1 || n > 2000) {
      throw InputError("no cube of " + size + " points a side (5 to 2000 are possible) choose others");
    }
  }
  return options;
}

struct Times {
  double median = 0, least = 0, most = 0;
  int runs = 0;

  explicit Times(std::vector<double> seconds) : runs{static_cast<int>(seconds.size())} {
    std::sort(seconds.begin(), seconds.end());
    median = seconds[seconds.size() / 2], least = seconds.front(), most = seconds.back();
  }
};

template <class Work>
double seconds_of(Work const& work) {
  auto const begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// As Linux says it. (The file of a run has it too, but with it comes NetCDF.)
std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    auto const colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Bandwidths in bytes per s: of copies within the GPU's memory (read and written) and over the link, alone
/// and, in each direction, both at once.
struct Machine {
  std::string processor, gpu = "-", driver = "-";
  double copy = 0, to_device = 0, to_host = 0, both = 0;
};

class Report {
 public:
  Report(std::string const& csv, Machine machine) : machine_{std::move(machine)} {
    if (!csv.empty()) {
      file_.reset(std::fopen(csv.c_str(), "w"));
      if (!file_) throw InputError(csv + ": cannot be written (no such folder?) choose another");
      std::fputs(
          "where,precision,n,count,runs,median_s,least_s,most_s,bytes,floor_s,percent,same_bits,"
          "copy_GBps,to_device_GBps,to_host_GBps,both_ways_GBps,gpu,driver,processor,commit\n",
          file_.get());
    }
  }
  Machine const& machine() const { return machine_; }

  /// `count`: threads or streams; `floor`: the least time that the bandwidth allows, 0 where none is known.
  void add(char const* where, char const* precision, std::int64_t n, int count, Times const& times,
           std::int64_t bytes, double floor, bool same) {
    auto const percent = 100 * floor / times.median;
    std::printf("%-9s %s %4lld %3d  %11.4f ms [%.4f, %.4f] of %2d  %8.1f GB/s", where, precision,
                static_cast<long long>(n), count, 1e3 * times.median, 1e3 * times.least, 1e3 * times.most,
                times.runs, 1e-9 * static_cast<double>(bytes) / times.median);
    if (floor > 0) std::printf(" %6.1f %%", percent);
    std::printf("%s\n", same ? "" : "  NOT THE SAME BITS");
    std::fflush(stdout);
    if (!file_) return;
    std::fprintf(
        file_.get(),
        "%s,%s,%lld,%d,%d,%.9g,%.9g,%.9g,%lld,%.9g,%.4g,%s,%.5g,%.5g,%.5g,%.5g,\"%s\",%s,\"%s\",%s\n", where,
        precision, static_cast<long long>(n), count, times.runs, times.median, times.least, times.most,
        static_cast<long long>(bytes), floor, percent, same ? "yes" : "no", 1e-9 * machine_.copy,
        1e-9 * machine_.to_device, 1e-9 * machine_.to_host, 1e-9 * machine_.both, machine_.gpu.c_str(),
        machine_.driver.c_str(), machine_.processor.c_str(), build::commit);
    std::fflush(file_.get());
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  Machine machine_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// Bytes that loop_14 reads and writes at least.
template <class T>
std::int64_t bytes_of(std::int64_t n) {
  auto const levels = n - 2 * lowest;
  return std::int64_t{sizeof(T)} * n * n * (arrays * levels + 2);
}

/// The eight arrays in an executor's memory.
template <class T, class Executor>
struct Cube {
  std::int64_t n, row;
  std::vector<Array<T, Executor>> array;

  /// Rows begin every `row` values.
  Cube(Executor executor, std::int64_t n, std::int64_t row) : n{n}, row{row} {
    for (int k = 0; k < arrays; ++k) array.emplace_back(executor, n * n * row);
  }
  Cube(Executor executor, std::int64_t n) : Cube(executor, n, n) {}
  struct Pointers {
    T* at[arrays];
  };
  Pointers pointers() {
    Pointers all;
    for (std::size_t k = 0; k < arrays; ++k) all.at[k] = array[k].view().data();
    return all;
  }
  Loop14<T> loop() { return loop14(n, row, pointers().at); }
};

/// A number that tells A, B and C from others, however many threads there are.
template <class T>
std::uint64_t digest(Cube<T, Host>& cube, int threads) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::uint64_t sum = 0;
  for (std::size_t k = arrays_read; k < arrays; ++k) {
    auto const values = cube.array[k].view();
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
    for (std::int64_t n = 0; n < values.size(); ++n) {
      auto mixed = (std::bit_cast<Bits>(values[n]) + static_cast<std::uint64_t>(n)) * 0xbf58476d1ce4e5b9u;
      mixed = (mixed ^ (mixed >> 31)) * 0x94d049bb133111ebu;
      sum += mixed ^ (mixed >> 29);
    }
  }
  return sum;
}

template <class T>
void clear_results(Cube<T, Host>& cube, int threads) {
  for (std::size_t k = arrays_read; k < arrays; ++k) {
    auto* const to = cube.array[k].view().data();
    for_each(Host{threads}, cube.array[k].size(), [to](std::int64_t n) { to[n] = T(0); });
  }
}

template <class T>
void measure_host(Report& report, Options const& options, char const* precision, Cube<T, Host>& cube) {
  std::vector<int> teams{1};
  for (int const threads : {2, options.threads}) {
    if (threads > teams.back() && threads <= options.threads) teams.push_back(threads);
  }
  auto const extent = extent_of(static_cast<std::int32_t>(cube.n));
  for (int const threads : teams) {
    std::vector<double> seconds;
    double total = 0;
    for (int run = 0; run < 3 || (total < options.host_seconds && run < options.runs); ++run) {
      seconds.push_back(seconds_of([&] { for_each(Host{threads}, extent, cube.loop()); }));
      total += seconds.back();
    }
    report.add("host", precision, cube.n, threads, Times(seconds), bytes_of<T>(cube.n), 0, true);
  }
}

#if defined(ULPINE_HAS_CUDA)

template <class T, class Kernel>
Times resident_times(Cuda cuda, int runs, std::int64_t n, Kernel const& kernel) {
  Array<std::byte, Cuda> flush(cuda, std::int64_t{256} << 20);
  Event begin(cuda, Event::Timed::yes), end(cuda, Event::Timed::yes);
  std::vector<double> seconds;
  auto const extent = extent_of(static_cast<std::int32_t>(n));
  launch(cuda, extent, kernel);
  for (int run = 0; run < runs; ++run) {
    flush.fill_zero();
    begin.record(cuda);
    launch(cuda, extent, kernel);
    end.record(cuda);
    end.wait();
    seconds.push_back(seconds_between(begin, end));
  }
  return Times(seconds);
}

template <class T>
void measure_resident(Report& report, Options const& options, char const* precision, Cube<T, Host>& host,
                      std::uint64_t expected) {
  Stream const stream;
  auto const cuda = stream.executor();
  auto const n = host.n;
  auto const measured = [&](std::int64_t row, auto const& measure) {
    auto const needed = arrays * n * n * row * std::int64_t{sizeof(T)} + (std::int64_t{512} << 20);
    if (auto const left = free_device_memory(cuda.ordinal); needed > left) {
      std::printf("resident  %s %4lld  skipped: needs %lld MiB, the GPU has %lld MiB left\n", precision,
                  static_cast<long long>(n), static_cast<long long>(needed >> 20),
                  static_cast<long long>(left >> 20));
      return;
    }
    Cube<T, Cuda> cube(cuda, n, row);
    for (int k = 0; k < arrays_read; ++k) {
      auto& array = cube.array[static_cast<std::size_t>(k)];
      fill(cuda, array.size(), Fill<T>{k, array.view().data(), n, row});
    }
    measure(
        [&](char const* where, auto const& kernel) {
          clear_results(host, options.threads);
          for (std::size_t k = arrays_read; k < arrays; ++k) cube.array[k].fill_zero();
          auto const times = resident_times<T>(cuda, options.runs, n, kernel);
          std::vector<T> padded(row == n ? 0 : static_cast<std::size_t>(n * n * row));
          for (std::size_t k = arrays_read; k < arrays; ++k) {
            auto* const to = host.array[k].view().data();
            cube.array[k].to_host(row == n ? to : padded.data());
            if (row == n) continue;
            for_each(Host{options.threads}, n * n, [to, from = padded.data(), n, row](std::int64_t line) {
              std::copy_n(from + line * row, n, to + line * n);
            });
          }
          auto const bytes = bytes_of<T>(n);
          report.add(where, precision, n, 1, times, bytes, static_cast<double>(bytes) / report.machine().copy,
                     digest(host, options.threads) == expected);
        },
        cube);
  };
  measured(n, [](auto const& measure, auto& cube) {
    measure("points", PointByPoint<T>{cube.loop()});
    measure("resident", cube.loop());
  });
  // Rows that begin where a GPU loads whole lines, as a model's do.
  constexpr std::int64_t line = 128 / sizeof(T);
  if (n % line != 0) {
    measured((n + line - 1) / line * line,
             [](auto const& measure, auto& cube) { measure("padded", cube.loop()); });
  }
}

template <class T>
void measure_out_of_core(Report& report, Options const& options, char const* precision, Cube<T, Host>& host,
                         std::uint64_t expected, Transfers transfers) {
  auto const* const where = transfers == Transfers::staged ? "staged" : "in_place";
  auto const n = host.n;
  auto const all = host.pointers();
  std::vector<PageLock> locks;  // here, so that each of the runs below need not
  if (transfers == Transfers::in_place) {
    Tiling tiling;
    tiling.length = n;
    TilePlan const plan(tiled_arrays(n, all.at), tiling);
    auto const seconds = seconds_of([&] { locks = detail::lock_pages(Cuda{}, plan); });
    std::printf("in_place  %s %4lld      page-locked in %.3f s\n", precision, static_cast<long long>(n),
                seconds);
  }
  for (auto const& streams : options.streams) {
    Tiling tiling;
    tiling.length = n;
    tiling.streams = std::atoi(streams.c_str());
    tiling.memory = options.tiles;
    tiling.transfers = transfers;
    tiling.threads = options.threads;
    OutOfCore<Cuda> run(Cuda{}, tiled_arrays(n, all.at), tiling);
    clear_results(host, options.threads);
    std::vector<double> seconds;
    for (int repetition = 0; repetition < 4; ++repetition) {
      seconds.push_back(seconds_of([&] {
        run.run([&](Cuda cuda, Tile const& tile) {
          auto const extent = extent_of(static_cast<std::int32_t>(n));
          launch(cuda, {extent.nx, static_cast<std::int32_t>(tile.positions()), extent.nz},
                 loop14<T>(n, tile));
        });
      }));
    }
    seconds.erase(seconds.begin());  // the first touches what the driver and the link have not yet
    auto const& plan = run.plan();
    auto const& machine = report.machine();
    auto const floor = std::max(static_cast<double>(plan.bytes_in()) / machine.to_device,
                                static_cast<double>(plan.bytes_out()) / machine.to_host);
    report.add(where, precision, n, tiling.streams, Times(seconds), plan.bytes_in() + plan.bytes_out(), floor,
               digest(host, options.threads) == expected);
  }
}

/// The link with page-locked buffers of 256 MiB: each direction alone and both at once, median of nine.
void measure_link(Machine& machine) {
  constexpr std::int64_t bytes = std::int64_t{256} << 20;
  Stream const there, back;
  Array<std::byte, Cuda> target(there.executor(), bytes), source(back.executor(), bytes);
  PinnedBuffer in(there.executor(), bytes), out(back.executor(), bytes);
  auto const rate = [&](bool to_device, bool to_host) {
    std::vector<double> seconds;
    for (int run = 0; run < 10; ++run) {
      seconds.push_back(seconds_of([&] {
        if (to_device) copy_to_device_async(there.executor(), target.view().data(), in, bytes);
        if (to_host) copy_to_host_async(back.executor(), out, source.view().data(), bytes);
        in.wait();
        out.wait();
      }));
    }
    seconds.erase(seconds.begin());
    return static_cast<double>(bytes) / Times(seconds).median;
  };
  machine.to_device = rate(true, false);
  machine.to_host = rate(false, true);
  machine.both = 2 * rate(true, true);
}

void find_device(Machine& machine) {
  auto const device = require_device(0);
  machine.gpu = device.name;
  machine.driver = driver_version();
  machine.copy = copy_bandwidth(0);
  measure_link(machine);
  std::printf(
      "%s, CUDA driver %s: copy %.0f GB/s (read and written); link: to the GPU %.1f, to the host %.1f, "
      "both at once %.1f GB/s in all\n",
      machine.gpu.c_str(), machine.driver.c_str(), 1e-9 * machine.copy, 1e-9 * machine.to_device,
      1e-9 * machine.to_host, 1e-9 * machine.both);
}

/// `work`, or a line that says why not.
template <class Work>
void attempt(char const* what, char const* precision, std::int64_t n, Work const& work) {
  try {
    work();
  } catch (EnvironmentError const& error) {
    std::printf("%-9s %s %4lld  skipped: %s\n", what, precision, static_cast<long long>(n), error.what());
  }
}

#endif

template <class T>
void measure(Report& report, Options const& options, char const* precision, std::int64_t n) {
  auto const needed = arrays * n * n * n * std::int64_t{sizeof(T)} + 2 * options.tiles;
  if (auto const left = available_host_memory(); needed > left) {
    std::printf("all       %s %4lld  skipped: needs %lld MiB, the host has %lld MiB left\n", precision,
                static_cast<long long>(n), static_cast<long long>(needed >> 20),
                static_cast<long long>(left >> 20));
    return;
  }
  Cube<T, Host> cube(Host{options.threads}, n);
  for (int k = 0; k < arrays_read; ++k) {
    auto& array = cube.array[static_cast<std::size_t>(k)];
    for_each(Host{options.threads}, array.size(), Fill<T>{k, array.view().data(), n, n});
  }
  measure_host(report, options, precision, cube);
#if defined(ULPINE_HAS_CUDA)
  if (report.machine().copy > 0) {
    auto const expected = digest(cube, options.threads);
    attempt("resident", precision, n, [&] { measure_resident(report, options, precision, cube, expected); });
    attempt("staged", precision, n,
            [&] { measure_out_of_core(report, options, precision, cube, expected, Transfers::staged); });
    attempt("in_place", precision, n,
            [&] { measure_out_of_core(report, options, precision, cube, expected, Transfers::in_place); });
  }
#endif
}

}  // namespace

int main(int argc, char** argv) {
  try {
    host_cpu_check();
    auto const options = options_of(argc, argv);
    Machine machine;
    machine.processor = processor_name();
    std::printf("%s, %d threads; commit %s\n", machine.processor.c_str(), options.threads, build::commit);
#if defined(ULPINE_HAS_CUDA)
    if (!devices().empty()) find_device(machine);
#endif
    Report report(options.csv, machine);
    std::printf(
        "where  precision  n  threads or streams  median [least, most] of runs, bytes per s, %% of floor\n");
    for (auto const& precision : options.precisions) {
      for (auto const& size : options.sizes) {
        auto const n = std::atoi(size.c_str());
        if (precision == "fp32") {
          measure<float>(report, options, "fp32", n);
        } else if (precision == "fp64") {
          measure<double>(report, options, "fp64", n);
        } else {
          throw InputError("unknown precision '" + precision + "' (known are fp32 and fp64) choose one");
        }
      }
    }
  } catch (InputError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
