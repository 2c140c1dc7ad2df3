// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/thesis/pipeline.hpp"

#include <fftw3.h>

#include <algorithm>
#include <mutex>

#include "core/exec/host.hpp"

namespace ulpine {
namespace thesis {
namespace {

/// FFTW's functions for a type.
template <class T>
struct Library;
template <>
struct Library<double> {
  using Complex = fftw_complex;
  using Plan = fftw_plan;
  static constexpr auto plan_forward = fftw_plan_dft_r2c_1d;
  static constexpr auto plan_inverse = fftw_plan_dft_c2r_1d;
  static constexpr auto forward = fftw_execute_dft_r2c;
  static constexpr auto inverse = fftw_execute_dft_c2r;
  static constexpr auto destroy = fftw_destroy_plan;
};
template <>
struct Library<float> {
  using Complex = fftwf_complex;
  using Plan = fftwf_plan;
  static constexpr auto plan_forward = fftwf_plan_dft_r2c_1d;
  static constexpr auto plan_inverse = fftwf_plan_dft_c2r_1d;
  static constexpr auto forward = fftwf_execute_dft_r2c;
  static constexpr auto inverse = fftwf_execute_dft_c2r;
  static constexpr auto destroy = fftwf_destroy_plan;
};

/// Only the execution of plans may be done by several threads at once.
std::mutex planning;

template <class T>
class HostRows final : public RowTransform<T> {
  using L = Library<T>;
  using Complex = typename L::Complex;

 public:
  HostRows(Host host, std::int32_t rows, std::int32_t n) : host_{host}, rows_{rows}, n_{n} {
    // Transforms out of place need arrays that differ; estimated plans do not touch them.
    T* const values = nullptr;
    auto* const pairs = reinterpret_cast<Complex*>(values) + 1;
    std::lock_guard const lock(planning);
    forward_ = L::plan_forward(n, values, pairs, FFTW_ESTIMATE | FFTW_UNALIGNED);
    inverse_ = L::plan_inverse(n, pairs, values, FFTW_ESTIMATE | FFTW_UNALIGNED);
  }
  HostRows(HostRows const&) = delete;
  HostRows& operator=(HostRows const&) = delete;
  ~HostRows() override {
    std::lock_guard const lock(planning);
    L::destroy(forward_);
    L::destroy(inverse_);
  }

  void forward(T* values, T* pairs) override {
#pragma omp parallel for num_threads(host_.threads) if (host_.threads > 1)
    for (std::int32_t r = 0; r < rows_; ++r) L::forward(forward_, row(values, r), row_of_pairs(pairs, r));
  }
  void inverse(T* pairs, T* values) override {
#pragma omp parallel for num_threads(host_.threads) if (host_.threads > 1)
    for (std::int32_t r = 0; r < rows_; ++r) L::inverse(inverse_, row_of_pairs(pairs, r), row(values, r));
  }
  std::int64_t work_bytes() const override { return 0; }

 private:
  T* row(T* values, std::int32_t r) const { return values + std::int64_t{r} * n_; }
  Complex* row_of_pairs(T* pairs, std::int32_t r) const {
    return reinterpret_cast<Complex*>(pairs) + std::int64_t{r} * (n_ / 2 + 1);
  }

  Host host_;
  std::int32_t rows_, n_;
  typename L::Plan forward_, inverse_;
};

}  // namespace

template <class T>
std::unique_ptr<RowTransform<T>> make_row_transform(Host host, std::int32_t rows, std::int32_t n) {
  return std::make_unique<HostRows<T>>(host, rows, n);
}

template <class T>
void transpose(Host host, Transposition const& shape, T const* source, T* target) {
  constexpr std::int32_t tile = 16;
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int32_t p = 0; p < shape.planes; ++p) {
    for (std::int32_t r0 = 0; r0 < shape.rows; r0 += tile) {
      for (std::int32_t c0 = 0; c0 < shape.columns; c0 += tile) {
        for (auto c = c0; c < std::min(c0 + tile, shape.columns); ++c) {
          for (auto r = r0; r < std::min(r0 + tile, shape.rows); ++r) {
            target[p * shape.target_plane + c * shape.target_row + r] =
                source[p * shape.source_plane + r * shape.source_row + c];
          }
        }
      }
    }
  }
}

template <class T>
void pack(Host host, std::int32_t rows, Packer<T> const& packer) {
  for_each(host, Extent2{packer.n, rows}, packer);
}
template <class T>
void unpack(Host host, std::int32_t rows, Unpacker<T> const& unpacker) {
  for_each(host, Extent2{unpacker.n / 2 + 1, rows}, unpacker);
}
template <class T>
void store_factors(Host host, RealColumns<T> const& columns) {
  for_each(host, Extent2{columns.fast, columns.slow}, FactorStorer<T>{columns});
}
template <class T>
void solve_columns(Host host, RealColumns<T> const& columns, T* values) {
  for_each(host, Extent2{columns.fast, columns.slow}, RealColumn<T>{columns, values});
}

}  // namespace thesis

template <class T>
std::unique_ptr<ThesisPhases<T>> make_thesis_phases(Host host, PoissonGrid const& grid, bool six) {
  return std::make_unique<thesis::Pipeline<T, Host>>(host, grid, six);
}
template std::unique_ptr<ThesisPhases<double>> make_thesis_phases(Host, PoissonGrid const&, bool);
template std::unique_ptr<ThesisPhases<float>> make_thesis_phases(Host, PoissonGrid const&, bool);

}  // namespace ulpine
