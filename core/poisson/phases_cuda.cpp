// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/phases_impl.hpp"

namespace ulpine {

template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(Cuda cuda, PoissonGrid const& grid,
                                                      PoissonMethod method) {
  return make_plane_phases<T, Format>(cuda, grid, method);
}
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(Cuda cuda, PoissonGrid const& grid,
                                                      PoissonMethod method, PoissonShare const& share,
                                                      std::shared_ptr<Link<Cuda>> link) {
  return make_shared_phases<T, Format>(cuda, grid, method, share, std::move(link));
}
template std::unique_ptr<PoissonPhases<double>> make_poisson_phases<double, Exact>(Cuda, PoissonGrid const&,
                                                                                   PoissonMethod);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Exact>(Cuda, PoissonGrid const&,
                                                                                 PoissonMethod);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Tf32>(Cuda, PoissonGrid const&,
                                                                                PoissonMethod);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Bfloat16>(Cuda, PoissonGrid const&,
                                                                                    PoissonMethod);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Binary16>(Cuda, PoissonGrid const&,
                                                                                    PoissonMethod);

template std::unique_ptr<PoissonPhases<double>> make_poisson_phases<double, Exact>(
    Cuda, PoissonGrid const&, PoissonMethod, PoissonShare const&, std::shared_ptr<Link<Cuda>>);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Exact>(Cuda, PoissonGrid const&,
                                                                                 PoissonMethod,
                                                                                 PoissonShare const&,
                                                                                 std::shared_ptr<Link<Cuda>>);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Tf32>(Cuda, PoissonGrid const&,
                                                                                PoissonMethod,
                                                                                PoissonShare const&,
                                                                                std::shared_ptr<Link<Cuda>>);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Bfloat16>(
    Cuda, PoissonGrid const&, PoissonMethod, PoissonShare const&, std::shared_ptr<Link<Cuda>>);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Binary16>(
    Cuda, PoissonGrid const&, PoissonMethod, PoissonShare const&, std::shared_ptr<Link<Cuda>>);

}  // namespace ulpine
