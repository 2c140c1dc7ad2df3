// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"

#include "core/fem/assembler_impl.hpp"
#include "core/fem/make_impl.hpp"

namespace ulpine::fem {

template std::unique_ptr<Assembler<float>> make_assembler(Cuda, char const*, Assembly,
                                                          TetraConnectivity const&, float const*);
template std::unique_ptr<Core> make_of<float>(Cuda, std::string const&, Assembly, Setup const&,
                                              std::shared_ptr<Ranks> const&, SetupTimes*);

}  // namespace ulpine::fem
