// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/exec/clock.hpp"
#include "core/exec/graph.hpp"
#include "core/exec/hash.hpp"
#include "core/exec/memory.hpp"
#include "core/seaice/dynamics.hpp"
#include "core/seaice/solver.hpp"
#include "core/seaice/stages.hpp"
#include "core/seaice/transport.hpp"

namespace ulpine::seaice {

/// The scalar types of a policy without its format: policies that differ in the format alone share these
/// kernels.
template <class P>
struct Scalars {
  using State = typename P::State;
  using Compute = typename P::Compute;
  using Accumulate = typename P::Accumulate;
};

/// Geometry is set up in double, or in the state's type where that is wider.
template <class State>
using GeometryOf = std::conditional_t<(sizeof(State) > sizeof(double)), State, double>;

template <class Executor, class Real, int n>
struct SharedStore {
  using Matrices = SharedMatrices<Real, n>;
  Matrices matrices{};
  SharedStore(Executor, std::int64_t /*plane*/) {}
  /// Takes the matrices of one element, given for every cell of the mesh in turn.
  void set(std::int64_t /*cell*/, Real const (&values)[n]) {
    for (int i = 0; i < n; ++i) {
      matrices.values[i] = values[i];
    }
  }
  void finish() {}
  Matrices view() const { return matrices; }
  std::int64_t bytes() const { return 0; }
};

template <class Executor, class Real, int n>
struct CellStore {
  using Matrices = CellMatrices<Real, n>;
  std::int64_t plane;
  Array<Real, Executor> values;
  std::vector<Real> host;
  CellStore(Executor executor, std::int64_t cells)
      : plane{cells}, values(executor, n * cells), host(static_cast<std::size_t>(n * cells)) {}
  void set(std::int64_t cell, Real const (&entries)[n]) {
    for (int i = 0; i < n; ++i) {
      host[static_cast<std::size_t>(i * plane + cell)] = entries[i];
    }
  }
  void finish() {
    values.from_host(host.data());
    host = {};
  }
  Matrices view() const { return {values.view().data(), plane}; }
  std::int64_t bytes() const { return values.bytes(); }
};

template <class P, class S, Assembly assembly, class Executor, bool shared_maps>
class SolverOf final : public Solver {
  static_assert(assembly == Assembly::deterministic || sizeof(typename P::State) <= sizeof(double),
                "quad has no atomic addition: use the deterministic assembly");
  using State = typename P::State;
  using Compute = typename P::Compute;
  using Accumulate = typename P::Accumulate;
  using Plain = Scalars<P>;
  using Rheology = ViscousPlastic<Compute>;
  template <class Real, int n>
  using Store = std::conditional_t<shared_maps, SharedStore<Executor, Real, n>, CellStore<Executor, Real, n>>;
  using StressStore = Store<Compute, StressLayout<S>::count>;
  using DivergenceStore = Store<Compute, DivergenceLayout<S>::count>;
  using TransportStore = Store<State, TransportLayout<S>::count>;
  template <class T>
  using Buffer = Array<T, Executor>;

 public:
  SolverOf(Executor executor, QuadMesh const& mesh, Parameters const& parameters)
      : executor_{executor},
        parameters_{parameters},
        cells_{mesh.nx, mesh.ny},
        nodes_{mesh.nx, mesh.ny},
        stress_maps_(executor, cells_.plane()),
        divergence_maps_(executor, cells_.plane()),
        transport_maps_(executor, cells_.plane()) {
    allocate();
    set_up_geometry(mesh);
    set_up_tables();
    set_up_forcing();
    for (char const* name : stage::names) {
      clock_.add_stage(name);
    }
  }

  void advance(std::int64_t step) override {
    position_ = {step, 0};
    watched_ = observer_ != nullptr || (fault_.stage != nullptr && fault_.position.step == step);
    clock_.enable(timed_step(step));
    advect();
    run(stage::limit, Limiter<State, S>{cells_, parameters_.limiter, h_.view(), a_.view()}, cells_.extent());
    wrote(stage::limit, FieldId::h, FieldId::a);
    average_to_nodes();
    force(static_cast<double>(step) * parameters_.dt);
    update_strength();
    u0_.copy_from(u_);
    v0_.copy_from(v_);
    if (watched_) {
      for (int k = 1; k < parameters_.substeps; ++k) {
        position_.substep = k;
        substep_by_stages();
      }
    } else {
      graph_.run(executor_, clock_, [this] {
        for (int k = 1; k < parameters_.substeps; ++k) {
          substep_fused();
        }
      });
    }
    // The last sub-step keeps its strain rate: the shear of the output is taken from it.
    position_.substep = parameters_.substeps;
    substep_by_stages();
    position_.substep = 0;
  }

