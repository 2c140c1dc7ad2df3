// SPDX-License-Identifier: Apache-2.0
#include "precision/double_float_functions.hpp"
// The arithmetic of two floats comes first.
#include "core/fft/portable_cuda_impl.hpp"

namespace ulpine {

using Transform = std::unique_ptr<PlaneTransform<DoubleFloat>>;
using Size = std::int32_t;
template Transform fft::make_portable_transform<DoubleFloat, Exact>(Cuda, Size, Size, Size,
                                                                    fft::DeviceSchedule, PlaneLines);
template Transform make_portable_transform<DoubleFloat, Exact>(Cuda, Size, Size, Size, PlaneLines);
template std::unique_ptr<RowsInPieces<DoubleFloat>> make_portable_rows_in_pieces<DoubleFloat, Exact>(
    Cuda, RowsOfLevels const&);

}  // namespace ulpine
