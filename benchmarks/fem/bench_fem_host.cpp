// SPDX-License-Identifier: Apache-2.0
// Assembly on the host: bench_fem_host [CELLS (45)] [--threads N (1)] [--matrix WORD] [--policy NAME]
// [--way NAME] (the last three may come again; without one of them, all). A jittered box of 6 CELLS^2 (CELLS
// + 1) tetrahedra in Morton order; each matrix by each way: median and range of nine runs, ns an element on
// the clock, and the least processor time (of all threads).
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <vector>

#include "benchmarks/fem/frame.hpp"
#include "core/exec/host.hpp"
#include "core/fem/assembly.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "tests/fem/flow.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fem;

struct Bench {
  bench::Options options;
  Host host{options.threads};
  TetraMesh box = bench::box_of(options.cells);
  TetraConnections<Host> connections{host, bench::elements_of(box), box.nodes()};

  template <class F>
  void matrix(char const* name) const {
    if (!options.with_matrix(name) || !options.with_policy(F::Policy::name)) return;
    auto const mesh = connections.view();
    test::Flow<typename F::Policy> const flow(box.position);
    auto const form = flow.template form<F>();
    test::Assembled<F> out(mesh.nodes, mesh.pattern.entries());
    std::vector<typename F::Real> entries(static_cast<std::size_t>(stored_entries<F>(mesh.elements))),
        sums(static_cast<std::size_t>(stored_sums<F>(mesh.elements)));
    for (auto const way : every_way) {
      if (!options.with_way(name_of(way))) continue;
      Plan<Host> const plan(host, mesh, way);
      auto const work = [&] {
        assemble(host, plan, mesh, form, out.target(), {entries.data(), sums.data()});
      };
      work();
      std::vector<double> seconds(9);
      double least = 1e9;
      for (auto& time : seconds) {
        auto const ticks = std::clock();
        time = bench::seconds_of(host, work);
        least = std::min(least, static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
      }
      bench::Times const times(seconds);
      auto const each = [&](double time) { return 1e9 * time / mesh.elements; };
      std::printf("%-24s %-6s %-14s %8.1f [%.1f, %.1f] ns an element, processor %.1f\n", name,
                  F::Policy::name, name_of(way), each(times.median), each(times.least), each(times.most),
                  each(least));
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    auto const options = bench::options_of(
        argc, argv,
        "bench_fem_host [CELLS, 2 to 160] [--threads N] [--matrix WORD] [--policy NAME] [--way NAME]");
    Bench const bench{options};
    std::printf("%d tetrahedra, %d nodes, %d entries, %d threads\n", bench.box.elements(), bench.box.nodes(),
                bench.connections.view().pattern.entries(), options.threads);
    bench.matrix<ScalarForm<Fp64>>("scalar, isotropic");
    bench.matrix<TensorScalarForm<Fp64>>("scalar, tensor");
    bench.matrix<TensorScalarForm<Mixed>>("scalar, tensor");
    bench.matrix<QuadratureAdvectionDiffusion<Fp64>>("scalar, tensor, 11 points");
    bench.matrix<SharedMomentum<Fp64>>("momentum, shared block");
    bench.matrix<CompressibleDivergence<Fp64>>("divergence, compressible");
    bench.matrix<PressureDiffusion<Fp64>>("pressure diffusion");
    bench.matrix<QuadraturePressureDiffusion<Fp64>>("pressure diffusion, 11 points");
    bench.matrix<ProjectionMatrix<Fp64>>("projection");
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
