// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>

#include "io/case_file.hpp"

namespace ulpine::io {

/// InputError for the first of `keys` that the case gives; to be called where they have no effect. `needed`
/// is what they would have one with: "sponge.rate", "closure.kind = \"constant\"".
void refuse_idle_keys(CaseFile const& case_file, std::initializer_list<char const*> keys,
                      std::string const& needed);

}  // namespace ulpine::io
