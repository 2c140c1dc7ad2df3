// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "precision/host_device.hpp"

namespace ulpine {

/// A pointer and a length that both compilers index; does not own.
template <class T>
class View {
 public:
  View() = default;
  ULPINE_HD constexpr View(T* data, std::int64_t size) : data_{data}, size_{size} {}
  /// Views the values of `other` as constants.
  template <class U>
  requires std::is_same_v<T, U const> ULPINE_HD constexpr View(View<U> other)
      : data_{other.data()}, size_{other.size()} {}

  ULPINE_HD constexpr T& operator[](std::int64_t i) const { return data_[i]; }
  ULPINE_HD constexpr T* data() const { return data_; }
  ULPINE_HD constexpr std::int64_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace ulpine
