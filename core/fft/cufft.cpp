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
  static constexpr auto forward_type = CUFFT_R2C, inverse_type = CUFFT_C2R, column_type = CUFFT_C2C;
  static constexpr auto forward = cufftExecR2C;
  static constexpr auto inverse = cufftExecC2R;
  static constexpr auto columns = cufftExecC2C;
};
template <>
struct Library<double> {
  using Real = cufftDoubleReal;
  using Complex = cufftDoubleComplex;
  static constexpr auto forward_type = CUFFT_D2Z, inverse_type = CUFFT_Z2D, column_type = CUFFT_Z2Z;
  static constexpr auto forward = cufftExecD2Z;
  static constexpr auto inverse = cufftExecZ2D;
  static constexpr auto columns = cufftExecZ2Z;
};

/// How lines lie in memory, the first size slowest: values from one to the next in a line, and from line to
/// line.
struct Lines {
  int sizes[2], stride, line;
};

/// Owns a plan, which is given its work area before use.
class Plan {
 public:
  /// `count` transforms of `rank` of the sizes.
  Plan(Cuda cuda, int rank, int const* sizes, Lines from, Lines to, cufftType type, int count) : cuda_{cuda} {
    constexpr auto what = "planning a Fourier transform";
    int lengths[] = {sizes[0], rank > 1 ? sizes[1] : 0};
    DeviceGuard const guard(cuda.ordinal);
    check(cufftCreate(&plan_), what);
    check(cufftSetAutoAllocation(plan_, 0), what);
    check(cufftMakePlanMany(plan_, rank, lengths, from.sizes, from.stride, from.line, to.sizes, to.stride,
                            to.line, type, count, &work_bytes_),
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
  /// Transforms whole planes (`whole`), or their rows alone.
  Cufft(Cuda cuda, int planes, int ny, int nx, bool whole)
      : forward_(plan(cuda, planes, ny, nx, whole, true)),
        inverse_(plan(cuda, planes, ny, nx, whole, false)),
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
  static Plan plan(Cuda cuda, int planes, int ny, int nx, bool whole, bool forward) {
    auto const pairs = nx / 2 + 1, lines = whole ? ny : 1;
    int const sizes[] = {whole ? ny : nx, nx};
    auto const rank = whole ? 2 : 1;
    Lines const real{{sizes[0], 2 * pairs}, 1, lines * 2 * pairs},
        complex{{sizes[0], pairs}, 1, lines * pairs};
    return Plan(cuda, rank, sizes, forward ? real : complex, forward ? complex : real,
                forward ? L::forward_type : L::inverse_type, whole ? planes : planes * ny);
  }
  Plan forward_, inverse_;
  Array<std::byte, Cuda> work_;
};

/// Transforms the columns of planes alone, plane after plane.
template <class T>
class CufftColumns final : public PlaneTransform<T> {
  using L = Library<T>;
  using Complex = typename L::Complex;

 public:
  CufftColumns(Cuda cuda, int planes, int ny, int pairs)
      : planes_{planes},
        plane_{std::int64_t{ny} * pairs},
        plan_(cuda, 1, &ny, {{ny, 0}, pairs, 1}, {{ny, 0}, pairs, 1}, L::column_type, pairs),
        work_(cuda, plan_.work_bytes()) {
    plan_.use(work_.view().data());
  }
  void forward(T* planes) override { run(planes, CUFFT_FORWARD); }
  void inverse(T* planes) override { run(planes, CUFFT_INVERSE); }
  std::int64_t work_bytes() const override { return work_.bytes(); }

 private:
  void run(T* planes, int direction) {
    for (int k = 0; k < planes_; ++k) {
      auto* const plane = reinterpret_cast<Complex*>(planes) + k * plane_;
      plan_.run([&](cufftHandle plan) { return L::columns(plan, plane, plane, direction); });
    }
  }
  int planes_;
  std::int64_t plane_;
  Plan plan_;
  Array<std::byte, Cuda> work_;
};

}  // namespace

template <class T>
std::unique_ptr<PlaneTransform<T>> make_vendor_transform(Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                         std::int32_t nx, PlaneLines lines) {
  if (lines == PlaneLines::columns) return std::make_unique<CufftColumns<T>>(cuda, planes, ny, nx);
  if (lines == PlaneLines::columns_of_rows_together) {
    return std::make_unique<CufftColumns<T>>(cuda, 1, ny, planes * nx);
  }
  return std::make_unique<Cufft<T>>(cuda, planes, ny, nx, lines == PlaneLines::all);
}
template std::unique_ptr<PlaneTransform<float>> make_vendor_transform(Cuda, std::int32_t, std::int32_t,
                                                                      std::int32_t, PlaneLines);
template std::unique_ptr<PlaneTransform<double>> make_vendor_transform(Cuda, std::int32_t, std::int32_t,
                                                                       std::int32_t, PlaneLines);

}  // namespace ulpine
