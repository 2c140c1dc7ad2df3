// SPDX-License-Identifier: Apache-2.0
#include "core/stage/device_trace.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/field/field.hpp"
#include "core/field/hash.hpp"

namespace ulpine {
namespace {

std::int64_t blocks_of(RawField const& field) { return hash_blocks(field.layout.global_count()); }

class Stream {
 public:
  Stream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream"); }
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in a stream that others can wait for.
class Mark {
 public:
  Mark() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event"); }
  Mark(Mark&& other) noexcept : event_{std::exchange(other.event_, nullptr)} {}
  Mark& operator=(Mark&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Mark() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  void set(cudaStream_t stream) { check_cuda(cudaEventRecord(event_, stream), "marking a trace record"); }
  void hold(cudaStream_t stream) const {
    check_cuda(cudaStreamWaitEvent(stream, event_, 0), "ordering trace hashes");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Outputs whose hashes are still on the device. Filled by kernels in the fields' stream; sent to the host by
/// a stream of its own, so that nothing but a mark is ever asked of a model's stream after a report has
/// returned.
class Batch {
 public:
  explicit Batch(std::int64_t capacity) : capacity_{capacity} {
    auto const bytes = static_cast<std::size_t>(capacity) * sizeof(std::uint64_t);
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&on_device_), bytes), "allocation of trace buffers");
    if (auto const status = cudaMallocHost(reinterpret_cast<void**>(&on_host_), bytes);
        status != cudaSuccess) {
      cudaFree(on_device_);
      check_cuda(status, "allocation of trace buffers");
    }
    check_cuda(cudaMemsetAsync(on_device_, 0, bytes, copies_.get()), "clearing trace buffers");
    check_cuda(cudaStreamSynchronize(copies_.get()), "clearing trace buffers");
  }
  Batch(Batch const&) = delete;
  Batch& operator=(Batch const&) = delete;
  ~Batch() {
    cudaStreamSynchronize(copies_.get());
    cudaFreeHost(on_host_);
    cudaFree(on_device_);
  }

  std::int64_t capacity() const { return capacity_; }
  bool takes(cudaStream_t stream, std::int64_t words) const {
    return used_ + words <= capacity_ && (outputs_.empty() || stream == stream_);
  }
  /// Room for the hashes of what is then added, all zero.
  std::uint64_t* room(std::int64_t words) { return on_device_ + std::exchange(used_, used_ + words); }
  void add(TracedOutput const& output) { outputs_.push_back(output); }
  /// All kernels that fill it so far were given to the stream.
  void given(cudaStream_t stream) {
    stream_ = stream;
    filled_.set(stream);
  }

  /// Starts the copy to the host.
  void send() {
    if (outputs_.empty()) return;
    auto const bytes = static_cast<std::size_t>(used_) * sizeof(std::uint64_t);
    filled_.hold(copies_.get());
    check_cuda(cudaMemcpyAsync(on_host_, on_device_, bytes, cudaMemcpyDeviceToHost, copies_.get()),
               "copy of trace hashes");
    check_cuda(cudaMemsetAsync(on_device_, 0, bytes, copies_.get()), "clearing trace buffers");
  }
  /// Waits for the copy and hands the outputs on; the batch is empty and clear then.
  void receive(TraceSink const& sink) {
    check_cuda(cudaStreamSynchronize(copies_.get()), "copy of trace hashes");
    auto const* blocks = on_host_;
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
  Mark filled_;
  cudaStream_t stream_ = nullptr;
  std::int64_t capacity_, used_ = 0;
  std::uint64_t* on_device_ = nullptr;
  std::uint64_t* on_host_ = nullptr;
  std::vector<TracedOutput> outputs_;
};

/// The outputs of recorded work, in the order of its reports.
struct Piece final : ObservedPiece {
  std::vector<TracedOutput> outputs;
  std::int64_t words = 0;
  cudaStream_t stream = nullptr;
};

class Trace final : public DeviceTrace {
 public:
  explicit Trace(TraceSink const& sink) : sink_{sink} {}
  ~Trace() override { cudaFree(words_at_); }

  void add(StagePosition const& position, char const* stage, std::span<Written const> writes) override {
    if (writes.empty()) return;
    std::int64_t words = 0;
    std::vector<HashTask> tasks;
    for (auto const& [name, values] : writes) {
      tasks.push_back({values, words});
      words += blocks_of(values);
    }
    auto* const stream = writes.front().values.cuda.stream;
    auto& batch = batch_for(stream, words);
    add_field_hashes(tasks, stream, batch.room(words));
    for (auto const& [name, values] : writes) batch.add(output_of(position, stage, name, values));
    batch.given(stream);
  }

