// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/thesis/kernels.hpp"
#include "core/exec/memory.hpp"
#include "core/poisson/column_tables.hpp"
#include "core/poisson/phases.hpp"

namespace ulpine {

/// An operation of the study's pipeline.
struct ThesisOperation {
  std::string name;
  double minimal_bytes = 0;
  /// Not the study's: between planes and the order of PALM's fields, in which z runs fastest.
  bool layout = false;
};

/// The study's pipeline operation by operation. Between the phases the field is in arrays of its own and the
/// planes hold what they held.
template <class T>
class ThesisPhases : public PoissonPhases<T> {
 public:
  virtual std::vector<ThesisOperation> const& operations() const = 0;
  /// All have to be run in their order.
  virtual void run(std::size_t operation, T* planes) = 0;
};

/// six: with a transposition before and one after the columns; else these are solved with y running fastest.
template <class T>
std::unique_ptr<ThesisPhases<T>> make_thesis_phases(Host host, PoissonGrid const& grid, bool six);
template <class T>
std::unique_ptr<ThesisPhases<T>> make_thesis_phases(Cuda cuda, PoissonGrid const& grid, bool six);

namespace thesis {

template <class T, class Executor>
class Pipeline final : public ThesisPhases<T> {
  using Method = void (Pipeline::*)(T*);

 public:
  Pipeline(Executor executor, PoissonGrid const& grid, bool six)
      : executor_{executor},
        nx_{grid.nx},
        ny_{grid.ny},
        nz_{grid.nz},
        row_{2 * grid.modes_x()},
        tables_(executor, grid),
        along_x_{make_row_transform<T>(executor, ny_ * nz_, nx_)},
        along_y_{make_row_transform<T>(executor, nx_ * nz_, ny_)},
        one_(executor, grid.cells()),
        other_(executor, grid.cells()),
        pairs_(executor, std::max(pair_values(nx_, ny_), pair_values(ny_, nx_))),
        share_(executor, grid.cells()),
        gain_(executor, grid.cells()) {
    auto const& tables = tables_.view();
    columns_ = six ? RealColumns<T>{tables, nx_, ny_, tables.along_x, tables.along_y, {}}
                   : RealColumns<T>{tables, ny_, nx_, tables.along_y, tables.along_x, {}};
    columns_.factors = {share_.view().data(), gain_.view().data()};
    store_factors(executor_, columns_);

    auto const real = static_cast<double>(one_.bytes());
    auto const x = value_bytes * static_cast<double>(pair_values(nx_, ny_));
    auto const y = value_bytes * static_cast<double>(pair_values(ny_, nx_));
    add({"layout of PALM", 2 * real, true}, &Pipeline::to_palm);
    add({"transpose zx", 2 * real}, &Pipeline::zx);
    add({"transform x", real + x}, &Pipeline::forward_x);
    add({"pack x", x + real}, &Pipeline::pack_x);
    add({"transpose xy", 2 * real}, &Pipeline::xy);
    add({"transform y", real + y}, &Pipeline::forward_y);
    add({"pack y", y + real}, &Pipeline::pack_y);
    if (six) add({"transpose yz", 2 * real}, &Pipeline::yz);
    first_of_ = {0, operations_.size()};
    add({"columns", 6 * real}, six ? &Pipeline::columns_x : &Pipeline::columns_y);
    first_of_[2] = operations_.size();
    if (six) add({"transpose zy", 2 * real}, &Pipeline::zy);
    add({"unpack y", real + y}, &Pipeline::unpack_y);
    add({"transform y back", y + real}, &Pipeline::inverse_y);
    add({"transpose yx", 2 * real}, &Pipeline::yx);
    add({"unpack x", real + x}, &Pipeline::unpack_x);
    add({"transform x back", x + real}, &Pipeline::inverse_x);
    add({"transpose xz", 2 * real}, &Pipeline::xz);
    add({"layout of planes", 2 * real, true}, &Pipeline::from_palm);
    first_of_[3] = operations_.size();
  }

