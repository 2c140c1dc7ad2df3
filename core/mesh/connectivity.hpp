// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/linalg/csr.hpp"

namespace ulpine {

/// Which element of a tetrahedral mesh has a node, and as which of its four: a visit of the node.
struct Visit {
  std::uint32_t packed = 0;  ///< 4 times the element, plus the local node

  ULPINE_HD std::int32_t element() const { return static_cast<std::int32_t>(packed >> 2); }
  ULPINE_HD int local() const { return static_cast<int>(packed & 3U); }
};

/// Who meets whom on a mesh of tetrahedra with P1 nodes, at most 2^30 elements and 255 neighbours of a node.
/// The order of a node's visits, ascending in the element, is the order of every deterministic sum at that
/// node. A view: it owns nothing.
struct TetraConnectivity {
  std::int32_t nodes = 0, elements = 0;
  std::int32_t const* element = nullptr;      ///< 4 nodes an element, [4 * element + local]
  std::int32_t const* visit_start = nullptr;  ///< nodes + 1
  Visit const* visit = nullptr;               ///< visit_start[nodes], ascending at each node
  /// For each visit of node n: byte j is the place, counted from the row's start, of the element's local node
  /// j in row n.
  std::uint32_t const* slot = nullptr;
  /// For each element: [16 * element + 4 * i + j] is where entry (node i, node j) stands in the matrix.
  std::int32_t const* position = nullptr;
  CsrPattern pattern;  ///< nodes that share an element, each node with itself too
};

}  // namespace ulpine
