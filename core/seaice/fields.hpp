// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/field/table.hpp"
#include "core/mesh/lattice.hpp"
#include "core/mesh/spaces.hpp"
#include "core/seaice/scalars.hpp"
#include "core/seaice/setup.hpp"

namespace ulpine::seaice {

/// Where cells, nodes and edges lie in memory; fields of several modes or points have them last in the dense
/// order and slowest in memory.
class Layouts {
 public:
  /// Layouts of the fields on a mesh, or on a rank's `block` of it, whose margin is a halo.
  template <class S>
  Layouts(S /*space*/, CellLattice const& of_cells, NodeLattice<S::cg> const& nodes,
          Block const* block = nullptr)
      : cells_{of_cells}, dg_{S::dg}, stress_{S::stress}, gauss_{S::gauss}, edge_{S::edge} {
    if (block != nullptr) {
      x_ = {block->margin.west, block->cells.nx(), block->cells.first_x(), block->cells.global_nx()};
      y_ = {block->margin.south, block->cells.ny(), block->cells.first_y(), block->cells.global_ny()};
    } else {
      x_ = {0, cells_.nx, 0, cells_.nx};
      y_ = {0, cells_.ny, 0, cells_.ny};
    }
    nodes_ = Layout({points(y_, S::cg, nodes.row()), points(x_, S::cg, 1)},
                    nodes.index(S::cg * x_.margin, S::cg * y_.margin), nodes.size());
  }

  Layout on_cells() const { return rows(y(), x(), 1, false); }
  Layout on_cells_of_modes() const { return on_cells(dg_); }
  Layout on_cells_of_stress() const { return on_cells(stress_); }
  Layout on_points() const { return on_cells(gauss_); }
  Layout const& on_nodes() const { return nodes_; }
  Layout on_vertical_edges() const { return rows(y(), points(x_, 1, 1), edge_, true); }
  Layout on_horizontal_edges() const { return rows(points(y_, 1, cells_.row()), x(), edge_, true); }

 private:
  /// Cells along an axis: those of the margin before the owned ones, the first of these in the whole.
  struct Span {
    std::int32_t margin = 0, own = 0, first = 0, whole = 0;
  };
  /// Nodes or edges along an axis; those between two blocks belong to the eastern or northern block.
  static LayoutAxis points(Span const& span, int each, std::int64_t stride) {
    auto const last = span.first + span.own == span.whole ? 1 : 0;
    return {std::int64_t{each} * span.own + last, stride, std::int64_t{each} * span.whole + 1,
            std::int64_t{each} * span.first};
  }
  static LayoutAxis along(Span const& span, std::int64_t stride) {
    return {span.own, stride, span.whole, span.first};
  }
  LayoutAxis x() const { return along(x_, 1); }
  LayoutAxis y() const { return along(y_, cells_.row()); }
  Layout on_cells(int components) const { return rows(y(), x(), components, true); }
  Layout rows(LayoutAxis const& y, LayoutAxis const& x, std::int64_t components, bool with_components) const {
    LayoutAxis const c{components, cells_.plane(), components};
    auto const origin = cells_.index(x_.margin, y_.margin), allocated = components * cells_.plane();
    return with_components ? Layout({y, x, c}, origin, allocated) : Layout({y, x}, origin, allocated);
  }

  CellLattice cells_;
  Span x_, y_;
  Layout nodes_;
  int dg_, stress_, gauss_, edge_;
};

/// Every field of the core, declared here and nowhere else. The same code for all spaces.
template <class P, class Executor>
struct Fields {
  using State = typename P::State;
  using Compute = typename P::Compute;
  using Accumulate = typename P::Accumulate;
  template <class T>
  using Ref = FieldOf<T, Executor>&;

 private:
  FieldTable& table_;
  Executor executor_;
  Layouts at_;
  std::string where_, where_nodes_, length_;
  bool coefficients_;

  /// Bounds of the speed (m s-1) and thickness (m) of any ice, generous ones. Higher modes of a tracer are at
  /// most as large as the cell means around them, but for overshoots.
  static constexpr double fastest = 50, thickest = 1e3;
  /// Ridged ice has a strength of some 1e5 N m-1 a metre.
  static constexpr ValueRange any_stress = at_most(1e10);

