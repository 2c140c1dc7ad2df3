// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "tests/fem/flow.hpp"

namespace ulpine::test {

inline TetraConnections<Cuda> connected(Cuda cuda, std::vector<std::int32_t> const& element,
                                        std::int32_t nodes) {
  return {cuda, {element.data(), static_cast<std::int64_t>(element.size())}, nodes};
}

/// A flow on a mesh in device memory.
template <class P>
struct OnDevice {
  using State = typename P::State;
  template <class T>
  using Room = Array<T, Cuda>;
  Cuda cuda;
  TetraConnectivity mesh;
  std::vector<Room<State>> fields;

  /// `on` is in device memory.
  OnDevice(Cuda device, TetraConnectivity const& on) : cuda{device}, mesh{on} {}

  /// The field's copy on the device; null stays null.
  State const* field(std::vector<State> const& values) {
    fields.emplace_back(cuda, static_cast<std::int64_t>(values.size()));
    fields.back().from_host(values.data());
    return fields.back().view().data();
  }
};

template <class F>
F on_device(F form, OnDevice<typename F::Policy>& device, Flow<typename F::Policy> const& flow) {
  form.position = device.field(flow.position);
  if constexpr (requires { form.in.diffusivity; }) {
    auto const whole = [] {
      if constexpr (requires { F::diffusivities; }) return F::diffusivities == 9;
      return true;
    }();
    form.in = {device.field(flow.velocity),
               device.field(flow.scalar),
               device.field(whole ? flow.tensor : flow.diffusivity),
               device.field(flow.absorption),
               device.field(flow.reference),
               device.field(flow.source)};
  } else if constexpr (requires { form.in.buoyancy; }) {
    auto const* const velocity = device.field(flow.velocity);
    form.in = {velocity,
               device.field(flow.old_velocity),
               device.field(flow.density),
               device.field(flow.diffusivity),
               device.field(F::absorptions == 1 ? flow.absorption : flow.absorption3),
               velocity,
               device.field(flow.buoyancy),
               device.field(flow.pressure)};
  } else if constexpr (requires { form.compressibility; }) {
    form.compressibility = device.field(flow.compressibility);
    form.pressure_of_density = device.field(flow.of_density);
    form.pressure = device.field(flow.pressure);
    form.old_density = device.field(flow.old_density);
    form.density = device.field(flow.density);
  } else if constexpr (requires { form.by_parts; }) {
    form.density = device.field(flow.density);
    form.old_density = device.field(flow.old_density);
  }
  return form;
}

}  // namespace ulpine::test
