// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "core/seaice/domain.hpp"

namespace ulpine::seaice {

/// The ice's strength, of the rheology Law.
template <class P, class D, template <class> class Law>
class Strength final : public Part {
  using S = typename D::S;
  using Rheology = Law<typename D::Compute>;

 public:
  explicit Strength(D& d) : d_{d} {
    d.declare(this, stage::strength, "seaice.strength",
              "ice strength P from thickness and concentration (Hibler 1979)",
              D::flag + 2 * D::modes + D::points);
  }
  void prepare(double) override { d_.run_stage(stage::strength); }
  void compute(stage::Id, StageArguments const&) override {
    auto& f = d_.f;
    StrengthUpdate<P, typename D::Plane, Rheology> const kernel{
        d_.cells, f.h.view(), f.a.view(), f.mask.view(), psi_.tracer_psi, Rheology{}, f.coefficient.view()};
    // Over points where loops are vectorised, else over cells.
    if constexpr (std::is_floating_point_v<typename D::State> && VectorisingHost<typename D::Executor>) {
      d_.run(stage::strength, Extent3{d_.cells.nx, d_.cells.ny, S::gauss}, kernel, {&f.coefficient});
    } else {
      d_.run(stage::strength, d_.cells.extent(), kernel, {&f.coefficient});
    }
  }

 private:
  D& d_;
  FormatTables<P, S> psi_;
};

}  // namespace ulpine::seaice
