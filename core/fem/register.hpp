// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine::fem {

/// Makes core "fem" known to make_model.
void register_core();

}  // namespace ulpine::fem
