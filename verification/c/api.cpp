// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <span>

#include "io/error.hpp"
#include "io/netcdf_library.hpp"
#include "verification/c/request.hpp"
#include "verification/c/ulpine_analysis.h"
#include "verification/comparison/compare.hpp"
#include "verification/comparison/trace_merge.hpp"
#include "verification/comparison/trace_report.hpp"
#include "verification/consistency/output.hpp"
#include "verification/consistency/runs_of_files.hpp"
#include "verification/digits/named_samples.hpp"
#include "verification/files/features_of_file.hpp"
#include "verification/files/spectrum_of_file.hpp"

struct ulpine_trace {
  ulpine::io::Trace trace;
  std::vector<std::int64_t> loops;
};

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;

constexpr double least_floor = 1e-300, most_floor = 1e300;
constexpr double least_share = 0.5, most_share = 0.999999;

/// The caller's wish to stop.
struct Stopped {};

/// HDF5 begins as it does for others of this process, who rely on it to close their files at exit:
/// lock_netcdf() would keep an HDF5 that has not begun from that.
void begin_hdf5() {
  static auto const begun = [] {
    auto* const begin = reinterpret_cast<int (*)()>(io::hdf5_symbol("H5open"));
    return begin == nullptr || begin() >= 0;
  }();
  static_cast<void>(begun);
}

