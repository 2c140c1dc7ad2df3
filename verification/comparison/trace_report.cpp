// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/trace_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

void add_reservations(std::vector<std::string>& lines, MergedTrace const& merged, std::string const& name) {
  auto const& trace = merged.trace;
  if (trace.end != io::TraceEnd::whole) lines.push_back(name + " " + end_of(trace));
  auto const is_missing = [](MergeFlaw const& flaw) { return flaw.kind == MergeFlaw::Kind::missing; };
  auto const incomplete = std::ranges::count_if(merged.flaws, is_missing);
  if (incomplete > 0) {
    auto const& flaw = *std::ranges::find_if(merged.flaws, is_missing);
    auto const& record = trace.records[flaw.record];
    lines.push_back(fmt::format("{} has {} of {} records without all elements, the first at {}: {}", name,
                                incomplete, trace.records.size(), place_of(trace, record),
                                describe(flaw, record)));
  }
  if (!merged.absent.empty()) {
    lines.push_back(fmt::format("{} has no trace of {} of {}", name, text_of(merged.absent), merged.ranks));
  }
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

std::vector<std::string> reservations(std::array<MergedTrace const*, 2> const& traces,
                                      std::array<std::string, 2> const& names) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < traces.size(); ++i) add_reservations(lines, *traces[i], names[i]);
  return lines;
}

std::int64_t records_in_common(MergedTrace const& a, MergedTrace const& b) {
  return static_cast<std::int64_t>(std::min(a.trace.records.size(), b.trace.records.size()));
}

std::string to_json(std::optional<Divergence> const& divergence, std::int64_t records,
                    std::vector<std::string> const& notes) {
  Json json;
  json["kind"] = divergence ? name_of(divergence->kind) : "none";
  json["records_equal"] = divergence ? divergence->records_equal : records;
  if (divergence) add_divergence(json, *divergence);
  json["notes"] = notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ulpine::verification
