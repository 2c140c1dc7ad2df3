// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "io/case_keys.hpp"

namespace ulpine {

/// The keys of all parts that have some, in their order.
template <class... Parts>
std::vector<io::CaseKey> keys_of_parts() {
  std::vector<io::CaseKey> all;
  auto const add = [&]<class Part>() {
    if constexpr (requires { Part::keys(); }) {
      for (auto& key : Part::keys()) all.push_back(std::move(key));
    }
  };
  (add.template operator()<Parts>(), ...);
  return all;
}

}  // namespace ulpine
