// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/distributions.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "support/random_values.hpp"

namespace ulpine::verification::distributions {
namespace {

namespace math = boost::math;
using test::RandomValues;
using InDouble = math::policies::policy<math::policies::promote_double<false>>;
using StudentsT = math::students_t_distribution<double, InDouble>;
using ChiSquared = math::chi_squared_distribution<double, InDouble>;

constexpr int draws = 2000;

/// Whole degrees of freedom, as samples have, or any, as Welch's test finds.
double freedom_of(RandomValues& random) {
  auto const freedom = std::exp(random.between(0, std::log(1e5)));
  return random.uniform() < 0.5 ? std::floor(freedom) : freedom;
}

/// A share anywhere, or one close to an end.
double share_of(RandomValues& random) {
  auto const share = random.uniform() < 0.5 ? random.uniform() : std::exp(random.between(-40, -1));
  return share > 0 ? share : 0.5;
}

#define EXPECT_SAME_BITS(a, b) EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b))

TEST(Distributions, AreThoseOfBoostBitForBit) {
  RandomValues random(1);
  for (int i = 0; i < draws; ++i) {
    auto const freedom = freedom_of(random), share = share_of(random), t = random.ugly(-20, 6);
    SCOPED_TRACE(testing::Message() << "freedom " << freedom << ", share " << share << ", t " << t);
    EXPECT_SAME_BITS(normal_quantile(share), math::quantile(math::normal(), share));
    EXPECT_SAME_BITS(normal_quantile_above(share), math::quantile(math::complement(math::normal(), share)));
    EXPECT_SAME_BITS(student_t_above(t, freedom), math::cdf(math::complement(math::students_t(freedom), t)));
    EXPECT_SAME_BITS(student_t_quantile(share, freedom), math::quantile(math::students_t(freedom), share));
    EXPECT_SAME_BITS(chi_squared_quantile(share, freedom), math::quantile(math::chi_squared(freedom), share));
    auto const trials = 1 + std::floor(random.between(0, 300));
    auto const count = std::floor(random.between(0, trials));
    EXPECT_SAME_BITS(binomial_above(count, trials, share),
                     math::cdf(math::complement(math::binomial(trials, share), count)));
    auto const x = std::abs(t), order = random.between(0, 3);
    EXPECT_SAME_BITS(log_gamma(x), math::lgamma(x));
    EXPECT_SAME_BITS(bessel_k(order, x), math::cyl_bessel_k(order, x));
  }
}

TEST(Distributions, AreThoseOfBoostInDoubleBitForBit) {
  RandomValues random(2);
  auto otherwise = 0;
  for (int i = 0; i < draws; ++i) {
    auto const freedom = freedom_of(random), share = share_of(random), t = random.ugly(-20, 6);
    auto const c = freedom * std::exp(random.between(-2, 2));
    SCOPED_TRACE(testing::Message() << "freedom " << freedom << ", share " << share << ", t " << t);
    EXPECT_SAME_BITS(in_double::student_t_below(t, freedom), math::cdf(StudentsT(freedom), t));
    EXPECT_SAME_BITS(in_double::student_t_quantile(share, freedom),
                     math::quantile(StudentsT(freedom), share));
    EXPECT_SAME_BITS(in_double::chi_squared_below(c, freedom), math::cdf(ChiSquared(freedom), c));
    EXPECT_SAME_BITS(in_double::chi_squared_density(c, freedom), math::pdf(ChiSquared(freedom), c));
    otherwise += in_double::student_t_quantile(share, freedom) != student_t_quantile(share, freedom) ? 1 : 0;
  }
  EXPECT_GT(otherwise, draws / 10);  // the last bits tell which of the two a result was made with
}

TEST(Distributions, IntegrateAsBoostBitForBit) {
  RandomValues random(3);
  for (int i = 0; i < 100; ++i) {
    auto const width = std::exp(random.between(-6, 1)), centre = random.between(0, 1);
    auto const density = [&](double x) { return 1 / (width * width + (x - centre) * (x - centre)); };
    EXPECT_SAME_BITS(integral(density, 0, 1, 1e-5),
                     (math::quadrature::gauss_kronrod<double, 31>::integrate(density, 0., 1., 12, 1e-5)));
    auto const exact = (std::atan((1 - centre) / width) + std::atan(centre / width)) / width;
    EXPECT_NEAR(integral(density, 0, 1, 1e-12), exact, 1e-10 * exact);
  }
}

// Tables of the textbooks, to all the digits that they give.
TEST(Distributions, AgreeWithTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 5e-7);
  EXPECT_NEAR(normal_quantile_above(0.05), 1.644854, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 10), 2.228, 5e-4);
  EXPECT_NEAR(in_double::student_t_quantile(0.95, 7), 1.895, 5e-4);
  // The density is below 0.04 there, and 2.228 is off by 5e-4 at most.
  EXPECT_NEAR(student_t_above(2.228, 10), 0.025, 2e-5);
  EXPECT_NEAR(in_double::student_t_below(1.895, 7), 0.95, 5e-5);
  EXPECT_NEAR(chi_squared_quantile(0.95, 10), 18.307, 5e-4);
  EXPECT_NEAR(in_double::chi_squared_below(18.307, 10), 0.95, 5e-6);
  EXPECT_NEAR(in_double::chi_squared_density(2, 2), std::exp(-1) / 2, 1e-15);
  EXPECT_NEAR(binomial_above(1, 3, 0.25), 10.0 / 64, 1e-15);  // 3 p^2 (1 - p) + p^3
  EXPECT_NEAR(log_gamma(6), std::log(120.0), 1e-14);
  EXPECT_NEAR(bessel_k(0.5, 2), std::sqrt(std::acos(-1.0) / 4) * std::exp(-2), 1e-15);
}

TEST(Distributions, RefuseWhatIsOutsideTheirDomain) {
  EXPECT_THROW(student_t_quantile(0.5, -1), std::domain_error);
  EXPECT_THROW(in_double::student_t_below(0, 0), std::domain_error);
  EXPECT_THROW(chi_squared_quantile(-0.5, 3), std::domain_error);
  EXPECT_THROW(normal_quantile(2), std::domain_error);
}

}  // namespace
}  // namespace ulpine::verification::distributions
