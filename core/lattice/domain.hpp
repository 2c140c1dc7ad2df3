// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/around.hpp"
#include "core/exec/extent.hpp"
#include "core/lattice/halos.hpp"
#include "core/lattice/layout.hpp"
#include "core/parts/declarations.hpp"
#include "core/stage/halo.hpp"

namespace ulpine {

/// What all parts of a core on a staggered lattice share: this rank's block of a case's lattice on one
/// executor, with a state in T and work in S, its fields and stages, and the exchange of halos. `last` is 1
/// where fields have room for the last faces of a row, else 0.
template <LatticeBlock CaseType, class State, class Work, class ExecutorType, std::int32_t last>
class LatticeDomain : public Declarations<ExecutorType> {
 public:
  using Case = CaseType;
  using T = State;
  using S = Work;
  using Executor = ExecutorType;
  using Values = FieldOf<T, Executor>;
  template <class V>
  using Use = Named<V, Executor>;
  using Places = std::vector<std::pair<Rows<T>, Place>>;

  /// This rank's block of `whole`, where `team` are several; else as below.
  LatticeDomain(std::string core, Executor on, std::shared_ptr<Ranks> const& team, Case const& whole,
                Sides const& of_whole, HaloLevels levels, bool overlap)
      : LatticeDomain(std::move(core), on, team, whole,
                      Blocks(whole.nx, whole.ny, team.get(), halo + last, "the grid"), of_whole, levels,
                      overlap) {}
  /// `block` is of this rank's block of a lattice with the sides `whole`; neighbours send `levels` of the
  /// state, and stages run beside messages where `overlap`.
  LatticeDomain(std::string core, Executor on, std::shared_ptr<Link<Executor>> between,
                std::shared_ptr<Ranks> const& team, Blocks const& all, Case block, Sides const& whole,
                HaloLevels levels, bool overlap)
      : Declarations<Executor>(std::move(core), on, team),
        p{std::move(block)},
        blocks{all},
        sides{whole.of(all)},
        state_levels{levels},
        shared_link{std::move(between)},
        link{*shared_link},
        exchange(on, link, all, whole.periodic_x(), whole.periodic_y(), overlap) {}

  Extent3 extent() const { return {p.nx, p.ny, p.nz}; }
  Extent2 columns() const { return {p.nx, p.ny}; }
  std::int64_t bytes() const { return 0; }  ///< of memory that is no field; a core's own may hold some
  static T number(double value) { return static_cast<T>(value); }
  template <class V>
  static Rows<V const> in(FieldOf<V, Executor> const& field) {
    return field.grid();
  }

  /// The block as kernels see it; its case has spacings dx and dy, m.
  template <class V>
  LatticeGrid<V> grid_in() const {
    return {p.nx, p.ny, p.nz, static_cast<V>(1 / p.dx), static_cast<V>(1 / p.dy), steps.plane, steps.row};
  }

  /// Declares a stage that moves so many values of the state's type and of work's a cell.
  Stage stage(std::string const& name, std::string const& doc, double values, double work_values = 0) {
    return stage_over(extent().size(), name, doc, values, work_values);
  }
  /// The same of values a column.
  Stage column_stage(std::string const& name, std::string const& doc, double values, double work_values = 0) {
    return stage_over(columns().size(), name, doc, values, work_values);
  }
  /// Declares a stage of so many bytes, such as a library's.
  Stage byte_stage(std::string const& name, std::string const& doc, double bytes,
                   Guarantee guarantee = Guarantee::bitwise) {
    return Declarations<Executor>::stage(name, doc, bytes, guarantee);
  }
  /// Declares a stage of messages between ranks; none where a rank alone has no messages.
  Stage message_stage(char const* name, char const* doc, double bytes) {
    return exchange.needed() ? byte_stage(name, doc, bytes) : Stage{};
  }
  /// Runs work that uses the link as a stage.
  template <class Launch>
  void call(Stage stage, Launch const& launch, std::vector<Field const*> const& writes) {
    call_with_messages(this->stages, stage, this->executor, link, launch, writes);
  }
  /// Runs a kernel for the cells and, where the lattice is cut, for the next ones beyond: what follows from
  /// halos that are there costs less to compute than to send.
  template <class Kernel>
  void run_around(Stage stage, std::int32_t levels, Kernel const& kernel,
                  std::initializer_list<Field const*> writes) {
    auto const x = beyond(blocks.along_x(), 1), y = beyond(blocks.along_y(), 1);
    this->run(stage, Extent3{p.nx + 2 * x, p.ny + 2 * y, levels}, Around<Kernel>{kernel, x, y}, writes);
  }

