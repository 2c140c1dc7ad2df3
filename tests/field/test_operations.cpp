// SPDX-License-Identifier: Apache-2.0
// Reading, writing, noise and sums of fields against plain loops over their points.
#include "core/field/operations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/exec/random.hpp"
#include "field/layouts.hpp"
#include "precision/quad.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::test;

constexpr float junk = -777;  // exact in every type but uint8

/// Numbers that fit both types: any of their range, whole ones from 0 to 255 where one is uint8.
template <class From, class To>
std::vector<From> values_for(RandomValues& random, std::size_t count) {
  std::vector<From> values(count);
  for (auto& value : values) {
    if constexpr (sizeof(From) == 1 || sizeof(To) == 1) {
      value = static_cast<From>(static_cast<double>(random.below(256)));
    } else {
      value = static_cast<From>(random.ugly(-40, 40));
      if constexpr (sizeof(From) > 8) value += static_cast<From>(random.ugly(-100, -60));
    }
  }
  return values;
}

template <class T>
T junk_of() {
  return sizeof(T) == 1 ? static_cast<T>(250) : static_cast<T>(junk);
}

/// Equal in value and in sign.
template <class T>
bool same(T const& a, T const& b) {
  if constexpr (sizeof(T) == 1) {
    return a == b;
  } else {
    return a == b && (a != T(0) || T(1) / a == T(1) / b);
  }
}

/// Calls visit(From{}, To{}) for all 16 pairs of types.
template <class Visit>
void for_each_pair(Visit const& visit) {
  auto const with = [&]<class From>(From from) {
    visit(from, std::uint8_t{});
    visit(from, float{});
    visit(from, double{});
    visit(from, float128{});
  };
  with(std::uint8_t{});
  with(float{});
  with(double{});
  with(float128{});
}

/// Random layouts of up to four axes, each in several shapes of memory.
template <class Check>
void for_layouts(int trials, Check const& check) {
  RandomValues random(11);
  for (int trial = 0; trial < trials; ++trial) {
    auto const plan = random_plan(random, 1 + random.below(4), trial % 3 == 0);
    check(LaidOut(plan.elsewhere(random, trial % 2 == 0)), random);
    ASSERT_FALSE(testing::Test::HasFailure()) << "trial " << trial;
  }
}

TEST(ReadValues, ConvertsEveryTypeToEveryTypeAsAStaticCastDoes) {
  for_layouts(30, [](LaidOut const& place, RandomValues& random) {
    for_each_pair([&]<class From, class To>(From, To) {
      Stored<From> field(place, values_for<From, To>(random, place.memory.size()), junk_of<From>());
      auto const values = field.values();
      for (int const threads : {1, random.below(20) == 0 ? 3 : 1}) {
        field.threads = threads;
        // All, and a piece from the middle.
        for (std::size_t const first : {std::size_t{0}, values.size() / 3}) {
          auto const count = first == 0 ? values.size() : values.size() / 2;
          std::vector<To> got(count + 1, junk_of<To>());
          read_values(field.raw(), static_cast<std::int64_t>(first), static_cast<std::int64_t>(count),
                      value_type_of<To>, got.data());
          for (std::size_t n = 0; n < count; ++n) {
            ASSERT_TRUE(same(got[n], static_cast<To>(values[first + n])))
                << sizeof(From) << " to " << sizeof(To) << " bytes, point " << first + n;
          }
          ASSERT_EQ(got[count], junk_of<To>()) << "written beyond what was asked for";
        }
      }
    });
  });
}

TEST(WriteValues, ConvertsEveryTypeToEveryTypeAndLeavesHaloAndPaddingAlone) {
  for_layouts(30, [](LaidOut const& place, RandomValues& random) {
    for_each_pair([&]<class From, class To>(From, To) {
      auto const values = values_for<From, To>(random, place.memory.size());
      Stored<To> field(place, std::vector<To>(values.size(), To(1)), junk_of<To>());
      auto const first = values.size() / 3, count = values.size() / 2;
      auto const part = values_for<From, To>(random, count);
      field.threads = random.below(20) == 0 ? 2 : 1;
      write_values(field.raw(), 0, static_cast<std::int64_t>(values.size()), value_type_of<From>,
                   values.data());
      write_values(field.raw(), static_cast<std::int64_t>(first), static_cast<std::int64_t>(count),
                   value_type_of<From>, part.data());
      auto const got = field.values();
      for (std::size_t n = 0; n < got.size(); ++n) {
        auto const in_part = n >= first && n < first + count;
        ASSERT_TRUE(same(got[n], static_cast<To>(in_part ? part[n - first] : values[n])))
            << sizeof(From) << " to " << sizeof(To) << " bytes, point " << n;
      }
      ASSERT_TRUE(field.junk_is_untouched(junk_of<To>()));
    });
  });
}

