// SPDX-License-Identifier: Apache-2.0
#include "core/stage/trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "core/field/field.hpp"
#include "core/field/hash.hpp"
#include "core/field/operations.hpp"
#include "core/stage/device_trace.hpp"
#include "io/error.hpp"
#include "precision/double_float.hpp"

namespace ulpine {
namespace {

using Sink = std::function<void(StageRecord const&)>;

std::int64_t blocks_of(RawField const& field) { return hash_blocks(field.layout.global_count()); }

class Recorder : public TraceRecorder {
 public:
  explicit Recorder(Sink sink) : sink_{std::move(sink)} {
    deliver_ = [this](TracedOutput const& output, std::span<std::uint64_t const> blocks) {
      deliver(output, blocks);
    };
#if defined(ULPINE_HAS_CUDA)
    device_ = make_device_trace(deliver_);
#endif
  }
  ~Recorder() override {
    try {
      Recorder::flush();
    } catch (std::exception const&) {  // a destructor has nobody to tell; flush() is the way to hear of it
    }
  }

  void stage_done(StagePosition const& position, char const* stage, char const* field,
                  RawField const& values) override {
#if defined(ULPINE_HAS_CUDA)
    if (values.on_device) {
      DeviceTrace::Written const written{field, values};
      device_->add(position, stage, {&written, 1});
      return;
    }
    flush();
#endif
    std::array<std::uint64_t, 256> hashes;
    auto const blocks = std::span(hashes).first(static_cast<std::size_t>(blocks_of(values)));
    field_hash(values, blocks);
    deliver({position, stage, field, values.layout.global_count()}, blocks);
  }
  bool takes_hashes() const override { return true; }
  void stage_hashed(StagePosition const& position, char const* stage, char const* field, std::int64_t count,
                    std::span<std::uint64_t const> blocks) override {
    deliver({position, stage, field, count}, blocks);
  }

#if defined(ULPINE_HAS_CUDA)
  void stage_wrote(StagePosition const& position, char const* stage,
                   std::span<Field const* const> writes) override {
    if (!std::ranges::all_of(writes, [](Field const* field) { return field->raw().on_device; })) {
      TraceRecorder::stage_wrote(position, stage, writes);
      return;
    }
    std::vector<DeviceTrace::Written> written;
    for (auto const* field : writes) written.push_back({field->name().c_str(), field->raw()});
    device_->add(position, stage, written);
  }
  RecordingObserver* recording() override { return device_.get(); }
#endif

  void flush() override {
#if defined(ULPINE_HAS_CUDA)
    device_->flush();
#endif
  }

 private:
  void deliver(TracedOutput const& output, std::span<std::uint64_t const> blocks) {
    auto const& position = output.position;
    record_.position = position;
    record_.stage = output.stage;
    record_.field = output.field;
    auto& record = record_.record;
    auto& levels = record.position;
    levels.resize(position.depth());
    for (std::size_t level = 0; level < position.depth(); ++level) {
      levels[level].loop = position[level].loop;
      levels[level].index = position[level].index;
    }
    record.count = output.count;
    record.blocks.assign(blocks.begin(), blocks.end());
    record.hash = std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
    sink_(record_);
  }

  Sink sink_;
  TraceSink deliver_;
  StageRecord record_;  ///< keeps its memory from one to the next
#if defined(ULPINE_HAS_CUDA)
  std::unique_ptr<DeviceTrace> device_;
#endif
};

[[noreturn]] void refuse_special(std::int64_t element) {
  throw InputError(
      "element " + std::to_string(element) +
      " cannot be moved by one unit in the last place (it is infinite or not a number) choose another");
}

template <class Word>
void add_one_to(RawField const& field, std::int64_t owned, std::int64_t element, Word infinity) {
  Word bits;
  // `bits` is read and written in the field's own type, so nothing is converted.
  read_values(field, owned, 1, field.type, &bits);
  auto const magnitude = static_cast<Word>(bits << 1) >> 1;
  if (magnitude >= infinity) refuse_special(element);
  bits += magnitude == infinity - 1 ? static_cast<Word>(-1) : Word{1};
  write_values(field, owned, 1, field.type, &bits);
}

/// The 48th bit of the number counts as its last place.
void add_one_to_pair(RawField const& field, std::int64_t owned, std::int64_t element) {
  DoubleFloat value;
  read_values(field, owned, 1, field.type, &value);
  if (!std::isfinite(value.hi())) refuse_special(element);
  auto const unit = value == 0 ? 0 : std::ldexp(1.0f, std::ilogb(value.hi()) - 47);
  auto const step = std::copysign(std::max(unit, std::numeric_limits<float>::denorm_min()), value.hi());
  auto const away = value + step;
  value = std::isfinite(away.hi()) ? away : value - step;
  write_values(field, owned, 1, field.type, &value);
}

}  // namespace

std::unique_ptr<TraceRecorder> make_trace_recorder(io::TraceWriter& writer) {
  return std::make_unique<Recorder>(
      [&writer](StageRecord const& r) { writer.append(r.stage, r.field, r.record); });
}

std::unique_ptr<TraceRecorder> make_trace_recorder(std::vector<StageRecord>& records) {
  return std::make_unique<Recorder>([&records](StageRecord const& r) { records.push_back(r); });
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
    case ValueType::float32_pair:
      add_one_to_pair(field, owned, element);
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
