// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/fem/setup.hpp"
#include "core/fem/step_kernels.hpp"

/// Sides that air leaves through. Wind is free there; what enters has the reference's potential temperature
/// and no water; and instead of the equation of continuity their nodes have
///   p - p_ref = rho c (u - u_ref).n,
/// which is what a wave has that leaves along the outward normal n at the speed c. A wave of speed s is
/// reflected with (s - c) / (s + c) of its amplitude; c = 0 keeps the pressure at the reference's.
namespace ulpine::fem {

/// The pressure at open nodes, of the wind as it is now.
template <class T>
struct OpenPressure {
  std::uint8_t const* open;
  T const* normal;  ///< 3 a node, of length 1 at open nodes
  T speed;          ///< c, m s-1
  T const *density, *velocity, *reference;
  T* departure;

  ULPINE_HD void operator()(std::int64_t n) const {
    if (open[n] == 0) return;
    T along = T(0);
    for (int d = 0; d < 3; ++d) {
      auto const i = 3 * n + d;
      along = math::fma(velocity[i] - reference[i], normal[i], along);
    }
    departure[n] = density[n] * speed * along;
  }
};

/// Where a scalar is given: at fixed nodes and where air enters through open ones.
template <class T>
struct Entering {
  std::uint8_t const *open, *fixed;
  T const *normal, *velocity;
  std::uint8_t* given;

  ULPINE_HD void operator()(std::int64_t n) const {
    T along = T(0);
    for (int d = 0; d < 3; ++d) along = math::fma(velocity[3 * n + d], normal[3 * n + d], along);
    given[n] = fixed[n] != 0 || (open[n] != 0 && along < T(0)) ? 1 : 0;
  }
};

/// Mass that leaves through the open sides, a volume of the node's, kg m-3 s-1.
template <class T>
struct OutflowOfMass {
  T const* area;  ///< m2, 3 a node
  T const *density, *u, *v, *w, *volume;
  T* outflow;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const* const a = area + 3 * n;
    auto const through = math::fma(u[n], a[0], math::fma(v[n], a[1], w[n] * a[2]));
    outflow[n] = density[n] * through / volume[n];
  }
};

/// The arrays of the open sides of a model on an executor, empty where there are none.
template <class T, class Executor>
class OpenSides {
 public:
  OpenSides(Executor executor, Setup const& setup)
      : executor_{executor},
        any_{!setup.parameters.open_sides.empty()},
        nodes_{any_ ? setup.nodes() : 0},
        speed_{static_cast<T>(setup.parameters.open_speed)},
        open_(executor, nodes_),
        pressure_(executor, nodes_),
        scalar_(executor, nodes_),
        normal_(executor, 3 * nodes_),
        area_(executor, 3 * nodes_) {
    if (!any_) return;
    std::vector<std::uint8_t> open, given;
    std::vector<T> normal, area;
    for (std::size_t n = 0; n < setup.fixed.size(); ++n) {
      auto const* const a = &setup.open_area[3 * n];
      auto const size = math::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
      auto const leaves = size > 0 && setup.fixed[n] == 0;
      open.push_back(leaves);
      given.push_back(leaves || setup.fixed[n] != 0);
      for (std::size_t d = 0; d < 3; ++d) {
        normal.push_back(static_cast<T>(leaves ? a[d] / size : 0));
        area.push_back(static_cast<T>(a[d]));
      }
    }
    open_.from_host(open.data());
    pressure_.from_host(given.data());
    scalar_.from_host(given.data());
    normal_.from_host(normal.data());
    area_.from_host(area.data());
  }

  bool any() const { return any_; }
  /// Where the pressure, and a scalar since the last `enter`, are given; `fixed` without open sides.
  std::uint8_t const* pressure_given(std::uint8_t const* fixed) const {
    return any_ ? pressure_.view().data() : fixed;
  }
  std::uint8_t const* scalar_given(std::uint8_t const* fixed) const {
    return any_ ? scalar_.view().data() : fixed;
  }

  /// Makes `outflow`, a model's field as the others are, tell the mass that leaves.
  template <class Field>
  void tell(Field& outflow, Field const& density, Field const& u, Field const& v, Field const& w,
            Field const& volume) const {
    outflow.on_demand([&, this] {
      for_each(executor_, nodes_,
               OutflowOfMass<T>{area_.view().data(), density.view().data(), u.view().data(), v.view().data(),
                                w.view().data(), volume.view().data(), outflow.view().data()});
    });
  }
  /// Sets, before a pass, where scalars and the pressure are given at open sides; takes fields of a model.
  template <class Mask, class Field>
  void set_boundary_values(Mask const& fixed, Field const& advecting, Field const& density,
                           Field const& velocity, Field const& reference, Field& departure) {
    for_each(executor_, nodes_,
             Entering<T>{open_.view().data(), fixed.view().data(), normal_.view().data(),
                         advecting.view().data(), scalar_.view().data()});
    for_each(executor_, nodes_,
             OpenPressure<T>{open_.view().data(), normal_.view().data(), speed_, density.view().data(),
                             velocity.view().data(), reference.view().data(), departure.view().data()});
  }

 private:
  Executor executor_;
  bool any_;
  std::int64_t nodes_;
  T speed_;
  Array<std::uint8_t, Executor> open_, pressure_, scalar_;
  Array<T, Executor> normal_, area_;
};

}  // namespace ulpine::fem
