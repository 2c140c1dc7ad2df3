// SPDX-License-Identifier: Apache-2.0
#include "core/exec/trace.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "core/exec/hash.hpp"
#include "core/exec/memory.hpp"
#include "io/error.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>
#endif

namespace ulpine {
namespace {

using Sink = std::function<void(StageRecord&&)>;

void deliver(Sink const& sink, StageRecord&& record, std::span<std::uint64_t const> blocks) {
  record.record.blocks.assign(blocks.begin(), blocks.end());
  record.record.hash = std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
  sink(std::move(record));
}

#if defined(ULPINE_HAS_CUDA)

/// Records whose hashes are still on the device. Filled by kernels in the fields' stream; sent to the host by
/// a stream of the recorder's own, so that nothing but an event is ever asked of a model's stream after a
/// report has returned.
class Batch {
 public:
  static constexpr std::int64_t capacity = 1 << 17;  ///< block hashes: 1 MiB, at least 512 records

  Batch() {
    check_cuda(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "creating a stream");
    check_cuda(cudaEventCreateWithFlags(&filled_, cudaEventDisableTiming), "creating an event");
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&on_device_), capacity * sizeof(std::uint64_t)),
               "allocation of trace buffers");
    check_cuda(cudaMallocHost(reinterpret_cast<void**>(&on_host_), capacity * sizeof(std::uint64_t)),
               "allocation of trace buffers");
    check_cuda(cudaMemsetAsync(on_device_, 0, capacity * sizeof(std::uint64_t), copies_),
               "clearing trace buffers");
    check_cuda(cudaStreamSynchronize(copies_), "clearing trace buffers");
  }
  Batch(Batch&&) = delete;
  ~Batch() {
    cudaFreeHost(on_host_);
    cudaFree(on_device_);
    cudaEventDestroy(filled_);
    cudaStreamDestroy(copies_);
  }

  bool takes(RawField const& field) const {
    return pending_.empty() || (field.stream == stream_ && used_ + hash_blocks(field.count) <= capacity);
  }

  void add(StageRecord&& record, RawField const& field) {
    stream_ = field.stream;
    add_field_hash(field, on_device_ + used_);
    used_ += hash_blocks(field.count);
    pending_.push_back(std::move(record));
    check_cuda(cudaEventRecord(filled_, stream_), "marking a trace record");
  }

  /// Starts the copy to the host.
  void send() {
    if (!pending_.empty()) {
      auto const bytes = static_cast<std::size_t>(used_) * sizeof(std::uint64_t);
      check_cuda(cudaStreamWaitEvent(copies_, filled_, 0), "ordering a trace copy");
      check_cuda(cudaMemcpyAsync(on_host_, on_device_, bytes, cudaMemcpyDeviceToHost, copies_),
                 "copy of trace hashes");
      check_cuda(cudaMemsetAsync(on_device_, 0, bytes, copies_), "clearing trace buffers");
    }
  }

  /// Waits for the copy and hands the records over; the batch is empty and clear then.
  void receive(Sink const& sink) {
    check_cuda(cudaStreamSynchronize(copies_), "copy of trace hashes");
    auto const* blocks = on_host_;
    for (auto& record : std::exchange(pending_, {})) {
      auto const size = static_cast<std::size_t>(hash_blocks(record.record.count));
      deliver(sink, std::move(record), {blocks, size});
      blocks += size;
    }
    used_ = 0;
  }

 private:
  cudaStream_t copies_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t filled_ = nullptr;
  std::uint64_t* on_device_ = nullptr;
  std::uint64_t* on_host_ = nullptr;
  std::int64_t used_ = 0;
  std::vector<StageRecord> pending_;
};

/// Two batches: while one travels and is written, the other fills.
class DeviceHashes {
 public:
  void add(StageRecord&& record, RawField const& field, Sink const& sink) {
    if (!batches_[filling_].takes(field)) {
      batches_[filling_].send();
      filling_ = 1 - filling_;
      batches_[filling_].receive(sink);
    }
    batches_[filling_].add(std::move(record), field);
  }

  void flush(Sink const& sink) {
    batches_[1 - filling_].receive(sink);
    batches_[filling_].send();
    batches_[filling_].receive(sink);
  }

 private:
  std::array<Batch, 2> batches_;
  std::size_t filling_ = 0;
};

#endif

class Recorder : public TraceRecorder {
 public:
  Recorder(Sink sink, int threads) : sink_{std::move(sink)}, threads_{threads} {}
  ~Recorder() override {
    try {
      flush();
    } catch (std::exception const&) {  // a destructor has nobody to tell; flush() is the way to hear of it
    }
  }

