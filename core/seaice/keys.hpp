// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/case_keys.hpp"

namespace ulpine::seaice {

/// The keys of a sea-ice case, those of its mesh included and those that all cores share apart.
std::vector<io::CaseKey> const& case_keys();

/// Reads them from a case, which must outlive the reader.
inline io::KeyReader reader_of(io::CaseFile const& case_file) { return {case_file, case_keys()}; }

}  // namespace ulpine::seaice
