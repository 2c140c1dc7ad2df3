// SPDX-License-Identifier: Apache-2.0
#include "core/stage/device_trace.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/field/field.hpp"
#include "core/field/hash.hpp"

namespace ulpine {
namespace {

std::int64_t blocks_of(RawField const& field) { return hash_blocks(field.layout.global_count()); }

/// Outputs whose hashes are still on the device. Filled by kernels in the fields' stream; sent to the host by
/// a stream of its own, so that nothing but a mark is ever asked of a model's stream after a report has
/// returned.
class Batch {
 public:
  Batch(int ordinal, std::int64_t capacity)
      : copies_(ordinal),
        filled_(copies_.executor()),
        on_device_(copies_.executor(), capacity),
        on_host_(copies_.executor(), on_device_.bytes()) {
    synchronize(copies_.executor());
  }
  Batch(Batch const&) = delete;
  Batch& operator=(Batch const&) = delete;

  int ordinal() const { return copies_.executor().ordinal; }
  std::int64_t capacity() const { return on_device_.size(); }
  bool takes(Cuda cuda, std::int64_t words) const {
    return used_ + words <= capacity() && (outputs_.empty() || cuda.stream == stream_);
  }
  /// Room for the hashes of what is then added, all zero.
  std::uint64_t* room(std::int64_t words) {
    return on_device_.view().data() + std::exchange(used_, used_ + words);
  }
  void add(TracedOutput const& output) { outputs_.push_back(output); }
  /// All kernels that fill it so far were given to the executor.
  void given(Cuda cuda) {
    stream_ = cuda.stream;
    filled_.record(cuda);
  }

  /// Starts the copy to the host.
  void send() {
    if (outputs_.empty()) return;
    auto const bytes = used_ * static_cast<std::int64_t>(sizeof(std::uint64_t));
    filled_.hold_back(copies_.executor());
    copy_to_host_async(copies_.executor(), on_host_, on_device_.view().data(), bytes);
    detail::fill_zero(copies_.executor(), on_device_.view().data(), bytes);
  }
  /// Waits for the copy and hands the outputs on; the batch is empty and clear then.
  void receive(TraceSink const& sink) {
    synchronize(copies_.executor());
    auto const* blocks = static_cast<std::uint64_t const*>(on_host_.data());
    for (auto const& output : outputs_) {
      auto const size = static_cast<std::size_t>(hash_blocks(output.count));
      sink(output, {blocks, size});
      blocks += size;
    }
    outputs_.clear();
    used_ = 0;
  }

 private:
  Stream copies_;
  Event filled_;
  Array<std::uint64_t, Cuda> on_device_;
  PinnedBuffer on_host_;
  CUstream_st* stream_ = nullptr;  ///< of the fields
  std::int64_t used_ = 0;
  std::vector<TracedOutput> outputs_;
};

/// Streams and memory of one device for recorded work.
struct Beside {
  explicit Beside(Cuda fields) : stream(fields.ordinal), words_at(stream.executor(), 1) {
    synchronize(stream.executor());
  }
  Stream stream;                         ///< in which hashes run beside the stages
  Array<std::uint64_t*, Cuda> words_at;  ///< where the running piece writes its hashes
  std::vector<Event> marks;
};

/// The outputs of recorded work, in the order of its reports.
struct Piece final : ObservedPiece {
  Piece(Cuda executor, std::shared_ptr<Beside> its) : cuda{executor}, beside{std::move(its)} {}
  Cuda cuda;                       ///< of the fields
  std::shared_ptr<Beside> beside;  ///< which the recorded hashes use
  std::vector<TracedOutput> outputs;
  std::int64_t words = 0;
};

class Trace final : public DeviceTrace {
 public:
  explicit Trace(TraceSink const& sink) : sink_{sink} {}

  void add(StagePosition const& position, char const* stage, std::span<Written const> writes) override {
    if (writes.empty()) return;
    std::int64_t words = 0;
    std::vector<HashTask> tasks;
    for (auto const& [name, values] : writes) {
      tasks.push_back({values, words});
      words += blocks_of(values);
    }
    auto const cuda = writes.front().values.cuda;
    auto& batch = batch_for(cuda, words);
    add_field_hashes(tasks, cuda, batch.room(words));
    for (auto const& [name, values] : writes) batch.add(output_of(position, stage, name, values));
    batch.given(cuda);
  }

  void flush() override {
    if (batches_[0] == nullptr) return;
    batches_[1 - filling_]->receive(sink_);
    batches_[filling_]->send();
    batches_[filling_]->receive(sink_);
  }

  void begin_piece(Cuda cuda) override {
    if (beside_ == nullptr || beside_->stream.executor().ordinal != cuda.ordinal) {
      beside_ = std::make_shared<Beside>(cuda);
    }
    piece_ = std::make_unique<Piece>(cuda, beside_);
    waiting_.clear();
    under_way_.clear();
    launch_ = 0;
    used_marks_ = 0;
  }

