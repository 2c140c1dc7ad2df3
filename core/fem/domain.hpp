// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/exec/atomic_numbers.hpp"
#include "core/exec/value_at.hpp"
#include "core/fem/assembler.hpp"
#include "core/fem/part.hpp"
#include "core/fem/part_of_case.hpp"
#include "core/fem/petsc.hpp"
#include "core/fem/setup_times.hpp"
#include "core/fem/step_kernels.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "core/parts/declarations.hpp"
#include "core/ranks/list_exchange.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::fem {

/// The values of a field in the executor's memory, to read and to write.
template <class V, class Executor>
V const* in(FieldOf<V, Executor> const& field) {
  return field.view().data();
}
template <class V, class Executor>
V const* in(Named<V, Executor> const& field) {
  return in(std::as_const(*field));
}
template <class V, class Executor>
V* out(FieldOf<V, Executor>& field) {
  return field.view().data();
}
template <class V, class Executor>
V* out(Named<V, Executor> const& field) {
  return out(*field);
}

/// A field that the wind carries, with its values of the old time level and those that it has where it is
/// given.
template <class T, class Executor>
struct Scalar {
  FieldOf<T, Executor>&now, &old, &reference;
};

/// What all parts of the air share: this rank's part of the mesh with the pattern of its matrices, the
/// assembler, the fields by which parts know of each other, and the exchange of values at neighbours' nodes.
template <class State, class ExecutorType>
class Domain : public Declarations<ExecutorType> {
 public:
  using T = State;
  using Executor = ExecutorType;
  using Values = FieldOf<T, Executor>;

  /// This rank's part of the case, where `team` are several; it is read only while the core is made.
  Domain(PartOfCase const& of, Executor on, Assembly assembly, std::shared_ptr<Ranks> const& team,
         SetupTimes* times)
      : Declarations<Executor>("fem", on, team),
        whole{&of.whole()},
        setup{&of.setup()},
        p{of.whole().parameters},
        points{of.nodes()},
        elements{of.elements()},
        nodes{points.held()},
        link{std::make_shared<Link<Executor>>(on, team)},
        sums{assembly == Assembly::atomic && has_atomic_add<T> ? Guarantee::none : Guarantee::bitwise},
        connections_{on, elements_of(*setup), setup->nodes()},
        mesh{connections_.view()},
        entries{value_at(on, mesh.pattern.start + nodes)},
        of_entries{entries_of_rank()} {
    lap(on, times, &SetupTimes::connectivity);
    if (link->several()) {
      ghosts = std::make_unique<ListExchange<Executor>>(
          on, link, ghost_lists(*team, points), static_cast<std::int64_t>(most_exchanged * sizeof(T)));
    }
    number_nodes(team);
    this->fields.add_mesh(output_mesh(*whole));
    fixed.from_host(setup->fixed.data());
    write(position, setup->mesh.position);
  }

  static View<std::int32_t const> elements_of(Setup const& of) {
    return {of.mesh.element.data(), static_cast<std::int64_t>(of.mesh.element.size())};
  }
  template <class V>
  using Use = Named<V, Executor>;
  /// Sets a field to values in the order of the rank's part, ghosts too.
  static void write(Values& field, std::vector<double> const& values) {
    std::vector<T> all;
    all.reserve(values.size());
    for (auto const value : values) all.push_back(static_cast<T>(value));
    field.from_host(all.data());
  }
  std::vector<double> all(double value) const { return std::vector<double>(setup->volume.size(), value); }

  /// Declares a nodal field of the output.
  Values& node(std::string name, char const* units, char const* long_name, FieldRole role,
               ValueRange range = {}, char const* standard_name = "", bool perturbable = false) {
    FieldDescription description{.name = std::move(name),
                                 .units = units,
                                 .long_name = long_name,
                                 .standard_name = standard_name,
                                 .role = role,
                                 .dimensions = {mesh_dimension},
                                 .output = true,
                                 .mesh = "mesh",
                                 .location = "node",
                                 .range = range};
    if (perturbable) description.perturbable = Perturbable{};
    return this->template add<T>(std::move(description), at_nodes_);
  }
  /// Declares a nodal field that is not in the output.
  Values& at_node(std::string name, char const* units, FieldRole role = FieldRole::work,
                  ValueRange range = {}) {
    return this->template add<T>({.name = std::move(name),
                                  .units = units,
                                  .role = role,
                                  .dimensions = {mesh_dimension},
                                  .range = range},
                                 at_nodes_);
  }
  /// Declares a field of `each` values a node, one node's after another's.
  template <class V = T>
  FieldOf<V, Executor>& values(std::string name, char const* units, std::int64_t each = 1) {
    return this->template work<V>(std::move(name), units,
                                  {{{each * points.owned(), 1, each * points.all(), each * points.begin()}},
                                   each * points.first(),
                                   each * points.held()});
  }
  /// Declares a field of `each` values an entry of the matrices.
  Values& at_entries(std::string name, char const* units, std::int64_t each = 1) {
    auto const& axis = of_entries.axis(0);
    return this->template work<T>(std::move(name), units,
                                  {{{each * axis.extent, 1, each * axis.global_extent, each * axis.begin}},
                                   each * of_entries.offset(),
                                   each * entries});
  }

