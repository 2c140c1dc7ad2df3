// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/trace_diff.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/error.hpp"

namespace ulpine::verification {
namespace {

/// Identifies a record by position, stage and field; the references point into its trace.
struct Key {
  std::vector<io::LoopIndex> const& position;
  std::string const &stage, &field;
  friend bool operator==(Key const& a, Key const& b) {
    return a.position == b.position && a.stage == b.stage && a.field == b.field;
  }
};

Key key_of(io::Trace const& trace, io::TraceRecord const& record) {
  auto const name = [](std::vector<io::TraceEntry> const& entries,
                       std::uint16_t index) -> std::string const& {
    if (index >= entries.size()) {
      throw InputError("broken trace (a record names stage or field " + std::to_string(index) + " of " +
                       std::to_string(entries.size()) + ") record the run anew");
    }
    return entries[index].name;
  };
  return {record.position, name(trace.header.stages, record.stage), name(trace.header.fields, record.field)};
}

/// Whether `trace` has a record of `key` from `begin` on.
bool occurs(io::Trace const& trace, std::size_t begin, Key const& key) {
  return std::any_of(trace.records.begin() + std::ptrdiff_t(begin), trace.records.end(),
                     [&](io::TraceRecord const& record) { return key_of(trace, record) == key; });
}

Divergence at(Key const& key, Divergence::Kind kind, std::size_t equal) {
  Divergence result;
  result.kind = kind;
  result.position = key.position;
  result.stage = key.stage;
  result.field = key.field;
  result.records_equal = std::int64_t(equal);
  return result;
}

/// Elements of the first block that differs.
void locate(io::TraceRecord const& a, io::TraceRecord const& b, Divergence& result) {
  result.first = 0;
  result.last = std::max<std::int64_t>(a.count - 1, 0);
  if (a.blocks.size() != b.blocks.size()) {
    return;
  }
  result.blocks = std::int64_t(a.blocks.size());
  std::int64_t const size = io::trace_block_size(a.count);
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    if (a.blocks[i] == b.blocks[i]) {
      continue;
    }
    if (result.blocks_differing++ == 0) {
      result.first = std::int64_t(i) * size;
      result.last = std::min(result.first + size, a.count) - 1;
    }
  }
}

std::optional<Divergence::Kind> difference_of(io::TraceRecord const& a, io::TraceRecord const& b) {
  if (a.count != b.count) return Divergence::Kind::shape;
  if (a.missing != b.missing) return Divergence::Kind::parts;
  if (a.hash != b.hash) return Divergence::Kind::values;
  return std::nullopt;
}

constexpr char const *in_first = "in the first run ", *in_second = "in the second run ";

/// Of records that lack different numbers of elements.
std::string lacking(io::TraceRecord const& a, io::TraceRecord const& b) {
  auto const& lacks = a.missing != 0 ? a : b;
  return fmt::format("{}{} of {} elements are missing", a.missing != 0 ? in_first : in_second, lacks.missing,
                     lacks.count);
}

/// The first flaw of the trace that leaves its record unfit for comparison, up to record `last`. What is
/// missing is so only of that record, where the other trace has another number of them.
MergeFlaw const* first_serious(MergedTrace const& trace, std::size_t last, bool lacks_at_last) {
  for (auto const& flaw : trace.flaws) {
    if (flaw.record > last) return nullptr;
    if (flaw.kind != MergeFlaw::Kind::missing || (lacks_at_last && flaw.record == last)) return &flaw;
  }
  return nullptr;
}

}  // namespace

