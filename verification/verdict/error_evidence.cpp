// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "verification/metrics/nan.hpp"
#include "verification/statistics/equivalence.hpp"
#include "verification/statistics/error_ratios.hpp"
#include "verification/verdict/judgement.hpp"
#include "verification/verdict/verdict.hpp"

namespace ulpine::verification {
namespace {

/// Part of an error that its members share: one for an offset, none for trajectories that have diverged.
constexpr double diverged_share = 0.5;

/// Relative L2 error of a field, of a level where one is named, at an output time; NaN where there is none.
double error_at(RunResult const& run, std::string const& field, std::size_t time,
                std::optional<std::size_t> level = {}) {
  if (!run.series || !run.series->fields.contains(field)) {
    return nan;
  }
  auto const& errors = run.series->fields.at(field);
  if (!level) {
    return time < errors.l2_relative.size() ? errors.l2_relative[time] : nan;
  }
  return time < errors.levels.size() && *level < errors.levels[time].size() ? errors.levels[time][*level]
                                                                            : nan;
}

/// Mean square distance of the configuration's members to their own unperturbed run.
std::optional<double> growth_at(StudyResults const& results, RunResult const& run,
                                std::string const& epsilon_text, std::string const& field, std::size_t time) {
  for (auto const& ensemble : results.ensembles) {
    if (ensemble.configuration != ensemble_of(run) || ensemble.epsilon_text != epsilon_text ||
        !ensemble.growth) {
      continue;
    }
    auto const series = ensemble.growth->fields.find(field);
    if (series != ensemble.growth->fields.end() && time < series->second.mean.size() &&
        ensemble.members > 0) {
      auto const mean = series->second.mean[time], sd = series->second.sd[time];
      auto const n = double(ensemble.members);
      return mean * mean + sd * sd * (n - 1) / n;
    }
  }
  return std::nullopt;
}

/// The errors of one run, field by field.
class Errors {
 public:
  Errors(StudyResults const& results, RunResult const& run, Ensembles const& ensembles, Findings& findings)
      : results_{results}, run_{run}, ensembles_{ensembles}, findings_{findings} {}

  /// Judges a field at each time by its worst level.
  void judge(std::string const& field) {
    auto const times = run_.series->time_s.size();
    auto const& levels = run_.series->fields.at(field).levels;
    auto& ratios = findings_.verdict.errors[field];
    Worst worst;
    for (std::size_t time = 0; time < times; ++time) {
      std::optional<Cell> here;
      auto const look = [&](std::optional<std::size_t> level) {
        auto const found = ratio_at(field, time, level);
        if (found) {
          ++worst.cells;
          worst.inside = std::min(worst.inside, found->inside);
          worst.outside = std::min(worst.outside, found->outside);
          if (!here || found->ratio > here->found.ratio) here = Cell{*found, time, level};
        }
      };
      auto const error = error_at(run_, field, time);
      if (!is_reached(field, time) && error > 0 && !is_rounding(run_, error)) {
        worst.unreached = std::max(worst.unreached, error);
      }
      if (have_diverged(results_, run_, ensembles_, field, time)) {
        ++worst.diverged;
      } else {
        look({});
        for (std::size_t level = 0; time < levels.size() && level < levels[time].size(); ++level) look(level);
      }
      ratios.ratio.push_back(here ? here->found.ratio : nan);
      ratios.low.push_back(here ? here->found.low : nan);
      ratios.high.push_back(here ? here->found.high : nan);
      if (!levels.empty()) ratios.level.push_back(here && here->level ? std::int64_t(*here->level) : -1);
      if (here && (!worst.cell || here->found.ratio > worst.cell->found.ratio)) worst.cell = here;
    }
    add(field, worst);
  }

 private:
  struct Cell {
    ErrorRatio found;
    std::size_t time;
    std::optional<std::size_t> level;
  };
  struct Worst {
    std::optional<Cell> cell;
    double inside = 1, outside = 1;
    std::int64_t cells = 0;    ///< times and levels
    std::size_t diverged = 0;  ///< times
    double unreached = 0;      ///< largest error at times at which the perturbation has not reached the field
  };

