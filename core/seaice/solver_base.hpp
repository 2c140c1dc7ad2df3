// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/exec/around.hpp"
#include "core/exec/memory.hpp"
#include "core/seaice/advection.hpp"
#include "core/seaice/cell_range.hpp"
#include "core/seaice/convergence.hpp"
#include "core/seaice/dynamics.hpp"
#include "core/seaice/fields.hpp"
#include "core/seaice/halos.hpp"
#include "core/seaice/maps.hpp"
#include "core/seaice/passes.hpp"
#include "core/seaice/solver.hpp"
#include "core/seaice/tables.hpp"
#include "core/seaice/transport.hpp"
#include "core/seaice/transport_sphere.hpp"

namespace ulpine::seaice {

template <class T, class Component>
TensorField<T> tensor_of(Component& xx, Component& yy, Component& xy) {
  return {xx.view().data(), yy.view().data(), xy.view().data()};
}

/// The common part of all solvers, whatever the format of operands, the rheology and how element matrices are
/// kept: fields, set-up, forcing and the kernels that know none of these. `Types` is a Scalars. A class a
/// layer (this one, SolverWithMaps, SolverOf) and not one of all choices: nothing is compiled more often than
/// it differs.
template <class Types, class S, class Executor>
class SolverBase : public Solver {
 public:
  FieldTable& fields() override { return fields_; }
  StageRunner& stages() override { return stages_; }
  std::int64_t other_bytes() const override {
    return sides_.bytes() + mean_weights_.bytes() + (convergence_ ? convergence_->bytes() : 0) +
           (exchanges_ ? exchanges_->memory() : 0);
  }

  void state_replaced() override {
    stepped_ = false;
    if (exchanges_) exchanges_->state.exchange();
  }
  void begin_step(std::int64_t step) override { stages_.begin_step(executor_, step); }
  void substitute(stage::Id id, std::function<void()> const& work,
                  std::vector<Field const*> const& writes) override {
    stages_.call(static_cast<Stage>(id), executor_, work, writes);
  }

  void normal_velocity() override {
    if constexpr (S::spherical) {
      normal_velocity_on_sphere();
    } else {
      run(stage::advect_normal, Extent2{cells_.nx + 1, cells_.ny}, normal_velocity_of<true>(), {});
      run(stage::advect_normal, Extent2{cells_.nx, cells_.ny + 1}, normal_velocity_of<false>(),
          {&f_.normal_x, &f_.normal_y});
    }
  }
  void begin_tracer(Tracer tracer) override { f_.old.copy_from(field(tracer)); }
  void transport_through_edges(Tracer tracer) override {
    EdgeFlux<State, Plane> const flux{cells_, tables_.sides};
    if (gathers()) {
      run(stage::advect_edges, cells_.extent(),
          EdgeFluxGather<State, Plane>{flux, transport_velocity(), field(tracer).view(), f_.rate.view()},
          {&f_.rate});
      return;
    }
    scatter(stage::advect_edges, Extent2{cells_.nx + 1, cells_.ny}, {true, false}, {}, [&]<class Adder>() {
      return EdgeFluxScatter<State, Plane, true, Adder>{flux, field(tracer).view(), f_.normal_x.view(),
                                                        f_.rate.view()};
    });
    scatter(stage::advect_edges, Extent2{cells_.nx, cells_.ny + 1}, {false, true}, {&f_.rate},
            [&]<class Adder>() {
              return EdgeFluxScatter<State, Plane, false, Adder>{flux, field(tracer).view(),
                                                                 f_.normal_y.view(), f_.rate.view()};
            });
  }
  void limit() override {
    run(stage::limit, cells_.extent(),
        Limiter<State, Plane>{cells_, parameters_.limiter, f_.h.view(), f_.a.view()}, {&f_.h, &f_.a});
  }