  template <class T>
  Ref<T> add(FieldDescription description, Layout layout) {
    return table_.add<T>(executor_, std::move(description), layout);
  }
  /// Adds a field that only the core itself and traces look at.
  template <class T>
  Ref<T> work(char const* name, char const* units, char const* long_name, Layout layout) {
    return add<T>({.name = name, .units = units, .long_name = long_name}, layout);
  }
  Ref<State> velocity(char const* name, char const* long_name, char const* standard_name) {
    return add<State>({.name = name,
                       .units = "m s-1",
                       .long_name = long_name,
                       .standard_name = standard_name,
                       .role = FieldRole::prognostic,
                       .dimensions = {"yn", "xn"},
                       .output = true,
                       .coordinates = where_nodes_,
                       .domain = &node_mask,
                       .range = at_most(fastest)},
                      at_.on_nodes());
  }
  Ref<std::uint8_t> flags_of_nodes(char const* name, char const* long_name) {
    return add<std::uint8_t>(
        {.name = name, .long_name = long_name, .role = FieldRole::constant, .dimensions = {"yn", "xn"}},
        at_.on_nodes());
  }
  /// Adds a field on cells that is written.
  template <class T>
  Ref<T> cell(FieldDescription description) {
    description.dimensions = {"y", "x"};
    description.output = true;
    description.coordinates = where_;
    return add<T>(std::move(description), at_.on_cells());
  }
  template <class T>
  Ref<T> mean(char const* name, char const* units, char const* long_name, char const* standard_name = "") {
    return cell<T>({.name = name,
                    .units = units,
                    .long_name = long_name,
                    .standard_name = standard_name,
                    .role = FieldRole::diagnostic,
                    .domain = &mask});
  }
  Ref<State> tracer(char const* name, char const* units, char const* long_name, char const* mean, double most,
                    ValueRange range) {
    return add<State>({.name = name,
                       .units = units,
                       .long_name = long_name,
                       .role = FieldRole::prognostic,
                       .dimensions = {"y", "x", "mode"},
                       .output = coefficients_,
                       .coordinates = where_,
                       .domain = &mask,
                       .perturbable = Perturbable{mean, 0, most, at_.on_cells()},
                       .range = range},
                      at_.on_cells_of_modes());
  }
  Ref<Compute> tensor(char const* name, char const* units, char const* long_name, ValueRange range = {}) {
    return add<Compute>({.name = name,
                         .units = units,
                         .long_name = long_name,
                         .role = FieldRole::prognostic,
                         .dimensions = {"y", "x", "stress_mode"},
                         .range = range},
                        at_.on_cells_of_stress());
  }

 public:
  Fields(FieldTable& table, Executor executor, Layouts const& layouts, Setup const& setup);

  Ref<std::uint8_t> mask = cell<std::uint8_t>({.name = "mask",
                                               .long_name = "1 sea, 0 land",
                                               .standard_name = "sea_binary_mask",
                                               .role = FieldRole::constant,
                                               .flag_meanings = "land sea"});
  Ref<std::uint8_t> node_mask = flags_of_nodes("node_mask", "1 node of a sea cell, 0 amid land");
  Ref<std::uint8_t> moves = flags_of_nodes("moves", "1 node that may move, 0 coast, edge or land");
  Ref<double> cell_area = cell<double>({.name = "cell_area",
                                        .units = "m2",
                                        .long_name = "area of a cell",
                                        .standard_name = "cell_area",
                                        .role = FieldRole::constant});

  Ref<State> u = velocity("siu", "sea-ice velocity along x", "sea_ice_x_velocity");
  Ref<State> v = velocity("siv", "sea-ice velocity along y", "sea_ice_y_velocity");
  Ref<State> h = tracer("sivol_dg", "m", "dG coefficients of the sea-ice volume per area", "sivol",
                        std::numeric_limits<double>::infinity(), at_most(thickest));
  Ref<State> a =
      tracer("siconc_dg", "1", "dG coefficients of the sea-ice concentration", "siconc", 1, at_most(10));
  Ref<Compute> stress_xx = tensor("stress_xx", "N m-1", "stress along x on faces across x", any_stress);
  Ref<Compute> stress_yy = tensor("stress_yy", "N m-1", "stress along y on faces across y", any_stress);
  Ref<Compute> stress_xy = tensor("stress_xy", "N m-1", "shear stress", any_stress);
  Ref<Compute> strain_xx = tensor("strain_xx", "s-1", "strain rate along x");
  Ref<Compute> strain_yy = tensor("strain_yy", "s-1", "strain rate along y");
  Ref<Compute> strain_xy = tensor("strain_xy", "s-1", "shear strain rate");

