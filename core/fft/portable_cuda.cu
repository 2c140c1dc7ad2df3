// SPDX-License-Identifier: Apache-2.0
#include "core/fft/portable_cuda.cuh"

namespace ulpine::fft {

using Layout = GroupLayout;
using Number = std::uint32_t;
template <class T>
using Program = LineProgram<T>;
template void allow_shared_memory<float, Exact>(Cuda, std::int64_t);
template void run_groups<float, Exact>(Cuda, Program<float> const&, Layout const&, Number, std::int64_t,
                                       Complex<float>*);
template void run_groups<float, Exact>(Cuda, Program<float> const&, Layout const&, Number, std::int64_t,
                                       RowsAndPieces<float> const&);
template void run_step<float, Exact>(Cuda, Program<float> const&, std::int32_t, Layout const&, Number,
                                     Complex<float>*, Complex<float>*);
template void allow_shared_memory<double, Exact>(Cuda, std::int64_t);
template void run_groups<double, Exact>(Cuda, Program<double> const&, Layout const&, Number, std::int64_t,
                                        Complex<double>*);
template void run_groups<double, Exact>(Cuda, Program<double> const&, Layout const&, Number, std::int64_t,
                                        RowsAndPieces<double> const&);
template void run_step<double, Exact>(Cuda, Program<double> const&, std::int32_t, Layout const&, Number,
                                      Complex<double>*, Complex<double>*);

}  // namespace ulpine::fft
