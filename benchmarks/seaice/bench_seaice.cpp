// SPDX-License-Identifier: Apache-2.0
// The sea-ice sub-step, its stages and the advection step on the cyclone benchmark (uniform mesh).
//   bench_seaice cuda 128 512 1024 2048     on a GPU: a stage is the median of 21 launches, each after 256 MB
//                                           were written to empty the L2 cache; a sub-step is a model step's
//                                           100 (one graph) over 100, the median of 5 model steps, L2 as it
//                                           is
//   bench_seaice cpu:1 128 512              on the host with one thread: medians of 3 model steps, and of a
//                                           stage's 15 calls
//   bench_seaice cpu:1 --space cg2-dg6 128  of another order than cg1-dg3
//   bench_seaice cpu:1 --distorted 128      on distorted cells, whose matrices are stored
//   bench_seaice cpu:1 --on-the-fly 128     on distorted cells, whose matrices are made where they are needed
//   bench_seaice cpu:1 --policy fp64 128    of one policy, with deterministic assembly
//   bench_seaice cuda --trace 128           a model step untraced and traced into a file, by the clock: the
//                                           median of 5 runs of 20 steps (after one that records the graphs),
//                                           to the last byte in the file
//   bench_seaice cuda --batch 1,4,8,24 128  model steps of as many members of a study side by side, by the
//                                           clock: the median of 5 runs of 20 steps (after one that records
//                                           the graphs)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/device.hpp"
#include "core/exec/stream.hpp"
#include "core/seaice/solver.hpp"
#include "core/stage/trace.hpp"
#include "io/trace_file.hpp"
#include "timers.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;

/// What is asked for on the command line.
struct Wanted {
  std::vector<int> sizes;
  std::vector<std::string> policies = {"fp64", "fp32", "mixed"};
  std::vector<Assembly> assemblies = {Assembly::deterministic, Assembly::atomic};
  int cg = 1, dg = 3;
  double distortion = 0;
  MapsKind maps = MapsKind::automatic;
  bool trace = false;
  std::vector<int> batch = {};  ///< numbers of members side by side; empty: none
};

Setup setup_of(int n, Wanted const& wanted) {
  auto setup = cyclone_setup(n, wanted.cg, wanted.dg, wanted.distortion);
  setup.parameters.maps = wanted.maps;
  return setup;
}

template <class Timer>
void bench(Timer& timer, char const* policy, Assembly assembly, int n, Wanted const& wanted) {
  auto const setup = setup_of(n, wanted);
  auto const& parameters = setup.parameters;
  auto const solver = make_solver(timer.executor, policy, assembly, setup);
  if (solver == nullptr) return;
  auto const cells = static_cast<double>(setup.mesh.cells());

  std::int64_t step = 0;
  auto const advance = [&] {
    ++step;
    solver->take_step(step, static_cast<double>(step) * parameters.dt);
  };
  advance();
  advance();
  std::vector<double> whole;
  for (int k = 0; k < (Timer::repetitions > 15 ? 5 : 3); ++k) {
    whole.push_back(timer(advance));
  }
  auto const model_step = spread(whole);
  auto const row = [&](char const* name, Spread time, double bytes) {
    std::printf("%-6s %-13s %5d %-28s %10.2f [%.2f, %.2f] us %8.4f ns/element", policy, name_of(assembly), n,
                name, 1e6 * time.median, 1e6 * time.least, 1e6 * time.most, 1e9 * time.median / cells);
    if (bytes > 0 && timer.copy_bandwidth() > 0) {
      std::printf(" %6.0f GB/s %5.1f %% of copy", 1e-9 * bytes / time.median,
                  100 * bytes / time.median / timer.copy_bandwidth());
    }
    std::printf("\n");
    std::fflush(stdout);
  };
  row("model step", model_step, 0);
  // Stages that run within others' calls only: the mean of the step that is timed launch by launch, L2 as it
  // is.
  for (auto const& known : solver->stages().times()) {
    auto const& name = known.name;
    if (known.timed == 0 || (name != "seaice.substeps" && !name.starts_with("seaice.advect.stage") &&
                             name != "seaice.advect.velocities")) {
      continue;
    }
    auto const mean = known.seconds / static_cast<double>(known.timed);
    row(name.c_str(), {mean, mean, mean}, known.bytes / static_cast<double>(known.launches));
  }

  auto const stage = [&](char const* name) {
    if (!run_stage(*solver, parameters, name)) {
      return Spread{0, 0, 0};
    }
    std::vector<double> times;
    for (int k = 0; k < Timer::repetitions; ++k) {
      timer.flush();
      times.push_back(timer([&] { run_stage(*solver, parameters, name); }));
    }
    return spread(times);
  };
  auto const advection = stage("seaice.advect.update");
  row("advection of H and A (RK2)", advection, 0);
  double sub_step = 0;
  bool const gathered = assembly == Assembly::deterministic;
  for (char const* const name : {"seaice.strain", "seaice.stress", "seaice.divergence", "seaice.velocity",
                                 "seaice.boundary", "seaice.strain_stress", "seaice.divergence_velocity"}) {
    if (!gathered && std::strcmp(name, "seaice.divergence_velocity") == 0) {
      continue;
    }
    auto const time = stage(name);
    double bytes = 0;
    for (auto const& known : solver->stages().times()) {
      if (known.name == name && known.launches > 0) {
        bytes = known.bytes / static_cast<double>(known.launches);
      }
    }
    row(name, time, bytes);
    bool const fused = std::strcmp(name, "seaice.strain_stress") == 0 ||
                       std::strcmp(name, "seaice.divergence_velocity") == 0;
    bool const part = fused || (!gathered && std::strcmp(name, "seaice.strain") != 0 &&
                                std::strcmp(name, "seaice.stress") != 0);
    sub_step += part ? time.median : 0;
  }
  row("sub-step, sum of its stages", {sub_step, sub_step, sub_step}, 0);
  auto const in_graph = [&](double step, double transport) {
    return (step - transport) / parameters.substeps;
  };
  row("sub-step, in a model step",
      {in_graph(model_step.least, advection.least), in_graph(model_step.median, advection.median),
       in_graph(model_step.most, advection.most)},
      0);
}

