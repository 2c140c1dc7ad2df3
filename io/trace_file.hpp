// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/provenance.hpp"

namespace ulpine::io {

/// What one stage left in one field at one point of a run.
struct TraceRecord {
  std::int64_t step = 0;     ///< model step, from 1
  std::int32_t substep = 0;  ///< sub-step within it from 1; 0 outside sub-cycles
  std::uint16_t stage = 0;   ///< index into TraceHeader::stages
  std::uint16_t field = 0;   ///< index into TraceHeader::fields
  std::int64_t count = 0;    ///< elements of the field
  std::uint64_t hash = 0;    ///< order-free hash of all (index, bits)
  std::vector<std::uint64_t>
      blocks;  ///< the same for consecutive blocks of block_size(count) elements; they sum to `hash`
};

/// Elements a block hash covers: the least power of two that leaves at most 256 blocks.
std::int64_t trace_block_size(std::int64_t count);

struct TraceHeader {
  Provenance provenance;
  std::string case_text;  ///< CaseFile::resolved
  std::vector<std::string> stages, fields;
};

/// Appends records. Checksums cover every byte; only close() marks a trace as whole.
class TraceWriter {
 public:
  TraceWriter(std::filesystem::path const& path, Provenance const& provenance, std::string const& case_text);
  TraceWriter(TraceWriter&&) noexcept;
  ~TraceWriter();
  void append(std::string const& stage, std::string const& field,
              TraceRecord const& record);  ///< sets record.stage, .field itself
  /// Hands what is buffered (up to 1 MiB) to the system, so that a kill does not lose it.
  void flush();
  /// Ends the trace and closes the file, so that errors are thrown here rather than lost. EnvironmentError
  /// where the disk is full. Destruction without it leaves a trace that counts as cut short.
  void close();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

struct Trace {
  TraceHeader header;
  std::vector<TraceRecord> records;
};

/// All records; stages and fields in the order of their first use. InputError for a missing, foreign or
/// altered file, and for one that was not brought to its end: nothing of a part could be called equal to
/// another.
Trace read_trace(std::filesystem::path const& path);

}  // namespace ulpine::io