  void exchange_tracers() override {
    if (exchanges_) exchanges_->tracers(stages_, exchanges_->stage);
  }
  void average_to_nodes() override {
    NodalEvaluator<State, Plane> const tracers{cells_, f_.h.view(), f_.a.view(), tables_.nodal};
    if (gathers()) {
      run(stage::nodal, nodes_.extent(),
          NodalGather<State, Plane>{tracers, nodes_, f_.node_h.view(), f_.node_a.view()},
          {&f_.node_h, &f_.node_a});
      return;
    }
    stages_.will_write({&f_.node_h, &f_.node_a});
    f_.node_h.fill_zero();
    f_.node_a.fill_zero();
    scatter(stage::nodal, cells_.extent(), {true, true}, {&f_.node_h, &f_.node_a}, [&]<class Adder>() {
      return NodalScatter<State, Plane, Adder>{tracers, nodes_, f_.node_h.view(), f_.node_a.view()};
    });
  }
  void force(double time) override {
    if constexpr (S::spherical) {
      force_on_sphere(time);
    } else {
      force_on_plane(time);
    }
  }

  void begin_substeps() override {
    f_.u0.copy_from(f_.u);
    f_.v0.copy_from(f_.v);
    stepped_ = true;
  }
  void update_velocity() override {
    run(stage::velocity, nodes_.extent(),
        VelocityUpdate<Types, typename V::Plane>{momentum(), nodes_, f_.force_x.view(), f_.force_y.view(),
                                                 f_.u.view(), f_.v.view()},
        {&f_.u, &f_.v});
  }
  void stop_at_boundary() override {
    run(stage::boundary, nodes_.extent(),
        BoundaryStop<State, typename V::Plane>{nodes_, f_.moves.view(), f_.u.view(), f_.v.view()},
        {&f_.u, &f_.v});
  }
  void exchange_after(int substep) override {
    if (!exchanges_) return;
    if (substep % block_->halo != 0 && substep != parameters_.substeps) return;
    exchanges_->substeps(stages_, exchanges_->substep_stage);
  }
  void staged_substeps(int first, int last) override {
    auto const substeps = [&] {
      for (int k = first; k <= last; ++k) {
        auto const loop = stages_.loop("substep", k);
        update_strain();
        update_stress();
        update_divergence();
        update_velocity();
        stop_at_boundary();
        exchange_after(k);
      }
    };
    if (first == last) {
      substeps();
    } else {
      stages_.graph("substeps", executor_, substeps);
    }
  }

 protected:
  using State = typename Types::State;
  using Compute = typename Types::Compute;
  using Geometry = GeometryOf<State>;
  using Plane = typename S::Plane;  ///< for kernels that do not depend on the metric
  /// The space of kernels that know nothing of the tracers: one for all spaces of an order of the velocity.
  using V = std::conditional_t<S::spherical, OnSphere<Space<S::cg, 1>>, Space<S::cg, 1>>;
  using Residuals = Convergence<Types, typename V::Plane, Executor>;
  /// Where arithmetic depends on the stage, each has its own.
  static constexpr bool fuses = !Staged<Executor>;

  SolverBase(Executor executor, Assembly assembly, Setup const& setup)
      : executor_{executor},
        parameters_{setup.parameters},
        assembly_{assembly},
        fields_{team_of(setup)},
        link_(executor, team_of(setup)),
        cells_{setup.mesh.nx, setup.mesh.ny},
        nodes_{setup.mesh.nx, setup.mesh.ny},
        block_{setup.block},
        sides_(executor, cells_, setup.mesh),
        wind_file_{setup.wind_file},
        f_(fields_, executor, {S{}, cells_, nodes_, setup.block.get()}, setup) {
    f_.mean_h.on_demand([this] { average_in_cells(f_.h, f_.mean_h); });
    f_.mean_a.on_demand([this] { average_in_cells(f_.a, f_.mean_a); });
    f_.shear.on_demand([this] { update_shear(); });
    if (setup.convergence) {
      convergence_ = std::make_unique<Residuals>(fields_, executor, link_,
                                                 Layouts(V{}, cells_, nodes_, setup.block.get()), f_);
    }
  }

