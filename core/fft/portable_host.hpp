// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/exec/host.hpp"
#include "core/exec/memory.hpp"
#include "core/fft/line_plan.hpp"
#include "core/fft/plane_transform.hpp"
#include "io/error.hpp"

namespace ulpine::fft {

/// InputError for a size below 1.
inline void require_plane(std::int32_t planes, std::int32_t ny, std::int32_t nx) {
  if (planes >= 0 && ny >= 1 && nx >= 1) return;
  throw InputError("no Fourier transform of " + std::to_string(planes) + " planes of " + std::to_string(ny) +
                   " x " + std::to_string(nx) + " points (a plane has at least 1 x 1) give sizes from 1");
}

/// Columns of rows together are those of one plane.
inline void take_as_one_plane(std::int32_t& planes, std::int32_t& nx, PlaneLines& lines) {
  if (lines != PlaneLines::columns_of_rows_together) return;
  lines = PlaneLines::columns;
  if (planes > 1) nx *= std::exchange(planes, 1);
}

/// Pairs of values in a row: nx points where columns alone are transformed, else its wavenumbers.
inline std::int32_t pairs_of(std::int32_t nx, PlaneLines lines) {
  return lines == PlaneLines::columns ? nx : nx / 2 + 1;
}

/// How many lines of T are transformed side by side.
template <class T>
inline constexpr std::int32_t lanes_of = 64 / sizeof(T);

/// Lines side by side, real and imaginary parts apart, so that loops over lines are vectorised: number j of a
/// line at j width + lane.
template <class T>
struct LaneBuffer {
  static constexpr std::int32_t width = lanes_of<T>;
  T *re = nullptr, *im = nullptr;
};

/// A line of a LaneBuffer.
template <class T>
struct Lane {
  T *re, *im;
  Complex<T> load(std::int32_t j) const {
    auto const at = std::int64_t{j} * LaneBuffer<T>::width;
    return {re[at], im[at]};
  }
  void store(std::int32_t j, Complex<T> x) const {
    auto const at = std::int64_t{j} * LaneBuffer<T>::width;
    re[at] = x.re;
    im[at] = x.im;
  }
};

/// All items of a step, for all lanes at once.
template <class P>
struct LaneLoop {
  using T = typename P::Value;
  LineProgram<T> const& program;
  Step const& step;
  LaneBuffer<T> source, target;

  template <class Item>
  [[gnu::flatten]] void operator()(Item) const {
    for (std::int32_t item = 0; item < step.items; ++item) {
#pragma omp simd
      for (std::int32_t lane = 0; lane < LaneBuffer<T>::width; ++lane) {
        Item::apply(program, step, item, Lane<T>{source.re + lane, source.im + lane},
                    Lane<T>{target.re + lane, target.im + lane});
      }
    }
  }
};

template <class T>
LaneBuffer<T> swapped_if(bool swapped, LaneBuffer<T> buffer) {
  return swapped ? LaneBuffer<T>{buffer.im, buffer.re} : buffer;
}

/// The program on the lines of buffers[0], for Place::planes; the others are scratch.
template <class P, class T = typename P::Value>
void run_lanes(LineProgram<T> const& program, LaneBuffer<T> const (&buffers)[3]) {
  for (std::int32_t s = 0; s < program.count; ++s) {
    auto const& step = program.steps[s];
    visit_items<P>(
        step,
        LaneLoop<P>{program, step, swapped_if(step.swapped_source, buffers[static_cast<int>(step.source)]),
                    swapped_if(step.swapped_target, buffers[static_cast<int>(step.target)])});
  }
}

/// Threads share tiles of as many lines as a LaneBuffer takes: rows, then columns, or the other way round; a
/// few planes at a time, so that the second direction finds them in the cache.
template <class T, class Format, class Executor = Host>
class PortableHost final : public PlaneTransform<T> {
 public:
  PortableHost(Executor host, std::int32_t planes, std::int32_t ny, std::int32_t nx,
               PlaneLines lines = PlaneLines::all)
      : host_{host},
        planes_{planes},
        ny_{ny},
        pairs_{pairs_of(nx, lines)},
        lines_{lines},
        row_plan_(LineKind::real, lines == PlaneLines::columns ? 1 : nx),
        column_plan_(LineKind::complex, lines == PlaneLines::rows ? 1 : ny) {
    for (auto const direction : {Direction::forward, Direction::inverse}) {
      rows_[index(direction)] = row_plan_.program(direction, row_plan_.table().data());
      columns_[index(direction)] = column_plan_.program(direction, column_plan_.table().data());
    }
    // 33 more, so that the six parts lie in different sets of the cache where this is a power of two.
    longest_ = std::max({pairs_, ny_, rows_[0].buffered, columns_[0].buffered}) + 33;
    work_ = Array<T, Host>(host, std::int64_t{host.threads} * thread_values());
  }

