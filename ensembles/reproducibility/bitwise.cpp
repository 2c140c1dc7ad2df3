// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/bitwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "core/field/hash.hpp"
#include "core/stage/trace.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/study/unchanged_runs.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"
#include "io/seal.hpp"

namespace ulpine::ensembles {
namespace {

/// Hash of one field after one stage, with its place in the run.
struct Output {
  StagePosition position;
  std::string stage, field;
  std::int64_t count = 0;
  std::uint64_t hash = 0;
  friend bool operator==(Output const&, Output const&) = default;
};

/// One number for the outputs of a step, in their order.
class StepDigest {
 public:
  void add(StageRecord const& record) {
    std::string names;
    for (auto const& [loop, index] : record.record.position) {
      names.append(loop).append(" ").append(std::to_string(index)).append("/");
    }
    hash_.add(names.append(record.stage).append("/").append(record.field));
    for (auto const number : {static_cast<std::uint64_t>(record.record.count), record.record.hash}) {
      hash_.add({reinterpret_cast<char const*>(&number), sizeof number});
    }
  }
  std::uint64_t value() const { return hash_.value(); }

 private:
  io::StreamHash hash_;
};

/// Hears what stages leave, output by output.
class StepListener : public StageObserver {
 public:
  void stage_done(StagePosition const& position, char const* stage, char const* field,
                  RawField const& values) override {
    hear({position, stage, field, values.layout.global_count(), field_hash(values)}, values);
  }

 private:
  virtual void hear(Output output, RawField const& values) = 0;
};

/// Keeps all outputs.
class OutputList : public StepListener {
 public:
  std::vector<Output> outputs;

  bool takes_hashes() const override { return true; }
  void stage_hashed(StagePosition const& position, char const* stage, char const* field, std::int64_t count,
                    std::span<std::uint64_t const> blocks) override {
    outputs.push_back(
        {position, stage, field, count, std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0})});
  }

 private:
  void hear(Output output, RawField const&) override { outputs.push_back(std::move(output)); }
};

/// Keeps the first output that is not the expected one, and its values.
class FirstDifference : public StepListener {
 public:
  explicit FirstDifference(std::vector<Output> const& expected) : expected_{expected} {}
  std::size_t same = 0;  ///< outputs before it
  std::optional<Output> output;
  std::optional<FieldCapture> capture;

 private:
  void hear(Output output, RawField const& values) override {
    if (this->output) return;
    if (same < expected_.size() && output == expected_[same]) {
      ++same;
      return;
    }
    auto const& kept = this->output.emplace(std::move(output));
    capture.emplace(kept.position, kept.stage, kept.field);
    capture->stage_done(kept.position, kept.stage.c_str(), kept.field.c_str(), values);
  }
  std::vector<Output> const& expected_;
};

class Comparison {
 public:
  explicit Comparison(BitwiseRequest const& request) : request_{request} {}

  BitwiseResult run() {
    BitwiseResult result;
    result.steps = request_.steps;
    try {
      watch_all();
      for (auto& runner : runners_) {
        runner.model.reset();
        untraced(runner);
      }
    } catch (Interrupted const&) {
      result.interrupted = true;
      return result;
    }
    result.core = core_;
    result.identical = true;
    auto const hash = runners_.front().outcome.traced_hash;
    result.unchanged = unchanged_;
    for (auto& runner : runners_) {
      auto& outcome = runner.outcome;
      outcome.equal = !outcome.divergence && outcome.traced_hash == hash && outcome.untraced_hash == hash;
      result.identical = result.identical && outcome.equal;
      result.outcomes.push_back(std::move(outcome));
    }
    return result;
  }

 private:
  /// One configuration on its way.
  struct Runner {
    std::size_t number = 0;
    BitwiseOutcome outcome;
    std::unique_ptr<Model> model = {};
    std::vector<StageRecord> records = {};
    std::unique_ptr<TraceRecorder> recorder = {};
    std::optional<io::StoredState> start = {};  ///< the state before its turn
    std::vector<std::uint64_t> digests = {};    ///< of the steps of its turn
    std::int64_t last_differing = 0;            ///< step; 0: none so far
  };

  std::unique_ptr<Model> model(std::size_t index) {
    auto const case_file = request_.source.load();
    auto made = make_model(case_file, model_options(request_.configurations[index]));
    core_ = made->core();
    if (request_.fault && request_.fault->configuration == static_cast<int>(index)) {
      auto const& fault = *request_.fault;
      made->plant({fault.stage, fault.field, fault.position, fault.element});
    }
    return made;
  }

