// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "calibration/pool.hpp"
#include "ensembles/runs/errors.hpp"
#include "ensembles/runs/parallel.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/plan.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"
#include "io/state.hpp"
#include "verification/evaluators/evaluation.hpp"
#include "verification/evaluators/frame.hpp"
#include "verification/gates/rules.hpp"
#include "verification/metrics/metrics.hpp"
#include "verification/metrics/vectors.hpp"

namespace ulpine::calibration {
namespace {

using namespace verification;

constexpr char const* reference_name = "fp64/deterministic";

/// Runs members in memory and evaluates them as those of studies are.
class Laboratory {
 public:
  Laboratory(PoolPlan const& plan, std::filesystem::path const& folder) : plan_{plan} {
    source_.path = folder / "case.toml";
    std::ofstream(source_.path) << plan.case_text;
    auto const case_file = source_.load();
    base_.rules = read_rules(case_file, judging_of(case_file.core()));
    if (base_.rules.tolerated.empty()) {
      throw InputError(source_.path.string() +
                       ": verify.tolerated is missing (pools have that amplitude) give it");
    }
    epsilon_ = ensembles::parse_epsilon(base_.rules.tolerated);
    base_.reference = reference_name;
    base_.seed = plan.seed;
    base_.study_case = {case_file.core(), plan.model, ""};
    lay_out(case_file, folder);

    auto const start = make({});
    start->advance(plan_.spin_up);
    start_ = std::make_unique<io::StoredState>(*start->state());
    first_time_ = start->time();
    perturbed_ = start->perturbable();
  }

  StudyResults const& base() const { return base_; }

  /// Models of one candidate that wait for their next member: reading a case takes longer than a short run.
  class Bench {
   public:
    Bench(Laboratory const& laboratory, Candidate candidate)
        : laboratory_{laboratory}, candidate_{std::move(candidate)} {}
    Candidate const& candidate() const { return candidate_; }
    std::unique_ptr<Model> take() {
      {
        std::lock_guard const lock(mutex_);
        if (!idle_.empty()) {
          auto model = std::move(idle_.back());
          idle_.pop_back();
          return model;
        }
      }
      return laboratory_.make(candidate_);
    }
    void give_back(std::unique_ptr<Model> model) {
      std::lock_guard const lock(mutex_);
      idle_.push_back(std::move(model));
    }

   private:
    Laboratory const& laboratory_;
    Candidate candidate_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Model>> idle_;
  };

  struct Done {
    RunResult result;
    Growth growth;
    std::vector<Frame> frames;
  };

  /// Keeps the reference's frames for all that follows.
  RunResult run_reference() {
    Bench bench(*this, {reference_name, Role::equal, {}, {}});
    auto const model = bench.take();
    frames_ = frames_of(*model, {});
    return run(bench, {}, nullptr).result;
  }

  /// `own` are the frames of the candidate's unperturbed run.
  Done run(Bench& bench, std::optional<int> member, std::vector<Frame> const* own) const {
    Done done;
    auto const& candidate = bench.candidate();
    auto& result = done.result;
    result.id = candidate.name;
    result.policy = candidate.configuration.policy;
    result.assembly = ulpine::name_of(candidate.configuration.assembly);
    result.device = "cpu";
    result.ensemble = candidate.name;
    result.member = member;
    if (member) {
      result.epsilon = epsilon_.value;
      result.epsilon_text = epsilon_.text;
    }
    auto model = bench.take();
    auto frames = frames_of(*model, member);
    result.hash = io::hex(model->state_hash());
    if (auto const where = model->invalid_value(); !where.empty()) {
      result.failed = "the state is invalid: " + where;
    } else {
      evaluate(result, frames);
      if (own != nullptr) done.growth = growth_of(frames, *own);
    }
    bench.give_back(std::move(model));
    done.frames = std::move(frames);
    return done;
  }

 private:
  std::unique_ptr<Model> make(Candidate const& candidate) const {
    auto source = source_;
    source.overrides = candidate.overrides;
    return make_model(source.load(), ensembles::model_options(candidate.configuration));
  }

  /// The grids that studies see: those of an output file.
  void lay_out(io::CaseFile const& case_file, std::filesystem::path const& folder) {
    auto const interval = ensembles::output_interval(case_file), end = ensembles::end_time(case_file);
    ensembles::RunRequest request{source_, {}, folder / "layout"};
    request.until = interval;
    ensembles::run(request);
    layout_ = read_layout(folder / "layout" / "output.nc");
    layout_.times.clear();
    for (int i = 0; i * interval < end + interval / 2; ++i) layout_.times.push_back(i * interval);
    evaluations_ = fit(read_evaluations(case_file, judging_of(case_file.core())), layout_, base_.notes);
    for (auto const& [evaluation, statistics, curves] : evaluations_) {
      base_.evaluations.push_back(evaluation.info);
      base_.statistics.insert(base_.statistics.end(), statistics.begin(), statistics.end());
      base_.curves.insert(base_.curves.end(), curves.begin(), curves.end());
    }
  }

