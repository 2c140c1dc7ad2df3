// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/poisson/columns.hpp"
#include "core/poisson/grid.hpp"
#include "precision/double_float.hpp"

namespace ulpine {

/// Holds the tables of ColumnTables in an executor's memory. They are computed on the host, in double or
/// wider: eigenvalues that a device computed would differ from the host's.
template <class T, class Executor>
class ColumnTableArrays {
  using Wide = typename Wider<T>::Type;

 public:
  ColumnTableArrays(Executor executor, PoissonGrid const& grid)
      : ColumnTableArrays(executor, grid, all_modes(grid)) {}
  /// Tables of the columns of `modes`.
  ColumnTableArrays(Executor executor, PoissonGrid const& grid, Modes modes) {
    // The lengths themselves are double.
    using Own = std::conditional_t<std::is_same_v<T, DoubleFloat>, float, T>;
    using Range = std::conditional_t<std::is_floating_point_v<Own>, Own, double>;
    check_poisson_grid(grid, static_cast<double>(std::numeric_limits<Range>::max()));
    auto const levels = static_cast<std::size_t>(grid.nz);
    std::vector<Wide> weight, thickness, between, conductance{Wide(0)};
    for (std::size_t k = 0; k < levels; ++k) {
      bool const closed = k + 1 == levels && !grid.dirichlet_top;
      thickness.push_back(Wide(grid.dz[k]));
      weight.push_back(-thickness.back() / (Wide(grid.nx) * Wide(grid.ny)));
      between.push_back(closed ? Wide(0) : Wide(grid.dz_between[k + 1]));
      conductance.push_back(closed ? Wide(0) : Wide(1) / between.back());
    }
    auto const along_x = eigenvalues(grid.nx, grid.dx);
    auto const along_y = eigenvalues(grid.ny, grid.dy);
    tables_ = {modes.count,
               grid.ny,
               grid.nz,
               grid.singular() && modes.first == 0,
               modes.rows_together ? modes.count : std::int64_t{modes.count} * grid.ny,
               modes.rows_together ? std::int64_t{modes.count} * grid.nz : modes.count,
               narrow(executor, along_x) + modes.first,
               narrow(executor, along_y),
               narrow(executor, weight),
               narrow(executor, thickness),
               narrow(executor, conductance),
               keep(executor, wide_, weight),
               keep(executor, wide_, thickness),
               keep(executor, wide_, between)};
  }

  ColumnTables<T> const& view() const { return tables_; }
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (auto const& array : narrow_) sum += array.bytes();
    for (auto const& array : wide_) sum += array.bytes();
    return sum;
  }

 private:
  /// (2 sin(pi m / n) / d)^2, which unlike 2 (1 - cos(2 pi m / n)) / d^2 loses no digits for small m.
  static std::vector<Wide> eigenvalues(std::int32_t n, double d) {
    auto const pi = math::atan2(Wide(0), Wide(-1));
    std::vector<Wide> values;
    for (std::int32_t m = 0; m < n; ++m) {
      auto const wavenumber = m > n / 2 ? n - m : m;
      Wide const root = Wide(2) * math::sin(pi * Wide(wavenumber) / Wide(n)) / Wide(d);
      values.push_back(root * root);
    }
    return values;
  }
  T const* narrow(Executor executor, std::vector<Wide> const& values) {
    return keep(executor, narrow_, std::vector<T>(values.begin(), values.end()));
  }
  template <class Value>
  static Value const* keep(Executor executor, std::vector<Array<Value, Executor>>& arrays,
                           std::vector<Value> const& values) {
    auto& array = arrays.emplace_back(executor, static_cast<std::int64_t>(values.size()));
    array.from_host(values.data());
    return array.view().data();
  }

  std::vector<Array<T, Executor>> narrow_;
  std::vector<Array<Wide, Executor>> wide_;
  ColumnTables<T> tables_;
};

}  // namespace ulpine
