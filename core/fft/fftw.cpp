// SPDX-License-Identifier: Apache-2.0
#include <fftw3.h>

#include <mutex>

#include "core/fft/plane_transform.hpp"
#include "precision/quad.hpp"

namespace ulpine {
namespace {

/// FFTW's functions for a type.
template <class T>
struct Library;

#define FFTW_FOR(type, value, prefix)                              \
  template <>                                                      \
  struct Library<type> {                                           \
    using Value = value;                                           \
    using Complex = prefix##_complex;                              \
    using Plan = prefix##_plan;                                    \
    static constexpr auto plan_forward = prefix##_plan_dft_r2c_2d; \
    static constexpr auto plan_inverse = prefix##_plan_dft_c2r_2d; \
    static constexpr auto plan_rows = prefix##_plan_many_dft_r2c;  \
    static constexpr auto plan_back = prefix##_plan_many_dft_c2r;  \
    static constexpr auto plan_columns = prefix##_plan_many_dft;   \
    static constexpr auto columns = prefix##_execute_dft;          \
    static constexpr auto forward = prefix##_execute_dft_r2c;      \
    static constexpr auto inverse = prefix##_execute_dft_c2r;      \
    static constexpr auto destroy = prefix##_destroy_plan;         \
  };
FFTW_FOR(float, float, fftwf)
FFTW_FOR(double, double, fftw)
FFTW_FOR(float128, __float128, fftwq)
#undef FFTW_FOR

/// Only the execution of plans may be done by several threads at once.
std::mutex planning;

template <class T>
class Fftw final : public PlaneTransform<T> {
  using L = Library<T>;
  using Value = typename L::Value;
  using Complex = typename L::Complex;
  static_assert(sizeof(T) == sizeof(Value));

 public:
  Fftw(Host host, std::int32_t planes, std::int32_t ny, std::int32_t nx, PlaneLines lines)
      : host_{host},
        planes_{planes},
        lines_{lines},
        plane_{lines == PlaneLines::columns_of_rows_together
                   ? std::int64_t{2} * nx
                   : std::int64_t{ny} * (lines == PlaneLines::columns ? nx : nx / 2 + 1) * 2} {
    // FFTW_ESTIMATE neither writes to the planes nor measures: the same plan, and bits, each time.
    constexpr auto how = FFTW_ESTIMATE | FFTW_UNALIGNED;
    Complex* const any = nullptr;
    auto* const real = reinterpret_cast<Value*>(any);
    auto const pairs = nx / 2 + 1;
    std::lock_guard const lock(planning);
    switch (lines) {
      case PlaneLines::all:
        forward_ = L::plan_forward(ny, nx, real, any, how);
        inverse_ = L::plan_inverse(ny, nx, any, real, how);
        break;
      case PlaneLines::rows:
        forward_ = L::plan_rows(1, &nx, ny, real, nullptr, 1, 2 * pairs, any, nullptr, 1, pairs, how);
        inverse_ = L::plan_back(1, &nx, ny, any, nullptr, 1, pairs, real, nullptr, 1, 2 * pairs, how);
        break;
      case PlaneLines::columns:
      case PlaneLines::columns_of_rows_together:
        auto const row = lines == PlaneLines::columns ? nx : planes * nx;
        forward_ = L::plan_columns(1, &ny, nx, any, nullptr, row, 1, any, nullptr, row, 1, FFTW_FORWARD, how);
        inverse_ =
            L::plan_columns(1, &ny, nx, any, nullptr, row, 1, any, nullptr, row, 1, FFTW_BACKWARD, how);
    }
  }
  Fftw(Fftw const&) = delete;
  Fftw& operator=(Fftw const&) = delete;
  ~Fftw() override {
    std::lock_guard const lock(planning);
    L::destroy(forward_);
    L::destroy(inverse_);
  }

  void forward(T* planes) override {
#pragma omp parallel for num_threads(host_.threads)
    for (std::int32_t k = 0; k < planes_; ++k) {
      if (of_columns()) {
        L::columns(forward_, pairs(planes, k), pairs(planes, k));
      } else {
        L::forward(forward_, values(planes, k), pairs(planes, k));
      }
    }
  }
  void inverse(T* planes) override {
#pragma omp parallel for num_threads(host_.threads)
    for (std::int32_t k = 0; k < planes_; ++k) {
      if (of_columns()) {
        L::columns(inverse_, pairs(planes, k), pairs(planes, k));
      } else {
        L::inverse(inverse_, pairs(planes, k), values(planes, k));
      }
    }
  }

 private:
  bool of_columns() const {
    return lines_ == PlaneLines::columns || lines_ == PlaneLines::columns_of_rows_together;
  }
  Value* values(T* planes, std::int32_t k) const { return reinterpret_cast<Value*>(planes + k * plane_); }
  Complex* pairs(T* planes, std::int32_t k) const { return reinterpret_cast<Complex*>(values(planes, k)); }

  Host host_;
  std::int32_t planes_;
  PlaneLines lines_;
  std::int64_t plane_;
  typename L::Plan forward_, inverse_;
};

}  // namespace

template <class T>
std::unique_ptr<PlaneTransform<T>> make_vendor_transform(Host host, std::int32_t planes, std::int32_t ny,
                                                         std::int32_t nx, PlaneLines lines) {
  return std::make_unique<Fftw<T>>(host, planes, ny, nx, lines);
}
template std::unique_ptr<PlaneTransform<float>> make_vendor_transform(Host, std::int32_t, std::int32_t,
                                                                      std::int32_t, PlaneLines);
template std::unique_ptr<PlaneTransform<double>> make_vendor_transform(Host, std::int32_t, std::int32_t,
                                                                       std::int32_t, PlaneLines);
template std::unique_ptr<PlaneTransform<float128>> make_vendor_transform(Host, std::int32_t, std::int32_t,
                                                                         std::int32_t, PlaneLines);

}  // namespace ulpine
