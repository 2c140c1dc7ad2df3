// SPDX-License-Identifier: Apache-2.0
// A step of the finite-difference core and its stages: a storm in sheared moist air with eddies' energy, open
// sides.
//   bench_fdm cuda fp64,fp32,mixed,tf32,bf16,fp16 512 512 128      on a GPU
//   bench_fdm cpu:1 fp64 64 64 64                                  on the host with one thread
#include <string>

#include "core/fdm/register.hpp"
#include "support/box_benchmark.hpp"

namespace {

std::string storm(int const (&n)[3]) {
  auto const text = [](int value) { return std::to_string(value); };
  return "core = 'fdm'\n[grid]\nnx = " + text(n[0]) + "\nny = " + text(n[1]) + "\nnz = " + text(n[2]) +
         "\ndx = 500.0\ndz = " + std::to_string(20e3 / n[2]) +
         "\n[time]\nstep = '3 s'\n[sound]\nlongest_step = '0.5 s'\n[boundary]\nwest = 'open'\neast = 'open'\n"
         "south = 'open'\nnorth = 'open'\n[air]\nhumid = true\n[base]\nkind = 'weisman_klemp'\nhumidity = "
         "0.014\n"
         "u = -12.0\nu_aloft = 25.0\nshear_depth = 3000.0\n[mixing]\nclosure = 'energy'\nfourth_order = "
         "5e-4\n"
         "[sponge]\nfrom = 14000.0\nrate = 0.0033\n[start]\nkind = 'bubble'\namplitude = 3.0\ncentre_z = "
         "1500.0\n"
         "radius_x = 10000.0\nradius_z = 1500.0\n";
}

}  // namespace

int main(int argc, char** argv) {
  ulpine::fdm::register_core();
  return ulpine::bench::main_of({"bench_fdm", storm, "theta", {ulpine::Assembly::deterministic}}, argc, argv);
}
