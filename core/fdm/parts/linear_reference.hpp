// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fdm/domain.hpp"
#include "core/fdm/linear_wave.hpp"
#include "core/fdm/part.hpp"
#include "core/field/values.hpp"

namespace ulpine::fdm {

/// The linear steady wave over the same ground, in the output beside the model's own.
template <class D>
class LinearReference final : public Part {
 public:
  static bool needed(Parameters const& p) { return p.linear_wave; }

  explicit LinearReference(D& d)
      : d_{d},
        w_{d.template add<double>(d.output("w_linear", "m s-1", "wind upward of the linear steady wave",
                                           FieldRole::constant, {"z_w", "y", "x"}),
                                  d.at_w)} {}
  void declare_stages() override {}
  void start() override {
    auto const& p = d_.p;
    auto const all = linear_wave(d_.heights, d_.base, d_.base.u(0));
    for (std::int32_t k = 0; k <= p.nz; ++k) {
      write_values(w_.raw(), std::int64_t{k} * p.nx, p.nx, ValueType::float64,
                   all.data() + (std::int64_t{k} * p.whole_nx + p.first_x));
    }
  }

 private:
  D& d_;
  Field const& w_;
};

}  // namespace ulpine::fdm
