// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/les/scalars.hpp"

namespace ulpine::les {

/// Runs the stage of the tendency of scalar `phi`, of which `flux` comes in at the lowest faces, upward, and
/// which the sponge draws to table `at_start`: into `stored`, and, where `next` has a place, the scalar at
/// the end of the pass there.
template <class D>
void transport(D& d, Pass const& pass, Stage stage, typename D::Values const& phi,
               Rows<typename D::T const> flux, Level at_start, typename D::Values& stored,
               Carrying<typename D::T> next, std::vector<Field const*> const& written) {
  using T = typename D::T;
  d.by_height(
      pass.stages, stage, d.ground(), d.p.nz,
      [&]<class G>(G on) {
        return ScalarTendency<T, G>{
            d.grid, on,       d.scheme().of_scalars(), d.wind(), d.in(phi), d.diffusivity.in(),
            flux,   at_start, d.store(pass, stored),   next};
      },
      written);
}

}  // namespace ulpine::les
