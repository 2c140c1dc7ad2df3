// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine::lorenz96 {

/// Makes the core `lorenz96` known, on levels, rows and columns that close upon themselves (Lorenz 1996,
/// Predictability: a problem partly solved; 1 s stands for a unit of its time):
///
///   du/dt = A_x(u) + A_y(u) - u + c F + kappa (u[k+1] - 2 u[k] + u[k-1]),
///   A_x(u) = (u[i+1] - u[i-2]) u[i-1],
///
/// A_y likewise along rows where there are several, no flux through lowest and highest level; in steps of
/// Runge and Kutta's fourth order. One level and one row of 40 columns are Lorenz's model. In all policies of
/// the host but quad, and in formats, all of it or single stages; with atomic assembly the terms of the
/// tendency are summed in the reverse order.
///
/// Keys: grid.levels, grid.rows, grid.columns, time.step, lorenz.forcing (F), lorenz.coupling (kappa), and
/// what a careless programmer or a coarser type would make of it: lorenz.coefficient (c, 1), lorenz.fault
/// ("none", "flipped_sign": of -u in the first cell; "dropped_halo": columns beyond the edges stay as they
/// were at the first step; "contracted": products and sums fused; "tf32": operands of the products rounded to
/// TF32), lorenz.coarser (k, a power of 2: of a run in fp64 every step's state is rounded to 24 - log2 k
/// bits).
void register_lorenz();

/// Case of 40 variables, F = 8, steps of 0.05 to `end`, with margins and evaluations.
std::string lorenz_case();
/// Case of 4 levels of 8 rows and 12 columns.
std::string box_case();

}  // namespace ulpine::lorenz96
