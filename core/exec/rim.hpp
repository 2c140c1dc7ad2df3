// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/exec/around.hpp"
#include "core/exec/extent.hpp"

/// A lattice in two launches: its rim and what lies within, each point in one of them.
namespace ulpine {

/// How many columns of points next to a lattice's sides are its rim.
struct Margins {
  std::int32_t west = 0, east = 0, south = 0, north = 0;

  /// No more than there are; a column is of one side along an axis.
  constexpr Margins within(Extent3 extent) const {
    auto const low = std::min(west, extent.nx), first = std::min(south, extent.ny);
    return {low, std::min(east, extent.nx - low), first, std::min(north, extent.ny - first)};
  }
};

/// A kernel on the rim of a lattice, as a launch over extent(): for its columns, southern and northern rows
/// before western and eastern columns of the rows between.
template <class Kernel>
class OnRim {
 public:
  OnRim(Kernel const& kernel, Extent3 whole, Margins margins)
      : kernel_{kernel}, whole_{whole}, margins_{margins.within(whole)} {}

  Extent2 extent() const { return {rows() * whole_.nx + columns() * (whole_.ny - rows()), whole_.nz}; }
  ULPINE_HD void operator()(std::int32_t n, std::int32_t k) const {
    auto const before = rows() * whole_.nx;
    if (n < before) {
      auto const row = n / whole_.nx;
      kernel_(n % whole_.nx, row < margins_.south ? row : whole_.ny - rows() + row, k);
    } else {
      auto const column = (n - before) % columns();
      kernel_(column < margins_.west ? column : whole_.nx - columns() + column,
              margins_.south + (n - before) / columns(), k);
    }
  }

 private:
  ULPINE_HD std::int32_t rows() const { return margins_.south + margins_.north; }
  ULPINE_HD std::int32_t columns() const { return margins_.west + margins_.east; }

  Kernel kernel_;
  Extent3 whole_;
  Margins margins_;
};

/// A kernel on the points of a lattice within its rim: launch `kernel` over `extent`.
template <class Kernel>
struct WithinRim {
  Extent3 extent;
  Around<Kernel> kernel;

  WithinRim(Kernel const& all, Extent3 whole, Margins margins)
      : extent{whole}, kernel{all, -margins.within(whole).west, -margins.within(whole).south} {
    auto const cut = margins.within(whole);
    extent.nx -= cut.west + cut.east;
    extent.ny -= cut.south + cut.north;
  }
};

}  // namespace ulpine
