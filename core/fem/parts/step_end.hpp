// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/domain.hpp"

namespace ulpine::fem {

template <class T>
struct Scattered {
  T const* velocity;
  T *u, *v, *w;

  ULPINE_HD void operator()(std::int64_t n) const {
    u[n] = velocity[3 * n];
    v[n] = velocity[3 * n + 1];
    w[n] = velocity[3 * n + 2];
  }
};

/// The wind of the new time level.
template <class D>
class StepEnd final : public Part {
 public:
  explicit StepEnd(D& d) : d_{d} {}

  void declare_stages() override { stage_ = d_.stage("new", "components of the wind", 6); }

  void end() override {
    d_.run(stage_, Scattered<typename D::T>{in(d_.velocity), out(d_.u), out(d_.v), out(d_.w)},
           {d_.u, d_.v, d_.w});
  }

 private:
  D& d_;
  Stage stage_{};
};

}  // namespace ulpine::fem