  /// Declares a stage that moves so many values a node and an entry of the matrices.
  Stage stage(char const* name, std::string doc, double at_node, double at_entry = 0,
              Guarantee guarantee = Guarantee::bitwise) {
    auto const values = at_node * static_cast<double>(nodes) + at_entry * static_cast<double>(entries);
    return Declarations<Executor>::stage(name, std::move(doc), values * sizeof(T), guarantee);
  }
  /// Declares the stage of a solve, by our own solver or by PETSc.
  Stage solving(char const* name, std::string doc, double at_node, double at_entry, SolverOptions const& by) {
    if (!by.petsc) return stage(name, std::move(doc), at_node, at_entry);
    return stage(name, doc + " (by PETSc: " + *by.petsc + ")", at_node, at_entry,
                 guarantee_by_petsc(*by.petsc, link->several()));
  }
  /// Declares the stage "exchange.name" of so many values a node; none where one rank has the whole mesh.
  Stage message_stage(char const* name, char const* doc, int values) {
    if (!ghosts) return {};
    return Declarations<Executor>::stage(std::string("exchange.") + name, doc,
                                         ghosts->bytes(static_cast<std::int64_t>(sizeof(T)) * values));
  }

  /// Runs a kernel for all nodes as a stage, and outside of stages.
  template <class Kernel>
  void run(Stage stage, Kernel const& kernel, std::initializer_list<Field const*> writes) {
    Declarations<Executor>::run(stage, std::int64_t{nodes}, kernel, writes);
  }
  template <class Kernel>
  void for_nodes(Kernel const& kernel) const {
    for_each(this->executor, std::int64_t{nodes}, kernel);
  }
  /// Calls `work` as a stage, and as one that sends messages where ranks are several.
  template <class Work>
  void call(Stage stage, Work const& work, std::initializer_list<Field const*> writes) {
    this->stages.call(stage, this->executor, work, writes);
  }
  template <class Work>
  void call_together(Stage stage, Work const& work, std::initializer_list<Field const*> writes) {
    call_with_messages(this->stages, stage, this->executor, *link, work, writes);
  }
  /// Values that others have computed, as stage `stage`.
  void exchange(Stage stage, std::initializer_list<PointValues<T>> values) {
    if (ghosts) call_together(stage, [&] { (*ghosts)(values); }, {});
  }
  linalg::Sharing<Executor> sharing() const {
    if (!ghosts) return {};
    return {link, ghosts.get(), points.first(), points.owned(), &points};
  }
  /// Calls a function of all parts, in their order.
  template <class... Of, class... Given>
  void each(void (Part::*function)(Of...), Given const&... given) const {
    for (auto const& part : parts) (*part.*function)(given...);
  }

  // Where parts of the case are read: only while the core is made.
  Setup const *whole, *setup;
  Parameters p;
  PointsOfRank points;
  std::int64_t elements;  ///< that count as this rank's
  std::int32_t nodes;     ///< with the neighbours' that are held
  std::shared_ptr<Link<Executor>> link;
  std::unique_ptr<ListExchange<Executor>> ghosts;  ///< of several ranks
  Guarantee sums;                                  ///< of what is assembled in a step

 private:
  TetraConnections<Executor> connections_;

 public:
  TetraConnectivity mesh;
  std::int64_t entries;
  Layout of_entries;  ///< a value an entry of the matrices
  std::unique_ptr<Assembler<T>> assembler;
  Assembler<T>* constants = nullptr;  ///< the same bits in every run, also where a step's sums have any order
  std::vector<std::unique_ptr<Part>> parts;
  double begin = 0;                          ///< of the last step, s
  bool stepped = false;                      ///< since the state was replaced
  std::vector<Scalar<T, Executor>> scalars;  ///< theta first
  Stage old_level{};                         ///< keeps the old time level

  FieldOf<std::uint8_t, Executor>& fixed = values<std::uint8_t>("fixed", "");
  Values &position = values("position", "m", 3), &zero = values("zero", "1"),
         &zero3 = values("zero3", "1", 3);

