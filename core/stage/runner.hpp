// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/extent.hpp"
#include "core/field/field.hpp"
#include "core/stage/clock.hpp"
#include "core/stage/graph.hpp"
#include "core/stage/observe.hpp"
#include "core/stage/stage.hpp"

namespace ulpine {

/// Number of a stage in its runner.
enum class Stage : std::size_t {};

/// An executor whose arithmetic depends on the stage, and on where in the step that is.
template <class Executor>
concept Staged = requires(Executor const& executor, std::string const& stage, std::uint64_t place) {
  executor.begin_step();
  executor.begin_stage(stage, place);
  executor.end_stage();
};

/// Runs the stages of a core: counts and times them, knows where in the step they are, shows what they wrote
/// to an observer and plants faults. A stage names the fields that it writes, so that none of this needs a
/// second list. A step is plain code of run(), call(), loop() and graph(): the same on the host, on a device,
/// where sequences are recorded, and under an observer.
class StageRunner {
 public:
  Stage add(StageDescription description);
  std::vector<StageDescription> const& stages() const { return stages_; }

  void observe(StageObserver* observer);
  void plant(PlantedFault fault) { fault_ = std::move(fault); }
  /// Cost of each stage so far. Waits for timed launches.
  std::vector<StageTime> times() { return clock_.times(); }

  /// A model step begins. On a device the second step and, where nobody watches, every 64th are timed launch
  /// by launch.
  template <class Executor>
  void begin_step(Executor executor, std::int64_t step) {
    position_ = StagePosition(step);
    auto const fault_here = !fault_.stage.empty() && fault_.position.step() == step;
    watched_ = observer_ != nullptr || fault_here;
    recording_ = observer_ == nullptr || fault_here ? nullptr : observer_->recording();
    clock_.enable(!Executor::on_device || step == 2 || (step % 64 == 0 && !watched_));
    if constexpr (Executor::on_device) use(executor);
    if constexpr (Staged<Executor>) executor.begin_step();
  }
  StagePosition const& position() const { return position_; }
  /// Stands where `other` stands and reports to `observer`: a stage of this runner runs in place of one
  /// there.
  void follow(StageRunner const& other, StageObserver* observer) {
    position_ = other.position_;
    observer_ = observer;
    watched_ = observer != nullptr;
    recording_ = nullptr;
  }
  /// Someone looks at what stages write: fused stages have to give way to plain ones.
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
    launch(
        stage, executor, [&] { for_each(executor, extent, kernel); },
        std::span(writes.begin(), writes.size()));
  }
  /// run() on `executor` as a function, for those who may divide a stage (halo.hpp).
  template <class Executor>
  auto running_by(Executor executor) {
    return [this, executor](Stage stage, Extent3 extent, auto const& kernel,
                            std::initializer_list<Field const*> writes) {
      run(stage, executor, extent, kernel, writes);
    };
  }
  /// run() for a call of a library: work() gives all of its work to `executor`. `writes` may be known only
  /// after it. Work of the host in a step of a device waits for the device, and may copy from and to it;
  /// within graph() it divides what is recorded.
  template <class Executor, class Work>
  void call(Stage stage, Executor executor, Work const& work, std::vector<Field const*> const& writes) {
    launch(stage, executor, work, writes);
  }
  /// Whether parts of a stage may go on beside other stages: not where somebody looks at what each has
  /// written, nor where a device times them launch by launch.
  template <class Executor>
  bool may_overlap() const {
    return !watched_ && !(Executor::on_device && clock_.timing());
  }
  /// The rest of a stage of which run() or call() did a part, where they may overlap: neither counted nor
  /// shown to anybody again.
  template <class Executor, class Work>
  void go_on(Stage stage, Executor executor, Work const& work) {
    auto const number = static_cast<std::size_t>(stage);
    if constexpr (Executor::on_device) {
      if (begin_on_device({})) work();
    } else {
      begin_launch(executor, number);
      in_stage(number, executor, work);
      clock_.end_rest(executor, number);
    }
  }
  /// Work outside of stages is about to write these fields, in stream order (a clear before contributions are
  /// added, say).
  void will_write(std::initializer_list<Field const*> writes) {
    std::span const all(writes.begin(), writes.size());
    if (observes_recording()) {
      recording_->before_writes(all);
    } else if (observer_ != nullptr) {
      observer_->before_writes(all);
    }
  }

