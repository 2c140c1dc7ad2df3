// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/trace_file.hpp"
#include "probe/source/changes.hpp"
#include "probe/source/claim.hpp"
#include "probe/source/fields_file.hpp"
#include "probe/source/launch.hpp"
#include "probe/source/place.hpp"
#include "probe/source/record.hpp"
#include "probe/source/reference.hpp"
#include "probe/source/seconds.hpp"
#include "probe/source/settings.hpp"

namespace ulpine::probe {

/// What a program tells through ulpine.h, and what the settings ask to be done with it. Calls of one name do
/// as the functions of that header. Fields may come from several threads at once. All throw UseError for a
/// wrong use and EnvironmentError where files cannot be written; nothing more is to be called then but
/// abandon().
class Run {
 public:
  /// `tell` says a line to the user. InputError where a file of the settings cannot be used.
  Run(Settings settings, Launch launch, Tell tell);
  ~Run();

  void step(std::int64_t n);
  void rank(int rank, int ranks);
  void enter(std::string_view loop, std::int64_t i);
  void leave();
  void stage(std::string_view name);
  /// `state`: may be changed.
  void field(std::string_view name, Part const& part, bool state);
  void unset(std::string_view name, Part const& part);
  void watch(std::string_view name, Part const& part);
  void unwatch(std::string_view name);
  void unit(std::string_view name, std::string_view unit);
  void time(double seconds);
  /// Ends the files, and says what the settings were of no use for.
  void close();
  /// Leaves the files as those of a run that was cut short. Throws nothing.
  void abandon();
  /// Where the run is, for messages: "rank 3: step 7, sub 2: ", as far as it is known.
  std::string where();

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Watched {
    std::string name;
    Part part;
    std::vector<std::int64_t> numbers;  ///< of one of its axes, if it has any
  };

  void claim_files();
  void open_files();
  void end_files();
  Field& field_of(std::string_view name);
  void open_stage(std::string_view name);
  void close_stage();
  /// Writes the stages that have closed, but for those of the end whose hashes are not there yet; `all`:
  /// waits for these.
  void write_closed(bool all);
  void flush_in_time();
  [[noreturn]] void stop();
  void tell(Stage& stage, Field& field, Part const& part, bool state);
  /// tell() of a part in the host's memory, or in a copy there.
  void tell_on_host(Stage& stage, Field& field, Part const& part, bool state);
  void hash(Stage& stage, Field& field, Part const& part);
  std::string rank_text() const;

  Settings settings_;
  Launch launch_;
  Tell tell_;
  // Those that a setting asks for.
  std::optional<Seconds> seconds_;
  std::optional<Changes> changes_;
  std::optional<FieldsWriter> values_;
  std::optional<Reference> reference_;
  std::atomic<double> time_ = std::numeric_limits<double>::quiet_NaN();

  std::mutex mutex_;  ///< of all that follows
  std::optional<Claim> claim_;
  std::optional<io::TraceWriter> writer_;
  bool opened_ = false;
  std::chrono::steady_clock::time_point flushed_ = {};
  /// Time to the next flush: short at first, so that a program which ends soon leaves what it has told.
  std::chrono::steady_clock::duration pause_ = std::chrono::milliseconds(10);
  Places places_;
  std::shared_ptr<Stage> stage_;               ///< the one that ran last here
  std::deque<std::shared_ptr<Stage>> closed_;  ///< stages before it that are not written yet
  std::unordered_map<std::string, std::unique_ptr<Field>> fields_;
  std::vector<std::shared_ptr<Watched const>> watched_;
};

}  // namespace ulpine::probe
