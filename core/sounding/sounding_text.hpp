// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sounding/sounding.hpp"

// Parts that the readers of single formats share.

namespace ulpine::soundings {

/// A line without its end, and where it stands in the file, from 1 on.
struct Line {
  std::string_view text;
  std::size_t number;
};

/// A text as lines, which end in LF, CR LF or CR; a byte order mark of UTF-8 at its head is no part of it.
/// `source` must outlive it.
class Lines {
 public:
  Lines(std::string_view text, std::string const& source);

  std::string const& source() const { return source_; }
  std::size_t size() const { return lines_.size(); }
  /// Line `index`, counted from 0.
  Line const& operator[](std::size_t index) const { return lines_[index]; }

  /// Throws InputError `source: line N problem`; problem has its reason and remedy.
  [[noreturn]] void refuse(Line const& line, std::string const& problem) const;
  /// Throws InputError `source: problem`, for a problem of the file as a whole.
  [[noreturn]] void refuse(std::string const& problem) const;

 private:
  std::string const& source_;
  std::vector<Line> lines_;
};

/// Parted by blanks, tabs and commas, up to a comment, which begins with # or !.
std::vector<std::string_view> words_of(std::string_view line);
/// At most 40 characters of a file in quotes, for a message.
std::string quoted(std::string_view text);

/// Whether `word` is a finite number and nothing else, also as Fortran writes it (.5, +1, 1d5).
bool read_number(std::string_view word, double& value);
/// The numbers of a line, which must be `count` and nothing else; `what` names them in messages.
std::vector<double> numbers_of(Lines const& lines, Line const& line, std::size_t count, char const* what);
/// InputError for `value`, which is `what` in `unit`, outside [least, most].
void require_range(Lines const& lines, Line const& line, double value, double least, double most,
                   char const* what, char const* unit);

/// The pressures that a ground may have, Pa: some 310 hPa on the highest summit, 1085 hPa at the most.
inline constexpr double least_ground_pressure = 30000, most_ground_pressure = 110000;
/// InputError where `pressure` (Pa) of the lowest level is none that a ground has. `unit` is that of the
/// file, in Pa.
void require_lowest_pressure(Lines const& lines, Line const& line, double pressure, double unit);

/// The most vapour that is taken for air, as a mixing ratio or specific humidity: the moistest air ever
/// measured had some 0.037.
inline constexpr double most_vapour = 0.06;
/// InputError for more specific humidity (kg kg-1) than that where it follows from `what`, at `pressure`
/// (Pa).
void require_vapour(Lines const& lines, Line const& line, double humidity, char const* what, double pressure);
/// InputError for a dew point above the temperature by more than `tolerance`, all in the same unit.
void require_dew_point(Lines const& lines, Line const& line, double dew_point, double temperature,
                       double tolerance = 0);

/// InputError where `value` does not go on from `previous` upwards (downwards where `falling`).
void require_order(Lines const& lines, Line const& line, double previous, double value, bool falling,
                   char const* what);

/// InputError where the `highest` height (m), of `line`, is so low that it must be in km.
void require_metres(Lines const& lines, Line const& line, double highest);

/// A level of air whose file gives potential temperature.
struct Level {
  double height;  ///< m
  double theta;   ///< K
  Line line;
};
/// InputError where theta falls by more than 3 K over 500 m or more, as temperature does and potential
/// temperature does not: unsaturated air rises by itself wherever theta falls. `levels` rise.
void require_potential(Lines const& lines, std::span<Level const> levels, char const* remedy);

/// Wind that blows from `direction` (degrees clockwise from north) at `speed`, as u and v.
struct Wind {
  double u, v;
};
inline constexpr double knot = 1852.0 / 3600;  ///< m s-1
Wind wind_from(double direction, double speed);

/// Height (m) of the upper of two levels over the lower by the hypsometric equation with the mean of their
/// virtual temperatures (K): R_d / g (T_v,1 + T_v,2) / 2 ln(p_1 / p_2).
double thickness(double lower_pressure, double lower_temperature, double upper_pressure,
                 double upper_temperature);

/// The formats. is_... look at the content alone; the readers refuse what they cannot use.
bool is_table(Lines const& lines);
Sounding read_table(Lines const& lines);
bool is_arps(Lines const& lines);
Sounding read_arps(Lines const& lines);
bool is_cm1(Lines const& lines);
Sounding read_cm1(Lines const& lines);

}  // namespace ulpine::soundings