  /// Called for every cell, or for the first alone where all have the same matrices.
  using Keep = std::function<void(std::int64_t cell, ElementMatrices<Geometry, S> const& element)>;
  /// Sets up the fields and, by `keep`, the element matrices; `bytes`: those that a stage moves a cell.
  void set_up(Setup const& setup, bool shared_maps, Keep const& keep, double (*bytes)(stage::Id)) {
    set_up_geometry(setup.mesh, shared_maps, keep);
    set_up_fields(setup);
    for (auto const& info : stage::list) {
      if (!fuses && info.id >= stage::first_fused) break;
      bool const unordered = info.sums && assembly_ == Assembly::atomic;
      stages_.add({info.name, info.doc, static_cast<double>(setup.mesh.cells()) * bytes(info.id),
                   unordered ? Guarantee::none : Guarantee::bitwise});
    }
    if (block_) set_up_exchanges();
  }

  using TracerField = FieldOf<State, Executor>;
  TracerField& field(Tracer tracer) { return tracer == Tracer::height ? f_.h : f_.a; }

  template <class Extent, class Body>
  void run(stage::Id id, Extent extent, Body const& body, std::initializer_list<Field const*> writes) {
    stages_.run(static_cast<Stage>(id), executor_, extent, body, writes);
  }
  /// All cells, and those of the block with `beyond` beside it where other blocks are.
  CellRange all_cells() const { return {0, 0, cells_.nx, cells_.ny}; }
  CellRange cells_within(std::int32_t beyond) const {
    if (!block_) return all_cells();
    auto const spared = [&](std::int32_t margin) { return std::max(margin - beyond, 0); };
    auto const& margin = block_->margin;
    return {spared(margin.west), spared(margin.south), cells_.nx - spared(margin.east),
            cells_.ny - spared(margin.north)};
  }
  /// The kernel on cells, or on nodes, of `range`. On a device on all that there are: there passes of several
  /// sub-steps do nearly all of the work.
  template <class Kernel>
  void run_on_cells(stage::Id id, CellRange const& range, Kernel const& kernel,
                    std::initializer_list<Field const*> writes) {
    if constexpr (Executor::on_device) {
      run(id, cells_.extent(), kernel, writes);
    } else {
      run(id, range.cells(), Around(kernel, -range.first_x, -range.first_y), writes);
    }
  }
  template <class Kernel>
  void run_on_nodes(stage::Id id, CellRange const& range, Kernel const& kernel,
                    std::initializer_list<Field const*> writes) {
    if constexpr (Executor::on_device) {
      run(id, nodes_.extent(), kernel, writes);
    } else {
      run(id, range.nodes(S::cg), Around(kernel, -S::cg * range.first_x, -S::cg * range.first_y), writes);
    }
  }
  /// Whether points take their contributions, rather than that those are added to shared targets.
  bool gathers() const {
    return assembly_ == Assembly::deterministic && parameters_.sum_order == SumOrder::gather;
  }
  /// Where atomic additions are built: only float and double have one.
  static constexpr bool adds_atomically = std::is_floating_point_v<State> && !S::spherical;
  /// body_of<Adder>() adds to shared targets: atomically, or in passes (see passes_offered).
  template <bool atomics = adds_atomically, class BodyOf>
  void scatter(stage::Id id, Extent2 extent, Meets meets, std::initializer_list<Field const*> writes,
               BodyOf const& body_of) {
    if constexpr (atomics) {
      if (assembly_ == Assembly::atomic) {
        run(id, extent, body_of.template operator()<Executor>(), writes);
        return;
      }
    }
    if constexpr (passes_offered<Types, S, Executor>) {
      for_passes(parameters_.sum_order, extent, meets, body_of.template operator()<PlainAdd>(),
                 [&](auto pass, auto const& body, bool last) {
                   run(id, pass, body, last ? writes : std::initializer_list<Field const*>{});
                 });
    }
  }

