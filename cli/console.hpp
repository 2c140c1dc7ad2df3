// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "cli/commands.hpp"

namespace ulpine::cli {

/// Exit codes of the program; scripts rely on these. After a signal it is 128 + its number, as in shells.
namespace exit_code {
inline constexpr int done = 0;         ///< and all gates passed
inline constexpr int different = 1;    ///< a gate or a run failed, or what had to be equal differs
inline constexpr int bad_input = 2;    ///< bad usage, case file or data file
inline constexpr int environment = 3;  ///< no GPU, out of memory, disk full
inline constexpr int undecided = 4;    ///< nothing failed, but a verdict is undecided
}  // namespace exit_code

/// Sets the program's name in help, advice and errors: the file name of its `path`; "ulpine" until this is
/// called or where that is empty.
void set_program_name(std::filesystem::path const& path);
std::string const& program_name();

/// Takes the numbers of standard input, output and error where the caller has closed them: a file opened
/// later would get one, and what is printed would be written into it. Printing fails then as before.
void hold_standard_descriptors();
/// SIGPIPE and SIGXFSZ are ignored, so that long work survives a reader that has left, and a limit of files
/// is an error of writing.
void ignore_signals();
/// SIGINT and SIGTERM, which a launcher sends to all ranks, are for rank 0 to answer.
void leave_signals_to_rank_0();
/// Set by SIGINT, SIGTERM and SIGXCPU from the first call on; a second one ends the program at once. In
/// commands that never call this the first one does.
std::atomic<bool> const& cancelled();
/// Says on standard error that work was cut short and `how_to_resume`; returns the exit code.
int interrupted(std::string const& how_to_resume);

/// Writes `text` to standard output unless quiet. EnvironmentError where that fails, e.g. on a full disk; a
/// reader that has left is no error.
void print(Common const& common, std::string const& text);
/// As print(), for a JSON document, valid whatever is in it: not finite numbers become null, bytes that are
/// no UTF-8 the replacement character.
void print_json(Common const& common, nlohmann::ordered_json const& document);
/// Makes what was printed reach its place; the same errors.
void flush_output();
/// One line on standard error, which begins with the program's name; line breaks within it become "; ", other
/// control characters blanks.
void complain(std::string const& message);

/// `text` in double quotes, what is no UTF-8 in it replaced, and whether there was nothing to replace.
std::pair<std::string, bool> quoted_utf8(std::string const& text);

/// InputError where there is no `case_file`.
void require_case_file(std::filesystem::path const& case_file);

/// Seconds of `text`; InputError that names `option` otherwise.
double duration_option(std::string const& option, std::string const& text);
/// The threads that OpenMP would take where `threads` is 0.
int threads_or_all(int threads);
/// "  --set ..." of each override, for commands shown to people.
std::string set_arguments(std::vector<std::string> const& overrides);

}  // namespace ulpine::cli