/// The step after `step` that is given as most are: every 64th is timed launch by launch.
std::int64_t common_step_after(std::int64_t step) { return (step + 1) % 64 == 0 ? step + 2 : step + 1; }

/// Seconds of 5 runs by the clock, after one.
template <class Work>
Spread clocked(Work const& work) {
  work();
  std::vector<double> times;
  for (int k = 0; k < 5; ++k) times.push_back(HostTimer{}(work));
  return spread(times);
}

template <class Timer>
void bench_trace(Timer& timer, char const* policy, Assembly assembly, int n, Wanted const& wanted) {
  constexpr int steps = 20;
  auto const setup = setup_of(n, wanted);
  auto const solver = make_solver(timer.executor, policy, assembly, setup);
  std::int64_t step = 2;  // the second is timed launch by launch, as every 64th
  auto const run = [&] {
    for (int k = 0; k < steps; ++k) {
      step = common_step_after(step);
      solver->take_step(step, static_cast<double>(step) * setup.parameters.dt);
    }
    synchronize(timer.executor);
  };
  auto const untraced = clocked(run);

  auto const path = std::filesystem::temp_directory_path() / "ulpine_bench_trace.bin";
  Spread traced{};
  {
    io::TraceWriter writer(path, {}, "");
    auto const recorder = make_trace_recorder(writer);
    solver->stages().observe(recorder.get());
    traced = clocked([&] {
      run();
      recorder->flush();
      writer.flush();
    });
    solver->stages().observe(nullptr);
    writer.close();
  }
  auto const bytes = static_cast<double>(std::filesystem::file_size(path)) / (6 * steps);
  std::filesystem::remove(path);
  for (auto const& [name, time] : {std::pair{"untraced", untraced}, std::pair{"traced", traced}}) {
    std::printf("%-6s %-13s %5d model step %-9s %10.1f [%.1f, %.1f] us\n", policy, name_of(assembly), n, name,
                1e6 / steps * time.median, 1e6 / steps * time.least, 1e6 / steps * time.most);
  }
  std::printf("%-6s %-13s %5d traced / untraced %.2f, %.2f MB a step\n", policy, name_of(assembly), n,
              traced.median / untraced.median, 1e-6 * bytes);
  std::fflush(stdout);
}

