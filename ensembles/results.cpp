// SPDX-License-Identifier: Apache-2.0
#include "ensembles/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>

#include "ensembles/files.hpp"
#include "ensembles/frame.hpp"
#include "ensembles/interrupt.hpp"
#include "ensembles/manifest.hpp"
#include "ensembles/parallel.hpp"
#include "ensembles/run.hpp"
#include "ensembles/study.hpp"
#include "io/error.hpp"
#include "verification/gates.hpp"
#include "verification/junit.hpp"
#include "verification/statistics.hpp"
#include "verification/summary.hpp"
#include "verification/verdict.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;
using verification::EnsembleResult;
using verification::RunResult;
using verification::StudyResults;

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

/// Draws of the detector-only controls: their mean count is then known to a quarter of its spread.
constexpr std::uint32_t control_draws = 16;

/// Half a unit in the last place of 1 in the coarsest format of a policy's hot kernels.
double unit_roundoff(std::string const& policy) {
  static std::map<std::string, int> const digits = {{"quad", 113}, {"fp64", 53}, {"fp32", 24}, {"mixed", 24},
                                                    {"tf32", 11},  {"fp16", 11}, {"bf16", 8}};
  auto const known = digits.find(policy);
  return known == digits.end() ? 0 : std::ldexp(1.0, -known->second);
}

verification::MeanSd mean_sd(std::vector<double> const& values) {
  auto const moments = verification::moments(values);
  return {moments.mean, moments.sd};
}

/// Relative L2 errors against the unperturbed run of the same policy and assembly, by field and time.
using GrowthErrors = std::map<std::string, std::vector<double>>;

struct Evaluated {
  RunResult result;
  PlannedRun plan;
  GrowthErrors growth;  ///< of members
};

class Evaluation {
 public:
  Evaluation(fs::path study, ResultsOptions const& options)
      : study_{std::move(study)},
        options_{options},
        manifest_{read_manifest(study_, options.cancel)},
        case_file_{CaseSource{study_ / "case.toml"}.load()},
        lkf_{LkfSettings::read(case_file_)} {
    require_same_case(study_, manifest_);
    refresh_states(study_, manifest_, options.cancel);
  }

  StudyResults compute() {
    require_reference();
    layout_ = read_layout(output_of(reference()));
    collect_runs();
    evaluate_files();
    fill_ensembles();
    fill_controls();
    fill_bitwise();
    fill_statistics();
    for (auto& run : runs_) {
      results_.runs.push_back(std::move(run.result));
    }
    fill_gates();
    note_builds();
    verification::judge_study(results_);
    return std::move(results_);
  }

 private:
  void require_reference() {
    auto const& entry = manifest_.entries.front();
    if (entry.state != RunState::done) {
      throw InputError(study_.string() + ": has no finished reference run " + manifest_.plan.reference +
                       " (" +
                       (entry.state == RunState::failed ? "it failed: " + entry.reason
                        : entry.reason.empty()          ? "it has not run"
                                                        : entry.reason) +
                       ") resume the study with `ulpine ensemble ... --resume`");
    }
  }

  fs::path output_of(PlannedRun const& run) const { return study_ / run.path / "output.nc"; }
  PlannedRun const& reference() const { return manifest_.entries.front().run; }

  void collect_runs() {
    results_.study_case = {manifest_.core, manifest_.case_name, manifest_.case_hash};
    results_.seed = manifest_.plan.options.seed;
    results_.reference = manifest_.plan.reference;
    for (auto const& entry : manifest_.entries) {
      if (entry.state == RunState::planned && entry.reason.empty()) {
        ++results_.missing.runs;
        continue;
      }
      Evaluated run;
      run.plan = entry.run;
      auto& result = run.result;
      result.id = entry.run.id;
      result.policy = entry.run.configuration.policy;
      result.assembly = name_of(entry.run.configuration.assembly);
      result.device = entry.run.configuration.device;
      result.ensemble = entry.run.ensemble;
      result.path = entry.run.path.generic_string();
      result.member = entry.run.member;
      if (entry.run.epsilon) {
        result.epsilon = entry.run.epsilon->value;
        result.epsilon_text = entry.run.epsilon->text;
      }
      if (entry.state == RunState::planned) {
        result.failed = entry.reason;
      } else {
        take_record(result, read_run(study_ / entry.run.path / "run.json"));
      }
      runs_.push_back(std::move(run));
    }
    results_.missing.of = static_cast<std::int64_t>(manifest_.entries.size());
    results_.missing.command = resume_command(options_.program, study_, manifest_.plan.options);
  }

