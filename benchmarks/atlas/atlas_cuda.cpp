// SPDX-License-Identifier: Apache-2.0
// Measures which changes keep the bits of the building blocks that a GPU's libraries offer, one row a
// question, written to standard output as lines of JSON: docs/contributing/atlas.md says how to run it on
// another card.
//
//     atlas_cuda > card.jsonl            atlas_cuda --only cufft
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "card.hpp"
#include "children.hpp"

namespace {

using namespace ulpine::atlas;

constexpr std::pair<char const*, void (*)(Rows&)> groups[] = {
    {"cufft", fft_rows},          {"cublas", blas_rows},     {"cublaslt", blas_lt_rows},
    {"cusparse", sparse_rows},    {"cusolver", solver_rows}, {"curand", random_rows},
    {"sums", sum_rows},           {"atomics", atomic_rows},  {"tensor-cores", tensor_rows},
    {"functions", function_rows}, {"nccl", nccl_rows},
};

std::string card_name() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "no card");
  return properties.name;
}

std::string driver_version() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "the driver");
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  try {
    if (argc == 4 && std::strcmp(argv[1], "--nccl-sums") == 0) return nccl_sums(std::atoi(argv[2]), argv[3]);
    if (argc == 3 && std::strcmp(argv[1], "--cublas-products") == 0) return blas_products(argv[2]);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "atlas_cuda: %s\n", error.what());
    return 1;
  }
  if (argc == 3 && std::strcmp(argv[1], "--only") == 0) only = argv[2];
  if (argc != 1 && only.empty()) {
    std::fprintf(stderr, "usage: atlas_cuda [--only GROUP], GROUP one of");
    for (auto const& [name, measure] : groups) std::fprintf(stderr, " %s", name);
    std::fprintf(stderr, "\n");
    return 2;
  }
  try {
    Rows rows(card_name(), driver_version(), "atlas_cuda");
    int version = 0;
    check(cudaRuntimeGetVersion(&version), "the runtime");
    rows.version("CUDA", std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
    bool known = only.empty();
    for (auto const& [name, measure] : groups) {
      if (!only.empty() && only != name) continue;
      known = true;
      rows.group(name);
      rows.measure(name, [&] { measure(rows); });
    }
    if (!known) {
      std::fprintf(stderr, "atlas_cuda: %s is no group of rows\n", only.c_str());
      return 2;
    }
    std::fprintf(stderr, "%d rows\n", rows.count());
    return rows.count() > 0 ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "atlas_cuda: nothing was measured (%s)\n", error.what());
    return 1;
  }
}
