// SPDX-License-Identifier: Apache-2.0
#pragma once

// First, since kernels look its functions up where they are defined.
#include "precision/quad.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/exec/host.hpp"
#include "core/field/operations.hpp"
#include "core/les/air_solver.hpp"
#include "core/les/case_town.hpp"
#include "core/les/setup.hpp"
#include "support/random_values.hpp"

/// Poisson's equation in the air of a town alone, apart from the model.
namespace ulpine::test {

/// Towers, blocks and courts with a wall open to the sky, at random.
inline std::vector<std::int32_t> random_tops(RandomValues& random, int nx, int ny, int highest,
                                             double built) {
  std::vector<std::int32_t> tops(static_cast<std::size_t>(nx * ny));
  for (auto& top : tops) {
    top =
        random.uniform() < built ? 1 + static_cast<int>(random.below(static_cast<std::size_t>(highest))) : 0;
  }
  return tops;
}

struct Sizes {
  int nx, ny, nz;
  double dx, dy, dz, stretch;
};

/// In state T and solved in S, on the host. Values are dense, x fastest.
template <class T, class S>
class Air {
 public:
  using Values = std::vector<S>;

  Air(Sizes const& sizes, std::vector<std::int32_t> tops, int threads = 1)
      : host_{threads},
        setup_{les::read_case(io::CaseFile::parse(text(sizes), "case.toml"))},
        tops_{std::move(tops)} {
    setup_.maps = les::wall_maps(tops_, les::town_grid(setup_.parameters));
    auto const& p = setup_.parameters;
    levels_.assign(setup_.tables.values.begin(), setup_.tables.values.end());
    grid_ = {p.nx, p.ny, p.nz, static_cast<T>(1 / p.dx), static_cast<T>(1 / p.dy), levels_.data()};
    PoissonGrid poisson{p.nx, p.ny, p.nz, p.dx, p.dy, {}, {}};
    for (int k = 0; k < p.nz; ++k) poisson.dz.push_back(thickness(k));
    for (int k = -1; k < p.nz; ++k) poisson.dz_between.push_back(between(k));
    phases_ = make_poisson_phases<S, Exact>(host_, poisson, PoissonMethod::portable);
    pressure_ = &fields_.add<S>(host_, {.name = "p"}, les::transform_layout(p.nz, p.ny, p.nx));
    solver_ = std::make_unique<les::AirSolver<T, S, les::Built, Host>>(
        host_, link_, exchange_, fields_, *pressure_, *phases_, setup_.air_thickness(), stages_);
  }

  int nx() const { return setup_.parameters.nx; }
  int ny() const { return setup_.parameters.ny; }
  int nz() const { return setup_.parameters.nz; }
  std::size_t size() const { return static_cast<std::size_t>(nx() * ny() * nz()); }
  double thickness(int k) { return setup_.tables.at(les::Level::thickness, k); }
  /// Of the centres of levels k and k + 1.
  double between(int k) { return 1 / setup_.tables.at(les::Level::per_dz_between, k); }
  double dx() const { return setup_.parameters.dx; }
  double dy() const { return setup_.parameters.dy; }
  les::Setup const& setup() const { return setup_; }
  std::size_t index(int k, int j, int i) const {
    auto const jj = (j + ny()) % ny(), ii = (i + nx()) % nx();
    return static_cast<std::size_t>((k * ny() + jj) * nx() + ii);
  }
  /// By the tops alone, apart from the maps that kernels read.
  bool air(int k, int j, int i) const { return k >= 0 && k < nz() && k >= tops_[index(0, j, i)]; }
  template <class Visitor>
  void for_cells(Visitor const& visit) const {
    for (int k = 0; k < nz(); ++k) {
      for (int j = 0; j < ny(); ++j) {
        for (int i = 0; i < nx(); ++i) visit(k, j, i);
      }
    }
  }
  /// Between -1 and 1 in the air, 0 in buildings.
  Values random(std::uint64_t seed) const {
    RandomValues values(seed);
    Values result(size());
    for_cells([&](int k, int j, int i) {
      auto const value = values.between(-1, 1);
      result[index(k, j, i)] = static_cast<S>(air(k, j, i) ? value : 0);
    });
    return result;
  }

