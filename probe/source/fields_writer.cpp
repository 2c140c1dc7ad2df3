// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "io/bytes.hpp"
#include "io/error.hpp"
#include "io/file_size_signal.hpp"
#include "io/seal.hpp"
#include "probe/source/fields_file.hpp"
#include "probe/source/fields_format.hpp"
#include "probe/source/rank_name.hpp"

namespace ulpine::probe {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

/// Copies the elements of a part, row-major by its axes as they are in memory.
void pack(Part const& part, std::string& bytes) {
  auto const size = static_cast<std::size_t>(element_size(part.type));
  auto const first = bytes.size();
  bytes.resize(first + static_cast<std::size_t>(part.count()) * size);
  auto* out = bytes.data() + first;
  if (part.count() == 0) return;
  auto const inner = part.rank - 1;  // -1 of a scalar
  auto const row = inner < 0 ? Part::Axis{} : part.axes[static_cast<std::size_t>(inner)];
  std::array<std::int64_t, Part::most_axes> at = {};
  for (auto const* data = part.data;;) {
    if (row.stride == static_cast<std::int64_t>(size)) {
      std::memcpy(out, data, static_cast<std::size_t>(row.extent) * size);
      out += static_cast<std::size_t>(row.extent) * size;
    } else {
      for (std::int64_t k = 0; k < row.extent; ++k, out += size)
        std::memcpy(out, data + k * row.stride, size);
    }
    auto a = inner - 1;
    for (; a >= 0; --a) {
      auto const& axis = part.axes[static_cast<std::size_t>(a)];
      auto& index = at[static_cast<std::size_t>(a)];
      data += axis.stride;
      if (++index < axis.extent) break;
      data -= index * axis.stride;
      index = 0;
    }
    if (a < 0) return;
  }
}

std::string place_content(Place const& place, Part const& part, double seconds, std::string_view unit) {
  std::string content;
  io::put(content, static_cast<std::uint32_t>(place.position.size()));
  for (auto const& [loop, index] : place.position) {
    io::put_text(content, loop);
    io::put(content, index);
  }
  io::put_text(content, std::string{place.stage});
  io::put_text(content, std::string{place.field});
  io::put_text(content, std::string{unit});
  io::put_text(content, std::string{type_name(part)});
  io::put(content, std::bit_cast<std::uint64_t>(seconds));
  io::put(content, static_cast<std::uint8_t>(element_size(part.type)));
  io::put(content, static_cast<std::uint8_t>((part.fastest_first ? fields_format::fastest_first : 0) |
                                             (part.replicated ? fields_format::replicated : 0)));
  io::put(content, static_cast<std::uint8_t>(part.rank));
  for (int a = 0; a < part.rank; ++a) {
    auto const& axis = part.axes[static_cast<std::size_t>(a)];
    io::put(content, axis.extent);
    io::put(content, axis.first);
    io::put(content, axis.whole);
    io::put(content, static_cast<std::uint8_t>(axis.numbers != nullptr));
    for (std::int64_t k = 0; axis.numbers != nullptr && k < axis.extent; ++k)
      io::put(content, axis.numbers[k]);
  }
  return content;
}

}  // namespace

struct FieldsWriter::File {
  struct Wanted {
    explicit Wanted(RecordSetting setting) : setting{std::move(setting)} {}
    RecordSetting setting;
    std::atomic<bool> used = false;
  };

  std::string path;
  bool first_rank = true;
  io::TraceAttributes attributes;
  std::vector<std::unique_ptr<Wanted>> wanted;
  std::mutex mutex;  ///< guards what is below
  int number = -1;
  bool closed = false;
  std::string buffer;
  std::uint64_t checksum = 0;  ///< of the last chunk

  ~File() {
    if (number >= 0) ::close(number);
  }
  EnvironmentError failure() const {
    return EnvironmentError(path + ": values cannot be written (" + std::strerror(errno) +
                            ") check the folder, its permissions and the free space");
  }
  void open() {
    number = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (number < 0) throw failure();
    buffer.append(fields_format::magic);
    io::put(buffer, fields_format::version);
    io::put_pairs(buffer, attributes);
    checksum = fields_format::checksum_of(0, buffer);
    io::put(buffer, checksum);
  }
  void write() {
    std::string_view rest = buffer;
    io::NoFileSizeSignal const quiet;
    while (!rest.empty()) {
      auto const count = ::write(number, rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw failure();
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    buffer.clear();
  }
  /// `fill` appends the content to the buffer.
  template <class F>
  void chunk(fields_format::Chunk kind, F const& fill) {
    auto const begin = buffer.size();
    io::put(buffer, static_cast<std::uint8_t>(kind));
    io::put(buffer, std::uint64_t{0});
    auto const content = buffer.size();
    fill();
    auto const length = static_cast<std::uint64_t>(buffer.size() - content);
    std::memcpy(buffer.data() + content - sizeof length, &length, sizeof length);
    checksum = fields_format::checksum_of(checksum, std::string_view{buffer}.substr(begin));
    io::put(buffer, checksum);
  }
};

FieldsWriter::FieldsWriter(Settings const& settings, int rank, int ranks, io::TraceAttributes attributes)
    : file_{std::make_unique<File>()} {
  file_->path = rank_name(settings.fields, rank, ranks);
  file_->first_rank = rank == 0;
  file_->attributes = std::move(attributes);
  for (auto const& record : settings.record) file_->wanted.push_back(std::make_unique<File::Wanted>(record));
  remove_earlier(settings.fields, rank, ranks, fields_format::magic);
}

FieldsWriter::~FieldsWriter() = default;

bool FieldsWriter::wants(Place const& place) const {
  auto found = false;
  for (auto const& one : file_->wanted) {
    if (!one->setting.what.matches(place.stage, place.field)) continue;
    one->used = true;
    found = found || one->setting.steps.holds(place.step());
  }
  return found;
}

void FieldsWriter::add(Place const& place, Part const& part, double seconds, std::string_view unit) {
  if (!wants(place) || (part.replicated && !file_->first_rank)) return;
  auto const content = place_content(place, part, seconds, unit);
  std::lock_guard const lock{file_->mutex};
  if (file_->closed) return;
  if (file_->number < 0) file_->open();
  file_->chunk(fields_format::Chunk::place, [&] { file_->buffer += content; });
  file_->chunk(fields_format::Chunk::values, [&] { pack(part, file_->buffer); });
  if (file_->buffer.size() >= buffer_size) file_->write();
}

void FieldsWriter::flush() {
  std::lock_guard const lock{file_->mutex};
  if (file_->number >= 0) file_->write();
}

void FieldsWriter::close() {
  std::lock_guard const lock{file_->mutex};
  if (std::exchange(file_->closed, true)) return;
  if (file_->number < 0) file_->open();
  file_->chunk(fields_format::Chunk::end, [] {});
  file_->write();
  if (::close(std::exchange(file_->number, -1)) != 0) throw file_->failure();
}

std::vector<std::string> FieldsWriter::unused() const {
  std::vector<std::string> lines;
  for (auto const& one : file_->wanted) {
    if (!one->used)
      lines.push_back("[[record]] what = \"" + one->setting.what.text() + "\" chose no field that was told");
  }
  return lines;
}

}  // namespace ulpine::probe
