// SPDX-License-Identifier: Apache-2.0
#include "io/plausible.hpp"

#include <cmath>

#include "io/case_file.hpp"

namespace ulpine::io {

bool is_plausible(double value, PlausibleRange const& range) {
  return !std::isfinite(value) || (value >= range.least && value <= range.most);
}

std::string implausible_text(std::string const& variable, double value, std::string const& place,
                             PlausibleRange const& range) {
  return variable + " is " + number_text(value) + " " + range.unit + " " + place + " (" + range.what +
         " lie between " + number_text(range.least) + " and " + number_text(range.most) + " " + range.unit +
         "; a missing value that is not declared, or another unit?) declare it as _FillValue, or mend the "
         "values or their units";
}

}  // namespace ulpine::io
