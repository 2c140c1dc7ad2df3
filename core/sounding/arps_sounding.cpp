// SPDX-License-Identifier: Apache-2.0
// The .snd files of ARPS, after the description in its source (inibase3d.f90, subroutine soundg).
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/sounding/moist_air.hpp"
#include "core/sounding/sounding_text.hpp"
#include "io/case_file.hpp"
#include "io/text.hpp"

namespace ulpine::soundings {
namespace {

constexpr std::size_t kinds_line = 5, ground_line = 6, count_line = 7, first_level = 9;
constexpr std::size_t level_numbers = 5;

/// The texts between quotes of a line.
std::vector<std::string_view> quotations(std::string_view line) {
  std::vector<std::string_view> found;
  for (auto begin = line.find('\''); begin != std::string_view::npos; begin = line.find('\'')) {
    line.remove_prefix(begin + 1);
    auto const end = line.find('\'');
    if (end == std::string_view::npos) break;
    found.push_back(line.substr(0, end));
    line.remove_prefix(end + 1);
  }
  return found;
}

/// Quantities of the columns, by the first letter of their names in line 6.
struct Kinds {
  bool pressure;     ///< levels of pressure, not of height
  bool temperature;  ///< and not potential temperature
  char humidity;     ///< r, d, s or m
  char wind;         ///< u, d or k
};

char first_letter(std::string_view word) { return word.empty() ? ' ' : io::lower_case(std::string(word))[0]; }

Kinds kinds_of(Lines const& lines) {
  auto const& line = lines[kinds_line];
  auto const names = quotations(line.text);
  auto const choose = [&](std::size_t place, std::string const& letters, char const* known) {
    auto const letter = place < names.size() ? first_letter(names[place]) : letters[0];
    if (letters.find(letter) == std::string::npos) {
      lines.refuse(line, "names the column " + quoted(names[place]) + " (known are " + known +
                             ") name it as ARPS does");
    }
    return letter;
  };
  Kinds kinds{};
  kinds.pressure = choose(0, "hp", "'height' and 'pressure'") == 'p';
  kinds.temperature = choose(1, "pt", "'potential temperature' and 'temperature'") == 't';
  kinds.humidity =
      choose(2, "rdsm", "'relative humidity', 'dewpoint', 'specific humidity' and 'mixing ratio'");
  // Files of ARPS 3 have no fourth name.
  kinds.wind = choose(3, "udk", "'uv', 'direction' and 'knots'");
  return kinds;
}

/// The columns of the levels, from the lowest up, and their lines.
struct Columns {
  std::vector<double> level, warmth, vapour, first_wind, second_wind;
  std::vector<Line> line;
};

/// Whether levels stand from the ground up. ARPS has them from the top down; what is in no order counts so,
/// too.
bool from_the_ground(std::vector<double> const& level, bool pressure) {
  auto const goes_back = [&](double lower, double upper) {
    return pressure ? lower <= upper : lower >= upper;
  };
  return std::adjacent_find(level.begin(), level.end(), goes_back) == level.end();
}

/// Refuses a level behind the last of those that line 8 counts: levels stand from the top down, so what is
/// left out would be the air next to the ground. Words behind the levels are no level.
void require_none_behind(Lines const& lines, std::size_t next, std::size_t count) {
  for (std::size_t at = next; at < lines.size(); ++at) {
    auto const words = words_of(lines[at].text);
    double number = 0;
    if (words.size() != level_numbers ||
        !std::all_of(words.begin(), words.end(), [&](auto word) { return read_number(word, number); })) {
      continue;
    }
    lines.refuse(lines[at], "has a level more than the " + std::to_string(count) +
                                " that line 8 counts (it would be left out) mend the number in line 8");
  }
}

Columns read_columns(Lines const& lines, std::size_t count, bool pressure) {
  Columns columns;
  std::vector<double> previous;
  std::size_t at = first_level;
  for (std::size_t k = 0; k < count; ++k, ++at) {
    while (at < lines.size() && words_of(lines[at].text).empty()) ++at;
    if (at >= lines.size()) {
      lines.refuse("ends after " + std::to_string(k) + " of " + std::to_string(count) +
                   " levels (line 8 counts them) check whether the file is complete");
    }
    auto const numbers =
        numbers_of(lines, lines[at], level_numbers, "height or pressure, temperature, humidity, wind");
    if (numbers == previous) continue;
    previous = numbers;
    columns.level.push_back(numbers[0]);
    columns.warmth.push_back(numbers[1]);
    columns.vapour.push_back(numbers[2]);
    columns.first_wind.push_back(numbers[3]);
    columns.second_wind.push_back(numbers[4]);
    columns.line.push_back(lines[at]);
  }
  require_none_behind(lines, at, count);
  if (columns.level.size() < 2) {
    lines.refuse(columns.line[0], "is the only level (two are the least) check whether the file is complete");
  }
  if (from_the_ground(columns.level, pressure)) return columns;
  for (auto* column :
       {&columns.level, &columns.warmth, &columns.vapour, &columns.first_wind, &columns.second_wind}) {
    std::reverse(column->begin(), column->end());
  }
  std::reverse(columns.line.begin(), columns.line.end());
  return columns;
}

void check_columns(Lines const& lines, Kinds const& kinds, Columns const& columns) {
  // Lines stand from the top down, so the lower level is the later line.
  for (std::size_t k = columns.level.size() - 1; k-- > 0;) {
    require_order(lines, columns.line[k], columns.level[k + 1], columns.level[k], !kinds.pressure,
                  kinds.pressure ? "pressure" : "height");
  }
  if (kinds.pressure) require_lowest_pressure(lines, columns.line[0], columns.level[0], 1);
  for (std::size_t k = 0; k < columns.level.size(); ++k) {
    auto const& line = columns.line[k];
    if (kinds.pressure) {
      require_range(lines, line, columns.level[k], 10, 110000, "pressure", "Pa");
    } else {
      require_range(lines, line, columns.level[k], -500, 9e4, "height", "m");
    }
    if (kinds.temperature) {
      require_range(lines, line, columns.warmth[k], 150, 350, "temperature", "K");
    } else {
      require_range(lines, line, columns.warmth[k], 150, 5000, "potential temperature", "K");
    }
    if (kinds.humidity == 'r') {
      require_range(lines, line, columns.vapour[k], 0, 1.1, "relative humidity", "(a share, not per cent)");
    } else if (kinds.humidity == 'd') {
      require_range(lines, line, columns.vapour[k], 100, 350, "dew point", "K");
    } else {
      require_range(lines, line, columns.vapour[k], 0, most_vapour, "humidity", "kg/kg");
    }
    if (kinds.wind == 'u') {
      require_range(lines, line, columns.first_wind[k], -200, 200, "wind", "m/s");
      require_range(lines, line, columns.second_wind[k], -200, 200, "wind", "m/s");
    } else {
      require_range(lines, line, columns.first_wind[k], 0, 360, "direction of the wind", "degrees");
      require_range(lines, line, columns.second_wind[k], 0, 400, "speed of the wind",
                    kinds.wind == 'k' ? "knots" : "m/s");
    }
  }
}

/// Specific humidity of a level, whose temperature counts where humidity is relative.
double humidity_of(Kinds const& kinds, double vapour, double temperature, double pressure) {
  switch (kinds.humidity) {
    case 'r':
      return vapour * moist_air::saturation_humidity(temperature, pressure);
    case 'd':
      return moist_air::saturation_humidity(vapour, pressure);
    case 'm':
      return moist_air::humidity_of_mixing_ratio(vapour);
    default:
      return vapour;
  }
}

/// Refuses the humidity of level `k` where it is no air's at that temperature (K) and pressure (Pa).
void require_humidity(Lines const& lines, Kinds const& kinds, Columns const& columns, std::size_t k,
                      double humidity, double temperature, double pressure) {
  // The temperature of a potential temperature carries the error of the pressure between coarse levels.
  constexpr double error_of_theta = 1;  // K
  auto const& line = columns.line[k];
  if (kinds.humidity == 'd') {
    require_dew_point(lines, line, columns.vapour[k], temperature, kinds.temperature ? 0 : error_of_theta);
  }
  if (kinds.humidity == 'd' || kinds.humidity == 'r') {
    require_vapour(lines, line, humidity, kinds.humidity == 'd' ? "dew point" : "relative humidity",
                   pressure);
  }
}

/// Refuses a lowest level whose pressure is not that of the ground by line 7, as far as this is one: models
/// that read heights alone write other numbers there. Half the air lies below 5.5 km, from where no sounding
/// begins; 5 % are 430 m of air below the ground, more than weather makes within a day.
void require_ground(Lines const& lines, Columns const& columns, double ground) {
  constexpr double least = 0.5, most = 1.05;
  auto const lowest = columns.level[0];
  if (ground < least_ground_pressure || ground > most_ground_pressure) return;
  if (lowest >= least * ground && lowest <= most * ground) return;
  lines.refuse(columns.line[0], "has the pressure " + io::number_text(lowest) +
                                    " Pa at the lowest level (that of the ground in line 7 is " +
                                    io::number_text(ground) +
                                    "; from half of it to 5 % more is possible) check the units of both");
}

/// Levels of pressure: heights by the hypsometric equation.
void from_pressures(Sounding& sounding, Lines const& lines, Kinds const& kinds, Columns const& columns,
                    double ground) {
  double below = 0;
  for (std::size_t k = 0; k < columns.level.size(); ++k) {
    auto const pressure = columns.level[k], exner = moist_air::exner_of_pressure(pressure);
    auto const temperature = kinds.temperature ? columns.warmth[k] : columns.warmth[k] * exner;
    sounding.theta.push_back(kinds.temperature ? temperature / exner : columns.warmth[k]);
    sounding.humidity.push_back(humidity_of(kinds, columns.vapour[k], temperature, pressure));
    require_humidity(lines, kinds, columns, k, sounding.humidity.back(), temperature, pressure);
    auto const warmth = moist_air::virtual_temperature(temperature, sounding.humidity.back());
    sounding.height.push_back(
        k == 0 ? ground : sounding.height.back() + thickness(columns.level[k - 1], below, pressure, warmth));
    below = warmth;
  }
  sounding.ground_pressure = columns.level[0];
}

/// Levels of height: pressure, temperature and humidity depend on each other, so a level is repeated until
/// nothing changes (some five times; each shrinks what is left a hundredfold).
void from_heights(Sounding& sounding, Lines const& lines, Kinds const& kinds, Columns const& columns,
                  double ground_pressure) {
  constexpr int most_repetitions = 50;
  double pressure = ground_pressure, warmth_below = 0;
  for (std::size_t k = 0; k < columns.level.size(); ++k) {
    auto const pressure_below = pressure, exner_below = moist_air::exner_of_pressure(pressure_below);
    double humidity = 0, warmth = 0;
    for (int repetition = 0; repetition < most_repetitions; ++repetition) {
      auto const exner = moist_air::exner_of_pressure(pressure);
      auto const temperature = kinds.temperature ? columns.warmth[k] : columns.warmth[k] * exner;
      humidity = humidity_of(kinds, columns.vapour[k], temperature, pressure);
      warmth = moist_air::virtual_temperature(columns.warmth[k], humidity);
      if (k == 0) break;
      auto const rise = physics::arps::gravity<double>() * (columns.level[k] - columns.level[k - 1]);
      auto const mean = 0.5 * (warmth_below + warmth);
      auto const next =
          kinds.temperature
              ? pressure_below * moist_air::exp(-rise / (physics::arps::dry_gas_constant<double>() * mean))
              : moist_air::pressure_of_exner(
                    std::max(exner_below - rise / (physics::arps::heat_capacity<double>() * mean), 0.0));
      if (next == pressure) break;
      pressure = next;
      if (!(pressure >= 1)) {
        lines.refuse(columns.line[k],
                     "is above the air (its weight is used up below that height) leave the level out");
      }
    }
    auto const exner = moist_air::exner_of_pressure(pressure);
    require_humidity(lines, kinds, columns, k, humidity,
                     kinds.temperature ? columns.warmth[k] : columns.warmth[k] * exner, pressure);
    sounding.height.push_back(columns.level[k]);
    sounding.theta.push_back(kinds.temperature ? columns.warmth[k] / exner : columns.warmth[k]);
    sounding.humidity.push_back(humidity);
    warmth_below = warmth;
  }
  sounding.ground_pressure = ground_pressure;
}

/// Throws unless a column that line 6 calls potential temperature can be that (require_potential).
void require_potential_of(Sounding const& sounding, Lines const& lines, Kinds const& kinds,
                          Columns const& columns) {
  if (kinds.temperature) return;
  std::vector<Level> levels;
  for (std::size_t k = 0; k < columns.line.size(); ++k) {
    levels.push_back({sounding.height[k], columns.warmth[k], columns.line[k]});
  }
  require_potential(lines, levels, "name the column 'temperature' in line 6");
}

}  // namespace

bool is_arps(Lines const& lines) {
  return lines.size() > kinds_line && quotations(lines[kinds_line].text).size() >= 3;
}

Sounding read_arps(Lines const& lines) {
  if (lines.size() <= first_level) {
    lines.refuse("ends in its heading (ten lines are the least) check whether the file is complete");
  }
  auto const kinds = kinds_of(lines);
  auto const ground = numbers_of(lines, lines[ground_line], 2, "height (m) and pressure (Pa) of the ground");
  require_range(lines, lines[ground_line], ground[0], -500, 9000, "height of the ground", "m");
  auto const count = numbers_of(lines, lines[count_line], 1, "the number of levels")[0];
  require_range(lines, lines[count_line], count, 2, 1e5, "number of levels", "");
  if (count != std::floor(count)) {
    lines.refuse(lines[count_line],
                 "has " + io::number_text(count) + " (the number of levels is expected) mend the line");
  }
  auto const columns = read_columns(lines, static_cast<std::size_t>(count), kinds.pressure);
  check_columns(lines, kinds, columns);
  if (!kinds.pressure) require_metres(lines, columns.line.back(), columns.level.back());

  Sounding sounding;
  sounding.source = lines.source();
  for (std::size_t k = 0; k < columns.level.size(); ++k) {
    auto const first = columns.first_wind[k], second = columns.second_wind[k];
    auto const wind = kinds.wind == 'u' ? Wind{first, second}
                                        : wind_from(first, kinds.wind == 'k' ? second * knot : second);
    sounding.u.push_back(wind.u);
    sounding.v.push_back(wind.v);
  }
  if (kinds.pressure) {
    require_ground(lines, columns, ground[1]);
    from_pressures(sounding, lines, kinds, columns, ground[0]);
    require_potential_of(sounding, lines, kinds, columns);
    return sounding;
  }
  require_range(lines, lines[ground_line], ground[1], least_ground_pressure, most_ground_pressure,
                "pressure of the ground", "Pa");
  if (columns.level[0] != ground[0]) {
    lines.refuse(columns.line[0], "has the height " + io::number_text(columns.level[0]) +
                                      " (the lowest level must be the ground, by line 7 at " +
                                      io::number_text(ground[0]) + " m) add a level there");
  }
  from_heights(sounding, lines, kinds, columns, ground[1]);
  require_potential_of(sounding, lines, kinds, columns);
  return sounding;
}

}  // namespace ulpine::soundings
