// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/distributions.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace ulpine::verification::distributions {

namespace math = boost::math;

double normal_quantile(double share) { return math::quantile(math::normal(), share); }
double normal_quantile_above(double share) { return math::quantile(math::complement(math::normal(), share)); }

double student_t_above(double t, double freedom) {
  return math::cdf(math::complement(math::students_t(freedom), t));
}
double student_t_quantile(double share, double freedom) {
  return math::quantile(math::students_t(freedom), share);
}

double chi_squared_quantile(double share, double freedom) {
  return math::quantile(math::chi_squared(freedom), share);
}

double binomial_above(double count, double trials, double share) {
  return math::cdf(math::complement(math::binomial(trials, share), count));
}

double log_gamma(double x) { return math::lgamma(x); }
double bessel_k(double order, double x) { return math::cyl_bessel_k(order, x); }

double integral(std::function<double(double)> const& density, double from, double to, double accuracy) {
  constexpr unsigned most_halvings = 12;
  return math::quadrature::gauss_kronrod<double, 31>::integrate(density, from, to, most_halvings, accuracy);
}

namespace in_double {
namespace {

using InDouble = math::policies::policy<math::policies::promote_double<false>>;
using StudentsT = math::students_t_distribution<double, InDouble>;
using ChiSquared = math::chi_squared_distribution<double, InDouble>;

}  // namespace

double student_t_below(double t, double freedom) { return math::cdf(StudentsT(freedom), t); }
double student_t_quantile(double share, double freedom) { return math::quantile(StudentsT(freedom), share); }
double chi_squared_below(double c, double freedom) { return math::cdf(ChiSquared(freedom), c); }
double chi_squared_density(double c, double freedom) { return math::pdf(ChiSquared(freedom), c); }

}  // namespace in_double

}  // namespace ulpine::verification::distributions
