// SPDX-License-Identifier: Apache-2.0
#include "core/fem/plan.hpp"

#include <algorithm>
#include <bitset>
#include <stdexcept>
#include <string>

#include "core/fem/form.hpp"
#include "core/fem/plan_lists.hpp"
#include "io/error.hpp"

namespace ulpine::fem {
namespace {

template <class T, class Executor>
Array<T, Executor> upload(Executor executor, std::vector<T> const& values) {
  Array<T, Executor> array(executor, static_cast<std::int64_t>(values.size()));
  array.from_host(values.data());
  return array;
}

}  // namespace

char const* name_of(Way way) {
  switch (way) {
    case Way::atomic:
      return "atomic";
    case Way::atomic_search:
      return "atomic_search";
    case Way::rows:
      return "rows";
    case Way::elements:
      return "elements";
    case Way::patches:
      return "patches";
    case Way::colours:
      return "colours";
    case Way::entries:
      return "entries";
  }
  throw std::logic_error("a way of assembly without a name");
}

ColourLists colour_elements(TetraConnectivity const& mesh) {
  constexpr std::size_t most = 255;
  std::vector<std::bitset<most>> taken(static_cast<std::size_t>(mesh.nodes));
  std::vector<std::uint8_t> colour(static_cast<std::size_t>(mesh.elements));
  std::vector<std::int32_t> count;
  for (std::int32_t e = 0; e < mesh.elements; ++e) {
    auto const* const node = nodes_of(mesh.element, e);
    auto const used = taken[node[0]] | taken[node[1]] | taken[node[2]] | taken[node[3]];
    std::size_t c = 0;
    while (c < most && used[c]) ++c;
    if (c == most) {
      throw InputError("the mesh cannot be coloured (element " + std::to_string(e) +
                       " meets more than 254 others) choose another way of assembly");
    }
    for (int k = 0; k < 4; ++k) {
      taken[node[k]].set(c);
    }
    colour[e] = static_cast<std::uint8_t>(c);
    if (c == count.size()) count.push_back(0);
    ++count[c];
  }
  ColourLists lists{std::vector<std::int32_t>(count.size() + 1), std::vector<std::int32_t>(colour.size())};
  for (std::size_t c = 0; c < count.size(); ++c) {
    lists.start[c + 1] = lists.start[c] + count[c];
  }
  auto next = lists.start;
  for (std::int32_t e = 0; e < mesh.elements; ++e) {
    lists.element[next[colour[e]]++] = e;
  }
  return lists;
}

EntryLists list_entries(TetraConnectivity const& mesh) {
  auto const entries = static_cast<std::size_t>(mesh.pattern.entries());
  auto const contributions = 16 * static_cast<std::size_t>(mesh.elements);
  EntryLists lists{std::vector<std::int32_t>(entries + 1), std::vector<std::int32_t>(contributions)};
  for (std::size_t k = 0; k < contributions; ++k) {
    ++lists.start[static_cast<std::size_t>(mesh.position[k]) + 1];
  }
  for (std::size_t k = 0; k < entries; ++k) {
    lists.start[k + 1] += lists.start[k];
  }
  std::vector<std::int32_t> next(lists.start.begin(), lists.start.end() - 1);
  for (std::size_t k = 0; k < contributions; ++k) {
    lists.contribution[next[mesh.position[k]]++] = static_cast<std::int32_t>(k);
  }
  return lists;
}

PatchLists list_patches(TetraConnectivity const& mesh, std::int32_t rows) {
  constexpr std::size_t most_places = 1 << 12;
  auto const entries = list_entries(mesh);
  PatchLists lists{rows,
                   0,
                   {0},
                   {},
                   entries.start,
                   std::vector<std::uint16_t>(entries.contribution.size()),
                   std::vector<std::uint16_t>(mesh.visit_start[mesh.nodes])};
  std::vector<std::int32_t> element;
  for (std::int32_t first = 0; first < mesh.nodes; first += rows) {
    auto const last = std::min(first + rows, mesh.nodes);
    element.clear();
    for (auto v = mesh.visit_start[first]; v < mesh.visit_start[last]; ++v) {
      element.push_back(mesh.visit[v].element());
    }
    std::sort(element.begin(), element.end());
    element.erase(std::unique(element.begin(), element.end()), element.end());
    if (element.size() > most_places) {
      throw InputError("a patch of " + std::to_string(rows) + " rows has " + std::to_string(element.size()) +
                       " elements (4096 can be named) use fewer rows a patch");
    }
    auto const place_of = [&](std::int32_t e) {
      return std::lower_bound(element.begin(), element.end(), e) - element.begin();
    };
    for (auto v = mesh.visit_start[first]; v < mesh.visit_start[last]; ++v) {
      auto const visit = mesh.visit[v];
      lists.visit[v] = static_cast<std::uint16_t>(4 * place_of(visit.element()) + visit.local());
    }
    auto const end = entries.start[mesh.pattern.start[last]];
    for (auto c = entries.start[mesh.pattern.start[first]]; c < end; ++c) {
      auto const k = entries.contribution[c];
      lists.contribution[c] = static_cast<std::uint16_t>(16 * place_of(k / 16) + k % 16);
    }
    lists.element.insert(lists.element.end(), element.begin(), element.end());
    lists.start.push_back(static_cast<std::int32_t>(lists.element.size()));
    lists.most_elements = std::max(lists.most_elements, static_cast<std::int32_t>(element.size()));
  }
  return lists;
}

template <class Executor>
Plan<Executor>::Plan(Executor executor, TetraConnectivity const& on_host, Way way, std::int32_t rows_a_patch)
    : way_{way}, entries_{on_host.pattern.entries()} {
  if (way == Way::colours) {
    auto const lists = colour_elements(on_host);
    colour_start_ = upload(Host{}, lists.start);
    element_ = upload(executor, lists.element);
  } else if (way == Way::entries) {
    auto const lists = list_entries(on_host);
    start_ = upload(executor, lists.start);
    element_ = upload(executor, lists.contribution);
  } else if (way == Way::patches) {
    auto const lists = list_patches(on_host, rows_a_patch);
    start_ = upload(executor, lists.start);
    element_ = upload(executor, lists.element);
    entry_start_ = upload(executor, lists.entry_start);
    contribution_ = upload(executor, lists.contribution);
    visit_ = upload(executor, lists.visit);
    patches_ = {lists.rows,
                static_cast<std::int32_t>(lists.start.size()) - 1,
                lists.most_elements,
                start_.view().data(),
                element_.view().data(),
                entry_start_.view().data(),
                contribution_.view().data(),
                visit_.view().data()};
  }
}

void refuse_elements_on_device() {
  throw std::logic_error("assembly element by element is the host's alone");
}
void refuse_patch(std::int64_t bytes, int most) {
  throw InputError("a patch needs " + std::to_string(bytes) + " bytes of shared memory (the device has " +
                   std::to_string(most) + ") use fewer rows a patch");
}

template class Plan<Host>;
#if defined(ULPINE_HAS_CUDA)
template class Plan<Cuda>;
#endif

}  // namespace ulpine::fem
