// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "io/trace_file.hpp"
#include "probe/source/device.hpp"
#include "probe/source/hash.hpp"
#include "probe/source/part.hpp"

namespace ulpine::probe {

/// Where a run is: its step and the loops within. Places that come again within a step are told apart.
class Places {
 public:
  /// A step begins, and all loops end. UseError unless n is more than that of the step before.
  void step(std::int64_t n);
  /// The turn of a loop begins: of the innermost, where that has this name, else of a new one in it. UseError
  /// outside of steps and for an eighth loop within each other.
  void enter(std::string_view loop, std::int64_t i);
  /// UseError where there is no loop.
  void leave();
  /// The position of a stage that has run here. From the second time on in a step it ends in {"call", 2},
  /// {"call", 3}, ... UseError outside of steps.
  std::vector<io::LoopIndex> stage(std::string_view name);
  /// As it is now; empty before the first step.
  std::vector<io::LoopIndex> const& position() const { return position_; }
  std::int64_t step() const { return position_.empty() ? 0 : position_.front().index; }

 private:
  int number_of(std::string_view name);

  std::vector<io::LoopIndex> position_;
  std::unordered_map<std::string, int> names_;
  /// Turns of loops that the step has had, by the turn around each, name and index; 0 is the step.
  std::map<std::tuple<int, int, std::int64_t>, int> nodes_;
  std::vector<int> path_;                              ///< nodes of the loops in position_
  std::map<std::pair<int, int>, std::int64_t> calls_;  ///< by node and name of the stage
};

/// A name that fields are told by.
struct Field {
  explicit Field(std::string its_name) : name{std::move(its_name)} {}
  std::string name, unit;
  std::string type;        ///< type_name() of the first part told
  bool described = false;  ///< in the trace
};

/// What is told of a field after one stage: a sum over its parts.
struct OpenRecord {
  Field* field = nullptr;
  Part whole;  ///< the first part, for its shape; not its memory
  std::int64_t count = 0, points = 0;
  std::uint64_t places = 0;  ///< sum of places_of() of parts
  std::vector<std::uint64_t> blocks;
  std::vector<DeviceHash> on_their_way = {};  ///< hashes of parts on a GPU

  /// Whether all hashes are there.
  bool ready() const;
  /// Waits for those that are not.
  void wait();
};

/// A stage and its records, in the order in which their fields were first told.
class Stage {
 public:
  Stage(std::vector<io::LoopIndex> position, std::string_view name, bool traced)
      : position_{std::move(position)}, name_{name}, traced_{traced} {}

  std::vector<io::LoopIndex> const& position() const { return position_; }
  std::string const& name() const { return name_; }
  /// Whether fields are hashed in its step.
  bool traced() const { return traced_; }
  /// Adds a part. UseError where it does not go with the parts before, or tells elements again.
  void add(Field& field, Part const& part, BlockSums const& sums, std::uint64_t places);
  /// Adds a part on a GPU, whose hashes come later.
  void add(Field& field, Part const& part, DeviceHash hashes, std::uint64_t places);
  std::vector<OpenRecord> const& records() const { return records_; }
  /// Whether all hashes are there.
  bool ready() const;
  /// Waits for those that are not.
  void wait();
  /// No more parts can come.
  void close() { closed_ = true; }

 private:
  OpenRecord& record_with(Field& field, Part const& part, std::uint64_t places);

  std::vector<io::LoopIndex> position_;
  std::string name_;
  bool traced_, closed_ = false;
  std::vector<OpenRecord> records_;
  std::unordered_map<Field const*, std::size_t> numbers_;
};

/// The record of a field that no more parts come of. `blocks`: with the hashes of blocks.
io::TraceRecord closed_record(std::vector<io::LoopIndex> const& position, OpenRecord const& record,
                              bool blocks);
/// What a trace says of the field: type, shape, indices, unit, `zeros` = "equal" where its hash has
/// no -0, and, of a field of which a part is missing, its places.
io::TraceAttributes attributes_of(OpenRecord const& record, bool zeros_equal);

}  // namespace ulpine::probe
