// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/exec/executor.hpp"
#include "core/exec/stream.hpp"
#include "core/exec/view.hpp"
#include "core/mesh/tetra_box.hpp"
#include "io/error.hpp"

/// What the benchmarks of meshes and assembly have in common.
namespace ulpine::bench {

/// A jittered box of 60 x 60 x 16 km of 6 cells^2 (cells + 1) tetrahedra in Morton order.
inline TetraMesh box_of(int cells) {
  BoxMesh box{cells, cells, cells + 1, {60000, 60000, 16000}};
  box.jitter = 0.125;
  auto mesh = box_mesh(box);
  renumber(mesh);
  return mesh;
}

inline View<std::int32_t const> elements_of(TetraMesh const& mesh) {
  return {mesh.element.data(), static_cast<std::int64_t>(mesh.element.size())};
}

struct Options {
  int cells = 45, threads = 1;
  std::vector<std::string> matrix, policy, way;

  bool with_matrix(std::string_view name) const { return matched(matrix, name, false); }
  bool with_policy(std::string_view name) const { return matched(policy, name, true); }
  bool with_way(std::string_view name) const { return matched(way, name, true); }

 private:
  static bool matched(std::vector<std::string> const& asked, std::string_view name, bool whole) {
    return asked.empty() || std::any_of(asked.begin(), asked.end(), [&](auto const& word) {
             return whole ? name == word : name.find(word) != name.npos;
           });
  }
};

/// [CELLS] [--threads N] [--matrix WORD] [--policy NAME] [--way NAME]; the last three may come again, and a
/// matrix is taken whose name has the word. InputError with `usage` otherwise.
inline Options options_of(int argc, char** argv, char const* usage, int least_threads = 1) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    std::string_view const word = argv[k];
    bool const followed = k + 1 < argc;
    if (word == "--threads" && followed) {
      options.threads = std::atoi(argv[++k]);
    } else if (word == "--matrix" && followed) {
      options.matrix.emplace_back(argv[++k]);
    } else if (word == "--policy" && followed) {
      options.policy.emplace_back(argv[++k]);
    } else if (word == "--way" && followed) {
      options.way.emplace_back(argv[++k]);
    } else {
      options.cells = std::atoi(argv[k]);
    }
  }
  if (options.cells < 2 || options.cells > 160 || options.threads < least_threads) throw InputError(usage);
  return options;
}

/// Of several runs' times, s.
struct Times {
  double median = 0, least = 0, most = 0;

  explicit Times(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    median = seconds[seconds.size() / 2], least = seconds.front(), most = seconds.back();
  }
};

template <class Work>
double seconds_of(Host, Work const& work) {
  auto const begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
/// By events of the stream.
template <class Work>
double seconds_of(Cuda cuda, Work const& work) {
  Event begin(cuda, Event::Timed::yes), end(cuda, Event::Timed::yes);
  begin.record(cuda);
  work();
  end.record(cuda);
  end.wait();
  return seconds_between(begin, end);
}

}  // namespace ulpine::bench
