// SPDX-License-Identifier: Apache-2.0
// Transforms of planes on the host, FFTW's and ours: bench_fft_host [PLANES [THREADS]]. Least of 21 runs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "core/exec/random.hpp"
#include "core/fft/plane_transform.hpp"

namespace {

using namespace ulpine;

template <class T>
double milliseconds(PlaneTransform<T>& transform, std::vector<T> const& values, bool forward) {
  double least = 1e9;
  for (int i = 0; i < 21; ++i) {
    auto x = values;
    auto const begin = std::chrono::steady_clock::now();
    forward ? transform.forward(x.data()) : transform.inverse(x.data());
    least = std::min(
        least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

template <class T>
void bench(char const* type, Host host, std::int32_t planes, std::int32_t n) {
  std::vector<T> values(static_cast<std::size_t>(planes) * static_cast<std::size_t>(n * (n / 2 + 1) * 2));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(uniform_symmetric(1, 0, 0, static_cast<std::int64_t>(i)));
  }
  auto const library = make_vendor_transform<T>(host, planes, n, n);
  auto const ours = make_portable_transform<T>(host, planes, n, n);
  std::printf("%-6s %4d x %-4d", type, n, n);
  for (bool const forward : {true, false}) {
    auto const theirs = milliseconds(*library, values, forward), own = milliseconds(*ours, values, forward);
    std::printf("  %s: FFTW %8.3f ms, ours %8.3f ms, %.2f times", forward ? "forward" : "inverse", theirs,
                own, own / theirs);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    auto const planes = argc > 1 ? std::atoi(argv[1]) : 1;
    Host const host{argc > 2 ? std::atoi(argv[2]) : 1};
    std::printf("%d planes, %d threads\n", planes, host.threads);
    for (auto const n : {64, 100, 128, 256, 343, 360, 512, 1000, 1024}) {
      bench<float>("float", host, planes, n);
      bench<double>("double", host, planes, n);
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
