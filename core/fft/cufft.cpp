// SPDX-License-Identifier: Apache-2.0
#include <cufft.h>

#include <string>

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

/// Owns a plan for all planes at once.
class Plan {
 public:
  Plan(Cuda cuda, int planes, int ny, int nx, cufftType type, bool forward) : cuda_{cuda} {
    DeviceGuard const guard(cuda.ordinal);
    int sizes[] = {ny, nx}, real[] = {ny, 2 * (nx / 2 + 1)}, complex[] = {ny, nx / 2 + 1};
    auto const reals = ny * real[1], pairs = ny * complex[1];
    check(forward ? cufftPlanMany(&plan_, 2, sizes, real, 1, reals, complex, 1, pairs, type, planes)
                  : cufftPlanMany(&plan_, 2, sizes, complex, 1, pairs, real, 1, reals, type, planes),
          "planning a Fourier transform");
    check(cufftSetStream(plan_, cuda.stream), "planning a Fourier transform");
  }
  Plan(Plan const&) = delete;
  Plan& operator=(Plan const&) = delete;
  ~Plan() {
    DeviceGuard const guard(cuda_.ordinal, std::nothrow);
    cufftDestroy(plan_);
  }
  template <class Execute>
  void run(Execute const& execute) const {
    DeviceGuard const guard(cuda_.ordinal);
    check(execute(plan_), "a Fourier transform");
  }

 private:
  Cuda cuda_;
  cufftHandle plan_ = 0;
};

class CufftDouble final : public PlaneTransform<double> {
 public:
  CufftDouble(Cuda cuda, int planes, int ny, int nx)
      : forward_(cuda, planes, ny, nx, CUFFT_D2Z, true), inverse_(cuda, planes, ny, nx, CUFFT_Z2D, false) {}
  void forward(double* planes) override {
    forward_.run([&](cufftHandle plan) {
      return cufftExecD2Z(plan, planes, reinterpret_cast<cufftDoubleComplex*>(planes));
    });
  }
  void inverse(double* planes) override {
    inverse_.run([&](cufftHandle plan) {
      return cufftExecZ2D(plan, reinterpret_cast<cufftDoubleComplex*>(planes), planes);
    });
  }

 private:
  Plan forward_, inverse_;
};

class CufftFloat final : public PlaneTransform<float> {
 public:
  CufftFloat(Cuda cuda, int planes, int ny, int nx)
      : forward_(cuda, planes, ny, nx, CUFFT_R2C, true), inverse_(cuda, planes, ny, nx, CUFFT_C2R, false) {}
  void forward(float* planes) override {
    forward_.run([&](cufftHandle plan) {
      return cufftExecR2C(plan, planes, reinterpret_cast<cufftComplex*>(planes));
    });
  }
  void inverse(float* planes) override {
    inverse_.run([&](cufftHandle plan) {
      return cufftExecC2R(plan, reinterpret_cast<cufftComplex*>(planes), planes);
    });
  }

 private:
  Plan forward_, inverse_;
};

}  // namespace

template <>
std::unique_ptr<PlaneTransform<double>> make_vendor_transform(Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                              std::int32_t nx) {
  return std::make_unique<CufftDouble>(cuda, planes, ny, nx);
}
template <>
std::unique_ptr<PlaneTransform<float>> make_vendor_transform(Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                             std::int32_t nx) {
  return std::make_unique<CufftFloat>(cuda, planes, ny, nx);
}

}  // namespace ulpine