TEST(ReadValues, OfOwnTypeGivesBackEveryBit) {
  std::vector<double> const odd = {0.0, -0.0, std::numeric_limits<double>::denorm_min(),
                                   -std::numeric_limits<double>::max(),
                                   std::numeric_limits<double>::infinity()};
  Stored<double> field(LaidOut(MemoryPlan::dense({5})), odd, 0);
  std::vector<double> got(5);
  read_values(field.raw(), 0, 5, ValueType::float64, got.data());
  for (std::size_t n = 0; n < odd.size(); ++n) EXPECT_TRUE(same(got[n], odd[n])) << n;
}

TEST(CopyValues, ConvertsBetweenLayoutsPointByPoint) {
  RandomValues random(5);
  for (int trial = 0; trial < 30; ++trial) {
    auto const plan = random_plan(random, 1 + random.below(4), false);
    LaidOut const from(plan.elsewhere(random, true)), to(plan.elsewhere(random, false));
    for_each_pair([&]<class From, class To>(From, To) {
      Stored<From> source(from, values_for<From, To>(random, from.memory.size()), junk_of<From>());
      Stored<To> target(to, std::vector<To>(to.memory.size(), To(1)), junk_of<To>());
      copy_values(source.raw(), target.raw());
      auto const wanted = source.values();
      auto const got = target.values();
      for (std::size_t n = 0; n < got.size(); ++n) ASSERT_TRUE(same(got[n], static_cast<To>(wanted[n]))) << n;
      ASSERT_TRUE(target.junk_is_untouched(junk_of<To>()));
    });
  }
}

/// A mask along the last `rank` axes, as it is seen along all: stride 0 along the others.
struct Mask {
  Stored<std::uint8_t> stored;
  RawField along;           ///< of a field's rank
  std::vector<bool> holds;  ///< of each of the field's owned points, row-major

  Mask(LaidOut const& field, LaidOut const& place, std::vector<std::uint8_t> const& values,
       std::vector<bool> const& has_axis)
      : stored(place, values, 1), along(stored.raw()) {
    std::vector<LayoutAxis> axes;
    int own = 0;
    for (int a = 0; a < field.layout.rank(); ++a) {
      axes.push_back(field.layout.axis(a));
      axes.back().stride = has_axis[static_cast<std::size_t>(a)] ? place.layout.axis(own++).stride : 0;
    }
    along.layout = Layout(axes, place.layout.offset(), place.layout.allocated());
    for (std::int64_t n = 0; n < field.layout.count(); ++n) {
      auto const point = field.layout.point(n);
      std::int64_t number = 0;
      for (int a = 0; a < field.layout.rank(); ++a) {
        if (!has_axis[static_cast<std::size_t>(a)]) continue;
        number = number * field.layout.axis(a).extent + point.at[Layout::most_axes - field.layout.rank() + a];
      }
      holds.push_back(values[static_cast<std::size_t>(number)] != 0);
    }
  }
  Mask(Mask const&) = delete;
};

/// Calls check(plan, place, mask) with masks that lack some of the field's axes.
template <class Check>
void for_masks(Check const& check) {
  RandomValues random(23);
  for (int trial = 0; trial < 60; ++trial) {
    auto const plan = random_plan(random, 1 + random.below(4), false);
    std::vector<bool> has_axis(plan.domain.size());
    MemoryPlan own;
    for (std::size_t a = 0; a < has_axis.size(); ++a) {
      has_axis[a] = random.uniform() < 0.7;
      if (has_axis[a]) own.domain.push_back(plan.domain[a]);
    }
    if (own.domain.empty()) continue;
    auto const mask_plan = MemoryPlan::dense(own.domain);
    LaidOut const place(plan.elsewhere(random, trial % 2 == 0)),
        mask_place(mask_plan.elsewhere(random, false));
    std::vector<std::uint8_t> values(mask_place.memory.size());
    for (auto& value : values) value = static_cast<std::uint8_t>(random.below(3));
    Mask const mask(place, mask_place, values, has_axis);
    check(place, mask, random);
    ASSERT_FALSE(testing::Test::HasFailure()) << "trial " << trial;
  }
}

