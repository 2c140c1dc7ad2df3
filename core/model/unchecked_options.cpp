// SPDX-License-Identifier: Apache-2.0
#include "core/model/unchecked_options.hpp"

#include <atomic>

namespace ulpine {
namespace {

std::atomic<bool> unchecked = false;

}  // namespace

void take_unchecked_options() { unchecked = true; }
bool takes_unchecked_options() { return unchecked; }

}  // namespace ulpine
