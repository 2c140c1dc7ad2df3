// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "ulpine.h"

namespace ulpine::probe {

/// A call that cannot be meant. what() is one line without the place of the run: `<what>: <problem> (<why>)
/// <remedy>`.
class UseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value in memory of any alignment.
template <class T>
T load(std::byte const* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

/// What one call tells of a field, in one form for all languages: axes slowest first, a complex number as one
/// more fastest axis of 2 (real and imaginary part), places in the domain as dense indices (row-major over
/// the whole domain, so that a Fortran array and the C array with reversed axes have the same).
struct Part {
  static constexpr int most_axes = ULPINE_MOST_AXES + 1;
  /// `extent` elements, `stride` bytes apart, at places first, first + 1, ... of `whole`, or at `numbers`
  /// where not null.
  struct Axis {
    std::int64_t extent = 1, stride = 0, first = 0, whole = 1;
    std::int64_t const* numbers = nullptr;
  };

  std::byte* data = nullptr;
  ulpine_type type = ULPINE_F64;  ///< of an element: ULPINE_F32 or ULPINE_F64 of complex numbers
  int rank = 0;
  std::array<Axis, most_axes> axes = {};  ///< slowest first
  bool fastest_first = false;             ///< how the caller counts: for messages only
  bool complex = false;
  bool replicated = false, on_device = false;
  void* stream = nullptr;

  std::int64_t count() const {
    std::int64_t n = 1;
    for (int a = 0; a < rank; ++a) n *= axes[a].extent;
    return n;
  }
  std::int64_t whole_count() const {
    std::int64_t n = 1;
    for (int a = 0; a < rank; ++a) n *= axes[a].whole;
    return n;
  }
};

/// The array of a call as a part. Throws UseError (one line: what is wrong, and what to do) for a rank, type,
/// extent, stride or place that cannot be, for places outside the domain, and for products beyond 2^62
/// elements.
Part part_of(char const* name, std::size_t length, ulpine_array const& array);

/// Elements that are evenly spaced in memory. The i-th has the dense index first_index + i index_step or,
/// where `numbers` are, first_index + numbers[i] index_step.
struct Line {
  std::int64_t first_index = 0, index_step = 1;
  std::byte* data = nullptr;
  std::int64_t count = 0, stride = 0;
  std::int64_t const* numbers = nullptr;
};

/// The lines of a part along its fastest axis, where axes that lie one after the other in memory and in the
/// domain are one.
class Lines {
 public:
  explicit Lines(Part const& part);
  /// Calls f(Line) for each.
  template <class F>
  void for_each(F&& f) const;

 private:
  struct Loop {
    std::int64_t extent, stride, index_step;
    std::int64_t const* numbers;
  };
  Line first_;
  int loops_ = 0;  ///< around lines, slowest first
  std::array<Loop, Part::most_axes> loop_ = {};
};

/// Calls f(index, address, count, stride) for rows of the part that are evenly spaced in memory and whose
/// dense indices are index, index + 1, ...: axes that lie one after the other in memory and in the domain are
/// merged first.
template <class F>
void for_each_row(Part const& part, F&& f);

template <class F>
void Lines::for_each(F&& f) const {
  if (first_.count == 0) return;
  std::array<std::int64_t, Part::most_axes> at = {};
  while (true) {
    auto line = first_;
    for (int a = 0; a < loops_; ++a) {
      auto const& loop = loop_[a];
      line.data += at[a] * loop.stride;
      line.first_index += (loop.numbers == nullptr ? at[a] : loop.numbers[at[a]]) * loop.index_step;
    }
    f(line);
    int a = loops_ - 1;
    while (a >= 0 && ++at[a] == loop_[a].extent) at[a--] = 0;
    if (a < 0) return;
  }
}

template <class F>
void for_each_row(Part const& part, F&& f) {
  Lines(part).for_each([&](Line const& line) {
    if (line.numbers == nullptr && line.index_step == 1) {
      f(line.first_index, line.data, line.count, line.stride);
      return;
    }
    for (std::int64_t i = 0; i < line.count;) {
      auto const place = [&](std::int64_t n) {
        return line.first_index + (line.numbers == nullptr ? n : line.numbers[n]) * line.index_step;
      };
      auto end = i + 1;
      while (end < line.count && place(end) == place(i) + (end - i)) ++end;
      f(place(i), line.data + i * line.stride, end - i, line.stride);
      i = end;
    }
  });
}

}  // namespace ulpine::probe
