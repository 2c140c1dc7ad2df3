// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_foreign.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "io/error.hpp"
#include "io/foreign_reader.hpp"
#include "io/netcdf_library.hpp"

// The conversation, all numbers as memory has them. The child begins: a byte (0: well, 1: refused, 2: lacking
// means), then the catalogue or the reason, each as its length and bytes. A question is the number of a
// variable, its rank, start and count; the answer comes in pieces of at most about `piece_bytes`, each a byte
// (as above), the number of values and the values (of eight bytes, as read_hyperslab() gives them), or the
// reason. The end of the socket ends the child.

namespace ulpine::io {
namespace {

constexpr std::uint64_t largest_catalogue = std::uint64_t{1} << 28;  // bytes
constexpr std::uint64_t largest_reason = 1 << 16;                    // bytes
constexpr std::size_t piece_bytes = std::size_t{1} << 25;
constexpr std::size_t value_bytes = 8;
constexpr rlim_t seconds_an_answer = 10;  // of processor time; a good file's header takes milliseconds
constexpr rlim_t bytes_a_second = rlim_t{4} << 20;  // of values; a slow decompressor reaches 20 times as much
constexpr rlim_t memory_reserve = rlim_t{2} << 30;  // bytes, for netCDF's and HDF5's own
constexpr std::uint8_t refused_file = 1, refused_for_lack = 2;
constexpr char const* damage_hint =
    "it may be cut short or damaged, of another format, or open for writing elsewhere";
constexpr int silence_ms = 300'000;  // longest wait for a byte: a tape robot or a dead disk

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;  // reserves terabytes of addresses
#else
constexpr bool sanitized = false;
#endif

// ---- in the child ----

/// Allows this process the time and the memory to answer with so many bytes.
void allow(std::size_t bytes) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto const used = static_cast<rlim_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, used + seconds_an_answer + bytes / bytes_a_second);
  setrlimit(RLIMIT_CPU, &limit);
  if (sanitized) return;
  unsigned long long pages = 0;
  char text[32] = {};
  auto const statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (statm >= 0 && ::read(statm, text, sizeof text - 1) > 0) pages = std::strtoull(text, nullptr, 10);
  if (statm >= 0) close(statm);
  if (pages == 0) return;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) +
                                                        memory_reserve + 4 * rlim_t{bytes});
  setrlimit(RLIMIT_AS, &limit);
}

bool refuse(int socket, std::string const& reason, std::uint8_t how = refused_file) {
  std::uint64_t const size = std::min<std::uint64_t>(reason.size(), largest_reason);
  return send_all(socket, &how, 1) && send_all(socket, &size, sizeof size) &&
         send_all(socket, reason.data(), size);
}

bool give(int socket, std::uint64_t size, void const* data, std::size_t bytes) {
  std::uint8_t const well = 0;
  return send_all(socket, &well, 1) && send_all(socket, &size, sizeof size) && send_all(socket, data, bytes);
}

/// Sends the slab in pieces: whole chunks along the first extent that is not 1, so that none is unpacked
/// twice.
bool send_slab(int socket, ForeignReader& reader, std::size_t number, std::vector<std::size_t> start,
               std::vector<std::size_t> count) {
  auto const& variable = reader.catalogue().variables.at(number);
  std::size_t axis = 0;
  while (axis + 1 < count.size() && count[axis] == 1) ++axis;
  std::size_t row = value_bytes;
  for (std::size_t d = axis + 1; d < count.size(); ++d) row *= count[d];
  auto left = count.empty() ? 1 : count[axis];
  auto const chunk = count.empty() ? 1 : std::size_t{variable.chunk[axis]};
  while (left > 0) {
    auto rows = std::min(left, std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(row, 1)));
    if (chunk > 1 && rows < left) {
      auto const offset = start[axis] % chunk;
      rows = std::min(left, std::max(rows + offset, chunk) / chunk * chunk - offset);
    }
    if (!count.empty()) count[axis] = rows;
    allow(rows * row);
    std::vector<std::byte> values(rows * row);
    reader.read(number, start, count, values.data());
    if (!give(socket, values.size() / value_bytes, values.data(), values.size())) return false;
    left -= rows;
    if (!count.empty()) start[axis] += rows;
  }
  return true;
}

/// Answers one question; false at the end of the conversation.
bool answer(int socket, ForeignReader& reader) {
  std::uint64_t header[2] = {};
  if (!receive_all(socket, header, sizeof header)) return false;
  std::vector<std::size_t> start(header[1]), count(header[1]);
  if (!receive_all(socket, start.data(), start.size() * sizeof(std::size_t)) ||
      !receive_all(socket, count.data(), count.size() * sizeof(std::size_t))) {
    return false;
  }
  try {
    return send_slab(socket, reader, header[0], std::move(start), std::move(count));
  } catch (NetcdfFailure const& failure) {
    return refuse(socket, failure.what());
  } catch (LackingMeans const& lack) {
    return refuse(socket, lack.what(), refused_for_lack);
  } catch (std::bad_alloc const&) {
    return refuse(socket, "more memory is asked for than its size makes plausible");
  }
}

