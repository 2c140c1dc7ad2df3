// SPDX-License-Identifier: Apache-2.0
// Assembly on the host: bench_fem_host [CELLS (45)] [THREADS (1)]. A jittered box of 6 CELLS^2 (CELLS + 1)
// tetrahedra in Morton order; each matrix by each way: median and range of nine runs, ns an element
// on the clock, and the least processor time (of all threads).
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "core/fem/assembly.hpp"
#include "tests/fem/flow.hpp"
#include "tests/fem/tetra_support.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fem;

template <class F>
void bench(char const* name, test::TetraBox const& box, int threads) {
  auto const mesh = box.view();
  test::Flow<typename F::Policy> const flow(box.position);
  auto const form = flow.template form<F>(box.element.data());
  test::Assembled<F> out(mesh.nodes, mesh.pattern.entries());
  std::vector<typename F::Real> entries(static_cast<std::size_t>(stored_entries<F>(mesh.elements))),
      sums(static_cast<std::size_t>(stored_sums<F>(mesh.elements)));
  Host const host{threads};
  for (auto const way : every_way) {
    auto const before = std::chrono::steady_clock::now();
    Plan<Host> const plan(host, mesh, way);
    double const planned = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    std::array<double, 9> seconds;
    assemble(host, plan, mesh, form, out.target(), {entries.data(), sums.data()});
    double least = 1e9;
    for (auto& time : seconds) {
      auto const ticks = std::clock();
      auto const begin = std::chrono::steady_clock::now();
      assemble(host, plan, mesh, form, out.target(), {entries.data(), sums.data()});
      time = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      least = std::min(least, static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
    }
    std::sort(seconds.begin(), seconds.end());
    auto const each = [&](double time) { return 1e9 * time / mesh.elements; };
    std::printf("%-24s %-6s %-14s %8.1f [%.1f, %.1f] ns an element, processor %.1f; plan %.1f ms, %.1f MB\n",
                name, F::Policy::name, name_of(way), each(seconds[4]), each(seconds[0]), each(seconds[8]),
                1e3 * planned, 1e-6 * static_cast<double>(plan.bytes()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  int const cells = argc > 1 ? std::atoi(argv[1]) : 45, threads = argc > 2 ? std::atoi(argv[2]) : 1;
  if (cells < 2 || cells > 160 || threads < 1) {
    std::fprintf(stderr, "bench_fem_host [CELLS, 2 to 160] [THREADS]\n");
    return 2;
  }
  auto const box = test::kuhn_box(cells, cells, cells + 1, {60000, 60000, 16000}, 0.2);
  std::printf("%d tetrahedra, %d nodes, %d entries, %d threads\n", box.elements(), box.nodes(),
              static_cast<int>(box.column.size()), threads);
  bench<ScalarForm<Fp64>>("scalar, isotropic", box, threads);
  bench<TensorScalarForm<Fp64>>("scalar, tensor", box, threads);
  bench<TensorScalarForm<Mixed>>("scalar, tensor", box, threads);
  bench<SharedMomentum<Fp64>>("momentum, shared block", box, threads);
  bench<CompressibleDivergence<Fp64>>("divergence, compressible", box, threads);
  bench<PressureDiffusion<Fp64>>("pressure diffusion", box, threads);
  bench<ProjectionMatrix<Fp64>>("projection", box, threads);
}
