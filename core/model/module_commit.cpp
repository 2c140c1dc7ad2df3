// SPDX-License-Identifier: Apache-2.0
#include "ulpine_version.hpp"

extern "C" {
/// Of each module (core/model/modules.hpp): what it was built from.
extern char const* const ulpine_module_commit;
char const* const ulpine_module_commit = ulpine::build::commit;
}
