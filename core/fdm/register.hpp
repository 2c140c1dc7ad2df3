// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine::fdm {

/// Makes core "fdm" known to make_model.
void register_core();

}  // namespace ulpine::fdm
