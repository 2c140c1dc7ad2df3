// SPDX-License-Identifier: Apache-2.0
// Rows of libgomp: sums over threads.
#include <omp.h>

#include "host.hpp"

namespace ulpine::atlas {
namespace {

constexpr std::int64_t count = 1000003;

template <class T>
T by_reduction(std::vector<T> const& x, int threads) {
  T sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < count; ++i) sum += x[static_cast<std::size_t>(i)];
  return sum;
}
template <class T>
T by_turns(std::vector<T> const& x, int threads) {
  T sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(threads) schedule(dynamic, 1000)
  for (std::int64_t i = 0; i < count; ++i) sum += x[static_cast<std::size_t>(i)];
  return sum;
}
template <class T>
T by_atomics(std::vector<T> const& x, int threads) {
  T sum = 0;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < 10000; ++i) {
#pragma omp atomic
    sum += x[static_cast<std::size_t>(i)];
  }
  return sum;
}
/// Never inlined, and of a length that is not known: else GCC 12 leaves the additions of floats in series.
template <class T>
[[gnu::noinline]] T by_lanes(T const* x, std::int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

/// Sums of several sets of numbers: another order of additions leaves the bits of many a single sum.
template <class T>
void rows_of(Rows& rows) {
  std::vector<std::vector<T>> sets;
  for (std::uint64_t seed = 96; seed < 112; ++seed) sets.push_back(uniform<T>(count, seed));
  auto const sums = [&](auto const& sum_of) {
    std::vector<T> values;
    for (auto const& set : sets) values.push_back(sum_of(set));
    return values;
  };
  std::string const scalar = sizeof(T) == 8 ? "double" : "float";
  auto const one = sums([](auto const& x) { return by_reduction(x, 1); });
  auto const add = [&](std::string const& block, char const* varied, std::string const& change,
                       Compared const& found) {
    rows.add({"libgomp", block + " " + scalar, varied, change}, found);
  };
  auto const add_again = [&](std::string const& block, std::function<std::vector<T>()> const& again) {
    add(block, "arrival", "200 runs", compare_runs<T>(again(), 200, again));
  };
  for (auto const threads : {2, 3, 4, 8}) {
    auto const again = [&] { return sums([&](auto const& x) { return by_reduction(x, threads); }); };
    add("reduction(+)", "threads", std::to_string(threads) + " threads against one",
        compare<T>(one, again()));
    add_again("reduction(+), " + std::to_string(threads) + " threads,", again);
  }
  add_again("reduction(+), dynamic schedule, 4 threads,",
            [&] { return sums([](auto const& x) { return by_turns(x, 4); }); });
  add_again("atomic additions, 4 threads,",
            [&] { return sums([](auto const& x) { return by_atomics(x, 4); }); });
  add("simd reduction(+)", "vector", "omp simd against the serial loop",
      compare<T>(one, sums([](auto const& x) { return by_lanes(x.data(), count); })));
}

}  // namespace

void openmp_rows(Rows& rows) {
  rows.version("libgomp", std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__));
  rows_of<double>(rows);
  rows_of<float>(rows);
}

}  // namespace ulpine::atlas
