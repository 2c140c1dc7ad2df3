// SPDX-License-Identifier: Apache-2.0
#include "probe/source/record.hpp"

#include <algorithm>
#include <numeric>

#include "io/provenance.hpp"
#include "probe/source/place.hpp"

namespace ulpine::probe {
namespace {

constexpr std::size_t most_loops = 7;
static_assert(1 + most_loops + 1 <= io::deepest_position, "a step, its loops, and the number of a call");

constexpr char const* outside =
    " comes before the first step (its place is not known) call ulpine_step before it";

bool same_domain(Part const& a, Part const& b) {
  return a.rank == b.rank && a.complex == b.complex && a.replicated == b.replicated &&
         std::equal(a.axes.begin(), a.axes.begin() + a.rank, b.axes.begin(),
                    [](Part::Axis const& x, Part::Axis const& y) { return x.whole == y.whole; });
}

/// "30,20,10", slowest first, without the axis of a complex number's two parts.
std::string shape_text(Part const& part) {
  std::string text;
  for (int a = 0; a < part.rank - (part.complex ? 1 : 0); ++a) {
    text.append(text.empty() ? "" : ",").append(std::to_string(part.axes[a].whole));
  }
  return text;
}

}  // namespace

void Places::step(std::int64_t n) {
  if (!position_.empty() && n <= position_.front().index) {
    throw UseError("ulpine_step(" + std::to_string(n) + ") follows step " +
                   std::to_string(position_.front().index) + " (steps rise) give it the number of the step");
  }
  position_.assign(1, {"step", n});
  path_.assign(1, 0);
  nodes_.clear();
  calls_.clear();
}

void Places::enter(std::string_view loop, std::int64_t i) {
  if (position_.empty()) throw UseError("loop '" + std::string{loop} + "'" + outside);
  if (position_.size() > 1 && position_.back().loop == loop) {
    position_.pop_back();
    path_.pop_back();
  } else if (position_.size() == 1 + most_loops) {
    throw UseError("loop '" + std::string{loop} + "' is the " + std::to_string(most_loops + 1) +
                   "th within each other (a trace has " + std::to_string(most_loops) +
                   ") call ulpine_leave where a loop ends");
  }
  auto const key = std::tuple{path_.back(), number_of(loop), i};
  path_.push_back(nodes_.try_emplace(key, static_cast<int>(nodes_.size()) + 1).first->second);
  position_.push_back({std::string{loop}, i});
}

void Places::leave() {
  if (position_.size() < 2) {
    throw UseError(
        "ulpine_leave outside of loops (no ulpine_enter before it) take it out, or enter the loop");
  }
  position_.pop_back();
  path_.pop_back();
}

std::vector<io::LoopIndex> Places::stage(std::string_view name) {
  if (position_.empty()) throw UseError("stage '" + std::string{name} + "'" + outside);
  auto const call = ++calls_[{path_.back(), number_of(name)}];
  auto position = position_;
  if (call > 1) position.push_back({"call", call});
  return position;
}

int Places::number_of(std::string_view name) {
  return names_.try_emplace(std::string{name}, static_cast<int>(names_.size())).first->second;
}

bool OpenRecord::ready() const { return std::ranges::all_of(on_their_way, &DeviceHash::ready); }

void OpenRecord::wait() {
  for (auto& hashes : on_their_way) hashes.wait(blocks);
  on_their_way.clear();
}

bool Stage::ready() const { return std::ranges::all_of(records_, &OpenRecord::ready); }

void Stage::wait() {
  for (auto& record : records_) record.wait();
}

void Stage::add(Field& field, Part const& part, BlockSums const& sums, std::uint64_t places) {
  sums.add_to(record_with(field, part, places).blocks);
}

void Stage::add(Field& field, Part const& part, DeviceHash hashes, std::uint64_t places) {
  record_with(field, part, places).on_their_way.push_back(std::move(hashes));
}

OpenRecord& Stage::record_with(Field& field, Part const& part, std::uint64_t places) {
  auto const where = "field '" + field.name + "': ";
  if (closed_) {
    throw UseError(where + "is told after stage '" + name_ +
                   "' has ended (another thread went on) call ulpine_stage, ulpine_step, ulpine_enter and "
                   "ulpine_leave once "
                   "all threads have told their fields");
  }
  auto const type = type_name(part);
  if (field.type.empty()) field.type = type;
  if (field.type != type) {
    throw UseError(where + "is of " + std::string{type} + " here and of " + field.type +
                   " before (a name has one type) tell them by different names");
  }
  auto const [found, is_new] = numbers_.try_emplace(&field, records_.size());
  if (is_new) {
    auto& record = records_.emplace_back();
    record.field = &field;
    record.whole = part;
    record.count = part.whole_count();
    record.blocks.resize(static_cast<std::size_t>(BlockSums(record.count).blocks()));
  }
  auto& record = records_[found->second];
  if (!same_domain(record.whole, part)) {
    throw UseError(
        where + "its parts have different domains in one stage (" + shape_text(record.whole) + " and " +
        shape_text(part) +
        ", slowest axis first, or some alone are replicated) give all the same extents of the domain");
  }
  auto const points = record.points + part.count();
  if (points > record.count) {
    throw UseError(where + "is told twice in one stage (" + std::to_string(points) +
                   " elements of a domain of " + std::to_string(record.count) +
                   ") tell each element once, or name another stage");
  }
  record.points = points;
  record.places += places;
  return record;
}

io::TraceRecord closed_record(std::vector<io::LoopIndex> const& position, OpenRecord const& record,
                              bool blocks) {
  io::TraceRecord closed;
  closed.position = position;
  closed.count = record.count;
  closed.hash = std::accumulate(record.blocks.begin(), record.blocks.end(), std::uint64_t{0});
  if (blocks) closed.blocks = record.blocks;
  closed.missing = record.count - record.points;
  closed.replicated = record.whole.replicated;
  return closed;
}

io::TraceAttributes attributes_of(OpenRecord const& record, bool zeros_equal) {
  io::TraceAttributes attributes = {{"type", record.field->type},
                                    {"shape", shape_text(record.whole)},
                                    {"indices", record.whole.fastest_first ? "fortran" : "c"}};
  if (!record.field->unit.empty()) attributes.emplace_back("unit", record.field->unit);
  if (zeros_equal) attributes.emplace_back("zeros", "equal");
  if (record.points != record.count) attributes.emplace_back("places", io::hex(record.places));
  return attributes;
}

}  // namespace ulpine::probe