  TensorField<Compute const> strain() const {
    return tensor_of<Compute const>(f_.strain_xx, f_.strain_yy, f_.strain_xy);
  }
  TransportVelocity<State> transport_velocity() const {
    return {f_.dg_u.view(), f_.dg_v.view(), f_.normal_x.view(), f_.normal_y.view()};
  }
  template <bool vertical>
  NormalVelocity<State, Plane, vertical> normal_velocity_of() {
    return {
        cells_,           nodes_,         f_.mask.view(), f_.node_x.view(),
        f_.node_y.view(), f_.dg_u.view(), f_.dg_v.view(), vertical ? f_.normal_x.view() : f_.normal_y.view()};
  }
  Momentum<State> momentum() const {
    return {f_.u0.view(),
            f_.v0.view(),
            f_.ocean_u.view(),
            f_.ocean_v.view(),
            f_.wind_x.view(),
            f_.wind_y.view(),
            f_.node_h.view(),
            f_.node_a.view(),
            f_.inverse_mass.view(),
            {State(constants::ice_density) / State(parameters_.dt),
             State(constants::ice_density) * State(parameters_.coriolis),
             State(constants::water_density) * State(constants::water_drag), State(parameters_.beta)}};
  }

 private:
  void normal_velocity_on_sphere() {
    auto const edges = [&]<bool vertical>(Extent2 extent, auto const& store, auto& normal,
                                          std::initializer_list<Field const*> writes) {
      auto const factors = store.view();
      run(stage::advect_normal, extent,
          NormalVelocityOnSphere<State, Plane, vertical, std::remove_const_t<decltype(factors)>>{
              cells_, f_.mask.view(), f_.dg_u.view(), f_.dg_v.view(), factors, tables_.sides, normal.view()},
          writes);
    };
    edges.template operator()<true>({cells_.nx + 1, cells_.ny}, sides_.vertical, f_.normal_x, {});
    edges.template operator()<false>({cells_.nx, cells_.ny + 1}, sides_.horizontal, f_.normal_y,
                                     {&f_.normal_x, &f_.normal_y});
  }
  /// The case's wind but for where its cyclone is: a Wind or a WindOnSphere.
  template <class AnyWind>
  AnyWind wind_of_case() const {
    AnyWind wind;
    auto const& given = parameters_.wind;
    wind.kind = static_cast<typename Wind<State>::Kind>(given.kind);
    wind.u = State(given.u);
    wind.v = State(given.v);
    wind.rate = State(given.rate);
    wind.reach = State(given.reach);
    wind.inflow_cos = State(given.inflow_cos);
    wind.inflow_sin = State(given.inflow_sin);
    return wind;
  }
  void force_on_plane(double time) {
    auto wind = wind_of_case<Wind<State>>();
    auto const& given = parameters_.wind;
    wind.centre_x = State(given.centre_x + parameters_.wind_speed_x * time);
    wind.centre_y = State(given.centre_y + parameters_.wind_speed_y * time);
    run(stage::forcing, nodes_.extent(),
        ForcingUpdate<State, V>{nodes_, f_.node_x.view(), f_.node_y.view(), wind, f_.node_h.view(),
                                f_.node_a.view(), f_.wind_x.view(), f_.wind_y.view()},
        {&f_.node_h, &f_.node_a, &f_.wind_x, &f_.wind_y});
  }
  void force_on_sphere(double time) {
    auto wind = wind_of_case<WindOnSphere<State>>();
    auto const centre = parameters_.wind_centre_at(time);
    std::transform(centre.begin(), centre.end(), wind.centre, [](double value) { return State(value); });
    run(stage::forcing, nodes_.extent(),
        ForcingUpdateOnSphere<State, typename V::Plane>{nodes_, f_.node_x.view(), f_.node_y.view(), wind,
                                                        given_wind(time), f_.node_h.view(), f_.node_a.view(),
                                                        f_.wind_x.view(), f_.wind_y.view()},
        {&f_.node_h, &f_.node_a, &f_.wind_x, &f_.wind_y});
  }
  /// The wind file's at the times around `time`, read where they are not here yet.
  GivenWind<State> given_wind(double time) {
    if (wind_file_ == nullptr) return {};
    auto const at = wind_file_->locate(time);
    for (int k = 0; k < 2; ++k) {
      auto& slot = winds_[k];
      auto const wanted = at.first + (at.weight > 0 ? k : 0);
      if (slot.index == wanted) continue;
      if (k == 0 && winds_[1].index == wanted) {
        std::swap(winds_[0], winds_[1]);
        continue;
      }
      std::vector<double> u, v;
      wind_file_->read(wanted, places_, u, v);
      std::vector<State> const su(u.begin(), u.end()), sv(v.begin(), v.end());
      if (slot.u.size() == 0) slot.u = Array<State, Executor>(executor_, nodes_.size());
      if (slot.v.size() == 0) slot.v = Array<State, Executor>(executor_, nodes_.size());
      slot.u.from_host(su.data());
      slot.v.from_host(sv.data());
      slot.index = wanted;
    }
    return {winds_[0].u.view(), winds_[0].v.view(), winds_[1].u.view(), winds_[1].v.view(),
            static_cast<State>(at.weight)};
  }

