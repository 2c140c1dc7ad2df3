// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/poisson_counted.hpp"

#include "core/exec/counting_host.hpp"
#include "core/fft/portable_counted.hpp"
#include "core/poisson/columns.hpp"
#include "precision/counted_number.hpp"

namespace ulpine {

/// Every policy computes the mean in double.
template <Role role>
struct Wider<CountedNumber<role>> {
  using Type = CountedNumber<Role::always_double>;
};
/// By operations on bits, which are not counted.
template <Role role>
CountedNumber<role> inverse_exponent(CountedNumber<role> x) {
  return CountedNumber<role>::of(inverse_exponent(x.value()));
}

/// A device has a thread for each column: halves have one each where they fit its shared memory, but then the
/// others wait for the one that solves all of the mean's column.
template <class T, class Body>
void for_each_row_of_columns(CountingHost host, ColumnTables<T> const& tables, Body const& body) {
  count_launch(host, tables.modes_y, tables.columns(), body);
}

}  // namespace ulpine

#include "core/poisson/column_solver_impl.hpp"
#include "core/poisson/phases_impl.hpp"

namespace ulpine {

template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(CountingHost host, PoissonGrid const& grid,
                                                      PoissonMethod) {
  auto columns = std::make_unique<HostColumns<T, Format, CountingHost>>(host, grid, all_modes(grid));
  return std::make_unique<PlanePhases<T>>(grid, std::move(columns),
                                          make_portable_transform<T, Format>(host, grid.nz, grid.ny, grid.nx),
                                          Guarantee::bitwise);
}

template std::unique_ptr<PoissonPhases<CountedCompute>> make_poisson_phases<CountedCompute, Exact>(
    CountingHost, PoissonGrid const&, PoissonMethod);

template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(CountingHost host, PoissonGrid const& grid,
                                                      PoissonMethod, PoissonShare const& share,
                                                      std::shared_ptr<Link<CountingHost>> link) {
  return std::make_unique<SharedPlanePhases<T, CountingHost>>(
      host, grid, share, std::move(link), Guarantee::bitwise,
      [host](std::int32_t planes, std::int32_t ny, std::int32_t nx, PlaneLines lines) {
        return make_portable_transform<T, Format>(host, planes, ny, nx, lines);
      },
      no_pieces,
      [&](Modes modes) { return std::make_unique<HostColumns<T, Format, CountingHost>>(host, grid, modes); });
}

template std::unique_ptr<PoissonPhases<CountedCompute>> make_poisson_phases<CountedCompute, Exact>(
    CountingHost, PoissonGrid const&, PoissonMethod, PoissonShare const&,
    std::shared_ptr<Link<CountingHost>>);

}  // namespace ulpine
