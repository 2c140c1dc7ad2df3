// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/phases_cuda_impl.hpp"
#include "ulpine_instances.hpp"

namespace ulpine {

template std::unique_ptr<PoissonPhases<double>> make_poisson_phases<double, Exact>(Cuda, PoissonGrid const&,
                                                                                   PoissonMethod);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Exact>(Cuda, PoissonGrid const&,
                                                                                 PoissonMethod);
#define ULPINE_INSTANTIATE(T, Format)                                                                 \
  template std::unique_ptr<PoissonPhases<T>> make_poisson_phases<T, Format>(Cuda, PoissonGrid const&, \
                                                                            PoissonMethod);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE

template std::unique_ptr<PoissonPhases<double>> make_poisson_phases<double, Exact>(
    Cuda, PoissonGrid const&, PoissonMethod, PoissonShare const&, std::shared_ptr<Link<Cuda>>);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Exact>(Cuda, PoissonGrid const&,
                                                                                 PoissonMethod,
                                                                                 PoissonShare const&,
                                                                                 std::shared_ptr<Link<Cuda>>);
#define ULPINE_INSTANTIATE(T, Format)                                        \
  template std::unique_ptr<PoissonPhases<T>> make_poisson_phases<T, Format>( \
      Cuda, PoissonGrid const&, PoissonMethod, PoissonShare const&, std::shared_ptr<Link<Cuda>>);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE

}  // namespace ulpine
