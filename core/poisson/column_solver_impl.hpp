// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include <algorithm>

#include "core/exec/host.hpp"
#include "core/exec/memory.hpp"
#include "core/poisson/column_solver.hpp"
#include "core/poisson/column_tables.hpp"

namespace ulpine {

/// body(n) for each row of wavenumbers of the columns.
template <class Executor, class T, class Body>
void for_each_row_of_columns(Executor host, ColumnTables<T> const& tables, Body const& body) {
  for_each(host, std::int64_t{tables.modes_y}, body);
}

/// Rows of wavenumbers are shared among threads; within one, `lanes` columns are solved side by side, so that
/// each step is vectorised.
template <class T, class Format, class Executor = Host>
class HostColumns final : public ColumnSolver<T> {
  using Step = Sweep<T, Format>;
  static constexpr std::int32_t lanes = 64;

 public:
  HostColumns(Executor host, PoissonGrid const& grid, Modes modes)
      : host_{host},
        tables_(host, grid, modes),
        losses_(host, std::int64_t{host.threads} * grid.nz * lanes) {}

  void solve(T* planes) override {
    auto const tables = tables_.view();
    for_each_row_of_columns(host_, tables, [&](std::int64_t index) {
      auto const n = static_cast<std::int32_t>(index);
      auto* const losses = losses_.view().data() + std::int64_t{thread()} * tables.levels * lanes;
      std::int32_t m = 0;
      if (n == 0 && tables.singular) {
        MeanColumn<T> const mean{tables, planes, tables.plane(), planes, tables.plane()};
        mean(0);
        mean(1);
        m = 1;
      }
      for (; m < tables.modes_x; m += lanes) {
        solve_chunk(tables, n, m, std::min(lanes, tables.modes_x - m), planes + 2 * tables.place(m, n),
                    losses);
      }
    });
  }
  std::int64_t work_bytes() const override { return tables_.bytes() + losses_.bytes(); }

 private:
  static int thread() { return omp_get_thread_num(); }

  /// The last level of a half of each of `lanes` columns, where the half meets the other one.
  struct Met {
    T kept[2 * lanes] = {}, loss[lanes] = {};
  };

  /// `count` columns from (m, n) on, the first of which lies at `first`.
  static void solve_chunk(ColumnTables<T> const& tables, std::int32_t n, std::int32_t m, std::int32_t count,
                          T* first, T* losses) {
    T lambda[lanes];
    for (std::int32_t i = 0; i < count; ++i) lambda[i] = tables.along_x[m + i] + tables.along_y[n];
    auto const lower = lower_half(tables.levels), upper = upper_half(tables.levels);
    Met below, above;
    eliminate(tables, lower, lambda, count, first, losses, below);
    eliminate(tables, upper, lambda, count, first, losses, above);
    substitute(tables, lower, below, above, count, first, losses);
    substitute(tables, upper, above, below, count, first, losses);
  }
  static void eliminate(ColumnTables<T> const& tables, ColumnHalf half, T const* lambda, std::int32_t count,
                        T* first, T* losses, Met& met) {
    T denominator[lanes], carried[lanes], x[2 * lanes] = {};
    Elimination<T> const start(tables.conductance[half.outer_face()]);
    std::fill(denominator, denominator + lanes, start.denominator);
    std::fill(carried, carried + lanes, start.carried);
    for (std::int32_t level = 0; level < half.count; ++level) {
      auto const k = half.level(level);
      T* const values = first + k * tables.plane();
      T* const loss_here = losses + std::int64_t{k} * lanes;
      T const weight = tables.weight[k], thickness = tables.thickness[k],
              conductance = tables.conductance[half.inward(k)];
#pragma omp simd
      for (std::int32_t i = 0; i < count; ++i) {
        x[2 * i] = Step::inward(x[2 * i], met.loss[i], weight, values[2 * i]);
        x[2 * i + 1] = Step::inward(x[2 * i + 1], met.loss[i], weight, values[2 * i + 1]);
        Elimination<T> elimination(denominator[i], carried[i]);
        auto const factors = elimination.next(lambda[i], thickness, conductance);
        denominator[i] = elimination.denominator, carried[i] = elimination.carried;
        met.loss[i] = loss_here[i] = factors.loss;
        values[2 * i] = met.kept[2 * i] = Step::kept(x[2 * i], factors.gain);
        values[2 * i + 1] = met.kept[2 * i + 1] = Step::kept(x[2 * i + 1], factors.gain);
      }
    }
  }
  static void substitute(ColumnTables<T> const& tables, ColumnHalf half, Met const& here, Met const& there,
                         std::int32_t count, T* first, T const* losses) {
    T p[2 * lanes];
    for (std::int32_t i = 0; i < 2 * count; ++i) {
      p[i] = Step::across(here.kept[i], here.loss[i / 2], there.kept[i], there.loss[i / 2]);
    }
    for (std::int32_t level = half.count; level-- > 0;) {
      auto const k = half.level(level);
      T* const values = first + k * tables.plane();
      T const* const loss_here = losses + std::int64_t{k} * lanes;
#pragma omp simd
      for (std::int32_t i = 0; i < count; ++i) {
        values[2 * i] = p[2 * i] = Step::outward(p[2 * i], loss_here[i], values[2 * i]);
        values[2 * i + 1] = p[2 * i + 1] = Step::outward(p[2 * i + 1], loss_here[i], values[2 * i + 1]);
      }
    }
  }

  Executor host_;
  ColumnTableArrays<T, Host> tables_;
  Array<T, Host> losses_;
};

template <class T, class Format>
std::unique_ptr<ColumnSolver<T>> make_column_solver(Host host, PoissonGrid const& grid, Modes modes,
                                                    ColumnPasses) {
  return std::make_unique<HostColumns<T, Format>>(host, grid, modes);
}

}  // namespace ulpine
