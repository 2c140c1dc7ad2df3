// SPDX-License-Identifier: Apache-2.0
#include "core/stage/trace.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/field/hash.hpp"
#include "core/field/operations.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

using Sink = std::function<void(StageRecord&&)>;

void deliver(Sink const& sink, StageRecord&& record, std::span<std::uint64_t const> blocks) {
  record.record.blocks.assign(blocks.begin(), blocks.end());
  record.record.hash = std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
  sink(std::move(record));
}

std::int64_t blocks_of(RawField const& field) { return hash_blocks(field.layout.global_count()); }

#if defined(ULPINE_HAS_CUDA)

/// Records whose hashes are still on the device. Filled by kernels in the fields' stream; sent to the host by
/// a stream of the recorder's own, so that nothing but an event is ever asked of a model's stream after a
/// report has returned.
class Batch {
 public:
  static constexpr std::int64_t capacity = 1 << 17;  ///< block hashes: 1 MiB, at least 512 records

  explicit Batch(Cuda cuda)
      : copies_(cuda.ordinal),
        filled_(cuda),
        on_device_(copies_.executor(), capacity),
        on_host_(copies_.executor(), on_device_.bytes()) {
    synchronize(copies_.executor());
  }
  Batch(Batch&&) = delete;

  bool takes(RawField const& field) const {
    return pending_.empty() || (field.cuda.stream == stream_ && used_ + blocks_of(field) <= capacity);
  }

  void add(StageRecord&& record, RawField const& field) {
    stream_ = field.cuda.stream;
    add_field_hash(field, on_device_.view().data() + used_);
    used_ += blocks_of(field);
    pending_.push_back(std::move(record));
    filled_.record(field.cuda);
  }

  /// Starts the copy to the host.
  void send() {
    if (!pending_.empty()) {
      auto const bytes = used_ * static_cast<std::int64_t>(sizeof(std::uint64_t));
      filled_.hold_back(copies_.executor());
      copy_to_host_async(copies_.executor(), on_host_, on_device_.view().data(), bytes);
      detail::fill_zero(copies_.executor(), on_device_.view().data(), bytes);
    }
  }

  /// Waits for the copy and hands the records over; the batch is empty and clear then.
  void receive(Sink const& sink) {
    synchronize(copies_.executor());
    auto const* blocks = static_cast<std::uint64_t const*>(on_host_.data());
    for (auto& record : std::exchange(pending_, {})) {
      auto const size = static_cast<std::size_t>(hash_blocks(record.record.count));
      deliver(sink, std::move(record), {blocks, size});
      blocks += size;
    }
    used_ = 0;
  }

 private:
  Stream copies_;
  Event filled_;
  Array<std::uint64_t, Cuda> on_device_;
  PinnedBuffer on_host_;
  CUstream_st* stream_ = nullptr;  ///< of the fields
  std::int64_t used_ = 0;
  std::vector<StageRecord> pending_;
};

/// Two batches of one device: while one travels and is written, the other fills.
class DeviceHashes {
 public:
  explicit DeviceHashes(Cuda cuda) : ordinal_{cuda.ordinal}, batches_{Batch(cuda), Batch(cuda)} {}
  int ordinal() const { return ordinal_; }
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
  int ordinal_;
  std::array<Batch, 2> batches_;
  std::size_t filling_ = 0;
};

#endif

class Recorder : public TraceRecorder {
 public:
  explicit Recorder(Sink sink) : sink_{std::move(sink)} {}
  ~Recorder() override {
    try {
      flush();
    } catch (std::exception const&) {  // a destructor has nobody to tell; flush() is the way to hear of it
    }
  }

  void stage_done(StagePosition const& position, char const* stage, char const* field,
                  RawField const& values) override {
    StageRecord record{position, stage, field, {}};
    for (std::size_t level = 0; level < position.depth(); ++level) {
      record.record.position.push_back({position[level].loop, position[level].index});
    }
    record.record.count = values.layout.global_count();
#if defined(ULPINE_HAS_CUDA)
    if (values.on_device) {
      if (device_ == nullptr || device_->ordinal() != values.cuda.ordinal) {
        flush();
        device_ = std::make_unique<DeviceHashes>(values.cuda);
      }
      device_->add(std::move(record), values, sink_);
      return;
    }
    flush();
#endif
    std::array<std::uint64_t, 256> hashes;
    auto const blocks = std::span(hashes).first(static_cast<std::size_t>(blocks_of(values)));
    field_hash(values, blocks);
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
#if defined(ULPINE_HAS_CUDA)
  std::unique_ptr<DeviceHashes> device_;
#endif
};

template <class Word>
void add_one_to(RawField const& field, std::int64_t owned, std::int64_t element, Word infinity) {
  Word bits;
  // Of the same size, so nothing is converted.
  read_values(field, owned, 1, field.type, &bits);
  auto const magnitude = static_cast<Word>(bits << 1) >> 1;
  if (magnitude >= infinity) {
    throw InputError(
        "element " + std::to_string(element) +
        " cannot be moved by one unit in the last place (it is infinite or not a number) choose another");
  }
  bits += magnitude == infinity - 1 ? static_cast<Word>(-1) : Word{1};
  write_values(field, owned, 1, field.type, &bits);
}

}  // namespace

std::unique_ptr<TraceRecorder> make_trace_recorder(io::TraceWriter& writer) {
  return std::make_unique<Recorder>(
      [&writer](StageRecord&& r) { writer.append(r.stage, r.field, r.record); });
}

std::unique_ptr<TraceRecorder> make_trace_recorder(std::vector<StageRecord>& records) {
  return std::make_unique<Recorder>([&records](StageRecord&& r) { records.push_back(std::move(r)); });
}

FieldCapture::FieldCapture(StagePosition position, std::string stage, std::string field)
    : position_{position}, stage_{std::move(stage)}, field_{std::move(field)} {}

void FieldCapture::stage_done(StagePosition const& position, char const* stage, char const* field,
                              RawField const& values) {
  if (found_ || !(position == position_) || stage != stage_ || field != field_) {
    return;
  }
  bytes_.resize(static_cast<std::size_t>(values.count() * bytes_of(values.type)));
  type_ = values.type;
  read_values(values, 0, values.count(), values.type, bytes_.data());
  found_ = true;
}

void add_one_ulp(RawField const& field, std::int64_t element) {
  if (element < 0 || element >= field.layout.global_count()) {
    throw InputError("element " + std::to_string(element) + " does not exist (the field has " +
                     std::to_string(field.layout.global_count()) + ") choose one below that");
  }
  auto const owned = field.layout.owned(element);
  if (owned < 0) return;
  switch (field.type) {
    case ValueType::float32:
      add_one_to<std::uint32_t>(field, owned, element, 0x7f800000u);
      break;
    case ValueType::float64:
      add_one_to<std::uint64_t>(field, owned, element, 0x7ff0000000000000ull);
      break;
    case ValueType::binary128:
      add_one_to<unsigned __int128>(field, owned, element,
                                    static_cast<unsigned __int128>(0x7fff000000000000ull) << 64);
      break;
    case ValueType::uint8:
      throw InputError("a mask has no units in the last place (its values are 0 and 1) choose another field");
  }
}

}  // namespace ulpine
