// SPDX-License-Identifier: Apache-2.0
#include "ensembles/programs/compared_variants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "ensembles/programs/gathered_output.hpp"
#include "ensembles/programs/program_run.hpp"
#include "ensembles/programs/program_study.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/plan.hpp"
#include "ensembles/study/planned_request.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/comparison/trace_merge.hpp"
#include "verification/comparison/trace_report.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

class VariantComparison {
 public:
  explicit VariantComparison(VariantsRequest const& request) : request_{request} {
    StudyOptions study;
    study.configurations = request.variants;
    study.members = 0;
    plan_ = make_plan(with_variants(request.source, study));
    if (plan_.runs.size() < 2) {
      throw InputError(
          "one variant alone cannot be compared (at least two are needed) name others, or the same on other "
          "threads, as O2,O2/cpu:2");
    }
  }

  VariantsResult run() {
    VariantsResult result;
    result.name = request_.source.load().name();
    for (std::size_t i = 0; i < plan_.runs.size(); ++i) result.outcomes.push_back(outcome(i));
    result.groups = firsts_.size();
    return result;
  }

 private:
  RunRecord run_one(std::size_t number, bool watched) {
    stop_where(request_.cancel);
    auto const& planned = plan_.runs[number];
    if (request_.progress) {
      request_.progress(
          planned.id + (watched ? ", watched" : ""),
          (static_cast<double>(2 * number) + (watched ? 1 : 0)) / static_cast<double>(2 * plan_.runs.size()));
    }
    RunRequest request;
    request.source = request_.source;
    take_variant(planned.configuration, 1, request);
    request.folder = folder(number, watched);
    request.until = request_.until;
    request.trace = watched;
    request.cancel = request_.cancel;
    auto const record = ensembles::run(request);
    if (record.interrupted) throw Interrupted();
    return record;
  }

  fs::path folder(std::size_t number, bool watched) const {
    return request_.scratch / fmt::format("{}{}", number, watched ? "-watched" : "");
  }

  VariantOutcome outcome(std::size_t number) {
    VariantOutcome outcome;
    outcome.name = plan_.runs[number].id;
    outcome.hash = run_one(number, false).hash;
    if (watches_) watch(number, outcome);
    auto& [traces, hashes] = first_of_groups_;
    for (outcome.group = 0; outcome.group < firsts_.size(); ++outcome.group) {
      auto const first = firsts_[outcome.group];
      auto difference = difference_between(first, number, hashes[outcome.group], outcome.hash);
      if (difference.empty()) break;
      if (outcome.group == 0) outcome.difference = std::move(difference);
    }
    if (outcome.group == firsts_.size()) {
      firsts_.push_back(number);
      hashes.push_back(outcome.hash);
      traces.push_back(trace_);
    } else {
      outcome.difference.clear();
    }
    return outcome;
  }

  /// Runs it with the probe. A program that does not call it is compared by its output alone.
  void watch(std::size_t number, VariantOutcome& outcome) {
    trace_.reset();
    try {
      outcome.watched_hash = run_one(number, true).hash;
    } catch (RunFailed const&) {
      if (!called_no_probe(read_run(folder(number, true) / "run.json"))) throw;
      watches_ = false;
      return;
    }
    trace_ = verification::read_merged_trace(folder(number, true) / program_folder / "trace.bin");
    outcome.records = static_cast<std::int64_t>(trace_->trace.records.size());
    outcome.notes = verification::reservations(*trace_, outcome.name);
  }

  std::string difference_between(std::size_t first, std::size_t number, std::string const& first_hash,
                                 std::string const& hash) const {
    auto const place = std::ranges::find(firsts_, first) - firsts_.begin();
    auto const& trace = first_of_groups_.traces[static_cast<std::size_t>(place)];
    if (trace && trace_) {
      if (auto const divergence = verification::first_divergence(*trace, *trace_)) {
        return verification::describe(*divergence);
      }
    }
    if (first_hash == hash) return {};
    auto const difference =
        first_difference_of_outputs(folder(first, false) / "output.nc", folder(number, false) / "output.nc");
    return difference.empty() ? "its output, in ways that values do not show" : difference;
  }

  struct Firsts {
    std::vector<std::optional<verification::MergedTrace>> traces;
    std::vector<std::string> hashes;
  };
  VariantsRequest const& request_;
  StudyPlan plan_;
  bool watches_ = true;
  std::optional<verification::MergedTrace> trace_;  ///< of the variant at hand
  std::vector<std::size_t> firsts_;                 ///< of each group
  Firsts first_of_groups_;
};