  Ref<State> mean_h = mean<State>("sivol", "m", "sea-ice volume per area, cell mean", "sea_ice_thickness");
  Ref<State> mean_a = mean<State>("siconc", "1", "sea-ice concentration, cell mean", "sea_ice_area_fraction");
  Ref<Compute> shear = mean<Compute>("shear", "s-1", "shear rate of the sea ice, cell mean");

  Ref<State> node_h = work<State>("node_sivol", "m", "nodal volume per area", at_.on_nodes());
  Ref<State> node_a = work<State>("node_siconc", "1", "nodal concentration", at_.on_nodes());
  Ref<State> u0 = work<State>("siu_before", "m s-1", "siu before the sub-cycle", at_.on_nodes());
  Ref<State> v0 = work<State>("siv_before", "m s-1", "siv before the sub-cycle", at_.on_nodes());
  Ref<State> ocean_u = work<State>("ocean_u", "m s-1", "ocean current along x", at_.on_nodes());
  Ref<State> ocean_v = work<State>("ocean_v", "m s-1", "ocean current along y", at_.on_nodes());
  Ref<State> wind_x = work<State>("wind_x", "N m-2", "wind stress along x", at_.on_nodes());
  Ref<State> wind_y = work<State>("wind_y", "N m-2", "wind stress along y", at_.on_nodes());
  Ref<Accumulate> force_x = work<Accumulate>("force_x", "N", "divergence of the stress", at_.on_nodes());
  Ref<Accumulate> force_y = work<Accumulate>("force_y", "N", "divergence of the stress", at_.on_nodes());
  Ref<State> inverse_mass = work<State>("inverse_mass", "m-2", "1 / lumped mass", at_.on_nodes());
  Ref<State> node_x = work<State>("node_x", length_.c_str(), "x of the nodes", at_.on_nodes());
  Ref<State> node_y = work<State>("node_y", length_.c_str(), "y of the nodes", at_.on_nodes());
  Ref<State> dg_u = work<State>("siu_dg", "m s-1", "velocity in the tracers' space", at_.on_cells_of_modes());
  Ref<State> dg_v = work<State>("siv_dg", "m s-1", "velocity in the tracers' space", at_.on_cells_of_modes());
  Ref<State> normal_x =
      work<State>("normal_x", "m2 s-1", "flow through vertical edges", at_.on_vertical_edges());
  Ref<State> normal_y =
      work<State>("normal_y", "m2 s-1", "flow through horizontal edges", at_.on_horizontal_edges());
  Ref<State> old = work<State>("tracer_before", "", "a tracer before its step", at_.on_cells_of_modes());
  Ref<State> rate = work<State>("rate", "", "rate of change of a tracer, weak", at_.on_cells_of_modes());
  Ref<Compute> coefficient = work<Compute>("strength", "", "coefficient of the rheology", at_.on_points());
};

template <class P, class Executor>
Fields<P, Executor>::Fields(FieldTable& table, Executor executor, Layouts const& layouts, Setup const& setup)
    : table_{table},
      executor_{executor},
      at_{layouts},
      where_{setup.longitude.empty() ? "" : "lon lat"},
      where_nodes_{setup.node_longitude.empty() ? "" : "lon_node lat_node"},
      length_{setup.mesh.spherical ? "rad" : "m"},
      coefficients_{setup.coefficients} {}

// Compiled once (fields.cpp) for all solvers that share them.
#define ULPINE_SEAICE_FIELDS(EXTERN, EXECUTOR)              \
  EXTERN template struct Fields<ScalarsOf<Fp64>, EXECUTOR>; \
  EXTERN template struct Fields<ScalarsOf<Fp32>, EXECUTOR>; \
  EXTERN template struct Fields<ScalarsOf<Mixed>, EXECUTOR>;
ULPINE_SEAICE_FIELDS(extern, Host)
#if defined(ULPINE_HAS_CUDA)
ULPINE_SEAICE_FIELDS(extern, Cuda)
extern template struct Fields<ScalarsOf<Tf32Products>, Cuda>;
#endif

}  // namespace ulpine::seaice
