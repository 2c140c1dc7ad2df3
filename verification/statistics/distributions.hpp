// SPDX-License-Identifier: Apache-2.0
// Distributions, special functions and a quadrature, as plain functions. They are those of Boost.Math, whose
// headers take longer to compile than the code that uses them: distributions.cpp alone includes these.
#pragma once

#include <functional>

/// A `share` is a probability between 0 and 1, `freedom` a positive number of degrees of freedom. Arguments
/// outside the domain throw what Boost.Math throws, std::domain_error or std::overflow_error.
namespace ulpine::verification::distributions {

/// z of the standard normal distribution with P(Z < z) = share.
double normal_quantile(double share);
/// z of the standard normal distribution with P(Z > z) = share.
double normal_quantile_above(double share);

/// P(T > t) of Student's distribution.
double student_t_above(double t, double freedom);
/// t of Student's distribution with P(T < t) = share.
double student_t_quantile(double share, double freedom);

/// c of the chi-squared distribution with P(C < c) = share.
double chi_squared_quantile(double share, double freedom);

/// P(N > count), N the successes among `trials` of probability `share` each.
double binomial_above(double count, double trials, double share);

/// ln |Gamma(x)|.
double log_gamma(double x);
/// The modified Bessel function of the second kind K_order(x).
double bessel_k(double order, double x);

/// The integral of `density` from `from` to `to`: Gauss-Kronrod's rule of 31 points on intervals that are
/// halved, at most 12 times, until their error is estimated below `accuracy` of the integral.
double integral(std::function<double(double)> const& density, double from, double to, double accuracy);

/// Those that integrals and searches call many times, computed in double, whose accuracy is ample there; the
/// functions above compute by way of long double. The last bits of the two differ.
namespace in_double {

/// P(T < t) of Student's distribution.
double student_t_below(double t, double freedom);
/// t of Student's distribution with P(T < t) = share.
double student_t_quantile(double share, double freedom);
/// P(C < c) of the chi-squared distribution.
double chi_squared_below(double c, double freedom);
/// The density of the chi-squared distribution at c.
double chi_squared_density(double c, double freedom);

}  // namespace in_double

}  // namespace ulpine::verification::distributions
