// SPDX-License-Identifier: Apache-2.0
#include "io/trace_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <future>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>
#include <unordered_map>

#include "io/bytes.hpp"
#include "io/error.hpp"
#include "io/file_size_signal.hpp"
#include "io/regular_file.hpp"
#include "io/seal.hpp"
#include "io/temporary.hpp"

// The file, all integers little-endian: the magic word, the version, the provenance as attributes (their
// number, then key and value of each as texts: bytes, then characters), the case as a text. Then chunks, each
// with its kind (1 byte) and length (4 bytes): an entry of a stage, field or loop (its name as a text, then
// its attributes; each kind numbered as they come), a record, or a checksum: the xxHash64 of all bytes of the
// file before that chunk. One closes each flush; that of a trace brought to its end is of another kind and
// the last chunk.
//
// A record begins with its position: the number of levels, then for each the number of its loop and the
// index, folded so that small negative numbers stay small. All are in groups of 7 bits, least first, of which
// all but the last have the eighth bit set: a level costs 2 bytes up to index 63 and 3 up to 8191, where
// fixed numbers would cost 12, and there is no largest index to choose.
//
// The trace of one of several processes has three more attributes after the provenance: rank, ranks, run. A
// record that does not tell of all elements, or is of a field that every process has, is of the kind `part`:
// the number of missing elements (8 bytes), 1 for a field of every process or else 0 (1 byte), the record.

