// SPDX-License-Identifier: Apache-2.0
#include "probe/source/part.hpp"

#include <algorithm>
#include <string>

namespace ulpine::probe {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 62;  // elements, and bytes from one element to another

struct Element {
  ulpine_type type;
  int size;  ///< bytes
  bool complex;
};

/// What the numbers of enum ulpine_type say; a size of 0 where they say nothing.
Element element_of(int type) {
  switch (type) {
    case ULPINE_F32:
    case ULPINE_I32:
    case ULPINE_L32:
      return {static_cast<ulpine_type>(type), 4, false};
    case ULPINE_F64:
    case ULPINE_I64:
    case ULPINE_L64:
      return {static_cast<ulpine_type>(type), 8, false};
    case ULPINE_L8:
    case ULPINE_I8:
      return {static_cast<ulpine_type>(type), 1, false};
    case ULPINE_I16:
      return {ULPINE_I16, 2, false};
    case ULPINE_C32:
      return {ULPINE_F32, 4, true};
    case ULPINE_C64:
      return {ULPINE_F64, 8, true};
    default:
      return {ULPINE_F64, 0, false};
  }
}

/// Checks an array of a call and names it in messages.
class Check {
 public:
  Check(char const* name, std::size_t length, ulpine_array const& array)
      : name_{name, length}, array_{array} {}

  Element element() const {
    auto const element = element_of(array_.type);
    if (element.size == 0) {
      fail("type is " + std::to_string(array_.type) +
           " (no member of enum ulpine_type) set type, e.g. to ULPINE_F64");
    }
    return element;
  }
  void rank() const {
    if (array_.rank < 0 || array_.rank > ULPINE_MOST_AXES) {
      fail("rank is " + std::to_string(array_.rank) + " (an array has 0 to " +
           std::to_string(ULPINE_MOST_AXES) + " axes) tell slices of fewer axes");
    }
    constexpr int known = ULPINE_FASTEST_FIRST | ULPINE_DEVICE | ULPINE_REPLICATED;
    if ((array_.flags & ~known) != 0) {
      fail("flags are " + std::to_string(array_.flags) + " (not of enum ulpine_flag) " + zero_first);
    }
    for (int a = array_.rank; a < ULPINE_MOST_AXES; ++a) {
      if (array_.extent[a] != 0 || array_.stride[a] != 0 || array_.first[a] != 0 || array_.whole[a] != 0) {
        fail("axis " + std::to_string(a + 1) + " is set, and rank is " + std::to_string(array_.rank) +
             " (members beyond rank must be zero) " + zero_first);
      }
    }
    if (array_.numbers != nullptr && (array_.numbered < 0 || array_.numbered >= array_.rank)) {
      fail("numbered is " + std::to_string(array_.numbered) +
           " (axes are counted from 0 to rank - 1) name the axis of numbers");
    }
  }
  /// Extents and places of all axes, in the caller's order.
  void axes(bool all_of_domain) const {
    for (int a = 0; a < array_.rank; ++a) {
      auto const extent = array_.extent[a], first = array_.first[a];
      auto const whole = all_of_domain ? extent : array_.whole[a];
      if (extent < 0 || whole < 0 || first < 0) {
        fail(axis(a) + " has extent " + std::to_string(extent) + ", first place " + counted(first) +
             ", whole " + std::to_string(whole) + " (no extent is negative, and places are counted from " +
             counted(0) + ") mend them");
      }
      if (is_numbered(a)) {
        numbers(a, whole);
      } else if (first > whole - extent) {
        fail(axis(a) + " has elements " + counted(first) + " to " + counted(first + extent - 1) + " of " +
             std::to_string(whole) + " (places are counted from " + counted(0) +
             " in the whole domain) mend the first place, or the domain's extent");
      }
    }
  }
  /// A product of extents, with the two parts of complex numbers.
  void product(std::int64_t const* extents, bool complex, char const* what) const {
    __int128 n = complex ? 2 : 1;
    bool none = false;
    for (int a = 0; a < array_.rank; ++a) {
      none = none || extents[a] == 0;
      if (extents[a] > 0) n = std::min<__int128>(n * extents[a], most + __int128{1});
    }
    if (!none && n > most) {
      fail(std::string(what) + " has more than 2^62 elements (no memory holds them) mend the extents");
    }
  }
  void strides() const {
    __int128 bytes = 0;
    for (int a = 0; a < array_.rank; ++a) {
      __int128 const stride = array_.stride[a] < 0 ? -__int128{array_.stride[a]} : __int128{array_.stride[a]};
      if (array_.extent[a] > 1) bytes += stride * (array_.extent[a] - 1);
    }
    if (bytes > most) fail("strides lead out of memory (they are bytes) mend them");
  }
  [[noreturn]] void fail(std::string const& problem) const {
    throw UseError("field '" + name_ + "': " + problem);
  }

