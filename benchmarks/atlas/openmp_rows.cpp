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
template <class T>
T by_lanes(std::vector<T> const& x) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += x[static_cast<std::size_t>(i)];
  return sum;
}

template <class T>
void rows_of(Rows& rows) {
  auto const x = uniform<T>(count, 96);
  std::string const scalar = sizeof(T) == 8 ? "double" : "float";
  auto const one = by_reduction(x, 1);
  auto const add = [&](std::string const& block, char const* varied, std::string const& change,
                       Compared const& found) {
    rows.add({"libgomp", block + " " + scalar, varied, change}, found);
  };
  for (auto const threads : {2, 3, 4, 8}) {
    add("reduction(+)", "threads", std::to_string(threads) + " threads against one",
        compare<T>({one}, {by_reduction(x, threads)}));
    auto const again = [&] { return std::vector<T>{by_reduction(x, threads)}; };
    add("reduction(+), " + std::to_string(threads) + " threads,", "arrival", "200 runs",
        compare_runs<T>(again(), 200, again));
  }
  auto const dynamic = [&] { return std::vector<T>{by_turns(x, 4)}; };
  add("reduction(+), dynamic schedule, 4 threads,", "arrival", "200 runs",
      compare_runs<T>(dynamic(), 200, dynamic));
  auto const atomics = [&] { return std::vector<T>{by_atomics(x, 4)}; };
  add("atomic additions, 4 threads,", "arrival", "200 runs", compare_runs<T>(atomics(), 200, atomics));
  add("simd reduction(+)", "vector", "omp simd against the serial loop", compare<T>({one}, {by_lanes(x)}));
}

}  // namespace

void openmp_rows(Rows& rows) {
  rows.version("libgomp", std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__));
  rows_of<double>(rows);
  rows_of<float>(rows);
}

}  // namespace ulpine::atlas
