// SPDX-License-Identifier: Apache-2.0
#include "probe/source/fields_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "io/bytes.hpp"
#include "io/error.hpp"
#include "io/regular_file.hpp"
#include "probe/source/fields_format.hpp"
#include "probe/source/rank_name.hpp"

namespace ulpine::probe {
namespace {

using fields_format::Chunk;

constexpr std::uint32_t most_levels = 64;
constexpr std::int64_t most_elements = std::int64_t{1} << 62;
constexpr std::array<std::pair<std::string_view, int>, 9> types = {{{"float32", 4},
                                                                    {"float64", 8},
                                                                    {"complex32", 4},
                                                                    {"complex64", 8},
                                                                    {"int8", 1},
                                                                    {"int16", 2},
                                                                    {"int32", 4},
                                                                    {"int64", 8},
                                                                    {"logical", 0}}};

/// An open file of which pieces are read.
class OpenFile {
 public:
  explicit OpenFile(std::string name) : name_{std::move(name)} {
    io::require_regular_file(name_);
    number_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat found {};
    if (number_ < 0 || ::fstat(number_, &found) != 0) throw unreadable();
    size_ = static_cast<std::uint64_t>(found.st_size);
  }
  OpenFile(OpenFile&& other) noexcept
      : name_{std::move(other.name_)}, number_{std::exchange(other.number_, -1)}, size_{other.size_} {}
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  std::string const& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  bool holds(std::uint64_t offset, std::uint64_t count) const {
    return offset <= size_ && count <= size_ - offset;
  }
  /// holds(offset, count).
  std::string piece(std::uint64_t offset, std::uint64_t count) const {
    std::string bytes(count, '\0');
    for (std::uint64_t done = 0; done < count;) {
      auto const got = ::pread(number_, bytes.data() + done, count - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw unreadable();
      done += static_cast<std::uint64_t>(got);
    }
    return bytes;
  }
  InputError damaged(std::size_t parts) const {
    return InputError(name_ + ": damaged values (what follows part " + std::to_string(parts) +
                      " is not as it was written) record them again");
  }

 private:
  InputError unreadable() const {
    return InputError(name_ + ": values cannot be read (" + std::strerror(errno) +
                      ") check the path and its permissions");
  }
  std::string name_;
  int number_ = -1;
  std::uint64_t size_ = 0;
};

std::optional<RecordedPart::Axis> axis_of(io::ByteReader& reader) {
  RecordedPart::Axis axis;
  std::uint8_t numbered = 0;
  if (!reader.take(axis.extent) || !reader.take(axis.first) || !reader.take(axis.whole) ||
      !reader.take(numbered))
    return {};
  if (axis.extent < 0 || axis.whole < 0 || axis.whole > most_elements || axis.extent > axis.whole) return {};
  if (numbered == 0) {
    if (axis.first < 0 || axis.first > axis.whole - axis.extent) return {};
    return axis;
  }
  if (reader.left() / sizeof(std::int64_t) < static_cast<std::uint64_t>(axis.extent)) return {};
  axis.numbers.resize(static_cast<std::size_t>(axis.extent));
  for (auto& number : axis.numbers) {
    if (!reader.take(number) || number < 0 || number >= axis.whole) return {};
  }
  return axis;
}

/// Nothing where the content is none.
std::optional<RecordedPart> part_of_content(std::string_view content) {
  io::ByteReader reader{content};
  RecordedPart part;
  std::uint32_t levels = 0;
  if (!reader.take(levels) || levels > most_levels) return {};
  for (; levels > 0; --levels) {
    auto& [loop, index] = part.position.emplace_back();
    if (!reader.take_text(loop) || !reader.take(index)) return {};
  }
  std::uint64_t seconds = 0;
  std::uint8_t size = 0, flags = 0, rank = 0;
  if (!reader.take_text(part.stage) || !reader.take_text(part.field) || !reader.take_text(part.unit) ||
      !reader.take_text(part.type) || !reader.take(seconds) || !reader.take(size) || !reader.take(flags) ||
      !reader.take(rank) || rank > Part::most_axes) {
    return {};
  }
  auto const type = std::ranges::find_if(types, [&part](auto const& one) { return one.first == part.type; });
  auto const is_size = size == 1 || size == 4 || size == 8;
  if (type == types.end() || (type->second != 0 ? size != type->second : !is_size)) return {};
  part.seconds = std::bit_cast<double>(seconds);
  part.element_size = size;
  part.fastest_first = (flags & fields_format::fastest_first) != 0;
  part.replicated = (flags & fields_format::replicated) != 0;
  part.count = 1;
  std::int64_t whole = 1;
  for (; rank > 0; --rank) {
    auto axis = axis_of(reader);
    if (!axis || (axis->whole != 0 && whole > most_elements / axis->whole)) return {};
    part.count *= axis->extent;
    whole *= axis->whole;
    part.axes.push_back(std::move(*axis));
  }
  auto const is_complex = part.type.starts_with("complex");
  if (!reader.empty() || (is_complex && (part.axes.empty() || part.axes.back().whole != 2))) return {};
  return part;
}

}  // namespace

struct FieldsFile::Files {
  std::string name;
  std::vector<OpenFile> files;
  std::vector<RecordedPart> parts;
  io::TraceAttributes attributes;
  bool whole = true;