  /// Runs `sequence` of stages. On a device its launches are recorded the first time that `name` is met
  /// (again after forget_graphs()) and given to the device as a graph from then on: it always launches the
  /// same, with the same arguments. Host calls part the graph and are called each time, so that a sequence
  /// with some is run through again, its launches left out. Called plainly where stages are timed, where a
  /// fault is planted and under observers that cannot look at recorded work.
  template <class Executor, class Sequence>
  void graph(char const* name, Executor executor, Sequence const& sequence) {
    if constexpr (!Executor::on_device) {
      sequence();
    } else {
      if (playing_ != nullptr || clock_.timing() || (watched_ && recording_ == nullptr)) {
        sequence();
        return;
      }
      use(executor);
      if (!begin_graph(name)) return;
      try {
        sequence();
        end_graph();
      } catch (...) {
        abandon_graph();
        throw;
      }
    }
  }
  /// The arguments of recorded sequences have changed.
  void forget_graphs() { graphs_.clear(); }

 private:
  /// Work that is recorded between two calls of the host.
  struct Piece {
    std::unique_ptr<RecordedWork> work;
    std::unique_ptr<ObservedPiece> observed;
  };
  struct Graph {
    std::vector<Piece> pieces;
    std::vector<StageClock::Count> counts;  ///< of one run
    bool whole = false;                     ///< recorded to its end
  };

  template <class Executor>
  void use(Executor executor) {
    if (device_ == nullptr) device_ = make_work_recorder(executor);
  }

  template <class Executor, class Work, class Writes>
  void launch(Stage stage, Executor executor, Work const& work, Writes const& writes) {
    auto const number = static_cast<std::size_t>(stage);
    if constexpr (Executor::on_device) {
      if (!begin_on_device({writes.data(), writes.size()})) {
        clock_.begin(executor, number);
        clock_.end(executor, number, stages_[number].bytes);
        return;
      }
    } else {
      pause();
    }
    begin_launch(executor, number);
    in_stage(number, executor, work);
    end_launch(executor, number, {writes.data(), writes.size()});
    if constexpr (!Executor::on_device) resume();
  }

  template <class Executor, class Work>
  void in_stage(std::size_t number, Executor executor, Work const& work) {
    if constexpr (Staged<Executor>) executor.begin_stage(stages_[number].name, place_of(number));
    work();
    if constexpr (Staged<Executor>) executor.end_stage();
  }

  /// Parts of a launch that are compiled once for all kernels. False where the work is in a recorded piece.
  bool begin_on_device(std::span<Field const* const> writes);
  void begin_launch(Host host, std::size_t stage);
  void begin_launch(Cuda cuda, std::size_t stage);
  void end_launch(Host host, std::size_t stage, std::span<Field const* const> writes);
  void end_launch(Cuda cuda, std::size_t stage, std::span<Field const* const> writes);
  /// A number that tells a stage where it stands now from others.
  std::uint64_t place_of(std::size_t stage) const;
  /// Whether what is launched now is recorded, and an observer looks at it.
  bool observes_recording() const {
    return playing_ != nullptr && !playing_->whole && recording_ != nullptr && !paused_;
  }
  void report(std::size_t stage, std::span<Field const* const> writes);

  /// Whether the sequence has to be called: false where the graph ran without.
  bool begin_graph(char const* name);
  void end_graph();
  void abandon_graph() noexcept;
  void begin_piece();
  void end_piece();
  void give(Piece& piece);
  /// Around work of the host, which a step of a device waits for.
  void pause();
  void resume();

  std::vector<StageDescription> stages_;
  StagePosition position_;
  StageObserver* observer_ = nullptr;
  RecordingObserver* recording_ = nullptr;  ///< of the observer, where it may look at recorded work
  PlantedFault fault_;
  bool watched_ = false;
  StageClock clock_;
  std::unique_ptr<WorkRecorder> device_;  ///< where the step runs; null on the host
  std::map<std::string, Graph> graphs_;   ///< by name, of watched sequences with an @ before it
  Graph* playing_ = nullptr;              ///< the one that is being recorded or run through again
  bool paused_ = false;                   ///< a call of the host has parted it
  std::size_t next_piece_ = 0, outer_loops_ = 0;
  std::vector<StageClock::Count> counted_before_;
};

}  // namespace ulpine