  /// visit(this cell, other cell, area of the face over the distance over the cell's base, m-1) for every
  /// face between two cells of air: what the operator is, said once more.
  template <class Visitor>
  void for_faces(Visitor const& visit) {
    for_cells([&](int k, int j, int i) {
      if (!air(k, j, i)) return;
      auto const here = index(k, j, i);
      if (air(k, j, i + 1)) visit(here, index(k, j, i + 1), thickness(k) / (dx() * dx()));
      if (air(k, j + 1, i)) visit(here, index(k, j + 1, i), thickness(k) / (dy() * dy()));
      if (air(k + 1, j, i)) visit(here, index(k + 1, j, i), 1 / between(k));
    });
  }
  /// A x by those faces, with the sum of its terms' sizes.
  template <class R>
  void plain_outflow(Values const& x, std::vector<R>& outflow, std::vector<R>& sizes) {
    outflow.assign(size(), R(0));
    sizes.assign(size(), R(0));
    for_faces([&](std::size_t a, std::size_t b, double weight) {
      auto const flow = (static_cast<R>(x[a]) - static_cast<R>(x[b])) * R(weight);
      auto const most = flow < R(0) ? -flow : flow;
      outflow[a] += flow, outflow[b] -= flow;
      sizes[a] += most, sizes[b] += most;
    });
  }

  Values outflow(Values const& x) {
    Values result(size());
    auto given = x;
    for_each(host_, cells(), les::Outflow<T, S, les::Built>{grid_, ground(), rows(given), rows(result)});
    return result;
  }
  /// The solution through the buildings of -r / h.
  Values preconditioned(Values const& residual) {
    put(residual, [&](int k) { return -1 / static_cast<S>(thickness(k)); });
    phases_->solve(pressure_->grid().first);
    auto result = get("p");
    for_cells([&](int k, int j, int i) {
      if (!air(k, j, i)) result[index(k, j, i)] = S(0);
    });
    return result;
  }
  /// The pressure of that divergence.
  Values solve(Values const& divergence, int iterations, StageObserver* observer = nullptr) {
    put(divergence, [](int) { return S(1); });
    stages_.observe(observer);
    stages_.begin_step(host_, 1);
    auto const nothing = [] {};
    solver_->solve(stages_, *phases_, grid_, ground(), iterations, nothing, nothing);
    return get("p");
  }
  /// -outflow / h.
  Values divergence_of(Values const& outflow) {
    auto result = outflow;
    for_cells([&](int k, int j, int i) {
      auto& value = result[index(k, j, i)];
      value = -value / static_cast<S>(thickness(k));
    });
    return result;
  }
  Values get(char const* name) { return dense(fields_.at(name).raw()); }
  static Values dense(RawField const& raw) {
    Values values(static_cast<std::size_t>(raw.count()));
    auto const* const from = static_cast<S const*>(raw.data);
    auto const points = points_of(raw.layout);
    for (std::int64_t n = 0; n < raw.count(); ++n) values[static_cast<std::size_t>(n)] = from[points.at(n)];
    return values;
  }

 private:
  static std::string text(Sizes const& s) {
    return "core = 'les'\n[grid]\nnx = " + std::to_string(s.nx) + "\nny = " + std::to_string(s.ny) +
           "\nnz = " + std::to_string(s.nz) + "\ndx = " + std::to_string(s.dx) +
           "\ndy = " + std::to_string(s.dy) + "\ndz = " + std::to_string(s.dz) +
           "\nstretch_factor = " + std::to_string(s.stretch) + "\n[ground]\nwind = 'free_slip'\n";
  }
  Extent3 cells() const { return {nx(), ny(), nz()}; }
  Rows<S> rows(Values& values) const { return {values.data(), std::int64_t{nx()} * ny(), nx()}; }
  les::Built ground() const {
    auto const row = nx() + 2 * ulpine::halo, plane = row * (ny() + 2 * ulpine::halo);
    return {{setup_.maps.data() + ulpine::halo * row + ulpine::halo, plane, row}};
  }
  template <class Factor>
  void put(Values const& values, Factor const& factor) {
    auto const to = pressure_->grid();
    for_cells([&](int k, int j, int i) { to(k, j, i) = values[index(k, j, i)] * factor(k); });
  }

  Host host_;
  les::Setup setup_;
  std::vector<std::int32_t> tops_;
  std::vector<T> levels_;
  les::Grid<T> grid_;
  FieldTable fields_;
  StageRunner stages_;
  Link<Host> link_{host_, nullptr};
  HaloExchange<Host> exchange_{
      host_, link_, Blocks(setup_.parameters.nx, setup_.parameters.ny, nullptr, 1, "the grid"), true, true};
  std::unique_ptr<PoissonPhases<S>> phases_;
  FieldOf<S, Host>* pressure_ = nullptr;
  std::unique_ptr<les::AirSolver<T, S, les::Built, Host>> solver_;
};

template <class S>
S dot(std::vector<S> const& x, std::vector<S> const& y) {
  S sum = 0;
  for (std::size_t n = 0; n < x.size(); ++n) sum += x[n] * y[n];
  return sum;
}

}  // namespace ulpine::test
