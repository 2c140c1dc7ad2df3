// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/mesh/connectivity.hpp"

/// What the ways of assembly must know of a mesh besides its connectivity, from the host's memory.
namespace ulpine::fem {

/// Elements colour by colour, ascending in each; greedy in order of the elements. InputError where a node has
/// so many elements that 255 colours do not do.
struct ColourLists {
  std::vector<std::int32_t> start, element;
};
ColourLists colour_elements(TetraConnectivity const& mesh);

/// Each entry's contributions 16 e + 4 i + j, ascending.
struct EntryLists {
  std::vector<std::int32_t> start, contribution;
};
EntryLists list_entries(TetraConnectivity const& mesh);

/// Patches of `rows` rows, as Patches has them. InputError where a patch has more elements than its 16-bit
/// places can name.
struct PatchLists {
  std::int32_t rows, most_elements;
  std::vector<std::int32_t> start, element, entry_start;
  std::vector<std::uint16_t> contribution, visit;
};
PatchLists list_patches(TetraConnectivity const& mesh, std::int32_t rows);

}  // namespace ulpine::fem
