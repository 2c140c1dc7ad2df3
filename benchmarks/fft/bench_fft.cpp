// SPDX-License-Identifier: Apache-2.0
// Transforms of planes on a device, cuFFT's and ours: bench_fft [NX NY PLANES [MB AT ONCE]], 512 512 128
// where nothing is given. Median and range of 21 runs, each after 256 MB have been written to empty the L2
// cache; the rate counts a plane read and written for each of the two directions of lines.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "core/exec/device.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/random.hpp"
#include "core/exec/stream.hpp"
#include "core/fft/portable_cuda.hpp"

namespace {

using namespace ulpine;

struct Bench {
  Cuda cuda;
  std::int32_t nx, ny, planes;
  std::int64_t at_once;
  double copy_bandwidth;
  Array<std::byte, Cuda> flush;

  template <class Work>
  void time(char const* name, double bytes, Work const& work) {
    Event begin(cuda, Event::Timed::yes), end(cuda, Event::Timed::yes);
    std::array<double, 21> seconds;
    work();
    for (auto& each : seconds) {
      flush.fill_zero();
      begin.record(cuda);
      work();
      end.record(cuda);
      end.wait();
      each = seconds_between(begin, end);
    }
    std::sort(seconds.begin(), seconds.end());
    auto const median = seconds[seconds.size() / 2];
    std::printf("%-28s %9.1f  [%.1f, %.1f] us %8.0f GB/s %6.1f %% of copy\n", name, 1e6 * median,
                1e6 * seconds.front(), 1e6 * seconds.back(), 1e-9 * bytes / median,
                100 * bytes / median / copy_bandwidth);
  }

  template <class T>
  void run(char const* name, PlaneTransform<T>& transform) {
    auto const size = std::int64_t{planes} * ny * (nx / 2 + 1) * 2;
    std::vector<T> values(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
      values[static_cast<std::size_t>(i)] = static_cast<T>(uniform_symmetric(1, 0, 0, i & 0xfffff));
    }
    Array<T, Cuda> x(cuda, size);
    auto const bytes = 4 * static_cast<double>(size) * sizeof(T);
    std::printf("%s: %lld bytes of work area\n", name, static_cast<long long>(transform.work_bytes()));
    // Repeated transforms in place would overflow: zeros take as long, but the first run has numbers.
    x.from_host(values.data());
    transform.forward(x.view().data());
    transform.inverse(x.view().data());
    x.fill_zero();
    time("  forward", bytes, [&] { transform.forward(x.view().data()); });
    time("  inverse", bytes, [&] { transform.inverse(x.view().data()); });
  }
};

int number(int argc, char** argv, int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; }

}  // namespace

int main(int argc, char** argv) {
  try {
    Stream const stream;
    auto const cuda = stream.executor();
    Bench bench{cuda,
                number(argc, argv, 1, 512),
                number(argc, argv, 2, 512),
                number(argc, argv, 3, 128),
                std::int64_t{number(argc, argv, 4, 25)} << 20,
                copy_bandwidth(cuda.ordinal),
                Array<std::byte, Cuda>(cuda, 256 << 20)};
    auto const [nx, ny, planes] = std::array{bench.nx, bench.ny, bench.planes};
    fft::DeviceSchedule const schedule{.cached_bytes = bench.at_once};
    std::printf("%d planes of %d x %d; device copy bandwidth: %.0f GB/s (read and written)\n", planes, ny, nx,
                1e-9 * bench.copy_bandwidth);
    bench.run("float, cuFFT", *make_vendor_transform<float>(cuda, planes, ny, nx));
    bench.run("float, ours", *fft::make_portable_transform<float, Exact>(cuda, planes, ny, nx, schedule));
    bench.run("double, cuFFT", *make_vendor_transform<double>(cuda, planes, ny, nx));
    bench.run("double, ours", *fft::make_portable_transform<double, Exact>(cuda, planes, ny, nx, schedule));
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
