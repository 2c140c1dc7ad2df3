// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// A CUDA runtime of two devices without kernels, which carries out copies at once, counts what is held, and
/// notes every call that is made on another current device than the real runtime asks for, or than the
/// object's own.
namespace fake_cuda {

inline constexpr int device_count = 2;

/// Forgets calls and violations; what is held stays held.
void reset();
/// Streams, events, graphs and memory not yet released, of all devices.
int held();
/// Device and pinned memory not yet released.
int held_memory();
/// What went wrong, one line each.
std::vector<std::string> const& violations();
/// Calls since reset() that can fail: that create, copy or launch something.
int calls();
/// Lets call number `call` (from 1) after reset() fail; 0: none.
void fail_at(int call);
/// How often cudaSetDevice was called since reset().
int switches();

}  // namespace fake_cuda
