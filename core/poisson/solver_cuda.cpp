// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/poisson/phases_impl.hpp"
#include "core/poisson/solver_backend.hpp"

namespace ulpine {
namespace {

/// Size of a slab: enough for the link to reach its rate, and so small that what does not overlap, the first
/// slab's way in and the last one's out, is little.
constexpr std::int64_t slab_bytes = std::int64_t{8} << 20;

template <class T>
class DeviceBackend final : public PoissonSolver::Backend {
 public:
  DeviceBackend(int ordinal, int threads, PoissonGrid const& grid, PoissonMethod method)
      : compute_(ordinal),
        copies_(ordinal),
        levels_{grid.nz},
        plane_{grid.plane()},
        columns_{make_column_solver<T, Exact>(compute_.executor(), grid)},
        slab_{slab_levels(grid)},
        converter_(Host{threads}, grid),
        planes_(compute_.executor(), plane_ * levels_),
        buffers_{PinnedBuffer(compute_.executor(), slab_ * plane_ * value_bytes),
                 PinnedBuffer(compute_.executor(), slab_ * plane_ * value_bytes)},
        copied_(compute_.executor()),
        transformed_(compute_.executor()),
        marks_{Event(compute_.executor(), Event::Timed::yes), Event(compute_.executor(), Event::Timed::yes)} {
    auto const rest = levels_ % slab_;
    transform_ = make_plane_transform<T, Exact>(compute_.executor(), method, slab_, grid.ny, grid.nx);
    if (rest != 0) {
      rest_ = make_plane_transform<T, Exact>(compute_.executor(), method, rest, grid.ny, grid.nx);
    }
    synchronize(compute_.executor());  // the other stream copies to memory that this one clears
  }

  void solve(double const* rhs, double* pressure) override {
    auto const start = detail::seconds_now();
    auto const compute = compute_.executor();
    try {
      load(rhs);
    } catch (...) {
      synchronize(copies_.executor());
      synchronize(compute);
      throw;
    }
    removed_mean = converter_.mean();
    marks_[0].record(compute);
    columns_->solve(planes_.view().data());
    marks_[1].record(compute);
    store(pressure);
    auto const end = detail::seconds_now();
    // The device's clock knows how long the columns took, the host's when they were done.
    auto const tridiagonal = seconds_between(marks_[0], marks_[1]);
    seconds = {solved_ - tridiagonal - start, tridiagonal, end - solved_, end - start};
  }
  std::int64_t work_bytes() const override {
    auto const bytes_of = [](auto const& part) { return part ? part->work_bytes() : 0; };
    return planes_.bytes() + bytes_of(columns_) + bytes_of(transform_) + bytes_of(rest_);
  }

 private:
  static constexpr std::int64_t value_bytes = sizeof(T);

  static std::int32_t slab_levels(PoissonGrid const& grid) {
    auto const level = grid.plane() * value_bytes;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(slab_bytes / level, 1, grid.nz));
  }
  std::int32_t slab_count() const { return (levels_ + slab_ - 1) / slab_; }
  std::int32_t slab_size(std::int32_t slab) const { return std::min(slab_, levels_ - slab * slab_); }
  T* slab_planes(std::int32_t slab) { return planes_.view().data() + std::int64_t{slab} * slab_ * plane_; }
  PlaneTransform<T>& transform(std::int32_t slab) { return slab_size(slab) == slab_ ? *transform_ : *rest_; }
  PinnedBuffer& buffer(std::int32_t slab) { return buffers_[static_cast<std::size_t>(slab % 2)]; }

  void load(double const* rhs) {
    for (std::int32_t slab = 0; slab < slab_count(); ++slab) {
      auto& pinned = buffer(slab);
      pinned.wait();
      converter_.load(rhs, slab * slab_, slab_size(slab), static_cast<T*>(pinned.data()));
      copy_to_device_async(copies_.executor(), slab_planes(slab), pinned,
                           slab_size(slab) * plane_ * value_bytes);
      copied_.record(copies_.executor());
      copied_.hold_back(compute_.executor());
      transform(slab).forward(slab_planes(slab));
    }
  }

  void store(double* pressure) {
    for (std::int32_t slab = 0; slab < slab_count() + 1; ++slab) {
      if (slab < slab_count()) {
        transform(slab).inverse(slab_planes(slab));
        transformed_.record(compute_.executor());
        transformed_.hold_back(copies_.executor());
        copy_to_host_async(copies_.executor(), buffer(slab), slab_planes(slab),
                           slab_size(slab) * plane_ * value_bytes);
      }
      if (slab == 0) {
        marks_[1].wait();
        solved_ = detail::seconds_now();
      } else {
        buffer(slab - 1).wait();
        converter_.store(static_cast<T const*>(buffer(slab - 1).data()), (slab - 1) * slab_,
                         slab_size(slab - 1), pressure);
      }
    }
  }

  Stream compute_, copies_;
  std::int32_t levels_;
  std::int64_t plane_;
  std::unique_ptr<ColumnSolver<T>> columns_;
  std::int32_t slab_;
  std::unique_ptr<PlaneTransform<T>> transform_, rest_;
  detail::LevelConverter<T> converter_;
  Array<T, Cuda> planes_;
  std::array<PinnedBuffer, 2> buffers_;
  Event copied_, transformed_;
  std::array<Event, 2> marks_;
  double solved_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<PoissonSolver::Backend> make_poisson_backend_on_device(int ordinal, int threads,
                                                                       PoissonGrid const& grid,
                                                                       PoissonMethod method) {
  return std::make_unique<DeviceBackend<T>>(ordinal, threads, grid, method);
}
template std::unique_ptr<PoissonSolver::Backend> make_poisson_backend_on_device<double>(int, int,
                                                                                        PoissonGrid const&,
                                                                                        PoissonMethod);
template std::unique_ptr<PoissonSolver::Backend> make_poisson_backend_on_device<float>(int, int,
                                                                                       PoissonGrid const&,
                                                                                       PoissonMethod);

}  // namespace ulpine
