// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
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

/// Ids of the unperturbed runs that end as they began, where the reference does; else none.
std::set<std::string> runs_at_rest(StudyEvaluation const& study);

/// Leaves the configurations `at_rest` undecided that are not shown to be different, and says so: what stays
/// at rest is the same in any arithmetic.
void withhold_verdicts(verification::StudyResults& results, std::set<std::string> const& at_rest);

}  // namespace ulpine::ensembles
