// SPDX-License-Identifier: Apache-2.0
#include "probe/source/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "io/host_provenance.hpp"
#include "probe/source/rank_name.hpp"

namespace ulpine::probe {
namespace {

/// Stage of fields that are told before one has run at their place.
constexpr char const* before_stages = "start";
/// Stages whose hashes a GPU may still compute while the model goes on.
constexpr std::size_t most_closed = 64;

/// Between two flushes. A program that aborts loses no more than the records of this time, and what led to
/// its end is among the last.
constexpr auto longest_pause = std::chrono::milliseconds{50};

}  // namespace

Run::Run(Settings settings, Launch launch, Tell tell)
    : settings_{std::move(settings)},
      launch_{std::move(launch)},
      tell_{[this, tell](std::string const& line) { tell(rank_text() + line); }} {
  if (settings_.times) seconds_.emplace();
  changes_.emplace(settings_, tell_);
  if (!changes_->any()) changes_.reset();
  claim_files();
}

Run::~Run() = default;

void Run::rank(int rank, int ranks) {
  Lock const lock(mutex_);
  if (rank < 0 || rank >= ranks) {
    throw UseError("ulpine_rank(" + std::to_string(rank) + ", " + std::to_string(ranks) +
                   ") (ranks are counted from 0) give it the process's number and how many there are");
  }
  if (rank == launch_.rank && ranks == launch_.ranks) return;
  if (opened_) {
    throw UseError(
        "ulpine_rank comes after the first step (files have the rank in their names) call it before");
  }
  if (ranks != launch_.ranks) launch_.run.clear();  // that of other processes
  launch_.rank = rank;
  launch_.ranks = ranks;
  claim_files();
}

void Run::step(std::int64_t n) {
  Seconds::Call const timed(seconds_ ? &*seconds_ : nullptr);
  if (seconds_) seconds_->rest();
  Lock const lock(mutex_);
  close_stage();
  places_.step(n);
  open_files();
}

void Run::enter(std::string_view loop, std::int64_t i) {
  Seconds::Call const timed(seconds_ ? &*seconds_ : nullptr);
  if (seconds_) seconds_->rest();
  Lock const lock(mutex_);
  close_stage();
  places_.enter(loop, i);
}

void Run::leave() {
  Seconds::Call const timed(seconds_ ? &*seconds_ : nullptr);
  if (seconds_) seconds_->rest();
  Lock const lock(mutex_);
  close_stage();
  places_.leave();
}

void Run::stage(std::string_view name) {
  Seconds::Call const timed(seconds_ ? &*seconds_ : nullptr);
  if (seconds_) seconds_->stage(name);
  Lock lock(mutex_);
  close_stage();
  open_stage(name);
  auto const stage = stage_;
  auto const watched = watched_;
  lock.unlock();
  for (auto const& one : watched) {
    lock.lock();
    auto& field = field_of(one->name);
    lock.unlock();
    tell(*stage, field, one->part, false);
  }
}

void Run::field(std::string_view name, Part const& part, bool state) {
  Seconds::Call const timed(seconds_ ? &*seconds_ : nullptr);
  Lock lock(mutex_);
  auto const is_watched = [name](auto const& watched) { return watched->name == name; };
  if (stage_ != nullptr && stage_->name() != before_stages && std::ranges::any_of(watched_, is_watched)) {
    throw UseError(
        "field '" + std::string{name} +
        "': is told and watched (after every stage) take this call out, or call ulpine_unwatch before it");
  }
  if (stage_ == nullptr) open_stage(before_stages);
  auto const stage = stage_;
  auto& known = field_of(name);
  lock.unlock();
  tell(*stage, known, part, state);
}

void Run::unset(std::string_view name, Part const& part) {
  Seconds::Call const timed(seconds_ ? &*seconds_ : nullptr);
  if (!changes_) return;
  if (!on_device(part)) {
    changes_->unset(name, part);
    return;
  }
  HostCopy copy(part);
  changes_->unset(name, copy.part());
  copy.write_back();
}

void Run::watch(std::string_view name, Part const& part) {
  auto watched = std::make_shared<Watched>();
  watched->name = name;
  watched->part = part;
  for (int a = 0; a < part.rank; ++a) {
    auto& axis = watched->part.axes[static_cast<std::size_t>(a)];
    if (axis.numbers == nullptr) continue;
    watched->numbers.assign(axis.numbers, axis.numbers + axis.extent);
    axis.numbers = watched->numbers.data();
  }
  Lock const lock(mutex_);
  auto const same = std::ranges::find_if(watched_, [name](auto const& other) { return other->name == name; });
  if (same != watched_.end()) {
    *same = std::move(watched);
  } else {
    watched_.push_back(std::move(watched));
  }
}

void Run::unwatch(std::string_view name) {
  Lock const lock(mutex_);
  if (std::erase_if(watched_, [name](auto const& watched) { return watched->name == name; }) == 0) {
    throw UseError("ulpine_unwatch: field '" + std::string{name} +
                   "' is not watched (no ulpine_watch of that name) mend the name");
  }
}

void Run::unit(std::string_view name, std::string_view unit) {
  Lock const lock(mutex_);
  auto& field = field_of(name);
  if (field.unit == unit) return;
  if (field.described) {
    throw UseError("field '" + field.name +
                   "': unit comes after its first record is written (it stands before it) call "
                   "ulpine_unit before the first step");
  }
  field.unit = unit;
}

void Run::time(double seconds) { time_ = seconds; }

void Run::settle() {
  Lock const lock(mutex_);
  close_stage();
  write_closed(true);
}

void Run::close() {
  Lock const lock(mutex_);
  close_stage();
  end_files();
  if (seconds_) seconds_->write(rank_name(settings_.seconds, launch_.rank, launch_.ranks));
  auto const tell_all = [this](std::vector<std::string> const& lines) {
    std::ranges::for_each(lines, tell_);
  };
  if (changes_) tell_all(changes_->unused());
  if (values_) tell_all(values_->unused());
  if (reference_) tell_all(reference_->summary());
}

void Run::abandon() {
  Lock const lock(mutex_);
  try {
    if (writer_) writer_->flush();
    if (values_) values_->flush();
  } catch (std::exception const&) {
    // It is this of which the user was told.
  }
}

std::string Run::where() {
  Lock const lock(mutex_);
  auto text = rank_text();
  auto const& position = stage_ != nullptr ? stage_->position() : places_.position();
  if (!position.empty()) {
    text += io::text_of(position) + (stage_ != nullptr ? ", stage " + stage_->name() : std::string{}) + ": ";
  }
  return text;
}

std::string Run::rank_text() const {
  return launch_.ranks > 1 ? "rank " + std::to_string(launch_.rank) + ": " : std::string{};
}

/// Files of an earlier run go now, those of this one come with its first step, when the rank is known.
void Run::claim_files() {
  if (!settings_.trace.empty()) claim_.emplace(rank_name(settings_.trace, launch_.rank, launch_.ranks));
  if (!settings_.record.empty()) {
    io::TraceAttributes attributes = {{"rank", std::to_string(launch_.rank)},
                                      {"ranks", std::to_string(launch_.ranks)}};
    if (!launch_.run.empty()) attributes.emplace_back("run", launch_.run);
    values_.emplace(settings_, launch_.rank, launch_.ranks, std::move(attributes));
  }
}

void Run::open_files() {
  if (std::exchange(opened_, true)) return;
  if (settings_.compare) reference_.emplace(settings_, launch_.rank, launch_.ranks, tell_);
  if (claim_) {
    claim_->take();
    auto provenance = io::host_provenance();
    provenance.compiler.clear();  // the program's are not known
    provenance.flags.clear();
    provenance.device = "cpu";
    provenance.ranks = launch_.ranks;
    writer_.emplace(claim_->path(), provenance, "", io::TraceShare{launch_.rank, launch_.ranks, launch_.run});
  }
  flushed_ = std::chrono::steady_clock::now();
}

void Run::end_files() {
  write_closed(true);
  if (writer_) writer_->close();
  claim_.reset();
  if (values_) values_->close();
}

Field& Run::field_of(std::string_view name) {
  auto& field = fields_[std::string{name}];
  if (field == nullptr) field = std::make_unique<Field>(std::string{name});
  return *field;
}

void Run::open_stage(std::string_view name) {
  stage_ = std::make_shared<Stage>(places_.stage(name), name,
                                   settings_.hashes() && settings_.traced(places_.step()));
}

void Run::close_stage() {
  if (stage_ == nullptr) return;
  auto const stage = std::exchange(stage_, nullptr);
  stage->close();
  closed_.push_back(stage);
  write_closed(closed_.size() > most_closed || reference_);
  flush_in_time();
}

void Run::write_closed(bool all) {
  while (!closed_.empty() && (all || closed_.front()->ready())) {
    auto const stage = closed_.front();
    closed_.pop_front();
    stage->wait();
    for (auto const& record : stage->records()) {
      auto& field = *record.field;
      auto const closed = closed_record(stage->position(), record, settings_.blocks);
      if (!std::exchange(field.described, true) && writer_)
        writer_->describe_field(field.name, attributes_of(record, settings_.zeros_equal));
      if (writer_) writer_->append(stage->name(), field.name, closed);
      if (reference_ && reference_->check({stage->position(), stage->name(), field.name}, closed) &&
          settings_.compare->stop)
        stop();
    }
  }
}

void Run::flush_in_time() {
  auto const now = std::chrono::steady_clock::now();
  if (now - flushed_ < pause_) return;
  if (writer_) writer_->flush();
  if (values_) values_->flush();
  flushed_ = now;
  pause_ = std::min<std::chrono::steady_clock::duration>(2 * pause_, longest_pause);
}

/// Ends the program at the first difference. Its own ends (exit handlers, other threads, MPI) may wait for
/// what does not come any more: they are left out but for what the C library has buffered.
void Run::stop() {
  end_files();
  std::fflush(nullptr);
  ::_exit(1);
}

void Run::tell(Stage& stage, Field& field, Part const& part, bool state) {
  if (!on_device(part)) {
    tell_on_host(stage, field, part, state);
    return;
  }
  Place const place{stage.position(), stage.name(), field.name};
  auto const traced = stage.traced() && settings_.traced(stage.name(), field.name);
  if (changes_ || (values_ && values_->wants(place)) ||
      (reference_ && reference_->reads_values() && traced)) {
    HostCopy copy(part);
    tell_on_host(stage, field, copy.part(), state);
    if (changes_ && state) copy.write_back();
  } else if (traced) {
    auto there = part;
    there.on_device = true;
    if (reference_) reference_->check(place, there);
    BlockSums const sums(part.whole_count());
    auto hashes = hash_on_device(part, sums.shift(), static_cast<int>(sums.blocks()), settings_.zeros_equal);
    waits_for_device_.store(true, std::memory_order_relaxed);
    Lock const lock(mutex_);
    auto const all = part.count() == part.whole_count();
    stage.add(field, part, std::move(hashes), all || field.described ? 0 : places_of(part));
  }
}

void Run::tell_on_host(Stage& stage, Field& field, Part const& part, bool state) {
  Place const place{stage.position(), stage.name(), field.name};
  if (changes_) {
    changes_->look_for_unset(place, part);
    if (state) changes_->before(place, part);
  }
  if (stage.traced() && settings_.traced(stage.name(), field.name)) {
    if (reference_) reference_->check(place, part);
    hash(stage, field, part);
  }
  if (values_ && values_->wants(place)) {
    Lock lock(mutex_);
    auto const unit = field.unit;
    lock.unlock();
    values_->add(place, part, time_, unit);
  }
  if (changes_ && state) changes_->after(place, part);
}

void Run::hash(Stage& stage, Field& field, Part const& part) {
  BlockSums sums(part.whole_count());
  add_hashes(part, sums, settings_.zeros_equal);
  Lock const lock(mutex_);
  auto const all = part.count() == part.whole_count();
  stage.add(field, part, sums, all || field.described ? 0 : places_of(part));
}

}  // namespace ulpine::probe
