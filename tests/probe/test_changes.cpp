// SPDX-License-Identifier: Apache-2.0
#include "probe/source/changes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "core/field/kernels.hpp"
#include "io/error.hpp"
#include "precision/bits.hpp"
#include "probe/source/fields_file.hpp"
#include "probe/told_array.hpp"
#include "support/random_values.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::probe {
namespace {

using test::array_of;
using test::at_step;
using test::Where;
using ulpine::test::message_of;
using ulpine::test::RandomValues;
using ulpine::test::TemporaryFolder;

Settings settings_of(std::string const& text) { return parse_settings(text, "probe.toml"); }

/// Changes fields, and keeps the lines that users would see.
struct Changer {
  explicit Changer(std::string const& text) : changes{settings_of(text), told.tell()} {}
  test::Lines told;
  Changes changes;

  template <class T>
  std::vector<T> changed(std::vector<T> values, Where const& where = at_step(1)) {
    changes.before(where.place(), test::part_of(values, {static_cast<std::int64_t>(values.size())}));
    return values;
  }
};

template <class T>
std::vector<T> random_values(std::size_t count, int least = -3, int most = 3) {
  RandomValues random{11};
  std::vector<T> values(count);
  for (auto& value : values) value = static_cast<T>(random.ugly(least, most));
  return values;
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// What core does to a whole field of `values`.
template <class T>
std::vector<T> with_core_noise(std::vector<T> values, std::string const& field, double amplitude,
                               std::uint64_t seed, std::uint32_t member) {
  auto const infinity = std::numeric_limits<double>::infinity();
  ulpine::detail::AddNoise<T, double> const add{values.data(),
                                                Layout::entities(static_cast<std::int64_t>(values.size())),
                                                {},
                                                seed,
                                                member,
                                                name_key(field),
                                                amplitude,
                                                -infinity,
                                                infinity};
  for (std::size_t i = 0; i < values.size(); ++i) add(static_cast<std::int64_t>(i));
  return values;
}

constexpr char const* noise = "[perturb]\nwhat = \"*.x\"\namplitude = 1e-3\nseed = 7\nmember = 3\n";

TEST(ProbeChanges, AddTheNoiseOfCore) {
  auto const wide = random_values<double>(1001);
  EXPECT_TRUE(same_bits(Changer{noise}.changed(wide), with_core_noise(wide, "x", 1e-3, 7, 3)));
  auto const narrow = random_values<float>(1001);
  EXPECT_TRUE(same_bits(Changer{noise}.changed(narrow), with_core_noise(narrow, "x", 1e-3, 7, 3)));
  EXPECT_FALSE(same_bits(Changer{noise}.changed(wide), wide));
  EXPECT_TRUE(same_bits(Changer{noise}.changed(wide, at_step(1, "s", "y")), wide)) << "another field";
}

TEST(ProbeChanges, AddNoiseOnceToEachField) {
  auto const values = random_values<double>(10);
  Changer first{noise};
  EXPECT_TRUE(same_bits(first.changed(values, at_step(5, "a", "y")), values));
  EXPECT_FALSE(same_bits(first.changed(values, at_step(5, "b")), values));
  EXPECT_FALSE(same_bits(first.changed(values, at_step(5, "b")), values)) << "another part at the same place";
  EXPECT_TRUE(same_bits(first.changed(values, at_step(5, "c")), values));
  EXPECT_TRUE(same_bits(first.changed(values, at_step(6, "b")), values));
  Changer later{std::string{noise} + "step = 6\n"};
  EXPECT_TRUE(same_bits(later.changed(values, at_step(5)), values));
  EXPECT_FALSE(same_bits(later.changed(values, at_step(6)), values));
  EXPECT_TRUE(same_bits(later.changed(values, at_step(7)), values));
}

/// Neither parts nor their order nor threads nor how memory lies make a difference.
TEST(ProbeChanges, DependOnGlobalIndicesAlone) {
  for (std::string const& text :
       {std::string{noise}, std::string{"[[round]]\nwhat = \"*.x\"\nto = \"e8m7-sr3\"\n"},
        std::string{"[[round]]\nwhat = \"*.x\"\nto = \"e11m52-rr3\"\n"},
        std::string{"[[plant]]\nwhat = \"*.x\"\nelement = 16\n"}}) {
    constexpr std::int64_t rows = 7, columns = 6;
    auto const values = random_values<double>(rows * columns);
    Changer whole{text};
    auto expected = values;
    whole.changes.before(at_step(1).place(), test::part_of(expected, {rows, columns}));
    ASSERT_FALSE(same_bits(expected, values));

    // The last columns first; rows upside down by a negative stride; the others by two threads.
    auto parts = values;
    Changer pieces{text};
    auto right = array_of(parts, {rows, 2});
    right.data = parts.data() + (rows - 1) * columns + 4;
    right.stride[0] = -columns * 8, right.stride[1] = 8;
    right.first[1] = 4, right.whole[0] = rows, right.whole[1] = columns;
    std::vector<std::int64_t> const upside_down = {6, 5, 4, 3, 2, 1, 0};
    right.numbers = upside_down.data();
    right.numbered = 0;
    pieces.changes.before(at_step(1).place(), test::part_of(right));
    auto const left = [&](std::int64_t first, std::int64_t count) {
      auto array = array_of(parts, {count, 4});
      array.data = parts.data() + first * columns;
      array.stride[0] = columns * 8, array.stride[1] = 8;
      array.first[0] = first, array.whole[0] = rows, array.whole[1] = columns;
      pieces.changes.before(at_step(1).place(), test::part_of(array));
    };
    std::thread one{[&] { left(3, 4); }};
    left(0, 3);
    one.join();
    EXPECT_TRUE(same_bits(parts, expected)) << text;

    // Fortran has the axes the other way round.
    auto fortran = values;
    auto array = array_of(fortran, {columns, rows});
    array.flags = ULPINE_FASTEST_FIRST;
    Changer reversed{text};
    reversed.changes.before(at_step(1).place(), test::part_of(array));
    EXPECT_TRUE(same_bits(fortran, expected)) << text;
  }
}

TEST(ProbeChanges, TreatComplexNumbersAsPairs) {
  auto values = random_values<double>(20);
  auto const expected = with_core_noise(values, "x", 1e-3, 7, 3);
  auto array = array_of(values, {10});
  array.type = ULPINE_C64;
  Changer changer{noise};
  changer.changes.before(at_step(1).place(), test::part_of(array));
  EXPECT_TRUE(same_bits(values, expected));
}

/// To nearest by Boost.Multiprecision, in whose numbers of N bits there are no subnormals and no end of
/// exponents.
template <unsigned bits>
void expect_nearest(std::string const& format) {
  namespace mp = boost::multiprecision;
  using Number = mp::number<mp::cpp_bin_float<bits, mp::digit_base_2>, mp::et_off>;
  auto const values = random_values<double>(2000, -12, 12);
  auto const rounded = Changer{"[[round]]\nwhat = \"*\"\nto = \"" + format + "\"\n"}.changed(values);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Through 200 bits, so that there is one rounding.
    using Wide = mp::number<mp::cpp_bin_float<200, mp::digit_base_2>, mp::et_off>;
    ASSERT_EQ(rounded[i], static_cast<double>(Number{Wide{values[i]}})) << format;
    changed += rounded[i] != values[i] ? 1 : 0;
  }
  EXPECT_GT(changed, 1900u);
}

TEST(ProbeChanges, RoundToNearestAsOthersDo) {
  expect_nearest<8>("e8m7");
  expect_nearest<11>("e5m10");
  expect_nearest<24>("e8m23");
  expect_nearest<41>("e11m40");
  auto const values = random_values<double>(2000, -160, 140);
  auto const rounded = Changer{"[[round]]\nwhat = \"*\"\nto = \"e8m23\"\n"}.changed(values);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(rounded[i], static_cast<double>(static_cast<float>(values[i])));
  // What binary32 has stays in arrays of it, and what is no number.
  auto const odd =
      std::vector<float>{0.0f, -0.0f, 1e-45f, 3e38f, std::numeric_limits<float>::infinity(), 1.5f};
  EXPECT_TRUE(same_bits(Changer{"[[round]]\nwhat = \"*\"\nto = \"e8m23\"\n"}.changed(odd), odd));
  EXPECT_TRUE(
      std::isnan(Changer{"[[round]]\nwhat = \"*\"\nto = \"e5m2\"\n"}.changed(std::vector<double>{NAN})[0]));
  auto const cut = Changer{"[[round]]\nwhat = \"*\"\nto = \"e8m23-rz\"\n"}.changed(values);
  std::fesetround(FE_TOWARDZERO);
  std::vector<double> expected;
  for (auto const value : values)
    expected.push_back(static_cast<double>(static_cast<float>(static_cast<double const volatile&>(value))));
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(same_bits(cut, expected));
}

TEST(ProbeChanges, RoundAtRandomToNeighboursWithoutBias) {
  // 1 + 1/4 of a unit of e8m7, which is 2^-7.
  std::vector<double> const values(40000, 1 + 0x1p-9);
  auto const share_up = [&](std::string const& format, Where const& where,
                            std::vector<double>* all = nullptr) {
    auto const rounded = Changer{"[[round]]\nwhat = \"*\"\nto = \"" + format + "\"\n"}.changed(values, where);
    std::size_t up = 0;
    for (auto const value : rounded) {
      EXPECT_TRUE(value == 1 || value == 1 + 0x1p-7);
      up += value > 1 ? 1 : 0;
    }
    if (all != nullptr) *all = rounded;
    return static_cast<double>(up) / static_cast<double>(values.size());
  };
  // Standard deviations are 0.0022 and 0.0025; five of them.
  std::vector<double> first, second, third, fourth;
  EXPECT_NEAR(share_up("e8m7-sr1", at_step(1), &first), 0.25, 0.011);
  EXPECT_NEAR(share_up("e8m7-rr1", at_step(1)), 0.5, 0.0125);
  share_up("e8m7-sr2", at_step(1), &second);
  share_up("e8m7-sr1", at_step(2), &third);
  share_up("e8m7-sr1", at_step(1, "other"), &fourth);
  EXPECT_FALSE(same_bits(first, second)) << "seed";
  EXPECT_FALSE(same_bits(first, third)) << "step";
  EXPECT_FALSE(same_bits(first, fourth)) << "stage";
}

TEST(ProbeChanges, RoundTheLastBitOfDoublesAtRandom) {
  auto const values = random_values<double>(40000);
  auto const rounded = Changer{"[[round]]\nwhat = \"*\"\nto = \"e11m52-sr1\"\n"}.changed(values);
  std::size_t up = 0, down = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const away = std::nextafter(values[i], std::copysign(1e300, values[i])),
               back = std::nextafter(values[i], 0.0);
    ASSERT_TRUE(rounded[i] == values[i] || rounded[i] == away || rounded[i] == back);
    up += rounded[i] == away ? 1 : 0;
    down += rounded[i] == back ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(up) / 40000, 0.25, 0.011);
  EXPECT_NEAR(static_cast<double>(down) / 40000, 0.25, 0.011);
}

