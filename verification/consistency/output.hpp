// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/provenance.hpp"
#include "verification/consistency/outcome.hpp"

namespace ulpine::verification::consistency {

/// What was compared, as the user named it; for people to read.
struct ComparedNames {
  std::string ensemble;            ///< folder, study or summary file
  std::vector<std::string> tests;  ///< files of new runs, or folders of them
};

/// consistency.json, schema "ulpine.consistency/1": the verdict with all its evidence and figures. Numbers
/// that do not exist are null.
std::string to_json(Verdict const& verdict, io::Provenance const& provenance, ComparedNames const& names);
/// Text for people: a line or two for each method, the verdict last.
std::string to_text(Verdict const& verdict);
/// JUnit XML: a case a method; different is a failure, what has no verdict is skipped with its reason.
std::string to_junit(Verdict const& verdict);

}  // namespace ulpine::verification::consistency
