// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ensembles/programs/compared_variants.hpp"
#include "ensembles/reproducibility/bitwise.hpp"
#include "ensembles/reproducibility/conformance.hpp"
#include "ensembles/reproducibility/probed_programs.hpp"
#include "ensembles/reproducibility/programs.hpp"
#include "ensembles/reproducibility/restart_comparison.hpp"
#include "ensembles/reproducibility/run_difference.hpp"

// What the commands that compare bits found, as JSON. One list of each document has an object for each row of
// the table that people read: `configurations`, `variants`, `programs`, `checks` or `tests`.

namespace ulpine::ensembles {

nlohmann::ordered_json to_json(BitwiseResult const& result);
nlohmann::ordered_json to_json(VariantsResult const& result);
nlohmann::ordered_json to_json(ProgramsResult const& result);
nlohmann::ordered_json to_json(ProbedResult const& result);
nlohmann::ordered_json to_json(std::vector<ConformanceCheck> const& checks);
nlohmann::ordered_json to_json(RestartResult const& result);
/// `kind` is "none" where all `states` are equal; `notes` are lines beside it.
nlohmann::ordered_json to_json(std::optional<RunDifference> const& difference, std::int64_t states,
                               std::vector<std::string> const& notes);

}  // namespace ulpine::ensembles