 private:
  static constexpr char const* zero_first = "set the whole ulpine_array to zero before its members";

  /// A place as the caller counts it.
  std::string counted(std::int64_t place) const {
    return std::to_string(place + ((array_.flags & ULPINE_FASTEST_FIRST) != 0 ? 1 : 0));
  }
  std::string axis(int a) const { return "axis " + std::to_string(a + 1); }
  bool is_numbered(int a) const { return array_.numbers != nullptr && array_.numbered == a; }
  void numbers(int a, std::int64_t whole) const {
    if (array_.first[a] != 0) {
      fail(axis(a) + " has numbers, and its first place is " + counted(array_.first[a]) +
           " (numbers say the places) make it " + counted(0));
    }
    auto const* const begin = array_.numbers;
    auto const* const end = begin + array_.extent[a];
    auto const* const wrong =
        std::find_if(begin, end, [whole](std::int64_t n) { return n < 0 || n >= whole; });
    if (wrong != end) {
      fail(axis(a) + " has number " + counted(*wrong) + " at element " + counted(wrong - begin) +
           " (numbers are from " + counted(0) + " to " + counted(whole - 1) +
           ", the domain's places) mend the numbers, or the domain's extent");
    }
  }

  std::string name_;
  ulpine_array const& array_;
};

}  // namespace

Part part_of(char const* name, std::size_t length, ulpine_array const& array) {
  Check const check(name, length, array);
  auto const element = check.element();
  check.rank();
  auto const all_zero = [&](std::int64_t const* values) {
    return std::all_of(values, values + array.rank, [](std::int64_t n) { return n == 0; });
  };
  auto const all_of_domain = all_zero(array.whole);
  check.axes(all_of_domain);
  check.product(array.extent, element.complex, "the array");
  check.product(all_of_domain ? array.extent : array.whole, element.complex, "the domain");
  auto const dense = all_zero(array.stride);
  check.strides();

  Part part;
  part.data = static_cast<std::byte*>(array.data);
  part.type = element.type;
  part.fastest_first = (array.flags & ULPINE_FASTEST_FIRST) != 0;
  part.complex = element.complex;
  part.replicated = (array.flags & ULPINE_REPLICATED) != 0;
  part.on_device = (array.flags & ULPINE_DEVICE) != 0;
  part.stream = array.stream;
  part.rank = array.rank;
  for (int a = 0; a < array.rank; ++a) {
    auto const from = part.fastest_first ? array.rank - 1 - a : a;
    auto& axis = part.axes[a];
    axis.extent = array.extent[from];
    axis.stride = array.stride[from];
    axis.first = array.first[from];
    axis.whole = all_of_domain ? array.extent[from] : array.whole[from];
    if (array.numbers != nullptr && array.numbered == from) axis.numbers = array.numbers;
  }
  if (element.complex) part.axes[part.rank++] = {2, element.size, 0, 2, nullptr};
  if (dense) {
    std::int64_t stride = element.size;
    for (int a = part.rank - 1; a >= 0; --a) {
      part.axes[a].stride = stride;
      stride *= std::max<std::int64_t>(part.axes[a].extent, 1);
    }
  }
  if (part.data == nullptr && part.count() > 0) {
    check.fail("data is null (there is no array) tell it once it is allocated");
  }
  return part;
}

Lines::Lines(Part const& part) {
  std::array<Loop, Part::most_axes> loops = {};  // fastest first
  int found = 0;
  std::int64_t index_step = 1, count = 1;
  first_.data = part.data;
  for (int a = part.rank - 1; a >= 0; --a) {
    auto const& axis = part.axes[a];
    count *= axis.extent;
    Loop const loop{axis.extent, axis.stride, index_step, axis.numbers};
    if (axis.numbers == nullptr) first_.first_index += axis.first * index_step;
    index_step *= axis.whole;
    if (axis.extent == 1) {
      if (axis.numbers != nullptr) first_.first_index += axis.numbers[0] * loop.index_step;
      continue;
    }
    if (found > 0) {
      auto& inner = loops[found - 1];
      if (inner.numbers == nullptr && loop.numbers == nullptr && loop.stride == inner.stride * inner.extent &&
          loop.index_step == inner.index_step * inner.extent) {
        inner.extent *= loop.extent;
        continue;
      }
    }
    loops[found++] = loop;
  }
  first_.count = count;
  if (count == 0 || found == 0) return;
  auto const& line = loops[0];
  first_.count = line.extent;
  first_.stride = line.stride;
  first_.index_step = line.index_step;
  first_.numbers = line.numbers;
  for (int a = found - 1; a > 0; --a) loop_[loops_++] = loops[a];
}

}  // namespace ulpine::probe
