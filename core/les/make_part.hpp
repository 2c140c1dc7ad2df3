// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/les/domain.hpp"
#include "core/les/part.hpp"

namespace ulpine::les {

template <template <class> class P, class D>
std::unique_ptr<Part> make_part(D& domain) {
  if (!P<D>::needed(domain)) return nullptr;
  return std::make_unique<P<D>>(domain);
}

}  // namespace ulpine::les
