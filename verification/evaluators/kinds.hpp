// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "verification/evaluators/evaluator.hpp"

namespace ulpine::verification {

std::vector<EvaluatorKind> kinds_of_scalars();    ///< extremum, integral, mean, quantile, power
std::vector<EvaluatorKind> kinds_of_curves();     ///< spectrum, slope, profile
std::vector<EvaluatorKind> kinds_of_features();   ///< lkf
std::vector<EvaluatorKind> kinds_of_distances();  ///< distance

/// CF units raised to a power: "m s-1" to the 2nd is "m2 s-2"; in brackets where they are no product of
/// powers.
std::string raised(std::string const& units, int exponent);

/// Keys `transform` ("none", or "log10", which needs `floor`: smaller values count as that).
struct Transform {
  explicit Transform(EvaluationKeys const& keys);
  bool log10 = false;
  double floor = 0;
  double operator()(double value) const;
  std::string units(std::string const& of_field) const { return log10 ? "1" : of_field; }
  std::string name(std::string const& of_field) const { return log10 ? "log10(" + of_field + ")" : of_field; }
};

/// Values of a field after `transform`, NaN outside the domain.
std::vector<double> values_inside(Frame const& frame, FieldGrid const& grid, Transform const& transform);

}  // namespace ulpine::verification
