// SPDX-License-Identifier: Apache-2.0
#include "io/trace_file.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>

#include "io/error.hpp"
#include "io/seal.hpp"

// The file, all integers little-endian: the magic word, the version, the number of provenance items with each
// as a text (bytes, then characters; items in the order of Provenance::items), the case as a text. Then
// chunks, each with its kind (1 byte) and length (4 bytes): a stage's name, a field's name (numbered as they
// come), a record, or a checksum: the xxHash64 of all bytes of the file before that chunk. One closes each
// flush; that of a trace brought to its end is of another kind and the last chunk.

namespace ulpine::io {
namespace {

static_assert(std::endian::native == std::endian::little, "trace files are written as memory has them");

constexpr char magic[8] = {'U', 'L', 'P', 'T', 'R', 'A', 'C', 'E'};
constexpr std::uint32_t version = 2;
constexpr std::int64_t most_blocks = 256;
constexpr std::size_t buffer_size = std::size_t{1} << 20;

enum class Chunk : std::uint8_t { stage = 1, field = 2, record = 3, checksum = 4, end = 5 };

template <class Integer>
void put(std::string& bytes, Integer value) {
  static_assert(std::is_integral_v<Integer>);
  bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
}

void put_text(std::string& bytes, std::string const& text) {
  put(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
}

void put_chunk(std::string& bytes, Chunk kind, std::string const& content) {
  put(bytes, static_cast<std::uint8_t>(kind));
  put_text(bytes, content);
}

/// Takes values from the front of a buffer; false, and nothing more, once it does not hold them.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_{bytes} {}
  template <class Integer>
  bool take(Integer& value) {
    if (rest_.size() < sizeof value) return false;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return true;
  }
  bool take_text(std::string_view& text) {
    std::uint32_t size = 0;
    if (!take(size) || rest_.size() < size) return false;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool empty() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

template <class Number>
Number number(std::string const& text) {
  return static_cast<Number>(std::strtoull(text.c_str(), nullptr, 10));
}

/// The inverse of Provenance::items.
Provenance provenance_of(std::vector<std::string> const& values) {
  Provenance p;
  std::size_t next = 0;
  for (auto* text : {&p.version, &p.commit, &p.compiler, &p.flags, &p.host_cpu, &p.device, &p.driver,
                     &p.policy, &p.assembly}) {
    *text = values[next++];
  }
  p.threads = number<int>(values[next++]);
  p.block = number<int>(values[next++]);
  p.case_hash = values[next++];
  p.seed = number<std::uint64_t>(values[next++]);
  p.created = values[next++];
  return p;
}

/// A record's content; nothing where it is not one, or contradicts itself.
std::optional<TraceRecord> record_of(std::string_view content, TraceHeader const& header) {
  Reader reader{content};
  TraceRecord record;
  std::uint32_t blocks = 0;
  if (!reader.take(record.step) || !reader.take(record.substep) || !reader.take(record.stage) ||
      !reader.take(record.field) || !reader.take(record.count) || !reader.take(record.hash) ||
      !reader.take(blocks)) {
    return {};
  }
  record.blocks.resize(std::min<std::size_t>(blocks, content.size() / sizeof(std::uint64_t)));
  for (auto& block : record.blocks) {
    if (!reader.take(block)) return {};
  }
  auto const consistent = record.blocks.size() == blocks && reader.empty() &&
                          record.stage < header.stages.size() && record.field < header.fields.size();
  return consistent ? std::optional{std::move(record)} : std::nullopt;
}

}  // namespace

std::int64_t trace_block_size(std::int64_t count) {
  std::int64_t size = 1;
  while (size < count / most_blocks + (count % most_blocks > 0)) size *= 2;
  return size;
}

struct TraceWriter::File {
  using Table = std::unordered_map<std::string, std::uint16_t>;

  std::string path;
  std::ofstream stream;
  std::string buffer;  ///< whole chunks not yet in the file
  StreamHash hash;     ///< of what is in the file
  Table stages, fields;

  /// The number of `name`, which is written at its first use.
  std::uint16_t number_of(std::string const& name, Table& table, Chunk kind) {
    auto const [found, added] = table.emplace(name, static_cast<std::uint16_t>(table.size()));
    if (added) {
      if (table.size() > std::numeric_limits<std::uint16_t>::max())
        throw std::length_error("more names than a trace holds");
      put_chunk(buffer, kind, name);
    }
    return found->second;
  }
  /// Writes the buffer and a checksum, which is the file's `end` or that of a part.
  void flush(Chunk checksum) {
    hash.add(buffer);
    std::string value;
    put(value, hash.value());
    std::string chunk;
    put_chunk(chunk, checksum, value);
    hash.add(chunk);
    buffer += chunk;
    errno = 0;
    stream.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    stream.flush();
    buffer.clear();
    if (!stream) {
      throw EnvironmentError(path + ": trace cannot be written (" + std::strerror(errno == 0 ? EIO : errno) +
                             ") check the folder, its permissions and the free space");
    }
  }
};

TraceWriter::TraceWriter(std::filesystem::path const& path, Provenance const& provenance,
                         std::string const& case_text)
    : file_{std::make_unique<File>()} {
  file_->path = path.string();
  file_->stream.rdbuf()->pubsetbuf(nullptr, 0);  // `buffer` does it, in whole chunks
  file_->stream.open(path, std::ios::binary | std::ios::trunc);
  auto& bytes = file_->buffer;
  bytes.append(magic, sizeof magic);
  put(bytes, version);
  auto const items = provenance.items();
  put(bytes, static_cast<std::uint32_t>(items.size()));
  for (auto const& [name, value] : items) put_text(bytes, value);
  put_text(bytes, case_text);
  file_->flush(Chunk::checksum);
}

TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;

TraceWriter::~TraceWriter() {
  if (file_ == nullptr) return;
  try {
    // What nobody closed has not come to its end.
    if (file_->stream.is_open() && !file_->buffer.empty()) file_->flush(Chunk::checksum);
  } catch (EnvironmentError const&) {
    // A destructor has no one to tell; close() beforehand does.
  }
}

void TraceWriter::append(std::string const& stage, std::string const& field, TraceRecord const& record) {
  auto const stage_number = file_->number_of(stage, file_->stages, Chunk::stage);
  auto const field_number = file_->number_of(field, file_->fields, Chunk::field);
  std::string content;
  put(content, record.step);
  put(content, record.substep);
  put(content, stage_number);
  put(content, field_number);
  put(content, record.count);
  put(content, record.hash);
  put(content, static_cast<std::uint32_t>(record.blocks.size()));
  for (auto const block : record.blocks) put(content, block);
  put_chunk(file_->buffer, Chunk::record, content);
  if (file_->buffer.size() >= buffer_size) file_->flush(Chunk::checksum);
}

void TraceWriter::flush() {
  if (!file_->buffer.empty()) file_->flush(Chunk::checksum);
}

void TraceWriter::close() {
  if (!file_->stream.is_open()) return;
  file_->flush(Chunk::end);
  file_->stream.close();
}

Trace read_trace(std::filesystem::path const& path) {
  auto const name = path.string();
  std::error_code failed;
  auto const status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    throw InputError(name + ": no such trace (nothing of that name can be read) check the path");
  }
  if (std::filesystem::is_directory(status)) {
    throw InputError(name + ": not a trace (it is a folder) name the trace.bin in it");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw InputError(name +
                     ": not a trace (it is no ordinary file) name the trace.bin of a run with --trace");
  }
  std::ifstream stream{path, std::ios::binary};
  std::string bytes(std::filesystem::file_size(path, failed), '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (failed || !stream)
    throw InputError(name + ": trace cannot be read (the disk failed, or no permission) check it");

  auto const start = std::string_view{bytes}.substr(0, sizeof magic);
  if (start != std::string_view{magic, sizeof magic}) {
    throw InputError(
        name + ": not a trace (it does not start as Ulpine's do) name a trace.bin of a run with --trace");
  }
  Reader reader{std::string_view{bytes}.substr(sizeof magic)};
  std::uint32_t found = 0, items = 0;
  if (reader.take(found) && found != version) {
    throw InputError(name + ": trace of another format (version " + std::to_string(found) + ", not " +
                     std::to_string(version) + ") record it again with this version of Ulpine");
  }
  Trace trace;
  std::vector<std::string> values(Provenance{}.items().size());
  std::string_view text;
  auto complete = reader.take(items) && items == values.size();
  for (auto& value : values) {
    complete = complete && reader.take_text(text);
    value = text;
  }
  if (!complete || !reader.take_text(text)) {
    throw InputError(name + ": not a whole trace (its header is cut short) record it again");
  }
  trace.header.provenance = provenance_of(values);
  trace.header.case_text = text;

  auto const damaged = [&] {
    return InputError(name + ": damaged trace (what follows record " + std::to_string(trace.records.size()) +
                      " is not as it was written) record it again");
  };
  StreamHash hash;
  std::size_t hashed = 0;
  std::uint8_t kind = 0;
  for (auto ended = false; !ended || !reader.empty();) {
    auto const position = bytes.size() - reader.left();
    if (!reader.take(kind) || !reader.take_text(text)) {
      throw InputError(name + ": trace cut short after " + std::to_string(trace.records.size()) +
                       " records (its run was stopped, or is at work) record it again");
    }
    if (ended) throw damaged();
    switch (static_cast<Chunk>(kind)) {
      case Chunk::stage:
        trace.header.stages.emplace_back(text);
        break;
      case Chunk::field:
        trace.header.fields.emplace_back(text);
        break;
      case Chunk::record: {
        auto record = record_of(text, trace.header);
        if (!record) throw damaged();
        trace.records.push_back(std::move(*record));
        break;
      }
      case Chunk::checksum:
      case Chunk::end: {
        std::uint64_t written = 0;
        Reader content{text};
        hash.add(std::string_view{bytes}.substr(hashed, position - hashed));
        hashed = position;
        if (!content.take(written) || !content.empty() || written != hash.value()) throw damaged();
        ended = static_cast<Chunk>(kind) == Chunk::end;
        break;
      }
      default:
        throw damaged();
    }
  }
  return trace;
}

}  // namespace ulpine::io
