// SPDX-License-Identifier: Apache-2.0
// Measures which changes keep the bits of the building blocks that a host's libraries offer, one row a
// question, written to standard output as lines of JSON: docs/contributing/atlas.md says how to run it on
// another machine.
//
//     atlas_host > host.jsonl            atlas_host --only fftw
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "host.hpp"

namespace ulpine::atlas {

namespace {

constexpr std::pair<char const*, void (*)(Rows&)> groups[] = {{"fftw", fftw_rows},
                                                              {"blas", blas_rows_of_host},
                                                              {"glibc", glibc_rows},
                                                              {"libmvec", libmvec_rows},
                                                              {"libgomp", openmp_rows}};

/// Name, family and model: clouds give processors of several generations one name.
std::string processor() {
  std::ifstream input("/proc/cpuinfo");
  std::string name = "a processor without a name", family = "?", model = "?";
  for (std::string line; std::getline(input, line) && !line.empty();) {
    auto const value = [&] { return line.substr(std::min(line.find(':') + 2, line.size())); };
    if (line.starts_with("model name")) {
      name = value();
    } else if (line.starts_with("cpu family")) {
      family = value();
    } else if (line.starts_with("model")) {
      model = value();
    }
  }
  return name + ", family " + family + ", model " + model;
}

}  // namespace
}  // namespace ulpine::atlas

int main(int argc, char** argv) {
  using namespace ulpine::atlas;
  try {
    if (argc == 4 && std::strcmp(argv[1], "--blas") == 0) return blas_child(argv[2], argv[3]);
    if (argc == 4 && std::strcmp(argv[1], "--glibc") == 0) return glibc_child(argv[2], argv[3]);
    std::string only;
    if (argc == 3 && std::strcmp(argv[1], "--only") == 0) only = argv[2];
    bool known = argc == 1;
    Rows rows(processor(), "", "atlas_host");
    for (auto const& [name, measure] : groups) {
      if (argc != 1 && only != name) continue;
      known = true;
      rows.group(name);
      rows.measure(name, [&, measure = measure] { measure(rows); });
    }
    if (!known) {
      std::fprintf(stderr, "usage: atlas_host [--only GROUP], GROUP one of");
      for (auto const& [name, measure] : groups) std::fprintf(stderr, " %s", name);
      std::fprintf(stderr, "\n");
      return 2;
    }
    std::fprintf(stderr, "%d rows\n", rows.count());
    return rows.count() > 0 ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "atlas_host: %s\n", error.what());
    return 1;
  }
}
