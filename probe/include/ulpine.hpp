// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ulpine.h"

/// The probe's interface for C++20 (docs/reference/probe-c.md): containers, spans with extents and mdspan in
/// place of `ulpine_array`. Axes are given slowest first, indices and places are counted from 0. Nothing
/// throws but std::bad_alloc, and nothing here allocates where nothing is asked for.
namespace ulpine::probe {

namespace detail {
template <class T>
constexpr int type_of() {
  using E = std::remove_cv_t<T>;
  if constexpr (std::same_as<E, float>) return ULPINE_F32;
  if constexpr (std::same_as<E, double>) return ULPINE_F64;
  if constexpr (std::same_as<E, std::complex<float>>) return ULPINE_C32;
  if constexpr (std::same_as<E, std::complex<double>>) return ULPINE_C64;
  if constexpr (std::same_as<E, bool>) return sizeof(bool) == 1 ? ULPINE_L8 : 0;
  if constexpr (std::signed_integral<E> && !std::same_as<E, char> && !std::same_as<E, wchar_t>) {
    return sizeof(E) == 1   ? ULPINE_I8
           : sizeof(E) == 2 ? ULPINE_I16
           : sizeof(E) == 4 ? ULPINE_I32
                            : ULPINE_I64;
  }
  return 0;
}
}  // namespace detail

/// float, double, bool, signed integers of 1 to 8 bytes, std::complex of float and double.
template <class T>
concept Element = detail::type_of<T>()
!= 0;

/// std::mdspan and its like: extents, strides in elements, an address.
template <class A>
concept Mdspan = requires(A const& a) {
  typename A::element_type;
  { A::rank() } -> std::convertible_to<std::size_t>;
  { a.extent(0) } -> std::convertible_to<std::int64_t>;
  { a.stride(0) } -> std::convertible_to<std::int64_t>;
  { a.data_handle() } -> std::convertible_to<typename A::element_type const*>;
}
&&Element<typename A::element_type>;

/// std::vector, std::array, std::span and their like: elements one after the other.
template <class R>
concept Row = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    Element<std::ranges::range_value_t<R>> && !Mdspan<std::remove_cvref_t<R>>;

/// Where an array lies in the domain, and how. `first` and `whole` have a value for each axis, or none: the
/// array is the whole.
struct Place {
  std::initializer_list<std::int64_t> first = {}, whole = {};
  std::span<std::int64_t const> numbers =
      {};  ///< places of the elements along axis `numbered`, in any order; empty: first, first + 1, ...
  int numbered = 0;
  bool replicated = false;  ///< every rank has the whole field: it counts once, and ranks are compared
  bool device = false;      ///< the address is one of a GPU
  void* stream = nullptr;   ///< CUDA stream of the work that writes the array
};

/// Elements in memory with the extents of their axes, slowest first. T is const where the probe may only
/// look.
template <Element T>
class Array {
 public:
  /// A scalar.
  explicit Array(T& value) : data_(&value), size_(1) {}
  /// As many axes as extents, dense: their product has to be the number of values, else the call that takes
  /// it is refused.
  Array(std::span<T> values, std::initializer_list<std::int64_t> extents)
      : data_(values.data()), size_(std::int64_t(values.size())) {
    take(extents, raw_.extent);
  }
  /// The same of elements that lie apart: `strides` in elements, of any sign, from the element with the
  /// lowest indices.
  Array(T* first, std::initializer_list<std::int64_t> extents, std::initializer_list<std::int64_t> strides)
      : data_(first) {
    take(extents, raw_.extent);
    int const axes = rank_;
    take(strides, raw_.stride);
    if (rank_ != axes) fits_ = false;
    for (auto& stride : raw_.stride) stride *= std::int64_t(sizeof(T));
    size_ = count();
  }

  /// Calls `call` (ulpine_field_n and its like) with the array at its place.
  template <class Call>
  void tell(Call call, std::string_view name, Place const& place) const {
    if (!fits_ || count() != size_) return refuse(name, "extents do not fit the elements");
    auto told = raw_;
    told.data = const_cast<std::remove_cv_t<T>*>(data_);
    told.type = detail::type_of<T>();
    told.rank = rank_;
    if (!put(place.first, told.first)) return refuse(name, "`first` has not one place for each axis");
    if (!put(place.whole, told.whole)) return refuse(name, "`whole` has not one extent for each axis");
    if (!place.numbers.empty()) {
      if (place.numbered < 0 || place.numbered >= rank_)
        return refuse(name, "`numbered` is no axis of the array");
      if (std::int64_t(place.numbers.size()) != raw_.extent[place.numbered]) {
        return refuse(name, "`numbers` has not one place for each element along its axis");
      }
      told.numbers = place.numbers.data();
      told.numbered = place.numbered;
    }
    told.flags = (place.replicated ? ULPINE_REPLICATED : 0) | (place.device ? ULPINE_DEVICE : 0);
    told.stream = place.stream;
    call(name.data(), name.size(), &told);
  }

