// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/model/model.hpp"
#include "ensembles/study/study_evaluation.hpp"
#include "verification/results/results.hpp"

namespace ulpine::ensembles {

/// Hashes of the fields of a model's output at one time; the values themselves are not kept.
class FieldsAt {
 public:
  explicit FieldsAt(Model const& model);
  /// Whether the model's fields are now what they were then, as verification::ends_as_it_began() asks.
  bool unchanged(Model const& model) const;

 private:
  struct Then {
    std::uint64_t hash;
    bool zero;  ///< everywhere
  };
  std::map<std::string, Then> fields_;
};

/// Whether all unperturbed runs that have not failed end as they began. False where there is none, or one
/// that cannot be read.
bool nothing_happened(StudyEvaluation const& study);

/// Leaves every configuration of a study in which nothing happened undecided that is not shown to be
/// different, and says so: what stays at rest is the same in any arithmetic.
void withhold_verdicts(verification::StudyResults& results);

}  // namespace ulpine::ensembles
