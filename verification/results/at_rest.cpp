// SPDX-License-Identifier: Apache-2.0
#include "verification/results/at_rest.hpp"

#include <algorithm>
#include <cmath>

namespace ulpine::verification {
namespace {

bool stays(std::vector<double> const& first, std::vector<double> const& last) {
  if (is_zero(first)) return stays_zero(last);
  return std::equal(first.begin(), first.end(), last.begin(), last.end(),
                    [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); });
}

}  // namespace

bool is_zero(std::vector<double> const& values) {
  return std::none_of(values.begin(), values.end(), [](double value) { return std::abs(value) > 0; });
}

bool stays_zero(std::vector<double> const& values) {
  constexpr double least = 1e-6;
  return std::none_of(values.begin(), values.end(), [](double value) { return std::abs(value) > least; });
}

bool ends_as_it_began(io::InputFile const& output) {
  auto looked = false;
  for (auto const& field : output.variables()) {
    auto const times = output.times(field).size();
    if (times == 0) continue;
    // Reading stops at the first field that changes.
    if (times == 1 || !stays(output.read(field, 0).values, output.read(field, -1).values)) return false;
    looked = true;
  }
  return looked;
}

}  // namespace ulpine::verification
