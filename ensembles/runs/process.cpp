// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "io/descriptor.hpp"

namespace ulpine::ensembles {
namespace {

using io::Descriptor;

using Clock = std::chrono::steady_clock;

/// Time that a program has to end after it was asked to.
constexpr std::chrono::seconds grace{5};
/// Bytes kept of a program's output, from its end.
constexpr std::size_t kept_bytes = std::size_t{1} << 16;

class Pipe {
 public:
  Pipe() { opened_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  Pipe(Pipe const&) = delete;
  Pipe& operator=(Pipe const&) = delete;
  ~Pipe() {
    close(0);
    close(1);
  }
  bool opened() const { return opened_; }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close(std::size_t end) {
    if (ends_[end] >= 0) ::close(std::exchange(ends_[end], -1));
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
  bool opened_ = false;
};

// A forked copy of this process must not allocate: other threads may have held the allocator's locks.

/// The life of the process that leads the group: it waits until the one that holds the other end of `parent`
/// is gone, however it ended, and kills the group.
[[noreturn]] void guard(int parent) {
  ::setpgid(0, 0);
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::dup2(parent, 0);
  ::closefrom(1);
  char nothing = 0;
  while (::read(0, &nothing, 1) < 0 && errno == EINTR) {
  }
  ::kill(0, SIGKILL);
  ::_exit(1);
}

/// What a process becomes, in a form that needs no allocation.
struct Becoming {
  char* const* words;
  char* const* environment;  ///< null: as this process'
  char const* folder;        ///< null: as this process'
  int output;                ///< descriptor for standard output; -1: none
  bool whole_stack;
};

/// The life of a process of `group` until it is another program. Writes an error number where there is none.
[[noreturn]] void become(Becoming const& becoming, pid_t group, int messages, int failure) {
  ::setpgid(0, group);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  auto const nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(becoming.output >= 0 ? becoming.output : nowhere, STDOUT_FILENO);
  ::dup2(messages, STDERR_FILENO);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // what libraries opened is not for it
  if (rlimit stack{}; becoming.whole_stack && ::getrlimit(RLIMIT_STACK, &stack) == 0) {
    stack.rlim_cur = stack.rlim_max;
    ::setrlimit(RLIMIT_STACK, &stack);
  }
  if (becoming.folder == nullptr || ::chdir(becoming.folder) == 0) {
    if (becoming.environment == nullptr) {
      ::execvp(becoming.words[0], becoming.words);
    } else {
      ::execvpe(becoming.words[0], becoming.words, becoming.environment);
    }
  }
  auto const reason = errno;
  [[maybe_unused]] auto const told = ::write(failure, &reason, sizeof reason);
  ::_exit(1);
}

/// Waits for the end of a process; as waitpid() gives it. Puts what it has used into `usage`.
int end_of(pid_t process, rusage* usage = nullptr) {
  int status = 0;
  while (::wait4(process, &status, 0, usage) < 0 && errno == EINTR) {
  }
  return status;
}

/// This process' environment with `changes`, each "NAME=VALUE", in place of what it has of these names.
std::vector<std::string> environment_with(std::vector<std::string> const& changes) {
  std::vector<std::string> all;
  auto const name_of = [](std::string_view text) { return text.substr(0, text.find('=')); };
  for (auto* const* entry = environ; *entry != nullptr; ++entry) {
    auto const replaced = std::ranges::any_of(
        changes, [&](std::string const& change) { return name_of(change) == name_of(*entry); });
    if (!replaced) all.emplace_back(*entry);
  }
  all.insert(all.end(), changes.begin(), changes.end());
  return all;
}

/// Texts as a list that ends with a null, as exec takes it; valid as long as they are.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// A program that was started in a group of its own.
class Running {
 public:
  /// `output`: descriptor of the file with its standard output; -1: none.
  /// `copy`: that of the file for a copy of standard error; -1: none.
  Running(pid_t program, pid_t group, ProcessLimits const& limits, std::atomic<bool> const* cancel,
          int output, int copy)
      : program_{program}, group_{group}, output_{output}, copy_{copy}, limits_{limits}, cancel_{cancel} {}

  /// Waits for its end, while it writes into `messages`.
  ProcessOutcome wait(int messages) {
    ::fcntl(messages, F_SETFL, O_NONBLOCK);
    // It can be read once the program has ended; -1 in kernels before 5.3. The header of glibc 2.36 declares
    // pidfd_open() without C linkage.
    Descriptor const end(static_cast<int>(::syscall(SYS_pidfd_open, program_, 0)));
    while (!ended()) {
      watch();
      constexpr int milliseconds = 50;
      std::array<pollfd, 2> ready{{{open_ ? messages : -1, POLLIN, 0}, {end.number(), POLLIN, 0}}};
      if (::poll(ready.data(), ready.size(), milliseconds) > 0 && ready[0].revents != 0) take(messages);
    }
    take(messages);
    rusage usage{};
    auto const status = end_of(program_, &usage);
    outcome_.peak_bytes = std::int64_t{1024} * usage.ru_maxrss;
    outcome_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return std::move(outcome_);
  }

 private:
  bool ended() const {
    siginfo_t info{};
    auto const failed = ::waitid(P_PID, static_cast<id_t>(program_), &info, WEXITED | WNOHANG | WNOWAIT);
    return (failed != 0 && errno != EINTR) || info.si_pid == program_;
  }

  void watch() {
    auto const now = Clock::now();
    if (asked_) {
      if (now - when_asked_ >= grace) ::kill(-group_, SIGKILL);
      return;
    }
    if (std::chrono::duration<double>(now - begin_).count() > limits_.seconds) {
      outcome_.beyond = fmt::format("took longer than {:g} s", limits_.seconds);
      outcome_.late = true;
    } else if (said_ > limits_.message_bytes) {
      outcome_.beyond = fmt::format("wrote more than {} bytes of messages", limits_.message_bytes);
    } else if (output_bytes() > limits_.output_bytes) {
      outcome_.beyond = fmt::format("wrote more than {} bytes on standard output", limits_.output_bytes);
    } else if (cancel_ == nullptr || !cancel_->load()) {
      return;
    }
    asked_ = true;
    when_asked_ = now;
    ::kill(-group_, SIGINT);
  }

  std::size_t output_bytes() const {
    struct stat status {};
    return output_ >= 0 && ::fstat(output_, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  }

  /// Reads all that the pipe holds now.
  void take(int messages) {
    std::array<char, 4096> buffer{};
    for (auto pieces = kept_bytes / buffer.size(); open_ && pieces > 0; --pieces) {
      auto const count = ::read(messages, buffer.data(), buffer.size());
      if (count < 0) {
        open_ = errno == EINTR || errno == EAGAIN;
        if (errno == EAGAIN) return;
      } else if (count == 0) {
        open_ = false;
      } else {
        said_ += static_cast<std::size_t>(count);
        if (copy_ >= 0 && ::write(copy_, buffer.data(), static_cast<std::size_t>(count)) != count) copy_ = -1;
        outcome_.errors.append(buffer.data(), static_cast<std::size_t>(count));
        if (outcome_.errors.size() > 2 * kept_bytes) {
          outcome_.errors.erase(0, outcome_.errors.size() - kept_bytes);
        }
      }
    }
  }

  pid_t program_, group_;
  int output_, copy_;
  ProcessLimits const& limits_;
  std::atomic<bool> const* cancel_;
  Clock::time_point begin_ = Clock::now(), when_asked_ = begin_;
  bool asked_ = false, open_ = true;
  std::size_t said_ = 0;
  ProcessOutcome outcome_;
};

/// Descriptor of a new file to write; -1 where that cannot be, or `path` is empty.
int new_file(std::filesystem::path const& path) {
  if (path.empty()) return -1;
  constexpr int for_all = 0666;
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, for_all);
}

ProcessOutcome not_started(int error) {
  ProcessOutcome outcome;
  outcome.status = -1;
  outcome.errors = std::strerror(error);
  return outcome;
}

}  // namespace

ProcessOutcome run_process(std::vector<std::string> words, ProcessLimits const& limits,
                           std::atomic<bool> const* cancel, ProcessPlace const& place) {
  auto const pointers = pointers_to(words);
  auto environment =
      place.environment.empty() ? std::vector<std::string>{} : environment_with(place.environment);
  auto const variables = pointers_to(environment);
  auto const folder = place.folder.string();
  Descriptor const output(new_file(place.output)), copy(new_file(place.messages));
  if ((!place.output.empty() && output.number() < 0) || (!place.messages.empty() && copy.number() < 0)) {
    return not_started(errno);
  }
  Becoming const becoming{pointers.data(), environment.empty() ? nullptr : variables.data(),
                          folder.empty() ? nullptr : folder.c_str(), output.number(), place.whole_stack};
  Pipe messages, failure, alive;
  if (!messages.opened() || !failure.opened() || !alive.opened()) {
    return not_started(errno);
  }
  // Signals wait until the copies are other programs: this program's handlers are not for them to run.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  auto const group = ::fork();
  if (group == 0) {
    alive.close(1);
    guard(alive.reading());
  }
  auto reason = errno;
  pid_t program = -1;
  if (group > 0) {
    ::setpgid(group, group);  // here too, so that it is there to be joined
    program = ::fork();
    if (program == 0) {
      become(becoming, group, messages.writing(), failure.writing());
    }
    reason = errno;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  messages.close(1);
  failure.close(1);
  auto outcome = not_started(reason);
  if (program > 0) {
    ssize_t told = 0;
    while ((told = ::read(failure.reading(), &reason, sizeof reason)) < 0 && errno == EINTR) {
    }
    outcome =
        Running(program, group, limits, cancel, output.number(), copy.number()).wait(messages.reading());
    if (told == sizeof reason) outcome = not_started(reason);
  }
  if (group > 0) {
    ::kill(-group, SIGKILL);  // what the program has left; the number is the group's until its guard is gone
    end_of(group);
  }
  return outcome;
}

std::string how_it_ended(int status, bool whole_stack) {
  constexpr int by_signal = 128;
  if (status <= by_signal) return fmt::format("ended with exit code {}", status);
  auto const signal = status - by_signal;
  auto const* const hint =
      signal == SIGSEGV && !whole_stack ? "; large arrays on the stack want `ulimit -s unlimited`" : "";
  return fmt::format("was ended by signal {} ({}{})", signal, strsignal(signal), hint);
}

std::string last_line(std::string const& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) {
      last = line;
    }
  }
  constexpr std::size_t most = 2000;
  return last.size() > most ? last.substr(0, most) + "..." : last;
}

}  // namespace ulpine::ensembles
