// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/case_keys.hpp"

namespace ulpine::ensembles {

/// Name that the key `core` of a case has where it names a program: an executable of any kind, which is run
/// as a process of its own.
inline constexpr char const* program_core = "program";

/// Keys of the cases of programs, those that cases of all cores share apart.
std::vector<io::CaseKey> const& program_keys();

/// Makes "program" known among the cores. Its cases have no model in this process: make_model() refuses them
/// with a line that says which commands take them.
void register_programs();

}  // namespace ulpine::ensembles
