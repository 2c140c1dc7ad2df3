// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "ensembles/study/study_evaluation.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::ensembles {
namespace {

using verification::EnsembleResult;

std::vector<EvaluatedRun const*> members_of(StudyEvaluation const& study, std::string const& ensemble,
                                            Epsilon const& epsilon) {
  std::vector<EvaluatedRun const*> members;
  for (auto const& run : study.runs) {
    if (run.plan.ensemble == ensemble && run.plan.epsilon && run.plan.epsilon->value == epsilon.value &&
        !run.result.failed) {
      members.push_back(&run);
    }
  }
  return members;
}

void fill_spread(EnsembleResult& ensemble, std::vector<EvaluatedRun const*> const& members) {
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

void fill_growth(StudyEvaluation const& study, EnsembleResult& ensemble,
                 std::vector<EvaluatedRun const*> const& members) {
  if (members.front()->growth.empty()) {
    return;
  }
  auto& growth = ensemble.growth.emplace();
  growth.time_s = study.layout.times;
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

void fill_statistics(StudyEvaluation const& study, EnsembleResult& ensemble,
                     std::vector<EvaluatedRun const*> const& members) {
  for (auto const& evaluation : study.evaluations) {
    for (auto const& statistic : evaluation.statistics) {
      auto const& name = statistic.name;
      std::vector<double> values;
      for (auto const* member : members) {
        if (auto const value = member->result.statistics.find(name);
            value != member->result.statistics.end() && !std::isnan(value->second)) {
          values.push_back(value->second);
        }
      }
      if (!values.empty()) {
        ensemble.statistics[name] = mean_sd(values);
      }
    }
    for (auto const& info : evaluation.curves) {
      auto& curve = ensemble.curves[info.name];
      curve.x = members.front()->result.curves.at(info.name).x;
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        std::vector<double> values;
        for (auto const* member : members) values.push_back(member->result.curves.at(info.name).y.at(i));
        auto const [mean, sd] = mean_sd(values);
        curve.mean.push_back(mean);
        curve.sd.push_back(sd);
      }
    }
  }
}

}  // namespace

verification::MeanSd mean_sd(std::vector<double> const& values) {
  auto const moments = verification::moments(values);
  return {moments.mean, moments.sd};
}

void fill_ensembles(StudyEvaluation& study) {
  auto const wanted = study.manifest.plan.options.members;
  for (auto const& [run, state, hash, wall_s, reason] : study.manifest.entries) {
    if (run.member != 0) {
      continue;
    }
    auto const& epsilon = *run.epsilon;
    auto const members = members_of(study, run.ensemble, epsilon);
    EnsembleResult ensemble;
    ensemble.configuration = run.ensemble;
    ensemble.policy = run.configuration.policy;
    ensemble.assembly = assembly_text(run.configuration);
    ensemble.epsilon = epsilon.value;
    ensemble.epsilon_text = epsilon.text;
    ensemble.members = static_cast<std::int64_t>(members.size());
    if (!members.empty()) {
      fill_spread(ensemble, members);
      fill_growth(study, ensemble, members);
      fill_statistics(study, ensemble, members);
    }
    if (ensemble.members != wanted) {
      study.results.notes.push_back(fmt::format("ensemble {} eps={} has {} of {} members", run.ensemble,
                                                epsilon.text, ensemble.members, wanted));
    }
    study.results.ensembles.push_back(std::move(ensemble));
  }
}

}  // namespace ulpine::ensembles
