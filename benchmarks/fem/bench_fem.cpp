// SPDX-License-Identifier: Apache-2.0
// Assembly on a device: bench_fem [CELLS (45)]. The mesh of bench_fem_host; each matrix by each way, patches
// of several sizes: median and range of 21 runs, each after 256 MB have been written to empty the L2 cache,
// with the time that its least bytes take at 4.3 TB/s.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/fem/assembly.hpp"
#include "core/fem/traffic.hpp"
#include "io/error.hpp"
#include "tests/fem/flow.hpp"
#include "tests/fem/on_device.hpp"
#include "tests/fem/tetra_support.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fem;

constexpr double floor_bandwidth = 4.3e12;

struct Bench {
  Cuda cuda;
  test::TetraBox box;
  Array<std::byte, Cuda> flush;

  template <class F>
  void matrix(char const* name) {
    using P = typename F::Policy;
    test::Flow<P> const flow(box.position);
    test::OnDevice<P> device(cuda, box);
    auto const form = test::on_device(flow.template form<F>(box.element.data()), device, flow);
    MeshSizes const sizes{box.nodes(), box.elements(), static_cast<std::int64_t>(box.column.size())};
    Array<ValueOf<F>, Cuda> value(cuda, F::width * sizes.entries), right(cuda, F::right * sizes.nodes),
        mass(cuda, F::mass * sizes.nodes);
    Array<typename F::Real, Cuda> entries(cuda, stored_entries<F>(sizes.elements)),
        sums(cuda, stored_sums<F>(sizes.elements));
    double const bytes = static_cast<double>(minimal_bytes<F>(sizes));
    std::printf("%s, %s: floor %.1f us (%.1f MB)\n", name, P::name, 1e6 * bytes / floor_bandwidth,
                1e-6 * bytes);
    for (auto const way : every_way) {
      if (way == Way::elements) continue;
      auto const run = [&](std::string const& label, std::int32_t rows) {
        try {
          Plan<Cuda> const plan(cuda, box.view(), way, rows);
          report(label.c_str(), bytes, [&] {
            assemble(cuda, plan, device.mesh, form,
                     Target<F>{value.view().data(), right.view().data(), mass.view().data()},
                     {entries.view().data(), sums.view().data()});
          });
        } catch (InputError const& error) {
          std::printf("  %-14s %s\n", label.c_str(), error.what());
        }
      };
      if (way != Way::patches) {
        run(name_of(way), 1);
        continue;
      }
      for (std::int32_t const rows : {8, 16, 24, 32, 48, 64, 96}) {
        run(std::string(name_of(way)) + ", " + std::to_string(rows), rows);
      }
    }
  }

 private:
  template <class Work>
  void report(char const* name, double bytes, Work const& work) {
    Event begin(cuda, Event::Timed::yes), end(cuda, Event::Timed::yes);
    std::array<double, 21> seconds;
    work();
    for (auto& time : seconds) {
      flush.fill_zero();
      begin.record(cuda);
      work();
      end.record(cuda);
      end.wait();
      time = seconds_between(begin, end);
    }
    std::sort(seconds.begin(), seconds.end());
    double const median = seconds[seconds.size() / 2];
    std::printf("  %-14s %9.1f  [%.1f, %.1f] us, %.2f times the floor\n", name, 1e6 * median,
                1e6 * seconds.front(), 1e6 * seconds.back(), median / (bytes / floor_bandwidth));
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    int const cells = argc > 1 ? std::atoi(argv[1]) : 45;
    if (cells < 2 || cells > 160) throw InputError("bench_fem [CELLS, 2 to 160]");
    Stream const stream;
    auto const cuda = stream.executor();
    Bench bench{cuda, test::kuhn_box(cells, cells, cells + 1, {60000, 60000, 16000}, 0.2),
                Array<std::byte, Cuda>(cuda, 256 << 20)};
    std::printf("%d tetrahedra, %d nodes\n", bench.box.elements(), bench.box.nodes());
    bench.matrix<ScalarForm<Fp64>>("scalar, isotropic");
    bench.matrix<TensorScalarForm<Fp64>>("scalar, tensor");
    bench.matrix<TensorScalarForm<Fp32>>("scalar, tensor");
    bench.matrix<TensorScalarForm<Mixed>>("scalar, tensor");
    bench.matrix<QuadratureAdvectionDiffusion<Fp64>>("scalar, tensor, 11 points");
    bench.matrix<SharedMomentum<Fp64>>("momentum, shared block");
    bench.matrix<FullMomentum<Fp64>>("momentum, full blocks");
    bench.matrix<CompressibleDivergence<Fp64>>("divergence, compressible");
    bench.matrix<PressureDiffusion<Fp64>>("pressure diffusion");
    bench.matrix<ProjectionMatrix<Fp64>>("projection");
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
