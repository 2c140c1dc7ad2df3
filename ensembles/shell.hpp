// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine::ensembles {

/// `text` as one word of a POSIX shell, plain where it needs no quotes.
std::string shell_quoted(std::string const& text);

}  // namespace ulpine::ensembles
