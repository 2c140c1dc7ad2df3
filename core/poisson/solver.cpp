// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/solver.hpp"

#include <cmath>
#include <utility>

#include "core/exec/device.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/threads.hpp"
#include "core/poisson/solver_backend.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace detail {

template <class T>
LevelConverter<T>::LevelConverter(Host host, PoissonGrid const& grid)
    : host_{host},
      nx_{grid.nx},
      ny_{grid.ny},
      singular_{grid.singular()},
      dz_(grid.dz),
      sums_(grid.dz.size()) {}

template <class T>
void LevelConverter<T>::load(double const* rhs, std::int32_t first, std::int32_t count, T* planes) {
  auto const cells = std::int64_t{nx_} * ny_;
  std::int64_t const row = 2 * (nx_ / 2 + 1);
#pragma omp parallel for schedule(static) num_threads(host_.threads) if (host_.threads > 1)
  for (std::int32_t level = 0; level < count; ++level) {
    double sum = 0;
    for (std::int32_t j = 0; j < ny_; ++j) {
      double const* const source = rhs + (first + level) * cells + j * std::int64_t{nx_};
      T* const target = planes + (std::int64_t{level} * ny_ + j) * row;
      double row_sum = 0;
#pragma omp simd reduction(+ : row_sum)
      for (std::int32_t i = 0; i < nx_; ++i) {
        target[i] = static_cast<T>(source[i]);
        row_sum += static_cast<double>(target[i]);
      }
      for (auto i = static_cast<std::int64_t>(nx_); i < row; ++i) target[i] = T(0);
      sum += row_sum;
    }
    sums_[static_cast<std::size_t>(first + level)] = sum;
  }
  for (auto k = first; k < first + count; ++k) {
    if (!std::isfinite(sums_[static_cast<std::size_t>(k)])) refuse(rhs, k);
  }
}

template <class T>
void LevelConverter<T>::refuse(double const* rhs, std::int32_t k) const {
  auto const cells = std::int64_t{nx_} * ny_;
  std::int64_t cell = 0;
  while (cell + 1 < cells && std::isfinite(static_cast<T>(rhs[k * cells + cell]))) ++cell;
  throw InputError("the right-hand side is " + std::to_string(rhs[k * cells + cell]) +
                   " at k = " + std::to_string(k) + ", j = " + std::to_string(cell / nx_) +
                   ", i = " + std::to_string(cell % nx_) + " (it and its sums have to be finite in " +
                   (sizeof(T) == sizeof(float) ? "fp32" : "fp64") + ") look at where it comes from");
}

template <class T>
void LevelConverter<T>::store(T const* planes, std::int32_t first, std::int32_t count,
                              double* pressure) const {
  std::int64_t const row = 2 * (nx_ / 2 + 1), rows = std::int64_t{count} * ny_;
  double* const target = pressure + std::int64_t{first} * ny_ * nx_;
#pragma omp parallel for schedule(static) num_threads(host_.threads) if (host_.threads > 1)
  for (std::int64_t j = 0; j < rows; ++j) {
    for (std::int32_t i = 0; i < nx_; ++i) target[j * nx_ + i] = static_cast<double>(planes[j * row + i]);
  }
}

template <class T>
double LevelConverter<T>::mean() const {
  double sum = 0, height = 0;
  for (std::size_t k = 0; k < dz_.size(); ++k) {
    sum += dz_[k] * sums_[k];
    height += dz_[k];
  }
  return singular_ ? sum / (height * static_cast<double>(nx_) * static_cast<double>(ny_)) : 0;
}

template class LevelConverter<double>;
template class LevelConverter<float>;

}  // namespace detail

namespace {

template <class T>
class HostBackend final : public PoissonSolver::Backend {
 public:
  HostBackend(Host host, PoissonGrid const& grid, PoissonMethod method)
      : levels_{grid.nz},
        phases_{make_poisson_phases<T, Exact>(host, grid, method)},
        converter_(host, grid),
        planes_(host, grid.plane() * grid.nz) {}

  void solve(double const* rhs, double* pressure) override {
    T* const planes = planes_.view().data();
    auto const start = detail::seconds_now();
    converter_.load(rhs, 0, levels_, planes);
    removed_mean = converter_.mean();
    phases_->forward(planes);
    auto const transformed = detail::seconds_now();
    phases_->tridiagonal(planes);
    auto const solved = detail::seconds_now();
    phases_->inverse(planes);
    converter_.store(planes, 0, levels_, pressure);
    auto const end = detail::seconds_now();
    seconds = {transformed - start, solved - transformed, end - solved, end - start};
  }
  std::int64_t work_bytes() const override { return planes_.bytes() + phases_->work_bytes(); }

 private:
  std::int32_t levels_;
  std::unique_ptr<PoissonPhases<T>> phases_;
  detail::LevelConverter<T> converter_;
  Array<T, Host> planes_;
};

template <class T>
std::unique_ptr<PoissonSolver::Backend> make_backend(PoissonGrid const& grid, int ordinal,
                                                     PoissonMethod method, int threads) {
  if (ordinal < 0) return std::make_unique<HostBackend<T>>(Host{threads}, grid, method);
  require_device(ordinal);
#if defined(ULPINE_HAS_CUDA)
  return make_poisson_backend_on_device<T>(ordinal, threads, grid, method);
#else
  return nullptr;
#endif
}

}  // namespace

PoissonSolver::PoissonSolver(PoissonGrid const& grid, std::string const& device, std::string const& precision,
                             PoissonMethod method, int threads) {
  auto const ordinal = device_ordinal(device);
  if (threads < 1) {
    throw InputError(std::to_string(threads) + " threads cannot solve anything (one is the least) give more");
  }
  require_threads(threads);
  if (precision == "fp64") {
    backend_ = make_backend<double>(grid, ordinal, method, threads);
  } else if (precision == "fp32") {
    backend_ = make_backend<float>(grid, ordinal, method, threads);
  } else {
    throw InputError("unknown precision '" + precision + "'" + choices_hint(precision, {"fp64", "fp32"}));
  }
}
PoissonSolver::PoissonSolver(PoissonSolver&&) noexcept = default;
PoissonSolver& PoissonSolver::operator=(PoissonSolver&&) noexcept = default;
PoissonSolver::~PoissonSolver() = default;

void PoissonSolver::solve(double const* rhs, double* pressure) { backend_->solve(rhs, pressure); }
PoissonSeconds PoissonSolver::seconds() const { return backend_->seconds; }
double PoissonSolver::removed_mean() const { return backend_->removed_mean; }
std::int64_t PoissonSolver::work_bytes() const { return backend_->work_bytes(); }

}  // namespace ulpine
