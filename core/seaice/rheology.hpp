// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "core/seaice/constants.hpp"
#include "core/seaice/scalars.hpp"
#include "precision/elementary.hpp"
#include "precision/host_device.hpp"

/// A rheology is the local law strain rate, H, A -> stress. What depends on H and A alone is its
/// `coefficient`, evaluated once a model step; a coefficient of zero (land) must give zero stress.
namespace ulpine::seaice {

/// Symmetric 2x2 tensor.
template <class Real>
struct Tensor {
  Real xx, yy, xy;
};

/// Viscous-plastic law of Hibler 1979, elliptic yield curve with e = 2, no replacement pressure:
/// Delta^2 = Delta_min^2 + 1.25 (e11^2 + e22^2) + 1.5 e11 e22 + e12^2,
/// sigma11 = P/(8 Delta) (5 e11 + 3 e22) - P/2, sigma22 alike, sigma12 = P/(4 Delta) e12, P = P* H exp(-C (1
/// - A)).
template <class Real>
struct ViscousPlastic {
  static constexpr char const* name = "vp";
  Real strength = Real(constants::strength);        ///< P*, N m-2
  Real decay = Real(constants::strength_decay);     ///< C
  Real least_delta = Real(constants::least_delta);  ///< Delta_min, s-1

  /// P in N m-1 from H (m) and A.
  ULPINE_HD Real coefficient(Real h, Real a) const {
    return strength * h * math::exp(-decay * (Real(1) - a));
  }

  /// sigma in N m-1 from the strain rate (s-1).
  ULPINE_HD Tensor<Real> stress(Tensor<Real> const& e, Real p) const {
    Real const diagonal = math::fma(e.xx, e.xx, e.yy * e.yy);
    Real const delta2 = math::fma(
        Real(5) / Real(4), diagonal,
        math::fma(Real(3) / Real(2), e.xx * e.yy, math::fma(e.xy, e.xy, least_delta * least_delta)));
    Real const viscosity = p / (Real(8) * math::sqrt(delta2));
    Real const half_p = p / Real(2);
    return {math::fma(viscosity, math::fma(Real(5), e.xx, Real(3) * e.yy), -half_p),
            math::fma(viscosity, math::fma(Real(5), e.yy, Real(3) * e.xx), -half_p),
            Real(2) * viscosity * e.xy};
  }
};

/// An elliptic yield curve of a replacement pressure (Hibler and Ip 1995, Kreyscher et al. 2000, as Bouillon
/// et al. 2013 write it): P Delta / (Delta + Delta_min) in place of P, Delta without Delta_min, so that ice
/// at rest has no stress and each stress lies on the ellipse of its replacement pressure: sigma11 = P/(8
/// (Delta + Delta_min)) (5 e11 + 3 e22 - 4 Delta), sigma22 alike, sigma12 = P/(4 (Delta + Delta_min)) e12.
template <class Real>
struct ReplacementPressure {
  static constexpr char const* name = "vp_replacement";
  static constexpr bool common_only = true;
  ViscousPlastic<Real> plastic = {};

  /// P in N m-1 from H (m) and A.
  ULPINE_HD Real coefficient(Real h, Real a) const { return plastic.coefficient(h, a); }

  /// sigma in N m-1 from the strain rate (s-1).
  ULPINE_HD Tensor<Real> stress(Tensor<Real> const& e, Real p) const {
    Real const diagonal = math::fma(e.xx, e.xx, e.yy * e.yy);
    Real const delta = math::sqrt(
        math::fma(Real(5) / Real(4), diagonal, math::fma(Real(3) / Real(2), e.xx * e.yy, e.xy * e.xy)));
    Real const viscosity = p / (Real(8) * (delta + plastic.least_delta));
    return {viscosity * math::fma(Real(5), e.xx, math::fma(Real(3), e.yy, Real(-4) * delta)),
            viscosity * math::fma(Real(5), e.yy, math::fma(Real(3), e.xx, Real(-4) * delta)),
            Real(2) * viscosity * e.xy};
  }
};

template <template <class> class... Laws>
struct RheologyList {};

/// The laws that a case selects by their names, the first by default. A law of one's own: write its struct,
/// add it here.
using Rheologies = RheologyList<ViscousPlastic, ReplacementPressure>;

/// A law with a member common_only runs in those policies, with cG1 and in deterministic assembly only.
template <class SomeLaw>
concept CommonOnly = SomeLaw::common_only;
template <template <class> class Law>
inline constexpr bool is_common_only = CommonOnly<Law<double>>;  // bare: a law is the same in every type

template <template <class> class Law, class P, class S>
inline constexpr bool law_offered = !is_common_only<Law> || (ComparedPolicy<P> && S::cg == 1);

template <template <class> class Law>
inline constexpr char const* name_of_law = Law<double>::name;  // bare: a law has one name in every type

template <template <class> class... Laws>
std::vector<std::string> names_of(RheologyList<Laws...>) {
  return {name_of_law<Laws>...};
}

/// Whether the law of that name is common_only.
template <template <class> class... Laws>
bool is_common_only_law(RheologyList<Laws...>, std::string const& name) {
  return ((name == name_of_law<Laws> && is_common_only<Laws>) || ...);
}

/// make.template operator()<Law>() for the law of the list that has the name; an empty result where none has.
template <template <class> class... Laws, class Make>
auto with_rheology(RheologyList<Laws...>, std::string const& name, Make const& make) {
  std::common_type_t<decltype(make.template operator()<Laws>())...> made{};
  ((name == name_of_law<Laws> ? void(made = make.template operator()<Laws>()) : void()), ...);
  return made;
}

}  // namespace ulpine::seaice
