// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/linalg/aggregation.hpp"
#include "core/linalg/multigrid.hpp"
#include "core/linalg/multigrid_kernels.hpp"

/// Definitions; include after the executor's launches and chebyshev_impl.hpp.
namespace ulpine::linalg {

/// The values of A B, with the same bits by a thread an entry or a thread a row.
template <class T, class Executor>
void multiply_matrices(Executor executor, CsrPattern const& a, T const* a_value, CsrPattern const& b,
                       T const* b_value, CsrPattern const& target, std::int32_t const* row,
                       std::int64_t entries, T* value) {
  if constexpr (Executor::on_device) {
    for_each(executor, entries, EntryOfProduct<T>{a, b, a_value, b_value, row, target.column, value});
  } else {
    for_each(executor, std::int64_t{target.rows}, RowOfProduct<T>{a, b, target, a_value, b_value, value});
  }
}

template <class T, class Executor>
Multigrid<T, Executor>::Multigrid(Executor executor, CsrView<T const> matrix, CsrPattern host,
                                  MultigridOptions const& options)
    : executor_{executor} {
  levels_[0].rows = host.rows;
  levels_[0].entries = host.entries();
  levels_[0].matrix = matrix;
  build(host, options);
}

template <class T, class Executor>
void Multigrid<T, Executor>::build(CsrPattern host, MultigridOptions const& options) {
  std::vector<T> value;
  std::vector<double> wide;
  HostPattern pattern;
  auto strength = options.strength;
  auto view = host;
  for (;; strength /= 2) {
    auto& level = levels_[count_ - 1];
    level.smoother = Chebyshev<T, Executor>(executor_, level.matrix, options.degree, options.part);
    level.residual = Array<T, Executor>(executor_, level.rows);
    if (level.rows <= options.coarsest || count_ == most_levels) break;
    value.resize(static_cast<std::size_t>(level.entries));
    detail::to_host(executor_, value.data(), level.matrix.value,
                    level.entries * static_cast<std::int64_t>(sizeof(T)));
    wide.clear();
    for (auto const& entry : value) wide.push_back(static_cast<double>(entry));
    auto coarsening = coarsened(view, wide.data(), strength, options.seed);
    // Rows that hardly have neighbours gain nothing from a coarser level.
    if (coarsening.aggregates.count == 0 || 5 * coarsening.aggregates.count > 4 * level.rows) break;
    place(level, levels_[count_], coarsening);
    update_transfer(count_ - 1);
    ++count_;
    pattern = std::move(coarsening.coarse);
    view = pattern.view();
  }
  auto const rows = levels_[count_ - 1].rows;
  direct_ = rows <= options.coarsest;
  if (!direct_) return;
  inverse_ = Array<T, Executor>(executor_, rows * rows);
  pivot_row_ = Array<T, Executor>(executor_, rows);
  pivot_column_ = Array<T, Executor>(executor_, rows);
  size_of_diagonal_ = Array<T, Executor>(executor_, rows);
  update_coarsest();
}

template <class T, class Executor>
void Multigrid<T, Executor>::place(Level& level, Level& coarse, Coarsening const& from) {
  auto const numbers = [&](std::vector<std::int32_t> const& values) {
    Array<std::int32_t, Executor> array(executor_, static_cast<std::int64_t>(values.size()));
    array.from_host(values.data());
    return array;
  };
  auto const values = [&](std::int64_t count) { return Array<T, Executor>(executor_, count); };
  level.aggregate = numbers(from.aggregates.of_row);
  level.prolongation = SparsePattern<Executor>(executor_, from.prolongation.view());
  level.restriction = SparsePattern<Executor>(executor_, from.restriction.pattern.view());
  level.half = SparsePattern<Executor>(executor_, from.half.view());
  level.prolongation_row = numbers(rows_of_entries(from.prolongation.view()));
  level.half_row = numbers(rows_of_entries(from.half.view()));
  level.coarse_row = numbers(rows_of_entries(from.coarse.view()));
  level.restriction_source = numbers(from.restriction.source);
  level.prolongation_value = values(from.prolongation.entries());
  level.restriction_value = values(from.prolongation.entries());
  level.half_value = values(from.half.entries());
  level.coarse_b = values(from.coarse.rows());
  level.coarse_x = values(from.coarse.rows());
  coarse.rows = from.coarse.rows();
  coarse.entries = from.coarse.entries();
  coarse.pattern = SparsePattern<Executor>(executor_, from.coarse.view());
  coarse.value = values(coarse.entries);
  coarse.matrix = {coarse.pattern.view(), coarse.value.view().data()};
}

template <class T, class Executor>
void Multigrid<T, Executor>::update_transfer(int n) {
  auto& level = levels_[n];
  auto& coarse = levels_[n + 1];
  auto const p = level.prolongation.view(), r = level.restriction.view(), half = level.half.view(),
             target = coarse.pattern.view();
  auto* const p_value = level.prolongation_value.view().data();
  auto* const r_value = level.restriction_value.view().data();
  auto* const half_value = level.half_value.view().data();
  for_each(
      executor_, level.prolongation.entries(),
      SmoothedProlongation<T>{level.matrix.pattern, level.matrix.value, level.smoother.inverse_diagonal(),
                              level.smoother.largest_eigenvalue(), level.aggregate.view().data(),
                              level.prolongation_row.view().data(), p.column, p_value});
  for_each(executor_, level.prolongation.entries(),
           Gather<T>{level.restriction_source.view().data(), p_value, r_value});
  multiply_matrices(executor_, level.matrix.pattern, level.matrix.value, p, p_value, half,
                    level.half_row.view().data(), level.half.entries(), half_value);
  multiply_matrices(executor_, r, r_value, half, half_value, target, level.coarse_row.view().data(),
                    coarse.entries, coarse.value.view().data());
}

template <class T, class Executor>
void Multigrid<T, Executor>::update_coarsest() {
  auto const& level = levels_[count_ - 1];
  auto const n = level.rows;
  auto* const dense = inverse_.view().data();
  auto* const size = size_of_diagonal_.view().data();
  auto* const row = pivot_row_.view().data();
  auto* const column = pivot_column_.view().data();
  auto const roundoff = sizeof(T) == 4 ? 0x1p-24 : sizeof(T) == 8 ? 0x1p-53 : 0x1p-113;
  // A pivot errs by about n roundoffs of the diagonal, and some more that come from the products above.
  auto const negligible = static_cast<T>(64 * static_cast<double>(n) * roundoff);
  for_each(executor_, n, DenseRow<T>{level.matrix.pattern, level.matrix.value, dense, size});
  for (std::int64_t k = 0; k < n; ++k) {
    for_each(executor_, n, PivotCopy<T>{n, k, dense, row, column});
    for_each(executor_, n * n, PivotStep<T>{n, k, negligible, row, column, size, dense});
  }
}

template <class T, class Executor>
void Multigrid<T, Executor>::update() {
  for (int n = 0; n < count_; ++n) {
    levels_[n].smoother.update();
    if (n + 1 < count_) update_transfer(n);
  }
  if (direct_) update_coarsest();
}

template <class T, class Executor>
void Multigrid<T, Executor>::cycle(int n, T const* b, T* x) {
  auto& level = levels_[n];
  if (n + 1 == count_) {
    if (direct_) {
      for_each(executor_, level.rows, DenseProduct<T>{level.rows, inverse_.view().data(), b, x});
    } else {
      level.smoother.smooth(b, x, true);
      level.smoother.smooth(b, x, false);
    }
    return;
  }
  level.smoother.smooth(b, x, true);
  auto* const residual = level.residual.view().data();
  auto* const coarse_b = level.coarse_b.view().data();
  auto* const coarse_x = level.coarse_x.view().data();
  for_each_row(executor_, level.rows,
               Product<T, T, Blocks::scalar>{level.matrix.pattern, level.matrix.value, x, b, residual,
                                             Onto::residual});
  for_each_row(executor_, levels_[n + 1].rows,
               Product<T, T, Blocks::scalar>{level.restriction.view(), level.restriction_value.view().data(),
                                             residual, nullptr, coarse_b});
  cycle(n + 1, coarse_b, coarse_x);
  for_each_row(
      executor_, level.rows,
      Product<T, T, Blocks::scalar>{level.prolongation.view(), level.prolongation_value.view().data(),
                                    coarse_x, x, x, Onto::sum});
  level.smoother.smooth(b, x, false);
}

}  // namespace ulpine::linalg