std::optional<Divergence> first_divergence(MergedTrace const& a, MergedTrace const& b) {
  auto found = first_divergence(a.trace, b.trace);
  auto const common = std::min(a.trace.records.size(), b.trace.records.size());
  auto const last = found ? std::size_t(found->records_equal) : common;
  auto const lacks = found && found->kind == Divergence::Kind::parts;
  auto const *flaw_a = first_serious(a, last, lacks), *flaw_b = first_serious(b, last, lacks);
  if (flaw_a == nullptr && flaw_b == nullptr) return found;
  auto const of_a = flaw_b == nullptr || (flaw_a != nullptr && flaw_a->record <= flaw_b->record);
  auto const& trace = (of_a ? a : b).trace;
  auto const& flaw = of_a ? *flaw_a : *flaw_b;
  auto const& record = trace.records[flaw.record];
  auto result = at(key_of(trace, record), Divergence::Kind::parts, flaw.record);
  (of_a ? result.count_a : result.count_b) = record.count;
  result.parts = (of_a ? in_first : in_second) + describe(flaw, record);
  return result;
}

std::optional<Divergence> first_divergence(io::Trace const& a, io::Trace const& b) {
  using Kind = Divergence::Kind;
  std::size_t const common = std::min(a.records.size(), b.records.size());
  for (std::size_t i = 0; i < common; ++i) {
    auto const& record_a = a.records[i];
    auto const& record_b = b.records[i];
    auto const key_a = key_of(a, record_a), key_b = key_of(b, record_b);
    if (!(key_a == key_b)) {
      bool const a_comes = occurs(b, i, key_a), b_comes = occurs(a, i, key_b);
      auto result = a_comes && b_comes ? at(key_a, Kind::order, i)
                    : a_comes          ? at(key_b, Kind::extra_record, i)
                                       : at(key_a, Kind::missing_record, i);
      auto const& told = result.kind == Kind::extra_record ? record_b : record_a;
      result.count_a = result.kind == Kind::extra_record ? 0 : told.count;
      result.count_b = result.kind == Kind::missing_record ? 0 : told.count;
      return result;
    }
    if (auto const kind = difference_of(record_a, record_b)) {
      auto result = at(key_a, *kind, i);
      result.count_a = record_a.count;
      result.count_b = record_b.count;
      if (*kind == Kind::values) locate(record_a, record_b, result);
      if (*kind == Kind::parts) result.parts = lacking(record_a, record_b);
      result.indices = indices_of(a.header.fields[record_a.field], record_a.count);
      return result;
    }
  }
  bool const a_longer = a.records.size() > common;
  if (a.records.size() == b.records.size() || (a_longer ? b : a).end != io::TraceEnd::whole) {
    return std::nullopt;
  }
  auto const& longer = a_longer ? a : b;
  auto result = at(key_of(longer, longer.records[common]),
                   a_longer ? Kind::missing_record : Kind::extra_record, common);
  (a_longer ? result.count_a : result.count_b) = longer.records[common].count;
  return result;
}

std::string describe(Divergence const& d) {
  auto where = fmt::format("{}, stage {}, field {}: ", io::text_of(d.position), d.stage, d.field);
  switch (d.kind) {
    case Divergence::Kind::values:
      where += d.first == d.last ? fmt::format("element {} differs", d.first)
                                 : fmt::format("differs within elements {} to {}", d.first, d.last);
      if (auto const indices = d.indices ? indices_text(*d.indices, d.first, d.last) : ""; !indices.empty()) {
        where += ", " + indices;
      }
      if (d.blocks > 0) {
        where += fmt::format(" ({} of {} blocks differ, {} elements in all)", d.blocks_differing, d.blocks,
                             d.count_a);
      }
      break;
    case Divergence::Kind::shape:
      where += fmt::format("{} elements against {}", d.count_a, d.count_b);
      break;
    case Divergence::Kind::missing_record:
      where += "only the first run has this record";
      break;
    case Divergence::Kind::extra_record:
      where += "only the second run has this record";
      break;
    case Divergence::Kind::order:
      where += "the second run has this record at another place";
      break;
    case Divergence::Kind::parts:
      where += d.parts;
      break;
  }
  return one_line(where + fmt::format("; {} records before it are equal", d.records_equal));
}

}  // namespace ulpine::verification
