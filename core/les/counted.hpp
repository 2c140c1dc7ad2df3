// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/poisson/poisson_counted.hpp"
// The solver with numbers that count is declared before what uses it.
#include "core/exec/host.hpp"
#include "core/exec/reduce_counted.hpp"