  FieldLayout layout(FieldId field) const override {
    constexpr int state = sizeof(State), compute = sizeof(Compute);
    auto const nodal = [&](char const* name, bool prognostic) {
      return FieldLayout{name, 1, true, state, prognostic, nodes_.size()};
    };
    auto const cellwise = [&](char const* name, int components, int bytes, bool prognostic) {
      return FieldLayout{name, components, false, bytes, prognostic, components * cells_.extent().size()};
    };
    switch (field) {
      case FieldId::u:
        return nodal("u", true);
      case FieldId::v:
        return nodal("v", true);
      case FieldId::h:
        return cellwise("H", S::dg, state, true);
      case FieldId::a:
        return cellwise("A", S::dg, state, true);
      case FieldId::stress_xx:
        return cellwise("S11", S::stress, compute, true);
      case FieldId::stress_yy:
        return cellwise("S22", S::stress, compute, true);
      case FieldId::stress_xy:
        return cellwise("S12", S::stress, compute, true);
      case FieldId::strain_xx:
        return cellwise("E11", S::stress, compute, true);
      case FieldId::strain_yy:
        return cellwise("E22", S::stress, compute, true);
      case FieldId::strain_xy:
        return cellwise("E12", S::stress, compute, true);
      case FieldId::shear:
        return cellwise("shear", 1, compute, false);
      case FieldId::node_h:
        return nodal("cgH", false);
      case FieldId::node_a:
        return nodal("cgA", false);
      case FieldId::u0:
        return nodal("u0", false);
      case FieldId::v0:
        return nodal("v0", false);
      case FieldId::wind_x:
        return nodal("wind_x", false);
      case FieldId::wind_y:
        return nodal("wind_y", false);
      case FieldId::force_x:
        return {"force_x", 1, true, sizeof(Accumulate), false, nodes_.size()};
      case FieldId::force_y:
        return {"force_y", 1, true, sizeof(Accumulate), false, nodes_.size()};
      case FieldId::dg_u:
        return cellwise("dg_u", S::dg, state, false);
      default:
        return cellwise("dg_v", S::dg, state, false);
    }
  }

  void read(FieldId field, double* values) const override {
    if (field == FieldId::shear) {
      update_shear();
    }
    with(field, [&](auto const& buffer) {
      copy_dense(field, buffer,
                 [&](auto const& value, std::int64_t at) { values[at] = static_cast<double>(value); });
    });
  }

  void write(FieldId field, double const* values) override {
    with(field, [&](auto& buffer) {
      using T = std::remove_cvref_t<decltype(buffer.view()[0])>;
      fill_dense(field, buffer, [&](std::int64_t at) { return static_cast<T>(values[at]); });
    });
  }