#if defined(ULPINE_HAS_CUDA)
/// Model steps of `count` members side by side, each on a stream of its own and given its steps in turn, as
/// studies give them; of one, as a member has them alone.
void bench_members(std::string const& policy, int count, int n, Wanted const& wanted) {
  constexpr int steps = 20;
  auto setup = setup_of(n, wanted);
  setup.parameters.sharers = count;
  std::vector<Stream> streams;
  std::vector<std::unique_ptr<Solver>> solvers;
  for (int m = 0; m < count; ++m) {
    streams.emplace_back();
    solvers.push_back(make_solver(streams.back().executor(), policy, Assembly::deterministic, setup));
  }
  std::int64_t step = 2;
  auto const time = clocked([&] {
    for (int k = 0; k < steps; ++k) {
      step = common_step_after(step);
      for (auto& solver : solvers) {
        solver->take_step(step, static_cast<double>(step) * setup.parameters.dt);
      }
    }
    for (auto const& stream : streams) synchronize(stream.executor());
  });
  auto const substeps = static_cast<double>(steps * setup.parameters.substeps * count);
  std::printf(
      "%-6s %5d %3d members %7.3f [%.3f, %.3f] us a member and sub-step, %7.4f ns/element, bits %016llx\n",
      policy.c_str(), n, count, 1e6 * time.median / substeps, 1e6 * time.least / substeps,
      1e6 * time.most / substeps, 1e9 * time.median / substeps / static_cast<double>(setup.mesh.cells()),
      static_cast<unsigned long long>(solvers.back()->fields().state_hash()));
  std::fflush(stdout);
}
#endif

template <class Timer>
void bench_all(Timer& timer, Wanted const& wanted) {
  for (int const n : wanted.sizes) {
    for (auto const& policy : wanted.policies) {
      for (auto const assembly : wanted.assemblies) {
        (wanted.trace ? bench_trace<Timer> : bench<Timer>)(timer, policy.c_str(), assembly, n, wanted);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) {
      std::fprintf(stderr,
                   "usage: bench_seaice cuda|cpu:THREADS [--trace|--batch COUNT,...] "
                   "[--distorted|--on-the-fly] [--policy NAME] [--space cgN-dgM] SIZE...\n");
      return 2;
    }
    Wanted wanted;
    for (int k = 2; k < argc; ++k) {
      std::string const word = argv[k], next = k + 1 < argc ? argv[k + 1] : "";
      if (word == "--trace") {
        wanted.trace = true;
      } else if (word == "--batch") {
        std::istringstream counts(next);
        for (std::string count; std::getline(counts, count, ',');) wanted.batch.push_back(std::stoi(count));
        ++k;
      } else if (word == "--distorted") {
        wanted.distortion = 0.05;
      } else if (word == "--on-the-fly") {
        wanted.distortion = 0.05;
        wanted.maps = MapsKind::on_the_fly;
        wanted.assemblies = {Assembly::deterministic};
      } else if (word == "--policy") {
        wanted.policies = {next};
        wanted.assemblies = {Assembly::deterministic};
        ++k;
      } else if (word == "--space") {
        if (std::sscanf(next.c_str(), "cg%d-dg%d", &wanted.cg, &wanted.dg) != 2) {
          std::fprintf(stderr, "bench_seaice: no space '%s' (it is like cg2-dg6)\n", next.c_str());
          return 2;
        }
        ++k;
      } else {
        wanted.sizes.push_back(std::atoi(argv[k]));
      }
    }
    std::string const place = argv[1];
    if (place.starts_with("cpu:")) {
      if (!wanted.batch.empty()) {
        std::fprintf(stderr, "bench_seaice: members go side by side on a GPU only\n");
        return 2;
      }
      HostTimer timer{Host{std::atoi(place.c_str() + 4)}};
      bench_all(timer, wanted);
      return 0;
    }
#if defined(ULPINE_HAS_CUDA)
    Stream const stream;
    CudaTimer timer(stream.executor());
    std::printf("copy within the device: %.0f GB/s\n", 1e-9 * timer.copy_bandwidth());
    for (auto const& policy : wanted.policies) {
      for (int const n : wanted.sizes) {
        for (int const count : wanted.batch) bench_members(policy, count, n, wanted);
      }
    }
    if (wanted.batch.empty()) bench_all(timer, wanted);
    return 0;
#else
    std::fprintf(stderr, "bench_seaice: this build has no CUDA\n");
    return 3;
#endif
  } catch (std::exception const& error) {
    std::fprintf(stderr, "bench_seaice: %s\n", error.what());
    return 3;
  }
}