  void forward(T* planes) override {
    by_groups(planes, [&](std::int32_t count, T* group) {
      if (lines_ != PlaneLines::columns) transform_rows(rows_[index(Direction::forward)], count, group);
      if (lines_ != PlaneLines::rows) transform_columns(columns_[index(Direction::forward)], count, group);
    });
  }
  void inverse(T* planes) override {
    by_groups(planes, [&](std::int32_t count, T* group) {
      if (lines_ != PlaneLines::rows) transform_columns(columns_[index(Direction::inverse)], count, group);
      if (lines_ != PlaneLines::columns) transform_rows(rows_[index(Direction::inverse)], count, group);
    });
  }
  std::int64_t work_bytes() const override {
    return work_.bytes() + static_cast<std::int64_t>(
                               (row_plan_.table().size() + column_plan_.table().size()) * sizeof(Complex<T>));
  }

 private:
  using P = Products<T, Format>;
  static constexpr auto width = LaneBuffer<T>::width;
  static constexpr std::int64_t cached_bytes = 1 << 20;  // of a core

  static int index(Direction direction) { return direction == Direction::forward ? 0 : 1; }
  std::int64_t plane_values() const { return std::int64_t{ny_} * pairs_ * 2; }
  std::int64_t thread_values() const { return std::int64_t{longest_} * width * 6; }

  template <class Transform>
  void by_groups(T* planes, Transform const& transform) const {
    auto const bytes = plane_values() * static_cast<std::int64_t>(sizeof(T));
    auto const fitting = std::max(std::int64_t{1}, host_.threads * cached_bytes / bytes);
    for (std::int64_t k = 0; k < planes_; k += fitting) {
      transform(static_cast<std::int32_t>(std::min(fitting, planes_ - k)), planes + k * plane_values());
    }
  }

  /// work(tile, buffers) for every tile.
  template <class Work>
  void by_tiles(std::int64_t tiles, Work const& work) {
    for_each(host_, tiles, [&](std::int64_t tile) {
      auto* const begin = work_.view().data() + omp_get_thread_num() * thread_values();
      LaneBuffer<T> buffers[3];
      for (int i = 0; i < 3; ++i) {
        auto* const buffer = begin + i * std::int64_t{longest_} * width * 2;
        buffers[i] = {buffer, buffer + std::int64_t{longest_} * width};
      }
      work(tile, buffers);
    });
  }

  void transform_rows(LineProgram<T> const& program, std::int32_t count, T* planes) {
    auto const rows = std::int64_t{count} * ny_;
    by_tiles((rows + width - 1) / width, [&](std::int64_t tile, LaneBuffer<T> const(&buffers)[3]) {
      auto* const first = planes + tile * width * pairs_ * 2;
      auto const lanes = static_cast<std::int32_t>(std::min<std::int64_t>(width, rows - tile * width));
      auto const [re, im] = buffers[0];
      for (std::int32_t lane = 0; lane < lanes; ++lane) {
        auto const* const row = first + std::int64_t{lane} * pairs_ * 2;
        for (std::int32_t j = 0; j < pairs_; ++j) {
          re[j * width + lane] = row[2 * j];
          im[j * width + lane] = row[2 * j + 1];
        }
      }
      run_lanes<P>(program, buffers);
      for (std::int32_t lane = 0; lane < lanes; ++lane) {
        auto* const row = first + std::int64_t{lane} * pairs_ * 2;
        for (std::int32_t j = 0; j < pairs_; ++j) {
          row[2 * j] = re[j * width + lane];
          row[2 * j + 1] = im[j * width + lane];
        }
      }
    });
  }

  void transform_columns(LineProgram<T> const& program, std::int32_t count, T* planes) {
    auto const tiles = (pairs_ + width - 1) / width;
    by_tiles(std::int64_t{count} * tiles, [&](std::int64_t tile, LaneBuffer<T> const(&buffers)[3]) {
      auto const first_pair = static_cast<std::int32_t>(tile % tiles) * width;
      auto* const first = planes + tile / tiles * plane_values() + first_pair * 2;
      auto const lanes = std::min(width, pairs_ - first_pair);
      auto const [re, im] = buffers[0];
      for (std::int32_t j = 0; j < ny_; ++j) {
        auto const* const pairs = first + std::int64_t{j} * pairs_ * 2;
        for (std::int32_t lane = 0; lane < lanes; ++lane) {
          re[j * width + lane] = pairs[2 * lane];
          im[j * width + lane] = pairs[2 * lane + 1];
        }
      }
      run_lanes<P>(program, buffers);
      for (std::int32_t j = 0; j < ny_; ++j) {
        auto* const pairs = first + std::int64_t{j} * pairs_ * 2;
        for (std::int32_t lane = 0; lane < lanes; ++lane) {
          pairs[2 * lane] = re[j * width + lane];
          pairs[2 * lane + 1] = im[j * width + lane];
        }
      }
    });
  }

  Executor host_;
  std::int32_t planes_, ny_, pairs_, longest_ = 0;
  PlaneLines lines_;
  LinePlan<T, Format> row_plan_, column_plan_;
  LineProgram<T> rows_[2], columns_[2];
  Array<T, Host> work_;
};

}  // namespace ulpine::fft
