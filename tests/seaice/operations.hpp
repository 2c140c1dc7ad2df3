// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/part.hpp"

/// Arithmetic of the sub-step's stages, beside the traffic that the parts declare: what a roofline is drawn
/// from.
namespace ulpine::seaice {

/// Operations by kind. A division by a constant counts as a multiplication, what follows from constants alone
/// and comparisons count nothing.
struct Operations {
  double additions = 0, multiplications = 0, fused = 0, divisions = 0, roots = 0, exponentials = 0;

  /// Floating-point operations, a fused one as two.
  constexpr double total() const {
    return additions + multiplications + 2 * fused + divisions + roots + exponentials;
  }
  friend constexpr bool operator==(Operations const&, Operations const&) = default;
  friend constexpr Operations operator+(Operations const& a, Operations const& b) {
    return {a.additions + b.additions, a.multiplications + b.multiplications,
            a.fused + b.fused,         a.divisions + b.divisions,
            a.roots + b.roots,         a.exponentials + b.exponentials};
  }
  friend constexpr Operations operator*(double n, Operations const& a) {
    return {n * a.additions, n * a.multiplications, n * a.fused,
            n * a.divisions, n * a.roots,           n * a.exponentials};
  }
};

/// Operations a cell of one launch of a stage in deterministic assembly, with the law `vp`, in cells amid the
/// sea; a cG1 node counts as a cell. Stages outside of the sub-step but `strength` are not counted.
template <class S>
struct OperationModel {
  static constexpr double tensor = 3;
  static constexpr double products = S::stress * S::nodes;  ///< of modes and nodes

  static constexpr Operations strain{
      .additions = S::stress, .multiplications = S::stress, .fused = 4 * products};
  static constexpr Operations law{.multiplications = 8, .fused = 8, .divisions = 1, .roots = 1};
  static constexpr Operations relax =
      double(S::gauss) * law + Operations{.additions = tensor * S::stress,
                                          .fused = 2 * tensor * S::stress * S::gauss + tensor * S::stress};
  /// A cell gives two numbers to each of its nodes.
  static constexpr Operations divergence{.additions = 2 * S::nodes, .fused = 4 * products};
  static constexpr Operations momentum =
      double(S::cg * S::cg) *
      Operations{.additions = 5, .multiplications = 5, .fused = 12, .divisions = 1, .roots = 1};
  static constexpr Operations strength =
      double(S::gauss) *
      Operations{.additions = 1, .multiplications = 3, .fused = 2 * S::dg, .exponentials = 1};

  static constexpr Operations of(stage::Id id) {
    switch (id) {
      case stage::strength:
        return strength;
      case stage::strain:
        return strain;
      case stage::stress:
        return relax;
      case stage::divergence:
        return divergence;
      case stage::velocity:
        return momentum;
      case stage::strain_stress:
        return strain + relax;
      case stage::divergence_velocity:
        return divergence + momentum;
      default:
        return {};
    }
  }
};

}  // namespace ulpine::seaice
