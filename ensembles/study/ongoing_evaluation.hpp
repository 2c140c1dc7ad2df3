// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "ensembles/study/manifest.hpp"
#include "ensembles/study/plan.hpp"
#include "ensembles/study/results.hpp"

namespace ulpine::ensembles {

struct StudyEvaluation;

/// Evaluates runs of a study that have ended while others still compute: each as soon as it, the reference
/// and, of members, their unperturbed run have. It is for speed alone: what it has not come to, or what goes
/// wrong with it, is evaluated afterwards.
class OngoingEvaluation {
 public:
  /// On `options.threads` that nothing else needs, and one that waits for them. `options.progress` is not
  /// called.
  OngoingEvaluation(std::filesystem::path study, ResultsOptions const& options);
  /// Leaves what it is at.
  ~OngoingEvaluation();
  OngoingEvaluation(OngoingEvaluation const&) = delete;
  OngoingEvaluation& operator=(OngoingEvaluation const&) = delete;

  /// Runs of the study are about to start; those that are done in `manifest` have ended. Of those that
  /// `share` does not hold, which other processes do, it sees for itself when they are done. May be called
  /// again as shares are done.
  void start(Manifest const& manifest, Share share);
  /// A run of the share is done, or has failed. Returns at once.
  void ended(ManifestEntry const& entry);
  /// Ends it, once what it is at is done, and gives `study`, which has begun, what it has found of runs with
  /// the outputs that they have now. Interrupted.
  void hand_over(StudyEvaluation& study);
  /// Runs evaluated so far, each time counted.
  std::size_t evaluated() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ulpine::ensembles
