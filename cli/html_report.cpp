// SPDX-License-Identifier: Apache-2.0
#include "cli/html_report.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>
#include <vector>

#include "cli/console.hpp"

namespace ulpine::cli {
namespace {

struct Outcome {
  int status = 0;      ///< as waitpid gives it; -1: could not be started
  std::string errors;  ///< what it wrote on standard error, or why it could not be started
};

/// Runs `words` without input and with standard output thrown away.
Outcome run_program(std::vector<std::string> words) {
  std::array<int, 2> pipe_ends{};
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    return {-1, std::strerror(errno)};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  pid_t child = 0;
  auto const failed = ::posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  Outcome outcome;
  if (failed == 0) {
    std::array<char, 4096> buffer{};
    for (;;) {
      auto const count = ::read(pipe_ends[0], buffer.data(), buffer.size());
      if (count > 0) {
        outcome.errors.append(buffer.data(), static_cast<std::size_t>(count));
      } else if (count == 0 || errno != EINTR) {
        break;
      }
    }
    while (::waitpid(child, &outcome.status, 0) < 0 && errno == EINTR) {
    }
  } else {
    outcome = {-1, std::strerror(failed)};
  }
  ::close(pipe_ends[0]);
  return outcome;
}

/// The last line that is not empty: where Python names the exception.
std::string last_line(std::string const& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) {
      last = line;
    }
  }
  return last;
}

}  // namespace

std::filesystem::path report_script() {
  namespace fs = std::filesystem;
  std::error_code failed;
  auto const program = fs::read_symlink("/proc/self/exe", failed);
  for (auto folder = program.parent_path(); !failed && folder.has_relative_path();
       folder = folder.parent_path()) {
    for (auto const* const place : {"share/ulpine/analysis/report.py", "analysis/report.py"}) {
      if (fs::is_regular_file(folder / place, failed)) {
        return folder / place;
      }
      failed.clear();
    }
  }
  fs::path const source = ULPINE_SOURCE_ANALYSIS;
  return fs::is_regular_file(source / "report.py", failed) ? source / "report.py" : fs::path{};
}

std::string report_python() {
  if (auto const* const chosen = std::getenv("ULPINE_PYTHON"); chosen != nullptr && *chosen != '\0') {
    return chosen;
  }
  if (::access("/usr/bin/python3", X_OK) == 0) {
    return "/usr/bin/python3";
  }
  return run_program({"python3", "--version"}).status == 0 ? "python3" : "";
}

std::string write_html_report(std::filesystem::path const& study) {
  auto const script = report_script();
  if (script.empty()) {
    return "no report.html (analysis/report.py is neither installed nor in the source tree) install Ulpine "
           "with "
           "`cmake --install`";
  }
  auto const remedy =
      "apt-get install python3-xarray python3-netcdf4 python3-matplotlib python3-jinja2, then `" +
      program_name() + " report " + study.string() + "`";
  auto const python = report_python();
  if (python.empty()) {
    return "no report.html (there is no python3) " + remedy;
  }
  auto const outcome = run_program({python, script.string(), study.string()});
  if (outcome.status == 0) {
    return {};
  }
  if (outcome.status == -1) {
    return "no report.html (" + python + ": " + outcome.errors + ") name a Python in ULPINE_PYTHON or " +
           remedy;
  }
  auto reason = last_line(outcome.errors);
  if (constexpr std::string_view prefix = "report: "; reason.starts_with(prefix)) {
    reason.erase(0, prefix.size());
  }
  return "no report.html: " +
         (reason.empty() ? python + " " + script.string() + " ended without a word" : reason);
}

}  // namespace ulpine::cli
