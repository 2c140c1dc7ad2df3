// SPDX-License-Identifier: Apache-2.0
#include "fuzz/judging.hpp"

#include <algorithm>
#include <csignal>
#include <string_view>

namespace ulpine::fuzz {
namespace {

std::string first_line_with(std::string const& text, char const* word) {
  auto const found = text.find(word);
  if (found == std::string::npos) return {};
  auto const begin = text.rfind('\n', found) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// The functions of a sanitizer's report where it happened and, first of the program's own, that led there.
std::string frames_of(std::string const& report) {
  std::string frames;
  for (std::size_t begin = 0; begin < report.size();) {
    auto const end = std::min(report.find('\n', begin), report.size());
    auto const line = report.substr(begin, end - begin);
    begin = end + 1;
    auto const name = line.find(" in ");
    if (line.find("    #") != 0 || name == std::string::npos || line.find("sanitizer") != std::string::npos) {
      continue;
    }
    auto const own = line.find("ulpine::") != std::string::npos;
    if (frames.empty() || own) frames += line.substr(name);
    if (own) break;
  }
  return frames;
}

/// One line on a crash, without addresses and process numbers.
std::string crash_detail(Ending const& ending) {
  if (!ending.report.empty() || ending.errors.find("runtime error: ") != std::string::npos) {
    auto const& text = ending.report.empty() ? ending.errors : ending.report;
    if (auto const line = first_line_with(text, "runtime error: "); !line.empty()) return line;
    auto const summary = first_line_with(text, "SUMMARY: ");
    auto const word = summary.find(' ', std::string_view("SUMMARY: AddressSanitizer: ").size());
    return summary.substr(0, word) + frames_of(text);
  }
  if (ending.signal != 0) return "signal " + std::to_string(ending.signal);
  return "exit code " + std::to_string(ending.code);
}

/// The line with what stands between quotes and all digits blanked: the same for the same cause.
std::string shape_of(std::string const& line) {
  std::string shape;
  for (auto const c : line.substr(0, 200)) {
    auto const digit = c >= '0' && c <= '9';
    if (digit && !shape.empty() && shape.back() == '#') continue;
    shape += digit ? '#' : c;
  }
  return shape;
}

}  // namespace

Verdict judge_ending(Ending const& ending, std::string const& file, bool may_be_long) {
  Verdict verdict;
  auto const stopped = ending.asked && ending.code == 128 + SIGTERM;
  auto const known = ending.code >= 0 && ending.code <= 4;
  if (ending.killed) {
    return {Fate::hang, "", "took all memory, or did not stop when asked to"};
  }
  if (!ending.report.empty() || ending.signal != 0 || (!known && !stopped)) {
    return {Fate::crash, "", crash_detail(ending)};
  }
  if (ending.asked && !may_be_long) {
    return {Fate::hang, "", "stopped only when asked to"};
  }
  auto const& errors = ending.errors;
  auto const lines = std::ranges::count(errors, '\n');
  auto const names = [&](std::string const& word) { return errors.find(word) != std::string::npos; };
  auto const fit = errors.starts_with("ulpine: ") && lines == 1 && !names("internal error") &&
                   (ending.code != 2 || names(file) || names("altered.") || names("file.toml") ||
                    names("mesh.toml") || names("study"));
  if (ending.code == 2 || ending.code == 3) {
    return {fit ? Fate::refused : Fate::unclear, "", shape_of(errors)};
  }
  if (!errors.empty() && (!errors.starts_with("ulpine: ") || lines != 1)) {
    return {Fate::unclear, "", shape_of(errors)};
  }
  return {Fate::accepted, "", ""};
}

}  // namespace ulpine::fuzz
