// SPDX-License-Identifier: Apache-2.0
#include <cufft.h>

#include <string>

#include "benchmarks/thesis/pipeline.hpp"
#include "core/exec/stream.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace thesis {
namespace {

void check(cufftResult status, char const* what) {
  if (status == CUFFT_SUCCESS) return;
  throw EnvironmentError(std::string(what) + " failed (cuFFT's error " + std::to_string(status) +
                         ") use a smaller grid, or --device cpu");
}

/// Owns a plan for all rows at once.
class Plan {
 public:
  Plan(Cuda cuda, std::int32_t rows, std::int32_t n, cufftType type, bool forward) : cuda_{cuda} {
    DeviceGuard const guard(cuda.ordinal);
    int const pairs = n / 2 + 1;
    int size = n;
    check(cufftCreate(&plan_), "planning a Fourier transform");
    check(cufftMakePlanMany(plan_, 1, &size, &size, 1, forward ? n : pairs, &size, 1, forward ? pairs : n,
                            type, rows, &work_bytes_),
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
  std::int64_t work_bytes() const { return static_cast<std::int64_t>(work_bytes_); }

 private:
  Cuda cuda_;
  cufftHandle plan_ = 0;
  std::size_t work_bytes_ = 0;
};

template <class T>
class DeviceRows final : public RowTransform<T> {
  static constexpr bool is_double = sizeof(T) == sizeof(double);

 public:
  DeviceRows(Cuda cuda, std::int32_t rows, std::int32_t n)
      : forward_(cuda, rows, n, is_double ? CUFFT_D2Z : CUFFT_R2C, true),
        inverse_(cuda, rows, n, is_double ? CUFFT_Z2D : CUFFT_C2R, false) {}

  void forward(T* values, T* pairs) override {
    forward_.run([&](cufftHandle plan) {
      if constexpr (is_double) {
        return cufftExecD2Z(plan, values, reinterpret_cast<cufftDoubleComplex*>(pairs));
      } else {
        return cufftExecR2C(plan, values, reinterpret_cast<cufftComplex*>(pairs));
      }
    });
  }
  void inverse(T* pairs, T* values) override {
    inverse_.run([&](cufftHandle plan) {
      if constexpr (is_double) {
        return cufftExecZ2D(plan, reinterpret_cast<cufftDoubleComplex*>(pairs), values);
      } else {
        return cufftExecC2R(plan, reinterpret_cast<cufftComplex*>(pairs), values);
      }
    });
  }
  std::int64_t work_bytes() const override { return forward_.work_bytes() + inverse_.work_bytes(); }

 private:
  Plan forward_, inverse_;
};

}  // namespace

template <class T>
std::unique_ptr<RowTransform<T>> make_row_transform(Cuda cuda, std::int32_t rows, std::int32_t n) {
  return std::make_unique<DeviceRows<T>>(cuda, rows, n);
}

}  // namespace thesis

template <class T>
std::unique_ptr<ThesisPhases<T>> make_thesis_phases(Cuda cuda, PoissonGrid const& grid, bool six) {
  return std::make_unique<thesis::Pipeline<T, Cuda>>(cuda, grid, six);
}
template std::unique_ptr<ThesisPhases<double>> make_thesis_phases(Cuda, PoissonGrid const&, bool);
template std::unique_ptr<ThesisPhases<float>> make_thesis_phases(Cuda, PoissonGrid const&, bool);

}  // namespace ulpine
