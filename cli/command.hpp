// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace ulpine {

/// The command `ulpine` (docs/reference/command.md) as a function, for main() of a program that has models of
/// its own: it reads the arguments, does what they ask, prints, and returns the exit code. `register_cores`
/// makes the program's cores known, each with register_model() (core/model.hpp); it is called once, after the
/// check that the processor has the instructions of this build. All errors are told here, in a line on
/// standard error. Help and advice call the program by the name that it was called by.
int command_main(int argc, char** argv, std::function<void()> const& register_cores);

}  // namespace ulpine