 private:
  void take(std::initializer_list<std::int64_t> values, std::int64_t* to) {
    rank_ = int(values.size());
    fits_ = fits_ && rank_ <= ULPINE_MOST_AXES;
    if (fits_) std::ranges::copy(values, to);
  }
  bool put(std::initializer_list<std::int64_t> values, std::int64_t* to) const {
    if (values.size() != 0 && int(values.size()) != rank_) return false;
    std::ranges::copy(values, to);
    return true;
  }
  std::int64_t count() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < rank_ && fits_; ++axis) product *= raw_.extent[axis];
    return product;
  }
  static void refuse(std::string_view name, char const* what) {
    auto const text = "field '" + std::string(name) + "': " + what;
    ulpine_refuse(text.data(), text.size());
  }

  T* data_;
  std::int64_t size_ = 0;
  int rank_ = 0;
  bool fits_ = true;
  ulpine_array raw_ = {};
};
template <Row R>
Array(R&&, std::initializer_list<std::int64_t>)
    -> Array<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/// Whether anything is asked for: to leave out work that only traces need.
inline bool on() { return ulpine_active != 0; }

namespace detail {
template <class T, class Call>
void tell(Call call, std::string_view name, Array<T> const& array, Place const& place) {
  array.tell(call, name, place);
}
template <Row R, class Call>
void tell(Call call, std::string_view name, R& row, Place const& place) {
  Array(row, {std::int64_t(std::ranges::size(row))}).tell(call, name, place);
}
template <Element T, class Call>
void tell(Call call, std::string_view name, T& scalar, Place const& place) {
  Array<T>(scalar).tell(call, name, place);
}
template <Mdspan A, class Call>
void tell(Call call, std::string_view name, A const& a, Place const& place) {
  constexpr std::size_t axes = A::rank();
  static_assert(axes <= ULPINE_MOST_AXES, "the probe takes up to seven axes");
  [&]<std::size_t... axis>(std::index_sequence<axis...>) {
    Array<typename A::element_type>(a.data_handle(), {std::int64_t(a.extent(axis))...},
                                    {std::int64_t(a.stride(axis))...})
        .tell(call, name, place);
  }
  (std::make_index_sequence<axes>{});
}
template <class A>
concept Told = requires(A& a, Place const& place) {
  detail::tell(ulpine_field_n, "", a, place);
};
template <class A>
struct element {
  using type = A;
};
template <class T>
struct element<Array<T>> {
  using type = T;
};
template <Mdspan A>
struct element<A> {
  using type = typename A::element_type;
};
template <Row R>
struct element<R> {
  using type = std::remove_reference_t<std::ranges::range_reference_t<R>>;
};
}  // namespace detail

/// A scalar, a row of elements, an Array or an mdspan.
template <class A>
concept Field = detail::Told<A>;
/// The same whose elements may be changed.
template <class A>
concept State = Field<A> && !std::is_const_v<typename detail::element<A>::type>;

/// Step n (from 1) begins.
inline void step(std::int64_t n) {
  if (on()) ulpine_step(n);
}
/// This process is `rank` (from 0) of `ranks`; before the first step. Without it the launcher's environment
/// tells.
inline void rank(int rank, int ranks) {
  if (on()) ulpine_rank(rank, ranks);
}
/// This stage has run: the fields that are told next are those that it wrote.
inline void stage(std::string_view name) {
  if (on()) ulpine_stage_n(name.data(), name.size());
}
/// The stage wrote this field, or this part of it. The probe looks only.
template <class A>
requires Field<std::remove_reference_t<A>>
void field(std::string_view name, A&& array, Place const& place = {}) {
  if (on()) detail::tell(ulpine_field_n, name, array, place);
}
/// The same of a field that the run goes on from: the settings may perturb, round or reset it.
template <class A>
requires State<std::remove_reference_t<A>>
void state(std::string_view name, A&& array, Place const& place = {}) {
  if (on()) detail::tell(ulpine_state_n, name, array, place);
}
/// The stage that comes next writes all of this array: the settings may fill it with values that show where
/// it does not.
template <class A>
requires State<std::remove_reference_t<A>>
void unset(std::string_view name, A&& array, Place const& place = {}) {
  if (on()) detail::tell(ulpine_unset_n, name, array, place);
}
/// A field of a lasting array is looked at after every stage from now on; again with the same name: its new
/// address.
template <class A>
requires Field<std::remove_reference_t<A>>
void watch(std::string_view name, A&& array, Place const& place = {}) {
  if (on()) detail::tell(ulpine_watch_n, name, array, place);
}
/// Takes a field off that list, before its memory is freed.
inline void unwatch(std::string_view name) {
  if (on()) ulpine_unwatch_n(name.data(), name.size());
}
/// The unit of a field, for tables and files: "K".
inline void unit(std::string_view name, std::string_view unit) {
  if (on()) ulpine_unit_n(name.data(), name.size(), unit.data(), unit.size());
}
/// Time of the model in seconds, for the files of values.
inline void time(double seconds) {
  if (on()) ulpine_time(seconds);
}
/// Ends the trace; the end of the program does it too.
inline void close() {
  if (on()) ulpine_close();
}

/// The i-th turn of a loop within the step, for as long as this lives: `for (...) { Loop const turn("sub",
/// i); ... }`.
class Loop {
 public:
  Loop(std::string_view name, std::int64_t i) : entered_(on()) {
    if (entered_) ulpine_enter_n(name.data(), name.size(), i);
  }
  ~Loop() {
    if (entered_ && on()) ulpine_leave();
  }
  Loop(Loop const&) = delete;
  Loop& operator=(Loop const&) = delete;

 private:
  bool entered_;
};

}  // namespace ulpine::probe
