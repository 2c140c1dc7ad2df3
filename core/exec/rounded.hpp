// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace ulpine {

/// The values rounded to type T by its explicit conversion. A vector's constructor from a range takes an
/// implicit one where there is one, which may go by way of a narrower type.
template <class T>
std::vector<T> rounded_to(std::span<double const> values) {
  std::vector<T> rounded;
  rounded.reserve(values.size());
  for (double const value : values) rounded.push_back(static_cast<T>(value));
  return rounded;
}

}  // namespace ulpine
