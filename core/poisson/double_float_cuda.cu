// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/columns_double_float.hpp"
// The arithmetic of two floats comes first.
#include "core/poisson/columns_cuda.cuh"
#include "core/ranks/redistribution.hpp"

namespace ulpine::detail {

using Tables = ColumnTables<DoubleFloat>;
template bool prepare_columns_in_shared_memory<DoubleFloat, Exact>(Cuda, std::int32_t);
template void solve_columns_in_shared_memory<DoubleFloat, Exact>(Cuda, Tables const&, DoubleFloat*);
template void solve_columns_in_two_passes<DoubleFloat, Exact>(Cuda, Tables const&, DoubleFloat*,
                                                              DoubleFloat*);

template <>
void copy_boxes(Cuda cuda, Extent3 most, BoxCopy<DoubleFloat> const& copy) {
  for_each(cuda, most, copy);
}
template <>
void move_box(Cuda cuda, std::int32_t rows, BoxMove<DoubleFloat> const& move) {
  for_each(cuda, Extent2{move.nx, rows}, move);
}

}  // namespace ulpine::detail
