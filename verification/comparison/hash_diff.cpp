// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/hash_diff.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/error.hpp"

namespace ulpine::verification {

std::optional<HashDivergence> first_difference(io::HashLog const& a, io::HashLog const& b) {
  auto const first = std::max(a.first, b.first), last = std::min(a.last(), b.last());
  if (last < first) {
    throw InputError(fmt::format(
        "the runs have no step in common (they have steps {} to {} and {} to {}) compare runs from "
        "the same start",
        a.first, a.last(), b.first, b.last()));
  }
  HashDivergence result;
  result.common = last - first + 1;
  std::int64_t latest = first;
  for (auto step = first; step <= last; ++step) {
    if (a.at(step) == b.at(step)) continue;
    if (result.differing++ == 0) result.step = step;
    latest = step;
  }
  if (result.differing > 0) {
    if (latest < last) result.same_from = latest + 1;
    return result;
  }
  if (a.last() == b.last()) return std::nullopt;
  result.step = last + 1;
  result.one_alone = true;
  return result;
}

std::string describe(HashDivergence const& d) {
  if (d.one_alone) {
    return fmt::format("only one run has step {}; all {} states before it are equal", d.step, d.common);
  }
  auto const until = d.same_from ? fmt::format(", and are the same again from step {} on", *d.same_from) : "";
  return fmt::format("the states differ from step {} on ({} of {} common states differ){}", d.step,
                     d.differing, d.common, until);
}

}  // namespace ulpine::verification