std::string dump(Json const& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

char* copy(std::string const& text) {
  auto* const copied = static_cast<char*>(std::malloc(text.size() + 1));
  if (copied != nullptr) std::memcpy(copied, text.c_str(), text.size() + 1);
  return copied;
}

/// Calls `work` with the request, and turns what it throws into a code and one line.
int answer_to(char const* request, char** answer, std::function<std::string(Request&)> const& work) {
  try {
    begin_hdf5();
    Request asked(request);
    *answer = copy(work(asked));
    return *answer == nullptr ? ULPINE_ENVIRONMENT : ULPINE_DONE;
  } catch (Stopped const&) {
    *answer = copy("stopped");
    return ULPINE_STOPPED;
  } catch (InputError const& error) {
    *answer = copy(one_line(error.what()));
    return ULPINE_BAD_INPUT;
  } catch (EnvironmentError const& error) {
    *answer = copy(one_line(error.what()));
    return ULPINE_ENVIRONMENT;
  } catch (std::bad_alloc const&) {
    *answer = copy("out of memory (fields and what is computed of them do not fit) give less at once");
    return ULPINE_ENVIRONMENT;
  } catch (std::exception const& error) {
    *answer = copy(one_line(error.what()));
    return ULPINE_FAILED;
  }
}

PlaneChoice planes_in(Request& asked) {
  PlaneChoice choice{asked.whole("level"), asked.table_of_whole("at")};
  auto const plane = asked.texts("plane");
  if (plane.empty()) return choice;
  if (plane.size() != 2) {
    throw InputError("plane: " + std::to_string(plane.size()) +
                     " names of dimensions (a plane has rows and columns) give two");
  }
  choice.plane = {plane[0], plane[1]};
  return choice;
}

std::int64_t time_in(Request& asked) { return asked.whole("time").value_or(-1); }

Weighting weighting_in(Request& asked) {
  auto const weights = asked.text("weights");
  return weights.empty() ? Weighting() : Weighting(weights);
}

/// "last" or not, which is `other`.
bool last_in(Request& asked, std::string const& usual, std::vector<std::string> const& choices) {
  auto const times = asked.text("times", usual);
  if (std::ranges::find(choices, times) == choices.end()) {
    throw InputError("times: unknown '" + times + "'" + choices_hint(times, choices));
  }
  return times == "last";
}

FeatureOptions features_in(Request& asked) {
  FeatureOptions how;
  how.rules = asked.text("rules");
  how.parameters = asked.text("parameters");
  how.orientations = asked.flag("orientations", true);
  return how;
}

void require_plane(std::int64_t rows, std::int64_t columns) {
  if (rows < 1 || columns < 1) {
    throw InputError("values: have no rows or no columns (a plane of both is needed) give some");
  }
}

/// What reading and counting call in between.
std::function<void(double, std::string const&)> telling(ulpine_progress progress) {
  return [progress](double fraction, std::string const& what) {
    if (progress != nullptr && progress(fraction, what.c_str()) != 0) throw Stopped{};
  };
}

std::string compare_files(Request& asked) {
  auto const reference = asked.text("reference"), test = asked.text("test");
  ComparisonOptions how;
  how.variables = asked.texts("variables");
  if (last_in(asked, "worst", {"worst", "all", "last"})) {
    how.times = Times::last;
  } else if (asked.text("times") == "all") {
    how.times = Times::all;
  }
  how.by_level = asked.flag("levels", false);
  how.weighting = weighting_in(asked);
  asked.finish();
  return to_json(compare(io::InputFile(reference), io::InputFile(test), how), how.times);
}

FileSpectrumOptions spectrum_in(Request& asked) {
  FileSpectrumOptions how;
  how.variant = asked.text("variant", how.variant);
  spectrum_variant(how.variant);
  how.log10_floor = asked.number("log10", least_floor, most_floor);
  return how;
}

std::string spectrum_of_file(Request& asked) {
  auto how = spectrum_in(asked);
  auto const file = asked.text("file");
  how.variables = asked.texts("variables");
  how.time = time_in(asked);
  how.all_times = asked.flag("all_times", false);
  how.planes = planes_in(asked);
  asked.finish();
  if (how.variables.empty()) throw InputError("variables: none is named (spectra are of some) name one");
  return dump(to_json(spectra_of(io::InputFile(file), how), how));
}

std::string spectrum_of_values(Request& asked, std::span<double const> values, std::int64_t rows,
                               std::int64_t columns) {
  auto const how = spectrum_in(asked);
  auto const spacing = asked.spacing("spacing");
  asked.finish();
  require_plane(rows, columns);
  auto const answer = spectrum_of("values", values, rows, columns, spacing, how);
  return dump(to_json(std::span(&answer, 1), how));
}

std::string features_of_file(Request& asked) {
  auto how = features_in(asked);
  auto const file = asked.text("file");
  how.variable = asked.text("variable", how.variable);
  how.time = time_in(asked);
  how.planes = planes_in(asked);
  asked.finish();
  require_known(how);
  return dump(to_json(features_of(io::InputFile(file), how)));
}

std::string features_of_values(Request& asked, std::span<double const> values, std::int64_t rows,
                               std::int64_t columns) {
  auto const how = features_in(asked);
  auto const units = asked.text("units", "day-1");
  auto const spacing = asked.spacing("spacing");
  asked.finish();
  require_plane(rows, columns);
  require_known(how);
  auto const spacing_km =
      spacing ? std::optional<lkf::Spacing>({(*spacing)[0] * 1e-3, (*spacing)[1] * 1e-3}) : std::nullopt;
  return dump(
      to_json(features_of({values.begin(), values.end()}, rows, columns, units, spacing_km, how, "values")));
}

std::string judge_files(Request& asked, ulpine_progress progress) {
  namespace c = consistency;
  c::FileRequest request;
  auto const ensemble = asked.paths("ensemble"), control = asked.paths("control"),
             truth = asked.paths("truth"), tests = asked.paths("tests");
  auto const unperturbed = asked.text("unperturbed");
  request.methods = asked.texts("methods");
  std::erase(request.methods, "all");
  request.variables = asked.texts("variables");
  if (auto const times = asked.text("times"); !times.empty()) request.times = c::TimeChoice(times);
  request.by_level = asked.flag("levels", false);
  request.weighting = weighting_in(asked);
  request.parameters = asked.table_of_texts("parameters");
  request.seed =
      static_cast<std::uint64_t>(asked.whole("seed", 1, 0, std::numeric_limits<std::uint32_t>::max()));
  asked.finish();
  for (auto const& name : request.methods) c::require_method(name);
  if (tests.empty()) throw InputError("tests: no new run (there is nothing to test) give some");
  if (ensemble.size() == 1 && c::is_summary(ensemble.front())) {
    if (!unperturbed.empty())
      throw InputError("unperturbed: a summary has its own (or none) give the runs instead of the summary");
    request.stored = c::read_summary(ensemble.front());
    request.summary = ensemble.front();
  } else {
    request.ensemble.members = c::runs_of(ensemble);
  }
  if (!unperturbed.empty()) request.ensemble.unperturbed = c::run_of_file(unperturbed);
  request.tests.members = c::runs_of(tests);
  request.control.members = c::runs_of(control);
  request.truth.members = c::runs_of(truth);
  auto const told = telling(progress);
  auto const accepted = c::read_accepted(request, told);
  return c::to_json(c::judge(accepted, request, told), io::build_provenance(), {});
}

std::string digits_of_files(Request& asked, ulpine_progress progress) {
  NamedSamples const named{asked.paths("samples"), asked.text("nearest"), asked.text("wider")};
  DigitsOptions how;
  how.probability = asked.number("probability", least_share, most_share).value_or(how.probability);
  how.confidence = asked.number("confidence", least_share, most_share).value_or(how.confidence);
  how.mantissa = static_cast<int>(asked.whole("mantissa", how.mantissa, 2, 113));
  using Scale = DigitsOptions::Scale;
  auto const relative = asked.flag("relative", false), absolute = asked.flag("absolute", false);
  how.scale = relative ? Scale::mean : absolute ? Scale::leading : Scale::field;
  for (auto const& [name, scale] : asked.table_of_positive("scales")) how.scales[name] = scale;
  how.variables = asked.texts("variables");
  how.progress = telling(progress);
  asked.finish();
  if (relative && absolute) {
    throw InputError("absolute: has no effect (errors are relative to each point's mean) leave one out");
  }
  if (how.scale != Scale::field && !how.scales.empty()) {
    throw InputError(
        "scales: have no effect (each point has a scale of its own) leave `relative` or `absolute` out");
  }
  require_distinct(named, [] {});
  auto result = digits_of(named.samples, named.nearest, named.wider, how);
  note_doubts(result, named.nearest.empty() ? named.samples.front() : named.nearest);
  DigitsRecord record;
  record.provenance = io::build_provenance().items();
  return to_json(result, record);
}

Json entries(std::vector<io::TraceEntry> const& entries) {
  auto list = Json::array();
  for (auto const& entry : entries) {
    auto attributes = Json::object();
    for (auto const& [key, value] : entry.attributes) attributes[key] = value;
    list.push_back({{"name", entry.name}, {"attributes", attributes}});
  }
  return list;
}

/// The places within a step, a text each, and which of them each record has.
std::vector<std::string> number_loops(ulpine_trace& opened) {
  std::vector<std::string> texts;
  std::map<std::string, std::int64_t> numbers;
  for (auto const& record : opened.trace.records) {
    auto const text = io::text_of({record.position.begin() + 1, record.position.end()});
    auto const [place, is_new] = numbers.emplace(text, static_cast<std::int64_t>(texts.size()));
    if (is_new) texts.push_back(text);
    opened.loops.push_back(place->second);
  }
  return texts;
}

std::string open_trace(Request& asked, ulpine_trace** trace) {
  auto const file = asked.text("file");
  auto const partial = asked.flag("partial", false);
  asked.finish();
  auto merged = read_merged_trace(file, {partial});
  auto const notes = reservations(merged, file);
  auto opened = std::make_unique<ulpine_trace>();
  opened->trace = std::move(merged.trace);
  auto const loops = number_loops(*opened);
  auto const& header = opened->trace.header;
  auto answer = dump({{"records", opened->trace.records.size()},
                      {"loops", loops},
                      {"stages", entries(header.stages)},
                      {"fields", entries(header.fields)},
                      {"ranks", merged.ranks},
                      {"notes", notes}});
  *trace = opened.release();
  return answer;
}

std::span<double const> plane(double const* values, std::int64_t rows, std::int64_t columns) {
  if (values == nullptr || rows < 1 || columns < 1) return {};
  return {values, static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)};
}

}  // namespace
}  // namespace ulpine::verification

