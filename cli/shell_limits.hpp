// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine::cli {

/// Looks at what the shell allows (`ulimit`) at the start of the program. EnvironmentError where the stack or
/// the number of open files is so small that libraries would end the program without a word or leave half
/// files behind. Where processor time is limited, SIGXCPU comes a while before the end, so that there is time
/// to stop as after SIGINT.
void respect_shell_limits();

}  // namespace ulpine::cli
