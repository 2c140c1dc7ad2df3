// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/trace_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <list>
#include <unordered_map>
#include <utility>

#include "io/bytes.hpp"
#include "io/error.hpp"
#include "io/rank_files.hpp"

namespace ulpine::verification {
namespace {

void append(RankRanges& ranges, int rank) {
  if (!ranges.empty() && ranges.back().second == rank - 1) {
    ranges.back().second = rank;
  } else {
    ranges.emplace_back(rank, rank);
  }
}

/// The ranks of `count` that are not in `ranges`.
RankRanges others(RankRanges const& ranges, int count) {
  RankRanges rest;
  auto next = 0;
  for (auto const& [first, last] : ranges) {
    if (first > next) rest.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next < count) rest.emplace_back(next, count - 1);
  return rest;
}

/// What may differ between ranks in what is said of a field: which of its elements they have.
constexpr char const* places_key = "places";

bool same_form(io::TraceEntry const& a, io::TraceEntry const& b) {
  auto const form = [](io::TraceAttributes attributes) {
    std::erase_if(attributes, [](auto const& item) { return item.first == places_key; });
    return attributes;
  };
  return form(a.attributes) == form(b.attributes);
}

/// A record of the merged trace on its way.
struct Entry {
  io::TraceRecord record;
  std::uint64_t told = 0;  ///< elements of all ranks, modulo 2^64
  RankRanges ranks;        ///< that have it
  RankRanges other_size, other_form, other_bits;
  bool is_last = false;  ///< of a rank whose trace has no end
};

/// Names and what is said of them, numbered as they come.
class Names {
 public:
  explicit Names(std::vector<io::TraceEntry>& entries) : entries_{entries} {}
  std::size_t number_of(io::TraceEntry const& entry) {
    auto const [found, is_new] = numbers_.try_emplace(entry.name, entries_.size());
    if (is_new) entries_.push_back(entry);
    return found->second;
  }

 private:
  std::vector<io::TraceEntry>& entries_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace

struct TraceMerge::State {
  explicit State(int count) { merged.ranks = count; }
  State(State const&) = delete;
  State& operator=(State const&) = delete;

  MergedTrace merged;
  bool any = false;
  io::TraceShare share;
  Names stages{merged.trace.header.stages}, fields{merged.trace.header.fields}, loops{loop_entries};
  std::vector<io::TraceEntry> loop_entries;
  std::list<Entry> entries{1};  ///< the first is none: what has no record before it follows that
  std::unordered_map<std::string, std::list<Entry>::iterator> places;
  RankRanges ranks;

  /// A place of records, the `again`-th of that name on its rank.
  std::string key_of(io::TraceRecord const& record, std::uint64_t again) {
    std::string key;
    for (auto const& [loop, index] : record.position) {
      io::put(key, static_cast<std::uint64_t>(loops.number_of({loop})));
      io::put(key, index);
    }
    io::put(key, record.stage);
    io::put(key, record.field);
    io::put(key, again);
    return key;
  }

  /// Adds a record of `rank` whose names are numbered as the merged trace's, and which follows `before`
  /// there.
  std::list<Entry>::iterator add(int rank, io::TraceRecord record, bool has_other_form,
                                 std::list<Entry>::iterator before) {
    for (std::uint64_t again = 0;; ++again) {
      auto const [found, is_new] = places.try_emplace(key_of(record, again));
      if (is_new) {
        found->second = entries.emplace(std::next(before));
        found->second->record = record;
        found->second->record.hash = 0;
        found->second->record.blocks.assign(record.blocks.size(), 0);
      }
      auto& entry = *found->second;
      if (!entry.ranks.empty() && entry.ranks.back().second == rank) continue;
      add(entry, rank, record, has_other_form);
      return found->second;
    }
  }

  static void add(Entry& entry, int rank, io::TraceRecord const& record, bool has_other_form) {
    auto& sum = entry.record;
    auto const first = entry.ranks.empty();
    append(entry.ranks, rank);
    if (has_other_form || record.replicated != sum.replicated) append(entry.other_form, rank);
    if (record.count != sum.count) append(entry.other_size, rank);
    if (first || !sum.replicated) {
      entry.told += static_cast<std::uint64_t>(record.count) - static_cast<std::uint64_t>(record.missing);
      sum.hash += record.hash;
      if (record.blocks.size() != sum.blocks.size()) sum.blocks.clear();
      for (std::size_t i = 0; i < sum.blocks.size(); ++i) sum.blocks[i] += record.blocks[i];
    } else if (record.hash != sum.hash || record.missing != sum.missing) {
      append(entry.other_bits, rank);
    }
  }