TEST(ReadValues, GivesMissingValuesOutsideTheDomain) {
  for_masks([](LaidOut const& place, Mask const& mask, RandomValues& random) {
    for_each_pair([&]<class From, class To>(From, To) {
      Stored<From> field(place, values_for<From, To>(random, place.memory.size()), junk_of<From>());
      std::vector<To> got(place.memory.size());
      read_values(field.raw(), 0, place.layout.count(), value_type_of<To>, got.data(), &mask.along);
      auto const values = field.values();
      for (std::size_t n = 0; n < got.size(); ++n) {
        auto const missing =
            sizeof(To) == 1 ? To(0) : static_cast<To>(9.969209968386869e36);  // netCDF's fill value
        ASSERT_TRUE(same(got[n], mask.holds[n] ? static_cast<To>(values[n]) : missing)) << n;
      }
    });
  });
}

template <class T>
class AddNoise : public testing::Test {};
using Scalars = testing::Types<float, double, float128>;
TYPED_TEST_SUITE(AddNoise, Scalars);

TYPED_TEST(AddNoise, IsRoundedOnceAndClampedAtEveryPointOfTheDomainByItsDenseIndex) {
  using Wide = std::conditional_t<(sizeof(TypeParam) > 8), TypeParam, double>;
  for_masks([](LaidOut const& place, Mask const& mask, RandomValues& random) {
    auto const start = values_for<TypeParam, TypeParam>(random, place.memory.size());
    Noise const noise{.seed = 0x123456789abc,
                      .member = 7,
                      .key = name_key("h"),
                      .amplitude = 0.3,
                      .least = -2,
                      .most = 0.5};
    for (auto const* domain : {static_cast<RawField const*>(nullptr), &mask.along}) {
      Stored<TypeParam> field(place, start, junk_of<TypeParam>());
      field.threads = random.below(20) == 0 ? 2 : 1;
      add_noise(field.raw(), noise, domain);
      auto const got = field.values();
      for (std::size_t n = 0; n < got.size(); ++n) {
        auto const drawn = 0.3 * uniform_symmetric(noise.seed, 7, name_key("h"), place.dense[n]);
        auto const moved =
            std::min(std::max(static_cast<Wide>(start[n]) + static_cast<Wide>(drawn), Wide(-2)), Wide(0.5));
        auto const wanted = domain == nullptr || mask.holds[n] ? static_cast<TypeParam>(moved) : start[n];
        ASSERT_TRUE(same(got[n], wanted)) << n;
      }
      ASSERT_TRUE(field.junk_is_untouched(junk_of<TypeParam>()));
    }
  });
}

TYPED_TEST(AddNoise, IsTheSameForAnyMemoryPartsAndThreads) {
  RandomValues random(31);
  auto const whole = MemoryPlan::dense({5, 7, 6});
  std::vector<TypeParam> const start(5 * 7 * 6, TypeParam(1));
  Noise const noise{.seed = 3, .member = 1, .key = 9, .amplitude = 0.125};
  Stored<TypeParam> dense(LaidOut(whole), start, TypeParam(0));
  add_noise(dense.raw(), noise);
  auto const wanted = dense.values();
  EXPECT_NE(wanted, start);
  for (int trial = 0; trial < 10; ++trial) {
    Stored<TypeParam> other(LaidOut(whole.elsewhere(random, true)), start, TypeParam(0));
    other.threads = 1 + trial % 4;
    add_noise(other.raw(), noise);
    EXPECT_EQ(other.values(), wanted);
    // A part of the domain draws what the whole draws there.
    auto part = whole;
    part.begin = {1, 2, 3}, part.size = {3, 4, 2};
    Stored<TypeParam> owned(LaidOut(part.elsewhere(random, false)), std::vector<TypeParam>(24, TypeParam(1)),
                            TypeParam(0));
    add_noise(owned.raw(), noise);
    auto const got = owned.values();
    for (std::size_t n = 0; n < got.size(); ++n) {
      EXPECT_EQ(got[n], wanted[static_cast<std::size_t>(owned.place.dense[n])]);
    }
  }
}