/// Distance of two doubles of one sign in units in the last place, in words.
std::string distance_text(double a, double b, bool as_float) {
  if (std::isnan(a) || std::isnan(b) || std::signbit(a) != std::signbit(b)) return "";
  auto const units = as_float
                         ? std::abs(double(std::bit_cast<std::int32_t>(static_cast<float>(a))) -
                                    double(std::bit_cast<std::int32_t>(static_cast<float>(b))))
                         : std::abs(double(std::bit_cast<std::int64_t>(a) - std::bit_cast<std::int64_t>(b)));
  return fmt::format(", {:.6g} unit{} in the last place{}", units, units == 1 ? "" : "s",
                     as_float ? " of float" : "");
}

}  // namespace

bool VariantsResult::watching_changes_nothing() const {
  return std::ranges::all_of(outcomes, [](VariantOutcome const& outcome) {
    return outcome.watched_hash.empty() || outcome.watched_hash == outcome.hash;
  });
}

VariantsResult compare_variants(VariantsRequest const& request) { return VariantComparison(request).run(); }

std::string table(VariantsResult const& result) {
  std::size_t width = 7;
  for (auto const& outcome : result.outcomes) width = std::max(width, outcome.name.size());
  auto text = fmt::format("{}\n{:<{}}  bits  {:<16}  {:<16}  {:>7}  result\n", result.name, "variant", width,
                          "output", "watched", "records");
  for (auto const& outcome : result.outcomes) {
    auto const watched = outcome.watched_hash.empty() ? "-" : outcome.watched_hash;
    auto const* verdict = &outcome == &result.outcomes.front() ? "reference"
                          : outcome.group == 0                 ? "same bits"
                                                               : "DIFFERENT";
    if (!outcome.watched_hash.empty() && outcome.watched_hash != outcome.hash)
      verdict = "DIFFERENT when watched";
    text += fmt::format("{:<{}}  {:>4}  {:<16}  {:<16}  {:>7}  {}\n", outcome.name, width, outcome.group + 1,
                        outcome.hash, watched, outcome.records, verdict);
  }
  for (auto const& outcome : result.outcomes) {
    if (!outcome.difference.empty()) {
      text += fmt::format("{} differs from {}: {}\n", outcome.name, result.outcomes.front().name,
                          outcome.difference);
    }
    for (auto const& note : outcome.notes) text += note + "\n";
  }
  if (std::ranges::all_of(result.outcomes, &std::string::empty, &VariantOutcome::watched_hash)) {
    text += "the program does not call the probe: outputs alone were compared, and stages cannot be named\n";
  }
  return text;
}

std::string first_difference_of_outputs(fs::path const& reference, fs::path const& test) {
  io::InputFile const a(reference), b(test);
  auto const variables = a.variables();
  if (b.variables() != variables) {
    return fmt::format("its output has the variables {}, not {}", fmt::join(b.variables(), ", "),
                       fmt::join(variables, ", "));
  }
  std::string first;
  auto first_time = std::numeric_limits<double>::infinity();
  for (auto const& name : variables) {
    auto const times = a.times(name), other = b.times(name);
    auto const common = std::min(times.size(), other.size());
    auto const as_float = a.stored_type(name).name == "float";
    for (std::size_t t = 0; t < std::max<std::size_t>(common, times.empty() ? 1 : 0); ++t) {
      auto const time = times.empty() ? 0 : times[t];
      if (time >= first_time) break;
      auto const index = times.empty() ? std::int64_t{-1} : static_cast<std::int64_t>(t);
      auto const x = a.read(name, index), y = b.read(name, index);
      if (x.info.shape != y.info.shape) {
        first_time = time;
        first = name + " has another shape";
        break;
      }
      auto const same = [](double p, double q) {
        return std::bit_cast<std::int64_t>(p) == std::bit_cast<std::int64_t>(q);
      };
      auto const [at, there] = std::mismatch(x.values.begin(), x.values.end(), y.values.begin(), same);
      if (at == x.values.end()) continue;
      first_time = time;
      first = fmt::format("{} ({}) at {:g} s: {} against {}{}", name,
                          place_text(x.info.shape, static_cast<std::size_t>(at - x.values.begin())), time,
                          *at, *there, distance_text(*at, *there, as_float));
      break;
    }
    if (first.empty() && times != other) first = fmt::format("{} has other times", name);
  }
  return first;
}

}  // namespace ulpine::ensembles
