// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/model/model.hpp"

namespace ulpine::seaice {

/// Builds the sea-ice model of a case; its keys are listed in docs/reference/case-files.md. Errors as
/// make_model.
std::unique_ptr<Model> make_seaice_model(io::CaseFile const& case_file, ModelOptions const& options);

/// Makes the core known as "seaice".
void register_core();

}  // namespace ulpine::seaice
