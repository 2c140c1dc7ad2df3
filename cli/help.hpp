// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace ulpine::cli {

/// Columns for texts on standard output: those of the terminal, at least 40; 100 where it is none.
std::size_t text_width();

/// Lays out help in so many columns: descriptions are broken between words, indented lines (examples) never.
std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t width);

/// The manual page of `program` (man(7)) with all its commands, made of the same words as their help.
std::string man_page(CLI::App const& program);

}  // namespace ulpine::cli
