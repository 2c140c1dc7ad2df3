// SPDX-License-Identifier: Apache-2.0
// Launches one kernel for each operation and elementary function, of double, of float and of two
// floats, on 2^20 arguments of the sizes that models have. It prints nothing of its own but a sum: what it is
// for is the counters of a profiler, see read.py.
#include "operations.hpp"

#include <cstdio>
#include <exception>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"

namespace {

using namespace ulpine;

/// The sum of one result in a thousand, so that it is seen that the kernels ran.
template <class T>
double run(Cuda cuda) {
  constexpr std::int64_t count = 1 << 20;
  std::vector<operations::Operands<T>> all(count);
  std::uint64_t state = 1;
  auto const uniform = [&] {  // Knuth's MMIX generator
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (auto& one : all) {
    one.a = static_cast<T>(6 * uniform() - 3);
    one.b = static_cast<T>(uniform() + 0.2);
    one.c = static_cast<T>(uniform() + 0.2);
    one.other = static_cast<typename operations::OtherType<T>::Type>(uniform());
  }
  Array<operations::Operands<T>, Cuda> operands(cuda, count);
  Array<T, Cuda> results(cuda, count);
  operands.from_host(all.data());
  operations::call_all(cuda, count, operands.view().data(), results.view().data());
  std::vector<T> values(count);
  results.to_host(values.data());
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); i += 1000) sum += static_cast<double>(values[i]);
  return sum;
}

}  // namespace

int main() {
  try {
    Stream const stream(0);
    auto const cuda = stream.executor();
    std::printf("sums %.6g, %.6g and %.6g\n", run<double>(cuda), run<float>(cuda), run<DoubleFloat>(cuda));
  } catch (std::exception const& error) {
    std::fprintf(stderr, "bench_operations: %s\n", error.what());
    return 3;
  }
  return 0;
}