  void flush() override {
    if (batches_[0] == nullptr) return;
    batches_[1 - filling_]->receive(sink_);
    batches_[filling_]->send();
    batches_[filling_]->receive(sink_);
  }

  void begin_piece() override {
    if (words_at_ == nullptr) {
      check_cuda(cudaMalloc(reinterpret_cast<void**>(&words_at_), sizeof *words_at_),
                 "allocation of trace buffers");
      beside_ = std::make_unique<Stream>();
    }
    piece_ = std::make_unique<Piece>();
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
    // What the last launch wrote and the next overwrites has to be hashed between the two. Whatever is older
    // than what has to be hashed now goes with it, beside the stages since.
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
    hash(between, piece_->stream);
    if (!beside.empty()) {
      marks_[beside.back().mark].hold(beside_->get());
      hash(beside, beside_->get());
      auto const mark = set_mark(beside_->get());
      for (auto const& output : beside) under_way_.push_back({output.field, 0, output.launch, mark});
    }
    auto const last = std::ranges::find_if(under_way_.rbegin(), under_way_.rend(),
                                           [&](Waiting const& output) { return touched(output.field); });
    if (last != under_way_.rend()) {
      marks_[last->mark].hold(piece_->stream);
      // Hashes beside the stages run one after the other.
      std::erase_if(under_way_, [mark = last->mark](Waiting const& output) { return output.mark <= mark; });
    }
    ++launch_;
  }

  void stage_recorded(StagePosition const& position, char const* stage,
                      std::span<Field const* const> writes) override {
    piece_->stream = writes.front()->raw().cuda.stream;
    auto const mark = set_mark(piece_->stream);
    for (auto const* field : writes) {
      waiting_.push_back({field->raw(), piece_->words, launch_, mark});
      piece_->words += blocks_of(field->raw());
      piece_->outputs.push_back(output_of(position, stage, field->name().c_str(), field->raw()));
    }
  }

  std::unique_ptr<ObservedPiece> end_piece() override {
    hash(std::exchange(waiting_, {}), piece_->stream);
    if (!under_way_.empty()) marks_[under_way_.back().mark].hold(piece_->stream);
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
    auto& batch = batch_for(piece.stream, piece.words);
    set_device_pointer(piece.stream, words_at_, batch.room(piece.words));
    launch();
    StagePosition outer;
    for (std::size_t level = 0; level < depth; ++level) outer.push(position[level]);
    for (auto output : piece.outputs) {
      auto const recorded = std::exchange(output.position, outer);
      for (auto level = depth; level < recorded.depth(); ++level) output.position.push(recorded[level]);
      batch.add(output);
    }
    batch.given(piece.stream);
  }

 private:
  /// An output that is not hashed yet, or whose hash the next stages do not wait for.
  struct Waiting {
    RawField field;
    std::int64_t first_word = 0, launch = 0;
    std::size_t mark = 0;  ///< after the stage, or after the hash
  };

  void hash(std::vector<Waiting> const& outputs, cudaStream_t stream) {
    std::vector<HashTask> tasks;
    for (auto const& output : outputs) tasks.push_back({output.field, output.first_word});
    add_field_hashes(tasks, stream, nullptr, words_at_);
  }

  std::size_t set_mark(cudaStream_t stream) {
    if (used_marks_ == marks_.size()) marks_.emplace_back();
    marks_[used_marks_].set(stream);
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

  Batch& batch_for(cudaStream_t stream, std::int64_t words) {
    if (batches_[0] == nullptr || words > batches_[0]->capacity()) {
      flush();
      for (auto& batch : batches_) {
        batch = nullptr;
        batch = std::make_unique<Batch>(std::max(least_capacity, 3 * words));
      }
    }
    if (!batches_[filling_]->takes(stream, words)) {
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

  std::unique_ptr<Stream> beside_;
  std::uint64_t** words_at_ = nullptr;  ///< on the device: where the running piece writes its hashes
  std::unique_ptr<Piece> piece_;        ///< the one that is being recorded
  std::vector<Waiting> waiting_;        ///< in the order of the launches
  std::vector<Waiting> under_way_;      ///< beside the stages, in the order of their hashes
  std::int64_t launch_ = 0;             ///< number of the last one
  std::vector<Mark> marks_;
  std::size_t used_marks_ = 0;
};

}  // namespace

std::unique_ptr<DeviceTrace> make_device_trace(TraceSink const& sink) {
  return std::make_unique<Trace>(sink);
}

}  // namespace ulpine
#endif
