// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/pool.hpp"
#include "calibration/rates.hpp"

namespace ulpine::calibration {

struct CalibrationOptions {
  int studies = 300;  ///< with equal configurations, over all pools of a model
  int faulty = 60;    ///< of these also with all others
  int members = 24;   ///< of each ensemble
  std::uint64_t seed = 1;
  int jobs = 1;
};

/// The smallest difference that evidence claims to show with 80 % power, planted.
struct Detected {
  std::string model, fault, subject;
  std::int64_t members = 0;
  double detectable = 0;  ///< median over studies
  Rate shown;             ///< intervals that leave zero out, where means are that far apart
};

/// A statistic that is just beyond its margin: the hardest case.
struct Edge {
  std::string model, fault, subject, part;
  std::int64_t members = 0;
  Rate equivalent, different;  ///< of studies
};

/// The number of members that evidence claims to decide with 80 % power, tried.
struct Decided {
  std::string model, fault, subject, part;
  std::int64_t members = 0;    ///< of the studies that were undecided
  std::int64_t undecided = 0;  ///< their number
  std::int64_t needed = 0;     ///< median over them
  Rate decided;                ///< of studies with that many
};

struct Calibration {
  std::string model;
  std::vector<Row> rows;  ///< by fault, then kind of evidence
  Rate inverted;          ///< studies with an inversion of order
  Turning turning;
  std::vector<Edge> edges;
  std::vector<Detected> detected;
  std::vector<Decided> decided;
};

/// Draws studies from the pools (starts of one model) in turn and tallies their answers; repeatable, whatever
/// `jobs`.
Calibration calibrate(std::vector<Pool> const& pools, CalibrationOptions const& options,
                      Progress const& progress);

}  // namespace ulpine::calibration
