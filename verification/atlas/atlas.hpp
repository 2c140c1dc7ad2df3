// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "verification/comparison/trace_diff.hpp"
#include "verification/comparison/trace_merge.hpp"

namespace ulpine::verification {

/// What a machine answered to a question of the atlas, over all runs there.
struct AtlasAnswer {
  std::string machine;  ///< the card's name, or the processor's
  bool card = false;
  bool same = true;  ///< in every run; false where runs contradict each other
  std::string hash;  ///< of the result before the change, 16 hex digits; empty where it is another run by run
};

/// A question: whether a change keeps the bits of a building block.
struct AtlasRow {
  std::string library, version;  ///< "cuFFT", "12.0.0"
  std::string block;             ///< "Z2Z 997"
  std::string varied;            ///< "batch", one of the words that the page docs/reference/bits.md lists
  std::string change;            ///< "a line first in a batch of 512 against it alone"
  std::vector<AtlasAnswer> answers;
};

using Atlas = std::vector<AtlasRow>;

/// The rows of a file as benchmarks/atlas/merge.py writes it (verification/atlas.toml). InputError where it
/// is none.
Atlas read_atlas(std::filesystem::path const& path);

/// Names and values of what a run or a call of a stage was made with: those of io::Provenance::items(), and
/// of a stage those of io::TraceEntry::attributes.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// One line on what the atlas knows of the difference between two runs that differ first in the output of
/// `stage`, and what cures it; empty where it knows nothing. It speaks only
///
/// - where the stage calls building blocks: those that its attribute `blocks` names in both runs ("cuFFT Z2Z
///   997, cuBLAS dgemm"), else those that stages of Ulpine's cores are known to call;
/// - where case, policy, assembly, commit, compiler and flags of both runs are the same, as far as they are
///   told, so that nothing of the program itself has changed;
/// - of a change that is recorded: another card, number of ranks or threads, driver, processor or version of
///   a library in the facts of the runs, another value of an attribute that has the name of what rows vary
///   (`batch`, `alignment`, `workspace`, ...), or none at all, for blocks that add in order of arrival;
/// - where at least one row on that block and change says "other bits".
std::string known_of_difference(Atlas const& atlas, std::string const& stage, Facts const& first_run,
                                Facts const& second_run, Facts const& first_stage = {},
                                Facts const& second_stage = {});

/// The same of two traces and their first divergence: of values that differ, with what the traces tell of
/// their runs and of the stage.
std::string known_of(Atlas const& atlas, Divergence const& divergence, MergedTrace const& first,
                     MergedTrace const& second);

}  // namespace ulpine::verification
