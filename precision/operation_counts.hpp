// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ulpine {

/// What decides on the type of a number: the policy, by its State, Compute and Accumulate, or the kernel,
/// which takes float or double whatever the policy.
enum class Role : std::uint8_t { state, compute, accumulate, always_float, always_double };
inline constexpr std::size_t role_count = 5;

/// Kinds of operations on numbers.
enum class Kind : std::uint8_t {
  add,       ///< or subtract
  multiply,  ///< or divide by a power of two that the compiler knows
  fma,
  divide,
  sqrt,
  compare,          ///< also within a minimum or maximum
  sign,             ///< a negation or a magnitude, which operands of other operations take along on a GPU
  sum,              ///< a value that an exact sum takes in
  dot,              ///< a product of two numbers that an exact sum takes in
  from_integer,     ///< conversions from and to integers
  from_real,        ///< conversions from and to float or double outside of all roles
  from_state,       ///< and those from a number of another role: none where the policy has one type for both
  from_compute,     //
  from_accumulate,  //
  from_always_float,
  from_always_double,
  exp,
  exp2,
  log,
  log2,
  pow,
  sin,
  cos,
  tan,
  atan2,
  sinh,
  cosh,
  tanh,
  cbrt,
  hypot
};
inline constexpr std::size_t kind_count = 30;

/// Names of the roles and kinds as they are written above, in their order.
inline constexpr std::array<char const*, role_count> role_names{"state", "compute", "accumulate",
                                                                "always_float", "always_double"};
inline constexpr std::array<char const*, kind_count> kind_names{"add",
                                                                "multiply",
                                                                "fma",
                                                                "divide",
                                                                "sqrt",
                                                                "compare",
                                                                "sign",
                                                                "sum",
                                                                "dot",
                                                                "from_integer",
                                                                "from_real",
                                                                "from_state",
                                                                "from_compute",
                                                                "from_accumulate",
                                                                "from_always_float",
                                                                "from_always_double",
                                                                "exp",
                                                                "exp2",
                                                                "log",
                                                                "log2",
                                                                "pow",
                                                                "sin",
                                                                "cos",
                                                                "tan",
                                                                "atan2",
                                                                "sinh",
                                                                "cosh",
                                                                "tanh",
                                                                "cbrt",
                                                                "hypot"};

/// Numbers of operations by role and kind.
template <class Number>
struct ByRoleAndKind {
  std::array<std::array<Number, kind_count>, role_count> numbers{};

  constexpr Number& at(Role role, Kind kind) {
    return numbers[static_cast<std::size_t>(role)][static_cast<std::size_t>(kind)];
  }
  constexpr Number at(Role role, Kind kind) const {
    return numbers[static_cast<std::size_t>(role)][static_cast<std::size_t>(kind)];
  }
  /// The sum over all roles.
  constexpr Number of(Kind kind) const {
    Number sum{};
    for (auto const& role : numbers) sum += role[static_cast<std::size_t>(kind)];
    return sum;
  }
  constexpr void add(ByRoleAndKind const& other) {
    for (std::size_t r = 0; r < role_count; ++r) {
      for (std::size_t k = 0; k < kind_count; ++k) numbers[r][k] += other.numbers[r][k];
    }
  }
  friend constexpr bool operator==(ByRoleAndKind const&, ByRoleAndKind const&) = default;
};
using OperationCounts = ByRoleAndKind<std::int64_t>;

/// What numbers that count (counted_number.hpp) have done on the calling thread since somebody took it.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local OperationCounts operations_done{};

}  // namespace ulpine
