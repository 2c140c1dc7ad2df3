// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/les/domain.hpp"
#include "core/les/part.hpp"

namespace ulpine::les {

/// The integrals over the domain that a run reports, and the volumes that they weigh by.
template <class D>
class Integrals final : public Part {
 public:
  explicit Integrals(D& d) : d_{d} {
    auto& volume =
        d.template add<double>(d.output("cell_volume", "m3", "volume of a cell", FieldRole::constant, {"z"}),
                               Layout::entities(d.p.nz));
    volume.from_host(d.p.cell_volumes().data());
  }

  std::vector<IntegralDescription> integrals() const override {
    std::vector<IntegralDescription> all{{"residual_divergence", "m3 s-1", "divergence", "cell_volume"}};
    if (!d_.p.neutral) all.push_back({"heat", "K m3", "theta", "cell_volume"});
    if (d_.p.humid) all.push_back({"moisture", "kg kg-1 m3", "q", "cell_volume"});
    return all;
  }

 private:
  D& d_;
};

}  // namespace ulpine::les
