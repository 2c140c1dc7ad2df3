// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The policies that the host runs, and the arithmetic of their numbers.
#include "precision/demanded_policies.hpp"
#include "precision/quad.hpp"
#include "ulpine_host_policies.hpp"
