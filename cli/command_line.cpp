// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.hpp"

#include <algorithm>
#include <sstream>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "io/error.hpp"
#include "io/foreign_format.hpp"
#include "io/regular_file.hpp"
#include "ulpine_version.hpp"

namespace ulpine::cli {
namespace {

/// Moves the command before the options given ahead of it (`ulpine --quiet run ...`) and returns it; empty
/// where there is none.
std::string command_first(std::vector<std::string>& words) {
  auto const found = std::ranges::find_if(words, [](auto const& word) { return !word.starts_with('-'); });
  if (found == words.end()) {
    return {};
  }
  std::rotate(words.begin(), found, found + 1);
  return words.front();
}

std::string hint(std::string const& word, std::vector<std::string> const& known) {
  std::vector<char const*> names;
  for (auto const& name : known) {
    names.push_back(name.c_str());
  }
  names.push_back(nullptr);
  return nearest_hint(word, names.data());
}

/// One line on what is wrong with the command line, with the nearest right name.
std::string usage_problem(CLI::App const& program, CLI::ParseError const& error) {
  auto const chosen = program.get_subcommands();
  auto const* const command = chosen.empty() ? &program : chosen.front();
  auto const help =
      " (see `" + program_name() + " " + (chosen.empty() ? "" : command->get_name() + " ") + "--help`)";
  auto const left = command->remaining();
  auto const odd = std::ranges::find_if(left, [](auto const& word) { return word.starts_with('-'); });
  if (odd != left.end()) {
    std::vector<std::string> names;
    for (auto const* const option : command->get_options()) {
      for (auto const& name : option->get_lnames()) {
        names.push_back("--" + name);
      }
    }
    auto const word = odd->substr(0, odd->find('='));
    return "unknown option " + word + hint(word, names) + help;
  }
  if (!left.empty()) {
    return "unexpected argument '" + left.front() + "'" + help;
  }
  return error.what() + help;
}

/// That every word says something and can stand in the files that are written: an empty one is mostly an
/// unset variable of the shell, and an option of that value would be one not given.
void require_words(std::vector<std::string> const& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto const& word = words[i];
    auto const option = word.empty() && i > 0 && words[i - 1].starts_with('-') ? words[i - 1] : word;
    if (word.empty() || (word.starts_with("--") && word.find('=') + 1 == word.size())) {
      throw InputError(option.empty()
                           ? "an argument is empty (an unset variable of the shell?) give it or leave it out"
                           : option.substr(0, option.find('=')) +
                                 ": its value is empty (an unset variable of the shell?) give one or leave "
                                 "the option out");
    }
    if (auto const mended = quoted_utf8(word); !mended.second) {
      throw InputError("argument " + mended.first +
                       " is no UTF-8 (as all that is written must be) rename the file or folder");
    }
  }
}

/// The values in `words` that `name` is given: `--name value` and `--name=value`.
std::vector<std::string> values_of(std::vector<std::string> const& words, std::string const& name) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size()) {
      values.push_back(words[i + 1]);
    } else if (words[i].starts_with(name + "=")) {
      values.push_back(words[i].substr(name.size() + 1));
    }
  }
  return values;
}

/// Options whose value is FILE take ordinary files, those of FILES folders and patterns, too; lists take no
/// empty items (which CLI11 would leave out).
void check_values(CLI::App& command, std::vector<std::string> const& words) {
  for (auto* const option : command.get_options()) {
    if (option->get_type_name() == "FILE") {
      option->each([](std::string const& value) {
        if (io::format_of(value) != io::ForeignFormat::zarr) io::require_regular_file(value);
      });
    }
    if (option->get_type_name() == "FILES") {
      option->each([](std::string const& value) {
        if (!std::filesystem::is_directory(value)) io::require_regular_file(value);
      });
    }
    if (option->get_delimiter() != ',') {
      continue;
    }
    for (auto const& value : values_of(words, option->get_name())) {
      if (value.starts_with(',') || value.ends_with(',') || value.find(",,") != std::string::npos) {
        throw InputError(option->get_name() + ": an item of '" + value +
                         "' is empty (an unset variable of the shell?) give it or leave out its comma");
      }
    }
  }
}

}  // namespace

std::string version() { return std::string("ulpine ") + build::version + " (commit " + build::commit + ")"; }

std::function<int()> read_command_line(std::vector<std::string> words) {
  require_words(words);
  bool const manual = words == std::vector<std::string>{"help", "--man"};
  if (!words.empty() && words.front() == "help") {  // `help COMMAND` for `COMMAND --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  auto const name = command_first(words);
  CLI::App program{"May this answer of a geophysical model on a GPU be trusted?", program_name()};
  program.formatter(help_formatter(text_width()));
  program.set_version_flag("-V,--version", version());
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 done, all gates passed and nothing differs; 1 a gate or a run failed, or something "
      "differs that must not; 2 bad usage or input; 3 no GPU, out of memory, disk full; 4 nothing failed, "
      "but a verdict is undecided (the last line says what would decide it); 130, 143 interrupted.\n\n"
      "`" +
      program_name() + " help COMMAND` shows the options of a command and an example.\n\nExample:\n  " +
      program_name() + " info");
  CommandLine line{program, words};
  add_running(line);
  add_consistency(line);
  add_tracing(line);
  add_search(line);
  add_digits(line);
  add_comparing(line);

  std::vector<std::string> names;
  for (auto const* const command : program.get_subcommands([](CLI::App const*) { return true; })) {
    names.push_back(command->get_name());
  }
  if (manual) {
    return [text = man_page(program)] {
      print({}, text);
      return exit_code::done;
    };
  }
  auto const help = " (see `" + program_name() + " --help`)";
  if (!name.empty() && std::ranges::find(names, name) == names.end()) {
    throw InputError("unknown command '" + name + "'" + hint(name, names) + help);
  }
  if (!name.empty()) {
    check_values(*program.get_subcommand(name), words);
  }
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 reads from the end
  } catch (CLI::Success const& success) {
    std::ostringstream text;
    program.exit(success, text, text);
    return [shown = text.str()] {
      print({}, shown);
      return exit_code::done;
    };
  } catch (CLI::ParseError const& error) {
    throw InputError(words.empty() ? "no command given" + help : usage_problem(program, error));
  }
  return line.action;
}

}  // namespace ulpine::cli
