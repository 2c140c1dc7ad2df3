// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/delta_debugging.hpp"

#include <algorithm>
#include <utility>

namespace ulpine::ensembles::search {
namespace {

/// `items` in `parts` runs of neighbours whose sizes differ by one at most.
std::vector<Subset> split(Subset const& items, std::size_t parts) {
  std::vector<Subset> result;
  for (std::size_t part = 0, begin = 0; part < parts; ++part) {
    auto const end = items.size() * (part + 1) / parts;
    result.emplace_back(items.begin() + std::ptrdiff_t(begin), items.begin() + std::ptrdiff_t(end));
    begin = end;
  }
  return result;
}

/// For each of `parts`, which are runs of `items` in its order, the items without that part.
std::vector<Subset> complements(Subset const& items, std::vector<Subset> const& parts) {
  std::vector<Subset> result;
  std::size_t begin = 0;
  for (auto const& part : parts) {
    auto rest = items;
    rest.erase(rest.begin() + std::ptrdiff_t(begin), rest.begin() + std::ptrdiff_t(begin + part.size()));
    result.push_back(std::move(rest));
    begin += part.size();
  }
  return result;
}

}  // namespace

Subset minimal_passing(Subset items, FirstPassing const& first_passing) {
  if (items.empty() || first_passing({Subset{}})) return {};
  std::size_t parts = 2;
  while (items.size() > 1) {
    parts = std::min(parts, items.size());
    auto const pieces = split(items, parts);
    if (auto const found = first_passing(pieces)) {
      items = pieces[*found];
      parts = 2;
      continue;
    }
    // The complements of two halves are the halves.
    auto const rests = parts > 2 ? complements(items, pieces) : std::vector<Subset>{};
    if (auto const found = first_passing(rests)) {
      items = rests[*found];
      parts = std::max<std::size_t>(parts - 1, 2);
    } else if (parts < items.size()) {
      parts *= 2;
    } else {
      break;
    }
  }
  return items;
}

}  // namespace ulpine::ensembles::search
