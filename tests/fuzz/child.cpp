// SPDX-License-Identifier: Apache-2.0
#include "fuzz/child.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>

#include "cli/command.hpp"
#include "core/fem/register.hpp"
#include "core/seaice/register.hpp"

namespace {

// What operator new may hand out in a child: as on a machine with little memory, and without the limit of
// address space that the address sanitizer cannot live with.
constexpr std::int64_t unlimited = std::int64_t{1} << 62;
std::atomic<std::int64_t> memory_left = unlimited;

void* take(std::size_t size) noexcept {
  if (static_cast<std::int64_t>(size) > memory_left.load()) {
    return nullptr;
  }
  auto* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) {
    memory_left -= static_cast<std::int64_t>(malloc_usable_size(memory));
  }
  return memory;
}

void give(void* memory) noexcept {
  if (memory != nullptr) {
    memory_left += static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
  }
}

void* take_or_throw(std::size_t size) {
  if (auto* const memory = take(size)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return take_or_throw(size); }
void* operator new[](std::size_t size) { return take_or_throw(size); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return take(size); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return take(size); }
void operator delete(void* memory) noexcept { give(memory); }
void operator delete[](void* memory) noexcept { give(memory); }
void operator delete(void* memory, std::size_t) noexcept { give(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give(memory); }
void operator delete(void* memory, std::nothrow_t const&) noexcept { give(memory); }
void operator delete[](void* memory, std::nothrow_t const&) noexcept { give(memory); }

namespace ulpine::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t memory_of_child = std::int64_t{1} << 30;    // bytes, by operator new
constexpr std::int64_t resident_of_child = std::int64_t{4} << 30;  // bytes, all in all
constexpr double busy_s = 10;      // processor time after which a child is asked to stop
constexpr double idle_s = 30;      // or so long without an end
constexpr double patience_s = 30;  // for it to stop

std::string reports_prefix;

/// Where a sanitizer writes what it finds in a process.
std::string report_of(pid_t process) { return reports_prefix + "." + std::to_string(process); }

std::string content_of(fs::path const& path) {
  std::ifstream stream{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

void to_file(char const* name, int stream) {
  auto const descriptor = ::open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (descriptor < 0 || ::dup2(descriptor, stream) < 0) {
    std::_Exit(125);
  }
  ::close(descriptor);
}

/// Processor time and resident memory of a living process.
struct Usage {
  double seconds = 0;
  std::int64_t bytes = 0;
};

Usage usage_of(pid_t child) {
  auto const folder = "/proc/" + std::to_string(child);
  Usage usage;
  // After the name in parentheses: state and 10 numbers, then the ticks in user and system mode.
  auto const stat = content_of(folder + "/stat");
  long long user = 0, system = 0, resident = 0;
  auto const end = stat.rfind(')');
  if (end != std::string::npos &&
      std::sscanf(stat.c_str() + end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld", &user,
                  &system) == 2) {
    usage.seconds = static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  if (std::sscanf(content_of(folder + "/statm").c_str(), "%*d %lld", &resident) == 1) {
    usage.bytes = resident * ::sysconf(_SC_PAGESIZE);
  }
  return usage;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Waits for the child, asks it to stop where it takes too long, and kills it where it does not.
int wait_for(pid_t child, Ending& ending) {
  auto const begin = Clock::now();
  auto asked = begin;
  auto const handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    pollfd ready{handle, POLLIN, 0};
    ::poll(&ready, handle < 0 ? 0 : 1, handle < 0 ? 5 : 200);
    if (ready.revents != 0) {
      continue;
    }
    auto const [seconds, bytes] = usage_of(child);
    if (bytes > resident_of_child || (ending.asked && seconds_since(asked) > patience_s)) {
      ending.killed = true;
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      break;
    }
    if (!ending.asked && (seconds > busy_s || seconds_since(begin) > idle_s)) {
      ending.asked = true;
      asked = Clock::now();
      ::kill(child, SIGTERM);
    }
  }
  if (handle >= 0) {
    ::close(handle);
  }
  ::kill(-child, SIGKILL);  // what it left running
  return status;
}

}  // namespace

Ending run_child(fs::path const& folder, std::function<int()> const& action) {
  std::fflush(nullptr);
  auto const child = ::fork();
  if (child < 0) {
    throw std::runtime_error("cannot fork");
  }
  if (child == 0) {
    ::setpgid(0, 0);
    if (::chdir(folder.c_str()) != 0) {
      std::_Exit(125);
    }
    rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    to_file("stdout.txt", STDOUT_FILENO);
    to_file("stderr.txt", STDERR_FILENO);
    memory_left = memory_of_child;
    // The process that reads a foreign file may have crashed, as it is there for, under the same number.
    ::unlink(report_of(::getpid()).c_str());
    std::exit(action());
  }
  ::setpgid(child, child);
  Ending ending;
  auto const status = wait_for(child, ending);
  ending.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ending.output = content_of(folder / "stdout.txt");
  ending.errors = content_of(folder / "stderr.txt");
  auto const report = report_of(child);
  ending.report = content_of(report);
  std::error_code ignored;
  fs::remove(report, ignored);
  return ending;
}

Ending run_command(fs::path const& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "ulpine");
  return run_child(folder, [&] {
    std::vector<char*> pointers;
    for (auto& word : words) {
      pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    return command_main(static_cast<int>(words.size()), pointers.data(), [] {
      seaice::register_core();
      fem::register_core();
    });
  });
}

fs::path working_folder(char** arguments) {
  constexpr auto mark = "ULPINE_FUZZ_FOLDER";
  if (auto const* const folder = std::getenv(mark)) {
    reports_prefix = (fs::path(folder) / "report").string();
    return folder;
  }
  auto folder = (fs::temp_directory_path() / "ulpine-fuzz-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
  // Leaks are none of the user's business here: a child lives for one command.
  auto const options = "log_path=" + folder +
                       "/report:detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=256:"
                       "print_stacktrace=1:halt_on_error=1:exitcode=99";
  ::setenv(mark, folder.c_str(), 1);
  ::setenv("ASAN_OPTIONS", options.c_str(), 1);
  ::setenv("UBSAN_OPTIONS", options.c_str(), 1);
  ::setenv("OMP_NUM_THREADS", "1", 1);
  ::setenv("ULPINE_PYTHON", "/bin/true", 1);
  ::execv("/proc/self/exe", arguments);
  throw std::runtime_error("cannot start this program again");
}

}  // namespace ulpine::fuzz