// The sum of 113 bits is exact here: products of 40-bit numbers, 2^-8 to 2^8 each, 2^14 of them.
TEST(WeightedSum, IsThatOf113BitsRoundedOnce) {
  RandomValues random(41);
  auto const short_number = [&] {
    return std::ldexp(std::floor(random.between(-0x1p40, 0x1p40)),
                      -40 + static_cast<int>(random.below(9)) - 4);
  };
  auto const plan = MemoryPlan::dense({32, 16, 24});
  auto const count = std::size_t{32 * 16 * 24};
  std::vector<double> values(count), weights(count);
  for (std::size_t n = 0; n < count; ++n) {
    values[n] = n % 2 == 0 ? short_number() : -values[n - 1];  // sums cancel
    weights[n] = n % 2 == 0 ? short_number() : weights[n - 1];
  }
  values[count / 2 + 1] += 0x1p-30;
  LaidOut const place(plan.elsewhere(random, true));
  std::vector<std::uint8_t> holds(16 * 24);
  for (auto& value : holds) value = static_cast<std::uint8_t>(random.below(2));
  Mask const mask(place, LaidOut(MemoryPlan::dense({16, 24}).elsewhere(random, false)), holds,
                  {false, true, true});
  for (auto const* domain : {static_cast<RawField const*>(nullptr), &mask.along}) {
    float128 exact = 0;
    double naive = 0;
    for (std::size_t n = 0; n < count; ++n) {
      if (domain != nullptr && !mask.holds[n]) continue;
      exact += float128(values[n]) * weights[n];
      naive += values[n] * weights[n];
    }
    ASSERT_NE(naive, static_cast<double>(exact)) << "a sum that shows nothing";
    Stored<double> field(place, values, std::nan("")),
        area(LaidOut(plan.elsewhere(random, false)), weights, std::nan(""));
    for (int const threads : {1, 3}) {
      field.threads = threads;
      EXPECT_EQ(weighted_sum(field.raw(), area.raw(), domain).to_double(), static_cast<double>(exact));
    }
  }
}

TEST(WeightedSum, LeavesOutWhatIsNotFiniteOutsideTheDomain) {
  auto const plan = MemoryPlan::dense({2, 2});
  Stored<double> field(LaidOut(plan), {1, std::nan(""), 2, INFINITY}, 0);
  Stored<double> area(LaidOut(plan), {10, 10, 100, NAN}, 0);
  Mask const mask(field.place, LaidOut(plan), {1, 0, 1, 0}, {true, true});
  EXPECT_EQ(weighted_sum(field.raw(), area.raw(), &mask.along).to_double(), 210);
  EXPECT_TRUE(std::isnan(weighted_sum(field.raw(), area.raw()).to_double()));
}

// Sums are made in pieces of 2^22 values.
TEST(WeightedSum, OfManyPiecesTakesEachWithItsOwnWeights) {
  std::int64_t const count = (std::int64_t{1} << 22) + 5;
  std::vector<float> values(static_cast<std::size_t>(count), 1), weights(values);
  values.back() = 3;
  weights.back() = 7;
  EXPECT_EQ(weighted_sum(raw_values(values.data(), count, ValueType::float32),
                         raw_values(weights.data(), count, ValueType::float32))
                .to_double(),
            static_cast<double>(count - 1 + 21));
}

template <class T>
class FirstInvalid : public testing::Test {};
TYPED_TEST_SUITE(FirstInvalid, Scalars);

TYPED_TEST(FirstInvalid, NamesTheFirstByItsDenseIndexAndDoesNotLookIntoTheHalo) {
  using Limits = std::numeric_limits<TypeParam>;
  RandomValues random(51);
  for (int trial = 0; trial < 60; ++trial) {
    auto const plan = random_plan(random, 1 + random.below(4), trial % 2 == 0);
    LaidOut const place(plan.elsewhere(random, trial % 3 == 0));
    std::vector<TypeParam> values(place.memory.size(), TypeParam(std::numeric_limits<float>::max()));
    auto const nan = Limits::quiet_NaN();
    Stored<TypeParam> good(place, values, nan);
    good.threads = 3;
    EXPECT_FALSE(first_invalid(good.raw()));
    for (auto const& bad : {nan, Limits::infinity(), -Limits::infinity()}) {
      auto const first = random.below(values.size()), later = first + random.below(values.size() - first);
      auto broken = values;
      broken[first] = broken[later] = bad;
      Stored<TypeParam> field(place, broken, TypeParam(0));
      auto const found = first_invalid(field.raw());
      ASSERT_TRUE(found);
      EXPECT_EQ(found->dense_index, place.dense[first]);
      EXPECT_EQ(std::isnan(found->value), bad != bad);
    }
  }
}

