// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/poisson/solver.hpp"

namespace ulpine {

class PoissonSolver::Backend {
 public:
  virtual ~Backend() = default;
  virtual void solve(double const* rhs, double* pressure) = 0;
  virtual std::int64_t work_bytes() const = 0;

  PoissonSeconds seconds;
  double removed_mean = 0;
};

/// The backend on the host, for float and double.
template <class T>
std::unique_ptr<PoissonSolver::Backend> make_poisson_backend(Host host, PoissonGrid const& grid,
                                                             PoissonMethod method);
/// The backend on GPU `ordinal`, for float and double.
template <class T>
std::unique_ptr<PoissonSolver::Backend> make_poisson_backend_on_device(int ordinal, int threads,
                                                                       PoissonGrid const& grid,
                                                                       PoissonMethod method);

namespace detail {

/// Copies levels between arrays of double and planes of T, and finds the former's mean on the way.
template <class T>
class LevelConverter {
 public:
  LevelConverter(Host host, PoissonGrid const& grid);

  /// Levels [first, first + count) of rhs to planes, of which `planes` is the first. InputError where a value
  /// is not finite in T.
  void load(double const* rhs, std::int32_t first, std::int32_t count, T* planes);
  /// Levels [first, first + count) of planes to the pressure.
  void store(T const* planes, std::int32_t first, std::int32_t count, double* pressure) const;
  /// Mean of all levels loaded last, weighted with dz, the sum in an order that no number of threads changes;
  /// 0 where L is not singular.
  double mean() const;

 private:
  [[noreturn]] void refuse(double const* rhs, std::int32_t k) const;

  Host host_;
  std::int32_t nx_, ny_;
  bool singular_;
  std::vector<double> dz_, sums_;
};

/// Seconds of a clock that goes on while the program waits.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace detail
}  // namespace ulpine
