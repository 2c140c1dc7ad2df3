// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ulpine::ensembles {

/// How long the runs of a study take, from those that have ended and from how far the others are. It has no
/// clock: whoever calls tells the seconds. Runs of one kind (device, policy, policies of stages) are expected
/// to take as long as each other.
class RunTimes {
 public:
  /// A run that takes longer than what was expected of it.
  struct Overdue {
    double taken_s = 0, expected_s = 0;
  };
  /// Runs shorter than this are never overdue, s: their times vary by what else the machine does.
  static constexpr double least_overdue_s = 10;

  /// One more run that is to be done; its number is the count of those before.
  void add(std::string kind);
  /// The run has taken `seconds` and done `fraction` of its way, in [0, 1].
  void went_on(std::size_t run, double seconds, double fraction);
  /// The run has been at it for `seconds`, whatever it has done.
  void waited(std::size_t run, double seconds);
  /// Says that the run has come to its end after `seconds`.
  void ended(std::size_t run, double seconds);
  /// Says that the run ended otherwise (failed, left to others): its time tells nothing of others.
  void dropped(std::size_t run);

  /// Until all runs have ended with `together` side by side, s: no less than the longest of them needs alone.
  /// Infinite where nothing is known.
  double remaining(int together) const;
  /// Where a run has taken more than `factor` times what was expected of it. That is the mean of the runs of
  /// its kind that have ended; without any, what its own pace let expect when it had done a twentieth; before
  /// that, the longest of all that have ended. Nothing where there is none of these.
  std::optional<Overdue> overdue(std::size_t run, double factor) const;

 private:
  enum class State { open, running, over };
  struct Run {
    std::string kind;
    State state = State::open;
    double seconds = 0, fraction = 0;
    double seen_s = 0;   ///< when `fraction` was told
    double early_s = 0;  ///< the whole run by its pace when it had done a twentieth; 0: it has not
  };
  struct Ended {
    double sum_s = 0;
    int count = 0;
    double mean_s() const { return sum_s / count; }
  };
  std::optional<double> known_of_kind(std::string const& kind) const;

  std::vector<Run> runs_;
  std::map<std::string, Ended> ended_;  ///< by kind
  double longest_s_ = 0;                ///< of the runs that have ended, s
};

}  // namespace ulpine::ensembles