  void before_writes(std::span<Field const* const> writes) override {
    auto const touched = [&](RawField const& field) {
      return writes.empty() ||
             std::ranges::any_of(writes, [&](Field const* w) { return w->raw().data == field.data; });
    };
    // Outputs that the last launch wrote and the next overwrites have to be hashed between the two. All
    // outputs older than one that has to be hashed now go with it, beside the stages since.
    std::int64_t newest_beside = -1;
    for (auto const& output : waiting_) {
      if (touched(output.field)) {
        newest_beside = std::max(newest_beside, output.launch == launch_ ? launch_ - 1 : output.launch);
      }
    }
    std::vector<Waiting> beside, between, rest;
    for (auto const& output : waiting_) {
      auto& target = output.launch <= newest_beside                      ? beside
                     : output.launch == launch_ && touched(output.field) ? between
                                                                         : rest;
      target.push_back(output);
    }
    waiting_ = std::move(rest);
    hash(between, piece_->cuda);
    if (!beside.empty()) {
      auto const other = beside_->stream.executor();
      beside_->marks[beside.back().mark].hold_back(other);
      hash(beside, other);
      auto const mark = set_mark(other);
      for (auto const& output : beside) under_way_.push_back({output.field, 0, output.launch, mark});
    }
    auto const last = std::ranges::find_if(under_way_.rbegin(), under_way_.rend(),
                                           [&](Waiting const& output) { return touched(output.field); });
    if (last != under_way_.rend()) {
      beside_->marks[last->mark].hold_back(piece_->cuda);
      // Hashes beside the stages run one after the other.
      std::erase_if(under_way_, [mark = last->mark](Waiting const& output) { return output.mark <= mark; });
    }
    ++launch_;
  }

  void stage_recorded(StagePosition const& position, char const* stage,
                      std::span<Field const* const> writes) override {
    auto const mark = set_mark(piece_->cuda);
    for (auto const* field : writes) {
      waiting_.push_back({field->raw(), piece_->words, launch_, mark});
      piece_->words += blocks_of(field->raw());
      piece_->outputs.push_back(output_of(position, stage, field->name().c_str(), field->raw()));
    }
  }

  std::unique_ptr<ObservedPiece> end_piece() override {
    hash(std::exchange(waiting_, {}), piece_->cuda);
    if (!under_way_.empty()) beside_->marks[under_way_.back().mark].hold_back(piece_->cuda);
    return std::move(piece_);
  }
  void abandon_piece() noexcept override { piece_ = nullptr; }

  void piece_runs(ObservedPiece const& observed, StagePosition const& position, std::size_t depth,
                  std::function<void()> const& launch) override {
    auto const& piece = static_cast<Piece const&>(observed);
    if (piece.outputs.empty()) {
      launch();
      return;
    }
    auto& batch = batch_for(piece.cuda, piece.words);
    set_device_pointer(piece.cuda, piece.beside->words_at.view().data(), batch.room(piece.words));
    launch();
    StagePosition outer;
    for (std::size_t level = 0; level < depth; ++level) outer.push(position[level]);
    for (auto output : piece.outputs) {
      auto const recorded = std::exchange(output.position, outer);
      for (auto level = depth; level < recorded.depth(); ++level) output.position.push(recorded[level]);
      batch.add(output);
    }
    batch.given(piece.cuda);
  }

 private:
  /// An output that is not hashed yet, or whose hash the next stages do not wait for.
  struct Waiting {
    RawField field;
    std::int64_t first_word = 0, launch = 0;
    std::size_t mark = 0;  ///< after the stage, or after the hash
  };

  void hash(std::vector<Waiting> const& outputs, Cuda cuda) {
    std::vector<HashTask> tasks;
    for (auto const& output : outputs) tasks.push_back({output.field, output.first_word});
    add_field_hashes(tasks, cuda, nullptr, beside_->words_at.view().data());
  }

  std::size_t set_mark(Cuda cuda) {
    auto& marks = beside_->marks;
    if (used_marks_ == marks.size()) marks.emplace_back(cuda);
    marks[used_marks_].record(cuda);
    return used_marks_++;
  }

  TracedOutput output_of(StagePosition const& position, char const* stage, char const* field,
                         RawField const& values) {
    return {position, kept(stage), kept(field), values.layout.global_count()};
  }
  char const* kept(std::string_view name) {
    auto const found = names_.find(name);
    return (found != names_.end() ? found : names_.emplace(name).first)->c_str();
  }

  Batch& batch_for(Cuda cuda, std::int64_t words) {
    if (batches_[0] == nullptr || batches_[0]->ordinal() != cuda.ordinal || words > batches_[0]->capacity()) {
      flush();
      batches_ = {};
      auto const capacity = std::max(least_capacity, 3 * words);
      auto one = std::make_unique<Batch>(cuda.ordinal, capacity);
      auto other = std::make_unique<Batch>(cuda.ordinal, capacity);
      batches_ = {std::move(one), std::move(other)};
    }
    if (!batches_[filling_]->takes(cuda, words)) {
      batches_[filling_]->send();
      filling_ = 1 - filling_;
      batches_[filling_]->receive(sink_);
    }
    return *batches_[filling_];
  }

  static constexpr std::int64_t least_capacity = 1 << 17;  ///< block hashes: 1 MiB, at least 512 records

  TraceSink const& sink_;
  std::array<std::unique_ptr<Batch>, 2> batches_;
  std::size_t filling_ = 0;
  std::set<std::string, std::less<>> names_;

  std::shared_ptr<Beside> beside_;
  std::unique_ptr<Piece> piece_;    ///< the one that is being recorded
  std::vector<Waiting> waiting_;    ///< in the order of the launches
  std::vector<Waiting> under_way_;  ///< beside the stages, in the order of their hashes
  std::int64_t launch_ = 0;         ///< number of the last one
  std::size_t used_marks_ = 0;
};

}  // namespace

std::unique_ptr<DeviceTrace> make_device_trace(TraceSink const& sink) {
  return std::make_unique<Trace>(sink);
}

}  // namespace ulpine
#endif
