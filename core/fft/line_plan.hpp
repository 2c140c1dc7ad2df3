// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/fft/line_program.hpp"

namespace ulpine::fft {

enum class Direction { forward, inverse };
/// Rows of planes are real on one side; columns are complex.
enum class LineKind { real, complex };

/// The order of passes for n points: 8 as often as that leaves no lone 2, then 4, 2, 7, 5, 3; empty where n
/// has another prime factor.
std::vector<std::int32_t> radices_of(std::int32_t n);

/// Steps and tables that lines of `points` values share. All numbers are computed with 113 bits and rounded
/// once to T, then to Format. T float, double or float128 with Exact; float with Tf32, Bfloat16 and Binary16;
/// EmulatedNumber, whose tables are doubles, with EmulatedMultiplicand; CountedState and CountedCompute, the
/// same, with Exact.
template <class T, class Format>
class LinePlan {
 public:
  LinePlan(LineKind kind, std::int32_t points);

  std::vector<Complex<T>> const& table() const { return table_; }
  /// `table`: table()'s numbers, in the memory of the executor that runs the program.
  LineProgram<T> program(Direction direction, Complex<T> const* table) const;

 private:
  struct Pass {
    std::int32_t radix, stride;
    std::int64_t table;
  };

  bool bluestein() const { return length_ != n_; }

  LineKind kind_;
  std::int32_t points_, n_, length_;  // of the line, its complex transform, and the passes
  std::vector<Pass> passes_;
  std::int64_t chirp_ = 0, filter_ = 0, split_ = 0;
  std::vector<Complex<T>> table_;
};

}  // namespace ulpine::fft
