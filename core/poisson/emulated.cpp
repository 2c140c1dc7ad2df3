// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/emulated.hpp"

#include "core/fft/portable_emulated.hpp"
#include "core/poisson/columns.hpp"

namespace ulpine {

/// As of float and double.
template <>
struct Wider<EmulatedNumber> {
  using Type = double;
};
inline EmulatedNumber inverse_exponent(EmulatedNumber x) {
  return EmulatedNumber::of(inverse_exponent(x.operand()));
}

}  // namespace ulpine

#include "core/poisson/column_solver_impl.hpp"
#include "core/poisson/phases_impl.hpp"

namespace ulpine {

template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(EmulatingHost host, PoissonGrid const& grid,
                                                      PoissonMethod) {
  auto columns = std::make_unique<HostColumns<T, Format, EmulatingHost>>(host, grid, all_rows(grid));
  return std::make_unique<PlanePhases<T>>(
      grid, std::move(columns), make_portable_transform(host, grid.nz, grid.ny, grid.nx), Guarantee::bitwise);
}

template std::unique_ptr<PoissonPhases<EmulatedNumber>>
make_poisson_phases<EmulatedNumber, EmulatedMultiplicand>(EmulatingHost, PoissonGrid const&, PoissonMethod);

template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(EmulatingHost host, PoissonGrid const& grid,
                                                      PoissonMethod, PoissonShare const& share,
                                                      std::shared_ptr<Link<EmulatingHost>> link) {
  PlaneShares const shares(grid, *link);
  auto const levels = shares.levels.size(shares.rank);
  auto const rows = shares.rows_of(shares.rank);
  std::unique_ptr<ColumnSolver<T>> columns;
  std::unique_ptr<PlaneTransform<T>> transform;
  if (rows.count > 0) columns = std::make_unique<HostColumns<T, Format, EmulatingHost>>(host, grid, rows);
  if (levels > 0) transform = make_portable_transform(host, levels, grid.ny, grid.nx);
  return std::make_unique<SharedPlanePhases<T, EmulatingHost>>(host, grid, share, shares, std::move(link),
                                                               std::move(columns), std::move(transform),
                                                               Guarantee::bitwise);
}

template std::unique_ptr<PoissonPhases<EmulatedNumber>>
make_poisson_phases<EmulatedNumber, EmulatedMultiplicand>(EmulatingHost, PoissonGrid const&, PoissonMethod,
                                                          PoissonShare const&,
                                                          std::shared_ptr<Link<EmulatingHost>>);

}  // namespace ulpine
