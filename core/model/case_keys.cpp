// SPDX-License-Identifier: Apache-2.0
#include "core/model/case_keys.hpp"

#include <map>

namespace ulpine {
namespace {

std::map<std::string, std::vector<io::CaseKey> const*>& tables() {
  static std::map<std::string, std::vector<io::CaseKey> const*> all;
  return all;
}

}  // namespace

void register_case_keys(std::string const& core, std::vector<io::CaseKey> const& keys) {
  tables().insert_or_assign(core, &keys);
}

std::vector<io::CaseKey> const* case_keys_of(std::string const& core) {
  auto const found = tables().find(core);
  return found == tables().end() ? nullptr : found->second;
}

}  // namespace ulpine
