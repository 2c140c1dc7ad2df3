// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"
#include "core/exec/products.hpp"
#include "core/exec/view.hpp"
#include "exec/kernels.hpp"

/// Launches for tests on a device, compiled by nvcc.
namespace exec_test {

/// One more visit of every index.
void visit(ulpine::Cuda cuda, ulpine::View<int> visits);
void visit(ulpine::Cuda cuda, ulpine::Extent2 extent, ulpine::View<int> visits);
void visit(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::View<int> visits);
/// Two more, by threads that take two points and four.
void visit_in_parts(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::View<int> visits);
void visit_climbing(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::View<int> visits);

/// x <- a x (1 - x): the logistic map, chaotic at a = 3.99, so a lost or doubled launch shows.
void logistic(ulpine::Cuda cuda, double a, ulpine::View<double> x);

/// Kernel Relax for all of its x.
void relax(ulpine::Cuda cuda, Relax const& relax);

/// y <- x, then into results[0] to [2] (x, y), (y, y) and (x, z) over the indices from `first` on, and into
/// results[3] the first of them once more, all in one launch.
template <class T>
void copy_with_products(ulpine::Cuda cuda, ulpine::ProductScratch& scratch, ulpine::View<T const> x,
                        ulpine::View<T const> z, std::int64_t first, ulpine::View<T> y,
                        ulpine::View<double> results);

/// The kernels of tiles.
template <class T>
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Smooth<T> const& smooth);
template <class T>
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Advance<T> const& advance);

}  // namespace exec_test
