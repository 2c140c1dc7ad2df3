// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/sounding/sounding.hpp"
#include "io/error.hpp"
#include "sounding/samples.hpp"
#include "support/random_values.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine {
namespace {

using test::arps_sample;
using test::arps_text;
using test::cm1_sample;
using test::table_sample;
using test::with;

std::string refusal(std::string const& text) {
  return test::refusal_of<InputError>("file", [&] { parse_sounding(text, "file"); });
}

/// The text is refused in one line that has all of `parts`.
void expect_refused(std::string const& text, std::vector<std::string> const& parts) {
  auto const message = refusal(text);
  for (auto const& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "no '" << part << "' in '" << message << "'";
  }
}

TEST(Unreadable, NamesTheFileAndWhatIsWrong) {
  test::TemporaryFolder const folder;
  auto const of = [](std::filesystem::path const& path) {
    return test::refusal_of<InputError>(path, [&] { read_sounding(path); });
  };
  EXPECT_NE(of(folder / "none").find("cannot be read (no such file"), std::string::npos);
  EXPECT_NE(of(folder.path()).find("a folder"), std::string::npos);
  EXPECT_NE(of(folder.write("empty", "")).find("is no sounding"), std::string::npos);
  auto const large = folder.write("large", "");
  std::filesystem::resize_file(large, (16u << 20) + 1);
  EXPECT_NE(of(large).find("soundings are small"), std::string::npos);
}

TEST(Unreadable, TextsOfNoFormatAreRefusedWithTheFormatsThatAre) {
  for (auto const* text :
       {"", "\n\n", "hello\n", "1 2\n", "1 2 3 4\n1 2 3 4 5\n", "a b c\n1 2 3 4 5\n", "\x01\xff\x80"}) {
    expect_refused(text,
                   {"is no sounding", "input_sounding of CM1", ".snd of ARPS", "University of Wyoming"});
  }
}

TEST(InputSoundingRefusals, NameLineReasonAndRemedy) {
  expect_refused(with(cm1_sample, "      -3.00       4.00", "      -3.00"),
                 {"line 2 has 4 columns (5 are expected", "mend"});
  expect_refused(with(cm1_sample, "4.00\n", "4.00 1\n"), {"line 2 has 6 columns"});
  expect_refused(with(cm1_sample, "302.00", "3x2.00"), {"line 3 has '3x2.00' (a number"});
  expect_refused(with(cm1_sample, "302.00", "nan"), {"line 3 has 'nan' (a number"});
  expect_refused(with(cm1_sample, "302.00", "inf"), {"line 3 has 'inf' (a number"});
  expect_refused(with(cm1_sample, "302.00", "++302"), {"line 3 has '++302' (a number"});
  expect_refused(with(cm1_sample, "302.00", "+-302"), {"line 3 has '+-302' (a number"});
  std::string other_ends;
  for (auto const c : with(cm1_sample, "302.00", "3x2.00"))
    other_ends += c == '\n' ? "\r\n" : std::string(1, c);
  expect_refused(other_ends, {"line 3 has '3x2.00' (a number"});
  expect_refused(with(cm1_sample, "  1000.00     302", "   100.00     302"),
                 {"line 3 has the height 100 after 100 (it must rise"});
  expect_refused(with(cm1_sample, "  1000.00     302", "     0.00     302"),
                 {"line 3 has the height 0 after 100"});
  expect_refused("1000 300 16\n0 300 16 1 0\n0 301 16 1 0\n900 302 16 1 0\n",
                 {"line 3 has the height 0 after 0 (it must rise"});
  expect_refused(with(cm1_sample, "12000.00", "200001.0"), {"line 4 has the height 200001 (0 to 90000 m"});
  expect_refused(with(cm1_sample, "1000.00     300.00", "100000.00     300.00"),
                 {"line 1 has the pressure 1e+05 (300 to 1100 hPa is possible)", "unit"});
  expect_refused(with(cm1_sample, "1000.00     300.00", "1000.00     451.00"),
                 {"line 1 has the potential temperature of the ground 451 (150 to 450 K"});
  expect_refused(with(cm1_sample, "300.50", "27.35"),
                 {"line 2 has the potential temperature 27.35 (150 to 5000 K"});
  expect_refused(with(cm1_sample, "15.00", "-1.00"), {"line 2 has the mixing ratio -1 (0 to 60 g/kg"});
  expect_refused(with(cm1_sample, "15.00", "61.00"), {"line 2 has the mixing ratio 61"});
  expect_refused(with(cm1_sample, "      20.00", "     201.00"),
                 {"line 4 has the wind 201 (-200 to 200 m/s"});
  expect_refused(with(cm1_sample, "      20.00       0.00", "     20.00       -201"),
                 {"line 4 has the wind -201"});
  expect_refused(" 1000 300 16\n", {"has no levels"});
  expect_refused(" 1000 x 16\n", {"line 1 has 'x'"});
}

/// Column 2 of input_sounding for air whose temperature falls by `lapse` K from metre to metre from 288 K.
std::string falling(double lapse, std::string const& ground) {
  auto text = "1000 " + ground + " 0\n";
  for (int z = 100; z <= 3000; z += 100) {
    text += std::to_string(z) + " " + std::to_string(288 - lapse * z) + " 0 1 0\n";
  }
  return text;
}

TEST(InputSoundingRefusals, TemperatureIsNoPotentialTemperature) {
  // From the standard atmosphere's 6.5 K/km, which falls by 3 K within 500 m, to 1.1 K/km, which does so up
  // to the top.
  expect_refused(falling(6.5e-3, "288"), {"line 7 has the potential temperature 284.1",
                                          "287.35 K of air at least 500 m deeper", "column 2", "0.2859"});
  expect_refused(falling(1.1e-3, "288"), {"has the potential temperature 28", "temperature in place of"});
  // A fall that mixing soon ends, and one of nothing but the ground.
  EXPECT_EQ(parse_sounding(falling(0.9e-3, "288"), "weak").height.size(), 31u);
  EXPECT_EQ(parse_sounding(falling(0, "300"), "ground").height.size(), 31u);
  expect_refused("1000 300 0\n9000 240 0 1 0\n",
                 {"line 2 has the potential temperature 240 K, below the 300 K"});
}

TEST(InputSoundingRefusals, MixingRatiosAreGramsAndHeightsMetres) {
  expect_refused(
      "1000. 300. 0.014\n100. 300.1 0.015 1. 0.\n12000. 343. 0.0001 10. 0.\n",
      {"line 2 has the mixing ratio 0.015 g/kg, the greatest of all", "holds 22.", "kg/kg", "by 1000"});
  expect_refused("1000. 300. 14.\n0.1 300.1 14. 1. 0.\n12. 343. 0.1 10. 0.\n",
                 {"line 3 has the height 12 m, the highest of all", "km", "by 1000"});
  // Dry air, and the vapour of the Antarctic plateau in winter, 0.01 g/kg at 215 K and 680 hPa.
  EXPECT_EQ(parse_sounding("1000 300 0\n9000 330 0 1 0\n", "dry").humidity[0], 0);
  EXPECT_GT(parse_sounding("680 240 0.01\n3000 280 0.02 1 0\n", "cold").humidity[0], 0);
}

TEST(WyomingRefusals, LevelsThatContradictEachOther) {
  std::string const heading = "PRES HGHT TEMP DWPT DRCT SKNT\nhPa m C C deg knot\n";
  std::string const ground = "1000 100 20 15 270 10\n", top = "700 3080 2 -8 290 40\n";
  auto const between = [&](std::string const& line) { return heading + ground + line + top; };
  EXPECT_EQ(parse_sounding(between("850 1510 11 5 280 30\n"), "table").height.size(), 3u);
  expect_refused(between("1000 100 22 15 270 10\n"),
                 {"line 4 has the temperature 22 C at the level of line 3 (which has 20 C)", "leave one"});
  expect_refused(between("1000 90 20 15 270 10\n"), {"line 4 has the height 90 after 100 (it must rise"});
  expect_refused(between("1001 110 20 15 270 10\n"), {"line 4 has the pressure 100100 after 1", "fall"});
  // 1.51 km, and 1510 m in feet.
  expect_refused(heading + "1000 0.1 20 15 270 10\n850 1.51 11 5 280 30\n",
                 {"line 4 has the height 1.51 m (by pressure and temperature it is 13", "units"});
  expect_refused(between("850 4954 11 5 280 30\n"), {"line 4 has the height 4954 m (by pressure"});
  expect_refused(table_sample + table_sample, {"line 19 begins a second table (the first begins at line 4"});
}

TEST(WyomingRefusals, NameLineReasonAndRemedy) {
  expect_refused(with(table_sample, "DWPT", "DWPX"), {"line 4 has no column DWPT"});
  expect_refused(with(table_sample, "SKNT", "SKNX"), {"line 4 has no column SKNT"});
  expect_refused("PRES TEMP TEMP DWPT DRCT SKNT\n hPa C C C deg knot\n",
                 {"line 1 has two columns like TEMP"});
  expect_refused(with(table_sample, "knot", "mph "), {"line 5 has the unit 'mph' of SKNT", "convert"});
  // A name that tells its unit, above another one.
  expect_refused(with(table_sample, "knot", " m/s"),
                 {"line 5 has the unit 'm/s' of SKNT (a speed in knots by its name)", "SPED"});
  expect_refused(with(table_sample, "SKNT", "SMPS"),
                 {"line 5 has the unit 'knot' of SMPS (a speed in m/s by its name)", "SPED"});
  EXPECT_NO_THROW(parse_sounding(with(table_sample, "SKNT", "SPED"), "table"));
  expect_refused(with(table_sample, "    hPa", "       "), {"line 4 names 11 columns", "10"});
  expect_refused(with(table_sample, "309.2              ", "309.2   1 2 3 4 5  6"),
                 {"line 10 has 12 columns (the table has 11)"});
  expect_refused(with(table_sample, " 1454   22.0", "1454    22.0"),
                 {"line 10 has 6 columns", "do not end below their names"});
  expect_refused(with(table_sample, "  22.2   21.0", "  2x.2   21.0"),
                 {"line 8 has '2x.2' in column TEMP (a number or blanks"});
  expect_refused(with(table_sample, "  850.0   1454", "          1454"), {"line 10 has no pressure"});
  expect_refused(with(table_sample, "  850.0", "  926.0"),
                 {"line 10 has the pressure 92600 after 92500 (it must fall"});
  expect_refused(with(table_sample, "   1454", "    720"),
                 {"line 10 has the height 720 after 720 (it must rise"});
  expect_refused(with(table_sample, "    345   22.2", "          22.2"), {"line 8 has no height"});
  expect_refused(with(table_sample, "20.4   20.4", "20.4   20.5"),
                 {"line 9 has the dew point 20.5 above the temperature (20.4)"});
  expect_refused(with(table_sample, "   22.0", "  295.1"),
                 {"line 10 has the temperature 295.1 (-120 to 60 C"});
  expect_refused(with(table_sample, "  180     10", "  361     10"),
                 {"line 8 has the direction of the wind 361 (0 to 360 degrees"});
  expect_refused(with(table_sample, "  180     10", "  180    -10"), {"line 8 has the speed of the wind -5"});
  expect_refused(with(table_sample, "  966.0", " 1200.0"), {"line 8 has the pressure 120000"});
  expect_refused(with(table_sample, "   -9.4", " -201.0"), {"line 11 has the dew point -201"});
  expect_refused(with(table_sample, "   5770", " 100001"), {"line 12 has the height 100001"});
  expect_refused("PRES TEMP DWPT DRCT SKNT\n hPa C C deg knot\n 1000 20 10 0 0\n",
                 {"has 1 levels with a temperature"});
  expect_refused("PRES TEMP DWPT DRCT SKNT\n hPa C C deg knot\n 1000 20 -999 0 0\n 900 20 -999 0 0\n",
                 {"has no dew point"});
  expect_refused("PRES TEMP DWPT DRCT SKNT\n hPa C C deg knot\n 1000 20 1 -999 0\n 900 20 1 0 -9999\n",
                 {"has no wind"});
  expect_refused("PRES TEMP DWPT DRCT SKNT\n",
                 {"line 1 names 5 columns (the line below must have as many units, not 0"});
}

TEST(ArpsRefusals, NameLineReasonAndRemedy) {
  expect_refused(with(arps_sample, "'height'", "'altitude'"),
                 {"line 6 names the column 'altitude' (known are 'height' and 'pressure')"});
  expect_refused(with(arps_sample, "'potential", "'virtual"),
                 {"line 6 names the column 'virtual temperature'"});
  expect_refused(with(arps_sample, "'relative", "'absolute"),
                 {"line 6 names the column 'absolute humidity'"});
  expect_refused(with(arps_sample, "'uv'", "'sv'"), {"line 6 names the column 'sv'"});
  expect_refused(with(arps_sample, "'uv'", "''"), {"line 6 names the column ''"});
  expect_refused(with(arps_sample, "9.65e4", "965"),
                 {"line 7 has the pressure of the ground 965 (30000 to 110000 Pa"});
  expect_refused(with(arps_sample, "0.0 9.65e4", "9.65e4"), {"line 7 has 1 columns"});
  expect_refused(with(arps_sample, "0.0 9.65e4", "9001 9.65e4"),
                 {"line 7 has the height of the ground 9001"});
  expect_refused(with(arps_sample, "0.0 9.65e4", "10 9.65e4"),
                 {"line 13 has the height 0 (the lowest level must be the ground, by line 7 at 10 m)"});
  expect_refused(with(arps_sample, "          4\n", "          5\n"), {"ends after 4 of 5 levels"});
  expect_refused(with(arps_sample, "          4\n", "        3.5\n"),
                 {"line 8 has 3.5 (the number of levels"});
  expect_refused(with(arps_sample, "          4\n", "          1\n"), {"line 8 has the number of levels 1"});
  expect_refused(with(arps_sample, "          4\n", "         -4\n"), {"line 8 has the number of levels -4"});
  expect_refused(with(arps_sample, "          4\n", "       1e30\n"),
                 {"line 8 has the number of levels 1e+30"});
  expect_refused(with(arps_sample, "     1000.0", "     8000.0"),
                 {"line 12 has the height 8000 after 8000 (it must fall"});
  expect_refused(with(arps_sample, "303.50000", "30.350000"),
                 {"line 12 has the potential temperature 30.35"});
  expect_refused(with(arps_sample, "0.85000", "85.0000"),
                 {"line 12 has the relative humidity 85 (0 to 1.1 (a share"});
  expect_refused(with(arps_sample, "0.85000  ", "-0.85000 "), {"line 12 has the relative humidity -0.85"});
  expect_refused(with(arps_sample, "-10.00000", "-210.0000"), {"line 12 has the wind -210"});
  expect_refused(with(arps_sample, "2.00000", "-201.00"), {"line 12 has the wind -201"});
  expect_refused(with(arps_sample, "16000.0", "160000."), {"line 10 has the height 160000"});
  expect_refused(with(arps_sample, "16000.00000    410", "46000.00000    328"), {"line 10 is above the air"});
  expect_refused(arps_sample.substr(0, arps_sample.find(" ZSND")), {"ends in its heading"});
  expect_refused(
      with(arps_sample, "8000.00000    327", "8000.00000    240"),
      {"line 11 has the potential temperature 240 K, below the 303.5 K", "'temperature' in line 6"});
  expect_refused(arps_text("'h' 'p' 's' 'u'", "0 1e5", "16 410 0 0 0\n8 327 0 0 0\n0 303 0 0 0\n"),
                 {"line 10 has the height 16 m, the highest of all", "km"});
  expect_refused(arps_text("'p' 't' 's'", "0 1", "90000 290 0 0 0\n90000 290 0 0 0\n90000 290 0 0 0\n"),
                 {"line 10 is the only level"});
  auto const pressures = [](std::string const& levels) {
    return arps_text("'p' 't' 'd' 'd'", "0 1", levels);
  };
  std::string const rest = "50000 270 260 0 0\n";
  expect_refused(pressures(rest + "50000 280 270 0 0\n90000 290 280 0 0\n"),
                 {"line 11 has the pressure 50000 after 50000 (it must rise"});
  expect_refused(pressures(rest + "60000 20 10 0 0\n90000 290 280 0 0\n"),
                 {"line 11 has the temperature 20 (150 to 350 K"});
  expect_refused(pressures(rest + "60000 280 10 0 0\n90000 290 280 0 0\n"),
                 {"line 11 has the dew point 10 (100 to 350 K"});
  expect_refused(pressures(rest + "60000 280 270 361 0\n90000 290 280 0 0\n"),
                 {"line 11 has the direction of the wind 361"});
  expect_refused(pressures(rest + "60000 280 270 0 -1\n90000 290 280 0 0\n"),
                 {"line 11 has the speed of the wind -1"});
  expect_refused(pressures(rest + "60000 280 270 0 0\n900 290 280 0 0\n"), {"line 12 has the pressure 900"});
  expect_refused(arps_text("'p' 't' 's'", "0 1", "50000 270 0 0 0\n60000 280 7 0 0\n90000 290 0 0 0\n"),
                 {"line 11 has the humidity 7 (0 to 0.06 kg/kg"});
  expect_refused(arps_text("'p' 't' 's'", "0 1", "5 270 0 0 0\n60000 280 0 0 0\n90000 290 0 0 0\n"),
                 {"line 10 has the pressure 5 (10 to 110000 Pa"});
}

std::string pressures_of(std::string const& kinds, std::string const& ground, std::string const& levels) {
  return arps_text("'pressure' " + kinds, ground, levels);
}

TEST(ArpsRefusals, NoLevelIsLeftOutByTheCountOfLevels) {
  for (auto const* count : {"          3\n", "          2\n"}) {
    expect_refused(with(arps_sample, "          4\n", count),
                   {"has a level more than the", "that line 8 counts", "mend the number"});
  }
  expect_refused(with(arps_sample, "          4\n", "          3\n"), {"line 13 has"});
  // Words behind the levels are no level, nor are numbers of another count.
  auto const plain = parse_sounding(arps_sample, "plain");
  for (auto const* behind : {"\n\n", "end of the sounding\n", "1 2 3\n", "a 1 2 3 4\n"}) {
    auto const more = parse_sounding(arps_sample + behind, "more");
    EXPECT_EQ(more.height, plain.height) << behind;
    EXPECT_EQ(more.theta, plain.theta) << behind;
  }
}

TEST(ArpsRefusals, PressuresAreThoseOfAGroundInPascal) {
  std::string const hecto = "300 240 200 0 0\n700 280 270 0 0\n1000 300 290 0 0\n";
  expect_refused(pressures_of("'temperature' 'dewpoint'", "0 100000", hecto),
                 {"line 12 has the pressure 1000 Pa at the lowest level (30000 to 110000 Pa is possible; are "
                  "these hPa?) multiply the pressures by 100"});
  // Line 7 in hPa, too, relative humidity, and potential temperature.
  expect_refused(pressures_of("'temperature' 'dewpoint'", "0 1000", hecto), {"line 12", "are these hPa?"});
  expect_refused(pressures_of("'temperature' 'relative humidity'", "0 1e5",
                              "300 240 0.1 0 0\n700 280 0.5 0 0\n1000 300 0.6 0 0\n"),
                 {"line 12", "are these hPa?"});
  expect_refused(pressures_of("'potential temperature' 'mixing ratio'", "0 1e5",
                              "300 340 0 0 0\n700 310 0.004 0 0\n1000 300 0.014 0 0\n"),
                 {"line 12", "are these hPa?"});
  expect_refused(pressures_of("'temperature' 's'", "0 1e5", "30 240 0 0 0\n70 280 0 0 0\n100 300 0 0 0\n"),
                 {"line 12 has the pressure 100 Pa", "are these kPa?) multiply the pressures by 1000"});
  expect_refused(
      pressures_of("'temperature' 's'", "0 1e5", "10000 220 0 0 0\n20000 220 0 0 0\n29000 240 0 0 0\n"),
      {"line 12 has the pressure 29000 Pa at the lowest level", "add the levels below"});
}

TEST(ArpsRefusals, TheLowestPressureIsThatOfLineSeven) {
  auto const lowest = [](std::string const& pressure, std::string const& ground) {
    return pressures_of("'temperature' 's'", "0 " + ground,
                        "10000 220 0 0 0\n20000 220 0 0 0\n" + pressure + " 280 0 0 0\n");
  };
  expect_refused(lowest("49900", "1e5"),
                 {"line 12 has the pressure 49900 Pa at the lowest level (that of the "
                  "ground in line 7 is 1e+05",
                  "check the units"});
  expect_refused(lowest("94600", "90000"), {"line 12 has the pressure 94600 Pa", "line 7 is 90000"});
  EXPECT_EQ(parse_sounding(lowest("50100", "1e5"), "high").ground_pressure, 50100);
  EXPECT_EQ(parse_sounding(lowest("94400", "90000"), "low").ground_pressure, 94400);
  EXPECT_EQ(parse_sounding(lowest("94600", "0"), "none").ground_pressure, 94600);
}

TEST(ArpsRefusals, DewPointsAreAtMostTheTemperature) {
  // At 700 hPa the temperature of 310 K of theta is 280 K.
  auto const dew = [](std::string const& warmth, std::string const& dew_point) {
    return pressures_of(warmth, "0 1e5", "30000 345 200 0 0\n70000 " + dew_point + " 0 0\n1e5 300 290 0 0\n");
  };
  auto const kelvin = [](std::string const& dew_point) {
    return pressures_of("'temperature' 'dewpoint'", "0 1e5",
                        "30000 240 200 0 0\n70000 280 " + dew_point + " 0 0\n1e5 300 290 0 0\n");
  };
  expect_refused(kelvin("283"), {"line 11 has the dew point 283 above the temperature (280)"});
  expect_refused(kelvin("280.1"), {"line 11 has the dew point 280.1 above the temperature (280)"});
  EXPECT_EQ(parse_sounding(kelvin("280"), "saturated").height.size(), 3u);
  expect_refused(dew("'potential temperature' 'dewpoint'", "310 283"),
                 {"line 11 has the dew point 283 above the temperature (279."});
  EXPECT_EQ(parse_sounding(dew("'potential temperature' 'dewpoint'", "310 280"), "theta").height.size(), 3u);
  for (std::string const warmth : {"'temperature'", "'potential temperature'"}) {
    expect_refused(arps_text("'height' " + warmth + " 'dewpoint'", "0 1e5",
                             "900 300 250 0 0\n100 300 250 0 0\n0 300 303 0 0\n"),
                   {"line 12 has the dew point 303 above the temperature (300)"});
  }
}

TEST(VapourRefusals, HumidityOfADewPointOrOfRelativeHumidityIsThatOfAir) {
  // At 330 K the pressure of saturated vapour is 172 hPa (Goff and Gratch): q = 0.12 at 950 hPa.
  std::string const upper = "20000 250 0 0 0\n50000 280 0 0 0\n";
  expect_refused(pressures_of("'temperature' 'relative humidity'", "0 1e5", upper + "95000 330 1 0 0\n"),
                 {"line 12 has a relative humidity that makes the specific humidity 0.1",
                  "at 95000 Pa (at most", "0.06 kg/kg"});
  expect_refused(pressures_of("'temperature' 'dewpoint'", "0 1e5",
                              "20000 250 200 0 0\n50000 280 200 0 0\n95000 331 330 0 0\n"),
                 {"line 12 has a dew point that makes the specific humidity 0.1", "0.06 kg/kg"});
  expect_refused(arps_text("'height' 'temperature' 'relative humidity'", "0 1e5",
                           "9000 250 0 0 0\n100 330 1 0 0\n0 330 0 0 0\n"),
                 {"line 11 has a relative humidity that makes the specific humidity 0.1"});
  // 40 C at 500 hPa: 73.8 hPa of vapour.
  expect_refused("PRES TEMP DWPT DRCT SKNT\nhPa C C deg knot\n1000 50 20 0 0\n500 45 40 0 0\n",
                 {"line 4 has a dew point that makes the specific humidity 0.09", "at 50000 Pa"});
}

TEST(WyomingRefusals, PressuresAreThoseOfAGround) {
  auto const kilo = [](std::string const& height, std::string const& unit) {
    auto const at = [&](char const* z) {
      return unit.empty() ? std::string(" ") : " " + std::string(z) + " ";
    };
    return "PRES " + height + " TEMP DWPT DRCT SKNT\nhPa " + unit + " C C deg knot\n100.0" + at("0") +
           "20 15 270 10\n85.0" + at("1400") + "11 5 280 30\n70.0" + at("2980") + "2 -8 290 40\n";
  };
  for (auto const& text : {kilo("HGHT", "m"), kilo("", "")}) {
    expect_refused(text, {"line 3 has the pressure 10000 Pa at the lowest level (30000 to 110000 Pa is "
                          "possible; are these kPa?) multiply the pressures by 10"});
  }
  // A level of wind alone is not the lowest of the air.
  expect_refused(
      "PRES TEMP DWPT DRCT SKNT\nhPa C C deg knot\n900 -999 -999 0 5\n250 -40 -50 0 0\n200 -50 -60 0 0\n",
      {"line 4 has the pressure 25000 Pa at the lowest level", "add the levels below"});
}

TEST(WyomingRefusals, ATableWithoutALineOfUnitsSaysSo) {
  std::string const names = "PRES HGHT TEMP DWPT DRCT SKNT\n", rule = "-----------------------------\n",
                    levels = "1000 0 20 15 270 10\n850 1400 11 5 280 30\n";
  for (auto const& text : {names + levels, names + rule + levels, names + "1000 0 20 15\n" + levels}) {
    expect_refused(text, {"line 1 has no line of units below it", "hPa, m, C, deg, knot or m/s) add it"});
  }
}

TEST(Refusals, QuoteNoControlCharactersAndLittleOfTheFile) {
  auto const message = refusal(with(cm1_sample, "302.00", std::string(200, 'y') + "\x1b[31m"));
  EXPECT_NE(message.find("'" + std::string(40, 'y') + "...'"), std::string::npos) << message;
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

/// What parse_sounding promises of any text.
void expect_sounding_or_refusal(std::string const& text) {
  Sounding sounding;
  try {
    sounding = parse_sounding(text, "file");
  } catch (InputError const& error) {
    std::string const message = error.what();
    ASSERT_EQ(message.rfind("file: ", 0), 0u) << message;
    for (unsigned char const c : message) ASSERT_GE(c, 0x20) << message;
    ASSERT_NE(message.find(" ("), std::string::npos) << message;
    return;
  }
  auto const levels = sounding.height.size();
  ASSERT_GE(levels, 2u);
  for (auto const* values : {&sounding.theta, &sounding.humidity, &sounding.u, &sounding.v}) {
    ASSERT_EQ(values->size(), levels);
    for (double const value : *values) ASSERT_TRUE(std::isfinite(value)) << text;
  }
  ASSERT_TRUE(sounding.ground_pressure >= 30000 && sounding.ground_pressure <= 110000) << text;
  for (std::size_t k = 0; k < levels; ++k) {
    ASSERT_TRUE(k == 0 || sounding.height[k] > sounding.height[k - 1]) << text;
    ASSERT_TRUE(sounding.theta[k] > 100 && sounding.humidity[k] >= 0 && sounding.humidity[k] <= 0.06) << text;
  }
}

std::vector<std::string> samples() {
  return {cm1_sample, table_sample, arps_sample,
          arps_text("'pressure' 'temperature' 'dewpoint' 'knots'", "0 1",
                    "30000 233.15 213.15 270 60\n70000 278.15 268.15 250 30\n90000 293.15 283.15 200 10\n")};
}

TEST(AlteredFiles, CutAnywhereAreSoundingsOrRefused) {
  for (auto const& text : samples()) {
    for (std::size_t length = 0; length <= text.size(); ++length) {
      expect_sounding_or_refusal(text.substr(0, length));
      expect_sounding_or_refusal(text.substr(length));
    }
  }
}

TEST(AlteredFiles, OfRandomBytesAndLinesAreSoundingsOrRefused) {
  test::RandomValues random(20261125);
  for (auto const& sample : samples()) {
    for (int round = 0; round < 3000; ++round) {
      auto text = sample;
      for (auto changes = 1 + random.below(4); changes-- > 0 && !text.empty();) {
        auto const at = random.below(text.size());
        switch (random.below(5)) {
          case 0:
            text[at] = static_cast<char>(random.below(256));
            break;
          case 1:
            text[at] = "0123456789.-+eEdD \n\r\t,'"[random.below(23)];
            break;
          case 2:
            text.erase(at, 1 + random.below(30));
            break;
          case 3:
            text.insert(at, text.substr(random.below(text.size()), random.below(80)));
            break;
          default:
            text.insert(at, random.below(2) == 0 ? "1e300" : "-");
        }
      }
      expect_sounding_or_refusal(text);
    }
  }
}

TEST(AlteredFiles, OfGarbageAreRefused) {
  test::RandomValues random(7);
  for (int round = 0; round < 500; ++round) {
    std::string text(random.below(400), ' ');
    for (auto& c : text) c = static_cast<char>(random.below(256));
    expect_sounding_or_refusal(text);
  }
}

}  // namespace
}  // namespace ulpine
