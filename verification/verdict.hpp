// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "verification/results.hpp"

namespace ulpine::verification {

/// Chance of calling a configuration equivalent that is off by just the margin, and of calling one different
/// (over all its own tests, after Holm) that is not.
inline constexpr double level_of_verdicts = 0.05;

/// Fills `verdicts`, `answer` and `would_decide` from the runs, statistics and gates of `results`; all that
/// is shown of a study repeats these. While runs are missing the study is undecided, or different where those
/// that are there show it. Each unperturbed run but the reference gets the worst answer of its
/// evidence:
/// - the final state has the reference's bits: equal, whatever else;
/// - the run, a perturbed run of its policy or a gate failed, or a field has values where the reference has
///   none or the reverse: different; a gate could not be judged, or a perturbed run of the reference's policy
///   failed: undecided;
/// - each statistic at each amplitude, its policy's members against the reference policy's in pairs of one
///   number: equivalent where share_inside() >= 0.95, different where it is so small as Holm's procedure asks
///   over this configuration's own tests, else undecided. Silent where fewer than least_pairs pairs are
///   there, or where the reference's members differ less than three times the error of the unperturbed run
///   (then they are one trajectory). Where they have no spread in the statistic there is no margin: silent
///   if all pairs have the same value, undecided if not;
/// - with no test that spoke: undecided;
/// - one whose errors (relative L2 and maximum of every field at the last time) are all no larger never has a
///   worse answer: the farther one takes it over. A configuration of the reference's own policy, whose
///   ensemble is the reference's, is equivalent where a farther one has been shown to be.
void judge_study(StudyResults& results);

/// E.g. "2 equivalent, 1 undecided", of the verdicts; what the gates add where that is worse.
std::string tally_of(StudyResults const& results);
/// E.g. "3 of 16 runs have not been done, which `ulpine ensemble ...` does".
std::string words_of(MissingRuns const& missing);
/// What a piece of evidence says, e.g. "lkf_count at eps=2^-10: difference 0.5 in [-0.1, 1.1], margin 2:
/// equivalent".
std::string words_of(Evidence const& evidence);

}  // namespace ulpine::verification
