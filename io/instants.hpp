// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::io {

/// Whether times are dates that can be read.
inline bool has_dates(TimeAxis const& axis) {
  return axis.dated && axis.unit > 0 && std::isfinite(axis.epoch) && axis.known_calendar != Calendar::unknown;
}

/// The times of an axis in seconds since 1970-01-01 of its calendar where they are dates, else as stored,
/// times their unit where that is known. NaN where there is none.
inline std::vector<double> instants_of(TimeAxis const& axis) {
  auto const unit = axis.unit > 0 ? axis.unit : 1, epoch = has_dates(axis) ? axis.epoch : 0;
  auto instants = axis.stored;
  for (auto& instant : instants) instant = epoch + instant * unit;
  return instants;
}

}  // namespace ulpine::io