  void update_shear() const {
    ShearMean<Types, typename V::Plane> kernel{cells_, strain(), tables_.shear_psi, {}, f_.shear.view()};
    std::copy(std::begin(tables_.shear_weight), std::end(tables_.shear_weight), kernel.weight);
    for_each(executor_, cells_.extent(), kernel);
  }
  void average_in_cells(TracerField const& tracer, TracerField& mean) const {
    for_each(executor_, cells_.extent(),
             CellMean<State, Geometry, Plane>{cells_, tracer.view(), mean_weights_.view(), mean.view()});
  }

  static std::shared_ptr<Ranks> team_of(Setup const& setup) {
    return setup.block ? setup.block->team : nullptr;
  }
  /// The fields that the advection changes, whose halos are filled after it.
  HaloGroup tracer_halos() const { return {{&f_.h, &f_.a}}; }
  /// The fields that sub-steps change, whose halos are filled after them. The stress of `spared` cells beside
  /// the block is right as it is.
  std::vector<HaloGroup> substep_halos(std::int32_t spared) const {
    std::vector<HaloGroup> groups{{{&f_.u, &f_.v}, S::cg}};
    if (spared < block_->halo) groups.push_back({{&f_.stress_xx, &f_.stress_yy, &f_.stress_xy}, 0, spared});
    return groups;
  }
  std::vector<HaloGroup> state_halos() const {
    auto groups = substep_halos(0);
    groups.push_back(tracer_halos());
    return groups;
  }
  void set_up_exchanges() {
    // One cell beside the block has had the same stress on both sides all along, unless sums have no order.
    HaloRound<Executor> tracers(executor_, link_, *block_, {tracer_halos()}),
        substeps(executor_, link_, *block_, substep_halos(gathers() ? 1 : 0)),
        state(executor_, link_, *block_, state_halos());
    auto const add = [&](char const* name, char const* doc, double bytes) {
      return stages_.add({name, doc, bytes, Guarantee::bitwise});
    };
    auto const stage = add("seaice.exchange", "halos of the tracers", tracers.bytes()),
               substep_stage =
                   add("seaice.substep.exchange", "halos of velocity and stress", substeps.bytes());
    exchanges_ = std::make_unique<Exchanges>(
        Exchanges{stage, substep_stage, std::move(tracers), std::move(substeps), std::move(state)});
  }