  void take_record(RunResult& result, RunRecord const& record) {
    result.failed = record.failed;
    result.device = record.device;
    result.wall_s = record.wall_s;
    result.steps = record.steps;
    result.cells = record.cells;
    result.memory_bytes = record.memory_bytes;
    result.hash = record.hash;
    for (std::size_t i = 0; i < record.initial.size(); ++i) {
      result.integrals[record.initial[i].name] = {record.initial[i].value, record.final[i].value};
    }
    for (auto const& [name, value] : record.provenance) {
      if (name == "version" || name == "commit") {
        builds_[result.id] += (name == "commit" ? " " : "") + value;
      }
      if (result.id == manifest_.plan.reference && name != "seed") {
        results_.provenance.emplace_back(name, value);
      }
    }
  }

  /// Compares every run with the reference, and members with their unperturbed run, time by time. Frames of
  /// those are read once for all runs, as many times together as fit in memory.
  void evaluate_files() {
    std::set<std::string> baselines;
    for (auto const& run : runs_) {
      if (run.plan.member) {
        baselines.insert(run.plan.ensemble);
      }
    }
    std::vector<PlannedRun> shared;
    for (auto const& run : runs_) {
      auto const& id = run.plan.id;
      if (id == results_.reference || (!run.result.failed && baselines.contains(id))) {
        shared.push_back(run.plan);
      }
    }
    constexpr std::int64_t budget = std::int64_t{512} << 20;
    auto const times = static_cast<std::int64_t>(layout_.times.size());
    auto const together = std::clamp<std::int64_t>(
        budget / std::max<std::int64_t>(layout_.frame_bytes * static_cast<std::int64_t>(shared.size()), 1), 1,
        times);
    auto const blocks = (times + together - 1) / together;
    auto const total = static_cast<double>(blocks) * static_cast<double>(runs_.size());
    std::size_t evaluated = 0;
    std::mutex mutex;
    for (std::int64_t begin = 0; begin < times; begin += together) {
      auto const end = std::min(begin + together, times);
      std::map<std::string, std::vector<Frame>> frames;
      for (auto const& run : shared) {
        try {
          io::InputFile const file(output_of(run));
          std::vector<Frame> read;
          for (auto time = begin; time < end; ++time) {
            stop_where(options_.cancel);
            read.push_back(read_frame(file, layout_, time));
          }
          frames[run.id] = std::move(read);
        } catch (InputError const&) {
          if (run.id == results_.reference) {
            throw;
          }
          // Its own evaluation says what is wrong with it; its members merely have no growth.
        }
      }
      parallel_for(runs_.size(), options_.threads, [&](std::size_t i) {
        stop_where(options_.cancel);
        auto& run = runs_[i];
        if (!run.result.failed) {
          try {
            evaluate(run, begin, end, frames);
          } catch (InputError const& problem) {
            run.result.failed = problem.what();
          }
        }
        std::lock_guard const lock(mutex);
        ++evaluated;
        if (options_.progress) {
          options_.progress(static_cast<double>(evaluated) / total, run.result.id);
        }
      });
    }
  }

