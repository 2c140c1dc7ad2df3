// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine::cli {

/// What main() was called with, for require_ranks().
void keep_arguments(int argc, char** argv);
/// Nothing where the program has `ranks` already. Else has mpirun start the same command with them, and ends
/// as it does. EnvironmentError where there is no mpirun or it has started too few.
void require_ranks(int ranks);

/// This process' part of its machine: with how many others of the program it shares it, and which it is.
struct PartOfMachine {
  int part = 0, parts = 1;
};
/// To be told once.
void set_part_of_machine(PartOfMachine part);
PartOfMachine part_of_machine();

}  // namespace ulpine::cli
