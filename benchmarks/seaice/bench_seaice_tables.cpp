// SPDX-License-Identifier: Apache-2.0
// The tables by which Jendersie et al. 2025 compare: orders of sums (their Figure 9), the roofline (Figure 7,
// Table 4) and memory (Table 5), on the cyclone.
//   bench_seaice_tables cuda cg1-dg3 2048    a stage: median of 21 launches, each after 256 MB have been
//                                            written; a sub-step: a model step's 100 over 100, median of 5
//   bench_seaice_tables cpu:2 cg1-dg3 512    on the host with two threads: 15 calls, 3 model steps
//   bench_seaice_tables memory 256           bytes a cell of every space, policy and kind of maps
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/mesh/spaces.hpp"
#include "core/seaice/solver.hpp"
#include "io/error.hpp"
#include "tests/seaice/operations.hpp"
#include "timers.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;

struct Order {
  int cg, dg;
};
constexpr Order orders[] = {{1, 1}, {1, 3}, {1, 6}, {2, 1}, {2, 3}, {2, 6}};

Operations operations_of(Order order, stage::Id id) {
  Operations result;
  auto const take = [&]<class S>() {
    if (S::cg == order.cg && S::dg == order.dg) result = OperationModel<S>::of(id);
  };
  take.template operator()<Space<1, 1>>();
  take.template operator()<Space<1, 3>>();
  take.template operator()<Space<1, 6>>();
  take.template operator()<Space<2, 1>>();
  take.template operator()<Space<2, 3>>();
  take.template operator()<Space<2, 6>>();
  return result;
}

/// Operations a second at most, a fused one as two; 0 where nobody says.
double most_operations(HostTimer const&, bool /*single*/) { return 0; }
#if defined(ULPINE_HAS_CUDA)
double most_operations(CudaTimer const& timer, bool single) {
  int multiprocessors = 0, kilohertz = 0, major = 0, minor = 0;
  auto const ask = [&](cudaDeviceAttr attribute, int& value) {
    check_cuda(cudaDeviceGetAttribute(&value, attribute, timer.executor.ordinal), "device attribute");
  };
  ask(cudaDevAttrMultiProcessorCount, multiprocessors);
  ask(cudaDevAttrClockRate, kilohertz);
  ask(cudaDevAttrComputeCapabilityMajor, major);
  ask(cudaDevAttrComputeCapabilityMinor, minor);
  bool const known = major == 9 && minor == 0;  // 64 units of double and 128 of float a multiprocessor
  return known ? 2.0 * multiprocessors * (single ? 128 : 64) * 1e3 * kilohertz : 0;
}
#endif

template <class Timer>
double stage_time(Timer& timer, Solver& solver, Parameters const& parameters, char const* name) {
  std::vector<double> times;
  for (int k = 0; k < Timer::repetitions; ++k) {
    timer.flush();
    times.push_back(timer([&] { run_stage(solver, parameters, name); }));
  }
  return spread(times).median;
}

double counted_bytes(Solver& solver, char const* name) {
  for (auto const& known : solver.stages().times()) {
    if (known.name == name && known.launches > 0) return known.bytes / static_cast<double>(known.launches);
  }
  return 0;
}

template <class Timer>
void orders_of_sums(Timer& timer, Order order, int n) {
  struct Way {
    char const* name;
    Assembly assembly;
    SumOrder sums;
  };
  std::printf("sums, cg%d-dg%d, %d x %d: ns a cell\n%-7s %-13s %12s %12s\n", order.cg, order.dg, n, n,
              "policy", "sums", "divergence", "sub-step");
  for (char const* const policy : {"fp64", "mixed", "fp32"}) {
    for (auto const& way : {Way{"gather", Assembly::deterministic, SumOrder::gather},
                            Way{"atomic", Assembly::atomic, SumOrder::gather},
                            Way{"checkerboard", Assembly::deterministic, SumOrder::checkerboard},
                            Way{"rowwise", Assembly::deterministic, SumOrder::rowwise}}) {
      auto setup = cyclone_setup(n, order.cg, order.dg, 0);
      setup.parameters.sum_order = way.sums;
      auto const& parameters = setup.parameters;
      auto const solver = make_solver(timer.executor, policy, way.assembly, setup);
      std::int64_t step = 0;
      auto const advance = [&] {
        ++step;
        solver->take_step(step, static_cast<double>(step) * parameters.dt);
      };
      advance();
      advance();
      std::vector<double> whole;
      for (int k = 0; k < (Timer::repetitions > 15 ? 5 : 3); ++k) whole.push_back(timer(advance));
      auto const advection = stage_time(timer, *solver, parameters, "seaice.advect.update");
      auto const divergence = stage_time(timer, *solver, parameters, "seaice.divergence");
      double const a_cell = 1e9 / static_cast<double>(setup.mesh.cells());
      std::printf("%-7s %-13s %12.4f %12.4f\n", policy, way.name, divergence * a_cell,
                  (spread(whole).median - advection) / parameters.substeps * a_cell);
      std::fflush(stdout);
    }
  }
}

