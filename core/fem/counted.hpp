// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/atomic_counter.hpp"
#include "core/exec/reduce_counted.hpp"
#include "core/exec/shared_number.hpp"

namespace ulpine {

template <>
struct AtomicCounter<CountingHost> : AtomicCounter<Host> {};
template <>
struct SharedNumber<CountingHost> : SharedNumber<Host> {};

}  // namespace ulpine

#include "core/fem/assembler_impl.hpp"
#include "core/fem/assembly_impl.hpp"
#include "core/fem/plan_impl.hpp"
#include "core/fem/pressure_solver_impl.hpp"
#include "core/linalg/chebyshev_impl.hpp"
#include "core/linalg/krylov_impl.hpp"
#include "core/linalg/multigrid_impl.hpp"
#include "core/linalg/operator_impl.hpp"
#include "core/linalg/rows_counted.hpp"
#include "core/linalg/rows_host.hpp"
#include "core/mesh/tetra_connections_impl.hpp"

namespace ulpine::fem {

/// The cycle in float that runs in double have.
template <>
struct NarrowCycle<CountedState, CountingHost> {
  static std::unique_ptr<linalg::LinearOperator<CountedState, CountingHost>> make(
      CountingHost host, CsrView<CountedState const> matrix, linalg::Sharing<CountingHost> const& sharing) {
    auto multigrid =
        std::make_unique<NarrowMultigrid<CountedState, CountingHost, CountedNumber<Role::always_float>>>(
            host, matrix);
    share_multigrid(*multigrid, sharing);
    return multigrid;
  }
};

/// The host's threads share the patches; on a device each is a block.
template <class Gather, class Work>
void for_each_patch(CountingHost host, Gather const& gather, Work const& work) {
  auto const patches = std::int64_t{gather.rows.patches.count};
  auto const layout = gather.layout();
  count_launch(host, patches, patches * Cuda{}.block, [&](std::int64_t patch) {
    auto const memory = std::make_unique<unsigned char[]>(static_cast<std::size_t>(layout.bytes));
    work(gather.room(memory.get(), layout), static_cast<std::int32_t>(patch));
  });
}

/// The ways of a device: elements at the edges of patches are integrated as often.
template <>
constexpr Way way_of<CountingHost>(Assembly, Way of_device) {
  return of_device;
}

}  // namespace ulpine::fem
