// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>

#include "core/exec/reduce.hpp"
#include "core/field/table.hpp"
#include "core/field/values.hpp"
#include "core/mesh/lattice.hpp"
#include "core/ranks/rank_reducer.hpp"
#include "core/seaice/stress_equation.hpp"

/// How far the mEVP iteration is from a solution when a model step ends: the residuals of the two equations
/// that its fixed point solves, in the units of their unknowns. Up to terms of order 1/alpha and 1/beta they
/// are alpha (sigma^(p+1) - sigma^p) and beta (v^(p+1) - v^p), by which Bouillon et al. 2013 and Kimmritz et
/// al. 2015 judge convergence; without that difference of nearby numbers they keep their digits in float.
namespace ulpine::seaice {

/// Root mean square over a cell, as a reference square, of the stress's residual and of the stress (N m-1).
template <class P, class S>
struct StressDistance {
  using Real = typename P::Compute;

  CellLattice cells;
  TensorField<Real const> stress, target;  ///< as it is; as the rheology wants it
  Real weight[S::stress];                  ///< mean of a mode's square
  View<Real> distance, size;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = cells.index(ix, iy);
    Real apart = 0, whole = 0;
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) {
      auto const at = k * cells.plane() + cell;
      Tensor<Real> const is{stress.xx[at], stress.yy[at], stress.xy[at]};
      apart = math::fma(weight[k],
                        square({target.xx[at] - is.xx, target.yy[at] - is.yy, target.xy[at] - is.xy}), apart);
      whole = math::fma(weight[k], square(is), whole);
    }
    distance[cell] = math::sqrt(apart);
    size[cell] = math::sqrt(whole);
  }

 private:
  ULPINE_HD static Real square(Tensor<Real> const& t) {
    return math::fma(t.xx, t.xx, math::fma(t.yy, t.yy, Real(2) * t.xy * t.xy));
  }
};

/// |next - v| at a node, m s-1.
template <class Real, class S>
struct VelocityDistance {
  NodeLattice<S::cg> nodes;
  View<Real const> u, v, next_u, next_v;
  View<Real> distance;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const node = nodes.index(ix, iy);
    Real const du = next_u[node] - u[node], dv = next_v[node] - v[node];
    distance[node] = math::sqrt(math::fma(du, du, dv * dv));
  }
};

/// sqrt(square / (first + second)); 0 where nothing is compared with nothing.
template <class Real>
struct NormRatio {
  View<Real const> square, first, second;
  View<Real> ratio;

  ULPINE_HD void operator()(std::int64_t i) const {
    Real const whole = first[i] + second[i];
    ratio[i] = whole == Real(0) && square[i] == Real(0) ? Real(0) : math::sqrt(square[i] / whole);
  }
};

/// The fields of the residuals and what they are computed in; only where a case asks for them.
template <class P, class S, class Executor>
struct ResidualFields {
  using State = typename P::State;
  using Compute = typename P::Compute;
  template <class T>
  using Own = FieldOf<T, Executor>;
  template <class T>
  using Number = Scalar<T, Executor>;

  ResidualFields(FieldTable& table, Executor executor, Link<Executor>& link, Layouts const& at,
                 Fields<P, Executor> const& f)
      : velocity_residual{table.add<State>(
            executor,
            {.name = "velocity_residual",
             .units = "m s-1",
             .long_name = "change of velocity that would solve the momentum equation of the step",
             .role = FieldRole::diagnostic,
             .dimensions = {"yn", "xn"},
             .output = true,
             .domain = &f.node_mask},
            at.on_nodes())},
        stress_residual{table.add<Compute>(
            executor,
            {.name = "stress_residual",
             .units = "N m-1",
             .long_name = "change of stress that would solve the rheology's equation, rms over a cell",
             .role = FieldRole::diagnostic,
             .dimensions = {"y", "x"},
             .output = true,
             .coordinates = f.mask.description().coordinates,
             .domain = &f.mask},
            at.on_cells())},
        velocity_ratio{scalar<State>(table, executor, "velocity_residual_ratio",
                                     "L2 norm of velocity_residual over that of the velocity")},
        stress_ratio{scalar<Compute>(table, executor, "stress_residual_ratio",
                                     "L2 norm of stress_residual over that of the stress")},
        u(executor, {.name = "u"}, at.on_nodes()),
        v(executor, {.name = "v"}, at.on_nodes()),
        strain{of_modes(executor, at), of_modes(executor, at), of_modes(executor, at)},
        stress{of_modes(executor, at), of_modes(executor, at), of_modes(executor, at)},
        stress_size(executor, {.name = "size"}, at.on_cells()),
        reducer(executor, link),
        velocity_squares{Number<State>(executor), Number<State>(executor), Number<State>(executor)},
        stress_squares{Number<Compute>(executor), Number<Compute>(executor), Number<Compute>(executor)} {}

