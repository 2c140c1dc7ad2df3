// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/probe_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ensembles/programs/program_case.hpp"
#include "ensembles/programs/program_run.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/parallel.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/planned_request.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"
#include "precision/format_name.hpp"
#include "verification/comparison/trace_merge.hpp"

namespace ulpine::ensembles::search {
namespace {

namespace fs = std::filesystem;

/// A field of a stage, and how often it was told of.
struct ToldField {
  std::string name;  ///< STAGE.FIELD
  std::int64_t times = 0, elements = 0;
  std::string type;
};

std::vector<ToldField> told_fields(io::Trace const& trace) {
  std::vector<ToldField> fields;
  for (auto const& record : trace.records) {
    auto const& field = trace.header.fields[record.field];
    auto const name = trace.header.stages[record.stage].name + "." + field.name;
    auto found = std::ranges::find(fields, name, &ToldField::name);
    if (found == fields.end()) {
      auto const type =
          std::ranges::find(field.attributes, "type", &std::pair<std::string, std::string>::first);
      found = fields.insert(
          found, {name, 0, record.count, type == field.attributes.end() ? std::string() : type->second});
    }
    ++found->times;
  }
  return fields;
}

RunRequest request_for(CaseSource const& source, Configuration const& variant, Options const& options,
                       fs::path const& folder) {
  RunRequest request;
  request.source = source;
  take_variant(variant, options.threads, request);
  request.until = options.until;
  request.folder = folder;
  return request;
}

std::vector<ToldField> fields_of_watched_run(CaseSource const& source, Configuration const& variant,
                                             Options const& options, fs::path const& folder) {
  auto request = request_for(source, variant, options, folder);
  request.trace = true;
  run(request);
  auto fields = told_fields(verification::read_merged_trace(folder / program_folder / "trace.bin").trace);
  std::vector<std::string> names;
  for (auto const& field : fields) names.push_back(field.name);
  for (auto const& name : options.stages) {
    if (std::ranges::count(names, name) == 0) {
      throw InputError("unknown field '" + name + "'" + choices_hint(name, names));
    }
  }
  return fields;
}

/// Why the probe cannot round the field; empty where it can. The format is that of double, which changes
/// nothing.
std::string refusal(CaseSource const& source, Configuration const& variant, Options const& options,
                    fs::path const& folder, std::string const& field) {
  auto request = request_for(source, variant, options, folder);
  request.options.stages = {{field, "e11m52"}};
  try {
    run(request);
    return "";
  } catch (RunFailed const& failure) {
    return failure.what();
  }
}

}  // namespace

std::vector<std::string> formats_of(std::vector<std::string> const& precisions) {
  std::vector<std::string> formats;
  for (auto const& precision : precisions) {
    auto const format = precision == "fp32" ? std::string("e8m23") : precision;
    if (!parse_format(format)) {
      throw InputError(
          "precision '" + precision +
          "' is no format (the probe stores the fields of a program in one) write e.g. e8m23 or fp32");
    }
    if (std::ranges::count(formats, format) > 0) {
      throw InputError("precision '" + precision + "' is named twice (once is meant) leave one out");
    }
    formats.push_back(format);
  }
  if (formats.empty())
    throw InputError("no precisions to try (--precisions is empty) name some, e.g. fp32,e8m7");
  return formats;
}

Probe probe_program(CaseSource const& source, Configuration const& variant, Options const& options,
                    fs::path const& scratch) {
  auto const fields = fields_of_watched_run(source, variant, options, scratch / "watched");
  std::vector<StageWork> work;
  for (auto const& field : fields) {
    work.push_back({field.name, field.times, static_cast<double>(field.elements) * sizeof(double)});
  }
  std::vector<std::string> reasons(fields.size());
  parallel_for(fields.size(), options.jobs, [&](std::size_t i) {
    auto const& name = fields[i].name;
    if (!options.stages.empty() && std::ranges::count(options.stages, name) == 0) {
      reasons[i] = "not asked for";
      return;
    }
    reasons[i] = refusal(source, variant, options, scratch / std::to_string(i), name);
  });
  auto const case_file = source.load();
  read_program(case_file);  // which completes its hash
  Probe probe{io::hex(case_file.hash()), CostModel(work, options.precisions), {}, {}, {64}, {}, {}};
  for (auto const& precision : options.precisions) probe.bits.push_back(*storage_bits(precision));
  probe.policies = options.precisions;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (reasons[i].empty()) {
      probe.lowerable.push_back(i);
      probe.possible.emplace_back(options.precisions.size() + 1, true);
    } else if (reasons[i] != "not asked for") {
      probe.refused.emplace_back(fields[i].name, reasons[i]);
    }
  }
  if (probe.lowerable.empty()) {
    throw InputError(case_file.path().string() +
                     ": the program tells the probe of no field that can be rounded (" +
                     (probe.refused.empty() ? "of none at all" : probe.refused.front().second) +
                     ") tell of its state by ulpine_state");
  }
  return probe;
}

}  // namespace ulpine::ensembles::search
