// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What most tests include, compiled once for all of them (ulpine_test in cmake/UlpineTargets.cmake). A test
/// includes what it uses all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>
