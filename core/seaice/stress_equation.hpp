// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/domain.hpp"
#include "core/seaice/maps.hpp"
#include "core/seaice/tensor_stress.hpp"

namespace ulpine::seaice {

/// Strain rate and stress by the rheology Law, with operands in the format of policy P: what kernels of
/// several parts are made of.
template <class P, class D, class M, template <class> class Law>
struct StressEquation {
  using Policy = P;
  using Domain = D;
  using Maps = M;
  using V = typename D::V;
  using Compute = typename D::Compute;
  using Rheology = Law<Compute>;
  using Matrices = typename Maps::StressStore::Matrices;
  /// Where there are kernels that take several sub-steps at once.
  static constexpr bool in_blocks =
      D::Executor::on_device && Maps::shared && D::S::cg == 1 && !D::S::spherical && !is_common_only<Law>;

  D& d;
  Maps const& maps;
  BasisTable<Compute, D::S::stress, D::S::gauss> psi = FormatTables<P, typename D::S>{}.stress_psi;

  Compute inverse_alpha() const { return Compute(1) / Compute(d.p.alpha); }
  StrainEvaluator<P, V, Matrices> strain_rate() const {
    return {d.cells, d.nodes, d.f.u.view(), d.f.v.view(), maps.stress.view()};
  }
  StressRelaxer<P, V, Matrices, Rheology> relaxation() const {
    return {d.cells,
            d.f.coefficient.view(),
            maps.stress.view(),
            OnTensorCores<P, V, Matrices> ? d.tables.shear_psi : psi,
            Rheology{},
            inverse_alpha(),
            d.stress()};
  }
};

}  // namespace ulpine::seaice