  void add(std::string const& field, Worst const& worst) {
    if (worst.unreached > 0 && !has_gate(field)) {
      Evidence evidence;
      evidence.kind = "error";
      evidence.subject = field;
      evidence.epsilon_text = ensembles_.amplitude.text;
      evidence.answer = Answer::undecided;
      evidence.reason = fmt::format(
          "it differs by {:.2g} where the perturbation has not reached it: there is no spread to hold that "
          "against",
          worst.unreached);
      append_new(findings_.would_decide, "a gate on " + field);
      findings_.verdict.evidence.push_back(std::move(evidence));
      if (!worst.cell) return;
    }
    if (!worst.cell) {
      return findings_.add_untested("error", field,
                                    worst.diverged > 0
                                        ? "the trajectories have parted: errors of single runs say no more"
                                        : "the perturbation does not reach it");
    }
    auto const& [found, time, level] = *worst.cell;
    Evidence evidence;
    evidence.kind = "error";
    evidence.subject = field;
    evidence.epsilon_text = ensembles_.amplitude.text;
    evidence.pairs = found.members;
    evidence.value = found.ratio;
    evidence.interval = {found.low, found.high};
    evidence.margin = 1;
    evidence.detectable = found.detectable;
    evidence.time_s = run_.series->time_s[time];
    if (level) evidence.level = std::int64_t(*level);
    // Each time and level is a chance to be far away; to be inside all of them have to be.
    auto const ratio = found;
    findings_.add_test(
        std::move(evidence), worst.inside, std::min(1.0, worst.outside * double(worst.cells)),
        [ratio](double) { return members_to_decide(ratio); }, true);
  }

  /// Whether the reference's members differ in the field at all.
  bool is_reached(std::string const& field, std::size_t time) const {
    return std::any_of(ensembles_.references.begin(), ensembles_.references.end(),
                       [&](RunResult const* member) { return !(error_at(*member, field, time) == 0); });
  }

  bool has_gate(std::string const& field) const {
    return std::any_of(results_.gates.begin(), results_.gates.end(), [&](GateResult const& gate) {
      return gate.run == run_.id && gate.subject.kind == "field" && gate.subject.name == field;
    });
  }

  std::optional<ErrorRatio> ratio_at(std::string const& field, std::size_t time,
                                     std::optional<std::size_t> level) const {
    auto const error = error_at(run_, field, time, level);
    std::vector<double> distances;
    auto reached = false;
    for (auto const* member : ensembles_.references) {
      auto const distance = error_at(*member, field, time, level);
      if (std::isfinite(distance)) {
        distances.push_back(distance);
        reached = reached || distance > 0;
      }
    }
    if (!std::isfinite(error) || !reached || std::int64_t(distances.size()) < least_members) {
      return std::nullopt;
    }
    return error_ratio(error, distances);
  }

  StudyResults const& results_;
  RunResult const& run_;
  Ensembles const& ensembles_;
  Findings& findings_;
};

}  // namespace

bool have_diverged(StudyResults const& results, RunResult const& run, Ensembles const& ensembles,
                   std::string const& field, std::size_t time) {
  auto const error = error_at(run, field, time);
  std::vector<double> spreads, distances;
  for (auto const* member : ensembles.references) spreads.push_back(error_at(*member, field, time));
  for (auto const* member : ensembles.members) distances.push_back(error_at(*member, field, time));
  // Errors below half the spread are no trajectory of their own, and f is then badly known.
  if (spreads.empty() || distances.empty() || !(error > 0) || !(error * error >= mean_square(spreads) / 4)) {
    return false;
  }
  auto const growth = growth_at(results, run, ensembles.amplitude.text, field, time);
  return growth && (mean_square(distances) - *growth) / (error * error) <= diverged_share;
}

void judge_errors(StudyResults const& results, RunResult const& run, Ensembles const& ensembles,
                  Findings& findings) {
  if (!run.series || run.series->time_s.empty()) {
    return findings.add_untested("error", {}, "there are no errors over time");
  }
  auto const& amplitude = ensembles.amplitude;
  auto const members = std::int64_t(ensembles.references.size());
  if (members < least_members) {
    append_new(findings.remedies, amplitude.missing.empty() ? fmt::format("at least {} members", least_pairs)
                                                            : amplitude.remedy());
    return findings.add_untested(
        "error", {},
        fmt::format("{} members of the reference at the tolerated perturbation{}, {} needed", members,
                    results.rules.tolerated.empty() ? "" : " " + results.rules.tolerated, least_members));
  }
  findings.verdict.time_s = run.series->time_s;
  Errors errors(results, run, ensembles, findings);
  for (auto const& [field, series] : run.series->fields) errors.judge(field);
}

}  // namespace ulpine::verification
