// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "io/error.hpp"

namespace ulpine::ensembles {

std::string readable_duration(double seconds) {
  if (!std::isfinite(seconds)) {
    return "?";
  }
  auto const whole = std::llround(std::max(seconds, 0.0));
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

namespace {

int columns_of(std::string const& text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

/// The first characters of `text` that have so many columns.
std::string first_columns(std::string const& text, int columns) {
  auto end = text.begin();
  for (; end != text.end(); ++end) {
    if ((*end & 0xC0) != 0x80 && columns-- == 0) break;
  }
  return {text.begin(), end};
}

/// Columns of the terminal but the last, in which a character makes some terminals begin a new line.
int usable_columns(std::FILE* terminal) {
  constexpr int usual = 80;
  winsize size{};
  auto const known = ::ioctl(::fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : usual) - 1;
}

}  // namespace

std::string bar_line(double fraction, std::string const& text, std::string const& left, int columns) {
  constexpr int widest = 30, narrowest = 10;
  auto const percent = fmt::format(" {:3.0f} % ", 100 * fraction);
  auto const brackets = 2 + columns_of(percent);
  auto const width = std::clamp(columns - brackets - columns_of(text) - columns_of(left), narrowest, widest);
  auto const room = std::max(columns - brackets - width - columns_of(left), 0);
  auto const cut = columns_of(text) <= room ? text
                   : room > 3               ? first_columns(text, room - 3) + "..."
                                            : first_columns(text, room);
  auto const filled = static_cast<int>(fraction * width);
  auto const line = fmt::format("[{:=<{}}{: <{}}]{}{}{}", "", filled, "", width - filled, percent, cut, left);
  return first_columns(line, columns);
}

ProgressReporter::ProgressReporter(std::FILE* stream, bool quiet, double line_interval_s)
    : stream_{stream},
      quiet_{quiet},
      terminal_{::isatty(::fileno(stream)) == 1},
      line_interval_s_{line_interval_s} {}

ProgressReporter::~ProgressReporter() { finish(); }

void ProgressReporter::clear_bar() {
  if (bar_shown_) {
    std::fputs("\r\033[K", stream_);
    bar_shown_ = false;
  }
}

void ProgressReporter::update(double fraction, double remaining_s, std::string const& what) {
  if (quiet_) {
    return;
  }
  std::lock_guard const lock(mutex_);
  auto const text = one_line(what);
  fraction = std::clamp(fraction, 0.0, 1.0);
  auto const left = fraction < 1 && std::isfinite(remaining_s)
                        ? fmt::format(", {} left", readable_duration(remaining_s))
                        : "";
  auto const now = std::chrono::steady_clock::now();
  auto const since = std::chrono::duration<double>(now - last_).count();
  if (terminal_) {
    pending_ = bar_line(fraction, text, left, usable_columns(stream_));
    if (since >= 0.1 || fraction >= 1) {
      clear_bar();
      std::fputs(pending_.c_str(), stream_);
      std::fflush(stream_);
      bar_shown_ = true;
      last_ = now;
    }
  } else {
    pending_ = fmt::format("{:3.0f} % {}{}", 100 * fraction, text, left);
    if (since >= line_interval_s_) {
      std::fprintf(stream_, "%s\n", pending_.c_str());
      std::fflush(stream_);
      pending_.clear();
      last_ = now;
    }
  }
}

void ProgressReporter::note(std::string const& line) {
  if (quiet_) {
    return;
  }
  std::lock_guard const lock(mutex_);
  clear_bar();
  std::fprintf(stream_, "%s\n", one_line(line).c_str());
  std::fflush(stream_);
}

void ProgressReporter::finish() {
  if (quiet_) {
    return;
  }
  std::lock_guard const lock(mutex_);
  if (!pending_.empty()) {
    clear_bar();
    std::fprintf(stream_, "%s\n", pending_.c_str());
    std::fflush(stream_);
    pending_.clear();
  }
}

}  // namespace ulpine::ensembles