  void evaluate(Evaluated& run, std::int64_t begin, std::int64_t end,
                std::map<std::string, std::vector<Frame>> const& frames) {
    io::InputFile const file(output_of(run.plan));
    for (auto const& field : layout_.fields) {
      if (!file.has(field) || file.times(field) != layout_.times) {
        throw InputError("its output lacks times or fields of the reference (field " + field +
                         ") repeat the run");
      }
    }
    auto& series = run.result.series ? *run.result.series : run.result.series.emplace();
    auto const baseline = frames.find(run.plan.ensemble);
    for (auto time = begin; time < end; ++time) {
      auto const index = static_cast<std::size_t>(time - begin);
      auto const frame = read_frame(file, layout_, time);
      auto const last = time + 1 == static_cast<std::int64_t>(layout_.times.size());
      series.time_s.push_back(layout_.times[static_cast<std::size_t>(time)]);
      for (auto const& [name, values] : frame) {
        auto const& reference = frames.at(results_.reference)[index].at(name);
        auto const weights = weights_of(name);
        auto const errors = errors_of(values, reference, weights);
        series.fields[name].l2_relative.push_back(errors.l2_relative);
        series.fields[name].linf.push_back(errors.linf);
        if (last) {
          run.result.set_metrics(name, verification::compute_metrics(values, reference, weights));
        }
        if (run.plan.member && baseline != frames.end()) {
          run.growth[name].push_back(
              errors_of(values, baseline->second[index].at(name), weights).l2_relative);
        }
      }
      if (layout_.nx > 0 && (last || !run.plan.member)) {
        evaluate_shear(run, frame.at("shear"), last);
      }
    }
  }

  std::span<double const> weights_of(std::string const& field) const {
    auto const weights = layout_.weights.find(field);
    return weights == layout_.weights.end() ? std::span<double const>{} : std::span(weights->second);
  }

  void evaluate_shear(Evaluated& run, std::vector<double> const& shear, bool last) const {
    auto const totals = detect_lkf(shear, layout_, lkf_);
    if (!run.plan.member) {
      run.result.series->lkf_count.push_back(static_cast<double>(totals.count));
      run.result.series->lkf_total_length_km.push_back(totals.total_length_km.value_or(nan));
    }
    if (last) {
      run.result.lkf = totals;
      run.result.spectrum = shear_spectrum(shear, layout_);
    }
  }

  std::vector<Evaluated const*> members_of(std::string const& ensemble, Epsilon const& epsilon) const {
    std::vector<Evaluated const*> members;
    for (auto const& run : runs_) {
      if (run.plan.ensemble == ensemble && run.plan.epsilon && run.plan.epsilon->value == epsilon.value &&
          !run.result.failed) {
        members.push_back(&run);
      }
    }
    return members;
  }

  void fill_ensembles() {
    auto const wanted = manifest_.plan.options.members;
    for (auto const& [run, state, hash, wall_s, reason] : manifest_.entries) {
      if (run.member != 0) {
        continue;
      }
      auto const& epsilon = *run.epsilon;
      auto const members = members_of(run.ensemble, epsilon);
      EnsembleResult ensemble;
      ensemble.configuration = run.ensemble;
      ensemble.policy = run.configuration.policy;
      ensemble.assembly = name_of(run.configuration.assembly);
      ensemble.epsilon = epsilon.value;
      ensemble.epsilon_text = epsilon.text;
      ensemble.members = static_cast<std::int64_t>(members.size());
      if (!members.empty()) {
        fill_spread(ensemble, members);
        fill_growth(ensemble, members);
        fill_features(ensemble, members);
      }
      if (ensemble.members != wanted) {
        results_.notes.push_back(fmt::format("ensemble {} eps={} has {} of {} members", run.ensemble,
                                             epsilon.text, ensemble.members, wanted));
      }
      results_.ensembles.push_back(std::move(ensemble));
    }
  }

  static void fill_spread(EnsembleResult& ensemble, std::vector<Evaluated const*> const& members) {
    for (auto const& [field, metrics] : members.front()->result.metrics) {
      std::vector<double> errors;
      for (auto const* member : members) {
        auto const& values = member->result.metrics.at(field);
        if (auto const l2 = values.find("l2_relative"); l2 != values.end() && l2->second.defined()) {
          errors.push_back(l2->second.number());
        }
      }
      auto const [mean, sd] = mean_sd(errors);
      ensemble.spread[field] = {mean, sd};
    }
  }

