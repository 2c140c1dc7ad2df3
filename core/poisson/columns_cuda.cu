// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/columns_cuda.cuh"
#include "ulpine_instances.hpp"

namespace ulpine::detail {

template bool prepare_columns_in_shared_memory<double, Exact>(Cuda, std::int32_t);
template bool prepare_columns_in_shared_memory<float, Exact>(Cuda, std::int32_t);
#define ULPINE_INSTANTIATE(T, Format) \
  template bool prepare_columns_in_shared_memory<T, Format>(Cuda, std::int32_t);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE
template void solve_columns_in_shared_memory<double, Exact>(Cuda, ColumnTables<double> const&, double*);
template void solve_columns_in_shared_memory<float, Exact>(Cuda, ColumnTables<float> const&, float*);
#define ULPINE_INSTANTIATE(T, Format) \
  template void solve_columns_in_shared_memory<T, Format>(Cuda, ColumnTables<T> const&, T*);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE
template void solve_columns_in_two_passes<double, Exact>(Cuda, ColumnTables<double> const&, double*, double*);
template void solve_columns_in_two_passes<float, Exact>(Cuda, ColumnTables<float> const&, float*, float*);
#define ULPINE_INSTANTIATE(T, Format) \
  template void solve_columns_in_two_passes<T, Format>(Cuda, ColumnTables<T> const&, T*, T*);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE

}  // namespace ulpine::detail
