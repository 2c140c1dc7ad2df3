// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fft/portable_counted.hpp"
// The transform with numbers that count is declared before what uses it.
#include "core/exec/host.hpp"
#include "core/exec/reduce_counted.hpp"
