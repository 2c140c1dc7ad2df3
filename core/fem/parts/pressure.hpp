// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/fem/domain.hpp"
#include "core/fem/pressure_solver.hpp"
#include "core/fem/solver_keys.hpp"
#include "core/linalg/kernels.hpp"

namespace ulpine::fem {

/// Reciprocals of the lumped mass, 0 where the velocity is fixed: no pressure changes it there.
template <class T>
struct InverseMass {
  std::uint8_t const* fixed;
  T const* mass;
  T* inverse;
  ULPINE_HD void operator()(std::int64_t n) const { inverse[n] = fixed[n] != 0 ? T(0) : T(1) / mass[n]; }
};

/// Residual of continuity of the velocity between the time levels and the stabilised pressure, with
/// `tendency` its first term: int N (rho_old - rho) / dt - C_P u - theta dt K s; 0 at fixed nodes.
template <class T>
struct Continuity {
  CsrPattern pattern;
  std::uint8_t const* fixed;
  T implicitness, stabilised_step;  ///< theta; theta dt, s
  T const *divergence, *diffusion, *velocity, *old_velocity;
  Pushed<T> const* pushed;
  T const* tendency;
  T* right;

  ULPINE_HD void operator()(std::int64_t row) const {
    T flow = T(0), diffused = T(0);
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const column = pattern.column[e];
      for (int d = 0; d < 3; ++d) {
        auto const i = std::int64_t{3} * column + d;
        flow = math::fma(divergence[std::int64_t{3} * e + d],
                         between(implicitness, velocity[i], old_velocity[i]), flow);
      }
      diffused = math::fma(diffusion[e], pushed[column].stabilised, diffused);
    }
    right[row] = fixed[row] != 0 ? T(0) : (tendency[row] - flow) - stabilised_step * diffused;
  }
};

/// The pressure's change x / (dt theta^2) and the velocity's, force / theta, added; the density that follows.
template <class T>
struct Corrected {
  AirAt<T> at;
  T per_change, per_implicitness;
  T const* x;
  Pushed<T> const* pushed;
  T *departure, *velocity, *density;

  ULPINE_HD void operator()(std::int64_t n) const {
    departure[n] = math::fma(per_change, x[n], departure[n]);
    density[n] = at(n).density;
    for (int d = 0; d < 3; ++d) {
      auto const i = 3 * n + d;
      velocity[i] = math::fma(per_implicitness, pushed[n].force[d], velocity[i]);
    }
  }
};

/// Residual of continuity per volume, kg m-3 s-1.
template <class T>
struct ResidualOfMass {
  T const *right, *volume;
  T* residual;
  ULPINE_HD void operator()(std::int64_t n) const { residual[n] = -(right[n] / volume[n]); }
};

/// weight = f / (theta^2 m).
template <class T>
struct StabilisationWeight {
  T factor;
  T const* volume;
  T* weight;
  ULPINE_HD void operator()(std::int64_t n) const { weight[n] = factor / volume[n]; }
};

/// The pressure that makes wind and density agree with continuity.
template <class D>
class Pressure final : public Part {
  using T = typename D::T;
  using Executor = typename D::Executor;
  using Values = typename D::Values;

 public:
  static std::vector<io::CaseKey> keys() {
    auto keys = solver_keys("pressure", "the pressure", 1e-8, "gcr");
    keys.push_back(io::number_key(
        "pressure.stabilisation", 0.05, 0, 100,
        "factor on a diffusion of pressure over elements that keeps linear elements free of checkerboards"));
    keys.push_back(io::choice_key("pressure.preconditioner",
                                  {{"multigrid", "aggregated cells on coarser and coarser levels"},
                                   {"jacobi", "the diagonal alone"}},
                                  "what speeds up the solution for the pressure")
                       .needing("no pressure.petsc"));
    keys.push_back(
        io::flag_key("pressure.formed", false,
                     "PETSc's preconditioner is made of the whole matrix of the pressure, not of one with "
                     "fewer neighbours")
            .needing("pressure.petsc"));
    return keys;
  }

  explicit Pressure(D& d) : d_{d} {
    residual_.on_demand([this] { update_residual(); });
  }