/// Memory that was given back is kept: values of each answer, and the libraries' own buffers, would else be
/// asked of the system anew, which costs more than to fill them.
void keep_memory() {
  constexpr int most_kept = 1 << 25;
  mallopt(M_MMAP_THRESHOLD, most_kept);
  mallopt(M_TRIM_THRESHOLD, 2 * most_kept);
}

/// The child's whole life.
void serve(int socket, char const* path) {
  try {
    keep_memory();
    allow(0);
    auto const reader = open_reader(path, allow);
    auto const bytes = encode(reader->catalogue());
    auto good = give(socket, bytes.size(), bytes.data(), bytes.size());
    while (good) good = answer(socket, *reader);
  } catch (LackingMeans const& lack) {
    refuse(socket, lack.what(), refused_for_lack);
  } catch (std::exception const& failure) {
    refuse(socket, failure.what());
  }
}

}  // namespace

// ---- in the parent ----

ForeignNetcdf::ForeignNetcdf(std::filesystem::path const& path)
    : path_{path.string()}, format_{format_of(path)} {
  if (!child_.start([&](int socket) { serve(socket, path_.c_str()); })) {
    throw EnvironmentError(path_ +
                           ": cannot be opened safely (no process can be started: " + std::strerror(errno) +
                           ") allow this program more processes, memory and open files");
  }
  if (auto const reason = refusal()) {
    throw InputError(path_ + ": cannot be opened as " + name_of(format_) + " (" + *reason + ") " +
                     damage_hint);
  }
  std::uint64_t size = 0;
  receive(&size, sizeof size);
  auto const senseless = [&] {
    return InputError(path_ + ": damaged " + name_of(format_) +
                      " file (its header makes no sense) copy it again");
  };
  if (size > largest_catalogue) throw senseless();
  std::string bytes(size, '\0');
  receive(bytes.data(), bytes.size());
  try {
    catalogue_ = decode_catalogue(bytes);
  } catch (std::invalid_argument const&) {
    throw senseless();
  }
}

void ForeignNetcdf::read(std::size_t variable, std::vector<std::size_t> const& start,
                         std::vector<std::size_t> const& count, Sink const& sink) {
  std::size_t wanted = 1;
  for (auto const extent : count) wanted *= extent;
  if (wanted == 0) return;
  auto const& asked = catalogue_.variables[variable];
  if (!asked.unreadable.empty()) {
    throw UnreadableVariable(path_ + ": " + asked.name + ": cannot be read (" + one_line(asked.unreadable) +
                             ") compare other variables");
  }
  std::lock_guard const lock{mutex_};
  std::vector<std::uint64_t> question = {variable, count.size()};
  question.insert(question.end(), start.begin(), start.end());
  question.insert(question.end(), count.begin(), count.end());
  if (!send_all(child_.socket(), question.data(), question.size() * sizeof question[0])) fail(false);
  while (wanted > 0) {
    if (auto const reason = refusal()) {
      throw UnreadableVariable(path_ + ": " + asked.name + ": cannot be read (" + *reason + ") " +
                               damage_hint);
    }
    std::uint64_t size = 0;
    receive(&size, sizeof size);
    if (size == 0 || size > wanted) fail(true);
    receive(sink(size), size * value_bytes);
    wanted -= size;
  }
}

std::optional<std::string> ForeignNetcdf::refusal() {
  std::uint8_t refused = 0;
  receive(&refused, 1);
  if (refused == 0) return {};
  std::uint64_t size = 0;
  receive(&size, sizeof size);
  std::string reason(std::min(size, largest_reason), '\0');
  receive(reason.data(), reason.size());
  if (refused == refused_for_lack) throw EnvironmentError(path_ + ": cannot be read " + one_line(reason));
  return one_line(reason);
}

void ForeignNetcdf::receive(void* target, std::size_t bytes) {
  auto* next = static_cast<char*>(target);
  while (bytes > 0) {
    pollfd wait{child_.socket(), POLLIN, 0};
    auto const ready = poll(&wait, 1, silence_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) fail(true);
    auto const got = ::read(child_.socket(), next, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(false);
    next += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

void ForeignNetcdf::fail(bool silent) {
  auto const status = child_.end(silent);
  std::string const library = format_ == ForeignFormat::grib ? "ecCodes" : "the NetCDF library";
  std::string why = "ends the process that does it";
  if (silent || (status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
    why = "does not come to an end";
  } else if (status >= 0 && WIFSIGNALED(status)) {
    why = "crashes " + library + ": " + strsignal(WTERMSIG(status));
  }
  throw InputError(path_ + ": damaged " + name_of(format_) + " file (reading it " + why + ") copy it again");
}

}  // namespace ulpine::io
