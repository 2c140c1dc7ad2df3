// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/poisson_emulated.hpp"

#include "core/fft/portable_emulated.hpp"
#include "core/poisson/columns.hpp"

namespace ulpine {

/// Emulated formats have the type of the mean, and the scaling, of float and double.
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
  auto columns = std::make_unique<HostColumns<T, Format, EmulatingHost>>(host, grid, all_modes(grid));
  return std::make_unique<PlanePhases<T>>(
      grid, std::move(columns), make_portable_transform(host, grid.nz, grid.ny, grid.nx), Guarantee::bitwise);
}

template std::unique_ptr<PoissonPhases<EmulatedNumber>>
make_poisson_phases<EmulatedNumber, EmulatedMultiplicand>(EmulatingHost, PoissonGrid const&, PoissonMethod);

template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> make_poisson_phases(EmulatingHost host, PoissonGrid const& grid,
                                                      PoissonMethod, PoissonShare const& share,
                                                      std::shared_ptr<Link<EmulatingHost>> link) {
  return std::make_unique<SharedPlanePhases<T, EmulatingHost>>(
      host, grid, share, std::move(link), Guarantee::bitwise,
      [host](std::int32_t planes, std::int32_t ny, std::int32_t nx, PlaneLines lines) {
        return make_portable_transform(host, planes, ny, nx, lines);
      },
      no_pieces,
      [&](Modes modes) {
        return std::make_unique<HostColumns<T, Format, EmulatingHost>>(host, grid, modes);
      });
}

template std::unique_ptr<PoissonPhases<EmulatedNumber>>
make_poisson_phases<EmulatedNumber, EmulatedMultiplicand>(EmulatingHost, PoissonGrid const&, PoissonMethod,
                                                          PoissonShare const&,
                                                          std::shared_ptr<Link<EmulatingHost>>);

}  // namespace ulpine