namespace ulpine::io {
namespace {

constexpr char trace_magic[8] = {'U', 'L', 'P', 'T', 'R', 'A', 'C', 'E'};
constexpr std::uint32_t version = 3;
constexpr std::int64_t most_blocks = 256;
constexpr std::size_t buffer_size = std::size_t{1} << 20;

constexpr char const* outermost = "step";

enum class Chunk : std::uint8_t {
  stage = 1,
  field = 2,
  record = 3,
  checksum = 4,
  end = 5,
  loop = 6,
  part = 7
};

void put_number(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

constexpr std::uint64_t folded(std::int64_t value) {
  auto const bits = static_cast<std::uint64_t>(value);
  return bits << 1 ^ (value < 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::int64_t unfolded(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits >> 1 ^ (bits & 1 ? ~std::uint64_t{0} : 0));
}

void put_chunk(std::string& bytes, Chunk kind, std::string const& content) {
  put(bytes, static_cast<std::uint8_t>(kind));
  put_text(bytes, content);
}

/// Takes positions too.
class Reader : public ByteReader {
 public:
  using ByteReader::ByteReader;
  bool take_number(std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      std::uint8_t byte = 0;
      if (!take(byte)) return false;
      auto const bits = std::uint64_t{byte} & 0x7f;
      if (bits << shift >> shift != bits) return false;
      value |= bits << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
};

template <class Number>
Number number(std::string const& text) {
  return static_cast<Number>(std::strtoull(text.c_str(), nullptr, 10));
}

/// Keys that follow the provenance in the trace of a share.
constexpr char const *rank_key = "rank", *ranks_key = "ranks", *run_key = "run";

TraceAttributes attributes_of(Provenance const& provenance, TraceShare const& share) {
  auto attributes = provenance.items();
  if (share.ranks > 1 || !share.run.empty()) {
    attributes.emplace_back(rank_key, std::to_string(share.rank));
    attributes.emplace_back(ranks_key, std::to_string(share.ranks));
    attributes.emplace_back(run_key, share.run);
  }
  return attributes;
}

bool is_share(TraceShare const& share) { return share.rank >= 0 && share.rank < share.ranks; }

/// Takes a share off the end of attributes that have one.
TraceShare take_share(TraceAttributes& attributes) {
  TraceShare share;
  auto const begin = std::ranges::find(attributes, rank_key, &TraceAttributes::value_type::first);
  for (auto item = begin; item != attributes.end(); ++item) {
    auto const& [key, value] = *item;
    if (key == rank_key) share.rank = number<int>(value);
    if (key == ranks_key) share.ranks = number<int>(value);
    if (key == run_key) share.run = value;
  }
  attributes.erase(begin, attributes.end());
  return share;
}

/// The inverse of Provenance::items, as far as this version knows the keys.
Provenance provenance_of(TraceAttributes const& attributes) {
  Provenance p;
  std::pair<char const*, std::string*> const texts[] = {
      {"version", &p.version},   {"commit", &p.commit},       {"compiler", &p.compiler},
      {"flags", &p.flags},       {"libraries", &p.libraries}, {"host_cpu", &p.host_cpu},
      {"device", &p.device},     {"driver", &p.driver},       {"policy", &p.policy},
      {"assembly", &p.assembly}, {"case_hash", &p.case_hash}, {"created", &p.created}};
  for (auto const& [key, value] : attributes) {
    for (auto const& [name, text] : texts) {
      if (key == name) *text = value;
    }
    if (key == "threads") p.threads = number<int>(value);
    if (key == "block") p.block = number<int>(value);
    if (key == ranks_key) p.ranks = number<int>(value);
    if (key == "seed") p.seed = number<std::uint64_t>(value);
  }
  return p;
}

/// Whether levels are the place of a record.
bool is_position(std::vector<LoopIndex> const& position) {
  return !position.empty() && position.size() <= deepest_position && position[0].loop == outermost;
}

/// A stage, field or loop; nothing where the content is none.
std::optional<TraceEntry> entry_of(std::string_view content) {
  Reader reader{content};
  TraceEntry entry;
  if (!reader.take_text(entry.name) || !reader.take_pairs(entry.attributes) || !reader.empty()) return {};
  return entry;
}

bool is_part(TraceRecord const& record) { return record.missing != 0 || record.replicated; }
bool has_possible_gap(TraceRecord const& record) {
  return record.missing == 0 || (record.missing > 0 && record.missing <= record.count);
}

/// The content of a record, or of a part; nothing where it is not one, or contradicts itself.
std::optional<TraceRecord> record_of(Chunk kind, std::string_view content, TraceHeader const& header) {
  Reader reader{content};
  TraceRecord record;
  if (kind == Chunk::part) {
    std::uint8_t replicated = 0;
    if (!reader.take(record.missing) || !reader.take(replicated) || replicated > 1) return {};
    record.replicated = replicated == 1;
    if (!is_part(record)) return {};
  }
  std::uint64_t levels = 0;
  if (!reader.take_number(levels) || levels > deepest_position) return {};
  for (; levels > 0; --levels) {
    std::uint64_t loop = 0, index = 0;
    if (!reader.take_number(loop) || !reader.take_number(index) || loop >= header.loops.size()) return {};
    record.position.push_back({header.loops[loop], unfolded(index)});
  }
  std::uint32_t blocks = 0;
  if (!reader.take(record.stage) || !reader.take(record.field) || !reader.take(record.count) ||
      !reader.take(record.hash) || !reader.take(blocks)) {
    return {};
  }
  record.blocks.resize(std::min<std::size_t>(blocks, content.size() / sizeof(std::uint64_t)));
  for (auto& block : record.blocks) {
    if (!reader.take(block)) return {};
  }
  auto const consistent = is_position(record.position) && has_possible_gap(record) &&
                          record.blocks.size() == blocks && reader.empty() &&
                          record.stage < header.stages.size() && record.field < header.fields.size();
  return consistent ? std::optional{std::move(record)} : std::nullopt;
}

}  // namespace

std::string text_of(std::vector<LoopIndex> const& position) {
  std::string text;
  for (auto const& [loop, index] : position) {
    text.append(text.empty() ? "" : ", ").append(loop).append(" ").append(std::to_string(index));
  }
  return text;
}

std::int64_t trace_block_size(std::int64_t count) {
  std::int64_t size = 1;
  while (size < count / most_blocks + (count % most_blocks > 0)) size *= 2;
  return size;
}

struct TraceWriter::File {
  struct Number {
    std::uint16_t value = 0;
    TraceAttributes attributes = {};
  };
  using Table = std::unordered_map<std::string, Number>;

  std::string path;
  std::ofstream stream;
  std::string buffer;   ///< whole chunks not yet in the file
  std::string content;  ///< the record under way, without its blocks
  StreamHash hash;      ///< hash of the file's bytes so far
  Table stages, fields, loops;

  /// The number of `name`, which is written at its first use.
  Number const& number_of(std::string const& name, Table& table, Chunk kind,
                          TraceAttributes const& attributes = {}) {
    auto const found = table.find(name);
    if (found != table.end()) return found->second;
    if (table.size() == std::numeric_limits<std::uint16_t>::max()) {
      throw std::length_error("more names than a trace holds");
    }
    std::string entry;
    put_text(entry, name);
    put_pairs(entry, attributes);
    put_chunk(buffer, kind, entry);
    return table.emplace(name, Number{static_cast<std::uint16_t>(table.size()), attributes}).first->second;
  }
  void describe(std::string const& name, Table& table, Chunk kind, TraceAttributes const& attributes) {
    if (number_of(name, table, kind, attributes).attributes != attributes) {
      throw std::logic_error(path + ": " + name + " was described otherwise, or after its first record");
    }
  }
  /// Writes the buffer and a checksum, which is the file's `end` or that of a part.
  void flush(Chunk checksum) {
    take_buffer();
    write(checksum);
  }
  /// As flush(), beside what the caller does next; errors are thrown by whatever writes next.
  void flush_beside() {
    take_buffer();
    try {
      under_way = std::async(std::launch::async, [this] { write(Chunk::checksum); });
    } catch (std::system_error const&) {  // there is no other thread to be had
      write(Chunk::checksum);
    }
  }
  void wait() {
    if (under_way.valid()) under_way.get();
  }

 private:
  void take_buffer() {
    wait();
    written.swap(buffer);
    buffer.clear();
  }
  void write(Chunk checksum) {
    hash.add(written);
    std::string value;
    put(value, hash.value());
    std::string chunk;
    put_chunk(chunk, checksum, value);
    hash.add(chunk);
    written += chunk;
    NoFileSizeSignal const quiet;
    errno = 0;
    stream.write(written.data(), static_cast<std::streamsize>(written.size()));
    stream.flush();
    if (!stream) {
      throw EnvironmentError(path + ": trace cannot be written (" + std::strerror(errno == 0 ? EIO : errno) +
                             ") check the folder, its permissions and the free space");
    }
  }

  std::string written;          ///< the buffer that is being written
  std::future<void> under_way;  ///< last, so that it has ended before the rest goes
};

TraceWriter::TraceWriter(std::filesystem::path const& path, Provenance const& provenance,
                         std::string const& case_text, TraceShare const& share)
    : file_{std::make_unique<File>()} {
  file_->path = final_name(path).string();
  if (!is_share(share)) {
    throw std::invalid_argument(file_->path + ": there is no rank " + std::to_string(share.rank) + " of " +
                                std::to_string(share.ranks));
  }
  file_->stream.rdbuf()->pubsetbuf(nullptr, 0);  // `buffer` does it, in whole chunks
  file_->stream.open(path, std::ios::binary | std::ios::trunc);
  auto& bytes = file_->buffer;
  bytes.append(trace_magic, sizeof trace_magic);
  put(bytes, version);
  put_pairs(bytes, attributes_of(provenance, share));
  put_text(bytes, case_text);
  file_->flush(Chunk::checksum);
}

TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;

TraceWriter::~TraceWriter() {
  if (file_ == nullptr) return;
  try {
    // A trace that nobody closed does not count as complete.
    if (file_->stream.is_open() && !file_->buffer.empty()) file_->flush(Chunk::checksum);
  } catch (EnvironmentError const&) {
    // A destructor has no one to tell; close() beforehand does.
  }
}

void TraceWriter::describe_stage(std::string const& stage, TraceAttributes const& attributes) {
  file_->describe(stage, file_->stages, Chunk::stage, attributes);
}

void TraceWriter::describe_field(std::string const& field, TraceAttributes const& attributes) {
  file_->describe(field, file_->fields, Chunk::field, attributes);
}

void TraceWriter::append(std::string const& stage, std::string const& field, TraceRecord const& record) {
  if (!is_position(record.position)) {
    throw std::invalid_argument(file_->path + ": \"" + text_of(record.position) +
                                "\" is no place of a record");
  }
  if (!has_possible_gap(record)) {
    throw std::invalid_argument(file_->path + ": " + field + " has " + std::to_string(record.count) +
                                " elements, of which not " + std::to_string(record.missing) +
                                " can be missing");
  }
  auto const stage_number = file_->number_of(stage, file_->stages, Chunk::stage).value;
  auto const field_number = file_->number_of(field, file_->fields, Chunk::field).value;
  auto& content = file_->content;
  content.clear();
  if (is_part(record)) {
    put(content, record.missing);
    put(content, std::uint8_t{record.replicated});
  }
  put_number(content, record.position.size());
  for (auto const& [loop, index] : record.position) {
    put_number(content, file_->number_of(loop, file_->loops, Chunk::loop).value);
    put_number(content, folded(index));
  }
  put(content, stage_number);
  put(content, field_number);
  put(content, record.count);
  put(content, record.hash);
  put(content, static_cast<std::uint32_t>(record.blocks.size()));
  // Blocks go straight into the buffer: long traces are made of little else.
  auto const blocks = std::as_bytes(std::span(record.blocks));
  auto& buffer = file_->buffer;
  put(buffer, static_cast<std::uint8_t>(is_part(record) ? Chunk::part : Chunk::record));
  put(buffer, static_cast<std::uint32_t>(content.size() + blocks.size()));
  buffer += content;
  buffer.append(reinterpret_cast<char const*>(blocks.data()), blocks.size());
  if (buffer.size() >= buffer_size) file_->flush_beside();
}

void TraceWriter::flush() {
  file_->wait();
  if (!file_->buffer.empty()) file_->flush(Chunk::checksum);
}

void TraceWriter::close() {
  if (!file_->stream.is_open()) return;
  file_->flush(Chunk::end);
  file_->stream.close();
}

namespace {

/// The bytes of a file that starts as a trace does. InputError for any other.
std::string trace_content(std::filesystem::path const& path) {
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
  auto content = regular_file_content(path);
  if (!content) {
    throw InputError(name + ": trace cannot be read (the disk failed, or no permission) check it");
  }
  if (!content->starts_with(std::string_view{trace_magic, sizeof trace_magic})) {
    throw InputError(
        name + ": not a trace (it does not start as Ulpine's do) name a trace.bin of a run with --trace");
  }
  return std::move(*content);
}

/// Reads the parts of a trace one after the other, as far as they are whole.
class Chunks {
 public:
  /// Reads the header. InputError, which names the file, where that is not one.
  Chunks(std::string const& name, std::string_view bytes)
      : bytes_{bytes}, reader_{bytes.substr(sizeof trace_magic)} {
    std::uint32_t found = 0;
    if (reader_.take(found) && found != version) {
      throw InputError(name + ": trace of another format (version " + std::to_string(found) + ", not " +
                       std::to_string(version) + ") record it again with this version of Ulpine");
    }
    TraceAttributes attributes;
    if (!reader_.take_pairs(attributes) || !reader_.take_text(trace_.header.case_text)) {
      throw InputError(name + ": not a whole trace (its header is cut short) record it again");
    }
    trace_.header.share = take_share(attributes);
    trace_.header.provenance = provenance_of(attributes);
  }

  /// Reads on to the next checksum, or to where the trace is not whole.
  void read_on() {
    std::uint8_t kind = 0;
    std::string_view content;
    do {
      auto const begin = bytes_.size() - reader_.left();
      if (!reader_.take(kind) || !reader_.take_text(content)) {
        trace_.end = ended_ ? TraceEnd::altered : TraceEnd::cut;
        return;
      }
      if (!take(static_cast<Chunk>(kind), content, begin)) {
        trace_.end = TraceEnd::altered;
        return;
      }
    } while (kind != std::uint8_t(Chunk::checksum) && kind != std::uint8_t(Chunk::end));
    ended_ = static_cast<Chunk>(kind) == Chunk::end;
    checked_ = {true, trace_.records.size(), trace_.header.stages.size(), trace_.header.fields.size(),
                trace_.header.loops.size()};
  }

  /// Whether there is more that could be read.
  bool goes_on() const { return trace_.end == TraceEnd::whole && !(ended_ && reader_.empty()); }
  /// Whether a checksum holds what was read.
  bool has_checked() const { return checked_.any; }
  Trace const& trace() const { return trace_; }

  /// What the checksums hold.
  Trace take_checked() && {
    trace_.records.erase(trace_.records.begin() + std::ptrdiff_t(checked_.records), trace_.records.end());
    auto& [provenance, share, case_text, stages, fields, loops] = trace_.header;
    stages.resize(checked_.stages);
    fields.resize(checked_.fields);
    loops.resize(checked_.loops);
    return std::move(trace_);
  }

 private:
  /// False for a chunk that is none, or is not as it was written.
  bool take(Chunk kind, std::string_view content, std::size_t begin) {
    auto& header = trace_.header;
    if (ended_) return false;
    switch (kind) {
      case Chunk::stage:
      case Chunk::field:
      case Chunk::loop: {
        auto entry = entry_of(content);
        if (!entry) return false;
        if (kind == Chunk::loop) {
          header.loops.push_back(std::move(entry->name));
        } else {
          (kind == Chunk::stage ? header.stages : header.fields).push_back(std::move(*entry));
        }
        return true;
      }
      case Chunk::record:
      case Chunk::part: {
        auto record = record_of(kind, content, header);
        if (record) trace_.records.push_back(std::move(*record));
        return record.has_value();
      }
      case Chunk::checksum:
      case Chunk::end: {
        std::uint64_t written = 0;
        Reader value{content};
        hash_.add(bytes_.substr(hashed_, begin - hashed_));
        hashed_ = begin;
        return value.take(written) && value.empty() && written == hash_.value() && is_share(header.share);
      }
    }
    return false;
  }

  struct Checked {
    bool any = false;
    std::size_t records = 0, stages = 0, fields = 0, loops = 0;
  };
  std::string_view bytes_;
  Reader reader_;
  Trace trace_;
  StreamHash hash_;
  std::size_t hashed_ = 0;
  Checked checked_;
  bool ended_ = false;
};

}  // namespace

Trace read_trace(std::filesystem::path const& path, TraceReading reading) {
  auto const name = path.string();
  auto const bytes = trace_content(path);
  Chunks chunks{name, bytes};
  while (chunks.goes_on()) chunks.read_on();
  auto const& found = chunks.trace();
  auto const taken = found.end == TraceEnd::whole || (reading.partial && chunks.has_checked());
  if (!taken && found.end == TraceEnd::cut) {
    throw InputError(name + ": trace cut short after " + std::to_string(found.records.size()) +
                     " records (its run was stopped, or is at work) record it again");
  }
  if (!taken) {
    throw InputError(name + ": damaged trace (what follows record " + std::to_string(found.records.size()) +
                     " is not as it was written) record it again");
  }
  return std::move(chunks).take_checked();
}

}  // namespace ulpine::io
