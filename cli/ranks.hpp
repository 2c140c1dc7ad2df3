// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine::cli {

/// What main() was called with, for require_ranks().
void keep_arguments(int argc, char** argv);
/// Nothing where the program has `ranks` already. Else has mpirun start the same command with them, and ends
/// as it does. EnvironmentError where there is no mpirun or it has started too few.
void require_ranks(int ranks);

}  // namespace ulpine::cli