  io::TraceAttributes read(OpenFile const& file) {
    io::TraceAttributes said;
    auto offset = header(file, said);
    auto before = take_checksum(file, offset);
    std::size_t own = 0;
    while (true) {
      RecordedPart part;
      auto const place = next(file, offset, own);
      if (!place) break;
      if (place->kind == Chunk::end) {
        if (place->length != 0 || fields_format::checksum_of(before, place->bytes) != place->checksum ||
            offset != file.size()) {
          throw file.damaged(own);
        }
        return said;
      }
      if (place->kind != Chunk::place ||
          fields_format::checksum_of(before, place->bytes) != place->checksum) {
        throw file.damaged(own);
      }
      auto found = part_of_content(std::string_view{place->bytes}.substr(fields_format::chunk_head));
      if (!found) throw file.damaged(own);
      auto const values_at = offset;
      auto const values = next(file, offset, own, false);
      if (!values) break;
      if (values->kind != Chunk::values ||
          values->length !=
              static_cast<std::uint64_t>(found->count) * static_cast<std::uint64_t>(found->element_size)) {
        throw file.damaged(own);
      }
      before = values->checksum;
      found->file = files.size();
      found->offset = values_at;
      parts.push_back(std::move(*found));
      ++own;
    }
    whole = false;
    return said;
  }

