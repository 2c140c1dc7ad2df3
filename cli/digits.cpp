// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "cli/csv.hpp"
#include "cli/html_report.hpp"
#include "cli/output_folder.hpp"
#include "cli/told_parts.hpp"
#include "core/exec/threads.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/study/lock.hpp"
#include "ensembles/study/progress.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/plain_text.hpp"
#include "io/provenance.hpp"
#include "verification/digits/named_samples.hpp"

namespace ulpine::cli {
namespace {

constexpr auto endless = std::numeric_limits<double>::infinity();

/// "u=10" of fields, whose names may hold a "=" themselves.
std::map<std::string, double> scales_of(std::vector<std::string> const& texts) {
  std::map<std::string, double> scales;
  for (auto const& text : texts) {
    auto const equals = text.rfind('=');
    double value = 0;
    auto const* const end = text.data() + text.size();
    auto const valid = equals != std::string::npos && equals > 0;
    auto const [rest, failed] = std::from_chars(valid ? text.data() + equals + 1 : end, end, value);
    if (!valid || failed != std::errc{} || rest != end || !(value > 0) || !std::isfinite(value)) {
      throw InputError("--scale '" + text +
                       "' is no scale of a field (FIELD=VALUE with a positive value is needed) write e.g. "
                       "u=10");
    }
    if (!scales.emplace(text.substr(0, equals), value).second) {
      throw InputError("--scale: '" + text.substr(0, equals) +
                       "' is given twice (one is meant) leave one out");
    }
  }
  return scales;
}

/// The samples, which were run or named by the user, and the record of them.
struct Samples {
  ensembles::SampleRuns runs;
  verification::DigitsRecord record;
};

Samples run(DigitsOptions const& options, ensembles::ProgressReporter& bar) {
  require_case_file(options.case_file);
  ensembles::SampleRequest request;
  request.arithmetic = options.arithmetic;
  request.samples = options.samples;
  request.seed = options.seed;
  if (!options.until.empty()) request.until = duration_option("--until", options.until);
  if (!options.quad_until.empty()) request.quad_until = duration_option("--quad-until", options.quad_until);
  request.stages = options.stages;
  request.variant = options.variant;
  request.threads = options.threads;
  ensembles::StudyExecution execution;
  execution.jobs = options.jobs > 0 ? options.jobs : std::max(1, threads_or_all(0) / options.threads);
  require_threads(execution.jobs * options.threads);
  execution.resume = options.resume;
  execution.cancel = &cancelled();
  execution.progress = [&](ensembles::StudyProgress const& now) {
    if (!now.event.empty()) bar.note(now.event);
    bar.update(now.fraction, now.remaining_s,
               fmt::format("{}/{} runs", now.kept + now.done + now.failed, now.total));
  };
  Samples samples;
  samples.runs = ensembles::run_samples({options.case_file, options.set}, request, options.output / "samples",
                                        execution);
  samples.record.case_name = samples.runs.record.case_name;
  samples.record.arithmetic = options.arithmetic;
  samples.record.seed = options.seed;
  samples.record.provenance = samples.runs.record.provenance;
  return samples;
}

Samples named(DigitsOptions const& options) {
  verification::require_distinct({options.samples_from, options.nearest, options.wider},
                                 [] { ensembles::stop_where(&cancelled()); });
  Samples samples;
  samples.runs.mantissa = options.mantissa;
  samples.runs.baseline = options.nearest;
  samples.runs.wider = options.wider;
  samples.runs.sets.push_back({"", options.samples_from});
  samples.record.provenance = io::build_provenance().items();
  tell_of_earlier_parts(options.samples_from);
  tell_of_earlier_parts({options.nearest, options.wider});
  return samples;
}

/// One that lacks samples says nothing of those that failed.
bool whole(ensembles::SampleRuns const& runs) {
  return std::all_of(runs.sets.begin(), runs.sets.end(),
                     [](ensembles::SampleSet const& set) { return set.failures.empty(); });
}

/// The members of an object at one time: of lists the item.
nlohmann::ordered_json at_time(nlohmann::ordered_json const& object, std::size_t time) {
  nlohmann::ordered_json row;
  for (auto const& [key, value] : object.items()) {
    row[key] = value.is_object()                         ? at_time(value, time)
               : value.is_array() && time < value.size() ? value[time]
               : value.is_array()                        ? nlohmann::ordered_json()
                                                         : value;
  }
  return row;
}

/// A row for each field and time; stages alone have none.
nlohmann::ordered_json rows_of_fields(std::string const& json) {
  auto rows = nlohmann::ordered_json::array();
  auto const document = nlohmann::ordered_json::parse(json);
  for (auto const& field : document.at("fields")) {
    for (std::size_t time = 0; time < field.at("times_s").size(); ++time) {
      rows.push_back(at_time(field, time));
    }
  }
  return rows;
}

}  // namespace

int digits(DigitsOptions const& options) {
  if (options.case_file.empty() && options.samples_from.empty()) {
    throw InputError("digits: neither CASE nor --samples-from (samples are run or read) name one of them");
  }
  verification::DigitsOptions how;
  how.probability = options.probability;
  how.confidence = options.confidence;
  using Scale = verification::DigitsOptions::Scale;
  how.scale = options.relative ? Scale::mean : options.absolute ? Scale::leading : Scale::field;
  how.scales = scales_of(options.scales);
  how.variables = options.variables;
  OutputFolder const folder(options.output);
  ensembles::require_no_results_but(options.output, "digits.json");
  ensembles::FolderLock const lock(options.output, ensembles::Use::alone);
  io::require_replaceable(options.output / "digits.json", io::signatures::digits);
  io::require_replaceable(options.output / "digits.txt", io::signatures::table);
  io::require_replaceable(options.output / "report.html", io::signatures::page);
  ensembles::ProgressReporter bar(stderr, options.common.quiet);
  how.progress = [&](double fraction, std::string const& what) {
    ensembles::stop_where(&cancelled());
    bar.update(fraction, endless, "counting bits of " + what);
  };
  try {
    auto [runs, record] = options.samples_from.empty() ? run(options, bar) : named(options);
    how.mantissa = runs.mantissa;
    auto result = verification::digits_of(runs.sets.front().outputs, runs.baseline, runs.wider, how);
    for (auto set = runs.sets.begin() + 1; set != runs.sets.end(); ++set) {
      record.stages.push_back({set->stage, verification::digits_of(set->outputs, runs.baseline, {}, how)});
    }
    bar.finish();
    for (auto const& set : runs.sets) {
      result.notes.insert(result.notes.end(), set.failures.begin(), set.failures.end());
    }
    result.notes.insert(result.notes.end(), runs.notes.begin(), runs.notes.end());
    auto const& looked_at = runs.baseline.empty() ? runs.sets.front().outputs.front() : runs.baseline;
    verification::note_doubts(result, looked_at);
    auto const json = to_json(result, record), text = to_text(result, record);
    ensembles::write_atomically(options.output / "digits.json", json);
    ensembles::write_atomically(options.output / "digits.txt",
                                io::with_signature(text, io::signatures::table));
    print(options.common, options.json  ? io::plain_json(json)
                          : options.csv ? csv_table(rows_of_fields(json))
                                        : text);
    auto const problem = write_html_report(options.output);
    ensembles::stop_where(&cancelled());
    if (!problem.empty()) complain(problem);
    return whole(runs) && result.finite ? exit_code::done : exit_code::different;
  } catch (ensembles::Interrupted const&) {
    bar.finish();
    return interrupted("Go on with the same command and --resume");
  }
}

}  // namespace ulpine::cli