  void read_bits(FieldId field, std::byte* values) const override {
    with(field, [&](auto const& buffer) {
      copy_dense(field, buffer, [&](auto const& value, std::int64_t at) {
        std::memcpy(values + at * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
      });
    });
  }

  void write_bits(FieldId field, std::byte const* values) override {
    with(field, [&](auto& buffer) {
      using T = std::remove_cvref_t<decltype(buffer.view()[0])>;
      fill_dense(field, buffer, [&](std::int64_t at) {
        T value;
        std::memcpy(static_cast<void*>(&value), values + at * static_cast<std::int64_t>(sizeof value),
                    sizeof value);
        return value;
      });
    });
  }

  void observe(StageObserver* observer) override { observer_ = observer; }
  void plant(PlantedFault const& fault) override { fault_ = fault; }

  std::uint64_t state_hash() const override {
    std::uint64_t hash = 0;
    for (int i = 0; i < static_cast<int>(FieldId::count); ++i) {
      auto const field = static_cast<FieldId>(i);
      if (layout(field).prognostic) {
        hash = hash * 0x9e3779b97f4a7c15ull + field_hash(raw(field));
      }
    }
    return hash;
  }

  std::int64_t memory_bytes() const override { return bytes_; }
  std::vector<StageTime> times() override { return clock_.times(); }

  bool run_stage(char const* stage) override {
    auto const is = [&](stage::Id id) { return std::strcmp(stage, stage::names[id]) == 0; };
    position_.substep = 1;
    if (is(stage::strain)) {
      update_strain();
    } else if (is(stage::stress)) {
      update_stress();
    } else if (is(stage::divergence)) {
      update_divergence();
    } else if (is(stage::velocity)) {
      update_velocity();
    } else if (is(stage::boundary)) {
      stop_at_boundary();
    } else if (is(stage::strength)) {
      update_strength();
    } else if (is(stage::nodal)) {
      average_to_nodes();
    } else if (is(stage::forcing)) {
      force(parameters_.dt);
    } else if (is(stage::limit)) {
      run(stage::limit, Limiter<State, S>{cells_, parameters_.limiter, h_.view(), a_.view()},
          cells_.extent());
    } else if (is(stage::advect_update)) {
      advect();
    } else if (is(stage::strain_stress)) {
      fuse_strain_stress();
    } else if (is(stage::divergence_velocity)) {
      fuse_divergence_velocity();
    } else {
      return false;
    }
    return true;
  }

 private:
  void allocate() {
    auto const plane = cells_.plane();
    auto const make = [&](auto& buffer, std::int64_t size) {
      buffer = std::remove_cvref_t<decltype(buffer)>(executor_, size);
      bytes_ += buffer.bytes();
    };
    for (auto* buffer : {&u_, &v_, &u0_, &v0_, &ocean_u_, &ocean_v_, &wind_x_, &wind_y_, &node_h_, &node_a_,
                         &inverse_mass_, &node_x_, &node_y_}) {
      make(*buffer, nodes_.size());
    }
    for (auto* buffer : {&h_, &a_, &old_, &rate_, &dg_u_, &dg_v_}) {
      make(*buffer, S::dg * plane);
    }
    make(normal_x_, S::edge * plane);
    make(normal_y_, S::edge * plane);
    for (auto* buffer : {&stress_xx_, &stress_yy_, &stress_xy_, &strain_xx_, &strain_yy_, &strain_xy_}) {
      make(*buffer, S::stress * plane);
    }
    make(coefficient_, S::gauss * plane);
    make(shear_, plane);
    make(force_x_, nodes_.size());
    make(force_y_, nodes_.size());
    make(sea_, plane);
    make(moves_, nodes_.size());
    bytes_ += stress_maps_.bytes() + divergence_maps_.bytes() + transport_maps_.bytes();
  }

  void set_up_geometry(QuadMesh const& mesh) {
    using Geometry = GeometryOf<State>;
    auto const node_count = static_cast<std::size_t>(nodes_.size());
    std::vector<Geometry> mass(node_count, Geometry(0));
    std::vector<State> x(node_count), y(node_count), inverse_mass(node_count);
    std::vector<std::uint8_t> sea(static_cast<std::size_t>(cells_.plane()), 0), moves(node_count, 1);
    ElementMatrices<Geometry, S> element;
    for (std::int32_t j = 0; j < mesh.ny; ++j) {
      for (std::int32_t i = 0; i < mesh.nx; ++i) {
        auto const corner = static_cast<std::size_t>(j) * (mesh.nx + 1) + i;
        std::size_t const corners[4] = {corner, corner + 1, corner + mesh.nx + 1, corner + mesh.nx + 2};
        // A mesh of equal parallelograms has one set of matrices: computed once, from the first cell.
        if (!shared_maps || (i == 0 && j == 0)) {
          Geometry vx[4], vy[4];
          for (int c = 0; c < 4; ++c) {
            vx[c] = Geometry(mesh.x[corners[c]]);
            vy[c] = Geometry(mesh.y[corners[c]]);
          }
          element = element_matrices<Geometry, S>(vx, vy);
          set_maps(cells_.index(i, j), element);
        }
        bool const is_sea = mesh.ice[static_cast<std::size_t>(j) * mesh.nx + i] != 0;
        sea[static_cast<std::size_t>(cells_.index(i, j))] = is_sea ? 1 : 0;
        for (int c = 0; c < S::nodes; ++c) {
          std::int32_t const li = c % (S::cg + 1), lj = c / (S::cg + 1);
          std::int32_t const gi = S::cg * i + li, gj = S::cg * j + lj;
          auto const node = static_cast<std::size_t>(nodes_.index(gi, gj));
          mass[node] += element.lumped_mass[c];
          double const s = static_cast<double>(li) / S::cg, t = static_cast<double>(lj) / S::cg;
          auto const blend = [&](std::vector<double> const& f) {
            return (1 - t) * ((1 - s) * f[corners[0]] + s * f[corners[1]]) +
                   t * ((1 - s) * f[corners[2]] + s * f[corners[3]]);
          };
          x[node] = static_cast<State>(blend(mesh.x));
          y[node] = static_cast<State>(blend(mesh.y));
          if (!is_sea || gi == 0 || gj == 0 || gi == S::cg * mesh.nx || gj == S::cg * mesh.ny) {
            moves[node] = 0;
          }
        }
      }
    }
    stress_maps_.finish();
    divergence_maps_.finish();
    transport_maps_.finish();
    for (std::size_t k = 0; k < node_count; ++k) {
      inverse_mass[k] = static_cast<State>(Geometry(1) / mass[k]);
    }
    inverse_mass_.from_host(inverse_mass.data());
    node_x_.from_host(x.data());
    node_y_.from_host(y.data());
    sea_.from_host(sea.data());
    moves_.from_host(moves.data());
  }

  template <class Geometry>
  void set_maps(std::int64_t cell, ElementMatrices<Geometry, S> const& element) {
    Compute stress[StressLayout<S>::count], divergence[DivergenceLayout<S>::count];
    State transport[TransportLayout<S>::count];
    for (int i = 0; i < StressLayout<S>::count; ++i) {
      stress[i] = P::Multiplicand::round(static_cast<Compute>(element.stress[i]));
    }
    for (int i = 0; i < DivergenceLayout<S>::count; ++i) {
      divergence[i] = static_cast<Compute>(element.divergence[i]);
    }
    for (int i = 0; i < TransportLayout<S>::count; ++i) {
      transport[i] = static_cast<State>(element.transport[i]);
    }
    stress_maps_.set(cell, stress);
    divergence_maps_.set(cell, divergence);
    transport_maps_.set(cell, transport);
  }

  void set_up_tables() {
    using Geometry = GeometryOf<State>;
    using Format = typename P::Multiplicand;
    auto const rule = gauss_rule<Geometry, S::gauss_1d>();
    for (int q = 0; q < S::gauss; ++q) {
      Geometry const s = rule.point[q % S::gauss_1d], t = rule.point[q / S::gauss_1d];
      shear_weight_[q] = static_cast<Compute>(rule.weight[q % S::gauss_1d] * rule.weight[q / S::gauss_1d]);
      for (int k = 0; k < S::stress; ++k) {
        shear_psi_.value[k][q] = static_cast<Compute>(dg_basis(k, s, t));
        stress_psi_.value[k][q] = Format::round(static_cast<Compute>(dg_basis(k, s, t)));
      }
      for (int m = 0; m < S::dg; ++m) {
        tracer_psi_.value[m][q] = Format::round(static_cast<Compute>(dg_basis(m, s, t)));
      }
    }
    auto const tracer_rule = gauss_rule<Geometry, S::tracer_gauss_1d>();
    for (int q = 0; q < S::tracer_gauss; ++q) {
      for (int m = 0; m < S::dg; ++m) {
        transport_psi_.value[m][q] = static_cast<State>(dg_basis(m, tracer_rule.point[q % S::tracer_gauss_1d],
                                                                 tracer_rule.point[q / S::tracer_gauss_1d]));
      }
    }
    for (int q = 0; q < S::edge; ++q) {
      Geometry const t = tracer_rule.point[q], zero = 0, one = 1;
      for (int m = 0; m < S::dg; ++m) {
        sides_.psi[0][m][q] = static_cast<State>(dg_basis(m, zero, t));
        sides_.psi[1][m][q] = static_cast<State>(dg_basis(m, one, t));
        sides_.psi[2][m][q] = static_cast<State>(dg_basis(m, t, zero));
        sides_.psi[3][m][q] = static_cast<State>(dg_basis(m, t, one));
      }
      for (int e = 0; e < S::edge; ++e) {
        sides_.edge_psi[e][q] = static_cast<State>(edge_basis(e, t));
      }
      sides_.weight[q] = static_cast<State>(tracer_rule.weight[q]);
    }
    for (int c = 0; c < S::nodes; ++c) {
      Geometry const s = Geometry(c % (S::cg + 1)) / S::cg, t = Geometry(c / (S::cg + 1)) / S::cg;
      for (int m = 0; m < S::dg; ++m) {
        nodal_tables_.psi[c][m] = static_cast<State>(dg_basis(m, s, t));
      }
    }
  }

  void set_up_forcing() {
    auto const upload = [&](double const* values, Buffer<State>& target) {
      if (values != nullptr) {
        std::vector<State> typed(static_cast<std::size_t>(nodes_.size()));
        for (std::size_t k = 0; k < typed.size(); ++k) {
          typed[k] = static_cast<State>(values[k]);
        }
        target.from_host(typed.data());
      }
    };
    upload(parameters_.ocean_u, ocean_u_);
    upload(parameters_.ocean_v, ocean_v_);
    parameters_.ocean_u = parameters_.ocean_v = nullptr;  // not ours to keep
  }

  void advect() {
    run(stage::advect_velocity,
        VelocityProjection<State, S, typename TransportStore::Matrices>{
            cells_, nodes_, u_.view(), v_.view(), transport_maps_.view(), dg_u_.view(), dg_v_.view()},
        cells_.extent());
    wrote(stage::advect_velocity, FieldId::dg_u, FieldId::dg_v);
    run(stage::advect_normal,
        NormalVelocity<State, S, true>{cells_, nodes_, sea_.view(), node_x_.view(), node_y_.view(),
                                       dg_u_.view(), dg_v_.view(), normal_x_.view()},
        Extent2{cells_.nx + 1, cells_.ny});
    run(stage::advect_normal,
        NormalVelocity<State, S, false>{cells_, nodes_, sea_.view(), node_x_.view(), node_y_.view(),
                                        dg_u_.view(), dg_v_.view(), normal_y_.view()},
        Extent2{cells_.nx, cells_.ny + 1});
    wrote_buffer(stage::advect_normal, "normal_x", normal_x_);
    wrote_buffer(stage::advect_normal, "normal_y", normal_y_);
    advect_tracer(a_, "A");
    advect_tracer(h_, "H");
  }

  /// Runge-Kutta steps in Shu-Osher form: out = keep * old + (1 - keep) * (stage + dt L(stage)).
  void advect_tracer(Buffer<State>& tracer, char const* name) {
    static constexpr int keep_numerator[3][3] = {{0, 0, 0}, {0, 1, 0}, {0, 3, 1}};
    static constexpr int keep_denominator[3][3] = {{1, 1, 1}, {1, 2, 1}, {1, 4, 3}};
    int const order = parameters_.runge_kutta;
    old_.copy_from(tracer);
    for (int stage = 0; stage < order; ++stage) {
      int const numerator = keep_numerator[order - 1][stage],
                denominator = keep_denominator[order - 1][stage];
      State const keep = State(numerator) / State(denominator),
                  take = State(denominator - numerator) / State(denominator);
      transport_rate(tracer);
      run(stage::advect_update,
          TransportUpdate<State, S, typename TransportStore::Matrices>{
              cells_, sea_.view(), old_.view(), tracer.view(), rate_.view(), transport_maps_.view(),
              State(parameters_.dt), keep, take, tracer.view()},
          cells_.extent());
      wrote_buffer(stage::advect_update, name, tracer);
    }
  }

  void transport_rate(Buffer<State> const& tracer) {
    run(stage::advect_cell,
        CellTransport<State, S, typename TransportStore::Matrices>{cells_, dg_u_.view(), dg_v_.view(),
                                                                   tracer.view(), transport_maps_.view(),
                                                                   transport_psi_, rate_.view()},
        cells_.extent());
    wrote_buffer(stage::advect_cell, "rate", rate_);
    EdgeFlux<State, S> const flux{cells_, tracer.view(), sides_};
    if constexpr (assembly == Assembly::deterministic) {
      run(stage::advect_edges,
          EdgeFluxGather<State, S>{flux, normal_x_.view(), normal_y_.view(), rate_.view()}, cells_.extent());
    } else {
      run(stage::advect_edges,
          EdgeFluxScatter<State, S, true, Executor>{flux, normal_x_.view(), rate_.view()},
          Extent2{cells_.nx + 1, cells_.ny});
      run(stage::advect_edges,
          EdgeFluxScatter<State, S, false, Executor>{flux, normal_y_.view(), rate_.view()},
          Extent2{cells_.nx, cells_.ny + 1});
    }
    wrote_buffer(stage::advect_edges, "rate", rate_);
  }

  void average_to_nodes() {
    NodalEvaluator<State, S> const tracers{cells_, h_.view(), a_.view(), nodal_tables_};
    if constexpr (assembly == Assembly::deterministic) {
      run(stage::nodal, NodalGather<State, S>{tracers, nodes_, node_h_.view(), node_a_.view()},
          nodes_.extent());
    } else {
      node_h_.fill_zero();
      node_a_.fill_zero();
      run(stage::nodal, NodalScatter<State, S, Executor>{tracers, nodes_, node_h_.view(), node_a_.view()},
          cells_.extent());
    }
    wrote(stage::nodal, FieldId::node_h, FieldId::node_a);
  }

  void force(double time) {
    Wind<State> wind;
    auto const& given = parameters_.wind;
    wind.kind = static_cast<typename Wind<State>::Kind>(given.kind);
    wind.u = State(given.u);
    wind.v = State(given.v);
    wind.centre_x = State(given.centre_x + parameters_.wind_speed_x * time);
    wind.centre_y = State(given.centre_y + parameters_.wind_speed_y * time);
    wind.rate = State(given.rate);
    wind.reach = State(given.reach);
    wind.inflow_cos = State(given.inflow_cos);
    wind.inflow_sin = State(given.inflow_sin);
    run(stage::forcing,
        ForcingUpdate<State, S>{nodes_, node_x_.view(), node_y_.view(), wind, node_h_.view(), node_a_.view(),
                                wind_x_.view(), wind_y_.view()},
        nodes_.extent());
    wrote(stage::forcing, FieldId::node_h, FieldId::node_a, FieldId::wind_x, FieldId::wind_y);
  }

  void update_strength() {
    run(stage::strength,
        StrengthUpdate<P, S, Rheology>{cells_, h_.view(), a_.view(), sea_.view(), tracer_psi_, Rheology{},
                                       coefficient_.view()},
        cells_.extent());
    wrote_buffer(stage::strength, "strength", coefficient_);
  }

  void substep_by_stages() {
    update_strain();
    update_stress();
    update_divergence();
    update_velocity();
    stop_at_boundary();
  }

  void substep_fused() {
    fuse_strain_stress();
    if constexpr (assembly == Assembly::deterministic) {
      fuse_divergence_velocity();
    } else {
      update_divergence();
      update_velocity();
      stop_at_boundary();
    }
  }

  auto strain_evaluator() const {
    return StrainEvaluator<P, S, typename StressStore::Matrices>{cells_, nodes_, u_.view(), v_.view(),
                                                                 stress_maps_.view()};
  }
  auto stress_relaxer() {
    return StressRelaxer<P, S, typename StressStore::Matrices, Rheology>{
        cells_,        coefficient_.view(), stress_maps_.view(),
        stress_psi_,   Rheology{},          Compute(1) / Compute(parameters_.alpha),
        stress_field()};
  }
  TensorField<Compute> stress_field() {
    return {stress_xx_.view().data(), stress_yy_.view().data(), stress_xy_.view().data()};
  }
  TensorField<Compute const> stress_field() const {
    return {stress_xx_.view().data(), stress_yy_.view().data(), stress_xy_.view().data()};
  }
  TensorField<Compute> strain_field() {
    return {strain_xx_.view().data(), strain_yy_.view().data(), strain_xy_.view().data()};
  }
  TensorField<Compute const> strain_field() const {
    return {strain_xx_.view().data(), strain_yy_.view().data(), strain_xy_.view().data()};
  }
  auto cell_force() const {
    return CellForce<Plain, S, typename DivergenceStore::Matrices>{cells_, stress_field(),
                                                                   divergence_maps_.view()};
  }
  Momentum<State> momentum() const {
    return {u0_.view(),
            v0_.view(),
            ocean_u_.view(),
            ocean_v_.view(),
            wind_x_.view(),
            wind_y_.view(),
            node_h_.view(),
            node_a_.view(),
            inverse_mass_.view(),
            State(constants::ice_density) / State(parameters_.dt),
            State(constants::ice_density) * State(parameters_.coriolis),
            State(constants::water_density) * State(constants::water_drag),
            State(parameters_.beta)};
  }

  void update_strain() {
    run(stage::strain, StrainUpdate<P, S, typename StressStore::Matrices>{strain_evaluator(), strain_field()},
        cells_.extent());
    wrote(stage::strain, FieldId::strain_xx, FieldId::strain_yy, FieldId::strain_xy);
  }
  void update_stress() {
    run(stage::stress,
        StressUpdate<P, S, typename StressStore::Matrices, Rheology>{stress_relaxer(),
                                                                     std::as_const(*this).strain_field()},
        cells_.extent());
    wrote(stage::stress, FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy);
  }
  void update_divergence() {
    if constexpr (assembly == Assembly::deterministic) {
      run(stage::divergence,
          DivergenceGather<Plain, S, typename DivergenceStore::Matrices>{
              {cell_force()}, nodes_, force_x_.view(), force_y_.view()},
          nodes_.extent());
    } else {
      force_x_.fill_zero();
      force_y_.fill_zero();
      run(stage::divergence,
          DivergenceScatter<Plain, S, typename DivergenceStore::Matrices, Executor>{
              cell_force(), nodes_, force_x_.view(), force_y_.view()},
          cells_.extent());
    }
    wrote(stage::divergence, FieldId::force_x, FieldId::force_y);
  }
  void update_velocity() {
    run(stage::velocity,
        VelocityUpdate<Plain, S>{momentum(), nodes_, force_x_.view(), force_y_.view(), u_.view(), v_.view()},
        nodes_.extent());
    wrote(stage::velocity, FieldId::u, FieldId::v);
  }
  void stop_at_boundary() {
    run(stage::boundary, BoundaryStop<State, S>{nodes_, moves_.view(), u_.view(), v_.view()},
        nodes_.extent());
    wrote(stage::boundary, FieldId::u, FieldId::v);
  }
  void fuse_strain_stress() {
    run(stage::strain_stress,
        StrainStressUpdate<P, S, typename StressStore::Matrices, Rheology>{strain_evaluator(),
                                                                           stress_relaxer()},
        cells_.extent());
  }
  void fuse_divergence_velocity() {
    run(stage::divergence_velocity,
        DivergenceVelocityUpdate<Plain, S, typename DivergenceStore::Matrices>{
            {cell_force()}, momentum(), nodes_, moves_.view(), u_.view(), v_.view()},
        nodes_.extent());
  }
  void update_shear() const {
    ShearMean<Plain, S> kernel{cells_, strain_field(), shear_psi_, {}, shear_.view()};
    std::copy(std::begin(shear_weight_), std::end(shear_weight_), kernel.weight);
    for_each(executor_, cells_.extent(), kernel);
  }

  template <class Body>
  void run(stage::Id stage, Body const& body, Extent2 extent) {
    clock_.begin(executor_, stage);
    for_each(executor_, extent, body);
    clock_.end(executor_, stage,
               static_cast<double>(cells_.extent().size()) * TrafficModel<P, S, shared_maps>::bytes(stage));
  }

  /// On a device the second step and every 64th are timed launch by launch; the sub-cycle of the others runs
  /// as a graph.
  static bool timed_step(std::int64_t step) { return !Executor::on_device || step == 2 || step % 64 == 0; }

  template <class... Fields>
  void wrote(stage::Id stage, Fields... fields) {
    if (watched_) {
      (report(stage, layout(fields).name, raw(fields)), ...);
    }
  }
  template <class T>
  void wrote_buffer(stage::Id stage, char const* name, Buffer<T> const& buffer) {
    if (watched_) {
      report(stage, name, raw_of(buffer));
    }
  }
  void report(stage::Id stage, char const* field, RawField const& values) {
    if (fault_.stage != nullptr && fault_.position == position_ &&
        std::strcmp(fault_.stage, stage::names[stage]) == 0 && std::strcmp(fault_.field, field) == 0) {
      add_one_ulp(values, fault_.element);
    }
    if (observer_ != nullptr) {
      observer_->stage_done(position_, stage::names[stage], field, values);
    }
  }

  template <class T>
  RawField raw_of(Buffer<T> const& buffer) const {
    RawField field{buffer.view().data(), buffer.size(), static_cast<std::int32_t>(sizeof(T)),
                   Executor::on_device, nullptr};
    if constexpr (Executor::on_device) {
      field.stream = executor_.stream;
    }
    return field;
  }
  RawField raw(FieldId field) const {
    RawField result;
    with(field, [&](auto const& buffer) { result = raw_of(buffer); });
    return result;
  }

  template <class Self, class Visit>
  static void visit_field(Self& self, FieldId field, Visit const& visit) {
    switch (field) {
      case FieldId::u:
        return visit(self.u_);
      case FieldId::v:
        return visit(self.v_);
      case FieldId::h:
        return visit(self.h_);
      case FieldId::a:
        return visit(self.a_);
      case FieldId::stress_xx:
        return visit(self.stress_xx_);
      case FieldId::stress_yy:
        return visit(self.stress_yy_);
      case FieldId::stress_xy:
        return visit(self.stress_xy_);
      case FieldId::strain_xx:
        return visit(self.strain_xx_);
      case FieldId::strain_yy:
        return visit(self.strain_yy_);
      case FieldId::strain_xy:
        return visit(self.strain_xy_);
      case FieldId::shear:
        return visit(self.shear_);
      case FieldId::node_h:
        return visit(self.node_h_);
      case FieldId::node_a:
        return visit(self.node_a_);
      case FieldId::u0:
        return visit(self.u0_);
      case FieldId::v0:
        return visit(self.v0_);
      case FieldId::wind_x:
        return visit(self.wind_x_);
      case FieldId::wind_y:
        return visit(self.wind_y_);
      case FieldId::force_x:
        return visit(self.force_x_);
      case FieldId::force_y:
        return visit(self.force_y_);
      case FieldId::dg_u:
        return visit(self.dg_u_);
      default:
        return visit(self.dg_v_);
    }
  }
  template <class Visit>
  void with(FieldId field, Visit const& visit) const {
    visit_field(*this, field, visit);
  }
  template <class Visit>
  void with(FieldId field, Visit const& visit) {
    visit_field(*this, field, visit);
  }

  /// Calls visit(memory index, dense index) for every value of a field but the halo.
  template <class Visit>
  void for_dense(FieldId field, Visit const& visit) const {
    auto const shape = layout(field);
    if (shape.at_nodes) {
      for (std::int64_t k = 0; k < shape.values; ++k) {
        visit(k, k);
      }
      return;
    }
    std::int64_t dense = 0;
    for (int c = 0; c < shape.components; ++c) {
      for (std::int32_t iy = 0; iy < cells_.ny; ++iy) {
        for (std::int32_t ix = 0; ix < cells_.nx; ++ix) {
          visit(c * cells_.plane() + cells_.index(ix, iy), dense++);
        }
      }
    }
  }
  template <class T, class Take>
  void copy_dense(FieldId field, Buffer<T> const& buffer, Take const& take) const {
    std::vector<T> host(static_cast<std::size_t>(buffer.size()));
    buffer.to_host(host.data());
    for_dense(field, [&](std::int64_t memory, std::int64_t dense) {
      take(host[static_cast<std::size_t>(memory)], dense);
    });
  }
  template <class T, class Give>
  void fill_dense(FieldId field, Buffer<T>& buffer, Give const& give) {
    std::vector<T> host(static_cast<std::size_t>(buffer.size()), T(0));
    for_dense(field, [&](std::int64_t memory, std::int64_t dense) {
      host[static_cast<std::size_t>(memory)] = give(dense);
    });
    buffer.from_host(host.data());
  }

  Executor executor_;
  Parameters parameters_;
  CellLattice cells_;
  NodeLattice<S::cg> nodes_;
  StressStore stress_maps_;
  DivergenceStore divergence_maps_;
  TransportStore transport_maps_;
  BasisTable<Compute, S::stress, S::gauss> stress_psi_{};
  BasisTable<Compute, S::dg, S::gauss> tracer_psi_{};
  BasisTable<State, S::dg, S::tracer_gauss> transport_psi_{};
  BasisTable<Compute, S::stress, S::gauss> shear_psi_{};  // never rounded to the format
  Compute shear_weight_[S::gauss] = {};
  SideTables<State, S> sides_{};
  NodalTables<State, S> nodal_tables_{};

  Buffer<State> u_, v_, u0_, v0_, ocean_u_, ocean_v_, wind_x_, wind_y_, node_h_, node_a_, inverse_mass_,
      node_x_, node_y_;
  Buffer<State> h_, a_, old_, rate_, dg_u_, dg_v_, normal_x_, normal_y_;
  Buffer<Compute> stress_xx_, stress_yy_, stress_xy_, strain_xx_, strain_yy_, strain_xy_, coefficient_;
  mutable Buffer<Compute> shear_;
  Buffer<Accumulate> force_x_, force_y_;
  Buffer<std::uint8_t> sea_, moves_;
  std::int64_t bytes_ = 0;

  StagePosition position_;
  StageObserver* observer_ = nullptr;
  PlantedFault fault_;
  bool watched_ = false;
  StageClock clock_;
  StageGraph graph_;
};

}  // namespace ulpine::seaice