  // The fields of several parts, by their names.
  Use<T> u{*this, "u"}, v{*this, "v"}, w{*this, "w"}, departure{*this, "p_departure"}, theta{*this, "theta"},
      rho{*this, "rho"}, vapour{*this, "vapour"}, cloud{*this, "cloud"}, rain{*this, "rain"},
      theta_reference{*this, "theta_reference"}, pressure_reference{*this, "p_reference"},
      rho_reference{*this, "rho_reference"}, vapour_reference{*this, "vapour_reference"},
      wind_reference{*this, "wind_reference"}, old_departure{*this, "old_p_departure"},
      old_rho{*this, "old_rho"}, old_velocity{*this, "old_velocity"}, velocity{*this, "velocity"},
      advecting{*this, "advecting"}, compressibility{*this, "compressibility"}, buoyancy{*this, "buoyancy"},
      between_departures{*this, "p_between"}, viscosity{*this, "dynamic_viscosity"},
      volume{*this, "cell_volume"}, mass{*this, "lumped_mass"}, matrix{*this, "matrix"},
      right{*this, "right_hand_side"}, force{*this, "force"}, gradient{*this, "gradient"};

  CsrView<T const> matrix_view() const { return {mesh.pattern, in(matrix)}; }
  Air<T> air() const { return {T(p.air.cp), T(p.air.cv), T(p.air.standard_pressure), T(p.air.gravity)}; }
  Moisture<T> moisture() const {
    if (!p.humid) return {};
    return {in(vapour), in(cloud), in(rain)};
  }
  AirAt<T> air_at() const { return {air(), in(theta), in(departure), in(pressure_reference), moisture()}; }
  StateOfAir<T> state_of_air() const {
    return {air_at(),      T(p.implicitness),       T(p.viscosity), in(old_departure),
            in(old_rho),   in(rho_reference),       out(rho),       out(compressibility),
            out(buoyancy), out(between_departures), out(viscosity)};
  }
  /// Where a scalar and the pressure are given: at fixed nodes, unless a part says where else.
  std::uint8_t const* scalar_given() const {
    return scalar_given_.declared() ? in(scalar_given_) : in(fixed);
  }
  std::uint8_t const* pressure_given() const {
    return pressure_given_.declared() ? in(pressure_given_) : in(fixed);
  }

 private:
  static constexpr std::size_t most_exchanged = 8;  ///< numbers of a node at once
  static constexpr char const* mesh_dimension = "nmesh_node";
  std::vector<std::int64_t> number_on_host_;
  Array<std::int64_t, Executor> place_, number_;
  Layout at_nodes_;
  Use<std::uint8_t> scalar_given_{*this, "scalar_given"}, pressure_given_{*this, "pressure_given"};

  /// Owned nodes by their numbers in outputs, and their places in memory.
  void number_nodes(std::shared_ptr<Ranks> const& team) {
    auto const& place = whole->place;
    std::vector<std::int64_t> places;
    number_on_host_.reserve(place.size()), places.reserve(place.size());
    for (std::size_t n = 0; n < place.size(); ++n) {
      if (!points.owns(static_cast<std::int32_t>(place[n]))) continue;
      number_on_host_.push_back(static_cast<std::int64_t>(n));
      places.push_back(points.place(static_cast<std::int32_t>(place[n])));
    }
    auto const owned = static_cast<std::int64_t>(places.size());
    place_ = Array<std::int64_t, Executor>(this->executor, owned);
    place_.from_host(places.data());
    at_nodes_ = Layout({{owned, 1, points.all()}}, 0, points.held()).with_positions(place_.view().data());
    if (!several(team)) return;
    number_ = Array<std::int64_t, Executor>(this->executor, owned);
    number_.from_host(number_on_host_.data());
    at_nodes_ = at_nodes_.with_numbers(number_.view().data(), number_on_host_.data());
  }
  /// Where the entries of this rank's rows lie among those of the whole mesh: rows that are owned are whole.
  Layout entries_of_rank() {
    auto const first = value_at(this->executor, mesh.pattern.start + points.first()),
               end = value_at(this->executor, mesh.pattern.start + points.first() + points.owned());
    std::vector<std::uint64_t> all{static_cast<std::uint64_t>(end - first)};
    std::size_t rank = 0;
    if (link->several()) {
      rank = static_cast<std::size_t>(link->ranks()->rank());
      all.assign(static_cast<std::size_t>(link->ranks()->size()), 0);
      all[rank] = static_cast<std::uint64_t>(end - first);
      link->ranks()->add(all);
    }
    auto const up_to = [&](std::size_t ranks) {
      return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(ranks), std::int64_t{0});
    };
    return {{{end - first, 1, up_to(all.size()), up_to(rank)}}, first, entries};
  }
};

}  // namespace ulpine::fem
