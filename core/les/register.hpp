// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine::les {

/// Makes core "les" known to make_model.
void register_core();

}  // namespace ulpine::les