/// The value of T next to `x` on the way to `towards`.
template <class T>
T next(T x, double towards) {
  if constexpr (sizeof(T) > 8) {
    return x + (towards > static_cast<double>(x) ? T(1) : T(-1)) * ldexp(T(1), -100);
  } else {
    return std::nextafter(x, static_cast<T>(towards));
  }
}

TYPED_TEST(FirstInvalid, IsTheFirstBeyondAnEndOfTheRangeWhichBelongsToIt) {
  RandomValues random(52);
  auto const infinity = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < 80; ++trial) {
    auto const plan = random_plan(random, 1 + random.below(4), trial % 2 == 0);
    LaidOut const place(plan.elsewhere(random, trial % 3 == 0));
    ValueRange const range{std::floor(random.between(-900, 0)), std::floor(random.between(1, 900))};
    TypeParam const least(range.least), most(range.most);
    std::vector<TypeParam> values(place.memory.size());
    for (auto& value : values) {
      auto const kind = random.below(3);
      value = kind == 0 ? least : kind == 1 ? most : TypeParam(random.between(range.least, range.most));
    }
    Stored<TypeParam> good(place, values, most + TypeParam(1));  // in the halo
    good.threads = 1 + trial % 3;
    EXPECT_FALSE(first_invalid(good.raw(), range));
    for (auto const bad : {next(least, -infinity), next(most, infinity), TypeParam(-1e30), TypeParam(1e30)}) {
      auto const first = random.below(values.size()), later = first + random.below(values.size() - first);
      auto broken = values;
      broken[first] = broken[later] = bad;
      Stored<TypeParam> field(place, broken, TypeParam(0));
      field.threads = 1 + trial % 3;
      auto const found = first_invalid(field.raw(), range);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->dense_index, place.dense[first]);
      EXPECT_EQ(found->value, static_cast<double>(bad));
      EXPECT_FALSE(first_invalid(field.raw())) << "it is finite";
      EXPECT_EQ(first_invalid(field.raw(), {-infinity, range.most}).has_value(), bad > most);
      EXPECT_EQ(first_invalid(field.raw(), {range.least, infinity}).has_value(), bad < least);
    }
  }
}

TYPED_TEST(FirstInvalid, OutsideTheDomainIsWhateverIsNotFinite) {
  for_masks([](LaidOut const& place, Mask const& mask, RandomValues& random) {
    std::vector<TypeParam> values(place.memory.size(), TypeParam(1));
    for (std::size_t n = 0; n < values.size(); ++n) {
      if (!mask.holds[n]) values[n] = TypeParam(7);
    }
    auto const at = random.below(values.size());
    auto const look = [&](TypeParam value) {
      auto changed = values;
      changed[at] = value;
      Stored<TypeParam> field(place, changed, TypeParam(0));
      auto const found = first_invalid(field.raw(), {0, 2}, &mask.along);
      return found ? found->dense_index : -1;
    };
    EXPECT_EQ(look(values[at]), -1);
    EXPECT_EQ(look(TypeParam(3)), mask.holds[at] ? place.dense[at] : -1);
    EXPECT_EQ(look(std::numeric_limits<TypeParam>::quiet_NaN()), place.dense[at]);
    EXPECT_EQ(look(std::numeric_limits<TypeParam>::infinity()), place.dense[at]);
  });
}

TEST(FirstInvalid, EndsOfTheRangeAreRoundedToTheFieldsType) {
  std::vector<float> values = {0.1F, -0.3F};  // more than 0.1, less than -0.3
  auto const field = raw_values(values.data(), 2, ValueType::float32);
  EXPECT_FALSE(first_invalid(field, {-0.3, 0.1}));
  values[0] = std::nextafter(0.1F, 1.0F);
  ASSERT_TRUE(first_invalid(field, {-0.3, 0.1}));
  EXPECT_EQ(first_invalid(field, {-0.3, 0.1})->value, static_cast<double>(values[0]));
}

TEST(FirstInvalid, HasNothingToFindInMasks) {
  std::vector<std::uint8_t> const mask(4, 255);
  EXPECT_FALSE(first_invalid(raw_values(mask.data(), 4, ValueType::uint8), {0, 1}));
}

TEST(Operations, OfNoPointsDoNothing) {
  auto const none = raw_values(nullptr, 0, ValueType::float64);
  read_values(none, 0, 0, ValueType::float32, nullptr);
  write_values(none, 0, 0, ValueType::float32, nullptr);
  add_noise(none, {.amplitude = 1});
  EXPECT_FALSE(first_invalid(none));
  EXPECT_EQ(weighted_sum(none, none).to_double(), 0);
}

}  // namespace
