// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/demanded_policies.hpp"
// The arithmetic of wide numbers comes before the launches of kernels.
#include "core/exec/cuda.cuh"
