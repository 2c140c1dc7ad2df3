// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "ulpine_version.hpp"

namespace ulpine::cli {
namespace {

/// `text` in lines of at most `width` characters, broken between words; each line of `text` begins a new one,
/// and those that begin with a blank stay as they are.
std::string wrapped(std::string const& text, std::size_t width) {
  std::ostringstream out;
  std::istringstream lines(text);
  bool first_line = true;
  for (std::string line; std::getline(lines, line);) {
    if (!first_line) out << '\n';
    first_line = false;
    if (line.starts_with(' ')) {
      out << line;
      continue;
    }
    std::istringstream words(line);
    std::size_t column = 0;
    for (std::string word; words >> word;) {
      if (column > 0 && column + 1 + word.size() > width) {
        out << '\n';
        column = 0;
      }
      if (column > 0) {
        out << ' ';
        ++column;
      }
      out << word;
      column += word.size();
    }
  }
  return out.str();
}

class WrappingFormatter : public CLI::Formatter {
 public:
  explicit WrappingFormatter(std::size_t width) : width_{width} {}

  std::string make_option_desc(CLI::Option const* option) const override {
    return beside_name(option->get_description());
  }
  std::string make_subcommand(CLI::App const* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_display_name(true), beside_name(command->get_description()),
                             get_column_width());
    return out.str();
  }
  std::string make_description(CLI::App const* app) const override {
    return wrapped(CLI::Formatter::make_description(app), width_) + "\n";
  }
  std::string make_footer(CLI::App const* app) const override {
    return wrapped(CLI::Formatter::make_footer(app), width_) + "\n";
  }

 private:
  std::string beside_name(std::string const& description) const {
    constexpr std::size_t least = 20;
    return wrapped(description, std::max(least, width_ - std::min(width_, get_column_width())));
  }

  std::size_t width_;
};

/// Text for roff: what it would take for requests or hyphens is escaped.
std::string roff(std::string_view text) {
  std::string escaped;
  for (char const c : text) {
    bool const at_start = escaped.empty() || escaped.back() == '\n';
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      if (at_start && (c == '.' || c == '\'')) escaped += "\\&";
      escaped += c;
    }
  }
  return escaped;
}

/// Paragraphs of a footer; indented lines are examples.
void write_footer(std::ostream& out, std::string const& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      out << ".PP\n";
    } else if (line.starts_with(' ')) {
      out << ".nf\n" << roff(line) << "\n.fi\n";
    } else {
      out << roff(line) << "\n";
    }
  }
}

void write_options(std::ostream& out, CLI::App const& app) {
  CLI::Formatter const names;
  for (auto const* const option : app.get_options()) {
    bool const positional = option->get_positional();
    out << ".TP\n.B " << roff(names.make_option_name(option, positional) + names.make_option_opts(option))
        << "\n"
        << roff(option->get_description()) << "\n";
  }
}

}  // namespace

std::size_t text_width() {
  constexpr std::size_t narrowest = 40, elsewhere = 100;
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return elsewhere;
  }
  return std::max(narrowest, std::size_t{size.ws_col});
}

std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t width) {
  return std::make_shared<WrappingFormatter>(width);
}

std::string man_page(CLI::App const& program) {
  std::ostringstream out;
  out << ".TH ULPINE 1 \"\" \"ulpine " << build::version << "\" \"User Commands\"\n.SH NAME\nulpine \\- "
      << roff(program.get_description()) << "\n.SH SYNOPSIS\n.B ulpine\n.I COMMAND\n[OPTIONS]\n.SH OPTIONS\n";
  write_options(out, program);
  auto const commands = program.get_subcommands([](CLI::App const*) { return true; });
  out << ".SH COMMANDS\n";
  for (auto const* const command : commands) {
    out << ".SS ulpine " << roff(command->get_name()) << "\n" << roff(command->get_description()) << "\n";
    write_options(out, *command);
    out << ".PP\n";
    write_footer(out, command->get_footer());
  }
  out << ".SH NOTES\n";
  write_footer(out, program.get_footer());
  return out.str();
}

}  // namespace ulpine::cli