TEST(ProbeChanges, PlantOneUnitInTheLastPlace) {
  auto const largest = std::numeric_limits<double>::max();
  std::vector<double> const values = {1.0, -1.0, 0.0, largest, 5e-324, 3.0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    Changer changer{"[[plant]]\nwhat = \"*\"\nelement = " + std::to_string(i) + "\n"};
    auto expected = values;
    expected[i] = values[i] == largest ? std::nextafter(largest, 0.0)
                                       : std::nextafter(values[i], std::copysign(HUGE_VAL, values[i]));
    EXPECT_TRUE(same_bits(changer.changed(values), expected)) << i;
    EXPECT_TRUE(same_bits(changer.changed(values, at_step(2)), values)) << "once";
  }
  std::vector<float> const narrow = {1.0f, -2.0f};
  EXPECT_EQ(Changer{"[[plant]]\nwhat = \"*\"\nelement = 1\n"}.changed(narrow),
            (std::vector<float>{1.0f, std::nextafter(-2.0f, -3.0f)}));
}

TEST(ProbeChanges, PlantAtIndicesAsTheModelCountsThem) {
  auto const at = [](std::string const& indices, bool fortran, bool complex = false) {
    std::vector<double> values(complex ? 24 : 12, 1.0);
    auto array = array_of(values, {3, 4});
    if (fortran) {
      array.flags = ULPINE_FASTEST_FIRST;
      std::swap(array.extent[0], array.extent[1]);
    }
    if (complex) array.type = ULPINE_C64;
    Changer changer{"[[plant]]\nwhat = \"*\"\nat = [" + indices + "]\n"};
    changer.changes.before(at_step(1).place(), test::part_of(array));
    auto const moved = std::find_if(values.begin(), values.end(), [](double value) { return value != 1.0; });
    if (moved == values.end())
      return changer.told.lines.empty() ? std::string{"nothing"} : changer.told.lines[0];
    return std::to_string(moved - values.begin());
  };
  EXPECT_EQ(at("1, 2", false), "6");  // x[1][2] of x[3][4]
  EXPECT_EQ(at("3, 2", true), "6");   // x(3, 2) of x(4, 3)
  EXPECT_EQ(at("1, 2", false, true), "12");
  EXPECT_EQ(at("0, 1", true),
            "[[plant]]: no fault is planted in field x (`at` is no point of it) choose an element of it");
  EXPECT_EQ(at("3, 0", false),
            "[[plant]]: no fault is planted in field x (`at` is no point of it) choose an element of it");
  EXPECT_EQ(
      at("1, 2, 3", false),
      "[[plant]]: no fault is planted in field x (3 indices are given, it has 2) choose an element of it");
}