namespace v = ulpine::verification;

extern "C" {

int ulpine_analysis_interface() { return 1; }

void ulpine_free_text(char* text) { std::free(text); }

int ulpine_compare(char const* request, char** answer) {
  return v::answer_to(request, answer, v::compare_files);
}

int ulpine_spectrum(char const* request, char** answer) {
  return v::answer_to(request, answer, v::spectrum_of_file);
}

int ulpine_spectrum_of_values(double const* values, int64_t rows, int64_t columns, char const* request,
                              char** answer) {
  return v::answer_to(request, answer, [&](v::Request& asked) {
    return v::spectrum_of_values(asked, v::plane(values, rows, columns), rows, columns);
  });
}

int ulpine_lkf(char const* request, char** answer) {
  return v::answer_to(request, answer, v::features_of_file);
}

int ulpine_lkf_of_values(double const* values, int64_t rows, int64_t columns, char const* request,
                         char** answer) {
  return v::answer_to(request, answer, [&](v::Request& asked) {
    return v::features_of_values(asked, v::plane(values, rows, columns), rows, columns);
  });
}

int ulpine_consistency(char const* request, ulpine_progress progress, char** answer) {
  return v::answer_to(request, answer, [&](v::Request& asked) { return v::judge_files(asked, progress); });
}

int ulpine_digits(char const* request, ulpine_progress progress, char** answer) {
  return v::answer_to(request, answer,
                      [&](v::Request& asked) { return v::digits_of_files(asked, progress); });
}

int ulpine_open_trace(char const* request, ulpine_trace** trace, char** answer) {
  *trace = nullptr;
  return v::answer_to(request, answer, [&](v::Request& asked) { return v::open_trace(asked, trace); });
}

void ulpine_trace_columns(ulpine_trace const* trace, int64_t* step, int64_t* loops, int64_t* stage,
                          int64_t* field, int64_t* elements, int64_t* missing, uint64_t* hash) {
  auto const& records = trace->trace.records;
  for (std::size_t n = 0; n < records.size(); ++n) {
    auto const& record = records[n];
    step[n] = record.position.front().index;
    loops[n] = trace->loops[n];
    stage[n] = record.stage;
    field[n] = record.field;
    elements[n] = record.count;
    missing[n] = record.missing;
    hash[n] = record.hash;
  }
}

void ulpine_free_trace(ulpine_trace* trace) { delete trace; }

}  // extern "C"