  void fill_growth(EnsembleResult& ensemble, std::vector<Evaluated const*> const& members) const {
    if (members.front()->growth.empty()) {
      return;
    }
    auto& growth = ensemble.growth.emplace();
    growth.time_s = layout_.times;
    for (auto const& [field, errors] : members.front()->growth) {
      for (std::size_t time = 0; time < errors.size(); ++time) {
        std::vector<double> values;
        for (auto const* member : members) {
          values.push_back(member->growth.at(field)[time]);
        }
        auto const [mean, sd] = mean_sd(values);
        growth.fields[field].mean.push_back(mean);
        growth.fields[field].sd.push_back(sd);
      }
    }
  }

  static void fill_features(EnsembleResult& ensemble, std::vector<Evaluated const*> const& members) {
    if (!members.front()->result.lkf) {
      return;
    }
    ensemble.lkf_count = mean_sd(counts(members));
    if (auto const lengths = total_lengths(members); !lengths.empty()) {
      ensemble.lkf_total_length_km = mean_sd(lengths);
    }
    auto& spectrum = ensemble.spectrum.emplace();
    spectrum.wavenumber = members.front()->result.spectrum->wavenumber;
    for (std::size_t ring = 0; ring < spectrum.wavenumber.size(); ++ring) {
      std::vector<double> power;
      for (auto const* member : members) {
        power.push_back(member->result.spectrum->power[ring]);
      }
      auto const [mean, sd] = mean_sd(power);
      spectrum.mean.push_back(mean);
      spectrum.sd.push_back(sd);
    }
  }

  static std::vector<double> counts(std::vector<Evaluated const*> const& members) {
    std::vector<double> values;
    for (auto const* member : members) {
      if (member->result.lkf) values.push_back(static_cast<double>(member->result.lkf->count));
    }
    return values;
  }

  static std::vector<double> total_lengths(std::vector<Evaluated const*> const& members) {
    std::vector<double> values;
    for (auto const* member : members) {
      if (member->result.lkf && member->result.lkf->total_length_km)
        values.push_back(*member->result.lkf->total_length_km);
    }
    return values;
  }

  struct Control {
    verification::MeanSd count, total_length_km;
  };

