// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/linalg/pattern.hpp"

/// How the rows of a matrix are gathered into those of a coarser one; on the host.
namespace ulpine::linalg {

/// The aggregate of each row, or -1 for a row without strong neighbours, which smoothing alone solves.
struct Aggregates {
  std::int32_t count = 0;
  std::vector<std::int32_t> of_row;
};

/// i and j are strong neighbours where |a_ij| > strength sqrt(|a_ii a_jj|), or |a_ji| is. Roots are the
/// maximal set of rows of which none is a neighbour's neighbour of another, in the order of random priorities
/// that are functions of the row's number (what Luby's parallel method finds for them: Bell, Dalton and Olson
/// 2012, SIAM J. Sci. Comput. 34, C123-C152). Neighbours of a root join it, others their strongest neighbour
/// that did.
Aggregates aggregated(CsrPattern pattern, double const* value, double strength, std::uint64_t seed);

/// Where the values of a coarser matrix come from.
struct Coarsening {
  Aggregates aggregates;
  HostPattern prolongation;   ///< P, smoothed: the aggregates met in each row
  Transposition restriction;  ///< P^T
  HostPattern half;           ///< A P
  HostPattern coarse;         ///< P^T A P
};
Coarsening coarsened(CsrPattern pattern, double const* value, double strength, std::uint64_t seed);

}  // namespace ulpine::linalg
