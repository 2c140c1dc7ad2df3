// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The policies that host and device run once they have been compiled for, and the arithmetic of their
/// numbers.
#include "precision/double_float_functions.hpp"
#include "ulpine_demanded_policies.hpp"
