// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/model/model.hpp"

namespace ulpine::ensembles {

/// An amplitude of noise as given ("2^-23") and as number.
struct Epsilon {
  std::string text;
  double value = 0;
};

inline constexpr int most_members = 100'000;  ///< of an ensemble

/// What `ulpine ensemble` is asked for.
struct StudyOptions {
  std::vector<std::string> policies = {"fp64", "fp32", "mixed", "tf32"};
  std::vector<std::string> assemblies = {"deterministic", "atomic"};
  std::vector<std::string> epsilons = {"2^-53", "2^-23", "2^-10", "2^-7"};
  int members = 24;  ///< per policy and epsilon, 1 to most_members
  std::uint64_t seed = 1;
  std::optional<double> until = {};  ///< s; default: the case's `time.end`
  std::string device = "cpu";
  int threads = 1;  ///< per run
  int block = 256;
  std::vector<std::string> perturb = {};  ///< fields; empty: what the model names
};

struct PlannedRun {
  std::string id;  ///< "fp32/atomic" or "fp32/deterministic/eps=2^-23/m07"
  std::filesystem::path
      path;  ///< below the study's folder: "runs/fp32-atomic", "members/fp32-deterministic/eps-2p-23/m07"
  std::string policy;
  Assembly assembly = Assembly::deterministic;
  std::optional<Epsilon> epsilon = {};
  std::optional<int> member = {};
};

/// The runs of a study in the order in which they are started: the reference, the unperturbed, the members.
struct StudyPlan {
  StudyOptions options;
  std::string reference = "fp64/deterministic";
  std::vector<PlannedRun> runs;
};

/// A share of a study's runs: those whose position in the plan is `index` modulo `count`.
struct Share {
  int index = 0, count = 1;
  bool holds(std::size_t position) const {
    return position % static_cast<std::size_t>(count) == static_cast<std::size_t>(index);
  }
};
/// "3/24"; InputError otherwise.
Share parse_share(std::string const& text);

/// Checks the options and lays out the runs: policies x assemblies unperturbed (the reference always among
/// them) and, with the first assembly, members per policy x epsilon. InputError for unknown or repeated
/// names, bad epsilons or counts.
StudyPlan make_plan(StudyOptions const& options);

/// The assembly of that name; InputError with the nearest otherwise.
Assembly parse_assembly(std::string const& name);
/// Throws InputError with the nearest name unless `name` is a policy.
void require_policy(std::string const& name);
/// A positive finite number or power; InputError otherwise.
Epsilon parse_epsilon(std::string const& text);

}  // namespace ulpine::ensembles
