// SPDX-License-Identifier: Apache-2.0
// What it costs to take a model to another mesh: bench_remesh [CELLS (24)] [--threads N (1; 0: on a device)]
// [--policy NAME (fp64)]. From a jittered box of 6 CELLS^2 (CELLS + 1) tetrahedra with a bubble, after two
// steps, onto one of CELLS + CELLS / 8 and other jitter: seconds of each part of the first remeshing and of
// three more (median), the steps beside, and the mass of air before and after.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "benchmarks/fem/frame.hpp"
#include "core/fem/make.hpp"
#include "core/fem/remesh.hpp"
#include "core/field/operations.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fem;

Setup setup_of(int cells, int seed) {
  auto const n = std::to_string(cells);
  return read_case(io::CaseFile::parse(
      "core = 'fem'\n[mesh]\nnx = " + n + "\nny = " + n + "\nnz = " + std::to_string(cells + 1) +
          "\nlength = [20e3, 20e3, 16e3]\njitter = 0.125\nseed = " + std::to_string(seed) +
          "\n[time]\nstep = '5 s'\n[start]\namplitude = 2.0\ncentre_x = 10e3\ncentre_y = 10e3\n"
          "centre_z = 3e3\nradius_x = 3e3\nradius_y = 3e3\nradius_z = 2e3\n",
      "bench.toml"));
}

double mass_of(Core& core, char const* density = "rho") {
  auto const& rho = core.fields().at(density);
  return weighted_sum(rho.raw(), rho.broadcast(core.fields().at("cell_volume"))).to_double();
}

template <class Executor>
void bench_on(Executor executor, std::string const& policy, int cells) {
  using Clock = std::chrono::steady_clock;
  auto const since = [&](Clock::time_point begin) {
    synchronize(executor);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  auto const from = setup_of(cells, 1);
  auto const begin = Clock::now();
  auto const onto = setup_of(cells + cells / 8, 2);
  auto const read = since(begin);
  auto const core = make(executor, policy, Assembly::deterministic, from);
  if (core == nullptr) throw InputError("no such policy here");
  core->take_step(1, 0, 1e9);
  auto const step = Clock::now();
  core->take_step(2, 5, 1e9);
  auto const stepped = since(step);
  std::printf("from %d tetrahedra, %d nodes onto %d, %d\n", from.mesh.elements(), from.nodes(),
              onto.mesh.elements(), onto.nodes());

  std::vector<Remeshed> all;
  double mass = 0, reference = 0;
  for (int n = 0; n < 4; ++n) {
    all.push_back(remesh(executor, policy, Assembly::deterministic, from, *core, onto));
    mass = mass_of(*all.back().core);
    reference = mass_of(*all.back().core, "rho_reference");
    auto const again = Clock::now();
    if (n == 3) {
      all.back().core->take_step(1, 0, 1e9);
      std::printf("%-34s %10.4f s\n", "a step before", stepped);
      std::printf("%-34s %10.4f s\n", "the first step after", since(again));
    }
    all.back().core.reset();
  }
  std::printf("%-34s %10.4f s\n", "the case's new mesh (host)", read);
  auto const line = [&](char const* name, auto const& part) {
    std::vector<double> later;
    for (std::size_t n = 1; n < all.size(); ++n) later.push_back(part(all[n]));
    bench::Times const times(later);
    std::printf("%-34s %10.4f, then %.4f [%.4f, %.4f] s\n", name, part(all[0]), times.median, times.least,
                times.most);
  };
  line("search", [](Remeshed const& r) { return r.search; });
  line("interpolation", [](Remeshed const& r) { return r.interpolation; });
  line("connectivity", [](Remeshed const& r) { return r.built.connectivity; });
  line("plans of assembly", [](Remeshed const& r) { return r.built.plans; });
  line("solvers", [](Remeshed const& r) { return r.built.solvers; });
  line("fields and the rest", [](Remeshed const& r) { return r.built.rest; });
  line("all", [](Remeshed const& r) { return r.seconds(); });
  auto const before = mass_of(*core), rest = mass_of(*core, "rho_reference");
  std::printf("mass changed by %.2e of it, that of the column at rest by %.2e, the departure by %.2e\n",
              (mass - before) / before, (reference - rest) / before,
              (mass - reference - (before - rest)) / before);
  std::printf("%lld nodes outside, by %.3g m at most\n", static_cast<long long>(all[0].outside),
              all[0].farthest);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    auto options = bench::options_of(
        argc, argv, "bench_remesh [CELLS, 2 to 160] [--threads N (0: on a device)] [--policy NAME]", 0);
    if (options.policy.empty()) options.policy.emplace_back("fp64");
    for (auto const& policy : options.policy) {
      std::printf("%s, ", policy.c_str());
      if (options.threads > 0) {
        std::printf("host, %d threads\n", options.threads);
        bench_on(Host{options.threads}, policy, options.cells);
        continue;
      }
#if defined(ULPINE_HAS_CUDA)
      Stream const stream;
      std::printf("device\n");
      bench_on(stream.executor(), policy, options.cells);
#else
      throw InputError("built without CUDA (--threads 0 is on a device) give a number of threads");
#endif
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