  /// What the detector alone makes of noise of each amplitude on the reference's own shear.
  std::map<double, Control> detector_controls(std::set<double> const& amplitudes) const {
    std::vector<double> const list(amplitudes.begin(), amplitudes.end());
    auto const shear = io::InputFile(output_of(reference())).read("shear").values;
    std::vector<verification::LkfTotals> totals(list.size() * control_draws);
    parallel_for(totals.size(), options_.threads, [&](std::size_t i) {
      stop_where(options_.cancel);
      totals[i] = detect_lkf(
          noisy(shear, list[i / control_draws], results_.seed, static_cast<std::uint32_t>(i % control_draws)),
          layout_, lkf_);
    });
    std::map<double, Control> controls;
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::vector<double> count, length;
      for (auto draw = i * control_draws; draw < (i + 1) * control_draws; ++draw) {
        count.push_back(static_cast<double>(totals[draw].count));
        length.push_back(totals[draw].total_length_km.value_or(nan));
      }
      controls[list[i]] = {mean_sd(count), mean_sd(length)};
    }
    return controls;
  }

  void fill_controls() {
    if (layout_.nx == 0) {
      return;
    }
    std::set<double> amplitudes;
    std::vector<std::string> policies;
    for (auto const& ensemble : results_.ensembles) {
      amplitudes.insert({unit_roundoff(ensemble.policy), ensemble.epsilon});
      if (std::find(policies.begin(), policies.end(), ensemble.policy) == policies.end()) {
        policies.push_back(ensemble.policy);
      }
    }
    auto const controls = detector_controls(amplitudes);
    for (auto const& policy : policies) {
      auto const noise = unit_roundoff(policy);
      auto const& control = controls.at(noise);
      results_.lkf_control.push_back({policy, control_draws, noise, control.count, control.total_length_km});
    }
    for (auto& ensemble : results_.ensembles) {
      auto const& control = controls.at(ensemble.epsilon);
      ensemble.lkf_detector = {control.count.mean, control.count.sd, control.total_length_km.mean,
                               control.total_length_km.sd};
    }
    results_.notes.push_back(fmt::format(
        "LKF: rules {}, parameters {}, spectra of log10(shear) floored at {} s-1",
        lkf_.rules == lkf::Rules::repaired ? "repaired" : "lkf_tools", lkf_.parameters, shear_floor));
  }

  void fill_bitwise() {
    std::vector<std::string> policies;  // of the groups
    for (auto const& run : runs_) {
      if (run.plan.member || run.result.failed) {
        continue;
      }
      std::size_t same = 0;
      while (same < policies.size() &&
             (results_.bitwise[same].hash != run.result.hash || policies[same] != run.result.policy)) {
        ++same;
      }
      if (same == policies.size()) {
        policies.push_back(run.result.policy);
        results_.bitwise.push_back({run.result.hash, {}});
      }
      results_.bitwise[same].runs.push_back(run.result.id);
    }
  }

  void fill_statistics() {
    if (layout_.nx == 0) {
      return;
    }
    results_.statistics.push_back({"lkf_count", "1", 1});
    if (layout_.spacing > 0) {
      results_.statistics.push_back({"lkf_total_length_km", "km", layout_.spacing / 1000});
    }
  }

  void fill_gates() {
    // Unperturbed runs that failed fail the study anyway; so must a member that is missing from its ensemble.
    for (auto const& run : results_.runs) {
      if (run.failed && run.member) {
        verification::GateResult gate;
        gate.name = "completed";
        gate.run = run.id;
        gate.limit = 1;
        gate.reason = *run.failed;
        results_.gates.push_back(std::move(gate));
      }
    }
    auto const gates = verification::read_gates(case_file_);
    auto const judged = verification::judge(gates, results_);
    results_.gates.insert(results_.gates.end(), judged.begin(), judged.end());
    note_changed_tolerances(gates);
  }

  /// Tolerances must not grow silently: what case.toml says now against what the study was planned with.
  void note_changed_tolerances(std::vector<verification::Gate> const& gates) {
    auto const planned_case = io::CaseFile::parse(manifest_.case_text, "manifest.json", study_);
    std::map<std::string, double> planned;
    for (auto const& gate : verification::read_gates(planned_case)) planned[gate.name()] = gate.limit;
    for (auto const& gate : gates) {
      auto const before = planned.find(gate.name());
      if (before == planned.end()) {
        results_.notes.push_back(
            fmt::format("tolerance {} = {} was added after the study was planned", gate.name(), gate.limit));
      } else if (before->second != gate.limit) {
        results_.notes.push_back(fmt::format("tolerance {} = {} was {} when the study was planned",
                                             gate.name(), gate.limit, before->second));
      }
      planned.erase(gate.name());
    }
    for (auto const& [name, limit] : planned) {
      results_.notes.push_back(
          fmt::format("tolerance {} = {} was removed after the study was planned", name, limit));
    }
  }

  void note_builds() {
    std::map<std::string, int> runs_by_build;
    for (auto const& [id, build] : builds_) ++runs_by_build[build];
    if (runs_by_build.size() > 1) {
      std::string text;
      for (auto const& [build, count] : runs_by_build)
        text += fmt::format("{}{} ({} runs)", text.empty() ? "" : ", ", build, count);
      results_.notes.push_back("runs were made by different builds: " + text);
    }
  }

  fs::path study_;
  ResultsOptions const& options_;
  Manifest manifest_;
  io::CaseFile case_file_;
  LkfSettings lkf_;
  Layout layout_;
  std::vector<Evaluated> runs_;
  std::map<std::string, std::string> builds_;  ///< version and commit by run
  StudyResults results_;
};

}  // namespace

StudyResults compute_results(fs::path const& study, ResultsOptions const& options) {
  return Evaluation(study, options).compute();
}

StudyResults write_results(fs::path const& study, ResultsOptions const& options) {
  auto const results = compute_results(study, options);
  verification::write_results(study / "results.json", results);
  write_atomically(study / "junit.xml", verification::to_junit(results));
  write_atomically(study / "summary.md", verification::to_summary(results));
  return results;
}

}  // namespace ulpine::ensembles
