// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ulpine::io {

/// `text` with blanks for what a terminal could take for an order: control characters but line breaks and
/// tabulators, those of U+0080 to U+009F among them, and marks that change the direction of writing or end a
/// line (Unicode's bidirectional controls, U+2028 and U+2029). Names and texts of files get no other way to
/// a screen.
std::string plain_text(std::string_view text);
/// As plain_text(), for a JSON document: such characters become \uXXXX, so that its strings keep their value.
std::string plain_json(std::string_view document);

}  // namespace ulpine::io