  /// A field of the output.
  static FieldDescription output(char const* name, char const* units, char const* long_name, FieldRole role,
                                 std::vector<std::string> dimensions, ValueRange range = {},
                                 char const* standard_name = "") {
    return {.name = name,
            .units = units,
            .long_name = long_name,
            .standard_name = standard_name,
            .role = role,
            .dimensions = std::move(dimensions),
            .output = true,
            .range = range};
  }

  Halos<T> halos(Places const& places) const {
    Halos<T> all{p.nx, p.ny, p.nz, sides, {}, {}, 0};
    for (auto const& [rows, place] : places) {
      all.fields[all.count] = rows;
      all.places[all.count++] = place;
    }
    return all;
  }
  /// Declares the exchange of the halos of so many fields, the state's.
  void declare_exchange(int count) {
    exchange_state = message_stage("exchange", "halos of the state from the neighbours' blocks",
                                   exchange.template bytes<T>(count, state_width, state_levels));
    if (exchange.needed()) exchange.template reserve<T>(count, state_width, state_levels);
  }
  /// The points of `all` that the neighbours' blocks own, as an exchange of a step.
  Halo<T> from_neighbours(Halos<T> const& all) const {
    return {exchange_state, {all.fields, static_cast<std::size_t>(all.count)}, state_width, state_levels};
  }
  /// Outside of steps, brings halos from the neighbours' blocks.
  void bring(Halos<T> const& all) {
    auto const brought = from_neighbours(all);
    exchange.exchange(brought.fields, brought.width, brought.levels);
  }
  /// Brings halos from the neighbours' blocks and fills those beyond the sides. `step` counts the messages as
  /// a stage of a step; null outside of steps.
  void fill_lateral(Halos<T> const& all, StageRunner* step) {
    if (step != nullptr) {
      exchange(*step, from_neighbours(all));
    } else {
      bring(all);
    }
    fill_beyond(all);
  }
  /// Fills halos beyond the sides of the lattice, levels -1 to nz, from values within, which are right; those
  /// that neighbours' blocks own stay as they are.
  void fill_beyond(Halos<T> const& all) const {
    constexpr auto neighbour = LateralBoundary::neighbour;
    if (sides.west == neighbour && sides.east == neighbour && sides.south == neighbour &&
        sides.north == neighbour) {
      return;
    }
    using Fill = LateralHalos<T, last>;
    for_each(this->executor, Extent2{Fill::points(p.nx, p.ny), p.nz + 2}, Fill{all});
  }
  /// So many columns where the lattice is cut along that axis, else 0.
  static std::int32_t beyond(Cut const& cut, std::int32_t columns) { return cut.parts > 1 ? columns : 0; }

  Case p;  ///< of the block
  Blocks blocks;
  Sides sides;  ///< of the block
  static constexpr HaloWidth state_width{halo, halo + last};
  HaloLevels state_levels;
  Stage exchange_state{};
  HaloSteps steps{p, last};
  Layout with_halo = steps.layout(p), one = Layout::entities(1);
  std::shared_ptr<Link<Executor>> shared_link;
  Link<Executor>& link;
  HaloExchange<Executor> exchange;

 private:
  LatticeDomain(std::string core, Executor on, std::shared_ptr<Ranks> const& team, Case const& whole,
                Blocks const& all, Sides const& of_whole, HaloLevels levels, bool overlap)
      : LatticeDomain(std::move(core), on, std::make_shared<Link<Executor>>(on, team), team, all,
                      block_of(whole, all), of_whole, levels, overlap) {}
  Stage stage_over(std::int64_t points, std::string const& name, std::string const& doc, double values,
                   double work_values) {
    auto const each = values * sizeof(T) + work_values * sizeof(S);
    return byte_stage(name, doc, each * static_cast<double>(points));
  }
};

}  // namespace ulpine
