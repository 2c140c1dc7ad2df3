// SPDX-License-Identifier: Apache-2.0
#include "ulpine_version.hpp"

extern "C" {
/// The commit that a module (core/model/modules.hpp) was built from, in each of them.
extern char const* const ulpine_module_commit;
char const* const ulpine_module_commit = ulpine::build::commit;
}
