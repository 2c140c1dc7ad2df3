// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine {

/// The ordinal of "cuda" (0) or "cuda:N"; -1 for "cpu". InputError otherwise.
int device_ordinal(std::string const& device);

/// Throws EnvironmentError, saying what to do, unless GPU `ordinal` is there and this build holds code for
/// it.
void require_device(int ordinal);

/// Measured bandwidth of a copy within the memory of GPU `ordinal`, bytes read and written per s; 0 without a
/// GPU. Measured once in a process.
double copy_bandwidth(int ordinal);

}  // namespace ulpine
