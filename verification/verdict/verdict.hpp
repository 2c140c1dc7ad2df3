// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "verification/results/results.hpp"

namespace ulpine::verification {

/// Chance of calling a configuration equivalent that is off by just the margin, and of calling one different
/// (over all its own tests, after Holm) that is not.
inline constexpr double level_of_verdicts = 0.05;

/// Fills `verdicts`, `answer` and `would_decide` from the runs, statistics, curves, gates and rules of
/// `results`; all that is shown of a study repeats these. While runs are missing the study is undecided, or
/// different where those that are there show it. Each unperturbed run but the reference gets the worst answer
/// of its evidence:
/// - the final state has the reference's bits: equal, whatever else;
/// - the run, a perturbed run of its policy or a gate failed, or a field has values where the reference has
///   none or the reverse: different; a gate could not be judged, or a perturbed run of the reference's policy
///   failed: undecided;
/// - errors (A): of every field, time and level, over the root mean square distance of the reference's
/// members
///   at the judged amplitude from its unperturbed run (error_ratio()). Silent where the perturbation does not
///   reach a field, where trajectories have diverged and below least_members members;
/// - statistics (B) at that amplitude, its policy's members against the reference policy's in pairs of one
///   number: means (test_means()) and spreads (test_spreads()); curves (C), every point a mean, and
///   distributions (test_distributions()), which can only speak for different. Silent where fewer than
///   least_pairs pairs are there, and where the reference's members differ less than three times the error of
///   the unperturbed run (then they are one trajectory) unless trajectories have diverged. Where they have no
///   spread there is no margin: silent if all pairs have the same value, undecided if not;
/// - each of these is equivalent where the confidence of being inside is 0.95, different where the chance of
/// that is so
///   small as Holm's procedure asks over this configuration's own tests, else undecided;
/// - with no test that spoke, or with members whose statistics had to stay silent for one of these reasons
/// but the last: undecided, whatever the
///   errors say (else a larger error would be trusted where a smaller one, at which statistics speak, is
///   not);
/// No answer depends on the other configurations. Where one whose errors (relative L2 of every field at all
/// output times, maximum at the last) are all no larger than another's has the worse answer all the same,
/// `broken_order` says so. The study, whose answer is the worst of all, is then undecided at best. The
/// control ensemble, where there is one, is judged by its members alone and does not count, but for this:
/// where it is different the study is undecided at best.
void judge_study(StudyResults& results);

/// E.g. "2 equivalent, 1 undecided", of the verdicts; what the gates add where that is worse.
std::string tally_of(StudyResults const& results);
/// E.g. "order of errors broken: those of A are all no larger than those of B, yet A is different and B
/// equivalent".
std::string words_of(BrokenOrder const& broken);
/// E.g. "3 of 16 runs have not been done, which `ulpine ensemble ...` does".
std::string words_of(MissingRuns const& missing);
/// A piece of evidence as a sentence, e.g. "lkf_count at eps=2^-10: difference 0.5 in [-0.1, 1.1], margin 2:
/// equivalent".
std::string words_of(Evidence const& evidence);

}  // namespace ulpine::verification
