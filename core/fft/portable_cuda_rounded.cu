// SPDX-License-Identifier: Apache-2.0
#include "core/fft/portable_cuda.cuh"

namespace ulpine::fft {

using Layout = GroupLayout;
using Number = std::uint32_t;
template <class T>
using Program = LineProgram<T>;
template void allow_shared_memory<float, Tf32>(Cuda, std::int64_t);
template void run_groups<float, Tf32>(Cuda, Program<float> const&, Layout const&, Number, std::int64_t,
                                      Complex<float>*);
template void run_groups<float, Tf32>(Cuda, Program<float> const&, Layout const&, Number, std::int64_t,
                                      RowsAndPieces<float> const&);
template void run_step<float, Tf32>(Cuda, Program<float> const&, std::int32_t, Layout const&, Number,
                                    Complex<float>*, Complex<float>*);
template void allow_shared_memory<float, Bfloat16>(Cuda, std::int64_t);
template void run_groups<float, Bfloat16>(Cuda, Program<float> const&, Layout const&, Number, std::int64_t,
                                          Complex<float>*);
template void run_groups<float, Bfloat16>(Cuda, Program<float> const&, Layout const&, Number, std::int64_t,
                                          RowsAndPieces<float> const&);
template void run_step<float, Bfloat16>(Cuda, Program<float> const&, std::int32_t, Layout const&, Number,
                                        Complex<float>*, Complex<float>*);
template void allow_shared_memory<float, Binary16>(Cuda, std::int64_t);
template void run_groups<float, Binary16>(Cuda, Program<float> const&, Layout const&, Number, std::int64_t,
                                          Complex<float>*);
template void run_groups<float, Binary16>(Cuda, Program<float> const&, Layout const&, Number, std::int64_t,
                                          RowsAndPieces<float> const&);
template void run_step<float, Binary16>(Cuda, Program<float> const&, std::int32_t, Layout const&, Number,
                                        Complex<float>*, Complex<float>*);

}  // namespace ulpine::fft
