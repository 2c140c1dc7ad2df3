// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/les/air_solver.hpp"
#include "core/les/setup.hpp"

namespace ulpine::les {

/// Solves for the pressure as the case says: through the buildings, or in the air alone.
template <class T, class S, class Ground, class Executor>
class PressureSolver {
 public:
  /// add_stage and `sharing` as AirSolver; `poisson` is like that which will solve.
  template <class AddStage>
  PressureSolver(Executor executor, Sharing<Executor>& sharing, FieldTable& fields,
                 FieldOf<S, Executor>& pressure, PoissonPhases<S> const& poisson, Setup const& setup,
                 AddStage const& add_stage)
      : executor_{executor},
        sharing_{&sharing},
        pressure_{&pressure},
        iterations_{setup.parameters.pressure_iterations} {
    auto const bytes = poisson.minimal_bytes();
    auto const guarantee = poisson.guarantee();
    forward_ = add_stage({"les.pressure.forward_fft", "Fourier transform of the divergence of each level",
                          bytes[0], guarantee});
    tridiagonal_ = add_stage({"les.pressure.tridiagonal", "tridiagonal solve along z for each wavenumber",
                              bytes[1], Guarantee::bitwise});
    inverse_ = add_stage({"les.pressure.inverse_fft",
                          "inverse Fourier transform of each level to the pressure", bytes[2], guarantee});
    if constexpr (Ground::built) {
      if (!setup.parameters.exact_walls) return;
      in_air_.emplace(executor, sharing, fields, pressure, poisson, setup.air_thickness(), add_stage);
      if (!setup.parameters.volume_flow) return;
      potential_ =
          &fields.template add<S>(executor, {.name = "unit_wind_potential", .units = "m"}, pressure.layout());
      unit_ = &fields.template add<T>(executor, {.name = "unit_wind_sum"}, Layout::entities(1));
    }
  }

  /// Replaces the right-hand side in the pressure's planes by the pressure, by solves of `poisson`. The
  /// stages of beside_forward() and beside_inverse(), which touch neither, run beside what the first of each
  /// transform sends to other ranks.
  template <class BesideForward, class BesideInverse>
  void solve(StageRunner& stages, PoissonPhases<S>& poisson, Grid<T> const& grid, Ground const& ground,
             BesideForward const& beside_forward, BesideInverse const& beside_inverse) {
    if constexpr (Ground::built) {
      if (in_air_) {
        return in_air_->solve(stages, poisson, grid, ground, iterations_, beside_forward, beside_inverse);
      }
    }
    auto* const first = Rows<S>(pressure_->grid()).first;
    poisson.show(stages.watched());
    sharing_->forward(stages, forward_, poisson, *pressure_, beside_forward);
    call_with_messages(stages, tridiagonal_, executor_, *sharing_->link, [&] { poisson.tridiagonal(first); },
                       {pressure_});
    sharing_->inverse(stages, inverse_, poisson, *pressure_, beside_inverse);
  }

  /// Whether the mean wind is held by a wind that goes around the buildings.
  bool flows_around() const { return potential_ != nullptr; }
  /// Takes that for later: what the projection of UnitWind has left in u, and its pressure.
  void keep_unit_wind(RankReducer<Executor>& reducer, FieldOf<T, Executor> const& u) {
    potential_->copy_from(*pressure_);
    reducer.sum_to(u, *unit_);
  }
  FlowAround<T, S, Ground> around(VolumeFlow<T, Ground> const& through, Grid<T> const& grid, Rows<T> v,
                                  Rows<T> w) const {
    return {grid, through, unit_->view().data(), potential_->grid(), v, w};
  }

 private:
  Executor executor_;
  Sharing<Executor>* sharing_;
  FieldOf<S, Executor>* pressure_;
  std::int32_t iterations_;
  Stage forward_, tridiagonal_, inverse_;
  std::optional<AirSolver<T, S, Ground, Executor>> in_air_;
  FieldOf<S, Executor>* potential_ = nullptr;
  FieldOf<T, Executor>* unit_ = nullptr;
};

}  // namespace ulpine::les
