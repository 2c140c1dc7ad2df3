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
  Fftw(Host host, std::int32_t planes, std::int32_t ny, std::int32_t nx)
      : host_{host}, planes_{planes}, plane_{std::int64_t{ny} * (nx / 2 + 1) * 2} {
    // FFTW_ESTIMATE neither writes to the planes nor measures: the same plan, and bits, each time.
    Complex* const any = nullptr;
    std::lock_guard const lock(planning);
    forward_ = L::plan_forward(ny, nx, reinterpret_cast<Value*>(any), any, FFTW_ESTIMATE | FFTW_UNALIGNED);
    inverse_ = L::plan_inverse(ny, nx, any, reinterpret_cast<Value*>(any), FFTW_ESTIMATE | FFTW_UNALIGNED);
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
      L::forward(forward_, values(planes, k), reinterpret_cast<Complex*>(values(planes, k)));
    }
  }
  void inverse(T* planes) override {
#pragma omp parallel for num_threads(host_.threads)
    for (std::int32_t k = 0; k < planes_; ++k) {
      L::inverse(inverse_, reinterpret_cast<Complex*>(values(planes, k)), values(planes, k));
    }
  }

 private:
  Value* values(T* planes, std::int32_t k) const { return reinterpret_cast<Value*>(planes + k * plane_); }

  Host host_;
  std::int32_t planes_;
  std::int64_t plane_;
  typename L::Plan forward_, inverse_;
};

}  // namespace

template <class T>
std::unique_ptr<PlaneTransform<T>> make_vendor_transform(Host host, std::int32_t planes, std::int32_t ny,
                                                         std::int32_t nx) {
  return std::make_unique<Fftw<T>>(host, planes, ny, nx);
}
template std::unique_ptr<PlaneTransform<float>> make_vendor_transform(Host, std::int32_t, std::int32_t,
                                                                      std::int32_t);
template std::unique_ptr<PlaneTransform<double>> make_vendor_transform(Host, std::int32_t, std::int32_t,
                                                                       std::int32_t);
template std::unique_ptr<PlaneTransform<float128>> make_vendor_transform(Host, std::int32_t, std::int32_t,
                                                                         std::int32_t);

}  // namespace ulpine
