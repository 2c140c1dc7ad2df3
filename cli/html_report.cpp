// SPDX-License-Identifier: Apache-2.0
#include "cli/html_report.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "cli/console.hpp"
#include "ensembles/runs/process.hpp"
#include "ensembles/runs/shell.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"

namespace ulpine::cli {
namespace {

/// Runs the script with `arguments`; `retry` is the command that tries again. Why there is no `page`, empty
/// where there is one; InputError where the script refuses a file or an argument.
std::string run_script(std::vector<std::string> const& arguments, std::string const& page,
                       std::string const& retry) {
  auto const script = report_script();
  if (script.empty()) {
    return "no " + page +
           " (analysis/report.py is neither installed nor in the source tree) install Ulpine with "
           "`cmake --install`";
  }
  auto const remedy =
      "apt-get install python3-xarray python3-netcdf4 python3-matplotlib python3-jinja2, then `" + retry +
      "`";
  auto const python = report_python();
  if (python.empty()) {
    return "no " + page + " (there is no python3) " + remedy;
  }
  std::vector<std::string> words = {python, script.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto const outcome = ensembles::run_process(words, {}, &cancelled());
  if (!outcome.beyond.empty()) {
    return "no " + page + " (" + script.string() + " " + outcome.beyond + ") try `" + retry + "`";
  }
  if (outcome.status == 0) {
    return {};
  }
  if (outcome.status == -1) {
    return "no " + page + " (" + python + ": " + outcome.errors + ") name a Python in ULPINE_PYTHON or " +
           remedy;
  }
  auto reason = ensembles::last_line(outcome.errors);
  if (constexpr std::string_view prefix = "report: "; reason.starts_with(prefix)) {
    reason.erase(0, prefix.size());
  }
  if (outcome.status == exit_code::bad_input && !reason.empty()) {
    throw InputError(reason);
  }
  return "no " + page + ": " +
         (reason.empty() ? python + " " + script.string() + " ended without a word" : reason);
}

/// Whether files of `folder` may be run: a folder above the program, which may be one that everybody writes
/// into, is not to have a stranger's script run.
bool is_trusted(std::filesystem::path const& folder, std::filesystem::path const& program) {
  struct stat maker {};
  if (::stat(program.c_str(), &maker) != 0) return false;
  return std::ranges::all_of(std::array{folder, folder / "report.py"}, [&](auto const& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 &&
           (found.st_uid == 0 || found.st_uid == ::geteuid() || found.st_uid == maker.st_uid);
  });
}

/// Takes away the page of other results where there is a `problem` with the new one; gives the problem back.
std::string without_others(std::string problem, std::filesystem::path const& page, EarlierPage earlier) {
  std::error_code ignored;
  if (!problem.empty() && earlier == EarlierPage::of_others &&
      io::has_signature(page, io::signatures::page)) {
    std::filesystem::remove(page, ignored);
  }
  return problem;
}

}  // namespace

std::filesystem::path report_script() {
  namespace fs = std::filesystem;
  std::error_code failed;
  auto const program = fs::read_symlink("/proc/self/exe", failed);
  for (auto folder = program.parent_path(); !failed && folder.has_relative_path();
       folder = folder.parent_path()) {
    for (auto const* const place : {"share/ulpine/analysis/report.py", "analysis/report.py"}) {
      if (fs::is_regular_file(folder / place, failed) &&
          is_trusted((folder / place).parent_path(), program)) {
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
  return ensembles::run_process({"python3", "--version"}).status == 0 ? "python3" : "";
}

std::string write_html_report(std::filesystem::path const& study, ChosenFields const& fields,
                              EarlierPage earlier, bool overwrite) {
  std::vector<std::string> arguments = {study.string()};
  if (fields.none) {
    arguments.emplace_back("--no-fields");
  } else if (!fields.names.empty()) {
    arguments.push_back(fmt::format("--fields={}", fmt::join(fields.names, ",")));
  }
  if (overwrite) arguments.emplace_back("--overwrite");
  auto const retry =
      ensembles::shell_quoted(program_name()) + " report " + ensembles::shell_quoted_path(study);
  return without_others(run_script(arguments, "report.html", retry), study / "report.html", earlier);
}

std::string write_html_comparison(std::filesystem::path const& comparison, std::filesystem::path const& page,
                                  std::string const& retry, bool overwrite) {
  std::vector<std::string> arguments = {comparison.string(), "--output", page.string()};
  if (overwrite) arguments.emplace_back("--overwrite");
  return without_others(run_script(arguments, page.filename().string(), retry), page, EarlierPage::of_others);
}

}  // namespace ulpine::cli
