// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/emulating_host.hpp"
#include "core/exec/reduce.hpp"
#include "precision/emulated_number.hpp"

/// reduce.hpp for emulated formats.
namespace ulpine {

/// Reductions of EmulatedNumber: exact, then rounded once as the executor's settings say.
template <>
class Reducer<EmulatingHost> {
 public:
  explicit Reducer(EmulatingHost host) : host_{host}, exact_{host} {}

  template <Reducible X>
  void sum_to(X const& x, Scalar<EmulatedNumber, EmulatingHost>& result) const {
    round(exact_.sum(as_double(values_of(x))).to_odd_double(), result);
  }
  template <Reducible X, Reducible Y>
  void dot_to(X const& x, Y const& y, Scalar<EmulatedNumber, EmulatingHost>& result) const {
    round(exact_.dot(as_double(values_of(x)), as_double(values_of(y))).to_odd_double(), result);
  }
  template <Reducible X>
  void max_to(X const& x, Scalar<EmulatedNumber, EmulatingHost>& result) const {
    round(exact_.max(as_double(values_of(x))), result);
  }
  template <Reducible X>
  void min_to(X const& x, Scalar<EmulatedNumber, EmulatingHost>& result) const {
    round(exact_.min(as_double(values_of(x))), result);
  }

 private:
  /// An emulated number is stored as the double that it is.
  static Values<double> as_double(Values<EmulatedNumber> values) {
    static_assert(sizeof(EmulatedNumber) == sizeof(double));
    return {reinterpret_cast<double const*>(values.data), values.points};
  }
  void round(double x, Scalar<EmulatedNumber, EmulatingHost>& result) const {
    detail::emulate(host_, 0, [&] { result.view()[0] = x; });
    ++host_.settings->place;
  }

  EmulatingHost host_;
  Reducer<Host> exact_;
};

}  // namespace ulpine
