// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/domain.hpp"
#include "core/seaice/part.hpp"

namespace ulpine::seaice {

/// Keeps concentration within 0 and 1 and thickness above 0 after the advection.
template <class D>
class Limiting final : public Part {
 public:
  explicit Limiting(D& d) : d_{d} {
    d.declare(this, stage::limit,
              "means and slopes limited so that concentration lies in [0, 1] and thickness is not negative",
              4 * D::modes);
  }
  void prepare(double) override { d_.run_stage(stage::limit); }
  void compute(stage::Id, StageArguments const&) override {
    auto& f = d_.f;
    d_.run(stage::limit, d_.cells.extent(),
           Limiter<typename D::State, typename D::Plane>{d_.cells, d_.p.limiter, f.h.view(), f.a.view()},
           {&f.h, &f.a});
  }

 private:
  D& d_;
};

}  // namespace ulpine::seaice
