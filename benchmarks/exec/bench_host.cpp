// SPDX-License-Identifier: Apache-2.0
// Reductions and hashes on the host; the argument is the number of values, the second the number of threads.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "core/exec/random.hpp"
#include "core/exec/reduce.hpp"
#include "core/field/hash.hpp"

namespace {

using namespace ulpine;

template <class T>
std::vector<T> noise(std::int64_t size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<T>(uniform_symmetric(1, 0, name_key("benchmark"), i));
  }
  return values;
}

template <class T, class Work>
void run(benchmark::State& state, Work const& work) {
  auto const values = noise<T>(state.range(0));
  Host const host{static_cast<int>(state.range(1))};
  View<T const> const view(values.data(), state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(work(host, view));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(sizeof(T)));
}

template <class T>
void plain_sum(benchmark::State& state) {
  run<T>(state, [](Host, View<T const> x) { return std::accumulate(x.data(), x.data() + x.size(), T(0)); });
}
template <class T>
void exact_sum(benchmark::State& state) {
  run<T>(state, [](Host host, View<T const> x) { return Reducer<Host>(host).sum(x).to_double(); });
}
template <class T>
void exact_dot(benchmark::State& state) {
  run<T>(state, [](Host host, View<T const> x) { return Reducer<Host>(host).dot(x, x).to_double(); });
}
template <class T>
void largest(benchmark::State& state) {
  run<T>(state, [](Host host, View<T const> x) { return Reducer<Host>(host).max(x); });
}
template <class T>
void hash(benchmark::State& state) {
  run<T>(state, [](Host host, View<T const> x) {
    auto field = raw_values(x.data(), x.size(), value_type_of<T>);
    field.threads = host.threads;
    return field_hash(field);
  });
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{1 << 14, 1 << 22}, {1, 2}})->UseRealTime();
}
BENCHMARK(plain_sum<double>)->Args({1 << 14, 1})->Args({1 << 22, 1});
BENCHMARK(exact_sum<double>)->Apply(sizes);
BENCHMARK(exact_sum<float>)->Apply(sizes);
BENCHMARK(exact_dot<double>)->Apply(sizes);
BENCHMARK(largest<double>)->Apply(sizes);
BENCHMARK(hash<double>)->Apply(sizes);
BENCHMARK(hash<float>)->Apply(sizes);

}  // namespace
