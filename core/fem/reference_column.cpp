// SPDX-License-Identifier: Apache-2.0
#include "core/fem/reference_column.hpp"

#include <cmath>
#include <limits>

namespace ulpine::fem {

ReferenceColumn::ReferenceColumn(Air<double> const& air, double surface_theta, double buoyancy_frequency)
    : air_{air}, surface_theta_{surface_theta}, squared_frequency_{buoyancy_frequency * buoyancy_frequency} {}

double ReferenceColumn::theta(double z) const {
  return surface_theta_ * std::exp(squared_frequency_ * z / air_.gravity);
}

double ReferenceColumn::exner(double z) const {
  auto const g = air_.gravity;
  // (1 - exp(-N^2 z / g)) / N^2 tends to z / g where N does to 0, and is 0 / 0 there.
  auto const height =
      squared_frequency_ == 0 ? z / g : -std::expm1(-squared_frequency_ * z / g) / squared_frequency_;
  return 1 - g * g / (air_.cp * surface_theta_) * height;
}

double ReferenceColumn::pressure(double z) const {
  return air_.standard_pressure * std::pow(exner(z), air_.cp / air_.gas_constant());
}

double ReferenceColumn::density(double z) const {
  return air_.standard_pressure * std::pow(exner(z), air_.cv / air_.gas_constant()) /
         (air_.gas_constant() * theta(z));
}

double ReferenceColumn::top() const {
  auto const g = air_.gravity;
  auto const height = air_.cp * surface_theta_ / g;  // of a column of constant theta, m
  if (squared_frequency_ == 0) return height;
  auto const left = 1 - height * squared_frequency_ / g;
  return left > 0 ? -g / squared_frequency_ * std::log(left) : std::numeric_limits<double>::infinity();
}

}  // namespace ulpine::fem
