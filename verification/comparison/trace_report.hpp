// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "verification/comparison/trace_diff.hpp"
#include "verification/comparison/trace_merge.hpp"

namespace ulpine::verification {

/// What a comparison with this trace leaves open, in lines without their ends, each beginning with `name`:
/// where a trace without its end stops, elements that no rank tells of, on what ranks disagree, ranks without
/// a trace.
std::vector<std::string> reservations(MergedTrace const& merged, std::string const& name);

/// The number of records that two traces without a difference have in common.
std::int64_t records_in_common(MergedTrace const& a, MergedTrace const& b);

/// A JSON object: `kind` ("none" where there is no divergence), `records_equal`, and of a divergence `step`,
/// `loops` within it, `stage`, `field`, and as far as it has them `first`, `last`, `first_indices`,
/// `last_indices`, `indices` ("fortran": from 1, the fastest first; "c"), `blocks_differing`, `blocks`,
/// `elements` of both, `parts`; `notes` are the lines of reservations().
nlohmann::ordered_json to_json(std::optional<Divergence> const& divergence, std::int64_t records,
                               std::vector<std::string> const& notes);

}  // namespace ulpine::verification
