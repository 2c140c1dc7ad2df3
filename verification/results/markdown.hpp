// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine::verification {

/// `text` on one line of GitHub's Markdown, in a cell of a table or elsewhere, where it is shown as it is
/// and does nothing: no markup, no HTML, no link, no mention of a person, issue or team. What backslashes
/// cannot keep from that stands in a span of code.
std::string cell(std::string const& text);
/// `text` in a span of code.
std::string code(std::string const& text);

}  // namespace ulpine::verification
