// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

struct CUstream_st;

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
/// Whether streams put off their work until somebody waits for it, as a device does that is slower than the
/// host. Each does its own in order; what belongs to others stays undone.
void put_off(bool yes);
/// In place of a kernel.
void launch(CUstream_st* stream, std::function<void()> work);
/// Most bytes of device memory held at a time since reset().
std::size_t most_device_bytes();

/// How often cudaSetDevice was called since reset().
int switches();

}  // namespace fake_cuda
