// SPDX-License-Identifier: Apache-2.0
#include "core/model/case_keys.hpp"

#include <algorithm>
#include <map>

namespace ulpine {
namespace {

std::map<std::string, std::vector<io::CaseKey> const*>& tables() {
  static std::map<std::string, std::vector<io::CaseKey> const*> all;
  return all;
}

io::KeyTables& common_tables() {
  static io::KeyTables all;
  return all;
}

}  // namespace

void register_case_keys(std::string const& core, std::vector<io::CaseKey> const& keys) {
  tables().insert_or_assign(core, &keys);
}

void register_common_case_keys(std::vector<io::CaseKey> const& keys) {
  if (std::ranges::find(common_tables(), &keys) == common_tables().end()) common_tables().push_back(&keys);
}

std::vector<io::CaseKey> const* case_keys_of(std::string const& core) {
  auto const found = tables().find(core);
  return found == tables().end() ? nullptr : found->second;
}

io::KeyTables const& common_case_key_tables() { return common_tables(); }

void reject_unknown_keys(io::CaseFile const& case_file) {
  auto known = common_tables();
  if (auto const* const own = case_keys_of(case_file.core())) known.insert(known.begin(), own);
  io::reject_unknown(case_file, known);
}

}  // namespace ulpine
