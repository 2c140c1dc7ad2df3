// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace ulpine {

/// Part P of a domain, by its constructor from that; null where its case, in `domain.p`, does without it: a
/// part that not every case has says so by a static needed(case).
template <template <class> class P, class Part, class D>
std::unique_ptr<Part> part_of(D& domain) {
  if constexpr (requires { &P<D>::needed; }) {
    if (!P<D>::needed(domain.p)) return nullptr;
  }
  return std::make_unique<P<D>>(domain);
}

/// Those of these parts that the case has, in their order.
template <class Part, template <class> class... P, class D>
std::vector<std::unique_ptr<Part>> parts_of(D& domain) {
  std::vector<std::unique_ptr<Part>> parts;
  for (auto const make : {&part_of<P, Part, D>...}) {
    if (auto part = make(domain)) parts.push_back(std::move(part));
  }
  return parts;
}
template <class Part, class D>
using PartMaker = std::unique_ptr<Part> (*)(D&);

}  // namespace ulpine