  /// `update` brings all four fields up to date.
  void on_demand(std::function<void()> const& update) {
    velocity_residual.on_demand(update);
    stress_residual.on_demand(update);
    velocity_ratio.on_demand(update);
    stress_ratio.on_demand(update);
  }
  /// Memory of the copies, which are no fields of the table.
  std::int64_t bytes() const {
    return u.bytes() + v.bytes() + stress_size.bytes() + 3 * (strain[0].bytes() + stress[0].bytes());
  }
  /// No step has been taken: nothing to say.
  void clear() {
    velocity_residual.fill_zero();
    stress_residual.fill_zero();
    velocity_ratio.fill_zero();
    stress_ratio.fill_zero();
  }
  /// The residuals and their norms, from `u`, `v` and `stress` after one more update.
  void measure(Executor executor, CellLattice const& cells, NodeLattice<S::cg> const& nodes,
               Fields<P, Executor> const& f, Compute const (&stress_squares_of_modes)[S::stress]) {
    for_each(executor, nodes.extent(),
             VelocityDistance<State, S>{nodes, f.u.view(), f.v.view(), u.view(), v.view(),
                                        velocity_residual.view()});
    StressDistance<P, S> kernel{cells,
                                tensor_of<Compute const>(f.stress_xx, f.stress_yy, f.stress_xy),
                                tensor_of<Compute const>(stress[0], stress[1], stress[2]),
                                {},
                                stress_residual.view(),
                                stress_size.view()};
    std::copy(std::begin(stress_squares_of_modes), std::end(stress_squares_of_modes), kernel.weight);
    for_each(executor, cells.extent(), kernel);
    reducer.dot_to(velocity_residual, velocity_residual, velocity_squares[0]);
    reducer.dot_to(f.u, f.u, velocity_squares[1]);
    reducer.dot_to(f.v, f.v, velocity_squares[2]);
    for_each(executor, 1, ratio(velocity_squares, velocity_ratio));
    reducer.dot_to(stress_residual, stress_residual, stress_squares[0]);
    reducer.dot_to(stress_size, stress_size, stress_squares[1]);
    for_each(executor, 1, ratio(stress_squares, stress_ratio));
  }

  Own<State>& velocity_residual;
  Own<Compute>& stress_residual;
  Own<State>& velocity_ratio;
  Own<Compute>& stress_ratio;
  Own<State> u, v;                    ///< after one more update
  Own<Compute> strain[3], stress[3];  ///< xx, yy, xy of the present velocity; what the rheology wants
  Own<Compute> stress_size;           ///< rms of the stress over a cell, N m-1
  RankReducer<Executor> reducer;
  Number<State> velocity_squares[3];  ///< of residual, u, v
  Number<Compute> stress_squares[3];  ///< of residual, stress; 0

 private:
  static Own<Compute> of_modes(Executor executor, Layouts const& at) {
    return Own<Compute>(executor, {.name = "work"}, at.on_cells_of_stress());
  }
  template <class T>
  static Own<T>& scalar(FieldTable& table, Executor executor, char const* name, char const* long_name) {
    return table.add<T>(executor,
                        {.name = name, .long_name = long_name, .role = FieldRole::diagnostic, .output = true},
                        Layout(std::initializer_list<LayoutAxis>{}, 0, 1));
  }
  template <class T>
  static NormRatio<T> ratio(Number<T> const (&squares)[3], Own<T>& ratio) {
    return {squares[0].view(), squares[1].view(), squares[2].view(), ratio.view()};
  }
};

/// Measures them when they are asked for; `Equation` is a StressEquation.
template <class Equation>
class Residuals final : public Part {
  using D = typename Equation::Domain;
  using P = typename Equation::Policy;
  using V = typename D::V;
  using Matrices = typename Equation::Matrices;

 public:
  explicit Residuals(Equation const& equation)
      : d_{equation.d},
        equation_{equation},
        c_(d_.fields, d_.executor, d_.link, Layouts(V{}, d_.cells, d_.nodes, d_.block.get()), d_.f) {
    c_.on_demand([this] { measure(); });
  }
  void prepare(double) override { stepped_ = true; }
  void state_replaced() override { stepped_ = false; }
  std::int64_t bytes() const override { return c_.bytes(); }

 private:
  /// On copies: by how much another sub-step would change velocity and stress if it went all the way.
  void measure() {
    using State = typename D::State;
    using Compute = typename D::Compute;
    if (!stepped_) return c_.clear();
    auto const& f = d_.f;
    c_.u.copy_from(f.u);
    c_.v.copy_from(f.v);
    auto undamped = d_.momentum();
    undamped.law.beta = State(0);
    for_each(d_.executor, d_.nodes.extent(),
             VelocityUpdate<typename D::Types, typename V::Plane>{
                 undamped, d_.nodes, f.force_x.view(), f.force_y.view(), c_.u.view(), c_.v.view()});
    for_each(d_.executor, d_.nodes.extent(),
             BoundaryStop<State, typename V::Plane>{d_.nodes, f.moves.view(), c_.u.view(), c_.v.view()});
    auto const rates = tensor_of<Compute>(c_.strain[0], c_.strain[1], c_.strain[2]);
    auto relaxation = equation_.relaxation();
    relaxation.inverse_alpha = Compute(1);
    relaxation.stress = tensor_of<Compute>(c_.stress[0], c_.stress[1], c_.stress[2]);
    c_.stress[0].copy_from(f.stress_xx);
    c_.stress[1].copy_from(f.stress_yy);
    c_.stress[2].copy_from(f.stress_xy);
    for_each(d_.executor, d_.cells.extent(), StrainUpdate<P, V, Matrices>{equation_.strain_rate(), rates});
    for_each(d_.executor, d_.cells.extent(),
             StressUpdate<P, V, Matrices, typename Equation::Rheology>{relaxation,
                                                                       {rates.xx, rates.yy, rates.xy}});
    c_.measure(d_.executor, d_.cells, d_.nodes, f, d_.tables.stress_squares);
  }

  D& d_;
  Equation equation_;
  ResidualFields<typename D::Types, typename V::Plane, typename D::Executor> c_;
  bool stepped_ = false;  ///< fields of a step are there
};

}  // namespace ulpine::seaice
