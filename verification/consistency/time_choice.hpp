// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/consistency/data.hpp"
#include "verification/consistency/reading.hpp"

namespace ulpine::verification::consistency {

/// Which of the times that all runs have are looked at. Items are separated by commas: "all", "last", a
/// number (from 0; from the end if negative), the beginning of a date ("2000-01"), or two of these with ".."
/// between them, both included; "mean" among them: means and points only in their mean over these times.
class TimeChoice {
 public:
  TimeChoice() = default;
  /// InputError where the text has an empty item.
  explicit TimeChoice(std::string const& text);
  bool all() const { return items_.empty(); }
  bool mean_alone() const { return mean_alone_; }
  /// Numbers of the times with these texts (EnsembleSummary::time_text()), in order. InputError where an item
  /// names none.
  std::vector<std::size_t> of(std::vector<std::string> const& times) const;

 private:
  std::vector<std::string> items_;
  bool mean_alone_ = false;
};

/// Leaves these times alone in a grid.
void keep_times(CommonGrid& grid, std::vector<std::size_t> const& times);
/// Leaves these times alone in a summary, whose first becomes the origin.
void keep_times(EnsembleSummary& summary, std::vector<std::size_t> const& times);
/// The times of a grid for people, as EnsembleSummary::time_text() tells them.
std::vector<std::string> time_texts(CommonGrid const& grid);

}  // namespace ulpine::verification::consistency