template <class Timer>
void roofline(Timer& timer, Order order, int n, double distortion) {
  auto const bandwidth = timer.copy_bandwidth();
  std::printf(
      "roofline, cg%d-dg%d, %d x %d, %s maps: a cell; bound: the longer of traffic at copy's speed and "
      "operations\n%-7s %-28s %8s %8s %8s %8s %8s %8s %8s\n",
      order.cg, order.dg, n, n, distortion == 0 ? "shared" : "stored", "policy", "stage", "bytes", "flop",
      "flop/B", "ns", "GB/s", "GFLOP/s", "of bound");
  for (char const* const policy : {"fp64", "mixed", "fp32"}) {
    auto const setup = cyclone_setup(n, order.cg, order.dg, distortion);
    auto const solver = make_solver(timer.executor, policy, Assembly::deterministic, setup);
    solver->take_step(1, setup.parameters.dt);
    for (auto const id : {stage::strain, stage::stress, stage::divergence, stage::velocity,
                          stage::strain_stress, stage::divergence_velocity, stage::strength}) {
      auto const* name = solver->name_of(id).c_str();
      double const cells = static_cast<double>(setup.mesh.cells());
      double const seconds = stage_time(timer, *solver, setup.parameters, name);
      double const bytes = counted_bytes(*solver, name), flop = cells * operations_of(order, id).total();
      // Of mixed the momentum is in double, and the fused stage with it.
      bool const momentum = id == stage::velocity || id == stage::divergence_velocity;
      bool const single =
          std::strcmp(policy, "fp32") == 0 || (std::strcmp(policy, "mixed") == 0 && !momentum);
      double const most = most_operations(timer, single);
      double const bound =
          bandwidth > 0 ? std::max(bytes / bandwidth, most > 0 ? flop / most : 0.0) / seconds : 0;
      std::printf("%-7s %-28s %8.1f %8.1f %8.3f %8.4f %8.0f %8.0f %7.1f%%\n", policy, name, bytes / cells,
                  flop / cells, flop / bytes, 1e9 * seconds / cells, 1e-9 * bytes / seconds,
                  1e-9 * flop / seconds, 100 * bound);
      std::fflush(stdout);
    }
  }
}

void memory(int n) {
  std::printf("bytes a cell on %d x %d cells: shared maps, stored maps, maps on the fly\n", n, n);
  for (auto const order : orders) {
    for (char const* const* policy = policy_names(); *policy != nullptr; ++policy) {
      auto const bytes = [&](double distortion, MapsKind maps) -> std::string {
        auto setup = cyclone_setup(n, order.cg, order.dg, distortion);
        setup.parameters.maps = maps;
        auto const solver = make_solver(Host{}, *policy, Assembly::deterministic, setup);
        if (solver == nullptr) return "-";
        char text[32];
        std::snprintf(text, sizeof text, "%.1f",
                      static_cast<double>(solver->fields().memory_bytes() + solver->other_bytes()) /
                          static_cast<double>(setup.mesh.cells()));
        return text;
      };
      try {
        auto const shared = bytes(0, MapsKind::constant);
        if (shared == "-") continue;
        std::printf("cg%d-dg%d %-6s %8s %8s %8s\n", order.cg, order.dg, *policy, shared.c_str(),
                    bytes(0.05, MapsKind::precomputed).c_str(), bytes(0.05, MapsKind::on_the_fly).c_str());
      } catch (EnvironmentError const& missing) {
        std::printf("cg%d-dg%d %-6s not measured: %s\n", order.cg, order.dg, *policy, missing.what());
      }
      std::fflush(stdout);
    }
  }
}

template <class Timer>
void tables(Timer& timer, Order order, int n) {
  roofline(timer, order, n, 0);
  roofline(timer, order, n, 0.05);
  orders_of_sums(timer, order, n);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string const place = argc > 1 ? argv[1] : "";
    if (argc == 3 && place == "memory") {
      memory(std::atoi(argv[2]));
      return 0;
    }
    Order order{};
    if (argc != 4 || std::sscanf(argv[2], "cg%d-dg%d", &order.cg, &order.dg) != 2) {
      std::fprintf(stderr, "usage: bench_seaice_tables cuda|cpu:THREADS SPACE SIZE, or memory SIZE\n");
      return 2;
    }
    int const n = std::atoi(argv[3]);
    if (place.starts_with("cpu:")) {
      HostTimer timer{Host{std::atoi(place.c_str() + 4)}};
      tables(timer, order, n);
      return 0;
    }
#if defined(ULPINE_HAS_CUDA)
    Stream const stream;
    CudaTimer timer(stream.executor());
    std::printf("copy within the device: %.0f GB/s; at most %.1f TFLOP/s in double, %.1f in float\n",
                1e-9 * timer.copy_bandwidth(), 1e-12 * most_operations(timer, false),
                1e-12 * most_operations(timer, true));
    tables(timer, order, n);
    return 0;
#else
    std::fprintf(stderr, "bench_seaice_tables: this build has no CUDA\n");
    return 3;
#endif
  } catch (std::exception const& error) {
    std::fprintf(stderr, "bench_seaice_tables: %s\n", error.what());
    return 3;
  }
}
