// SPDX-License-Identifier: Apache-2.0
#include "cli/console.hpp"

#include <fcntl.h>
#include <omp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "ensembles/runs/shell.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"
#include "io/plain_text.hpp"

namespace ulpine::cli {
namespace {

std::string name_of_program = "ulpine";
std::atomic<bool> cancel_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
std::atomic<int> cancel_signal = SIGINT;

extern "C" void on_signal(int number) {
  cancel_signal = number;
  cancel_flag = true;
  if (number != SIGXCPU)
    std::signal(number, SIG_DFL);  // the kernel repeats that one, while work comes to an end
}

void check_output(bool written) {
  if (!written && errno != EPIPE) {
    throw EnvironmentError("cannot write standard output (" + std::string(std::strerror(errno)) +
                           ") free some space or redirect it elsewhere");
  }
}

}  // namespace

void set_program_name(std::filesystem::path const& path) {
  if (path.has_filename()) {
    name_of_program = path.filename().string();
  }
}

std::string const& program_name() { return name_of_program; }

void hold_standard_descriptors() {
  auto descriptor = ::open("/dev/null", O_RDONLY);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) {
    descriptor = ::open("/dev/null", O_RDONLY);
  }
  if (descriptor >= 0) {
    ::close(descriptor);
  }
}

void ignore_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void leave_signals_to_rank_0() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
}

std::atomic<bool> const& cancelled() {
  // Once: a second signal is to find the system's own handler, which the first one put back.
  [[maybe_unused]] static auto const handlers = std::array{
      std::signal(SIGINT, on_signal), std::signal(SIGTERM, on_signal), std::signal(SIGXCPU, on_signal)};
  return cancel_flag;
}

int interrupted(std::string const& how_to_resume) {
  auto const* const why =
      cancel_signal == SIGXCPU ? "the limit of processor time is near (`ulimit -t`)" : "interrupted";
  complain(std::string(why) + "; what was finished is valid. " + how_to_resume);
  return 128 + cancel_signal;
}

void print(Common const& common, std::string const& text) {
  if (!common.quiet) {
    auto const plain = io::plain_text(text);
    check_output(std::fwrite(plain.data(), 1, plain.size(), stdout) == plain.size());
  }
}

void print_json(Common const& common, nlohmann::ordered_json const& document) {
  print(common,
        io::plain_json(document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n");
}

void flush_output() { check_output(std::fflush(stdout) == 0); }

void complain(std::string const& message) {
  auto text = name_of_program + ": ";
  for (auto const letter : message) {
    if (letter == '\n') {
      text += "; ";
    } else {
      text += letter;
    }
  }
  auto const line = one_line(text) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::pair<std::string, bool> quoted_utf8(std::string const& text) {
  using Json = nlohmann::json;
  auto const quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return {quoted, quoted == Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore)};
}

void require_case_file(std::filesystem::path const& case_file) {
  std::error_code failed;
  if (!std::filesystem::exists(case_file, failed)) {
    throw InputError("no case file " + case_file.string() + " (there is no such file) `" + name_of_program +
                     " cases` lists the shipped ones");
  }
}

double duration_option(std::string const& option, std::string const& text) {
  try {
    return io::parse_duration(text);
  } catch (InputError const& error) {
    throw InputError(option + ": " + error.what());
  }
}

int threads_or_all(int threads) { return threads > 0 ? threads : omp_get_max_threads(); }

std::string set_arguments(std::vector<std::string> const& overrides) {
  std::string words;
  for (auto const& item : overrides) {
    words += " --set " + ensembles::shell_quoted(item);
  }
  return words;
}

}  // namespace ulpine::cli
