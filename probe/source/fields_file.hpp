// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/trace_file.hpp"
#include "probe/source/place.hpp"
#include "probe/source/settings.hpp"

// fields.bin: values of chosen fields, whole or in parts.

namespace ulpine::probe {

/// Writes the fields that [[record]] chooses; of replicated ones rank 0 alone. Thread-safe.
class FieldsWriter {
 public:
  /// Writes to the name of this rank's file of `settings.fields`, once the first field comes; what an earlier
  /// run left under that name is removed at once. `attributes` are said of the whole file: `rank`, `ranks`
  /// and, where it is known, `run`. InputError where another file lies there.
  FieldsWriter(Settings const& settings, int rank, int ranks, io::TraceAttributes attributes);
  ~FieldsWriter();
  bool wants(Place const& place) const;
  /// Writes the values of the part if they are wanted. `seconds` is the model's time, NaN where it was not
  /// told. EnvironmentError where the disk is full.
  void add(Place const& place, Part const& part, double seconds, std::string_view unit);
  /// Hands what is buffered to the system. EnvironmentError.
  void flush();
  /// Marks the file as whole. EnvironmentError.
  void close();
  /// Settings that chose no field, as lines for the user.
  std::vector<std::string> unused() const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// A part of a field in such a file.
struct RecordedPart {
  struct Axis {
    std::int64_t extent = 1, first = 0, whole = 1;
    std::vector<std::int64_t> numbers = {};  ///< empty: first, first + 1, ...
  };
  std::vector<io::LoopIndex> position;
  std::string stage, field, unit;
  std::string type;  ///< type_name()
  double seconds = 0;
  std::vector<Axis> axes;  ///< slowest first, a last one of 2 for complex numbers
  bool fastest_first = false, replicated = false;
  // Where the values are.
  std::int64_t count = 0;
  int element_size = 0;
  std::size_t file = 0;
  std::uint64_t offset = 0;
};

/// The files of all ranks of a run. Values stay in the files until they are asked for. Thread-safe.
class FieldsFile {
 public:
  /// `name` as it was asked for: the files are rank_files(name). InputError where there is none, for foreign
  /// and altered ones.
  explicit FieldsFile(std::string const& name);
  ~FieldsFile();
  std::string const& name() const;
  std::vector<RecordedPart> const& parts() const;
  /// Whether every file was brought to its end; else parts are those before the end.
  bool whole() const;
  /// Values of a part, dense row-major, element_size bytes each, as the model had them. InputError where they
  /// are not as they were written.
  std::vector<std::byte> values(RecordedPart const& part) const;
  io::TraceAttributes const& attributes() const;  ///< of the first file

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace ulpine::probe