  void set_up_geometry(QuadMesh const& mesh, bool shared_maps, Keep const& keep) {
    auto const node_count = static_cast<std::size_t>(nodes_.size());
    std::vector<Geometry> mass(node_count, Geometry(0));  // zero beyond a row's nodes, too
    std::vector<State> x(node_count), y(node_count), inverse_mass(node_count);
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(cells_.plane()), 0), moves(node_count, 1),
        node_mask(node_count, 0);
    if (wind_file_ != nullptr) places_.resize(node_count);
    if constexpr (S::spherical) mode_areas_.resize(static_cast<std::size_t>(S::dg * cells_.plane()));
    ElementMatrices<Geometry, S> element;
    for (std::int32_t j = 0; j < mesh.ny; ++j) {
      for (std::int32_t i = 0; i < mesh.nx; ++i) {
        auto const corners = shared_maps && block_ ? block_->first : mesh.corners(i, j);
        bool const is_sea = mesh.mask[static_cast<std::size_t>(j) * mesh.nx + i] != 0;
        // A mesh of equal parallelograms has one set of matrices: computed once, from the first cell.
        if (!shared_maps || (i == 0 && j == 0)) {
          Geometry vx[4], vy[4];
          for (int c = 0; c < 4; ++c) {
            vx[c] = Geometry(corners.x[c]);
            vy[c] = Geometry(corners.y[c]);
          }
          // Around a pole, which may lie on land, longitude and latitude map no cell.
          bool const mapped = !S::spherical || is_sea || valid_cell(vx, vy);
          element = mapped ? element_matrices<Geometry, S>(vx, vy) : ElementMatrices<Geometry, S>{};
          keep(cells_.index(i, j), element);
          if constexpr (S::spherical) {
            for (int m = 0; m < S::dg; ++m) {
              mode_areas_[static_cast<std::size_t>(m * cells_.plane() + cells_.index(i, j))] =
                  element.tracer_area[m];
            }
          }
        }
        mask[static_cast<std::size_t>(cells_.index(i, j))] = is_sea ? 1 : 0;
        for (int c = 0; c < S::nodes; ++c) {
          std::int32_t const li = c % (S::cg + 1), lj = c / (S::cg + 1);
          std::int32_t const gi = S::cg * i + li, gj = S::cg * j + lj;
          auto const node = static_cast<std::size_t>(nodes_.index(gi, gj));
          mass[node] += element.lumped_mass[c];
          auto const place = node_place(mesh, S::cg, gi, gj);
          x[node] = static_cast<State>(place.x);
          y[node] = static_cast<State>(place.y);
          if (wind_file_ != nullptr) places_[node] = {place.x, place.y};
          if (!is_sea || gi == 0 || gj == 0 || gi == S::cg * mesh.nx || gj == S::cg * mesh.ny) {
            moves[node] = 0;
          }
          if (is_sea) {
            node_mask[node] = 1;
          }
        }
      }
    }
    for (std::size_t k = 0; k < node_count; ++k) {
      inverse_mass[k] = mass[k] > Geometry(0) ? static_cast<State>(Geometry(1) / mass[k]) : State(0);
    }
    f_.inverse_mass.from_host(inverse_mass.data());
    f_.node_x.from_host(x.data());
    f_.node_y.from_host(y.data());
    f_.mask.from_host(mask.data());
    f_.moves.from_host(moves.data());
    f_.node_mask.from_host(node_mask.data());
  }

  void set_up_fields(Setup const& setup) {
    /// Writes values of the halo, too.
    auto const write = [](Field const& field, Layout const& layout, std::vector<double> const& values) {
      if (values.empty()) return;
      auto raw = field.raw();
      raw.layout = layout;
      write_values(raw, 0, layout.count(), ValueType::float64, values.data());
    };
    Layouts const at(S{}, cells_, nodes_);
    /// Writes values that are given mode by mode.
    auto const write_modes = [&](Field const& field, std::vector<double> const& values) {
      if (values.empty()) return;
      auto const cells = static_cast<std::size_t>(setup.mesh.cells()), modes = values.size() / cells;
      std::vector<double> by_cell(values.size());
      for (std::size_t k = 0; k < cells; ++k) {
        for (std::size_t m = 0; m < modes; ++m) by_cell[k * modes + m] = values[m * cells + k];
      }
      write(field, at.on_cells_of_modes(), by_cell);
    };
    auto const areas = areas_of(setup.mesh);
    write(f_.cell_area, at.on_cells(), areas);
    write(f_.ocean_u, at.on_nodes(), setup.ocean_u);
    write(f_.ocean_v, at.on_nodes(), setup.ocean_v);
    write_modes(f_.h, setup.height);
    write_modes(f_.a, setup.concentration);
    if (!setup.equal_cells()) set_up_mean_weights(setup.mesh, areas);
  }

  /// Areas of cells, on the sphere by the tracers' quadrature, by which their advection conserves.
  std::vector<double> areas_of(QuadMesh const& mesh) const {
    if constexpr (!S::spherical) return mesh.areas();
    std::vector<double> areas;
    for (std::int32_t j = 0; j < mesh.ny; ++j) {
      for (std::int32_t i = 0; i < mesh.nx; ++i) {
        areas.push_back(static_cast<double>(mode_areas_[static_cast<std::size_t>(cells_.index(i, j))]));
      }
    }
    return areas;
  }

