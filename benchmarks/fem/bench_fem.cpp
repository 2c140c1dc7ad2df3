// SPDX-License-Identifier: Apache-2.0
// Assembly on a device: bench_fem [CELLS (45)] [--threads N (of a block: 256)] [--matrix WORD]
// [--policy NAME] [--way NAME] (the last three may come again; without one of them, all). A jittered box of
// 6 CELLS^2 (CELLS + 1) tetrahedra in Morton order (138: 16 million); each matrix in each policy (by points:
// fp64) and by each way, patches and visits of several sizes: median and range of 21 runs, each after 256 MB
// have been written to empty the L2 cache, with the time that its least bytes take at 4.3 TB/s.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "benchmarks/fem/frame.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/fem/assembly.hpp"
#include "io/error.hpp"
#include "tests/fem/flow.hpp"
#include "tests/fem/on_device.hpp"
#include "tests/support/fem/traffic.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fem;

constexpr double floor_bandwidth = 4.3e12;

struct Bench {
  Cuda cuda;
  bench::Options options;
  TetraMesh box = bench::box_of(options.cells);
  TetraConnections<Cuda> connections{cuda, bench::elements_of(box), box.nodes()};
  Array<std::byte, Cuda> flush{cuda, 256 << 20};

  template <template <class> class F, class... P>
  void policies(char const* name, PolicyList<P...>) {
    (matrix<F<P>>(name), ...);
  }

  template <class F>
  void matrix(char const* name) {
    using P = typename F::Policy;
    if (!options.with_matrix(name) || !options.with_policy(P::name)) return;
    test::Flow<P> const flow(box.position);
    test::OnDevice<P> device(cuda, connections.view());
    auto const form = test::on_device(flow.template form<F>(), device, flow);
    auto const entry_count = Plan<Cuda>(cuda, device.mesh, Way::rows).entries();
    MeshSizes const sizes{box.nodes(), box.elements(), entry_count};
    bool const stored = options.with_way(name_of(Way::visits));
    Array<ValueOf<F>, Cuda> value(cuda, F::width * sizes.entries), right(cuda, F::right * sizes.nodes),
        mass(cuda, F::mass * sizes.nodes);
    Array<typename F::Real, Cuda> entries(cuda, stored ? stored_entries<F>(sizes.elements) : 0),
        sums(cuda, stored ? stored_sums<F>(sizes.elements) : 0);
    double const bytes = static_cast<double>(minimal_bytes<F>(sizes));
    std::printf("%s, %s: floor %.1f us (%.1f MB)\n", name, P::name, 1e6 * bytes / floor_bandwidth,
                1e-6 * bytes);
    for (auto const way : every_way) {
      if (way == Way::elements || !way_is_built<Cuda, F>(way) || !options.with_way(name_of(way))) continue;
      auto const run = [&](std::string const& label, std::int32_t rows) {
        try {
          Plan<Cuda> const plan(cuda, device.mesh, way, rows);
          report(label.c_str(), bytes, [&] {
            assemble(cuda, plan, device.mesh, form,
                     Target<F>{value.view().data(), right.view().data(), mass.view().data()},
                     {entries.view().data(), sums.view().data()});
          });
        } catch (InputError const& error) {
          std::printf("  %-14s %s\n", label.c_str(), error.what());
        }
      };
      auto const sizes_of_patch = [&]() -> std::vector<std::int32_t> {
        if (way == Way::patches) return {8, 16, 24, 32, 40, 48, 56, 64, 80, 96};
        if (way == Way::visits) return {4, 8, 12, 16, 24};
        return {};
      }();
      if (sizes_of_patch.empty()) run(name_of(way), 1);
      for (auto const rows : sizes_of_patch) {
        run(std::string(name_of(way)) + ", " + std::to_string(rows), rows);
      }
    }
  }

 private:
  template <class Work>
  void report(char const* name, double bytes, Work const& work) {
    std::vector<double> seconds(21);
    work();
    for (auto& time : seconds) {
      flush.fill_zero();
      time = bench::seconds_of(cuda, work);
    }
    bench::Times const times(seconds);
    std::printf("  %-14s %9.1f  [%.1f, %.1f] us, %.2f times the floor\n", name, 1e6 * times.median,
                1e6 * times.least, 1e6 * times.most, times.median / (bytes / floor_bandwidth));
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    auto const options = bench::options_of(
        argc, argv, "bench_fem [CELLS, 2 to 160] [--threads N] [--matrix WORD] [--policy NAME] [--way NAME]");
    Stream const stream;
    auto cuda = stream.executor();
    if (options.threads > 1) cuda.block = options.threads;
    Bench bench{cuda, options};
    std::printf("%d tetrahedra, %d nodes\n", bench.box.elements(), bench.box.nodes());
    bench.policies<ScalarForm>("scalar, isotropic", DevicePolicies());
    bench.policies<TensorScalarForm>("scalar, tensor", DevicePolicies());
    bench.matrix<QuadratureAdvectionDiffusion<Fp64>>("scalar, tensor, 11 points");
    bench.policies<SharedMomentum>("momentum, shared block", DevicePolicies());
    bench.policies<FullMomentum>("momentum, full blocks", DevicePolicies());
    bench.policies<CompressibleDivergence>("divergence, compressible", DevicePolicies());
    bench.policies<PressureDiffusion>("pressure diffusion", DevicePolicies());
    bench.matrix<QuadraturePressureDiffusion<Fp64>>("pressure diffusion, 11 points");
    bench.policies<ProjectionMatrix>("projection", DevicePolicies());
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
