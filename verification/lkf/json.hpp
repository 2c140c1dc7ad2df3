// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "verification/lkf/detector.hpp"

namespace ulpine::lkf {

/// "repaired" or "lkf_tools".
char const* name_of(Rules rules);
nlohmann::ordered_json to_json(Parameters const& parameters);
/// Its measures and cells; lengths in km are null where no spacing is known.
nlohmann::ordered_json to_json(Feature const& feature, std::optional<Spacing> const& spacing_km);
/// The distances of rows and columns in km, or null.
nlohmann::ordered_json to_json(std::optional<Spacing> const& spacing_km);

}  // namespace ulpine::lkf
