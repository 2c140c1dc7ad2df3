// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/trace_file.hpp"
#include "probe/source/part.hpp"

namespace ulpine::probe {

/// Where a field was told: what it refers to must outlive the call it is given to.
struct Place {
  std::vector<io::LoopIndex> const& position;  ///< {"step", n}, then loops and {"call", n}
  std::string_view stage, field;
  std::int64_t step() const { return position.empty() ? 0 : position.front().index; }
};

/// Equal for equal places, else different.
std::string key_of(Place const& place);
/// 64 bits of a place for random numbers: the same on every rank and thread.
std::uint64_t random_key(Place const& place);
/// As people read it: "step 3, sub 2, stage dynamics, field t".
std::string text_of(Place const& place);

/// "float32", "float64", "int8", "int16", "int32", "int64", "logical"; of complex numbers "complex32" and
/// "complex64", by the bits of each of the two parts: the attribute `type` of a field.
std::string_view type_name(Part const& part);
/// Bytes of an element, of which a complex number has two.
int element_size(ulpine_type type);

/// The indices of a dense index in the whole domain as the model's language has them: "(i, j, k) = (5, 7, 1)"
/// of Fortran, counted from 1, "[1, 7, 5]" of C, counted from 0; " real part" or " imaginary part" after
/// those of a complex number. Of a scalar: empty.
std::string indices_text(Part const& part, std::int64_t dense_index);

/// Order-free sum over the dense indices of a part: sums of two ranks' parts are equal where they have the
/// same elements. Written as attribute `places` (16 hexadecimal digits, of all parts of the field's first
/// record) of a field of which a rank has but a part, so that a reference tells whether hashes of parts can
/// be compared.
std::uint64_t places_of(Part const& part);

/// Says a line to the user: without "ulpine: " and the line's end. May be called by several threads at once.
using Tell = std::function<void(std::string const& line)>;

/// While it lives, floating-point arithmetic of this thread is IEEE 754's: to nearest, with subnormals,
/// without traps. The model's own environment, flags among it, comes back afterwards.
class PlainArithmetic {
 public:
  PlainArithmetic() { set(plain); }
  ~PlainArithmetic() { set(saved_); }
  PlainArithmetic(PlainArithmetic const&) = delete;
  PlainArithmetic& operator=(PlainArithmetic const&) = delete;

 private:
#if defined(__x86_64__)
  using State = unsigned;  // MXCSR
  static constexpr State plain = 0x1f80;
  static State get() { return __builtin_ia32_stmxcsr(); }
  static void set(State state) { __builtin_ia32_ldmxcsr(state); }
#else
  struct State {
    unsigned long control, status;  // FPCR and FPSR
  };
  static constexpr State plain = {0, 0};
  static State get() { return {__builtin_aarch64_get_fpcr64(), __builtin_aarch64_get_fpsr64()}; }
  static void set(State state) {
    __builtin_aarch64_set_fpcr64(state.control);
    __builtin_aarch64_set_fpsr64(state.status);
  }
#endif
  State saved_ = get();
};

}  // namespace ulpine::probe
