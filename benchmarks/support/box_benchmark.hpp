// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "core/exec/device.hpp"
#include "core/model/model.hpp"

/// Times whole steps of a model and its stages: what the benchmarks of cores on boxes of cells have in
/// common.
namespace ulpine::bench {

/// What a core's benchmark is: a case on nx x ny x nz cells.
struct BoxBenchmark {
  char const* program;
  std::function<std::string(int const (&n)[3])> case_text;
  char const* field;  ///< read to wait for a device
  std::vector<Assembly> assemblies;
  /// Prints what else the stages' costs tell; may be empty.
  std::function<void(std::vector<StageCost> const&)> summary = {};
};

/// A step is the median of 15 (5 on the host), by the clock, waiting for each, after three; a stage the mean
/// of its launches in those steps in which each is timed.
inline void run(BoxBenchmark const& benchmark, std::string const& device, std::string const& policy,
                Assembly assembly, int const (&n)[3]) {
  auto const case_file = io::CaseFile::parse(benchmark.case_text(n), "bench");
  ModelOptions options{.policy = policy, .assembly = assembly};
  auto const colon = device.find(':');
  if (device.starts_with("cpu")) {
    if (colon != std::string::npos) options.threads = std::atoi(device.c_str() + colon + 1);
  } else {
    options.device = device;
  }
  auto const model = make_model(case_file, options);
  auto const cells = static_cast<double>(model->cells());
  auto const wait = [&] {
    double value = 0;
    model->read(benchmark.field, 0, 1, ValueType::float64, &value);
  };
  model->advance(3);
  wait();
  auto const repetitions = options.device == "cpu" ? 5 : 15;
  std::vector<double> times;
  for (int k = 0; k < repetitions; ++k) {
    auto const begin = std::chrono::steady_clock::now();
    model->advance(1);
    wait();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  auto const median = times[times.size() / 2];
  std::printf("%-6s %-13s %dx%dx%d step %9.3f [%.3f, %.3f] ms %8.4f ns/cell  %.1f bytes/cell%s\n",
              policy.c_str(), name_of(assembly), n[0], n[1], n[2], 1e3 * median, 1e3 * times.front(),
              1e3 * times.back(), 1e9 * median / cells, static_cast<double>(model->memory_bytes()) / cells,
              model->invalid_value().c_str());
  auto const copy = copy_bandwidth(device_ordinal(options.device));
  auto const costs = model->costs();
  for (auto const& cost : costs) {
    if (cost.launches == 0) continue;
    auto const seconds = cost.seconds / static_cast<double>(cost.launches);
    auto const bytes = cost.bytes / static_cast<double>(cost.launches);
    std::printf("  %-28s %9.1f us %8.4f ns/cell", cost.name.c_str(), 1e6 * seconds, 1e9 * seconds / cells);
    if (copy > 0) {
      std::printf(" %6.0f GB/s %5.1f %% of copy", 1e-9 * bytes / seconds, 100 * bytes / seconds / copy);
    }
    std::printf("\n");
  }
  if (benchmark.summary) benchmark.summary(costs);
  std::fflush(stdout);
}

/// DEVICE POLICY,... NX NY NZ.
inline int main_of(BoxBenchmark const& benchmark, int argc, char** argv) {
  try {
    if (argc != 6) {
      std::fprintf(stderr, "%s DEVICE POLICY,... NX NY NZ\n", benchmark.program);
      return 2;
    }
    int const n[] = {std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5])};
    std::istringstream policies(argv[2]);
    for (std::string policy; std::getline(policies, policy, ',');) {
      for (auto const assembly : benchmark.assemblies) run(benchmark, argv[1], policy, assembly, n);
    }
    return 0;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", benchmark.program, error.what());
    return 2;
  }
}

}  // namespace ulpine::bench