  void declare_stages() override {
    divergence_stage_ = d_.stage("divergence", "divergence of momentum", 7, 3, d_.sums);
    projection_stage_ = d_.stage("projection", "compressibility's share", 8, 1, d_.sums);
    continuity_stage_ = d_.stage("continuity", "what continuity lacks", 10, 7);
    solve_ = d_.solving("pressure", "change of the pressure", 2, 8, d_.p.pressure);
    correct_ = d_.stage("correct", "pressure, wind and density of the new time level", 12, 4);
    exchange_ = d_.message_stage("continuity", "what continuity lacks at neighbours' nodes", 1);
  }

  /// With a matrix near the pressure's, as it stays: that of a mean compressibility, C_P M_L^-1 C^T taken for
  /// 3/4 of the Laplacian of the elements. Of pressures that oscillate from node to node it makes much less
  /// than the Laplacian does, of smooth ones as much: 3/4 is between, and needs the fewest iterations
  /// (measured).
  void assemble_constants() override {
    auto const& p = d_.p;
    auto const theta = p.implicitness;
    d_.constants->gradient(out(gradient_));
    d_.constants->pressure_diffusion(out(diffusion_));
    d_.for_nodes(StabilisationWeight<T>{T(p.stabilisation / (theta * theta)), in(d_.volume), out(weight_)});
    D::write(one_, d_.all(1));
    auto const warmth = T(p.air.cp / p.air.cv * (p.air.cp - p.air.cv) * 250.0);  // c^2 at 250 K
    auto const *const zero = in(d_.zero), *const zero3 = in(d_.zero3);
    auto const diffusion = 0.75 * p.step * p.step * theta * theta * static_cast<double>(warmth);
    d_.constants->scalar({zero3, zero, in(one_), zero, zero, diffusion, out(near_), out(d_.right)});
    d_.for_nodes(
        linalg::FixedRows<T>{d_.mesh.pattern, d_.pressure_given(), zero, true, out(near_), out(d_.right)});
    // Something that can be solved with, for the solvers of rates to prepare themselves.
    for_each(d_.executor, d_.entries, Copied<T>{in(near_), out(d_.matrix)});
  }

  /// Every rank makes the multigrid of the whole matrix, where there is one, and keeps its part of it.
  void prepare() override {
    auto options = d_.p.pressure;
    // Methods that precondition the system from the left end where the cycle's precision says.
    options.narrow = options.method == Method::gcr || options.method == Method::cg;
    PressureSystem<T> const system{d_.mesh.pattern, d_.pressure_given(), in(divergence_),   in(gradient_),
                                   in(projection_), in(diffusion_),      in(inverse_mass_), in(weight_)};
    auto const make = [&](CsrView<T const> whole) {
      solver_ = std::make_unique<PressureSolver<T, Executor>>(d_.executor, system, in(near_), options,
                                                              d_.sharing(), whole);
    };
    if (!d_.ghosts || options.petsc || !options.multigrid) return make({});
    TetraConnections<Host> const on_host(Host{}, D::elements_of(*d_.whole), d_.whole->nodes());
    auto const pattern = on_host.view().pattern;
    linalg::SparsePattern<Executor> const of_all(d_.executor, pattern);
    std::vector<T> values(static_cast<std::size_t>(pattern.entries()));
    gather_owned_entries(values);
    Array<T, Executor> all(d_.executor, static_cast<std::int64_t>(values.size()));
    all.from_host(values.data());
    make({of_all.view(), std::as_const(all).view().data()});
  }

