// SPDX-License-Identifier: Apache-2.0
// The routines of Li et al. (Fluidity-Atmosphere on GPUs) one by one: bench_routines [CELLS (45)] [--threads
// N]. Mesh as of bench_fem; double and float, on the host and, where there is one, on a GPU with a cold L2
// cache: median and range of 11 runs. Then copies of a scalar's and of a momentum's matrix from a GPU, to
// pinned and to pageable memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "benchmarks/fem/frame.hpp"
#include "benchmarks/fem/routines.hpp"
#include "core/exec/device.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"

namespace {

using namespace ulpine;
using bench::Routine;

struct {
  Routine routine;
  char const* name;
} const routines[] = {{Routine::by_element, "positions gathered, by element"},
                      {Routine::by_number, "positions gathered, by number"},
                      {Routine::transform, "transform_to_physical, stored"},
                      {Routine::stored, "dshape_tensor_dshape of stored"},
                      {Routine::at_once, "dshape_tensor_dshape, at once"},
                      {Routine::closed, "dshape_tensor_dshape, closed"},
                      {Routine::system, "get_edge_lengths"},
                      {Routine::polar, "edge_length_tensor"}};
constexpr int runs = 11;

void report(char const* name, std::vector<double> const& seconds) {
  bench::Times const times(seconds);
  std::printf("  %-32s %10.1f  [%.1f, %.1f] us\n", name, 1e6 * times.median, 1e6 * times.least,
              1e6 * times.most);
}

template <class Real, class Executor>
void measure(Executor executor, TetraMesh const& mesh, char const* where) {
  std::printf("%s, %s\n", where, sizeof(Real) == 8 ? "double" : "float");
  auto const placed = [&]<class T>(std::vector<T> const& values) {
    Array<T, Executor> array(executor, static_cast<std::int64_t>(values.size()));
    array.from_host(values.data());
    return array;
  };
  auto const element = placed(mesh.element);
  auto const position = placed(std::vector<Real>(mesh.position.begin(), mesh.position.end()));
  std::vector<Real> values;
  for (std::int64_t n = 0; n < 9 * std::int64_t{mesh.nodes()}; ++n) {
    values.push_back(static_cast<Real>(n % 9 % 4 == 0 ? 1 + n % 7 : n % 5 - 2));
  }
  auto const tensor = placed(values);
  std::int64_t const count = mesh.elements();
  Array<Real, Executor> transformed(executor, bench::transformed * count), out(executor, 16 * count);
  Array<std::byte, Executor> flush(executor, Executor::on_device ? 256 << 20 : 0);
  bench::Elements<Real> const all{static_cast<std::int32_t>(count), element.view().data(),
                                  position.view().data(),           tensor.view().data(),
                                  transformed.view().data(),        out.view().data()};
  for (auto const& [routine, name] : routines) {
    std::vector<double> seconds(runs);
    bench::run(executor, routine, all);
    for (auto& time : seconds) {
      flush.fill_zero();
      time = bench::seconds_of(executor, [&] { bench::run(executor, routine, all); });
    }
    report(name, seconds);
  }
}

#if defined(ULPINE_HAS_CUDA)
void measure_copies(Cuda cuda, TetraMesh const& mesh) {
  // Entries of a ball-shaped mesh (Euler): 3 nodes + 2 elements + boundary triangles - 2.
  auto const entries = 3 * std::int64_t{mesh.nodes()} + 2 * mesh.elements() +
                       static_cast<std::int64_t>(mesh.face.size()) / 3 - 2;
  for (std::int64_t const width : {1, 9}) {
    auto const bytes = width * entries * std::int64_t{sizeof(double)};
    Array<std::byte, Cuda> const source(cuda, bytes);
    PinnedBuffer pinned(cuda, bytes);
    std::vector<std::byte> pageable(static_cast<std::size_t>(bytes));
    std::printf("copies of %.1f MB to the host\n", 1e-6 * static_cast<double>(bytes));
    auto const copies = [&](char const* name, void* target) {
      std::vector<double> seconds(runs);
      for (auto& time : seconds) {
        time = bench::seconds_of(cuda, [&] { detail::to_host(cuda, target, source.view().data(), bytes); });
      }
      report(name, seconds);
    };
    copies("pinned", pinned.data());
    copies("pageable", pageable.data());
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  try {
    auto const options = bench::options_of(argc, argv, "bench_routines [CELLS, 2 to 160] [--threads N]");
    auto const mesh = bench::box_of(options.cells);
    std::printf("%d tetrahedra, %d nodes; host: %d threads\n", mesh.elements(), mesh.nodes(),
                options.threads);
    measure<double>(Host{options.threads}, mesh, "host");
    measure<float>(Host{options.threads}, mesh, "host");
#if defined(ULPINE_HAS_CUDA)
    if (!devices().empty()) {
      Stream const stream;
      measure<double>(stream.executor(), mesh, "GPU");
      measure<float>(stream.executor(), mesh, "GPU");
      measure_copies(stream.executor(), mesh);
    }
#endif
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
