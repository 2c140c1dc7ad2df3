// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/poisson/columns.hpp"

/// The device's launches, instantiated in columns_cuda.cu for the types and formats of make_column_solver.
namespace ulpine::detail {

/// Whether columns of so many levels fit into shared memory; makes the device ready for that.
template <class T, class Format>
bool prepare_columns_in_shared_memory(Cuda cuda, std::int32_t levels);
/// Solves the columns in one pass over memory.
template <class T, class Format>
void solve_columns_in_shared_memory(Cuda cuda, ColumnTables<T> const& tables, T* planes);
/// Solves the columns in two passes over memory, with a value of `losses` for each pair of the planes.
template <class T, class Format>
void solve_columns_in_two_passes(Cuda cuda, ColumnTables<T> const& tables, T* planes, T* losses);

}  // namespace ulpine::detail
