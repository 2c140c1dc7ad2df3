// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/quad.hpp"
// The arithmetic of 113 bits comes before the launches of kernels.
#include "core/exec/host.hpp"
