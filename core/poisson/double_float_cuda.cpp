// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/columns_double_float.hpp"
// The arithmetic of two floats comes first.
#include <memory>

#include "core/fft/plane_transform.hpp"

namespace ulpine {

/// No library has transforms of such numbers: those that it would be asked for are our own.
template <>
std::unique_ptr<PlaneTransform<DoubleFloat>> make_vendor_transform<DoubleFloat>(
    Cuda cuda, std::int32_t planes, std::int32_t ny, std::int32_t nx, PlaneLines lines) {
  return make_portable_transform<DoubleFloat, Exact>(cuda, planes, ny, nx, lines);
}

}  // namespace ulpine

#include "core/poisson/column_solver_cuda_impl.hpp"
#include "core/poisson/phases_cuda_impl.hpp"

namespace ulpine {

template std::unique_ptr<ColumnSolver<DoubleFloat>> make_column_solver<DoubleFloat, Exact>(Cuda,
                                                                                           PoissonGrid const&,
                                                                                           Modes,
                                                                                           ColumnPasses);
template std::unique_ptr<PoissonPhases<DoubleFloat>> make_poisson_phases<DoubleFloat, Exact>(
    Cuda, PoissonGrid const&, PoissonMethod);
template std::unique_ptr<PoissonPhases<DoubleFloat>> make_poisson_phases<DoubleFloat, Exact>(
    Cuda, PoissonGrid const&, PoissonMethod, PoissonShare const&, std::shared_ptr<Link<Cuda>>);

}  // namespace ulpine
