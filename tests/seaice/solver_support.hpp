// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/mesh/quad_mesh.hpp"
#include "core/seaice/solver.hpp"

namespace ulpine::test {

/// Order of the velocity and unknowns of a tracer a cell.
struct Order {
  int cg, dg;
};
inline constexpr Order orders[] = {{1, 1}, {1, 3}, {1, 6}, {2, 1}, {2, 3}, {2, 6}};
/// Those that came second: for tests too long to run in all.
inline constexpr Order other_orders[] = {{1, 6}, {2, 1}, {2, 3}, {2, 6}};
inline std::string name_of(Order order) {
  return "cg" + std::to_string(order.cg) + "_dg" + std::to_string(order.dg);
}

/// The fields of a solver that tests look at.
enum class FieldId {
  u,
  v,
  h,
  a,
  stress_xx,
  stress_yy,
  stress_xy,
  strain_xx,
  strain_yy,
  strain_xy,
  shear,
  node_h,
  node_a,
  u0,
  v0,
  wind_x,
  wind_y,
  force_x,
  force_y,
  dg_u,
  dg_v,
  strength,
  velocity_residual,
  stress_residual,
  velocity_ratio,
  stress_ratio
};
inline char const* name_of(FieldId field) {
  static constexpr char const* names[] = {"siu",
                                          "siv",
                                          "sivol_dg",
                                          "siconc_dg",
                                          "stress_xx",
                                          "stress_yy",
                                          "stress_xy",
                                          "strain_xx",
                                          "strain_yy",
                                          "strain_xy",
                                          "shear",
                                          "node_sivol",
                                          "node_siconc",
                                          "siu_before",
                                          "siv_before",
                                          "wind_x",
                                          "wind_y",
                                          "force_x",
                                          "force_y",
                                          "siu_dg",
                                          "siv_dg",
                                          "strength",
                                          "velocity_residual",
                                          "stress_residual",
                                          "velocity_residual_ratio",
                                          "stress_residual_ratio"};
  return names[static_cast<std::size_t>(field)];
}

/// The columns of a matrix that is given row by row: [cell][mode] to [mode][cell], or back.
template <class T>
std::vector<T> transposed(std::vector<T> const& rows, std::size_t columns) {
  std::vector<T> result(rows.size());
  auto const count = rows.size() / columns;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t m = 0; m < columns; ++m) {
      result[m * count + k] = rows[k * columns + m];
    }
  }
  return result;
}

/// A solver with its parameters. Fields of several modes (or points) are read and written mode by mode.
class IceSolver {
 public:
  IceSolver(std::unique_ptr<seaice::Solver> solver, seaice::Parameters const& parameters)
      : solver_{std::move(solver)}, parameters_{parameters} {}

  void advance(std::int64_t step) { solver_->take_step(step, static_cast<double>(step) * parameters_.dt); }
  bool run_stage(std::string const& stage) { return seaice::run_stage(*solver_, parameters_, stage); }
  void observe(StageObserver* observer) { solver_->stages().observe(observer); }
  std::vector<StageTime> times() { return solver_->stages().times(); }
  void state_replaced() { solver_->state_replaced(); }
  std::int64_t other_bytes() const { return solver_->other_bytes(); }
  std::uint64_t state_hash() const { return solver_->fields().state_hash(); }

  Field const& field(FieldId id) const { return solver_->fields().at(name_of(id)); }
  std::size_t size(FieldId id) const { return static_cast<std::size_t>(field(id).layout().count()); }
  template <class T>
  std::vector<T> values(FieldId id) const {
    field(id).update();
    std::vector<T> values(size(id));
    read_values(field(id).raw(), 0, field(id).layout().count(), value_type_of<T>, values.data());
    return transposed(values, modes(id));
  }
  void write(FieldId id, double const* values) {
    auto const by_cell = transposed(std::vector<double>(values, values + size(id)), size(id) / modes(id));
    write_values(field(id).raw(), 0, field(id).layout().count(), ValueType::float64, by_cell.data());
  }
  /// In the type and the order of the field.
  std::vector<std::byte> bits(FieldId id) const {
    std::vector<std::byte> bytes(size(id) * static_cast<std::size_t>(bytes_of(field(id).type())));
    read_values(field(id).raw(), 0, field(id).layout().count(), field(id).type(), bytes.data());
    return bytes;
  }
  void write_bits(FieldId id, std::byte const* bytes) {
    write_values(field(id).raw(), 0, field(id).layout().count(), field(id).type(), bytes);
  }

 private:
  std::size_t modes(FieldId id) const {
    auto const& layout = field(id).layout();
    return layout.rank() < 3 ? 1 : static_cast<std::size_t>(layout.axis(2).extent);
  }

  std::unique_ptr<seaice::Solver> solver_;
  seaice::Parameters parameters_;
};

/// Null where there is none of that policy or order.
template <class Executor>
std::unique_ptr<IceSolver> make(Executor executor, char const* policy, Assembly assembly,
                                seaice::Setup const& setup) {
  auto solver = seaice::make_solver(executor, policy, assembly, setup);
  return solver == nullptr ? nullptr : std::make_unique<IceSolver>(std::move(solver), setup.parameters);
}
inline std::unique_ptr<IceSolver> make(char const* policy, Assembly assembly, seaice::Setup const& setup) {
  return make(Host{}, policy, assembly, setup);
}

inline std::vector<double> read(IceSolver const& solver, FieldId field) {
  return solver.values<double>(field);
}

/// The same H (m) and A in all of the `cells`, without slopes.
inline void give_uniform_ice(IceSolver& solver, std::int64_t cells, double height, double concentration) {
  std::vector<double> h(solver.size(FieldId::h), 0), a(h);
  std::fill_n(h.begin(), cells, height);
  std::fill_n(a.begin(), cells, concentration);
  solver.write(FieldId::h, h.data());
  solver.write(FieldId::a, a.data());
}

/// The velocity (m s-1) of a place (m) at every node of cG`cg`.
inline void give_velocity(IceSolver& solver, QuadMesh const& mesh, int cg,
                          std::function<std::pair<double, double>(double, double)> const& velocity) {
  std::vector<double> u, v;
  for (std::int32_t j = 0; j <= cg * mesh.ny; ++j) {
    for (std::int32_t i = 0; i <= cg * mesh.nx; ++i) {
      auto const place = node_place(mesh, cg, i, j);
      auto const [x, y] = velocity(place.x, place.y);
      u.push_back(x);
      v.push_back(y);
    }
  }
  solver.write(FieldId::u, u.data());
  solver.write(FieldId::v, v.data());
}

}  // namespace ulpine::test