  /// The integral of a mode over the cell divided by its area; only mode 0 has one on parallelograms.
  void set_up_mean_weights(QuadMesh const& mesh, std::vector<double> const& areas) {
    if (S::dg == 1) return;
    mean_weights_ = Array<Geometry, Executor>(executor_, (S::dg - 1) * cells_.plane());
    std::vector<Geometry> weights(static_cast<std::size_t>(mean_weights_.size()), Geometry(0));
    auto const rule = gauss_rule<Geometry, 2>();
    for (std::int32_t j = 0; j < mesh.ny; ++j) {
      for (std::int32_t i = 0; i < mesh.nx; ++i) {
        if constexpr (S::spherical) {
          set_mean_weights_on_sphere(cells_.index(i, j), weights);
          continue;
        }
        auto const ll = static_cast<std::size_t>(j) * (mesh.nx + 1) + i, ul = ll + mesh.nx + 1;
        Geometry const x[4] = {mesh.x[ll], mesh.x[ll + 1], mesh.x[ul], mesh.x[ul + 1]};
        Geometry const y[4] = {mesh.y[ll], mesh.y[ll + 1], mesh.y[ul], mesh.y[ul + 1]};
        auto const area = areas[static_cast<std::size_t>(j) * mesh.nx + i];
        for (int q = 0; q < 4; ++q) {
          Geometry const s = rule.point[q % 2], t = rule.point[q / 2];
          Geometry const share = Jacobian<Geometry>(x, y, s, t).determinant / 4 / area;
          for (int m = 1; m < S::dg; ++m) {
            weights[static_cast<std::size_t>((m - 1) * cells_.plane() + cells_.index(i, j))] +=
                share * dg_basis(m, s, t);
          }
        }
      }
    }
    mean_weights_.from_host(weights.data());
  }

  void set_mean_weights_on_sphere(std::int64_t cell, std::vector<Geometry>& weights) const {
    auto const area = mode_areas_[static_cast<std::size_t>(cell)];
    for (int m = 1; m < S::dg && area > 0; ++m) {
      weights[static_cast<std::size_t>((m - 1) * cells_.plane() + cell)] =
          mode_areas_[static_cast<std::size_t>(m * cells_.plane() + cell)] / area;
    }
  }

 protected:
  Executor executor_;
  Parameters parameters_;
  Assembly assembly_;
  FieldTable fields_;
  Link<Executor> link_;
  StageRunner stages_;
  CellLattice cells_;
  NodeLattice<S::cg> nodes_;
  std::shared_ptr<Block const> block_;  ///< null on one rank

 private:
  std::conditional_t<S::spherical, SideMaps<State, S, Executor>, NoSideMaps> sides_;
  /// Winds of the wind file at the nodes at one of its times; two such are kept, between which the wind is
  /// interpolated.
  struct StoredWind {
    std::int64_t index = -1;
    Array<State, Executor> u, v;
  };
  std::shared_ptr<WindFile const> wind_file_;
  std::vector<sphere::LonLat> places_;  ///< of the nodes in the mesh's coordinates
  StoredWind winds_[2];
  std::vector<Geometry> mode_areas_;  ///< of a sphere's cells: integrals of the tracers' basis, m2
  Array<Geometry, Executor> mean_weights_;

 protected:
  Tables<Types, S> tables_;
  Fields<Types, Executor> f_;
  struct Exchanges {
    Stage stage, substep_stage;
    HaloRound<Executor> tracers, substeps, state;
    std::int64_t memory() const { return tracers.memory() + substeps.memory() + state.memory(); }
  };
  std::unique_ptr<Exchanges> exchanges_;    ///< null on one rank
  std::unique_ptr<Residuals> convergence_;  ///< null where no case asks for it
  bool stepped_ = false;                    ///< fields of a step are there
};

}  // namespace ulpine::seaice
