// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ulpine::cli {

/// A table as CSV (RFC 4180, lines end with LF): a line of names, then one for each object of the list
/// `rows`. Members of objects within them have names as `element.value`, items of lists are joined by `;`,
/// null is an empty cell. Empty where there are no rows.
std::string csv_table(nlohmann::ordered_json const& rows);

/// The list of objects that the values of `object` are, or that lists of them hold; each begins with its name
/// under `key`.
nlohmann::ordered_json rows_by_name(nlohmann::ordered_json const& object, std::string const& key);

}  // namespace ulpine::cli
