// SPDX-License-Identifier: Apache-2.0
#include "core/fft/portable_counted.hpp"

#include <cstdint>
#include <memory>
#include <optional>

#include "core/fft/portable_host.hpp"
#include "precision/counted_number.hpp"

namespace ulpine {

/// Lines one by one: operations on values in unused lanes would be counted.
template <Role role>
inline constexpr std::int32_t fft::lanes_of<CountedNumber<role>> = 1;

namespace {

/// A transform as one kernel, with the operations of all its passes over the planes: devices transform with
/// few launches, which are no loop. Along rows and then along columns, where there are both, it passes twice
/// over planes that the least bytes have once.
template <class T, class Format>
class OneKernel final : public PlaneTransform<T> {
 public:
  OneKernel(CountingHost host, std::int32_t planes, std::int32_t ny, std::int32_t nx, PlaneLines lines)
      : run_{host.run},
        points_{std::int64_t{planes} * ny * nx},
        again_{lines == PlaneLines::all && nx > 1 && ny > 1 ? 2.0 * sizeof(T) * planes * ny * (nx / 2 + 1) * 2
                                                            : 0} {
    host.run = &passes_.emplace();
    transform_ = std::make_unique<fft::PortableHost<T, Format, CountingHost>>(host, planes, ny, nx, lines);
  }
  void forward(T* planes) override {
    count([&] { transform_->forward(planes); });
  }
  void inverse(T* planes) override {
    count([&] { transform_->inverse(planes); });
  }
  std::int64_t work_bytes() const override { return transform_->work_bytes(); }

 private:
  template <class Transform>
  void count(Transform const& transform) {
    passes_.emplace();  // at the address that the transform has
    transform();
    run_->begin_kernel(points_);
    run_->move_again(again_);
    for (auto const& [stage, done] : passes_->stages()) run_->add(done.operations);
  }

  CountedRun* run_;
  std::int64_t points_;  ///< of all planes
  double again_;         ///< bytes that the second pass reads and writes
  std::optional<CountedRun> passes_;
  std::unique_ptr<PlaneTransform<T>> transform_;
};

}  // namespace

template <class T, class Format>
std::unique_ptr<PlaneTransform<T>> make_portable_transform(CountingHost host, std::int32_t planes,
                                                           std::int32_t ny, std::int32_t nx,
                                                           PlaneLines lines) {
  fft::require_plane(planes, ny, nx);
  fft::take_as_one_plane(planes, nx, lines);
  return std::make_unique<OneKernel<T, Format>>(host, planes, ny, nx, lines);
}

template std::unique_ptr<PlaneTransform<CountedState>> make_portable_transform<CountedState, Exact>(
    CountingHost, std::int32_t, std::int32_t, std::int32_t, PlaneLines);
template std::unique_ptr<PlaneTransform<CountedCompute>> make_portable_transform<CountedCompute, Exact>(
    CountingHost, std::int32_t, std::int32_t, std::int32_t, PlaneLines);

}  // namespace ulpine
