// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "ensembles/study/configuration.hpp"
#include "verification/results/results.hpp"

namespace ulpine::calibration {

/// What a configuration is to a calibration.
enum class Role {
  equal,    ///< the reference but for the order of its sums
  planted,  ///< a fault, or another precision
  coarser,  ///< one of a series of ever coarser roundings, in its order
};

/// One way of running a model, to be judged against the reference.
struct Candidate {
  std::string name;  ///< in tables, e.g. "flipped sign in one cell"
  Role role = Role::planted;
  ensembles::Configuration configuration = {};
  std::vector<std::string> overrides = {};  ///< of the case
};

/// Relative L2 errors of a member against its own unperturbed run, by field and time.
using Growth = std::map<std::string, std::vector<double>>;

/// The runs of a candidate: perturbed members of one number share their noise with the reference's.
struct Tested {
  std::string name;
  Role role = Role::planted;
  bool paired = true;  ///< false: studies compare members of other numbers
  verification::RunResult unperturbed;
  std::vector<verification::RunResult> members;
  std::vector<Growth> growth;  ///< of the members; empty where it is known of all together
  verification::EnsembleResult all_together = {};  ///< else
};

/// Many members of everything, of which studies are drawn.
struct Pool {
  std::string model;
  verification::StudyResults base;  ///< a study of them without runs and ensembles
  verification::RunResult reference;
  std::vector<verification::RunResult> members;  ///< of the reference
  std::vector<Tested> tested;

  std::size_t size() const { return members.size(); }
  Tested const& at(std::string const& name) const;  ///< std::out_of_range
};

using Progress = std::function<void(double fraction, std::string const& what)>;

/// How a pool of a model is run in memory.
struct PoolPlan {
  std::string model, case_text;
  std::int64_t spin_up = 0;  ///< steps of the reference from the case's start to that of all runs
  int members = 512;
  std::uint64_t seed = 1;
  int jobs = 1;
  std::vector<Candidate> candidates;  ///< without the reference, fp64/deterministic
};

/// Runs everything; `folder` (which is there) takes the case and one short run, of which the layout of output
/// is read. The amplitude is what the case tolerates. InputError for a case that tolerates none.
Pool run_pool(PoolPlan const& plan, std::filesystem::path const& folder, Progress const& progress);

/// The pool of a study that was run as such, with one amplitude; candidates are its configurations with
/// members: those in the reference's policy whose stages are in no other are equal.
Pool pool_of(std::string const& model, verification::StudyResults const& study);

/// Adds to the equal candidates one each that is judged by members of other seeds.
void add_unpaired(Pool& pool);

/// The study of the reference and `names` with members `numbers` of each; members `others` of what is not
/// paired. Judged.
verification::StudyResults draw(Pool const& pool, std::vector<std::string> const& names,
                                std::span<std::size_t const> numbers, std::span<std::size_t const> others);

/// Disjoint draws of `size` numbers below `count`, shuffled anew once all blocks are used; what is left of a
/// round is not used. Not more than half of `count` at a time.
class Deck {
 public:
  Deck(std::size_t count, std::size_t size, std::uint64_t seed);
  struct Hand {
    std::span<std::size_t const> numbers, others;  ///< valid until the next call
  };
  Hand next();

 private:
  void shuffle();
  std::vector<std::size_t> order_;
  std::size_t size_, block_ = 0;
  std::uint64_t seed_, round_ = 0;
};

}  // namespace ulpine::calibration
