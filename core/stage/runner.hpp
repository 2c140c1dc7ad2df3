// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/field/field.hpp"
#include "core/stage/clock.hpp"
#include "core/stage/graph.hpp"
#include "core/stage/observe.hpp"
#include "core/stage/stage.hpp"

namespace ulpine {

/// Number of a stage in its runner.
enum class Stage : std::size_t {};

/// Runs the stages of a core: counts and times them, knows where in the step they are, shows what they wrote
/// to an observer and plants faults. A stage names the fields that it writes, so that none of this needs a
/// second list.
class StageRunner {
 public:
  Stage add(StageDescription description);
  std::vector<StageDescription> const& stages() const { return stages_; }

  void observe(StageObserver* observer) { observer_ = observer; }
  void plant(PlantedFault fault) { fault_ = std::move(fault); }
  /// What each stage has cost so far. Waits for timed launches.
  std::vector<StageTime> times() { return clock_.times(); }

  /// A model step begins. On a device the second step and every 64th are timed launch by launch.
  template <class Executor>
  void begin_step(Executor, std::int64_t step) {
    position_ = StagePosition(step);
    watched_ = observer_ != nullptr || (!fault_.stage.empty() && fault_.position.step() == step);
    clock_.enable(!Executor::on_device || step == 2 || step % 64 == 0);
  }
  StagePosition const& position() const { return position_; }
  /// Stands where `other` stands and reports to `observer`: a stage of this runner runs in place of one
  /// there.
  void follow(StageRunner const& other, StageObserver* observer) {
    position_ = other.position_;
    observer_ = observer;
    watched_ = observer != nullptr;
  }
  /// Someone looks at what stages write: fused stages and graphs have to give way to plain ones.
  bool watched() const { return watched_; }

  /// While it lives, stages run within pass `index` of `loop`.
  class Loop {
   public:
    Loop(StageRunner& runner, char const* loop, std::int64_t index) : runner_{runner} {
      runner_.position_.push({loop, index});
    }
    Loop(Loop const&) = delete;
    Loop& operator=(Loop const&) = delete;
    ~Loop() { runner_.position_.pop(); }
    void set(std::int64_t index) { runner_.position_.set_index(index); }

   private:
    StageRunner& runner_;
  };
  Loop loop(char const* name, std::int64_t index) { return Loop(*this, name, index); }

  /// Launches `kernel` over `extent` as (part of) a stage that writes `writes`; a stage of several launches
  /// names its fields with the last.
  template <class Executor, class Extent, class Kernel>
  void run(Stage stage, Executor executor, Extent extent, Kernel const& kernel,
           std::initializer_list<Field const*> writes) {
    auto const number = static_cast<std::size_t>(stage);
    clock_.begin(executor, number);
    for_each(executor, extent, kernel);
    clock_.end(executor, number, stages_[number].bytes);
    if (watched_) report(number, {writes.begin(), writes.size()});
  }
  /// The same for a call of a library: work() gives all of it to the executor. `writes` may be known only
  /// after it.
  template <class Executor, class Work>
  void call(Stage stage, Executor executor, Work const& work, std::vector<Field const*> const& writes) {
    auto const number = static_cast<std::size_t>(stage);
    clock_.begin(executor, number);
    work();
    clock_.end(executor, number, stages_[number].bytes);
    if (watched_) report(number, writes);
  }

  /// Runs `sequence` of stages, on a device as one graph recorded the first time that `name` is met (again
  /// after forget_graphs()): it only launches and always with the same arguments. Called plainly where stages
  /// are watched or timed.
  template <class Executor, class Sequence>
  void graph(char const* name, Executor executor, Sequence const& sequence) {
    if (watched_ || !Executor::on_device) {
      sequence();
    } else {
      graphs_[name].run(executor, clock_, sequence);
    }
  }
  /// The arguments of recorded sequences have changed.
  void forget_graphs() { graphs_.clear(); }

 private:
  void report(std::size_t stage, std::span<Field const* const> writes);

  std::vector<StageDescription> stages_;
  StagePosition position_;
  StageObserver* observer_ = nullptr;
  PlantedFault fault_;
  bool watched_ = false;
  StageClock clock_;
  std::map<std::string, StageGraph> graphs_;
};

}  // namespace ulpine