  void forward(T* planes) override { run_phase(0, planes); }
  void tridiagonal(T* planes) override { run_phase(1, planes); }
  void inverse(T* planes) override { run_phase(2, planes); }
  Guarantee guarantee() const override { return Guarantee::run_to_run; }
  std::array<double, 3> minimal_bytes() const override {
    std::array<double, 3> sums{};
    for (std::size_t phase = 0; phase < sums.size(); ++phase) {
      for (auto i = first_of_[phase]; i < first_of_[phase + 1]; ++i)
        sums[phase] += operations_[i].minimal_bytes;
    }
    return sums;
  }
  std::int64_t work_bytes() const override {
    return tables_.bytes() + along_x_->work_bytes() + along_y_->work_bytes() + one_.bytes() + other_.bytes() +
           pairs_.bytes() + share_.bytes() + gain_.bytes();
  }
  std::vector<ThesisOperation> const& operations() const override { return operations_; }
  void run(std::size_t operation, T* planes) override { (this->*methods_[operation])(planes); }

 private:
  static constexpr double value_bytes = sizeof(T);

  void add(ThesisOperation operation, Method method) {
    operations_.push_back(std::move(operation));
    methods_.push_back(method);
  }
  void run_phase(std::size_t phase, T* planes) {
    for (auto i = first_of_[phase]; i < first_of_[phase + 1]; ++i) run(i, planes);
  }
  /// Number of values in the pairs of rows of n values, m rows a level.
  std::int64_t pair_values(std::int32_t n, std::int32_t m) const {
    return std::int64_t{2} * (n / 2 + 1) * m * nz_;
  }
  T* one() { return one_.view().data(); }
  T* other() { return other_.view().data(); }
  T* pairs() { return pairs_.view().data(); }

  // Orders, the last index running fastest: PALM's (j, i, k); of rows along x (k, j, i), along y (k, i, j).
  std::int64_t plane() const { return std::int64_t{nx_} * ny_; }
  std::int64_t tall() const { return std::int64_t{nx_} * nz_; }
  void to_palm(T* planes) {
    transpose<T>(executor_, {ny_, nz_, nx_, row_, row_ * ny_, tall(), nz_}, planes, one());
  }
  void zx(T*) { transpose<T>(executor_, {ny_, nx_, nz_, tall(), nz_, nx_, plane()}, one(), other()); }
  void forward_x(T*) { along_x_->forward(other(), pairs()); }
  void pack_x(T*) { pack<T>(executor_, ny_ * nz_, {nx_, pairs(), one()}); }
  void xy(T*) { transpose<T>(executor_, {nz_, ny_, nx_, plane(), nx_, plane(), ny_}, one(), other()); }
  void forward_y(T*) { along_y_->forward(other(), pairs()); }
  void pack_y(T*) { pack<T>(executor_, nx_ * nz_, {ny_, pairs(), one()}); }
  void yz(T*) { transpose<T>(executor_, {nz_, nx_, ny_, plane(), ny_, plane(), nx_}, one(), other()); }
  void columns_x(T*) { solve_columns(executor_, columns_, other()); }
  void columns_y(T*) { solve_columns(executor_, columns_, one()); }
  void zy(T*) { transpose<T>(executor_, {nz_, ny_, nx_, plane(), nx_, plane(), ny_}, other(), one()); }
  void unpack_y(T*) { unpack<T>(executor_, nx_ * nz_, {ny_, one(), pairs()}); }
  void inverse_y(T*) { along_y_->inverse(pairs(), other()); }
  void yx(T*) { transpose<T>(executor_, {nz_, nx_, ny_, plane(), ny_, plane(), nx_}, other(), one()); }
  void unpack_x(T*) { unpack<T>(executor_, ny_ * nz_, {nx_, one(), pairs()}); }
  void inverse_x(T*) { along_x_->inverse(pairs(), other()); }
  void xz(T*) { transpose<T>(executor_, {ny_, nz_, nx_, nx_, plane(), tall(), nz_}, other(), one()); }
  void from_palm(T* planes) {
    transpose<T>(executor_, {ny_, nx_, nz_, tall(), nz_, row_, row_ * ny_}, one(), planes);
  }

  Executor executor_;
  std::int32_t nx_, ny_, nz_;
  std::int64_t row_;
  ColumnTableArrays<T, Executor> tables_;
  std::unique_ptr<RowTransform<T>> along_x_, along_y_;
  Array<T, Executor> one_, other_, pairs_, share_, gain_;
  RealColumns<T> columns_{};
  std::vector<ThesisOperation> operations_;
  std::vector<Method> methods_;
  std::array<std::size_t, 4> first_of_{};
};

}  // namespace thesis
}  // namespace ulpine
