// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/executor.hpp"
#include "core/fft/group_plan.hpp"
#include "core/fft/plane_transform.hpp"

namespace ulpine::fft {

/// make_portable_transform with a schedule of one's own; the same bits.
template <class T, class Format = Exact>
std::unique_ptr<PlaneTransform<T>> make_portable_transform(Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                           std::int32_t nx, DeviceSchedule schedule,
                                                           PlaneLines lines = PlaneLines::all);

/// Lets blocks of run_groups have so many bytes of shared memory; holds for all of a device's transforms.
template <class T, class Format>
void allow_shared_memory(Cuda cuda, std::int64_t bytes);

/// All steps for `groups` groups, a block each, with `shared_bytes` of shared memory.
template <class T, class Format>
void run_groups(Cuda cuda, LineProgram<T> const& program, GroupLayout const& layout, std::uint32_t groups,
                std::int64_t shared_bytes, Complex<T>* planes);

/// All steps for `groups` groups, a block each, between rows and pieces instead of in planes.
template <class T, class Format>
void run_groups(Cuda cuda, LineProgram<T> const& program, GroupLayout const& layout, std::uint32_t groups,
                std::int64_t shared_bytes, RowsAndPieces<T> const& rows);

/// One step of one group in global scratch.
template <class T, class Format>
void run_step(Cuda cuda, LineProgram<T> const& program, std::int32_t step, GroupLayout const& layout,
              std::uint32_t group, Complex<T>* scratch, Complex<T>* planes);

}  // namespace ulpine::fft
