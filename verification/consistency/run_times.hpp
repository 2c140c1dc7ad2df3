// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/consistency/data.hpp"

namespace ulpine::verification::consistency {

/// The place of a variable's values at one time in the files of a run.
struct Moment {
  double instant = 0;      ///< on the scale of scale_of()
  std::size_t file = 0;    ///< number of the run's file
  std::int64_t time = -1;  ///< in the file
};

/// Origin and calendar of an axis: dates where they can be read, else the times as stored.
TimeScale scale_of(io::TimeAxis const& axis);
/// Why the times of a run are not on one scale with those of the reference; empty where they are.
std::string misfit_of_times(io::TimeAxis const& reference, io::TimeAxis const& run);

/// The moments that have a time, in the order of time; of those that stand twice, as after a restart, the one
/// that was written last. `twice` is raised by the number of those left out.
std::vector<Moment> in_order_of_time(std::vector<Moment> moments, std::size_t& twice);

}  // namespace ulpine::verification::consistency
