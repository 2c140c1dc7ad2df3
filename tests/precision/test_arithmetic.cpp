// SPDX-License-Identifier: Apache-2.0
#include "precision/arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "precision/policy.hpp"
#include "precision/policy_roundoff.hpp"

namespace {

using namespace ulpine;

template <class T>
class Extremes : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Extremes, Scalars);

TYPED_TEST(Extremes, AreTheLargerAndTheSmaller) {
  using T = TypeParam;
  EXPECT_EQ(math::max(T(-2), T(1)), T(1));
  EXPECT_EQ(math::max(T(1), T(-2)), T(1));
  EXPECT_EQ(math::min(T(-2), T(1)), T(-2));
  EXPECT_EQ(math::min(T(1), T(-2)), T(-2));
}

// Kernels clamp with a literal as second operand: a NaN must not come out of that as if it were in range by
// one order of operands and as NaN by the other, differently from what the documentation says.
TYPED_TEST(Extremes, GiveTheSecondOperandWhereOneIsNan) {
  using T = TypeParam;
  auto const nan = static_cast<T>(std::nan(""));
  EXPECT_EQ(math::max(nan, T(1)), T(1));
  EXPECT_EQ(math::min(nan, T(1)), T(1));
  EXPECT_TRUE(std::isnan(math::max(T(1), nan)));
  EXPECT_TRUE(std::isnan(math::min(T(1), nan)));
}

TYPED_TEST(Extremes, GiveTheSecondOfTwoZeros) {
  using T = TypeParam;
  EXPECT_TRUE(std::signbit(math::max(T(0), -T(0))));
  EXPECT_FALSE(std::signbit(math::max(-T(0), T(0))));
  EXPECT_TRUE(std::signbit(math::min(T(0), -T(0))));
  EXPECT_FALSE(std::signbit(math::min(-T(0), T(0))));
}

TEST(Policies, AreNamedInTheOrderOfTheirList) {
  std::string names;
  for (auto const* name = policy_names(); *name != nullptr; ++name) names += std::string(*name) + " ";
  EXPECT_EQ(names, "fp64 fp32 mixed tf32 bf16 fp16 quad df32 mixed32 ");
}

TEST(Policies, AreFoundByTheirNames) {
  auto const bytes = [](std::string const& name) {
    return with_policy(DevicePolicies{}, name, []<class P>() {
      return std::string(P::name) + ":" + std::to_string(sizeof(typename P::State));
    });
  };
  EXPECT_EQ(bytes("fp64"), "fp64:8");
  EXPECT_EQ(bytes("fp32"), "fp32:4");
  EXPECT_EQ(bytes("fp16"), "fp16:8");
  EXPECT_EQ(bytes("quad"), "") << "not in this list";
  EXPECT_EQ(bytes("fp"), "");
}

TEST(Policies, CallTheAssembliesByTheirNames) {
  EXPECT_STREQ(name_of(Assembly::atomic), "atomic");
  EXPECT_STREQ(name_of(Assembly::deterministic), "deterministic");
}

TEST(Policies, SayTheRoundoffOfTheirCoarsestFormat) {
  // Bits of the significand, the leading one counted: IEEE 754 tables 3.2 and 3.5; bfloat16 and TF32 by their
  // vendors.
  for (auto const& [policy, digits] :
       {std::pair{"fp64", 53}, std::pair{"fp32", 24}, std::pair{"mixed", 24}, std::pair{"tf32", 11},
        std::pair{"fp16", 11}, std::pair{"bf16", 8}, std::pair{"quad", 113},
        // Of a format Y bits of fraction and the leading one.
        std::pair{"e8m23", 24}, std::pair{"e5m10-rz", 11}, std::pair{"e11m52-sr3", 53}}) {
    EXPECT_EQ(unit_roundoff(policy), std::ldexp(1.0, -digits)) << policy;
  }
  for (auto const* const* name = policy_names(); *name != nullptr; ++name) EXPECT_GT(unit_roundoff(*name), 0);
  EXPECT_EQ(unit_roundoff("fp128"), 0);
}

}  // namespace
