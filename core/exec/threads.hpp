// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine {

/// EnvironmentError where the calling thread cannot have a team of so many threads, itself included: OpenMP
/// would end the program. make_model asks for a model's. Tried once for each calling thread and size: starts
/// them all, then ends them.
void require_threads(int threads);

}  // namespace ulpine
