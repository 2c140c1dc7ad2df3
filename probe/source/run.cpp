// SPDX-License-Identifier: Apache-2.0
#include "probe/source/run.hpp"

#include <algorithm>
#include <exception>

#include "io/host_provenance.hpp"
#include "probe/source/rank_name.hpp"

namespace ulpine::probe {
namespace {

/// Stage of fields that are told before one has run at their place.
constexpr char const* before_stages = "start";

/// A program that aborts loses no more than the records of this time: what led to its end is among the last.
constexpr auto between_flushes = std::chrono::milliseconds{50};

}  // namespace

Run::Run(Settings settings, Launch launch, Tell tell)
    : settings_{std::move(settings)}, launch_{std::move(launch)}, tell_{std::move(tell)} {
  if (!settings_.trace.empty()) claim_.emplace(rank_name(settings_.trace, launch_.rank, launch_.ranks));
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
    throw UseError("ulpine_rank comes after the first step (files have the rank in their names) call it before");
  }
  if (ranks != launch_.ranks) launch_.run.clear();
  launch_.rank = rank;
  launch_.ranks = ranks;
  if (claim_) claim_.emplace(rank_name(settings_.trace, rank, ranks));
}

void Run::step(std::int64_t n) {
  Lock const lock(mutex_);
  close_stage();
  places_.step(n);
  open_files();
}

void Run::enter(std::string_view loop, std::int64_t i) {
  Lock const lock(mutex_);
  close_stage();
  places_.enter(loop, i);
}

void Run::leave() {
  Lock const lock(mutex_);
  close_stage();
  places_.leave();
}

void Run::stage(std::string_view name) {
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
  Lock lock(mutex_);
  auto const is_watched = [name](auto const& watched) { return watched->name == name; };
  if (stage_ != nullptr && stage_->name() != before_stages && std::ranges::any_of(watched_, is_watched)) {
    throw UseError("field '" + std::string{name} +
                   "': is told and watched (after every stage) take this call out, or call ulpine_unwatch before it");
  }
  if (stage_ == nullptr) open_stage(before_stages);
  auto const stage = stage_;
  auto& known = field_of(name);
  lock.unlock();
  tell(*stage, known, part, state);
}

void Run::unset(std::string_view, Part const&) {}

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
    throw UseError("ulpine_unwatch: field '" + std::string{name} + "' is not watched (no ulpine_watch of that name) mend the name");
  }
}

void Run::unit(std::string_view name, std::string_view unit) {
  Lock const lock(mutex_);
  auto& field = field_of(name);
  if (field.unit == unit) return;
  if (field.described) {
    throw UseError("field '" + field.name + "': unit comes after its first record is written (it stands before it) call "
                   "ulpine_unit before the first step");
  }
  field.unit = unit;
}

void Run::time(double seconds) {
  Lock const lock(mutex_);
  time_ = seconds;
}

void Run::close() {
  Lock const lock(mutex_);
  close_stage();
  if (writer_) writer_->close();
  claim_.reset();
}

void Run::abandon() {
  Lock const lock(mutex_);
  try {
    if (writer_) writer_->flush();
  } catch (std::exception const&) {
    // It is this of which the user was told.
  }
}

std::string Run::where() {
  Lock const lock(mutex_);
  auto text = launch_.ranks > 1 ? "rank " + std::to_string(launch_.rank) + ": " : std::string{};
  auto const& position = stage_ != nullptr ? stage_->position() : places_.position();
  if (!position.empty()) {
    text += io::text_of(position) + (stage_ != nullptr ? ", stage " + stage_->name() : std::string{}) + ": ";
  }
  return text;
}

void Run::open_files() {
  if (opened_) return;
  opened_ = true;
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

Field& Run::field_of(std::string_view name) {
  auto& field = fields_[std::string{name}];
  if (field == nullptr) field = std::make_unique<Field>(std::string{name});
  return *field;
}

void Run::open_stage(std::string_view name) {
  stage_ = std::make_shared<Stage>(places_.stage(name), name, settings_.hashes() && settings_.traced(places_.step()));
}

void Run::close_stage() {
  if (stage_ == nullptr) return;
  auto const stage = std::exchange(stage_, nullptr);
  stage->close();
  for (auto const& record : stage->records()) {
    auto& field = *record.field;
    if (!std::exchange(field.described, true)) writer_->describe_field(field.name, attributes_of(record));
    writer_->append(stage->name(), field.name, closed_record(stage->position(), record, settings_.blocks));
  }
  flush_in_time();
}

void Run::flush_in_time() {
  auto const now = std::chrono::steady_clock::now();
  if (!writer_ || now - flushed_ < between_flushes) return;
  writer_->flush();
  flushed_ = now;
}

void Run::tell(Stage& stage, Field& field, Part const& part, bool) {
  if (stage.traced() && settings_.traced(stage.name(), field.name)) {
    BlockSums sums(part.whole_count());
    add_hashes(part, sums, settings_.zeros_equal);
    Lock const lock(mutex_);
    auto const all = part.count() == part.whole_count();
    stage.add(field, part, sums, all || field.described ? 0 : places_of(part));
  }
}

}  // namespace ulpine::probe
