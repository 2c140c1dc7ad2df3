// SPDX-License-Identifier: Apache-2.0
#include "core/fft/portable_cuda.cuh"
#include "ulpine_instances.hpp"

namespace ulpine::fft {

using Layout = GroupLayout;
using Number = std::uint32_t;
template <class T>
using Program = LineProgram<T>;
#define ULPINE_INSTANTIATE(T, Format)                                                               \
  template void allow_shared_memory<T, Format>(Cuda, std::int64_t);                                 \
  template void run_groups<T, Format>(Cuda, Program<T> const&, Layout const&, Number, std::int64_t, \
                                      Complex<T>*);                                                 \
  template void run_groups<T, Format>(Cuda, Program<T> const&, Layout const&, Number, std::int64_t, \
                                      RowsAndPieces<T> const&);                                     \
  template void run_step<T, Format>(Cuda, Program<T> const&, std::int32_t, Layout const&, Number,   \
                                    Complex<T>*, Complex<T>*);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE

}  // namespace ulpine::fft
