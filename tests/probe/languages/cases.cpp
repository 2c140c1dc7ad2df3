// SPDX-License-Identifier: Apache-2.0
// Calls of ulpine.hpp, whose arguments test_cpp.py knows.
#include <array>
#include <cstring>
#include <vector>

#include "ulpine.hpp"

namespace probe = ulpine::probe;

extern "C" void stub_origin(void const*);

// What the C++23 library calls mdspan, as far as the probe asks.
struct View {
  using element_type = float;
  float* data;
  std::array<long, 2> extents, strides;
  static constexpr std::size_t rank() { return 2; }
  long extent(std::size_t axis) const { return extents[axis]; }
  long stride(std::size_t axis) const { return strides[axis]; }
  float* data_handle() const { return data; }
};

struct Other {};
static_assert(probe::Field<std::vector<double>> && probe::Field<std::vector<double> const> &&
              probe::Field<View> && probe::Field<bool>);
static_assert(probe::Field<std::span<long long const>> && probe::Field<std::array<std::complex<float>, 3>> &&
              probe::Field<int const>);
static_assert(!probe::Field<std::vector<bool>> && !probe::Field<std::vector<Other>> && !probe::Field<char> &&
              !probe::Field<unsigned>);
static_assert(!probe::Field<std::string> && !probe::Field<long double>);
static_assert(probe::State<std::vector<double>> && probe::State<View> && probe::State<std::span<double>> &&
              probe::State<double>);
static_assert(!probe::State<std::vector<double> const> && !probe::State<std::span<double const>> &&
              !probe::State<double const>);
static_assert(!probe::State<probe::Array<float const>> && probe::State<probe::Array<float>>);

template <class T>
void type(T value) {
  std::vector<T> const values(2, value);
  stub_origin(values.data());
  probe::field("type", values);
}

int main(int, char** arguments) {
  std::string const how = arguments[1] ? arguments[1] : "";
  std::vector<double> x(24);
  for (int i = 0; i < 24; ++i) x[i] = i;
  stub_origin(x.data());
  std::vector<std::int64_t> const places = {9, 0, 4};
  if (how == "extents") probe::field("ice", probe::Array(std::span(x), {5, 5}));
  if (how == "strides") probe::field("ice", probe::Array(x.data(), {3, 2}, {1}));
  if (how == "axes") probe::field("ice", probe::Array(std::span(x), {24, 1, 1, 1, 1, 1, 1, 1}));
  if (how == "first") probe::field("ice", x, {.first = {1, 2}, .whole = {30}});
  if (how == "whole") probe::field("ice", x, {.first = {1}, .whole = {30, 4}});
  if (how == "numbers") probe::field("ice", x, {.whole = {30}, .numbers = places});
  if (how == "numbered") probe::field("ice", x, {.whole = {30}, .numbers = places, .numbered = 1});
  if (!how.empty()) {
    probe::step(9);
    return 0;
  }
  probe::rank(1, 3);
  probe::step(5);
  probe::time(2.5);
  for (int i = 1; i <= 2; ++i) {
    probe::Loop const turn("sub", i);
    probe::stage("flow");
  }
  probe::unit("x", "K");
  probe::field("x", x);
  probe::field("box", probe::Array(x, {2, 3, 4}), {.first = {0, 3, 0}, .whole = {2, 9, 4}});
  probe::field("back", probe::Array(x.data() + 23, {2, 3}, {-12, -4}));
  probe::state("state", std::span(x).subspan(4, 3), {.whole = {10}, .numbers = places});
  probe::field("second", probe::Array(x, {8, 3}), {.whole = {8, 10}, .numbers = places, .numbered = 1});
  probe::unset("unset", x, {.replicated = true, .device = true, .stream = reinterpret_cast<void*>(77)});
  probe::watch("watch", probe::Array<double const>(std::span<double const>(x), {24}));
  probe::field("scalar", x[7], {.replicated = true});
  std::array<float, 6> y = {0, 1, 2, 3, 4, 5};
  stub_origin(y.data());
  probe::state("view", View{y.data() + 1, {2, 2}, {1, 2}});
  type(1.5f);
  type(2.5);
  type(std::int8_t(-3));
  type(std::int16_t(-4));
  type(-5);
  type(-6L);
  type(-7LL);
  probe::field("type", std::array{true, false});
  type(std::complex<float>(1, 2));
  type(std::complex<double>(3, 4));
  probe::unwatch("watch");
  probe::close();
}
