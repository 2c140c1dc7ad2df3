// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verification/comparison/trace_diff.hpp"
#include "verification/comparison/trace_merge.hpp"

namespace ulpine::verification {

/// What a machine answered to a question of the atlas, over all runs there.
struct AtlasAnswer {
  std::string machine;  ///< the card's name, or the processor's
  std::string driver;   ///< of a card, "13.0"; empty of a processor
  bool same = true;     ///< in every run; false where runs contradict each other
  double ulps = 0;      ///< largest distance in units in the last place; below 0 where there was NaN
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
/// `stage`, and what cures it; empty where it knows nothing, or in doubt. It says "may", and what to look at:
/// a fault of the program can hide behind a change that is known. It speaks only
///
/// - where the stage calls building blocks: those that its attribute `blocks` names in both runs in the words
///   of a row ("cuFFT Z2Z 997, cuBLAS dgemm 512"), else the additions of stages of Ulpine's cores with atomic
///   assembly;
/// - where one fact differs and no other, or none: any attribute of the stage and any fact of the runs
/// counts,
///   but for the time and the text of the configuration;
/// - of a value (attribute of the stage, ranks, threads) by a row that names both values; of two cards,
///   drivers, processors or versions of a library by results that were measured of both;
/// - of the order of arrival where assembly is atomic and both runs have several threads, or a GPU;
/// - where the row says "other bits", and `ulps`, the distance of the values where they are at hand (infinity
///   where one is no number), is not beyond the row's.
std::string known_of_difference(Atlas const& atlas, std::string const& stage, Facts const& first_run,
                                Facts const& second_run, Facts const& first_stage = {},
                                Facts const& second_stage = {}, std::optional<double> ulps = {});

/// Whether stages of that core add in order of arrival where assembly is atomic.
bool adds_in_order_of_arrival(std::string const& core);

/// known_of_difference() of two traces and their first divergence: of values that differ, with what the
/// traces tell of their runs and of the stage.
std::string known_of(Atlas const& atlas, Divergence const& divergence, MergedTrace const& first,
                     MergedTrace const& second);

}  // namespace ulpine::verification
