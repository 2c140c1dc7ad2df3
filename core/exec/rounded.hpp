// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace ulpine {

/// The values rounded to type T. A vector's constructor from a range of doubles may assign them instead,
/// which rounds to float on the way to a number of two floats.
template <class T>
std::vector<T> rounded_to(std::span<double const> values) {
  std::vector<T> rounded;
  rounded.reserve(values.size());
  for (double const value : values) rounded.push_back(static_cast<T>(value));
  return rounded;
}

}  // namespace ulpine
