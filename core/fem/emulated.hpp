// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "core/exec/atomic_counter.hpp"
#include "core/exec/reduce_emulated.hpp"
#include "core/exec/shared_number.hpp"

namespace ulpine {

template <>
struct AtomicCounter<EmulatingHost> : AtomicCounter<Host> {};
template <>
struct SharedNumber<EmulatingHost> : SharedNumber<Host> {};

}  // namespace ulpine

#include "core/fem/assembler_impl.hpp"
#include "core/fem/plan_impl.hpp"
#include "core/fem/pressure_solver_impl.hpp"
#include "core/linalg/chebyshev_impl.hpp"
#include "core/linalg/krylov_impl.hpp"
#include "core/linalg/multigrid_impl.hpp"
#include "core/linalg/operator_impl.hpp"
#include "core/linalg/rows_emulated.hpp"
#include "core/linalg/rows_host.hpp"
#include "core/mesh/tetra_connections_impl.hpp"

namespace ulpine::linalg {

// What includes this is optimised less: a program keeps one of equal functions, which has to be the
// library's.
extern template class Chebyshev<float, Host>;
extern template class Multigrid<float, Host>;
extern template void Multigrid<float, Host>::apply_to(double const*, double*);

}  // namespace ulpine::linalg

namespace ulpine::fem {

struct DoubleOf {
  EmulatedNumber const* source;
  double* target;
  void operator()(std::int64_t i) const { target[i] = source[i].value(); }
};
struct NumberOf {
  double const* source;
  EmulatedNumber* target;
  void operator()(std::int64_t i) const { target[i] = EmulatedNumber::of(source[i]); }
};

/// In stages that compute in binary64 the cycle in float that runs in double have; in others a cycle in their
/// format.
class CycleByFormat final : public linalg::LinearOperator<EmulatedNumber, EmulatingHost> {
 public:
  CycleByFormat(EmulatingHost host, CsrView<EmulatedNumber const> matrix,
                linalg::Sharing<EmulatingHost> const& sharing)
      : host_{host} {
    auto const entries = std::int64_t{matrix.pattern.entries()};
    Array<double, Host> values(host, entries);
    for_each(plain(), entries, DoubleOf{matrix.value, values.view().data()});
    in_double_ = std::make_unique<NarrowMultigrid<double, Host>>(
        plain(), CsrView<double const>{matrix.pattern, values.view().data()});
    if (sharing.link) {
      // The same ranks; what it is an alias of keeps them.
      std::shared_ptr<Ranks> const ranks(sharing.link, sharing.link->ranks());
      share_multigrid(*in_double_,
                      linalg::Sharing<Host>{std::make_shared<Link<Host>>(plain(), ranks), nullptr,
                                            sharing.first, sharing.owned, sharing.points});
    }
    if (!host.run->always_in_double()) {
      in_format_ = std::make_unique<linalg::Multigrid<EmulatedNumber, EmulatingHost>>(host, matrix);
      share_multigrid(*in_format_, sharing);
    }
    x_ = Array<double, Host>(host, size());
    y_ = Array<double, Host>(host, size());
  }

  std::int64_t size() const override { return in_double_->size(); }
  bool reads_ghosts() const override { return in_double_->reads_ghosts(); }
  void apply(EmulatedNumber const* x, EmulatedNumber* y) override {
    if (in_format_ && !host_.run->in_double()) return in_format_->apply(x, y);
    auto *const from = x_.view().data(), *const to = y_.view().data();
    for_each(plain(), size(), DoubleOf{x, from});
    in_double_->apply(from, to);
    for_each(plain(), size(), NumberOf{to, y});
  }

 private:
  Host plain() const { return host_; }

  EmulatingHost host_;
  std::unique_ptr<NarrowMultigrid<double, Host>> in_double_;
  std::unique_ptr<linalg::Multigrid<EmulatedNumber, EmulatingHost>> in_format_;
  Array<double, Host> x_, y_;
};

template <>
struct NarrowCycle<EmulatedNumber, EmulatingHost> {
  static std::unique_ptr<linalg::LinearOperator<EmulatedNumber, EmulatingHost>> make(
      EmulatingHost host, CsrView<EmulatedNumber const> matrix,
      linalg::Sharing<EmulatingHost> const& sharing) {
    if (!host.run->ever_in_double()) return nullptr;
    return std::make_unique<CycleByFormat>(host, matrix, sharing);
  }
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

}  // namespace ulpine::fem
