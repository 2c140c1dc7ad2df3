// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/case_file.hpp"

namespace ulpine::io {

/// A number of a case that has a unit: as CaseFile::number(), with limits that are always given and a message
/// that has the unit ("s-1"). InputError: "<file>:<line>: <key>: out of range (it is 1e+300 m) choose between
/// 1 and 1e+05 m".
double quantity(CaseFile const& case_file, std::string const& key, char const* unit, double fallback,
                double least, double most);
/// As quantity(), for an array (CaseFile::numbers()); errors name the element.
std::vector<double> quantities(CaseFile const& case_file, std::string const& key, char const* unit,
                               std::vector<double> const& fallback, double least, double most,
                               std::size_t fewest, std::size_t most_elements);

}  // namespace ulpine::io
