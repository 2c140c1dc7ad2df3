// SPDX-License-Identifier: Apache-2.0
// What assembly must know of a mesh, built on the host and, where there is one, on a device:
// bench_tetra [CELLS (45)] [--threads N (1; 0: not on the host)]. A jittered box of 6 CELLS^2 (CELLS + 1)
// tetrahedra in Morton order (138: 16 million); connectivity (on a device with the copy of the elements to
// it), each way's lists, and the set-up of a model's assembly (connectivity and two lists of patches): the
// first run, then median and range of five more (of one, where the first took a second), ms.
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/fem/frame.hpp"
#include "core/fem/plan.hpp"
#include "core/mesh/tetra_connections.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fem;

/// What `make` makes, of the last run; that of the run before is released outside the times.
template <class Executor, class Make>
auto report(Executor executor, std::string const& name, Make const& make) {
  std::optional<decltype(make())> made;
  auto const run = [&] {
    made.reset();
    return bench::seconds_of(executor, [&] { made.emplace(make()); });
  };
  double const first = run();
  std::vector<double> seconds(first < 1 ? 5 : 1);
  for (auto& time : seconds) time = run();
  bench::Times const times(seconds);
  std::printf("  %-26s %10.3f, then %10.3f  [%.3f, %.3f] ms\n", name.c_str(), 1e3 * first, 1e3 * times.median,
              1e3 * times.least, 1e3 * times.most);
  return std::move(*made);
}

template <class Executor>
void bench_on(Executor executor, TetraMesh const& mesh) {
  auto const connect = [&] { return build_connectivity(executor, bench::elements_of(mesh), mesh.nodes()); };
  {
    auto const connections = report(executor, "connectivity", connect);
    auto const plan = [&](Way way, std::int32_t rows) {
      auto const name = std::string(name_of(way)) + ", " + std::to_string(rows) + " rows";
      auto const made =
          report(executor, name, [&] { return Plan<Executor>(executor, connections.view(), way, rows); });
      std::printf("  %-26s %10.1f MB\n", "", 1e-6 * static_cast<double>(made.bytes()));
    };
    plan(Way::visits, 12);
    plan(Way::patches, 32);
    plan(Way::patches, 56);
  }
  report(executor, "set-up of a model", [&] {
    auto connections = connect();
    Plan<Executor> scalars(executor, connections.view(), Way::patches, 56),
        blocks(executor, connections.view(), Way::patches, 32),
        visits(executor, connections.view(), Way::visits, 12);
    return std::tuple{std::move(connections), std::move(scalars), std::move(blocks), std::move(visits)};
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    auto const options = bench::options_of(argc, argv, "bench_tetra [CELLS, 2 to 160] [--threads N]", 0);
    auto const mesh = bench::box_of(options.cells);
    std::printf("%d tetrahedra, %d nodes\n", mesh.elements(), mesh.nodes());
    if (options.threads > 0) {
      std::printf("host, %d threads\n", options.threads);
      bench_on(Host{options.threads}, mesh);
    }
#if defined(ULPINE_HAS_CUDA)
    Stream const stream;
    std::printf("device\n");
    bench_on(stream.executor(), mesh);
#endif
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