  void advance() override {
    auto& matrix = solver_->matrix();
    auto const theta = d_.p.implicitness;
    d_.call(divergence_stage_,
            [&] {
              d_.assembler->divergence(in(d_.rho), in(d_.old_rho), T(theta), out(divergence_));
              d_.for_nodes(InverseMass<T>{in(d_.fixed), in(d_.mass), out(inverse_mass_)});
            },
            {&divergence_, &inverse_mass_});
    d_.call(projection_stage_, [&] { assemble_projection(); }, {&projection_, d_.right});
    d_.call_together(continuity_stage_, [&] { update_continuity(); }, {&continuity_});
    d_.exchange(exchange_, {{out(continuity_)}});
    d_.call_together(solve_, [&] { solver_->solve(in(continuity_), out(change_)); }, {&change_});
    d_.call_together(correct_,
                     [&] {
                       matrix.push(in(change_));
                       d_.for_nodes(Corrected<T>{d_.air_at(), T(1 / (theta * theta * d_.p.step)),
                                                 T(1 / theta), in(change_), matrix.pushed(),
                                                 out(d_.departure), out(d_.velocity), out(d_.rho)});
                     },
                     {d_.departure, d_.velocity, d_.rho});
  }

 private:
  void assemble_projection() {
    d_.assembler->projection({in(d_.compressibility), in(d_.departure), in(d_.old_rho), in(d_.rho), d_.p.step,
                              d_.p.implicitness, out(projection_), out(d_.right)});
    d_.each(&Part::add_mass);
  }
  void update_continuity() {
    auto const theta = d_.p.implicitness;
    solver_->matrix().push(in(d_.between_departures));
    d_.for_nodes(Continuity<T>{d_.mesh.pattern, d_.pressure_given(), T(theta), T(theta * d_.p.step),
                               in(divergence_), in(diffusion_), in(d_.velocity), in(d_.old_velocity),
                               solver_->matrix().pushed(), in(d_.right), out(continuity_)});
  }
  /// Updates the residual of continuity that the linearisation and the solvers of the last step have left.
  void update_residual() {
    if (!d_.stepped) {
      residual_.fill_zero();
      return;
    }
    assemble_projection();
    d_.for_nodes(d_.state_of_air());
    update_continuity();
    d_.for_nodes(ResidualOfMass<T>{in(continuity_), in(d_.volume), out(residual_)});
  }

  /// The near matrix's entries of all ranks.
  void gather_owned_entries(std::vector<T>& all) {
    auto& ranks = *d_.link->ranks();
    auto const& axis = d_.of_entries.axis(0);
    auto const size = static_cast<std::int64_t>(sizeof(T));
    std::vector<std::uint64_t> begin(static_cast<std::size_t>(ranks.size()) + 1, 0);
    begin[static_cast<std::size_t>(ranks.rank())] = static_cast<std::uint64_t>(axis.begin);
    begin.back() = ranks.rank() == 0 ? static_cast<std::uint64_t>(axis.global_extent) : 0;
    ranks.add(begin);
    auto* const own = all.data() + axis.begin;
    detail::to_host(d_.executor, own, in(near_) + d_.of_entries.offset(), axis.extent * size);
    std::vector<Outgoing> sent;
    std::vector<Incoming> received;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      if (rank == ranks.rank()) continue;
      auto const first = static_cast<std::int64_t>(begin[static_cast<std::size_t>(rank)]),
                 end = static_cast<std::int64_t>(begin[static_cast<std::size_t>(rank) + 1]);
      sent.push_back({rank, own, axis.extent * size});
      received.push_back({rank, all.data() + first, (end - first) * size});
    }
    ranks.exchange(sent, received);
  }

  D& d_;
  Values &residual_ = d_.at_node("continuity_residual", "kg m-3 s-1"),
         &inverse_mass_ = d_.at_node("inverse_mass", "kg-1"), &weight_ = d_.at_node("stabilisation", "m-3"),
         &continuity_ = d_.at_node("continuity", "kg s-1"), &change_ = d_.at_node("pressure_change", "Pa s"),
         &one_ = d_.values("one", "1"), &near_ = d_.at_entries("helmholtz", "m"),
         &projection_ = d_.at_entries("projection", "m"),
         &diffusion_ = d_.at_entries("pressure_diffusion", "m2"),
         &divergence_ = d_.at_entries("divergence", "kg m-1", 3),
         &gradient_ = d_.at_entries("gradient", "m2", 3);
  Stage divergence_stage_{}, projection_stage_{}, continuity_stage_{}, solve_{}, correct_{}, exchange_{};
  std::unique_ptr<PressureSolver<T, Executor>> solver_;
};

}  // namespace ulpine::fem
