// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/console.hpp"
#include "cli/recorded_fields.hpp"
#include "cli/text_table.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/rank_files.hpp"
#include "verification/comparison/field_indices.hpp"
#include "verification/comparison/trace_merge.hpp"
#include "verification/comparison/trace_report.hpp"

namespace ulpine::cli {
namespace {

namespace fs = std::filesystem;

constexpr io::FileSignature csv_signature{
    io::FileSignature::Place::start, "step,loops,stage,field,elements,missing,hash\n", "table of a trace"};

/// The attribute of that name; empty where there is none.
std::string attribute(io::TraceEntry const& entry, std::string const& key) {
  auto const found = std::ranges::find(entry.attributes, key, &io::TraceAttributes::value_type::first);
  return found == entry.attributes.end() ? "" : found->second;
}

/// Extents in the order of the model's indices: "30 x 20 x 10".
std::string shape_text(io::TraceEntry const& field, std::int64_t count) {
  auto const indices = verification::indices_of(field, count);
  if (!indices) return std::to_string(count);
  if (indices->shape.empty()) return "scalar";
  auto shape = indices->shape;
  if (indices->fastest_first) std::ranges::reverse(shape);
  return fmt::format("{}", fmt::join(shape, " x "));
}

/// Records of a field or stage, and the steps that they are of.
struct Use {
  std::int64_t records = 0, elements = 0, first = 0, last = 0;
  std::set<std::string> fields;
  void add(io::TraceRecord const& record, std::string const& field) {
    auto const step = record.position.front().index;
    if (records++ == 0) {
      first = last = step;
      elements = record.count;
    }
    first = std::min(first, step);
    last = std::max(last, step);
    fields.insert(field);
  }
  std::string steps() const {
    if (records == 0) return "";
    return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
  }
};

std::string list(verification::MergedTrace const& merged) {
  auto const& [header, records, end] = merged.trace;
  std::vector<Use> stages(header.stages.size()), fields(header.fields.size());
  Use all;
  for (auto const& record : records) {
    auto const& name = header.fields[record.field].name;
    stages[record.stage].add(record, name);
    fields[record.field].add(record, name);
    all.add(record, name);
  }
  auto text = fmt::format("{} records", records.size());
  if (!records.empty()) text += fmt::format(", steps {}", all.steps());
  if (merged.ranks > 1) text += fmt::format(", {} ranks", merged.ranks);
  if (!header.loops.empty())
    text += fmt::format("; loops: {}", one_line(fmt::format("{}", fmt::join(header.loops, ", "))));
  std::vector<std::array<std::string, 4>> stage_rows = {{"stage", "records", "steps", "fields"}};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    stage_rows.push_back({one_line(header.stages[i].name), std::to_string(stages[i].records),
                          stages[i].steps(), one_line(fmt::format("{}", fmt::join(stages[i].fields, ", ")))});
  }
  std::vector<std::array<std::string, 6>> field_rows = {
      {"field", "type", "shape", "unit", "records", "steps"}};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto const& entry = header.fields[i];
    auto const unit = attribute(entry, "unit");
    field_rows.push_back({one_line(entry.name), one_line(attribute(entry, "type")),
                          fields[i].records == 0 ? "" : shape_text(entry, fields[i].elements),
                          one_line(unit.empty() ? attribute(entry, "units") : unit),
                          std::to_string(fields[i].records), fields[i].steps()});
  }
  return text + "\n\n" + table_of(stage_rows) + "\n" + table_of(field_rows);
}

/// A cell of a table with commas, in quotes where it needs them.
std::string quoted(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (char const c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + "\"";
}

std::string csv_of(io::Trace const& trace) {
  std::string text{csv_signature.text};
  for (auto const& record : trace.records) {
    std::vector<io::LoopIndex> const loops(record.position.begin() + 1, record.position.end());
    text += fmt::format("{},{},{},{},{},{},{:016x}\n", record.position.front().index,
                        quoted(io::text_of(loops)), quoted(trace.header.stages[record.stage].name),
                        quoted(trace.header.fields[record.field].name), record.count, record.missing,
                        record.hash);
  }
  return text;
}

int show_fields(TraceOptions const& options) {
  if (!options.csv.empty()) {
    throw InputError("--csv: has no effect (" + options.file.string() +
                     " holds values of fields, no trace) name a trace, or give --values");
  }
  if (!options.values.empty()) {
    export_fields(options.file, options.values, options.common.overwrite, options.partial);
    print(options.common, options.values.string() + "\n");
    return exit_code::done;
  }
  print(options.common, list_fields(options.file, options.partial));
  return exit_code::done;
}

}  // namespace

int trace(TraceOptions const& options) {
  if (holds_fields(options.file)) return show_fields(options);
  if (!options.values.empty()) {
    throw InputError("--values: has no effect (" + options.file.string() +
                     " is a trace, which has hashes alone) name the fields.bin of a run with [[record]]");
  }
  if (!options.csv.empty()) {
    std::vector<fs::path> inputs;
    for (auto const& [rank, path] : io::rank_files(options.file).files) inputs.push_back(path);
    io::require_no_input(options.csv, inputs);
    io::require_replaceable(options.csv, csv_signature, io::overwrite_if(options.common.overwrite));
  }
  auto const merged = verification::read_merged_trace(options.file, {options.partial});
  auto const flaws = verification::reservations(merged, options.file.string());
  if (!options.csv.empty()) {
    io::write_atomically(options.csv, csv_of(merged.trace));
    print(options.common, options.csv.string() + "\n");
  } else {
    print(options.common, list(merged));
  }
  for (auto const& line : flaws) print(options.common, line + "\n");
  return exit_code::done;
}

}  // namespace ulpine::cli