 private:
  struct Piece {
    Chunk kind;
    std::uint64_t length, checksum;
    std::string bytes;  ///< head and content, where they were asked for
  };
  /// The chunk at `offset`, which moves on; nothing where the file ends before.
  static std::optional<Piece> next(OpenFile const& file, std::uint64_t& offset, std::size_t own,
                                   bool content = true) {
    if (!file.holds(offset, fields_format::chunk_head)) return {};
    auto const head = file.piece(offset, fields_format::chunk_head);
    io::ByteReader reader{head};
    std::uint8_t kind = 0;
    Piece piece{};
    reader.take(kind);
    reader.take(piece.length);
    piece.kind = static_cast<Chunk>(kind);
    if (kind < 1 || kind > 3) throw file.damaged(own);
    auto const size = fields_format::chunk_head + fields_format::checksum_size;
    if (piece.length > file.size() || !file.holds(offset, piece.length + size)) return {};
    if (content) piece.bytes = file.piece(offset, fields_format::chunk_head + piece.length);
    offset += fields_format::chunk_head + piece.length;
    piece.checksum = take_checksum(file, offset);
    return piece;
  }
  static std::uint64_t take_checksum(OpenFile const& file, std::uint64_t& offset) {
    auto const bytes = file.piece(offset, fields_format::checksum_size);
    io::ByteReader reader{bytes};
    std::uint64_t value = 0;
    reader.take(value);
    offset += fields_format::checksum_size;
    return value;
  }
  /// Where the header's checksum is.
  static std::uint64_t header(OpenFile const& file, io::TraceAttributes& said) {
    constexpr std::uint64_t most = std::uint64_t{1} << 20;
    auto const start = file.piece(0, std::min(most, file.size()));
    if (!start.starts_with(fields_format::magic)) {
      throw InputError(file.name() +
                       ": no file of values (it does not start as one) name the fields.bin of a probed run");
    }
    io::ByteReader reader{std::string_view{start}.substr(fields_format::magic.size())};
    std::uint32_t version = 0;
    if (reader.take(version) && version != fields_format::version) {
      throw InputError(file.name() + ": values of another format (version " + std::to_string(version) +
                       ", not " + std::to_string(fields_format::version) +
                       ") record them again with this version of Ulpine");
    }
    auto const cut =
        reader.left() == 0 || !reader.take_pairs(said) || reader.left() < fields_format::checksum_size;
    if (cut)
      throw InputError(file.name() + ": no whole file of values (its header is cut short) record them again");
    auto const size = start.size() - reader.left();
    std::uint64_t written = 0;
    reader.take(written);
    if (fields_format::checksum_of(0, std::string_view{start}.substr(0, size)) != written)
      throw file.damaged(0);
    return size;
  }
};

FieldsFile::FieldsFile(std::string const& name) : files_{std::make_unique<Files>()} {
  files_->name = name;
  auto const names = rank_files(name);
  if (names.empty()) {
    throw InputError(
        name +
        ": no such file of values (nothing of that name can be read) record fields by [[record]] first");
  }
  auto const run_of = [](io::TraceAttributes const& said) {
    auto const found = std::ranges::find_if(said, [](auto const& one) { return one.first == "run"; });
    return found == said.end() ? std::string{} : found->second;
  };
  for (auto const& one : names) {
    OpenFile file{one};
    auto said = files_->read(file);
    if (files_->files.empty()) {
      files_->attributes = std::move(said);
    } else if (run_of(said) != run_of(files_->attributes)) {
      throw InputError(one + ": values of another run than " + names.front() +
                       " (parts of fields would not go together) copy the files of one run");
    }
    files_->files.push_back(std::move(file));
  }
}

FieldsFile::~FieldsFile() = default;

std::string const& FieldsFile::name() const { return files_->name; }
std::vector<RecordedPart> const& FieldsFile::parts() const { return files_->parts; }
bool FieldsFile::whole() const { return files_->whole; }
io::TraceAttributes const& FieldsFile::attributes() const { return files_->attributes; }

std::vector<std::byte> FieldsFile::values(RecordedPart const& part) const {
  auto const& file = files_->files[part.file];
  auto const length = static_cast<std::uint64_t>(part.count) * static_cast<std::uint64_t>(part.element_size);
  // The checksum before and that of this chunk stand around it.
  auto const before = file.piece(part.offset - fields_format::checksum_size, fields_format::checksum_size);
  auto const bytes =
      file.piece(part.offset, fields_format::chunk_head + length + fields_format::checksum_size);
  auto const chunk = std::string_view{bytes}.substr(0, bytes.size() - fields_format::checksum_size);
  std::uint64_t checksum_before = 0, written = 0;
  std::memcpy(&checksum_before, before.data(), sizeof checksum_before);
  std::memcpy(&written, bytes.data() + chunk.size(), sizeof written);
  if (fields_format::checksum_of(checksum_before, chunk) != written) {
    throw InputError(file.name() + ": damaged values (those of " +
                     text_of(Place{part.position, part.stage, part.field}) +
                     " are not as they were written) record them again");
  }
  std::vector<std::byte> values(static_cast<std::size_t>(length));
  std::memcpy(values.data(), chunk.data() + fields_format::chunk_head, values.size());
  return values;
}

}  // namespace ulpine::probe
