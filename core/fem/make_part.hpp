// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/fem/domain.hpp"
#include "core/fem/part.hpp"

namespace ulpine::fem {

template <template <class> class P, class D>
std::unique_ptr<Part> make_part(D& domain) {
  if constexpr (requires { P<D>::needed(domain.p); }) {
    if (!P<D>::needed(domain.p)) return nullptr;
  }
  return std::make_unique<P<D>>(domain);
}

}  // namespace ulpine::fem
