// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ensembles/search/assignment.hpp"

namespace ulpine::ensembles::search {

/// Judges assignments, each once; the outcomes in their order.
using Judge = std::function<std::vector<Outcome>(std::span<Assignment const>)>;

struct Limits {
  double ratio = 1.0;                                            ///< largest ratio that is accepted
  std::int64_t runs = std::numeric_limits<std::int64_t>::max();  ///< most assignments tried
  std::function<bool()> out_of_time = {};
  std::size_t together = 1;  ///< assignments judged side by side
  /// Called with a description of the work and the number of assignments tried.
  std::function<void(std::string const& what, std::size_t tried)> progress = {};
};

struct Found {
  /// In the order in which the search asked: the reference's precision everywhere, each stage alone in each
  /// precision, then sets. What was judged side by side with these and not asked about is left out, so that
  /// `together` changes nothing here.
  std::vector<Trial> tried;
  std::vector<std::size_t> front;     ///< pareto_front()
  std::vector<std::size_t> accepted;  ///< the cheapest first; of equal cost the smallest ratio
  bool complete = true;               ///< no limit cut the search short
};

/// Whether an outcome is equal or equivalent with a ratio that is small enough.
bool is_accepted(Outcome const& outcome, Limits const& limits);

/// Looks for the cheapest accepted assignment.
///
/// 1. Each stage alone in each precision. A stage that fails alone, or errs ten times the limit, is not
/// lowered to that precision again: the others' errors would have to cancel nine tenths of it.
/// 2. For the widths of storage from the widest to the narrowest: of the stages that the width before has
/// lowered (all at first) and that are accepted alone, as many as ddmin finds go lower together, each in the
/// precision of that width in which it erred least alone.
/// 3. From the cheapest accepted: single stages lower, also those that were refused alone, then one stage up
/// and another down, which is accepted alone, where that is cheaper, in the order of what is saved per error
/// alone, the first accepted taken, until nothing more is found. Exchanges are tried as many as there are
/// stages, each round.
///
/// But for that tenth no assumption is made that less precision errs more, or that errors of stages add;
/// where they do not, what is found is a local optimum: no single stage of the result can be lowered (where
/// the search is complete).
Found find_cheapest(Space const& space, Judge const& judge, Limits const& limits);

}  // namespace ulpine::ensembles::search
