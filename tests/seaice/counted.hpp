// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>

// Before the kernels, which find by name what is declared by then.
namespace ulpine::test {
class Counted;
}
namespace ulpine::math {
test::Counted fma(test::Counted a, test::Counted b, test::Counted c);
test::Counted sqrt(test::Counted x);
test::Counted exp(test::Counted x);
}  // namespace ulpine::math

#include "precision/formats.hpp"
#include "seaice/operations.hpp"

namespace ulpine::test {

/// A double that counts what is done to it. Constants, and what follows from constants alone, cost nothing: a
/// compiler finds them.
class Counted {
 public:
  static inline seaice::Operations done;

  Counted() = default;
  template <class T>
  requires std::is_arithmetic_v<T> Counted(T constant) : value_{static_cast<double>(constant)} {}
  /// A number that is known only when the kernel runs.
  static Counted variable(double value) {
    Counted x(value);
    x.constant_ = false;
    return x;
  }
  double value() const { return value_; }

  friend Counted operator+(Counted a, Counted b) { return made(a.value_ + b.value_, done.additions, a, b); }
  friend Counted operator-(Counted a, Counted b) { return made(a.value_ - b.value_, done.additions, a, b); }
  friend Counted operator*(Counted a, Counted b) {
    return made(a.value_ * b.value_, done.multiplications, a, b);
  }
  friend Counted operator/(Counted a, Counted b) {
    return made(a.value_ / b.value_, b.constant_ ? done.multiplications : done.divisions, a, b);
  }
  /// A sign is part of the operation that takes the number.
  friend Counted operator-(Counted a) {
    a.value_ = -a.value_;
    return a;
  }
  friend Counted& operator+=(Counted& a, Counted b) { return a = a + b; }
  friend bool operator<(Counted a, Counted b) { return a.value_ < b.value_; }
  friend bool operator>(Counted a, Counted b) { return a.value_ > b.value_; }

  friend Counted fused(Counted a, Counted b, Counted c) {
    auto const kind = a.constant_ && b.constant_ ? c : a.constant_ ? b : a;
    return made(std::fma(a.value_, b.value_, c.value_), done.fused, kind, c);
  }
  friend Counted root(Counted x) { return made(std::sqrt(x.value_), done.roots, x, x); }
  friend Counted exponential(Counted x) { return made(std::exp(x.value_), done.exponentials, x, x); }

 private:
  static Counted made(double value, double& count, Counted a, Counted b) {
    Counted result(value);
    result.constant_ = a.constant_ && b.constant_;
    count += result.constant_ ? 0 : 1;
    return result;
  }
  double value_ = 0;
  bool constant_ = true;
};

/// All of a kernel in numbers that count.
struct Counting {
  using State = Counted;
  using Compute = Counted;
  using Accumulate = Counted;
  using Multiplicand = Exact;
  static constexpr char const* name = "counting";
};

}  // namespace ulpine::test

namespace ulpine::math {
inline test::Counted fma(test::Counted a, test::Counted b, test::Counted c) { return fused(a, b, c); }
inline test::Counted sqrt(test::Counted x) { return root(x); }
inline test::Counted exp(test::Counted x) { return exponential(x); }
}  // namespace ulpine::math
