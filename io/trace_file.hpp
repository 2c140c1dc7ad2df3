// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/provenance.hpp"

namespace ulpine::io {

/// One level of a place in the loops of a run, e.g. {"step", 3} or {"substep", 17}.
struct LoopIndex {
  std::string loop;
  std::int64_t index = 0;
  friend bool operator==(LoopIndex const&, LoopIndex const&) = default;
};
/// As people read it: "step 3, tracer 1, stage 2".
std::string text_of(std::vector<LoopIndex> const& position);

/// Hash of one field after one stage at one point of a run.
struct TraceRecord {
  std::vector<LoopIndex> position;  ///< outermost loop first: {"step", n}, n from 1; up to `deepest_position`
  std::uint16_t stage = 0;          ///< index into TraceHeader::stages
  std::uint16_t field = 0;          ///< index into TraceHeader::fields
  std::int64_t count = 0;           ///< elements of the field
  std::uint64_t hash = 0;           ///< order-free hash of all (index, bits)
  /// Hashes of consecutive blocks of trace_block_size(count) elements; they sum to `hash`.
  std::vector<std::uint64_t> blocks = {};
  /// Elements that `hash` does not tell of: those of other ranks of the launch. 0 to `count`.
  std::int64_t missing = 0;
  bool replicated = false;  ///< every rank of the launch tells of the whole field
};
/// The step, seven loops, and the calls of a stage at one place of these.
inline constexpr std::size_t deepest_position = 9;

/// Elements a block hash covers: the least power of two that leaves at most 256 blocks.
std::int64_t trace_block_size(std::int64_t count);

/// Keys and values, in the order in which they were given.
using TraceAttributes = std::vector<std::pair<std::string, std::string>>;

/// A stage or field, and what is said of it: e.g. policy and guarantee, units and type.
struct TraceEntry {
  std::string name;
  TraceAttributes attributes = {};
  friend bool operator==(TraceEntry const&, TraceEntry const&) = default;
};

/// Which part of a launch of several processes a trace is of.
struct TraceShare {
  int rank = 0, ranks = 1;  ///< 0 <= rank < ranks
  std::string run = {};  ///< the same on all ranks of a launch, and on no others; empty where nothing tells
  friend bool operator==(TraceShare const&, TraceShare const&) = default;
};

struct TraceHeader {
  Provenance provenance;
  TraceShare share;
  std::string case_text;  ///< CaseFile::resolved
  std::vector<TraceEntry> stages, fields;
  std::vector<std::string> loops;
};

/// Appends records. Checksums cover every byte; only close() marks a trace as whole.
class TraceWriter {
 public:
  /// std::invalid_argument for a rank that the launch does not have.
  TraceWriter(std::filesystem::path const& path, Provenance const& provenance, std::string const& case_text,
              TraceShare const& share = {});
  TraceWriter(TraceWriter&&) noexcept;
  ~TraceWriter();
  /// Sets attributes of a stage or field: before its first record, once or always the same; std::logic_error
  /// otherwise.
  void describe_stage(std::string const& stage, TraceAttributes const& attributes);
  void describe_field(std::string const& field, TraceAttributes const& attributes);
  /// Sets record.stage, .field itself. std::invalid_argument for a position that is none, or more elements
  /// missing than there are.
  void append(std::string const& stage, std::string const& field, TraceRecord const& record);
  /// Writes the buffer (up to 1 MiB) to the file, so that a kill does not lose it.
  void flush();
  /// Ends the trace and closes the file, so that errors are thrown here rather than lost. EnvironmentError
  /// where the disk is full. Destruction without it leaves a trace that counts as cut short.
  void close();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// How a trace ends.
enum class TraceEnd {
  whole,   ///< as its writer closed it
  cut,     ///< nothing follows what was read but the beginning of a part: the run was stopped, or is at work
  altered  ///< what follows is not as it was written
};

struct Trace {
  TraceHeader header;
  std::vector<TraceRecord> records;
  TraceEnd end = TraceEnd::whole;
};

struct TraceReading {
  bool partial = false;  ///< a trace without its end is read up to its last checksum that holds
};

/// All records; stages, fields and loops in the order in which they were described or first used. InputError
/// for a missing, foreign or altered file, and, unless asked for a part, for one that was not brought to its
/// end: nothing of a part could be called equal to another. A part has at least the header.
Trace read_trace(std::filesystem::path const& path, TraceReading reading = {});

}  // namespace ulpine::io