  void tell(std::string const& what, std::int64_t done) const {
    stop_where(request_.cancel);
    if (request_.progress) {
      request_.progress(what, static_cast<double>(done) / static_cast<double>(request_.steps));
    }
  }

  void watch_all() {
    runners_.reserve(request_.configurations.size());
    for (std::size_t i = 0; i < request_.configurations.size(); ++i) {
      auto& runner = runners_.emplace_back();
      runner.number = i;
      runner.outcome.configuration = request_.configurations[i];
    }
    for (auto& runner : runners_) {
      runner.model = model(runner.number);
      runner.recorder = make_trace_recorder(runner.records);
      runner.model->observe(runner.recorder.get());
    }
    FieldsAt const start(*runners_.front().model);
    for (std::int64_t done = 0; done < request_.steps; done += bitwise_steps_a_turn) {
      auto const steps = std::min(bitwise_steps_a_turn, request_.steps - done);
      for (auto& runner : runners_) {
        take_turn(runner, done, steps);
        compare(runner, done);
      }
    }
    unchanged_ = start.unchanged(*runners_.front().model);
    for (auto& runner : runners_) {
      runner.model->observe(nullptr);
      runner.start.reset();
      runner.outcome.traced_hash = io::hex(runner.model->state_hash());
      if (runner.last_differing > 0 && runner.last_differing < request_.steps) {
        runner.outcome.same_from = runner.last_differing + 1;
      }
    }
  }

  void take_turn(Runner& runner, std::int64_t done, std::int64_t steps) {
    runner.start.emplace(*runner.model->state());
    runner.digests.clear();
    for (std::int64_t step = 1; step <= steps; ++step) {
      tell(to_text(runner.outcome.configuration) + " watched", done + step - 1);
      runner.model->advance(1);
      runner.recorder->flush();
      StepDigest digest;
      for (auto const& record : runner.records) digest.add(record);
      runner.outcome.records += static_cast<std::int64_t>(runner.records.size());
      runner.records.clear();
      runner.digests.push_back(digest.value());
      if (runner.outcome.invalid) continue;
      if (auto const what = runner.model->invalid_value(); !what.empty()) {
        runner.outcome.invalid.emplace(runner.model->step(), what);
      }
    }
  }

  /// The steps of a turn, which began after step `done`, with those of the reference.
  void compare(Runner& runner, std::int64_t done) {
    auto const& reference = runners_.front().digests;
    for (std::size_t i = 0; i < reference.size(); ++i) {
      if (runner.digests[i] == reference[i]) continue;
      runner.last_differing = done + static_cast<std::int64_t>(i) + 1;
      if (!runner.outcome.divergence) {
        runner.outcome.divergence = locate(runner, static_cast<std::int64_t>(i));
      }
    }
  }

  /// Repeats a turn from its start up to and without its step `before`, then one step heard by `listener`.
  void repeat(Runner const& runner, std::int64_t before, StageObserver& listener) {
    auto const again = model(runner.number);
    again->restore(*runner.start);
    OutputList unused;  // watched, as the first time
    again->observe(&unused);
    for (std::int64_t step = 0; step < before; ++step) {
      stop_where(request_.cancel);
      again->advance(1);
      unused.outputs.clear();
    }
    again->observe(&listener);
    again->advance(1);
    again->observe(nullptr);
  }

  Divergence locate(Runner const& runner, std::int64_t before) {
    OutputList expected;
    repeat(runners_.front(), before, expected);
    FirstDifference found(expected.outputs);
    repeat(runner, before, found);
    Divergence divergence;
    divergence.position = StagePosition(runner.start->header().step + before + 1);
    auto const ended = found.same == expected.outputs.size();
    if (!found.output && ended) return divergence;
    auto const place = found.output ? *found.output : expected.outputs[found.same];
    divergence.position = place.position;
    divergence.stage = place.stage;
    divergence.field = place.field;
    for (auto const& stage : runner.model->stages()) {
      if (stage.name == place.stage) divergence.guarantee = stage.guarantee;
    }
    if (!found.output || ended) return divergence;
    auto const& wanted = expected.outputs[found.same];
    if (!(wanted.position == place.position && wanted.stage == place.stage && wanted.field == place.field &&
          wanted.count == place.count)) {
      return divergence;
    }
    expected.outputs.resize(found.same);  // so that the reference's output there is the first of another kind
    FirstDifference reference(expected.outputs);
    repeat(runners_.front(), before, reference);
    if (reference.capture && reference.capture->type() == found.capture->type() &&
        reference.capture->bytes().size() == found.capture->bytes().size()) {
      add_differences(divergence, found.capture->type(), 0, reference.capture->bytes(),
                      found.capture->bytes());
    }
    return divergence;
  }

