// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The policies that the host alone runs, and the arithmetic of their numbers.
#include "precision/double_float_functions.hpp"
#include "precision/quad.hpp"
#include "ulpine_host_policies.hpp"
