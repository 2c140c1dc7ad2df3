// SPDX-License-Identifier: Apache-2.0
#include "io/case_idle.hpp"

namespace ulpine::io {

void refuse_idle_keys(CaseFile const& case_file, std::initializer_list<char const*> keys,
                      std::string const& needed) {
  for (auto const* key : keys) {
    if (!case_file.has(key)) continue;
    throw case_file.error(key, "has no effect (it needs " + needed + ") give that, or take it out");
  }
}

}  // namespace ulpine::io
