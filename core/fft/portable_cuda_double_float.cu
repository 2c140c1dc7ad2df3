// SPDX-License-Identifier: Apache-2.0
#include "precision/double_float_functions.hpp"
// The arithmetic of two floats comes first.
#include "core/fft/portable_cuda.cuh"

namespace ulpine::fft {

using Layout = GroupLayout;
using Number = std::uint32_t;
using Program = LineProgram<DoubleFloat>;
using Pair = Complex<DoubleFloat>;
template void allow_shared_memory<DoubleFloat, Exact>(Cuda, std::int64_t);
template void run_groups<DoubleFloat, Exact>(Cuda, Program const&, Layout const&, Number, std::int64_t,
                                             Pair*);
template void run_groups<DoubleFloat, Exact>(Cuda, Program const&, Layout const&, Number, std::int64_t,
                                             RowsAndPieces<DoubleFloat> const&);
template void run_step<DoubleFloat, Exact>(Cuda, Program const&, std::int32_t, Layout const&, Number, Pair*,
                                           Pair*);

}  // namespace ulpine::fft
