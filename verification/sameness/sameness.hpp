// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/sameness/noise.hpp"
#include "verification/sameness/run_distance.hpp"

namespace ulpine::verification::sameness {

/// Whether two runs may be of the same model.
enum class Answer {
  bits,       ///< the same bits
  values,     ///< the same numbers, stored otherwise
  last_bit,   ///< no value differs by more than one unit in the last place of the file's type
  as_noise,   ///< no further apart than noise puts the reference from itself, by a rule that had power
  different,  ///< further apart than noise makes, or different where no noise could make them so
  undecided   ///< none of these
};
/// "same bits", "same values", "last bit", "as noise", "different", "not decided".
char const* name_of(Answer answer);

/// How the difference of one variable begins and grows.
struct Growth {
  std::optional<std::size_t> first;  ///< number of the first output time with a difference
  /// Time in which the difference doubles (s, or in the units of the times), where it grows.
  std::optional<double> doubling;
  std::string words;  ///< "doubles in 3.1 h", "does not grow", or why neither is known
};
/// Fits the logarithm of the root mean square difference (consistency::growth_rate()) from the time at which
/// it is beyond twice the rounding of the stored type until 1 - r reaches 0.01, where it is a seventh of the
/// field's standard deviation. It grows where the fit at least doubles within this phase.
Growth growth_of(Series const& series);

struct Verdict {
  Answer answer = Answer::undecided;
  std::string sentence;              ///< the answer, in one sentence
  std::string missing;               ///< what a stronger answer takes; empty where there is none
  std::vector<Growth> growth;        ///< of each variable of the run
  std::optional<NoiseAnswer> noise;  ///< where there were noisy runs
  std::string of_noise;              ///< amplitude of the noise, "1e-10"; empty where it is not known
};

/// Judges a run by its distance to the reference and that of noisy runs of the reference, which may be none.
Verdict judge(RunDistance const& run, std::vector<RunDistance> const& members, std::string const& of_noise);

/// The sentence, a line for each of the variables that differ most (at most `most`), what could not be
/// compared, what is missing.
std::string to_text(RunDistance const& run, Verdict const& verdict, std::size_t most = 12);
/// All of it (docs/reference/comparing.md).
std::string to_json(RunDistance const& run, Verdict const& verdict);

}  // namespace ulpine::verification::sameness
