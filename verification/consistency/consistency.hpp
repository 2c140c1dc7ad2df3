// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verification/consistency/data.hpp"
#include "verification/consistency/outcome.hpp"

namespace ulpine::verification::consistency {

/// Runs with their points, where these are at hand (not of a summary file).
struct Runs {
  EnsembleSummary const* summary = nullptr;
  FieldSource const* fields = nullptr;
};

struct MethodInfo {
  char const* name;      ///< as `--method` takes it
  char const* question;  ///< one line: what it asks
  char const* after;     ///< whose method it is
};
/// "pca", "tolerance", "twosample", "outliers", "fieldwise", "timestep", "growth".
std::span<MethodInfo const> methods();
/// InputError where there is no method of that name.
void require_method(std::string const& name);

struct Request {
  Runs ensemble;  ///< the accepted runs
  Runs tests;     ///< the new ones: members and, where there is one, unperturbed
  Runs control;   ///< other runs of the accepted model, for `fieldwise`; may be empty
  Runs truth;     ///< runs of the accepted model with a shorter step, for `timestep`; may be empty
  std::vector<std::string> methods;  ///< empty: all that have what they need
  bool mean_alone = false;           ///< means and points: their mean over time alone, not each time
  bool by_level = false;             ///< means are those of each level, where a variable has levels
  std::vector<std::pair<std::string, std::string>>
      parameters;          ///< "pca.sigma": "2"; InputError where unknown
  std::uint64_t seed = 1;  ///< of the random number generator
  /// Variables of the accepted runs that new ones lack, and which: no verdict on the others is `consistent`.
  std::vector<std::pair<std::string, std::string>> lacking = {};
};

/// One verdict from all methods asked for: `different` where one of them rejects at its part of the rate that
/// all together allow themselves, `no_power` where none had power. InputError where runs do not fit together.
Verdict judge(Request const& request);

}  // namespace ulpine::verification::consistency
