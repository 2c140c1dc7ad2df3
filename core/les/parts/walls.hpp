// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/les/domain.hpp"
#include "core/les/part.hpp"

namespace ulpine::les {

/// Walls and roofs of buildings: where they stand, for the kernels of all parts (`Built`), and the fields
/// that tell outputs. Their stress is in the tendencies of momentum, the shear beside them in the closure
/// (closure.hpp), what they do to the pressure in its right-hand side and correction, or in its solution
/// (air_solver.hpp).
template <class D>
class Walls final : public Part {
 public:
  static bool needed(Parameters const&) { return D::Ground::built; }

  explicit Walls(D& d) {
    d.maps.from_host(d.setup->maps.data());
    upload(d.setup->mixing_limit, d.limit);
    auto const mask = [&](char const* name, std::vector<std::string> dimensions, Variable variable) {
      return &add_mask(d.fields, d.executor, *d.setup, name, std::move(dimensions), variable);
    };
    d.air = mask("air", {"z", "y", "x"}, Variable::scalar);
    d.air_u = mask("air_u", {"z", "y", "x_u"}, Variable::u);
    d.air_v = mask("air_v", {"z", "y_v", "x"}, Variable::v);
    d.air_w = mask("air_w", {"z_w", "y", "x"}, Variable::scalar);
  }
};

}  // namespace ulpine::les