TEST(ProbeChanges, TellOnceWhatCannotBeChanged) {
  Changer changer{std::string{noise} +
                  "[[round]]\nwhat = \"*\"\nto = \"e8m7\"\n[[plant]]\nwhat = \"*\"\nelement = 9\n"};
  std::vector<std::int32_t> const numbers = {1, 2};
  for (std::int64_t step = 1; step < 4; ++step) EXPECT_EQ(changer.changed(numbers, at_step(step)), numbers);
  EXPECT_EQ(
      changer.told.lines,
      (std::vector<std::string>{
          "[perturb]: field x is left as it is (it is of type int32) choose fields of floating-point numbers",
          "[[round]]: field x is left as it is (it is of type int32) choose fields of floating-point numbers",
          "[[plant]]: field x is left as it is (it is of type int32) choose fields of floating-point "
          "numbers"}));
  Changer outside{"[[plant]]\nwhat = \"*\"\nelement = 2\n"};
  outside.changed(std::vector<double>{1, 2});
  EXPECT_EQ(outside.told.lines,
            (std::vector<std::string>{"[[plant]]: no fault is planted in field x (element 2 does not exist, "
                                      "it has 2) choose an element of it"}));
  Changer infinite{"[[plant]]\nwhat = \"*\"\nelement = 1\n"};
  EXPECT_EQ(infinite.changed(std::vector<double>{1, HUGE_VAL})[1], HUGE_VAL);
  EXPECT_EQ(
      infinite.told.lines,
      (std::vector<std::string>{
          "[[plant]]: no fault is planted in field x (element 1 is not finite) choose another element"}));
  EXPECT_EQ(
      Changer{noise}.changes.unused(),
      (std::vector<std::string>{"[perturb] what = \"*.x\" chose no field that was told by ulpine_state"}));
  EXPECT_TRUE(changer.changes.unused().empty());
  std::vector<double> values = {1};
  auto part = test::part_of(values, {1});
  part.on_device = true;
  part.data = nullptr;  // nobody may look there
  Changer device{noise};
  device.changes.before(at_step(1).place(), part);
  EXPECT_EQ(device.told.lines,
            (std::vector<std::string>{
                "[perturb]: field x is left as it is (it is in a GPU's memory) tell it from the host's"}));
}

