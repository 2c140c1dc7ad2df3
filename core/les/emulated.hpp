// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/poisson/poisson_emulated.hpp"
// The solver in emulated formats is declared before what uses it.
#include "core/exec/host.hpp"
#include "core/exec/reduce_emulated.hpp"
