// SPDX-License-Identifier: Apache-2.0
// A step of the large-eddy core and its stages, dry convection with sub-grid energy over flat ground.
//   bench_les cuda fp32,fp64,mixed 512 512 128      on a GPU
//   bench_les cpu:1 fp64 128 128 128                on the host with one thread
// A step is the median of 15 (5 on the host), by the clock, waiting for each; a stage the mean of its three
// launches in a step in which each is timed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "core/exec/device.hpp"
#include "core/les/register.hpp"
#include "core/model/model.hpp"

namespace {

using namespace ulpine;

std::vector<std::string> parts(std::string const& text) {
  std::vector<std::string> all(1);
  for (char const letter : text) {
    if (letter == ',') {
      all.emplace_back();
    } else {
      all.back() += letter;
    }
  }
  return all;
}

void bench(std::string const& device, std::string const& policy, Assembly assembly, int const (&n)[3]) {
  auto const text = [](int value) { return std::to_string(value); };
  auto const case_file = io::CaseFile::parse(
      "core = 'les'\n[grid]\nnx = " + text(n[0]) + "\nny = " + text(n[1]) + "\nnz = " + text(n[2]) +
          "\ndx = 10\ndy = 10\ndz = 10\n[time]\nstep = '0.5 s'\n[profile.theta]\nheights = [0, 600, "
          "1300]\nkelvin = [300, 300, 304]\n[ground]\nheat_flux = 0.1\n[start]\nnoise_wind = "
          "0.5\nnoise_theta = 0.1\n",
      "bench");
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
    model->read("theta", 0, 1, ValueType::float64, &value);
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
              model->not_finite().c_str());
  auto const copy = copy_bandwidth(device_ordinal(options.device));
  double all = 0, pressure = 0;
  for (auto const& cost : model->costs()) {
    if (cost.launches == 0) continue;
    all += cost.seconds;
    if (cost.name.find(".pressure.") != std::string::npos) pressure += cost.seconds;
    auto const seconds = cost.seconds / static_cast<double>(cost.launches);
    auto const bytes = cost.bytes / static_cast<double>(cost.launches);
    std::printf("  %-28s %9.1f us %8.4f ns/cell", cost.name.c_str(), 1e6 * seconds, 1e9 * seconds / cells);
    if (copy > 0)
      std::printf(" %6.0f GB/s %5.1f %% of copy", 1e-9 * bytes / seconds, 100 * bytes / seconds / copy);
    std::printf("\n");
  }
  std::printf("  projection: %.1f %% of the stages' time\n", 100 * pressure / all);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 6) {
      std::fprintf(stderr, "bench_les DEVICE POLICY,... NX NY NZ\n");
      return 2;
    }
    les::register_core();
    int const n[] = {std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5])};
    for (auto const& policy : parts(argv[2])) {
      for (auto const assembly : {Assembly::atomic, Assembly::deterministic})
        bench(argv[1], policy, assembly, n);
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "bench_les: %s\n", error.what());
    return 2;
  }
}