TEST(ProbeChanges, GoInTheirOrder) {
  auto const values = random_values<double>(50);
  auto expected = with_core_noise(values, "x", 1e-3, 7, 3);
  for (auto& value : expected) value = static_cast<double>(static_cast<float>(value));
  expected[4] = std::nextafter(expected[4], std::copysign(HUGE_VAL, expected[4]));
  Changer changer{"[[plant]]\nwhat = \"*\"\nelement = 4\n[[round]]\nwhat = \"*\"\nto = \"e8m23\"\n" +
                  std::string{noise}};
  EXPECT_TRUE(same_bits(changer.changed(values), expected));
  EXPECT_TRUE(changer.changes.any());
  EXPECT_FALSE(Changer{"trace = \"t\"\n"}.changes.any());
}

/// A model may flush subnormals to zero, round otherwise or trap: that is its own.
TEST(ProbeChanges, AreIndependentOfTheModelsArithmeticAndLeaveItAsItIs) {
  auto const values = random_values<double>(300, -1060, -1000);
  auto const text = "[perturb]\nwhat = \"*\"\namplitude = 1e-305\n[[round]]\nwhat = \"*\"\nto = \"e11m30\"\n";
  auto const expected = Changer{text}.changed(values);
  auto const saved = __builtin_ia32_stmxcsr();
  // Toward zero, subnormals off both ways, traps on for all but inexact results.
  constexpr unsigned odd = 0x6000 | 0x8000 | 0x0040 | 0x1000;
  Changer changer{text};
  auto changed = values;
  auto const part = test::part_of(changed, {300});
  __builtin_ia32_ldmxcsr(odd);
  changer.changes.before(at_step(1).place(), part);
  auto const after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(saved);
  EXPECT_EQ(after, odd);
  EXPECT_TRUE(same_bits(changed, expected));
  EXPECT_FALSE(same_bits(changed, values));
}

