// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/case_keys.hpp"

namespace ulpine {

/// Declares the keys of the cases of a registered core, those that all cores share apart.
/// The table must stay. To be called before models are made.
void register_case_keys(std::string const& core, std::vector<io::CaseKey> const& keys);
/// Declares keys that cases of all cores share; the same table once only. The table must stay.
void register_common_case_keys(std::vector<io::CaseKey> const& keys);
/// The keys that were declared for `core`; null where none were.
std::vector<io::CaseKey> const* case_keys_of(std::string const& core);
/// The tables that were declared for all cores.
io::KeyTables const& common_case_key_tables();

/// CaseFile::reject_unknown() with the tables of the case's core and those of all cores, once all keys are
/// read: what a core that is not made by model_of() calls in its place.
void reject_unknown_keys(io::CaseFile const& case_file);

}  // namespace ulpine