  void stage_done(StagePosition position, char const* stage, char const* field,
                  RawField const& values) override {
    StageRecord record{stage, field, {}};
    record.record.position = {{"step", position.step}};
    if (position.substep != 0) record.record.position.push_back({"substep", position.substep});
    record.record.count = values.count;
#if defined(ULPINE_HAS_CUDA)
    if (values.on_device) {
      if (device_ == nullptr) {
        device_ = std::make_unique<DeviceHashes>();
      }
      device_->add(std::move(record), values, sink_);
      return;
    }
    flush();
#endif
    std::array<std::uint64_t, 256> hashes;
    auto const blocks = std::span(hashes).first(static_cast<std::size_t>(hash_blocks(values.count)));
    field_hash(values, blocks, threads_);
    deliver(sink_, std::move(record), blocks);
  }

  void flush() override {
#if defined(ULPINE_HAS_CUDA)
    if (device_ != nullptr) {
      device_->flush(sink_);
    }
#endif
  }

 private:
  Sink sink_;
  int threads_;
#if defined(ULPINE_HAS_CUDA)
  std::unique_ptr<DeviceHashes> device_;
#endif
};

void fetch(void* target, RawField const& field, std::int64_t first, std::int64_t count) {
  auto const* source = static_cast<std::byte const*>(field.data) + first * field.bytes_per_value;
  auto const bytes = count * field.bytes_per_value;
#if defined(ULPINE_HAS_CUDA)
  if (field.on_device) {
    detail::to_host(Cuda{field.stream}, target, source, bytes);
    return;
  }
#endif
  detail::to_host(Host{}, target, source, bytes);
}

template <class Word>
void add_one_to(RawField const& field, std::int64_t element, Word infinity) {
  Word bits;
  fetch(&bits, field, element, 1);
  auto const magnitude = static_cast<Word>(bits << 1) >> 1;
  if (magnitude >= infinity) {
    throw InputError(
        "element " + std::to_string(element) +
        " cannot be moved by one unit in the last place (it is infinite or not a number) choose another");
  }
  bits += magnitude == infinity - 1 ? static_cast<Word>(-1) : Word{1};
  auto* const target =
      static_cast<std::byte*>(const_cast<void*>(field.data)) + element * field.bytes_per_value;
#if defined(ULPINE_HAS_CUDA)
  if (field.on_device) {
    detail::to_executor(Cuda{field.stream}, target, &bits, sizeof bits);
    return;
  }
#endif
  detail::to_executor(Host{}, target, &bits, sizeof bits);
}

}  // namespace

StagePosition position_of(io::TraceRecord const& record) {
  auto const& levels = record.position;
  return {levels.front().index, levels.size() > 1 ? static_cast<std::int32_t>(levels[1].index) : 0};
}

std::unique_ptr<TraceRecorder> make_trace_recorder(io::TraceWriter& writer, int threads) {
  return std::make_unique<Recorder>([&writer](StageRecord&& r) { writer.append(r.stage, r.field, r.record); },
                                    threads);
}

std::unique_ptr<TraceRecorder> make_trace_recorder(std::vector<StageRecord>& records, int threads) {
  return std::make_unique<Recorder>([&records](StageRecord&& r) { records.push_back(std::move(r)); },
                                    threads);
}

FieldCapture::FieldCapture(StagePosition position, std::string stage, std::string field)
    : position_{position}, stage_{std::move(stage)}, field_{std::move(field)} {}

void FieldCapture::stage_done(StagePosition position, char const* stage, char const* field,
                              RawField const& values) {
  if (found_ || position != position_ || stage != stage_ || field != field_) {
    return;
  }
  bytes_.resize(static_cast<std::size_t>(values.count * values.bytes_per_value));
  bytes_per_value_ = values.bytes_per_value;
  fetch(bytes_.data(), values, 0, values.count);
  found_ = true;
}

void add_one_ulp(RawField const& field, std::int64_t element) {
  if (element < 0 || element >= field.count) {
    throw InputError("element " + std::to_string(element) + " does not exist (the field has " +
                     std::to_string(field.count) + ") choose one below that");
  }
  switch (field.bytes_per_value) {
    case 4:
      add_one_to<std::uint32_t>(field, element, 0x7f800000u);
      break;
    case 8:
      add_one_to<std::uint64_t>(field, element, 0x7ff0000000000000ull);
      break;
    default:
      add_one_to<unsigned __int128>(field, element,
                                    static_cast<unsigned __int128>(0x7fff000000000000ull) << 64);
  }
}

}  // namespace ulpine
