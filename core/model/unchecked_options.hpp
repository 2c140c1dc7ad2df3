// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Options that a case hands on to a library of others, as PETSc, which could write files by them or load
/// code.
namespace ulpine {

/// The user's word on the command line that takes such options as they are.
inline constexpr char const* unchecked_options_flag = "--petsc-unchecked";

/// From now on this process takes them; no case can say so.
void take_unchecked_options();
bool takes_unchecked_options();

}  // namespace ulpine
