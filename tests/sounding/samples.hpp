// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine::test {

/// Small soundings in every format, written for the tests after the formats' descriptions.
inline std::string const cm1_sample =
    "  1000.00     300.00      16.00\n"
    "   100.00     300.50      15.00      -3.00       4.00\n"
    "  1000.00     302.00      12.50       0.00       6.50\n"
    " 12000.00     343.00    0.05E+00      20.00       0.00\n";

inline std::string const table_sample =
    "72357 OUN Norman Observations at 12Z 22 May 2011\n"
    "\n"
    "-----------------------------------------------------------------------------\n"
    "   PRES   HGHT   TEMP   DWPT   RELH   MIXR   DRCT   SKNT   THTA   THTE   THTV\n"
    "    hPa     m      C      C      %    g/kg    deg   knot     K      K      K \n"
    "-----------------------------------------------------------------------------\n"
    " 1000.0     36                                                               \n"
    "  966.0    345   22.2   21.0     93  16.50    180     10  298.3  346.4  301.2\n"
    "  925.0    720   20.4   20.4    100  16.61    270     20  300.2  349.0  303.1\n"
    "  850.0   1454   22.0                         225     30  309.2              \n"
    "  700.0   3096    7.6   -9.4     29   2.69                310.9  319.7  311.4\n"
    "  500.0   5770  -11.1                          90     50  319.4              \n"
    "\n"
    "Station information and sounding indices\n"
    "                         Station identifier: OUN\n";

/// Of ARPS: height, potential temperature and relative humidity.
inline std::string const arps_sample =
    " 1-D Sounding Input for ARPS\n"
    " made for a test\n"
    " 15:00:00 CST\n"
    " 20 May 1977\n"
    " Nowhere, OK\n"
    " 'height' 'potential temperature' 'relative humidity' 'uv'\n"
    "   0.0 9.65e4\n"
    "          4\n"
    " ZSND THSND QVSND USND VSND\n"
    "    16000.00000    410.00000      0.00000     15.00000     -5.40000\n"
    "     8000.00000    327.00000      0.50000     20.00000      0.00000\n"
    "     1000.00000    303.50000      0.85000    -10.00000      2.00000\n"
    "        0.00000    303.00000      0.71000    -12.00000     -3.00000\n"
    "\n";

/// The same with other kinds of columns, line 6 in quotes, the ground and its pressure, and four levels.
inline std::string arps_text(std::string const& kinds, std::string const& ground, std::string const& levels,
                             std::string const& count = "3") {
  return "1-D ARPS Sounding File\nmade\nfor\na\ntest\n" + kinds + "\n" + ground + "\n" + count +
         "\n labels\n" + levels;
}

/// `text` with `part` exchanged, once.
inline std::string with(std::string text, std::string const& part, std::string const& other) {
  auto const at = text.find(part);
  return at == std::string::npos ? "(the part is not there)" : text.replace(at, part.size(), other);
}

}  // namespace ulpine::test