TEST(ProbeChanges, PutTheReferencesValuesBack) {
  TemporaryFolder const folder;
  auto const file = (folder / "fields.bin").string();
  auto recorded = random_values<double>(12);
  {
    Settings settings;
    settings.fields = file;
    settings.record.push_back({What{{Pattern{"*"}}}, {}});
    FieldsWriter writer{settings, 0, 1, {}};
    writer.add(at_step(1).place(), test::part_of(recorded, {3, 4}), 0, "");
    auto some = array_of(recorded, {4});
    some.whole[0] = 12;
    writer.add(at_step(1, "stage", "y").place(), test::part_of(some), 0, "");
    writer.close();
  }
  Changer changer{"[[reset]]\nwhat = \"*\"\nfrom = \"" + file + "\"\n"};
  std::vector<double> mine(12, -1.0);
  // In parts: the second row, then the rest by numbers.
  auto row = array_of(mine, {1, 4});
  row.data = mine.data() + 4;
  row.first[0] = 1, row.whole[0] = 3, row.whole[1] = 4;
  changer.changes.before(at_step(1).place(), test::part_of(row));
  EXPECT_EQ(mine, std::vector<double>(12, -1.0)) << "only after hashing";
  changer.changes.after(at_step(1).place(), test::part_of(row));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(mine[i], i / 4 == 1 ? recorded[i] : -1.0);
  changer.changes.after(at_step(1).place(), test::part_of(mine, {3, 4}));
  EXPECT_EQ(mine, recorded);
  EXPECT_TRUE(changer.told.lines.empty());

  std::vector<double> other(12, -1.0);
  changer.changes.after(at_step(2).place(), test::part_of(other, {3, 4}));
  changer.changes.after(at_step(3).place(), test::part_of(other, {3, 4}));
  changer.changes.after(at_step(1).place(), test::part_of(other, {4, 3}));
  EXPECT_EQ(other, std::vector<double>(12, -1.0));
  changer.changes.after(at_step(1, "stage", "y").place(), test::part_of(other, {12}));
  EXPECT_EQ(other[3], recorded[3]);
  EXPECT_EQ(other[4], -1.0);
  EXPECT_EQ(changer.told.lines,
            (std::vector<std::string>{"[[reset]]: step 2, stage stage, field x is left as it is (" + file +
                                          " has no values of it) record it by [[record]]",
                                      "[[reset]]: step 1, stage stage, field x is left as it is (" + file +
                                          " has it with another type or shape) record it by [[record]]",
                                      "[[reset]]: step 1, stage stage, field y is left as it is (" + file +
                                          " has not all of its elements) record it by [[record]]"}));
  EXPECT_EQ(message_of<InputError>([&] {
              Changer{"[[reset]]\nwhat = \"*\"\nfrom = \"" + file + "x\"\n"};
            }).find(file + "x: no such file of values"),
            0u);
}

TEST(ProbeChanges, ShowWhatAStageDoesNotWrite) {
  Changer changer{"[[poison]]\nwhat = \"*.x\"\n"};
  std::vector<double> values(12, 1.0);
  auto array = array_of(values, {4, 3});
  array.flags = ULPINE_FASTEST_FIRST;
  auto const part = test::part_of(array);
  changer.changes.unset("y", part);
  EXPECT_EQ(values, std::vector<double>(12, 1.0));
  changer.changes.look_for_unset(at_step(1).place(), part);
  changer.changes.unset("x", part);
  for (auto const value : values) EXPECT_TRUE(std::isnan(value));
  // A signalling NaN raises the flag at its first use.
  std::feclearexcept(FE_ALL_EXCEPT);
  double volatile used = values[0];
  used = used + 1;
  EXPECT_NE(std::fetestexcept(FE_INVALID), 0);
  std::feclearexcept(FE_ALL_EXCEPT);
  for (std::size_t i = 0; i < 12; ++i) {
    if (i != 4 && i != 11) values[i] = 2;
  }
  changer.changes.look_for_unset(at_step(3, "radiation").place(), part);
  changer.changes.look_for_unset(at_step(4, "radiation").place(), part);
  EXPECT_EQ(
      changer.told.lines,
      (std::vector<std::string>{"step 3, stage radiation, field x: 2 of 12 elements were not written by the "
                                "stage (they are as [[poison]] left them), the first at (i, j) = (1, 2)"}));
  std::vector<std::int32_t> numbers = {1, 2};
  changer.changes.unset("x", test::part_of(numbers, {2}));
  EXPECT_EQ(numbers, (std::vector<std::int32_t>{static_cast<std::int32_t>(0xa5a5a5a5u),
                                                static_cast<std::int32_t>(0xa5a5a5a5u)}));
}

}  // namespace
}  // namespace ulpine::probe
