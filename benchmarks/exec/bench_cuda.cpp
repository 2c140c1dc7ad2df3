// SPDX-License-Identifier: Apache-2.0
// Copy, reproducible sums against CUB's plain sum, and hashes on a device: median and range of 21 runs, each
// after 256 MB have been written to empty the L2 cache.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "core/exec/device.hpp"
#include "core/exec/random.hpp"
#include "core/exec/reduce.hpp"
#include "core/field/hash.hpp"
#include "cub_sum.hpp"

namespace {

using namespace ulpine;

struct Bench {
  Cuda cuda;
  Array<std::byte, Cuda> flush;
  double copy_bandwidth;

  /// Prints and returns the median time in s of `work`, which moves `bytes`.
  template <class Work>
  double run(char const* name, std::int64_t count, double bytes, Work const& work) {
    cudaEvent_t begin, end;
    check_cuda(cudaEventCreate(&begin), "event");
    check_cuda(cudaEventCreate(&end), "event");
    std::array<float, 21> milliseconds;
    work();
    for (auto& time : milliseconds) {
      flush.fill_zero();
      check_cuda(cudaEventRecord(begin, cuda.stream), "event");
      work();
      check_cuda(cudaEventRecord(end, cuda.stream), "event");
      check_cuda(cudaEventSynchronize(end), "event");
      check_cuda(cudaEventElapsedTime(&time, begin, end), "event");
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(milliseconds.begin(), milliseconds.end());
    auto const median = 1e-3 * static_cast<double>(milliseconds[milliseconds.size() / 2]);
    std::printf("%-34s %11lld %10.2f  [%.2f, %.2f] us %8.0f GB/s %6.1f %% of copy\n", name,
                static_cast<long long>(count), 1e6 * median, 1e3 * static_cast<double>(milliseconds.front()),
                1e3 * static_cast<double>(milliseconds.back()), 1e-9 * bytes / median,
                100 * bytes / median / copy_bandwidth);
    return median;
  }
};

/// All ways to add up, of which Reducer takes one by the device.
template <class T>
void bench_methods(Bench& bench, View<T const> view, Scalar<T, Cuda>& result, double plain) {
  using enum detail::SumMethod;
  auto plan = detail::reduction_plan(bench.cuda.ordinal);
  Array<std::int64_t, Cuda> scratch(bench.cuda, detail::sum_scratch_words);
  for (auto const& [method, name] : {std::pair{expansions, "  by expansions"},
                                     {windows_2, "  by windows, 2 loads"},
                                     {windows_4, "  by windows, 4 loads"}}) {
    plan.method = method;
    auto const bytes = static_cast<double>(view.size()) * sizeof(T);
    auto const time = bench.run(name, view.size(), bytes, [&] {
      detail::deposit_values(bench.cuda, plan, values_of(view), {}, 0, view.size(), scratch.view().data());
      detail::finish_sum(bench.cuda, scratch.view().data(), false, result.view().data());
    });
    std::printf("%-34s %.3f\n", "    exact / plain", time / plain);
  }
}

template <class T>
void bench_type(Bench& bench, char const* type, std::int64_t count) {
  auto const cuda = bench.cuda;
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {  // the numbers repeat; neither sum can tell
    values[static_cast<std::size_t>(i)] = i < 1 << 20 ? static_cast<T>(uniform_symmetric(1, 0, 0, i))
                                                      : values[static_cast<std::size_t>(i & ((1 << 20) - 1))];
  }
  Array<T, Cuda> x(cuda, count), copy(cuda, count), result(cuda, 1);
  x.from_host(values.data());
  View<T const> const view = x.view();
  auto const bytes = static_cast<double>(count) * sizeof(T);
  std::printf("%s\n", type);

  bench.run("copy", count, 2 * bytes, [&] { copy.copy_from(x); });
  std::size_t scratch_bytes = 0;
  check_cuda(cub_sum(cuda, nullptr, scratch_bytes, view.data(), result.view().data(), count), "cub");
  Array<std::byte, Cuda> cub_scratch(cuda, static_cast<std::int64_t>(scratch_bytes));
  auto const plain = bench.run("CUB plain sum", count, bytes, [&] {
    check_cuda(
        cub_sum(cuda, cub_scratch.view().data(), scratch_bytes, view.data(), result.view().data(), count),
        "cub");
  });
  Reducer<Cuda> reducer(cuda);
  Scalar<T, Cuda> scalar(cuda);
  auto const exact = bench.run("exact sum", count, bytes, [&] { reducer.sum_to(view, scalar); });
  std::printf("%-34s %.3f\n", "  exact / plain", exact / plain);
  bench_methods(bench, view, scalar, plain);
  bench.run("exact dot", count, 2 * bytes, [&] { reducer.dot_to(view, copy.view(), scalar); });
  bench.run("max", count, bytes, [&] { reducer.max_to(view, scalar); });
  Array<std::uint64_t, Cuda> blocks(cuda, 256);
  auto field = raw_values(view.data(), count, value_type_of<T>);
  field.on_device = true;
  field.cuda = cuda;
  HashTask const task{field};
  bench.run("hash", count, bytes, [&] { add_field_hashes({&task, 1}, cuda, blocks.view().data()); });
  bench.run("exact sum, result on the host", count, bytes, [&] { reducer.sum(view); });
}

}  // namespace

int main() {
  try {
    Stream const stream;
    auto const cuda = stream.executor();
    Bench bench{cuda, Array<std::byte, Cuda>(cuda, 256 << 20), copy_bandwidth(cuda.ordinal)};
    std::printf("device copy bandwidth: %.0f GB/s (read and written)\n", 1e-9 * bench.copy_bandwidth);
    for (std::int64_t const count : {std::int64_t{1} << 14, std::int64_t{1} << 20, std::int64_t{100000000}}) {
      bench_type<double>(bench, "double", count);
      bench_type<float>(bench, "float", count);
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
