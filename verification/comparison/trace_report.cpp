// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/trace_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/error.hpp"

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;

std::string place_of(io::Trace const& trace, io::TraceRecord const& record) {
  return fmt::format("{}, stage {}, field {}", io::text_of(record.position),
                     trace.header.stages[record.stage].name, trace.header.fields[record.field].name);
}

/// Where a trace without its end stops.
std::string end_of(io::Trace const& trace) {
  auto const why = trace.end == io::TraceEnd::cut ? "its run was stopped, or is at work"
                                                  : "what follows is not as it was written";
  if (trace.records.empty()) return fmt::format("has no record ({})", why);
  return fmt::format("ends with {}, its record {} ({})", place_of(trace, trace.records.back()),
                     trace.records.size(), why);
}

/// How many records have a flaw, and its first; nothing where there is none.
std::string records_with(MergedTrace const& merged, bool missing, std::string const& which) {
  auto const& records = merged.trace.records;
  auto const is_such = [missing](MergeFlaw const& flaw) {
    return (flaw.kind == MergeFlaw::Kind::missing) == missing;
  };
  auto const first = std::ranges::find_if(merged.flaws, is_such);
  if (first == merged.flaws.end()) return {};
  auto const& record = records[first->record];
  return fmt::format("has {} of {} records {}, the first at {}: {}",
                     std::ranges::count_if(merged.flaws, is_such), records.size(), which,
                     place_of(merged.trace, record), describe(*first, record));
}

char const* name_of(Divergence::Kind kind) {
  switch (kind) {
    case Divergence::Kind::values:
      return "values";
    case Divergence::Kind::shape:
      return "shape";
    case Divergence::Kind::missing_record:
      return "missing record";
    case Divergence::Kind::extra_record:
      return "extra record";
    case Divergence::Kind::order:
      return "order";
    case Divergence::Kind::parts:
      return "parts";
  }
  return "";
}

void add_divergence(Json& json, Divergence const& d) {
  using Kind = Divergence::Kind;
  if (!d.position.empty()) json["step"] = d.position.front().index;
  auto& loops = json["loops"] = Json::array();
  for (std::size_t level = 1; level < d.position.size(); ++level) {
    loops.push_back({{"loop", d.position[level].loop}, {"index", d.position[level].index}});
  }
  json["stage"] = d.stage;
  json["field"] = d.field;
  if (d.kind == Kind::values) {
    json["first"] = d.first;
    json["last"] = d.last;
    if (d.indices) {
      json["first_indices"] = indices_at(*d.indices, d.first);
      json["last_indices"] = indices_at(*d.indices, d.last);
      json["indices"] = d.indices->fastest_first ? "fortran" : "c";
    }
    if (d.blocks > 0) {
      json["blocks_differing"] = d.blocks_differing;
      json["blocks"] = d.blocks;
    }
  }
  json["elements"] = {d.count_a, d.count_b};
  if (d.kind == Kind::parts) json["parts"] = d.parts;
}

}  // namespace

std::vector<std::string> reservations(MergedTrace const& merged, std::string const& name) {
  std::vector<std::string> lines;
  auto const add = [&](std::string const& text) {
    if (!text.empty()) lines.push_back(one_line(name + " " + text));
  };
  if (merged.trace.end != io::TraceEnd::whole) add(end_of(merged.trace));
  add(records_with(merged, true, "without all elements"));
  add(records_with(merged, false, "on which ranks disagree"));
  if (!merged.absent.empty()) {
    add(fmt::format("has no trace of {} of {}", text_of(merged.absent), merged.ranks));
  }
  return lines;
}

std::int64_t records_in_common(MergedTrace const& a, MergedTrace const& b) {
  return static_cast<std::int64_t>(std::min(a.trace.records.size(), b.trace.records.size()));
}

Json to_json(std::optional<Divergence> const& divergence, std::int64_t records,
             std::vector<std::string> const& notes) {
  Json json;
  json["kind"] = divergence ? name_of(divergence->kind) : "none";
  json["records_equal"] = divergence ? divergence->records_equal : records;
  if (divergence) add_divergence(json, *divergence);
  json["notes"] = notes;
  return json;
}

}  // namespace ulpine::verification
