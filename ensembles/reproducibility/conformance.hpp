// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "ensembles/study/case_source.hpp"

namespace ulpine::ensembles {

/// The model to check and how often to run it: see check_conformance().
struct ConformanceRequest {
  CaseSource source;  ///< small: it is run a few hundred times
  std::vector<ModelOptions>
      configurations;            ///< places of one policy and assembly; the first is the reference
  std::int64_t steps = 4;        ///< steps of each run
  std::filesystem::path folder;  ///< for files, made and left there
  int repetitions = 3;           ///< runs of each configuration, to meet other orders of threads
  /// Called after each check.
  std::function<void(std::string const& check)> progress = {};
  std::atomic<bool> const* cancel = nullptr;
};

/// One thing that was looked at.
struct ConformanceCheck {
  std::string name;           ///< "restart", "planted ulp", ...
  std::string broken;         ///< how, with the first place; empty: it holds, or is not judged
  std::string unjudged = {};  ///< why it cannot be told whether it holds; empty: it can
};

/// Whether a model keeps what every core promises, found out through its interface alone:
///   fields        every output is described as CF wants it, read alike whole and in pieces, of finite values
///   stages        every stage is described, writes fields or is part of one, changes no others, and is
///                 counted with its bytes
///   configurations  each stage has the same bits in every configuration, as far as its guarantee says
///   repetition    and on each again, as far as its guarantee says
///   unwatched     whether it is watched does not change the state, nor do fused stages and graphs
///   restart       from any step, through memory and through a file, it goes on to the same bits
///   perturbation  noise is that of the counter at the point's dense index, but for the policy's rounding,
///                 and no other field changes
///   planted ulp   moving one value of any field by one unit in the last place is seen there
///   not finite    a NaN in the state is named with its field and place
///   allocation    a step allocates nothing, from the second step on
///   output        a run's files hold what the model says
///   times         steps end where they were asked to
///
/// Fields and output are not judged in a format that the case has no finite values in, if fp64 has.
///
/// InputError and EnvironmentError where the model cannot be built.
std::vector<ConformanceCheck> check_conformance(ConformanceRequest const& request);

/// The number of checks in all.
inline constexpr int conformance_checks = 12;

/// A line a check, for people.
std::string table(std::vector<ConformanceCheck> const& checks);

}  // namespace ulpine::ensembles
