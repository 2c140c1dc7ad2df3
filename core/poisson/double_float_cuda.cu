// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/columns_double_float.hpp"
// The arithmetic of two floats comes first.
#include "core/poisson/columns_cuda.cuh"

namespace ulpine::detail {

using Tables = ColumnTables<DoubleFloat>;
template bool prepare_columns_in_shared_memory<DoubleFloat, Exact>(Cuda, std::int32_t);
template void solve_columns_in_shared_memory<DoubleFloat, Exact>(Cuda, Tables const&, DoubleFloat*);
template void solve_columns_in_two_passes<DoubleFloat, Exact>(Cuda, Tables const&, DoubleFloat*,
                                                              DoubleFloat*);

}  // namespace ulpine::detail
