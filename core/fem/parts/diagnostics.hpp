// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fem/domain.hpp"

namespace ulpine::fem {

/// Force of the pressure's departure from the reference on the ground along x, a volume of the node's.
template <class T>
struct DragOnGround {
  T const *departure, *area, *volume;
  T* drag;
  ULPINE_HD void operator()(std::int64_t n) const { drag[n] = departure[n] * area[n] / volume[n]; }
};

/// rho |u|^2 / 2, J m-3.
template <class T>
struct KineticEnergy {
  T const *density, *u, *v, *w;
  T* energy;
  ULPINE_HD void operator()(std::int64_t n) const {
    auto const square = math::fma(u[n], u[n], math::fma(v[n], v[n], w[n] * w[n]));
    energy[n] = density[n] * square / T(2);
  }
};

/// What a run tells of the air besides its state, and the volumes that integrals weigh by.
template <class D>
class Diagnostics final : public Part {
  using T = typename D::T;
  using Values = typename D::Values;

 public:
  explicit Diagnostics(D& d) : d_{d} {
    energy_.on_demand([this] {
      d_.for_nodes(KineticEnergy<T>{in(d_.rho), in(d_.u), in(d_.v), in(d_.w), out(energy_)});
    });
    drag_.on_demand([this] {
      d_.for_nodes(DragOnGround<T>{in(d_.departure), in(ground_), in(volume_), out(drag_)});
    });
  }

  void start() override {
    D::write(volume_, d_.setup->volume);
    D::write(ground_, d_.setup->ground);
  }

  std::vector<IntegralDescription> integrals() const override {
    return {{"mass", "kg", "rho", "cell_volume"},
            {"mass_residual", "kg s-1", "continuity_residual", "cell_volume"},
            {"kinetic_energy", "J", "kinetic_energy_density", "cell_volume"},
            {"drag", "N", "ground_drag", "cell_volume"}};
  }

 private:
  D& d_;
  Values &energy_ =
             d_.node("kinetic_energy_density", "J m-3", "kinetic energy of the wind", FieldRole::diagnostic),
         &drag_ = d_.node("ground_drag", "N m-3",
                          "force along x of the pressure on the ground, a volume of the node's",
                          FieldRole::diagnostic),
         &volume_ =
             d_.node("cell_volume", "m3", "integral of the node's shape function", FieldRole::constant),
         &ground_ = d_.at_node("ground_area_x", "m2");
};

}  // namespace ulpine::fem
