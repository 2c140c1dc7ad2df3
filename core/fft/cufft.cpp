// SPDX-License-Identifier: Apache-2.0
#include <cufft.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/fft/plane_transform.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

void check(cufftResult status, char const* what) {
  if (status == CUFFT_SUCCESS) return;
  throw EnvironmentError(std::string(what) + " failed (cuFFT's error " + std::to_string(status) +
                         ") use a smaller grid, or --device cpu");
}

/// cuFFT's names for a type.
template <class T>
struct Library;
template <>
struct Library<float> {
  using Real = cufftReal;
  using Complex = cufftComplex;
  static constexpr auto forward_type = CUFFT_R2C, inverse_type = CUFFT_C2R;
  static constexpr auto forward = cufftExecR2C;
  static constexpr auto inverse = cufftExecC2R;
};
template <>
struct Library<double> {
  using Real = cufftDoubleReal;
  using Complex = cufftDoubleComplex;
  static constexpr auto forward_type = CUFFT_D2Z, inverse_type = CUFFT_Z2D;
  static constexpr auto forward = cufftExecD2Z;
  static constexpr auto inverse = cufftExecZ2D;
};

/// Owns a plan for all planes at once, which is given its work area before use.
class Plan {
 public:
  Plan(Cuda cuda, int planes, int ny, int nx, cufftType type) : cuda_{cuda} {
    constexpr auto what = "planning a Fourier transform";
    bool const forward = type == CUFFT_R2C || type == CUFFT_D2Z;
    int sizes[] = {ny, nx}, real[] = {ny, 2 * (nx / 2 + 1)}, complex[] = {ny, nx / 2 + 1};
    auto const reals = ny * real[1], pairs = ny * complex[1];
    DeviceGuard const guard(cuda.ordinal);
    check(cufftCreate(&plan_), what);
    check(cufftSetAutoAllocation(plan_, 0), what);
    check(forward ? cufftMakePlanMany(plan_, 2, sizes, real, 1, reals, complex, 1, pairs, type, planes,
                                      &work_bytes_)
                  : cufftMakePlanMany(plan_, 2, sizes, complex, 1, pairs, real, 1, reals, type, planes,
                                      &work_bytes_),
          what);
    check(cufftSetStream(plan_, cuda.stream), what);
  }
  Plan(Plan const&) = delete;
  Plan& operator=(Plan const&) = delete;
  ~Plan() {
    DeviceGuard const guard(cuda_.ordinal, std::nothrow);
    cufftDestroy(plan_);
  }

  std::int64_t work_bytes() const { return static_cast<std::int64_t>(work_bytes_); }
  void use(std::byte* work) {
    DeviceGuard const guard(cuda_.ordinal);
    check(cufftSetWorkArea(plan_, work), "planning a Fourier transform");
  }
  template <class Execute>
  void run(Execute const& execute) const {
    DeviceGuard const guard(cuda_.ordinal);
    check(execute(plan_), "a Fourier transform");
  }

 private:
  Cuda cuda_;
  cufftHandle plan_ = 0;
  std::size_t work_bytes_ = 0;
};

/// Both directions work in one area, as a stream does one after the other.
template <class T>
class Cufft final : public PlaneTransform<T> {
  using L = Library<T>;
  using Real = typename L::Real;
  using Complex = typename L::Complex;

 public:
  Cufft(Cuda cuda, int planes, int ny, int nx)
      : forward_(cuda, planes, ny, nx, L::forward_type),
        inverse_(cuda, planes, ny, nx, L::inverse_type),
        work_(cuda, std::max(forward_.work_bytes(), inverse_.work_bytes())) {
    forward_.use(work_.view().data());
    inverse_.use(work_.view().data());
  }
  void forward(T* planes) override {
    forward_.run([&](cufftHandle plan) {
      return L::forward(plan, static_cast<Real*>(planes), reinterpret_cast<Complex*>(planes));
    });
  }
  void inverse(T* planes) override {
    inverse_.run([&](cufftHandle plan) {
      return L::inverse(plan, reinterpret_cast<Complex*>(planes), static_cast<Real*>(planes));
    });
  }
  std::int64_t work_bytes() const override { return work_.bytes(); }

 private:
  Plan forward_, inverse_;
  Array<std::byte, Cuda> work_;
};

}  // namespace

template <class T>
std::unique_ptr<PlaneTransform<T>> make_vendor_transform(Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                         std::int32_t nx) {
  return std::make_unique<Cufft<T>>(cuda, planes, ny, nx);
}
template std::unique_ptr<PlaneTransform<float>> make_vendor_transform(Cuda, std::int32_t, std::int32_t,
                                                                      std::int32_t);
template std::unique_ptr<PlaneTransform<double>> make_vendor_transform(Cuda, std::int32_t, std::int32_t,
                                                                       std::int32_t);

}  // namespace ulpine
