// SPDX-License-Identifier: Apache-2.0
// One trace of the traces that the ranks of a launch have written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/trace_file.hpp"

namespace ulpine::verification {

/// Ranks in ascending order, as ranges of consecutive ones: {first, last}, inclusive.
using RankRanges = std::vector<std::pair<int, int>>;
/// "rank 2", "ranks 0, 5 to 7".
std::string text_of(RankRanges const& ranks);

/// Why the parts of a record do not add up to what one rank would have written.
struct MergeFlaw {
  enum class Kind {
    missing,     ///< elements that no rank tells of
    told_twice,  ///< ranks tell of more elements than the field has
    other_size,  ///< ranks tell of fields of different numbers of elements
    other_form,  ///< ranks describe the field differently: its type, shape, or whether every rank has all of
                 ///< it
    other_bits   ///< a field that every rank has differs between ranks
  };
  Kind kind = Kind::missing;
  std::size_t record = 0;     ///< in the merged trace
  std::int64_t elements = 0;  ///< missing, or too many
  RankRanges ranks = {};      ///< missing: that do not have the record; else those that differ from the first
};

struct MergedTrace {
  io::Trace trace;                    ///< without a share; `missing` of its records is what no rank tells of
  std::vector<MergeFlaw> flaws = {};  ///< in the order of records
  int ranks = 1;
  RankRanges absent = {};  ///< ranks that have no trace
};

/// Adds the traces of ranks up: hashes and blocks modulo 2^64, fields that every rank has once. Records are
/// in the order of the first rank; those that it does not have follow the record which they follow on their
/// rank. Of traces without their end, only records are kept about which no rank could have said more.
class TraceMerge {
 public:
  explicit TraceMerge(int ranks);
  ~TraceMerge();
  /// The trace of the next rank, in ascending order. InputError, which begins with `name`, where its share is
  /// that of another launch or rank.
  void add(int rank, io::Trace trace, std::string const& name);
  MergedTrace result() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The trace that io::rank_files() finds for `name`, merged where it is of several ranks. InputError as
/// io::read_trace() and TraceMerge, and for one rank's trace whose name does not tell where the others' are.
MergedTrace read_merged_trace(std::filesystem::path const& name, io::TraceReading reading = {});

/// What is wrong with the record, and with which ranks, in words that follow its name.
std::string describe(MergeFlaw const& flaw, io::TraceRecord const& record);

}  // namespace ulpine::verification
