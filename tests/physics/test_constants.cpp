// SPDX-License-Identifier: Apache-2.0
// Constants of air against the decimal numbers of the models that they are named after and against physics.
#include "core/physics/constants.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace physics_test {
namespace {

using namespace ulpine::physics;

/// A quotient of whole numbers that T holds is the number that T has nearest to the decimal one.
template <class T>
class Constants : public testing::Test {};
using Scalars = testing::Types<double, float>;
TYPED_TEST_SUITE(Constants, Scalars);

TYPED_TEST(Constants, AreTheDecimalNumbersOfTheirModels) {
  using T = TypeParam;
  EXPECT_EQ(arps::gravity<T>(), static_cast<T>(9.8L));
  EXPECT_EQ(arps::dry_gas_constant<T>(), T(287));
  EXPECT_EQ(arps::vapour_gas_constant<T>(), T(461));
  EXPECT_EQ(arps::heat_capacity<T>(), T(1004));
  EXPECT_EQ(arps::latent_heat<T>(), static_cast<T>(2.50078e6L));
  EXPECT_EQ(arps::standard_pressure<T>(), static_cast<T>(1e5L));
  EXPECT_EQ(atham_fluidity::gravity<T>(), static_cast<T>(9.81L));
  EXPECT_EQ(atham_fluidity::heat_capacity<T>(), static_cast<T>(1004.64L));
  EXPECT_EQ(atham_fluidity::heat_capacity_at_volume<T>(), static_cast<T>(717.6L));
  EXPECT_EQ(atham_fluidity::standard_pressure<T>(), static_cast<T>(1e5L));
  EXPECT_EQ(palm::gravity<T>(), static_cast<T>(9.81L));
  EXPECT_EQ(palm::earth_rotation<T>(), static_cast<T>(7.29212e-5L));
  EXPECT_EQ(palm::karman<T>(), static_cast<T>(0.4L));
  EXPECT_EQ(palm::virtual_temperature_factor<T>(), static_cast<T>(0.61L));
}

TYPED_TEST(Constants, ThatFollowFromOthersDo) {
  using T = TypeParam;
  EXPECT_EQ(arps::gas_constant_difference<T>(), arps::vapour_gas_constant<T>() - arps::dry_gas_constant<T>());
  EXPECT_EQ(arps::heat_capacity_at_volume<T>(), arps::heat_capacity<T>() - arps::dry_gas_constant<T>());
}

/// No model's is farther than 0.2 % from the physical one; g of a place differs from the standard one by up
/// to 0.3 %, and all models here are of a middle latitude.
TEST(ConstantsOfModels, AreNearThePhysicalOnes) {
  constexpr double gas = 8.314462618, dry_gas = gas / 28.9652e-3, vapour_gas = gas / 18.0153e-3;
  auto const off = [](double value, double physical) { return std::fabs(value / physical - 1); };
  for (auto const g : {arps::gravity<double>(), atham_fluidity::gravity<double>(), palm::gravity<double>()}) {
    EXPECT_LT(off(g, 9.80665), 2e-3);
  }
  EXPECT_LT(off(arps::dry_gas_constant<double>(), dry_gas), 2e-3);
  EXPECT_LT(off(arps::vapour_gas_constant<double>(), vapour_gas), 2e-3);
  EXPECT_LT(off(arps::heat_capacity<double>(), 3.5 * dry_gas), 2e-3);
  EXPECT_LT(off(arps::latent_heat<double>(), 2.5008e6), 2e-3);
  auto const c_p = atham_fluidity::heat_capacity<double>(),
             c_v = atham_fluidity::heat_capacity_at_volume<double>();
  EXPECT_LT(off(c_p, 3.5 * dry_gas), 2e-3);
  EXPECT_LT(off(c_p - c_v, dry_gas), 2e-3);
  EXPECT_LT(off(palm::earth_rotation<double>(), 7.292115e-5), 2e-3);
  // R_v / R_d - 1 to the two digits that the model has of it.
  EXPECT_LT(std::fabs(palm::virtual_temperature_factor<double>() - (vapour_gas / dry_gas - 1)), 5e-3);
}

}  // namespace
}  // namespace physics_test