  std::vector<MergeFlaw> flaws_of(Entry const& entry, std::size_t number) const {
    std::vector<MergeFlaw> flaws;
    using Kind = MergeFlaw::Kind;
    auto const add_if_any = [&](Kind kind, RankRanges const& ranks) {
      if (!ranks.empty()) flaws.push_back({kind, number, 0, ranks});
    };
    add_if_any(Kind::other_form, entry.other_form);
    add_if_any(Kind::other_size, entry.other_size);
    add_if_any(Kind::other_bits, entry.other_bits);
    if (!flaws.empty()) return flaws;  // elements of different things cannot be counted together
    auto const missing = entry.record.missing;
    if (missing > 0) {
      auto const silent = entry.record.replicated ? RankRanges{} : others(entry.ranks, merged.ranks);
      flaws.push_back({Kind::missing, number, missing, silent});
    }
    if (missing < 0) flaws.push_back({Kind::told_twice, number, -missing, entry.ranks});
    return flaws;
  }
};

std::string text_of(RankRanges const& ranks) {
  auto const several = ranks.size() > 1 || (!ranks.empty() && ranks[0].first != ranks[0].second);
  std::string text;
  for (auto const& [first, last] : ranks) {
    text += text.empty() ? (several ? "ranks " : "rank ") : ", ";
    text += std::to_string(first);
    if (last != first) text += (last == first + 1 ? ", " : " to ") + std::to_string(last);
  }
  return text;
}

std::string describe(MergeFlaw const& flaw, io::TraceRecord const& record) {
  auto const who = text_of(flaw.ranks);
  auto const some = flaw.ranks.size() == 1 && flaw.ranks[0].first == flaw.ranks[0].second;
  switch (flaw.kind) {
    case MergeFlaw::Kind::missing:
      return fmt::format("{} of {} elements are missing", flaw.elements, record.count) +
             (flaw.ranks.empty() ? "" : fmt::format(" ({} {} nothing of it)", who, some ? "tells" : "tell"));
    case MergeFlaw::Kind::told_twice:
      return fmt::format("{} tell of {} elements more than the {} that there are", who, flaw.elements,
                         record.count);
    case MergeFlaw::Kind::other_size:
      return fmt::format("it does not have {} elements on {}, as on the first", record.count, who);
    case MergeFlaw::Kind::other_form:
      return fmt::format("type, shape or kind on {} {} not that of the first", who, some ? "is" : "are");
    case MergeFlaw::Kind::other_bits:
      return fmt::format("every rank has it, and on {} it differs from the first", who);
  }
  return {};
}

TraceMerge::TraceMerge(int ranks) : state_{std::make_unique<State>(ranks)} {}
TraceMerge::~TraceMerge() = default;

void TraceMerge::add(int rank, io::Trace trace, std::string const& name) {
  auto& state = *state_;
  auto& merged = state.merged.trace;
  auto const& share = trace.header.share;
  if (share.rank != rank || share.ranks != state.merged.ranks) {
    throw InputError(
        fmt::format("{}: is of rank {} of {} (as rank {} of {} it was asked for) give it the name "
                    "that it was written under",
                    name, share.rank, share.ranks, rank, state.merged.ranks));
  }
  if (state.any && share.run != state.share.run) {
    throw InputError(name +
                     ": is of another launch than the files of the ranks before it (parts of two runs "
                     "make no trace) record the run again into an empty folder");
  }
  if (!state.any) {
    merged.header.provenance = trace.header.provenance;
    // A run of several ranks may have one trace, which one of them has written of all.
    if (share.ranks > 1) merged.header.provenance.ranks = share.ranks;
    merged.header.case_text = trace.header.case_text;
    state.share = share;
    state.any = true;
  }
  append(state.ranks, rank);
  auto const numbers_in = [&name](Names& names, std::vector<io::TraceEntry> const& entries) {
    std::vector<std::uint16_t> numbers;
    for (auto const& entry : entries) {
      auto const number = names.number_of(entry);
      if (number > std::numeric_limits<std::uint16_t>::max()) {
        throw InputError(name +
                         ": the ranks' traces together have more names than a trace holds (65536) "
                         "name stages and fields the same on all ranks");
      }
      numbers.push_back(static_cast<std::uint16_t>(number));
    }
    return numbers;
  };
  auto const stages = numbers_in(state.stages, trace.header.stages);
  auto const fields = numbers_in(state.fields, trace.header.fields);
  std::vector<bool> has_other_form;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    has_other_form.push_back(!same_form(trace.header.fields[i], merged.header.fields[fields[i]]));
  }
  auto last = state.entries.begin();
  for (auto& record : trace.records) {
    auto const other_form = has_other_form[record.field];
    record.stage = stages[record.stage];
    record.field = fields[record.field];
    last = state.add(rank, std::move(record), other_form, last);
  }
  if (trace.end != io::TraceEnd::whole) {
    merged.end = trace.end;
    last->is_last = true;
  }
}

MergedTrace TraceMerge::result() && {
  auto& state = *state_;
  auto& merged = state.merged;
  merged.absent = others(state.ranks, merged.ranks);
  for (auto& loop : state.loop_entries) merged.trace.header.loops.push_back(std::move(loop.name));
  for (auto entry = state.entries.begin(); entry != state.entries.end(); ++entry) {
    if (entry != state.entries.begin()) {
      auto& record = entry->record;
      if (!record.replicated) {
        record.missing = static_cast<std::int64_t>(static_cast<std::uint64_t>(record.count) - entry->told);
      }
      std::ranges::move(state.flaws_of(*entry, merged.trace.records.size()),
                        std::back_inserter(merged.flaws));
      merged.trace.records.push_back(std::move(record));
    }
    if (entry->is_last) break;
  }
  return std::move(merged);
}

MergedTrace read_merged_trace(std::filesystem::path const& name, io::TraceReading reading) {
  auto found = io::rank_files(name);
  if (found.ranks == 0) {  // the first file tells
    found.ranks = io::read_trace(found.files.begin()->second, reading).header.share.ranks;
  }
  TraceMerge merge(found.ranks);
  for (auto const& [rank, path] : found.files) {
    auto trace = io::read_trace(path, reading);
    auto const& share = trace.header.share;
    if (found.ranks == 1 && share.ranks > 1) {
      throw InputError(
          fmt::format("{}: is of rank {} of {} (its name does not tell where the others are) put "
                      "{{rank}} in the place of the number",
                      name.string(), share.rank, share.ranks));
    }
    merge.add(rank, std::move(trace), path.string());
  }
  return std::move(merge).result();
}

}  // namespace ulpine::verification
