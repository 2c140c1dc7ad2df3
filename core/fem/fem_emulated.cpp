// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/exec/atomic_counter.hpp"
#include "core/exec/reduce_emulated.hpp"

namespace ulpine {

template <>
struct AtomicCounter<EmulatingHost> : AtomicCounter<Host> {};

}  // namespace ulpine

#include "core/fem/assembler_impl.hpp"
#include "core/fem/make.hpp"
#include "core/fem/make_impl.hpp"
#include "core/fem/plan_impl.hpp"
#include "core/fem/pressure_solver_impl.hpp"
#include "core/linalg/chebyshev_impl.hpp"
#include "core/linalg/krylov_impl.hpp"
#include "core/linalg/multigrid_impl.hpp"
#include "core/linalg/operator_impl.hpp"
#include "core/linalg/rows_emulated.hpp"
#include "core/mesh/tetra_connections_impl.hpp"

namespace ulpine::fem {

template <>
struct PoliciesOf<EmulatedNumber> {
  using type = PolicyList<EmulatedPolicy>;
};

/// In doubles: to scale by a power of two is exact.
template <>
inline void round_multiplicand<EmulatedPolicy>(EmulatedNumber (&v)[3]) {
  auto most = std::fabs(v[0].operand());
  for (int d = 1; d < 3; ++d) most = std::max(most, std::fabs(v[d].operand()));
  if (!(most > 0) || std::isinf(most)) return;
  auto const unit = std::ldexp(1.0, std::ilogb(most));
  for (auto& x : v) x = EmulatedNumber::of(emulation.multiplicand(x.operand() / unit) * unit);
}

/// A row is a point of the launch, so that threads do not decide on random numbers.
template <ElementForm F>
void assemble(EmulatingHost host, Plan<EmulatingHost> const&, TetraConnectivity const& mesh, F const& form,
              Target<F> const& target, ElementMatrices<F> const& = {}) {
  for_each(host, mesh.nodes, RowGather<F>{form, mesh, target});
}

namespace {

std::unique_ptr<Core> make_emulated(EmulatingHost host, Setup const& setup,
                                    std::shared_ptr<Ranks> const& team) {
  return make_of<EmulatedNumber>(host, EmulatedPolicy::name, Assembly::deterministic, setup, team, nullptr);
}

}  // namespace

extern "C" {
extern Instance const ulpine_fem_emulated[];
Instance const ulpine_fem_emulated[] = {instance<EmulatedMaker>("make", make_emulated), {}};
}

}  // namespace ulpine::fem