  Frame frame_of(Model const& model) const {
    Frame frame;
    for (auto const& name : layout_.fields) {
      auto& values = frame[name];
      values.resize(layout_.grids.at(name).size());
      model.read(name, values);
      std::replace(values.begin(), values.end(), io::missing_value(ValueType::float64),
                   std::numeric_limits<double>::quiet_NaN());
    }
    for (auto const& components : layout_.vectors) {
      std::vector<std::span<double const>> views;
      for (auto const& name : components) views.emplace_back(frame.at(name));
      frame[speed_name(components)] = speed(views);
    }
    return frame;
  }

  /// Its frames at all times, from the start.
  std::vector<Frame> frames_of(Model& model, std::optional<int> member) const {
    model.restore(*as_state_of(model));
    if (member) {
      for (auto const& field : perturbed_) {
        model.perturb(field, {plan_.seed, static_cast<std::uint32_t>(*member), epsilon_.value});
      }
    }
    std::vector<Frame> frames;
    for (auto const time : layout_.times) {
      model.advance_to(first_time_ + time);
      frames.push_back(frame_of(model));
    }
    return frames;
  }

  /// The start in the types of the model, whose case may be another.
  std::unique_ptr<io::StateReader> as_state_of(Model const& model) const {
    auto const layout = model.state()->header();
    auto state = std::make_unique<io::StoredState>(*io::convert(*start_, layout));
    state->header().case_hash = layout.case_hash;
    return state;
  }

  Growth growth_of(std::vector<Frame> const& frames, std::vector<Frame> const& own) const {
    Growth growth;
    for (std::size_t time = 0; time < std::min(frames.size(), own.size()); ++time) {
      for (auto const& [name, values] : frames[time]) {
        auto const errors = ensembles::errors_of(values, own[time].at(name), layout_.weights_of(name));
        growth[name].push_back(errors.l2_relative);
      }
    }
    return growth;
  }

  void evaluate(RunResult& result, std::vector<Frame> const& frames) const {
    auto& series = result.series.emplace();
    for (std::size_t time = 0; time < frames.size(); ++time) {
      auto const last = time + 1 == frames.size();
      series.time_s.push_back(layout_.times[time]);
      for (auto const& [name, values] : frames[time]) {
        auto const& reference = frames_[time].at(name);
        auto const weights = layout_.weights_of(name);
        auto const errors = ensembles::errors_of(values, reference, weights);
        series.fields[name].l2_relative.push_back(errors.l2_relative);
        series.fields[name].linf.push_back(errors.linf);
        if (auto const levels = layout_.grids.at(name).levels; levels > 0) {
          series.fields[name].levels.push_back(
              ensembles::errors_by_level(values, reference, weights, levels));
        }
        if (last) result.set_metrics(name, compute_metrics(values, reference, weights));
      }
    }
    auto const& frame = frames.back();
    for (auto const& fitted : evaluations_) {
      auto const& [evaluation, statistics, curves] = fitted;
      auto const over_time = evaluation.mean.length > 0;
      EvaluationOverTime mean;
      for (auto time = evaluation.mean.first(layout_.times); over_time && time < frames.size(); ++time) {
        mean.add(fitted, layout_, frames[time]);
      }
      auto const values =
          over_time ? mean.statistics(fitted, layout_) : evaluation.evaluator->statistics(frame, layout_);
      for (std::size_t i = 0; i < statistics.size(); ++i) {
        result.statistics[statistics[i].name] = values.at(i);
      }
      if (curves.empty()) continue;
      auto const found =
          over_time ? mean.curves(fitted, layout_) : evaluation.evaluator->curves(frame, layout_);
      for (std::size_t i = 0; i < curves.size(); ++i) result.curves[curves[i].name] = found.at(i);
    }
  }

  PoolPlan const& plan_;
  ensembles::CaseSource source_;
  ensembles::Epsilon epsilon_;
  StudyResults base_;
  FrameLayout layout_;
  std::vector<FittedEvaluation> evaluations_;
  std::unique_ptr<io::StateReader> start_;
  double first_time_ = 0;
  std::vector<std::string> perturbed_;
  std::vector<Frame> frames_;  ///< of the reference
};

}  // namespace

Pool run_pool(PoolPlan const& plan, std::filesystem::path const& folder, Progress const& progress) {
  Laboratory laboratory(plan, folder);
  Pool pool{plan.model, laboratory.base(), laboratory.run_reference(), {}, {}};
  std::vector<Candidate> all = {{reference_name, Role::equal, {}, {}}};
  all.insert(all.end(), plan.candidates.begin(), plan.candidates.end());
  for (std::size_t done = 0; done < all.size(); ++done) {
    auto const& candidate = all[done];
    if (progress) progress(double(done) / double(all.size()), candidate.name);
    Laboratory::Bench bench(laboratory, candidate);
    auto const own = laboratory.run(bench, {}, nullptr);
    Tested tested{candidate.name, candidate.role, true, own.result, {}, {}};
    tested.members.resize(static_cast<std::size_t>(plan.members));
    tested.growth.resize(tested.members.size());
    ensembles::parallel_for(tested.members.size(), plan.jobs, [&](std::size_t i) {
      auto member = laboratory.run(bench, static_cast<int>(i), &own.frames);
      tested.members[i] = std::move(member.result);
      tested.growth[i] = std::move(member.growth);
    });
    if (done == 0) {
      pool.members = std::move(tested.members);
    } else {
      pool.tested.push_back(std::move(tested));
    }
  }
  return pool;
}

}  // namespace ulpine::calibration
