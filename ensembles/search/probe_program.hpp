// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "ensembles/search/probe.hpp"
#include "ensembles/study/configuration.hpp"

namespace ulpine::ensembles::search {

/// The fields of a program that may be stored in less: each is a "stage" of the search, called STAGE.FIELD,
/// whose cost is the bytes of the field each time that the program tells of it. Runs the variant watched by
/// the probe in `scratch`, and once with each field, to see which the probe can round. InputError for unknown
/// fields and precisions, and where no field can be lowered; RunFailed where the program does not call the
/// probe.
Probe probe_program(CaseSource const& source, Configuration const& variant, Options const& options,
                    std::filesystem::path const& scratch);

/// The precisions of a search as formats that the probe rounds to: fp32 is e8m23. InputError for other
/// policies.
std::vector<std::string> formats_of(std::vector<std::string> const& precisions);

}  // namespace ulpine::ensembles::search
