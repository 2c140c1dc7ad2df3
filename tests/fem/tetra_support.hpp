// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/mesh/connectivity.hpp"
#include "tests/support/random_values.hpp"

namespace ulpine::test {

/// Tetrahedra of the tests' own with their connectivity, in plain steps.
struct TetraBox {
  std::vector<double> position;  ///< 3 a node
  std::vector<std::int32_t> element;
  std::vector<std::array<std::int32_t, 3>> boundary;  ///< triangles, outward

  std::vector<std::int32_t> row_start, column, visit_start, place;
  std::vector<Visit> visit;
  std::vector<std::uint32_t> slot;

  std::int32_t nodes() const { return static_cast<std::int32_t>(position.size() / 3); }
  std::int32_t elements() const { return static_cast<std::int32_t>(element.size() / 4); }

  void connect() {
    std::vector<std::vector<std::uint32_t>> at(static_cast<std::size_t>(nodes()));
    for (std::size_t k = 0; k < element.size(); ++k) {
      at[element[k]].push_back(static_cast<std::uint32_t>(k));
    }
    row_start = visit_start = {0};
    column.clear(), visit.clear(), slot.clear();
    place.assign(4 * element.size(), 0);
    for (auto const& visits : at) {
      std::vector<std::int32_t> neighbours;
      for (auto const k : visits) {
        for (std::uint32_t j = 0; j < 4; ++j) neighbours.push_back(element[k / 4 * 4 + j]);
      }
      std::sort(neighbours.begin(), neighbours.end());
      neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
      for (auto const k : visits) {
        std::uint32_t packed = 0;
        for (std::uint32_t j = 0; j < 4; ++j) {
          auto const found = std::lower_bound(neighbours.begin(), neighbours.end(), element[k / 4 * 4 + j]) -
                             neighbours.begin();
          packed |= static_cast<std::uint32_t>(found) << (8 * j);
          place[4 * k + j] = row_start.back() + static_cast<std::int32_t>(found);
        }
        visit.push_back({k});
        slot.push_back(packed);
      }
      column.insert(column.end(), neighbours.begin(), neighbours.end());
      row_start.push_back(static_cast<std::int32_t>(column.size()));
      visit_start.push_back(static_cast<std::int32_t>(visit.size()));
    }
  }

  TetraConnectivity view() const {
    return {nodes(),      elements(),  element.data(), visit_start.data(),
            visit.data(), slot.data(), place.data(),   {nodes(), nodes(), row_start.data(), column.data()}};
  }
};

/// A box of nx x ny x nz cells cut into six tetrahedra each (Kuhn), inner nodes moved by up to `jitter` of a
/// cell; nodes in the order of their cells' space-filling curve, elements by their smallest node.
inline TetraBox kuhn_box(int nx, int ny, int nz, std::array<double, 3> length, double jitter,
                         std::uint64_t seed = 1) {
  TetraBox box;
  RandomValues random(seed);
  int const px = nx + 1, py = ny + 1, pz = nz + 1;
  auto const spread = [](std::uint64_t x) {
    std::uint64_t out = 0;
    for (int bit = 0; bit < 10; ++bit) out |= (x >> bit & 1) << (3 * bit);
    return out;
  };
  std::vector<std::int32_t> order(static_cast<std::size_t>(px * py * pz)), name(order.size());
  std::iota(order.begin(), order.end(), 0);
  auto const curve = [&](std::int32_t a) {
    return spread(static_cast<std::uint64_t>(a % px)) | spread(static_cast<std::uint64_t>(a / px % py)) << 1 |
           spread(static_cast<std::uint64_t>(a / px / py)) << 2;
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return curve(a) < curve(b); });
  for (std::size_t k = 0; k < order.size(); ++k) name[order[k]] = static_cast<std::int32_t>(k);
  box.position.resize(3 * order.size());
  int const cells[3] = {nx, ny, nz};
  for (std::int32_t a = 0; a < px * py * pz; ++a) {
    int const index[3] = {a % px, a / px % py, a / px / py};
    bool const inner = index[0] % nx != 0 && index[1] % ny != 0 && index[2] % nz != 0;
    for (int d = 0; d < 3; ++d) {
      double const shift = random.between(-jitter, jitter);
      box.position[3 * name[a] + d] = (index[d] + (inner ? shift : 0)) * length[d] / cells[d];
    }
  }
  constexpr int path[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  std::vector<std::array<std::int32_t, 4>> all;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        for (int p = 0; p < 6; ++p) {
          int at[3] = {i, j, k};
          std::array<std::int32_t, 4> nodes{};
          for (int step = 0; step < 4; ++step) {
            nodes[step] = name[(at[2] * py + at[1]) * px + at[0]];
            if (step < 3) ++at[path[p][step]];
          }
          bool const odd = p == 1 || p == 2 || p == 5;
          if (odd) std::swap(nodes[2], nodes[3]);
          all.push_back(nodes);
        }
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) {
    auto const low = [](auto const& q) { return *std::min_element(q.begin(), q.end()); };
    auto const high = [](auto const& q) { return *std::max_element(q.begin(), q.end()); };
    return std::array{low(a), high(a)} < std::array{low(b), high(b)};
  });
  std::vector<std::pair<std::array<std::int32_t, 3>, std::array<std::int32_t, 3>>> faces;
  constexpr int opposite[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};  // outward
  for (auto const& nodes : all) {
    box.element.insert(box.element.end(), nodes.begin(), nodes.end());
    for (auto const& f : opposite) {
      std::array<std::int32_t, 3> const face{nodes[f[0]], nodes[f[1]], nodes[f[2]]};
      auto sorted = face;
      std::sort(sorted.begin(), sorted.end());
      faces.push_back({sorted, face});
    }
  }
  std::sort(faces.begin(), faces.end());
  for (std::size_t k = 0; k < faces.size(); ++k) {
    bool const shared = (k > 0 && faces[k - 1].first == faces[k].first) ||
                        (k + 1 < faces.size() && faces[k + 1].first == faces[k].first);
    if (!shared) box.boundary.push_back(faces[k].second);
  }
  box.connect();
  return box;
}

}  // namespace ulpine::test
