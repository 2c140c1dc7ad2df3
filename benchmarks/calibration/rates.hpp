// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/pool.hpp"
#include "verification/results/results.hpp"

namespace ulpine::calibration {

/// How often something came out.
struct Rate {
  std::int64_t count = 0, of = 0;

  void add(bool happened) {
    count += happened ? 1 : 0;
    ++of;
  }
  /// NaN of none.
  double share() const;
  /// Clopper and Pearson's (1934), 95 %, two-sided; 0 and 1 of none.
  std::array<double, 2> interval() const;
};

/// What the evidence of one kind says together, or the verdict as a whole ("verdict"): the worst of its
/// pieces; empty where none spoke.
using Answers = std::map<std::string, std::optional<verification::Answer>>;
/// "error", "statistic mean", "statistic spread", "curve", "distribution", "verdict".
std::vector<std::string> const& kinds_of_evidence();
/// Of a piece: one of those, or empty for gates and such.
std::string kind_of(verification::Evidence const& evidence);
Answers answers_of(verification::Verdict const& verdict);

/// How a configuration truly is, from a large sample.
enum class Truth {
  inside,  ///< every margin
  beyond,  ///< one at least
  near,    ///< a margin, so that the sample does not tell, or not judged
};

/// By kind. A piece is beyond (inside) where its whole interval is. `equal` configurations are inside
/// whatever the sample says.
std::map<std::string, Truth> truths_of(verification::Verdict const& large_sample, bool equal);

/// What became of the studies of one fault, for one kind of evidence.
struct Row {
  std::string model, evidence, fault;
  Role role = Role::planted;
  std::int64_t members = 0;
  std::int64_t studies = 0, inside = 0, beyond = 0;  ///< inside and beyond: by truth
  std::int64_t equivalent = 0, undecided = 0, different = 0, silent = 0;
  Rate false_alarms;  ///< different, of those inside
  Rate misses;        ///< equivalent (or equal), of those beyond

  void add(Truth truth, std::optional<verification::Answer> answer);
};

/// Pairs of configurations of one study of which the one whose errors are all no larger was called different
/// and the other equivalent or equal.
std::int64_t inversions_of(verification::StudyResults const& study);

/// How the answers of ever coarser roundings follow each other.
struct Turning {
  Rate turned_back;    ///< of studies: any answer better than that of a finer rounding
  Rate turned_across;  ///< of studies: equivalent after different
  void add(std::vector<verification::Answer> const& answers);
};

}  // namespace ulpine::calibration
