// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/case_keys.hpp"

namespace ulpine::les {

/// Every key that a case with core = "les" may have besides those that all cores share.
std::vector<io::CaseKey> const& case_keys();
/// Reads those keys from a case, which has to outlive the reader.
io::KeyReader keys_of(io::CaseFile const& case_file);

}  // namespace ulpine::les
