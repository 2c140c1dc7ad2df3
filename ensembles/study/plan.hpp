// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ensembles/study/configuration.hpp"

namespace ulpine::ensembles {

/// An amplitude of noise as given ("2^-23") and as number.
struct Epsilon {
  std::string text;
  double value = 0;
};

/// A variant of a program, as a study has it in place of a policy and an assembly.
struct PlannedVariant {
  std::string name;
  std::string precision = "fp64";  ///< policy or format of its numbers
  int ranks = 1;                   ///< processes that compute a run of it together
  friend bool operator==(PlannedVariant const&, PlannedVariant const&) = default;
};

inline constexpr int most_members = 100'000;  ///< of one ensemble

/// The options of `ulpine ensemble` that decide which runs a study has.
struct StudyOptions {
  /// Unperturbed runs of all policies and assemblies on all devices (a DEVICE each, configuration.hpp).
  std::vector<std::string> devices = {"cpu"};
  std::vector<std::string> policies = {"fp64", "fp32", "mixed", "tf32"};
  std::vector<std::string> assemblies = {"deterministic", "atomic"};
  /// Unperturbed runs one by one instead, where there are any; the first of `devices` for those without one.
  std::vector<std::string> configurations = {};
  /// A configuration, which need not be among the others, on the device of the first where it names none;
  /// empty: fp64/deterministic.
  std::string reference = {};
  /// Configurations that get members; empty: all, the reference too. An item stands for all that agree with
  /// what it names.
  std::vector<std::string> members_for = {};
  /// As older programs planned: of those that differ in assembly alone the first gets members, unless an item
  /// of `members_for` names the assembly, and a reference that is neither given nor listed none.
  bool members_of_first_assembly = false;
  std::vector<std::string> epsilons = {"2^-53", "2^-23", "2^-10", "2^-7"};
  int members = 24;      ///< per configuration that gets any and epsilon, 0 to most_members
  bool control = false;  ///< as many members again of the reference's configuration, with other noise
  std::uint64_t seed = 1;
  /// End of the run in `quad` that shows the reference's own error, s; 0: none; empty: the first output,
  /// where that is cheap (prepare_study() decides).
  std::optional<double> quad_until = 0.0;
  std::optional<double> until = {};       ///< s; default: the case's `time.end`
  int threads = 1, block = 256;           ///< for configurations that have no size
  std::vector<std::string> perturb = {};  ///< fields; empty: what the model names
  /// Variants of the program that the case names, all of them; empty: the case is of a core. Configurations
  /// are then those of variants (all where `configurations` is empty), and devices, policies, assemblies and
  /// `quad_until` have no meaning.
  std::vector<PlannedVariant> variants = {};
};

struct PlannedRun {
  std::string id;  ///< "fp32/atomic" or "fp32/deterministic/eps=2^-23/m07"; begins with the device ("cuda/")
                   ///< where a study has several
  std::filesystem::path
      path;  ///< below the study's folder: "runs/fp32-atomic", "members/fp32-deterministic/eps-2p-23/m07"
  Configuration configuration;
  /// Id of the unperturbed run whose member this is, of an unperturbed run its own id; empty where it has no
  /// members.
  std::string ensemble = {};
  std::optional<Epsilon> epsilon = {};
  std::optional<int> member = {};
  std::uint64_t seed = 0;  ///< seed of its noise (noise.hpp); 0 without any
  bool control = false;    ///< a member of the control ensemble, "control/eps=2^-23/m07"
  /// End of this run alone, s: for the run in `quad` that the reference is compared with. It is not judged.
  std::optional<double> until = {};
};

/// `ensemble` of the members of the control ensemble.
inline constexpr char const* control_ensemble = "control";

/// The runs of a study in the order in which they are started: the reference, the unperturbed, the members,
/// those of the control ensemble, the run in `quad`.
struct StudyPlan {
  StudyOptions options;
  std::string reference;  ///< id of the first run
  std::vector<PlannedRun> runs;
};

/// Whether it shows the error of another configuration's arithmetic: `quad`, deterministic.
bool is_quad(Configuration const& configuration);

/// A share of a study's runs: those whose position in the plan is `index` modulo `count`.
struct Share {
  int index = 0, count = 1;
  bool holds(std::size_t position) const {
    return position % static_cast<std::size_t>(count) == static_cast<std::size_t>(index);
  }
};
/// "3/24"; InputError otherwise.
Share parse_share(std::string const& text);

/// Checks the options and lays out the runs. InputError for unknown or repeated names, configurations that
/// cannot run (`quad` is for the host: with other devices beside the host it is planned there only), bad
/// epsilons or counts.
StudyPlan make_plan(StudyOptions const& options);

/// The options of `ulpine ensemble` that ask for `options`, as words; those that are as by default left out,
/// and
/// `--quad-until 0 s`: a study that is gone on with has or has not its run in `quad`.
std::vector<std::string> words_of(StudyOptions const& options);

/// A positive finite number or power; InputError otherwise.
Epsilon parse_epsilon(std::string const& text);

}  // namespace ulpine::ensembles
