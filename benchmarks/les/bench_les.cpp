// SPDX-License-Identifier: Apache-2.0
// A step of the large-eddy core and its stages, dry convection with sub-grid energy over flat ground.
//   bench_les cuda fp32,fp64,mixed 512 512 128      on a GPU
//   bench_les cpu:1 fp64 128 128 128                on the host with one thread
#include <cstdio>
#include <string>
#include <vector>

#include "core/les/register.hpp"
#include "support/box_benchmark.hpp"

namespace {

using namespace ulpine;

std::string convection(int const (&n)[3]) {
  auto const text = [](int value) { return std::to_string(value); };
  return "core = 'les'\n[grid]\nnx = " + text(n[0]) + "\nny = " + text(n[1]) + "\nnz = " + text(n[2]) +
         "\ndx = 10\ndy = 10\ndz = 10\n[time]\nstep = '0.5 s'\n[profile.theta]\nheights = [0, 600, "
         "1300]\nkelvin = [300, 300, 304]\n[ground]\nheat_flux = 0.1\n[start]\nnoise_wind = "
         "0.5\nnoise_theta = 0.1\n";
}

void projection(std::vector<StageCost> const& costs) {
  double all = 0, pressure = 0;
  for (auto const& cost : costs) {
    all += cost.seconds;
    if (cost.name.find(".pressure.") != std::string::npos) pressure += cost.seconds;
  }
  std::printf("  projection: %.1f %% of the stages' time\n", 100 * pressure / all);
}

}  // namespace

int main(int argc, char** argv) {
  les::register_core();
  return bench::main_of(
      {"bench_les", convection, "theta", {Assembly::atomic, Assembly::deterministic}, projection}, argc,
      argv);
}
