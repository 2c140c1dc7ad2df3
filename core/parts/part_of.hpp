// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

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

template <class Part, class D>
using PartMaker = std::unique_ptr<Part> (*)(D&);

}  // namespace ulpine