  void untraced(Runner& runner) {
    auto const free = model(runner.number);
    for (std::int64_t step = 0; step < request_.steps; ++step) {
      tell(to_text(runner.outcome.configuration) + " unwatched", step);
      free->advance(1);
    }
    runner.outcome.untraced_hash = io::hex(free->state_hash());
  }

  BitwiseRequest const& request_;
  std::vector<Runner> runners_;
  std::string core_;
  bool unchanged_ = false;
};

}  // namespace

BitwiseResult compare_bitwise(BitwiseRequest const& request) {
  if (request.configurations.size() < 2) {
    throw InputError(
        "one configuration alone cannot be compared (at least two are needed) write e.g. --configs "
        "cpu:1,cpu:2");
  }
  if (request.steps < 1) {
    throw InputError(fmt::format("steps = {} (at least 1 is needed) give a positive number", request.steps));
  }
  return Comparison(request).run();
}

std::string Divergence::what() const {
  if (stage.empty()) return position.text() + ", which is the same, or differs otherwise, when repeated";
  auto const place = fmt::format("{}, stage {}, field {}", position.text(), stage, field);
  if (element < 0) {
    return place + ": the runs report different stages there, or differ otherwise when repeated";
  }
  return place + ", " + describe(*this);
}

bool BitwiseResult::invalid() const {
  return std::ranges::any_of(outcomes,
                             [](BitwiseOutcome const& outcome) { return outcome.invalid.has_value(); });
}

std::string table(BitwiseResult const& result) {
  auto const& reference = result.outcomes.front().configuration;
  // A policy, assembly or size that all configurations share stands above the table once.
  auto const one_policy =
      std::all_of(result.outcomes.begin(), result.outcomes.end(), [&](BitwiseOutcome const& outcome) {
        return policy_text(outcome.configuration) == policy_text(reference);
      });
  auto const name = [&](BitwiseOutcome const& outcome) {
    return one_policy ? device_text(outcome.configuration) : to_text(outcome.configuration);
  };
  std::size_t width = 13;
  for (auto const& outcome : result.outcomes) {
    width = std::max(width, name(outcome).size());
  }
  auto text = fmt::format("{}{}, {} steps\n{:<{}}  {:>9}  {:<16}  {:<16}  result\n", result.core,
                          one_policy ? " in " + policy_text(reference) : "", result.steps, "configuration",
                          width, "outputs", "watched", "unwatched");
  for (auto const& outcome : result.outcomes) {
    auto const* verdict = &outcome == &result.outcomes.front() ? "reference" : "same bits";
    if (!outcome.equal) {
      verdict = outcome.divergence                             ? "DIFFERENT"
                : outcome.traced_hash != outcome.untraced_hash ? "DIFFERENT when not watched"
                                                               : "DIFFERENT final state";
    }
    text += fmt::format("{:<{}}  {:>9}  {:<16}  {:<16}  {}\n", name(outcome), width, outcome.records,
                        outcome.traced_hash, outcome.untraced_hash,
                        std::string(verdict) + (outcome.invalid ? ", but invalid" : ""));
  }
  for (auto const& outcome : result.outcomes) {
    if (outcome.divergence) {
      text += fmt::format("{} diverges from {} at {}\n", name(outcome), name(result.outcomes.front()),
                          outcome.divergence->what());
      if (outcome.divergence->guarantee != Guarantee::bitwise) {
        text += fmt::format("{} promises no more: its guarantee is {}\n", outcome.divergence->stage,
                            name_of(outcome.divergence->guarantee));
      }
      if (!outcome.known.empty()) text += outcome.known + "\n";
      if (outcome.same_from) {
        text += fmt::format("{} gives the same outputs again from step {} on\n", name(outcome),
                            *outcome.same_from);
      }
    } else if (!outcome.known.empty()) {
      text += fmt::format("{}: {}\n", name(outcome), outcome.known);
    }
  }
  for (auto const& outcome : result.outcomes) {
    if (!outcome.invalid) continue;
    text += fmt::format("{} failed: its state is invalid from step {} on: {}\n", name(outcome),
                        outcome.invalid->first, outcome.invalid->second);
  }
  if (result.unchanged) {
    text += fmt::format(
        "nothing happened: the fields of {} end as they began, so that equal "
        "bits show nothing; give the case something to do, or more steps\n",
        name(result.outcomes.front()));
  }
  return text;
}

}  // namespace ulpine::ensembles
