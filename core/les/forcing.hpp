// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "core/les/closure.hpp"
#include "core/les/parameters.hpp"
#include "core/les/surface_layer.hpp"
#include "core/les/tendencies.hpp"

/// Arguments of kernels, made of a case's parameters.
namespace ulpine::les {

/// The value of `Forcing::surface_layer` for a case.
inline std::int32_t surface_layer_of(Parameters const& p) { return p.flux_layer ? 0 : -1; }

template <class T>
WallShear<T> wall_shear_of(Parameters const& p) {
  auto const gradient = [&](double distance) {
    return p.roughness < distance ? static_cast<T>(1 / (distance * std::log(distance / p.roughness))) : T(0);
  };
  return {gradient(p.dx / 2), gradient(p.dy / 2), surface_layer_of(p),
          p.ground == SlipCondition::no_slip ? T(-1) : T(1)};
}

template <class T>
Forcing<T> forcing_of(Parameters const& p) {
  auto const drag = [&](double distance) {
    return p.roughness < distance
               ? wall_drag_coefficient(static_cast<T>(distance), static_cast<T>(p.roughness))
               : T(0);
  };
  auto const number = [](double value) { return static_cast<T>(value); };
  return {number(p.coriolis),       number(p.coriolis_horizontal),
          number(p.acceleration_x), number(p.acceleration_y),
          drag(p.dx / 2),           drag(p.dy / 2),
          surface_layer_of(p),      p.ground == SlipCondition::no_slip ? T(1) : T(0)};
}

}  // namespace ulpine::les
