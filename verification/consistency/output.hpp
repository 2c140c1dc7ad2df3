// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/provenance.hpp"
#include "verification/consistency/outcome.hpp"

namespace ulpine::verification::consistency {

/// consistency.json, schema "ulpine.consistency/1": the verdict with all its evidence and figures. Numbers
/// that do not exist are null.
std::string to_json(Verdict const& verdict, io::Provenance const& provenance);
/// Text for people: a line or two for each method, the verdict last.
std::string to_text(Verdict const& verdict);
/// JUnit XML: a case a method; different is a failure, what has no verdict is skipped with its reason.
std::string to_junit(Verdict const& verdict);

}  // namespace ulpine::verification::consistency
