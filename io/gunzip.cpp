// SPDX-License-Identifier: Apache-2.0
#include "io/gunzip.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "io/descriptor.hpp"

namespace ulpine::io {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr int either_form = 32 + MAX_WBITS;  // zlib tells its own and gzip's header apart

std::string temporary_folder() {
  auto const* const set = std::getenv("TMPDIR");
  return set != nullptr && *set != '\0' ? set : "/tmp";
}

std::string reason_of(int error) { return std::strerror(error); }

LackingMeans no_room(std::string const& why) {
  return LackingMeans("(" + why +
                      ") set TMPDIR to a folder with more room, or unpack the file and name what comes out");
}

/// Opens a new file in the folder, whose name it gives.
int open_new(std::string const& folder, std::string& name) {
  name = folder + "/ulpine-XXXXXX";
  auto const file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) {
    throw no_room("no temporary file can be made in " + folder + ": " + reason_of(errno));
  }
  return file;
}

void write_all(int file, std::string const& folder, char const* bytes, std::size_t count) {
  while (count > 0) {
    auto const written = ::write(file, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw no_room("it cannot be unpacked into " + folder + ": " + reason_of(errno));
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

/// Half of what is free, so that a few bytes of zeros cannot fill a disk.
std::uint64_t most_bytes_in(std::string const& folder) {
  struct statvfs found {};
  if (::statvfs(folder.c_str(), &found) != 0) return 0;
  return std::uint64_t{found.f_bavail} * found.f_frsize / 2;
}

/// Whether the first bytes are of a file that can be read.
bool is_worth_unpacking(std::string_view bytes) {
  return bytes.starts_with("CDF") || bytes.starts_with("\x89HDF") ||
         bytes.substr(0, 1024).find("GRIB") != std::string_view::npos || bytes.starts_with("\x1f\x8b");
}

/// One run of zlib's over any number of bytes.
class Inflation {
 public:
  Inflation() {
    if (inflateInit2(&stream_, either_form) != Z_OK) throw NetcdfFailure("zlib cannot be started");
  }
  Inflation(Inflation const&) = delete;
  Inflation& operator=(Inflation const&) = delete;
  ~Inflation() { inflateEnd(&stream_); }

  void take(char* bytes, std::size_t count) {
    stream_.next_in = reinterpret_cast<Bytef*>(bytes);
    stream_.avail_in = static_cast<uInt>(count);
  }
  bool has_input() const { return stream_.avail_in > 0; }
  /// Fills `bytes` as far as the input reaches; gives how many it got. `ended` at the end of a member.
  std::size_t give(char* bytes, std::size_t count, bool& ended) {
    stream_.next_out = reinterpret_cast<Bytef*>(bytes);
    stream_.avail_out = static_cast<uInt>(count);
    auto const status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      throw NetcdfFailure("what gzip had packed is damaged");
    }
    ended = status == Z_STREAM_END;
    return count - stream_.avail_out;
  }
  void begin_again() { inflateReset(&stream_); }
  char next_byte() const { return static_cast<char>(*stream_.next_in); }

 private:
  z_stream stream_{};
};

}  // namespace

Gunzipped::Gunzipped(std::string const& path, Allowance const& allow) {
  Descriptor const file{open_new(temporary_folder(), path_)};
  try {
    unpack(path, file.number(), allow);
  } catch (...) {
    remove();
    throw;
  }
}

void Gunzipped::unpack(std::string const& path, int file, Allowance const& allow) {
  auto const folder = temporary_folder();
  auto const most = most_bytes_in(folder);
  Descriptor const packed{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (packed.number() < 0) throw NetcdfFailure(reason_of(errno));
  Inflation inflation;
  std::vector<char> in(piece_bytes), out(piece_bytes);
  std::uint64_t bytes = 0;
  auto ended = false, padding = false;
  for (;;) {
    auto const got = ::read(packed.number(), in.data(), in.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw NetcdfFailure(reason_of(errno));
    if (got == 0) break;
    inflation.take(in.data(), static_cast<std::size_t>(got));
    for (auto full = true; (inflation.has_input() || full) && !padding;) {
      if (ended) {
        if (!inflation.has_input()) break;
        padding = inflation.next_byte() != '\x1f';  // tapes pad with zeros
        if (padding) break;
        inflation.begin_again();
      }
      auto const count = inflation.give(out.data(), out.size(), ended);
      full = count == out.size();
      if (bytes == 0 && count > 0 && !is_worth_unpacking({out.data(), count})) {
        throw NetcdfFailure("what gzip had packed is neither NetCDF nor GRIB");
      }
      bytes += count;
      if (bytes > most) {
        throw no_room("unpacked it would take more than half of the free space of " + folder);
      }
      write_all(file, folder, out.data(), count);
      allow(count);
      if (count == 0 && !ended) break;
    }
  }
  if (!ended) throw NetcdfFailure("what gzip had packed is cut short");
}

void Gunzipped::remove() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

std::string inflated(std::string const& packed, std::size_t size) {
  auto input = packed;
  Inflation inflation;
  inflation.take(input.data(), input.size());
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  for (auto ended = false; !ended;) {
    auto const count = inflation.give(bytes.data() + filled, size - filled, ended);
    filled += count;
    if (!ended && (count == 0 || filled == size)) {
      char more = 0;
      if (filled == size && inflation.give(&more, 1, ended) == 0 && ended) break;
      throw NetcdfFailure("a chunk is not of the size that its array says");
    }
  }
  if (filled != size) throw NetcdfFailure("a chunk is not of the size that its array says");
  return bytes;
}

}  // namespace ulpine::io
